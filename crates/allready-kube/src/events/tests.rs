//! The sink on the embedded server, with what goes wrong there.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use allready_core::transition::{EventNote, EventSeverity};
use jiff::Timestamp;
use k8s_openapi::api::{
    core::v1::{Node, ObjectReference},
    events::v1::Event,
};
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, ListParams, PostParams},
};

use super::*;
use crate::{backoff::Backoff, clock::Clock};

const PATIENCE: Duration = Duration::from_secs(20);

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), "default")
}

fn sink(client: Client) -> ApiSink {
    let limits = EventLimits { spacing: Duration::ZERO, ..EventLimits::default() };
    let backoff = Backoff { min: Duration::from_millis(1), max: Duration::from_millis(20) };
    let options = ApiSinkOptions { limits, backoff, ..ApiSinkOptions::default() };
    ApiSink::start_with(client, Origin::new("example.dev/pools", "pools-0"), options)
}

fn pool() -> ObjectReference {
    ObjectReference {
        api_version: Some("net.example/v1".to_owned()),
        kind: Some("Pool".to_owned()),
        namespace: Some("default".to_owned()),
        name: Some("pool-a".to_owned()),
        uid: Some("u-1".to_owned()),
        ..ObjectReference::default()
    }
}

fn warning(text: &str) -> EventNote {
    EventNote {
        severity: EventSeverity::Warning,
        reason: EventNote::REASON.into(),
        action: EventNote::ACTION,
        note: text.to_owned(),
    }
}

async fn events(client: &Client) -> Vec<Event> {
    let mut events =
        Api::<Event>::namespaced(client.clone(), "default").list(&ListParams::default()).await.unwrap().items;
    events.sort_by_key(|event| event.event_time.clone());
    events
}

fn count(event: &Event) -> i32 {
    event.series.as_ref().map_or(1, |series| series.count)
}

#[tokio::test]
async fn an_event_arrives_with_everything_that_people_look_for() {
    let client = client(&ApiServer::new());
    let sink = sink(client.clone());
    sink.record(&pool(), warning("Condition 'Ready' changed from 'True' to 'False'"));
    sink.flush(PATIENCE).await.unwrap();

    let events = events(&client).await;
    let [event] = events.as_slice() else { panic!("{events:?}") };
    assert!(event.name_any().starts_with("pool-a."));
    assert_eq!(event.regarding, Some(pool()));
    assert_eq!(event.type_.as_deref(), Some("Warning"));
    assert_eq!(event.reason.as_deref(), Some("ConditionChanged"));
    assert_eq!(event.action.as_deref(), Some("UpdateStatus"));
    assert_eq!(event.note.as_deref(), Some("Condition 'Ready' changed from 'True' to 'False'"));
    assert_eq!(event.reporting_controller.as_deref(), Some("example.dev/pools"));
    assert_eq!(event.reporting_instance.as_deref(), Some("pools-0"));
    assert_eq!(event.series, None);
}

#[tokio::test]
async fn repeats_are_counted_and_another_note_is_kept() {
    let client = client(&ApiServer::new());
    let sink = sink(client.clone());
    for text in ["to False", "to True", "to False", "to True", "to False"] {
        sink.record(&pool(), warning(text));
        sink.flush(PATIENCE).await.unwrap();
    }
    let events = events(&client).await;
    let told: Vec<_> = events.iter().map(|event| (event.note.as_deref().unwrap(), count(event))).collect();
    assert_eq!(told, [("to False", 3), ("to True", 2)]);
    assert!(events[0].series.as_ref().unwrap().last_observed_time > events[0].event_time.clone().unwrap());
}

#[tokio::test]
async fn a_node_is_told_about_in_the_default_namespace() {
    let server = ApiServer::new();
    let client = client(&server);
    let node: Node = serde_json::from_value(serde_json::json!({ "metadata": { "name": "worker" } })).unwrap();
    let node = Api::<Node>::all(client.clone()).create(&PostParams::default(), &node).await.unwrap();
    let sink = sink(client.clone());
    sink.record(&regarding(&node), warning("n"));
    sink.flush(PATIENCE).await.unwrap();
    let events = events(&client).await;
    let regarding = events[0].regarding.as_ref().unwrap();
    assert_eq!((regarding.namespace.as_ref(), regarding.uid.as_ref()), (None, node.metadata.uid.as_ref()));
}

#[tokio::test]
async fn texts_at_and_over_the_limits_are_accepted() {
    let client = client(&ApiServer::new());
    let limits = EventLimits { spacing: Duration::ZERO, ..EventLimits::default() };
    let origin = Origin::new(&format!("{}/{}", "p".repeat(300), "c".repeat(300)), &"i".repeat(300));
    let options = ApiSinkOptions { limits, ..ApiSinkOptions::default() };
    let sink = ApiSink::start_with(client.clone(), origin, options);
    let long: &'static str = "R".repeat(200).leak();
    let about = ObjectReference { name: Some("a".repeat(253)), ..pool() };
    let note = EventNote { reason: long.into(), action: long, ..warning(&"ü".repeat(2000)) };
    sink.record(&about, note);
    sink.record(
        &ObjectReference { name: Some("system:node".to_owned()), ..pool() },
        EventNote { reason: "".into(), action: "", ..warning("") },
    );
    sink.flush(PATIENCE).await.unwrap();
    let events = events(&client).await;
    assert_eq!((events.len(), sink.metrics().failed.get()), (2, 0));
    assert_eq!(events[0].reason.as_ref().unwrap().len(), 128);
    assert!(events[0].note.as_ref().unwrap().ends_with("… [cut, was 4000 bytes]"));
    assert_eq!(events[0].name_any().len(), 253);
}

#[tokio::test]
async fn nothing_is_lost_or_doubled_when_the_server_fails() {
    let server = ApiServer::builder().seed(11).build().unwrap();
    let client = client(&server);
    for effect in [
        Effect::TooManyRequests { retry_after: 0 },
        Effect::InternalError,
        Effect::ResetBefore,
        Effect::ResetAfter,
        Effect::Unavailable,
    ] {
        server.faults().add(Rule::new(effect).group("events.k8s.io").rate(0.15));
    }
    let sink = sink(client.clone());
    for number in 0..60 {
        let about = ObjectReference { name: Some(format!("pool-{}", number % 10)), ..pool() };
        sink.record(&about, warning(&format!("note {}", number % 3)));
    }
    sink.flush(PATIENCE).await.unwrap();
    server.faults().clear();
    let events = events(&client).await;
    assert_eq!(events.len(), 30, "each object and note once");
    assert_eq!(events.iter().map(count).sum::<i32>(), 60);
    let metrics = sink.metrics();
    assert!(metrics.retried.get() > 0);
    assert_eq!((metrics.created.get(), metrics.failed.get()), (30, 0));
}

#[tokio::test]
async fn an_event_that_expired_comes_back_with_its_count() {
    let client = client(&ApiServer::new());
    let sink = sink(client.clone());
    sink.record(&pool(), warning("n"));
    sink.flush(PATIENCE).await.unwrap();
    let name = events(&client).await[0].name_any();
    let api = Api::<Event>::namespaced(client.clone(), "default");
    api.delete(&name, &DeleteParams::default()).await.unwrap();
    sink.record(&pool(), warning("n"));
    sink.flush(PATIENCE).await.unwrap();
    let events = events(&client).await;
    assert_eq!((events.len(), count(&events[0]), events[0].name_any()), (1, 2, name));
}

#[tokio::test]
async fn without_permission_it_keeps_going_and_writes_again_when_allowed() {
    let server = ApiServer::new();
    let client = client(&server);
    let rule = server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Create).group("events.k8s.io"));
    let sink = sink(client.clone());
    sink.record(&pool(), warning("refused"));
    sink.flush(PATIENCE).await.unwrap();
    assert_eq!((sink.metrics().failed.get(), server.faults().remove(rule)), (1, 1));
    sink.record(&pool(), warning("allowed"));
    sink.flush(PATIENCE).await.unwrap();
    assert_eq!(events(&client).await[0].note.as_deref(), Some("allowed"));
}

#[tokio::test]
async fn a_shutdown_writes_what_waits_and_takes_no_more() {
    let client = client(&ApiServer::new());
    let sink = ApiSink::start(client.clone(), Origin::new("pools", "pools-0"));
    for number in 0..200 {
        let about = ObjectReference { name: Some(format!("pool-{number}")), ..pool() };
        sink.record(&about, warning("n"));
    }
    sink.shutdown(PATIENCE).await.unwrap();
    assert_eq!(events(&client).await.len(), 200, "without waiting for the pace");
    sink.record(&pool(), warning("late"));
    assert_eq!(sink.metrics().overflowed.get(), 1);
    sink.shutdown(PATIENCE).await.unwrap();
    assert_eq!(events(&client).await.len(), 200);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_gives_up_at_its_deadline_and_says_how_many_are_left() {
    let server = ApiServer::new();
    server.faults().add(Rule::new(Effect::Unavailable).group("events.k8s.io"));
    let sink = ApiSink::start(client(&server), Origin::new("pools", "pools-0"));
    sink.record(&pool(), warning("one"));
    sink.record(&pool(), warning("two"));
    assert_eq!(sink.shutdown(Duration::from_millis(50)).await, Err(Unsent { count: 2 }));
}

#[tokio::test]
async fn the_last_handle_leaves_nothing_behind() {
    let client = client(&ApiServer::new());
    let sink = ApiSink::start(client.clone(), Origin::new("pools", "pools-0"));
    sink.clone().record(&pool(), warning("n"));
    drop(sink);
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while events(&client).await.is_empty() {
        assert!(tokio::time::Instant::now() < deadline, "the event was never written");
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_clock_that_is_set_back_holds_up_no_event() {
    let client = client(&ApiServer::new());
    let second = Arc::new(AtomicI64::new(100_000));
    let hand = Arc::clone(&second);
    let clock = Clock::new(move || Timestamp::from_second(hand.load(Ordering::SeqCst)).unwrap());
    let limits =
        EventLimits { overall: Rate { burst: 1, every: Duration::from_secs(2) }, ..EventLimits::default() };
    let options = ApiSinkOptions { limits, clock, ..ApiSinkOptions::default() };
    let sink = ApiSink::start_with(client.clone(), Origin::new("pools", "pools-0"), options);
    let start = tokio::time::Instant::now();
    sink.record(&pool(), warning("one"));
    sink.record(&pool(), warning("two"));
    let written = async |count| {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        while sink.metrics().created.get() < count {
            assert!(tokio::time::Instant::now() < deadline, "it was never written");
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    written(1).await;
    second.fetch_sub(3600, Ordering::SeqCst);
    sink.record(&pool(), warning("three"));
    written(3).await;
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    let times = events(&client)
        .await
        .iter()
        .map(|event| event.event_time.as_ref().unwrap().0.as_second())
        .collect::<Vec<_>>();
    assert_eq!(times, [96_400, 100_000, 100_000], "events carry the time of the clock");
}
