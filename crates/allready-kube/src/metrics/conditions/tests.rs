use std::sync::atomic::AtomicI64;

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use futures::StreamExt;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::WatchStreamExt,
};
use prometheus_client::encoding::text::encode;
use serde_json::{Value, json};

use super::*;

/// A clock that a test sets; it starts at second 1000.
fn clock() -> (Clock, Arc<AtomicI64>) {
    let second = Arc::new(AtomicI64::new(1000));
    let shared = Arc::clone(&second);
    let clock = Clock::new(move || Timestamp::from_second(shared.load(Ordering::SeqCst)).unwrap());
    (clock, second)
}

fn metrics(labels: Vec<MetricLabel>) -> (ConditionMetrics, Arc<AtomicI64>) {
    let (clock, second) = clock();
    let options = ConditionMetricsOptions { labels, clock, ..ConditionMetricsOptions::default() };
    (ConditionMetrics::new(options), second)
}

fn named() -> Vec<MetricLabel> {
    vec![MetricLabel::Namespace, MetricLabel::Name]
}

fn pool(name: &str, uid: &str, conditions: &[(&str, &str, i64)]) -> Value {
    let condition = |(type_, status, since): &(&str, &str, i64)| {
        json!({ "type": type_, "status": status, "reason": "Told",
            "lastTransitionTime": Timestamp::from_second(*since).unwrap().to_string() })
    };
    json!({
        "kind": "Pool",
        "metadata": { "namespace": "shop", "name": name, "uid": uid, "labels": { "app.example/team": "red" } },
        "status": { "conditions": conditions.iter().map(condition).collect::<Vec<_>>() },
    })
}

/// The lines of a metric, without its name.
fn lines(metrics: &ConditionMetrics, metric: &str) -> Vec<String> {
    let mut registry = Registry::default();
    metrics.register(&mut registry);
    let mut text = String::new();
    encode(&mut text, &registry).unwrap();
    let begin =
        |line: &str| line.strip_prefix(metric).filter(|rest| rest.starts_with(['{', ' '])).map(str::to_owned);
    text.lines().filter_map(begin).collect()
}

fn ready(name: &str, status: &str, value: i64) -> String {
    format!("{{namespace=\"shop\",name=\"{name}\",type=\"Ready\",status=\"{status}\"}} {value}")
}

#[test]
fn the_status_and_its_age_are_as_of_the_scrape() {
    let (metrics, second) = metrics(named());
    let feed = metrics.feed();
    feed.apply(&pool("a", "1", &[("Ready", "True", 940)]));
    assert_eq!(lines(&metrics, "condition_status"), [ready("a", "True", 1)]);
    assert_eq!(lines(&metrics, "condition_status_seconds"), [ready("a", "True", 60)]);
    second.store(1100, Ordering::SeqCst);
    assert_eq!(lines(&metrics, "condition_status_seconds"), [ready("a", "True", 160)]);
    feed.apply(&pool("a", "1", &[("Ready", "False", 1090)]));
    assert_eq!(lines(&metrics, "condition_status"), [ready("a", "False", 1)], "the old status has no series");
    assert_eq!(lines(&metrics, "condition_status_seconds"), [ready("a", "False", 10)]);
    second.store(1000, Ordering::SeqCst);
    assert_eq!(lines(&metrics, "condition_status_seconds"), [ready("a", "False", 0)], "never below nothing");
}

#[test]
fn a_condition_that_does_not_say_since_when_is_as_old_as_it_is_known() {
    let (metrics, second) = metrics(named());
    let feed = metrics.feed();
    let told = |status: &str| {
        json!({ "metadata": { "namespace": "shop", "name": "a" },
        "status": { "conditions": [{ "type": "Ready", "status": status }] } })
    };
    feed.apply(&told("True"));
    second.store(1030, Ordering::SeqCst);
    feed.apply(&told("True"));
    assert_eq!(lines(&metrics, "condition_status_seconds"), [ready("a", "True", 30)]);
    feed.apply(&told("False"));
    assert_eq!(lines(&metrics, "condition_status_seconds"), [ready("a", "False", 0)]);
}

#[test]
fn transitions_are_counted_once_whoever_looks_again() {
    let (metrics, _) = metrics(named());
    let feed = metrics.feed();
    let count = || lines(&metrics, "condition_transitions_total");
    feed.apply(&pool("a", "1", &[("Ready", "True", 900)]));
    assert_eq!(count(), Vec::<String>::new(), "before this process started");
    feed.apply(&pool("b", "2", &[("Ready", "True", 1000)]));
    assert_eq!(count(), Vec::<String>::new(), "in the very second in which it did");
    feed.apply(&pool("c", "3", &[("Ready", "True", 1001)]));
    assert_eq!(count(), [ready("c", "True", 1)], "after it started, and before the first look");
    feed.apply(&pool("c", "3", &[("Ready", "True", 1001)]));
    feed.observe(&watcher::Event::<Node>::Init);
    for (name, uid, since) in [("a", "1", 900), ("b", "2", 1000), ("c", "3", 1001)] {
        feed.apply(&pool(name, uid, &[("Ready", "True", since)]));
    }
    feed.observe(&watcher::Event::<Node>::InitDone);
    assert_eq!(count(), [ready("c", "True", 1)], "looking again");
    feed.apply(&pool("a", "1", &[("Ready", "False", 900)]));
    feed.apply(&pool("a", "1", &[("Ready", "True", 900)]));
    feed.apply(&pool("a", "1", &[("Ready", "False", 900)]));
    assert_eq!(
        count(),
        [ready("a", "False", 2), ready("a", "True", 1), ready("c", "True", 1)],
        "seen, whatever the time says"
    );
    feed.apply(&pool("b", "2", &[]));
    feed.apply(&pool("b", "2", &[("Ready", "True", 900)]));
    assert_eq!(count()[2], ready("b", "True", 1), "gone and come again");
}

#[test]
fn series_and_counters_go_with_the_object() {
    let (metrics, _) = metrics(named());
    let feed = metrics.feed();
    for name in ["a", "b"] {
        feed.apply(&pool(name, "1", &[("Ready", "True", 1001)]));
        feed.apply(&pool(name, "1", &[("Ready", "False", 1002)]));
    }
    assert_eq!(lines(&metrics, "condition_transitions_total").len(), 4);
    feed.delete("shop", "a");
    assert_eq!(lines(&metrics, "condition_status"), [ready("b", "False", 1)]);
    assert_eq!(
        lines(&metrics, "condition_transitions_total"),
        [ready("b", "False", 1), ready("b", "True", 1)]
    );
    feed.apply(&pool("b", "2", &[("Ready", "True", 1003)]));
    assert_eq!(
        lines(&metrics, "condition_transitions_total"),
        [ready("b", "True", 1)],
        "another object of the same name"
    );
    feed.observe(&watcher::Event::<Node>::Init);
    feed.observe(&watcher::Event::<Node>::InitDone);
    assert_eq!(lines(&metrics, "condition_status"), Vec::<String>::new(), "gone while nobody watched");
}

#[test]
fn feeds_do_not_stand_for_each_other() {
    let (metrics, _) = metrics(vec![MetricLabel::Kind]);
    let (pools, nodes) = (metrics.feed(), metrics.feed());
    pools.apply(&pool("a", "1", &[("Ready", "True", 900)]));
    nodes.apply(&json!({ "kind": "Node", "metadata": { "namespace": "shop", "name": "a" },
        "status": { "conditions": [{ "type": "Ready", "status": "True" }] } }));
    nodes.observe(&watcher::Event::<Node>::Init);
    nodes.observe(&watcher::Event::<Node>::InitDone);
    assert_eq!(
        lines(&metrics, "condition_status"),
        ["{kind=\"Pool\",type=\"Ready\",status=\"True\"} 1"],
        "the list of nodes says nothing about pools"
    );
}

#[test]
fn without_the_name_objects_are_counted_together_and_counters_stay() {
    let (metrics, _) = metrics(vec![MetricLabel::Object("app.example/team".into()), MetricLabel::Reason]);
    let feed = metrics.feed();
    feed.apply(&pool("a", "1", &[("Ready", "False", 900)]));
    feed.apply(&pool("b", "2", &[("Ready", "False", 990)]));
    feed.apply(&pool("c", "3", &[("Ready", "True", 1001)]));
    let series = |status: &str, value: i64| {
        format!(
            "{{label_app_example_team=\"red\",reason=\"Told\",type=\"Ready\",status=\"{status}\"}} {value}"
        )
    };
    assert_eq!(lines(&metrics, "condition_status"), [series("False", 2), series("True", 1)]);
    assert_eq!(lines(&metrics, "condition_status_seconds"), [series("False", 100), series("True", 0)]);
    feed.delete("shop", "c");
    assert_eq!(lines(&metrics, "condition_transitions_total"), [series("True", 1)]);
}

#[test]
fn series_are_bounded_and_what_is_left_out_is_told() {
    let (clock, _) = clock();
    let metrics = ConditionMetrics::new(ConditionMetricsOptions {
        labels: named(),
        types: vec!["Ready".to_owned()],
        max_series: 2,
        clock,
    });
    let feed = metrics.feed();
    for name in ["d", "c", "b", "a"] {
        feed.apply(&pool(name, "1", &[("Ready", "True", 1001), ("Other", "True", 1001)]));
    }
    assert_eq!(lines(&metrics, "condition_status"), [ready("a", "True", 1), ready("b", "True", 1)]);
    assert_eq!(lines(&metrics, "condition_series_omitted"), [" 2"]);
    assert_eq!(
        lines(&metrics, "condition_transitions_total"),
        [ready("c", "True", 1), ready("d", "True", 1)]
    );
    assert_eq!(lines(&metrics, "condition_transitions_uncounted_total"), [" 2"]);
}

#[test]
fn a_type_that_is_listed_twice_with_two_statuses_is_unknown() {
    let (metrics, _) = metrics(named());
    metrics.feed().apply(&pool("a", "1", &[("Ready", "True", 900), ("Ready", "False", 900)]));
    assert_eq!(lines(&metrics, "condition_status"), [ready("a", "Unknown", 1)]);
}

#[tokio::test]
async fn fed_from_a_watch_that_breaks_nothing_is_counted_twice_and_nothing_stays() {
    let server = ApiServer::new();
    let nodes: Api<Node> = Api::all(Client::new(server.service(), "default"));
    let options =
        ConditionMetricsOptions { labels: vec![MetricLabel::Name], ..ConditionMetricsOptions::default() };
    let metrics = ConditionMetrics::new(options);
    for name in ["a", "b"] {
        let node = json!({ "metadata": { "name": name } });
        nodes.create(&PostParams::default(), &serde_json::from_value(node).unwrap()).await.unwrap();
    }
    let feed = metrics.feed();
    let events = watcher(nodes.clone(), watcher::Config::default()).default_backoff();
    let task = tokio::spawn(events.for_each(move |event| {
        if let Ok(event) = event {
            feed.observe(&event);
        }
        std::future::ready(())
    }));
    let until = async |metric: &str, expected: &[&str]| {
        let same = async {
            while lines(&metrics, metric) != expected {
                tokio::time::sleep(std::time::Duration::from_millis(2)).await;
            }
        };
        let waited = tokio::time::timeout(std::time::Duration::from_secs(30), same).await;
        assert!(waited.is_ok(), "{metric} is {:?}, not {expected:?}", lines(&metrics, metric));
    };
    let report = async |name: &str, status: &str| {
        let patch = json!({ "status": { "conditions": [{ "type": "Ready", "status": status }] } });
        nodes.patch_status(name, &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
    };
    let series =
        |name: &str, status: &str| format!("{{name=\"{name}\",type=\"Ready\",status=\"{status}\"}} 1");
    // The nodes may be known before they say anything, or not: with no time, only a change is sure to be counted.
    report("a", "False").await;
    report("b", "True").await;
    until("condition_status", &[&series("a", "False"), &series("b", "True")]).await;
    report("a", "True").await;
    until("condition_status", &[&series("a", "True"), &series("b", "True")]).await;
    let counted = lines(&metrics, "condition_transitions_total");
    assert!(counted.contains(&series("a", "True")), "{counted:?}");

    server.faults().add(Rule::new(Effect::DropEvent).verb(Verb::Watch).kind("Node").next_calls(1));
    nodes.delete("b", &DeleteParams::default()).await.unwrap();
    server.compact();
    server.close_watches();
    report("a", "Unknown").await;
    until("condition_status", &[&series("a", "Unknown")]).await;
    let again: Vec<_> = lines(&metrics, "condition_transitions_total");
    let before = counted.iter().filter(|line| line.contains("\"a\""));
    let mut expected: Vec<_> = before.cloned().chain([series("a", "Unknown")]).collect();
    expected.sort();
    assert_eq!(again, expected);
    task.abort();
}
