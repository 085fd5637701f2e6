//! What holds for every object.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::known::now;
use crate::registry::Registry;
use crate::{
    health::Health,
    judge::{Rule, judge},
};

/// Words that mean something to one rule or another.
const WORDS: &[&str] = &[
    "Ready",
    "True",
    "False",
    "Unknown",
    "Failed",
    "Running",
    "Pending",
    "Degraded",
    "Available",
    "Progressing",
    "3/3",
    "1/3",
    "2026-03-01T09:00:00Z",
    "",
    "error",
    "no errors",
    "Paused",
    "Healthy",
    "Stalled",
    "Accepted",
    "\u{202e}",
    "ü",
];
const KEYS: &[&str] = &[
    "conditions",
    "phase",
    "state",
    "status",
    "type",
    "reason",
    "message",
    "observedGeneration",
    "replicas",
    "readyReplicas",
    "health",
    "listeners",
    "parents",
    "name",
    "errors",
    "ready",
    "error",
    "lastTransitionTime",
    "active",
    "paused",
    "suspend",
];
const KINDS: &[(&str, &str)] = &[
    ("example.com/v1", "Widget"),
    ("example.com/v1", "WidgetJob"),
    ("v1", "Pod"),
    ("apps/v1", "Deployment"),
    ("v1", "Node"),
    ("batch/v1", "Job"),
    ("gateway.networking.k8s.io/v1", "Gateway"),
    ("argoproj.io/v1alpha1", "Rollout"),
    ("autoscaling/v2", "HorizontalPodAutoscaler"),
    ("apps/v1", "StatefulSet"),
    ("rds.aws.crossplane.io/v1", "DBInstance"),
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2..5_i64).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(WORDS).prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(KEYS), inner), 0..6).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
            }),
        ]
    })
}

fn map() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((prop::sample::select(KEYS), value()), 0..7)
        .prop_map(|pairs| pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn object() -> impl Strategy<Value = Value> {
    (prop::sample::select(KINDS), map(), map(), map()).prop_map(|((version, kind), metadata, spec, status)| {
        json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec, "status": status})
    })
}

fn condition() -> impl Strategy<Value = Value> {
    let word = || prop::sample::select(WORDS);
    let severity = prop::sample::select(&["", "Info", "Error"][..]);
    (word(), word(), word(), word(), severity).prop_map(|(type_, status, reason, message, severity)| {
        json!({"type": type_, "status": status, "reason": reason, "message": message, "severity": severity})
    })
}

/// An object of a kind without a rule of its own, with a list of conditions.
fn conditioned() -> impl Strategy<Value = Value> {
    (map(), map(), prop::collection::vec(condition(), 0..6)).prop_map(|(spec, mut status, conditions)| {
        status.insert("conditions".to_owned(), conditions.into());
        json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"generation": 1}, "spec": spec,
            "status": status})
    })
}

fn health(object: &Value) -> Health {
    judge(object, Registry::builtin(), now()).health
}

/// Puts a condition into the list in the place of all others of its type.
fn put(object: &mut Value, condition: Value) {
    let list = object["status"]["conditions"].as_array_mut().unwrap();
    list.retain(|one| one["type"] != condition["type"]);
    list.push(condition);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn nothing_makes_it_panic_and_what_is_healthy_says_why(object in object()) {
        let verdict = judge(&object, Registry::builtin(), now());
        let is_declared = matches!(verdict.rule, Rule::NoStatusByDesign | Rule::DeclaredSign);
        prop_assert!(verdict.health != Health::Healthy || is_declared || !verdict.field.is_empty());
    }

    #[test]
    fn no_json_makes_it_panic(value in value()) {
        judge(&value, Registry::builtin(), now());
        crate::judge::kstatus::compute(&value, now());
    }

    #[test]
    fn what_is_being_deleted_is_not_healthy(mut object in object()) {
        object["metadata"]["deletionTimestamp"] = json!("2026-03-01T00:00:00Z");
        prop_assert_ne!(health(&object), Health::Healthy);
    }

    #[test]
    fn what_is_behind_its_generation_is_not_healthy(mut object in conditioned()) {
        object["metadata"]["generation"] = json!(3);
        object["status"]["observedGeneration"] = json!(2);
        prop_assert_ne!(health(&object), Health::Healthy);
    }

    #[test]
    fn a_summary_that_is_not_true_is_never_green(mut object in conditioned(), status in "False|Unknown|false|", reason in prop::sample::select(WORDS), severity in "Info|Error|") {
        put(&mut object, json!({"type": "Ready", "status": status, "reason": reason, "severity": severity}));
        prop_assert_ne!(health(&object), Health::Healthy, "{}", object);
    }

    #[test]
    fn a_bad_condition_that_is_true_is_never_green(mut object in conditioned(), type_ in "Stalled|Degraded|DiskPressure|NotReady") {
        put(&mut object, json!({"type": type_, "status": "True", "reason": "Because"}));
        prop_assert_ne!(health(&object), Health::Healthy, "{}", object);
    }

    #[test]
    fn more_trouble_is_seen_unless_it_rests_or_is_about_an_older_wish(mut object in conditioned()) {
        put(&mut object, json!({"type": "DiskBroken", "status": "True", "reason": "Because"}));
        let verdict = judge(&object, Registry::builtin(), now());
        let is_excused = verdict.health == Health::Suspended || matches!(verdict.rule, Rule::GenerationBehind | Rule::ConditionBehind);
        prop_assert!(verdict.health == Health::Degraded || is_excused, "{:?} {}", verdict, object);
    }
}
