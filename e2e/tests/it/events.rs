//! Events about changed conditions, as programs and people find them.

use std::time::Duration;

use allready_core::{
    Condition, ConditionType, Status, Time, reason,
    transition::{EventNote, Style, Verbosity, diff, notes},
};
use allready_e2e::Server;
use allready_kube::events::{ApiSink, EventSink as _, Origin, regarding};
use k8s_openapi::api::{core::v1::ConfigMap, events::v1::Event};
use kube::{
    Api,
    api::{ListParams, ObjectMeta, PostParams},
};

allready_e2e::scenarios![repeats_become_a_series_and_no_text_is_lost];
allready_e2e::kubectl_scenarios![people_see_the_events_of_an_object];

const PATIENCE: Duration = Duration::from_secs(20);

async fn object(server: &Server, namespace: &str) -> ConfigMap {
    let metadata = ObjectMeta { name: Some("pool".to_owned()), ..ObjectMeta::default() };
    let maps = Api::namespaced(server.client(), namespace);
    maps.create(&PostParams::default(), &ConfigMap { metadata, ..ConfigMap::default() }).await.unwrap()
}

fn sink(server: &Server) -> ApiSink {
    ApiSink::start(server.client(), Origin::new("example.dev/pool-controller", "pool-controller-x2k"))
}

/// What is told when `Ready` goes from one status to another.
fn told(from: Status, to: Status) -> EventNote {
    let ready = |status| {
        Condition::new(ConditionType::new("Ready").unwrap(), status, reason!("Checked"), "", Time::EPOCH)
    };
    let transitions = diff(&[ready(from)], &[ready(to)]);
    notes(&transitions, Verbosity::PerChange, &Style::default()).remove(0)
}

async fn repeats_become_a_series_and_no_text_is_lost(server: Server) {
    let namespace = server.namespace("series").await;
    let (pool, sink) = (object(&server, &namespace).await, sink(&server));
    for _ in 0..3 {
        sink.record(&regarding(&pool), told(Status::True, Status::False));
        sink.flush(PATIENCE).await.unwrap();
        sink.record(&regarding(&pool), told(Status::False, Status::True));
        sink.flush(PATIENCE).await.unwrap();
    }
    sink.shutdown(PATIENCE).await.unwrap();

    let events: Api<Event> = Api::namespaced(server.client(), &namespace);
    let events = events.list(&ListParams::default()).await.unwrap().items;
    let mut found: Vec<_> = events
        .iter()
        .map(|event| {
            let count = event.series.as_ref().map_or(1, |series| series.count);
            (event.type_.as_deref().unwrap(), event.note.as_deref().unwrap(), count)
        })
        .collect();
    found.sort_unstable();
    assert_eq!(
        found,
        [
            ("Normal", "Ready is True (was False): Checked", 3),
            ("Warning", "Ready is False (was True): Checked", 3),
        ]
    );
    assert!(events.iter().all(|event| event.regarding.as_ref().unwrap().uid == pool.metadata.uid));
}

async fn people_see_the_events_of_an_object(server: Server) {
    let namespace = server.namespace("events").await;
    let (pool, sink) = (object(&server, &namespace).await, sink(&server));
    sink.record(&regarding(&pool), told(Status::True, Status::False));
    sink.shutdown(PATIENCE).await.unwrap();

    let listed = server.kubectl(&["get", "events", "-n", &namespace, "--no-headers"]).await.ok();
    let words: Vec<&str> = listed.split_whitespace().skip(1).take(3).collect();
    assert_eq!(words, ["Warning", "Checked", "configmap/pool"], "{listed}");
    assert!(listed.contains("Ready is False (was True): Checked"), "{listed}");

    let described = server.kubectl(&["describe", "configmap", "pool", "-n", &namespace]).await.ok();
    let event = described.lines().find(|line| line.contains("Checked"));
    let event = event.unwrap_or_else(|| panic!("no event in {described}"));
    assert!(event.contains("example.dev/pool-controller"), "{event}");
    assert!(event.ends_with("Ready is False (was True): Checked"), "{event}");
}
