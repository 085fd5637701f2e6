//! What holds for every object that is well, and for every order in which things are said.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::known::now;
use crate::registry::Registry;
use crate::{
    health::Health,
    judge::{Verdict, judge},
};

fn verdict(object: &Value) -> Verdict {
    judge(object, Registry::builtin(), now())
}

/// Fields that are no bad news, some of them good.
fn calm() -> impl Strategy<Value = Map<String, Value>> {
    let field = prop::sample::select(vec![
        ("phase", json!("Running")),
        ("state", json!("Healthy")),
        ("replicas", json!(3)),
        ("readyReplicas", json!(3)),
        ("message", json!("all is well")),
        ("errorCount", json!(0)),
        ("lastError", json!("")),
        ("progress", json!("100%")),
        ("members", json!([{"name": "a", "state": "Ready"}, {"name": "b", "state": "Ready"}])),
        ("parts", json!({"web": {"observedGeneration": 2, "generation": 2, "ready": 2, "size": 2}})),
        ("endpoint", json!("https://192.0.2.1")),
        ("failedNodes", json!([])),
        ("observedGeneration", json!(3)),
        ("ready", json!(true)),
    ]);
    prop::collection::vec(field, 0..6)
        .prop_map(|fields| fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

/// An object of nobody's kind that says that it is well.
fn well() -> impl Strategy<Value = Value> {
    let more = prop::sample::select(&["", "Synced", "DatabaseReady", "Scheduled", "Accepted"][..]);
    (calm(), more, "Ready|Available").prop_map(|(mut status, more, summary)| {
        let mut conditions = vec![json!({"type": summary, "status": "True", "reason": "AllGood"})];
        if !more.is_empty() {
            conditions.push(json!({"type": more, "status": "True", "reason": more}));
        }
        status.insert("conditions".to_owned(), conditions.into());
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "x", "generation": 3},
            "spec": {"replicas": 3}, "status": status})
    })
}

/// One thing that is not well, whoever says it: what to put where.
fn red() -> impl Strategy<Value = (&'static str, Value)> {
    let failed = json!({"type": "Ready", "status": "False", "reason": "DiskFailed"});
    prop::sample::select(vec![
        ("/status/error", json!("no such host")),
        ("/status/lastErrorMessage", json!("no such host")),
        ("/status/lastFailureMessage", json!("no such host")),
        ("/status/errors", json!(["no such host"])),
        ("/status/errorCount", json!(2)),
        ("/status/consecutiveFailures", json!(1)),
        ("/status/failed", json!(true)),
        ("/status/healthy", json!(false)),
        ("/status/accepted", json!("false")),
        ("/status/phase", json!("Failed")),
        ("/status/phase", json!("Pending")),
        ("/status/health", json!("red")),
        ("/status/readyReplicas", json!(1)),
        ("/status/unavailableReplicas", json!(1)),
        ("/status/failedReplicas", json!(1)),
        ("/status/podsReady", json!("1/3")),
        ("/status/syncProgress", json!("40%")),
        ("/status/unhealthyNodes", json!(["a"])),
        ("/status/nodes", json!([{"name": "a", "state": "Ready"}, {"name": "b", "state": "Failed"}])),
        ("/status/nodes", json!({"a": "Ready", "b": "Failed"})),
        ("/status/db", json!({"ready": 1, "size": 3})),
        ("/status/db", json!({"observedGeneration": 1, "generation": 2})),
        ("/status/db", json!({"conditions": [failed]})),
        ("/status/db", json!({"errorCount": 1})),
        ("/status/db", json!({"conditions": {"Ready": false}})),
        ("/status/dbConditions", json!([failed])),
        ("/status/conditions/-", failed),
        ("/status/conditions/-", json!({"type": "Degraded", "status": "True"})),
        ("/status/conditions/-", json!({"type": "Degraded", "status": true})),
        ("/status/conditions/-", json!({"Type": "Degraded", "Status": "True"})),
        ("/status/conditions/-", json!({"type": "DatabaseReady", "status": "False"})),
        ("/status/conditions/-", json!({"type": "Stalled", "status": "True", "observedGeneration": 3})),
        ("/status/observedGeneration", json!(2)),
        ("/status/observedGeneration", json!("2")),
        ("/metadata/labels", json!({"example.com/upgrade-state": "failed"})),
        ("/metadata/deletionTimestamp", json!("2026-03-01T00:00:00Z")),
    ])
}

fn put(object: &mut Value, at: &str, value: Value) {
    let (parent, key) = at.rsplit_once('/').unwrap();
    match object.pointer_mut(parent).unwrap() {
        Value::Array(list) => {
            // The newest word of a type is the one that is said.
            list.retain(|one| one["type"] != value["type"]);
            list.push(value);
        }
        map => map[key] = value,
    }
}

/// Conditions that differ in everything that a controller chooses, some of them of one type.
fn conditions() -> impl Strategy<Value = Vec<Value>> {
    let type_ = prop::sample::select(
        &["Ready", "Available", "Degraded", "Progressing", "DatabaseReady", "Paused", "Weather"][..],
    );
    let status = prop::sample::select(&["True", "False", "Unknown", "odd"][..]);
    let reason =
        prop::sample::select(&["", "DiskFailed", "Creating", "NotYet", "AllGood", "Because", "Paused"][..]);
    let time = prop::sample::select(
        &["", "2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z", "2099-01-01T00:00:00Z"][..],
    );
    let one = (type_, status, reason, time).prop_map(|(type_, status, reason, time)| {
        json!({"type": type_, "status": status, "reason": reason, "lastTransitionTime": time})
    });
    prop::collection::vec(one, 1..6)
}

fn with(conditions: &[Value]) -> Value {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"generation": 1}, "status": {"conditions": conditions}})
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn one_red_thing_is_enough(mut object in well(), (at, value) in red()) {
        let before = verdict(&object);
        prop_assert_eq!(before.health, Health::Healthy, "{:?} {}", before, object);
        prop_assert!(!before.field.is_empty());
        put(&mut object, at, value);
        let after = verdict(&object);
        prop_assert_ne!(after.health, Health::Healthy, "{:?} {}", after, object);
    }

    #[test]
    fn a_summary_about_an_older_generation_is_never_green(mut object in well(), seen in 0..3_i64) {
        for condition in object["status"]["conditions"].as_array_mut().unwrap() {
            condition["observedGeneration"] = json!(seen);
        }
        prop_assert_ne!(verdict(&object).health, Health::Healthy, "{}", object);
    }

    #[test]
    fn the_order_of_conditions_does_not_matter((first, second) in conditions().prop_flat_map(|list| (Just(list.clone()), Just(list).prop_shuffle()))) {
        let (first, second) = (with(&first), with(&second));
        prop_assert_eq!(verdict(&first).health, verdict(&second).health, "{} {}", first, second);
    }

    #[test]
    fn the_order_of_parts_does_not_matter(states in prop::collection::vec("Ready|Failed|Pending|Stopped|odd", 1..5)) {
        let of = |states: &[String]| {
            let parts: Vec<Value> = states.iter().map(|state| json!({"state": state, "ready": state == "Ready"})).collect();
            verdict(&json!({"apiVersion": "example.com/v1", "kind": "Widget", "status": {"phase": "Ready", "parts": parts}})).health
        };
        let mut sorted = states.clone();
        sorted.sort();
        prop_assert_eq!(of(&states), of(&sorted));
    }
}
