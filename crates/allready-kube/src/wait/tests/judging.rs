//! What counts, by tables.

use allready_core::{Status, Time};
use kube::{
    core::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::wait::Condition as KubeCondition,
};
use serde_json::{Value, json};

use crate::wait::*;

fn object(status: &Value) -> Value {
    json!({ "metadata": { "generation": 3, "uid": "u" }, "status": status })
}

fn with(conditions: &Value) -> Value {
    object(&json!({ "conditions": conditions }))
}

fn described(expectation: impl Into<Expectation>, object: &Value) -> String {
    let now: Time = "2026-03-01T10:00:12Z".parse().unwrap();
    match expectation.into().judge(object) {
        Verdict::Met(_) => "met".to_owned(),
        Verdict::Waiting(pending) => pending.describe(now),
        Verdict::Failed(conditions) => {
            format!("failed: {}", conditions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
        }
    }
}

#[test]
fn a_condition_counts_by_status_reason_and_generation() {
    let ready = |fields: Value| {
        let mut condition = json!({ "type": "Ready", "status": "True" });
        condition.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        with(&json!([condition]))
    };
    let plain = has_condition("Ready");
    let full = json!({ "status": "False", "reason": "DiskFull", "message": "disk sda is full",
        "lastTransitionTime": "2026-03-01T10:00:00Z" });
    for (expectation, object, expected) in [
        (plain.clone(), ready(json!({})), "met"),
        (plain.clone(), with(&json!([])), "Ready is not reported"),
        (plain.clone(), object(&json!({})), "Ready is not reported"),
        (plain.clone(), json!({}), "Ready is not reported"),
        (plain.clone(), json!(null), "Ready is not reported"),
        (plain.clone(), ready(full), "Ready is False (DiskFull: disk sda is full) for 12s, not True"),
        (plain.clone(), ready(json!({ "status": "true" })), "met"),
        (plain.clone(), ready(json!({ "status": "maybe" })), "Ready is Unknown, not True"),
        (plain.clone().is_false(), ready(json!({ "status": "False" })), "met"),
        (plain.clone().any_status(), ready(json!({ "status": "Unknown" })), "met"),
        (plain.clone().status(Status::Unknown), ready(json!({})), "Ready is True, not Unknown"),
        (plain.clone().reason("Ok"), ready(json!({ "reason": "Ok" })), "met"),
        (plain.clone().reason("Ok").reason("Fine"), ready(json!({ "reason": "Fine" })), "met"),
        (
            plain.clone().reason("Ok").reason("Fine"),
            ready(json!({ "reason": "Poor" })),
            "Ready is True (Poor), but its reason is not Ok or Fine",
        ),
        (plain.clone(), ready(json!({ "observedGeneration": 3 })), "met"),
        (plain.clone(), ready(json!({ "observedGeneration": 4 })), "met"),
        (
            plain.clone(),
            ready(json!({ "observedGeneration": 2 })),
            "Ready is True, but about generation 2, and the object is at 3",
        ),
        (plain.clone().any_generation(), ready(json!({ "observedGeneration": 2 })), "met"),
        (plain.clone().current(), ready(json!({ "observedGeneration": 3 })), "met"),
        (
            plain.clone().current(),
            ready(json!({})),
            "Ready is True, but does not say whether that is about generation 3",
        ),
        (
            plain.clone().current(),
            ready(json!({ "observedGeneration": 0 })),
            "Ready is True, but does not say whether that is about generation 3",
        ),
    ] {
        assert_eq!(described(expectation.clone(), &object), expected, "{expectation:?} on {object}");
    }
}

#[test]
fn the_generation_of_the_status_stands_in_for_that_of_the_condition() {
    let list = |condition: Option<i64>| json!([{ "type": "Ready", "status": "True", "observedGeneration": condition }]);
    for (of_condition, of_status, expected) in [
        (None, Some(3), "met"),
        (None, Some(2), "Ready is True, but about generation 2, and the object is at 3"),
        (Some(3), Some(2), "met"),
        (Some(2), Some(3), "Ready is True, but about generation 2, and the object is at 3"),
    ] {
        let object = object(&json!({ "observedGeneration": of_status, "conditions": list(of_condition) }));
        assert_eq!(described(has_condition("Ready"), &object), expected, "{object}");
        let strict = described(has_condition("Ready").current(), &object);
        assert_eq!(strict, expected, "{object}");
    }
    let without =
        json!({ "metadata": {}, "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    assert_eq!(described(has_condition("Ready").current(), &without), "met", "a kind without generations");
}

#[test]
fn a_type_that_is_listed_twice_counts_only_if_both_do() {
    let twice = |second: &str| {
        with(&json!([{ "type": "Ready", "status": "True" }, { "type": "Ready", "status": second }]))
    };
    assert_eq!(described(has_condition("Ready"), &twice("True")), "met");
    assert_eq!(described(has_condition("Ready"), &twice("False")), "Ready is False, not True");
}

#[test]
fn several_are_put_together() {
    let both = with(&json!([{ "type": "A", "status": "True" }, { "type": "B", "status": "False" }]));
    let types = |types: [&'static str; 2]| types.map(has_condition);
    for (expectation, expected) in [
        (all_of(types(["A", "A"])), "met"),
        (all_of(types(["A", "B"])), "B is False, not True"),
        (all_of(types(["B", "C"])), "B is False, not True; C is not reported"),
        (any_of(types(["A", "B"])), "met"),
        (any_of(types(["B", "C"])), "B is False, not True or C is not reported"),
        (
            all_of([any_of(types(["B", "C"])), has_condition("D").into()]),
            "(B is False, not True or C is not reported); D is not reported",
        ),
        (has_condition("B").or_else(has_condition("A")), "met"),
        (has_condition("A").and_also(has_condition("B")), "B is False, not True"),
        (all_of::<Expectation>([]), "nothing was asked for"),
        (any_of::<Expectation>([]), "nothing was asked for"),
    ] {
        assert_eq!(described(expectation.clone(), &both), expected, "{expectation:?}");
    }
}

#[test]
fn a_terminal_condition_ends_it_unless_it_is_stale() {
    let stalled = |generation| {
        with(&json!([
            { "type": "Ready", "status": "True" },
            { "type": "Stalled", "status": "True", "reason": "Gone", "observedGeneration": generation },
        ]))
    };
    let ready = has_condition("Ready").unless(has_condition("Stalled"));
    assert_eq!(described(ready.clone(), &stalled(3)), "failed: Stalled is True (Gone)");
    assert_eq!(described(ready.clone(), &stalled(2)), "met", "it stalled over what was asked for before");
    let hopeless = has_condition("Ready").is_false().unless(has_condition("Stalled"));
    let hopeful = has_condition("Ready");
    assert_eq!(described(any_of([hopeless.clone(), hopeful.clone().into()]), &stalled(3)), "met");
    assert_eq!(
        described(any_of([hopeless.clone(), has_condition("C").into()]), &stalled(3)),
        "C is not reported",
        "the other may still come"
    );
    assert_eq!(
        described(any_of([hopeless.clone(), ready]), &stalled(3)),
        "failed: Stalled is True (Gone), Stalled is True (Gone)"
    );
    assert_eq!(described(all_of([hopeless, hopeful.into()]), &stalled(3)), "failed: Stalled is True (Gone)");
}

#[test]
fn lists_within_lists_count_all_or_one() {
    let list = |status: &str| json!([{ "type": "Programmed", "status": status }]);
    let gateway = |first: &str, second: &str| {
        object(&json!({ "listeners": [
            { "name": "http", "conditions": list(first) }, { "name": "https", "conditions": list(second) },
        ] }))
    };
    let path = || "status.listeners[].conditions".parse::<ListPath>().unwrap();
    let (every, some) =
        (has_condition("Programmed").in_every(path()), has_condition("Programmed").in_some(path()));
    for (object, of_every, of_some) in [
        (gateway("True", "True"), "met", "met"),
        (gateway("True", "False"), "listeners[https]: Programmed is False, not True", "met"),
        (
            gateway("False", "False"),
            "listeners[http]: Programmed is False, not True; listeners[https]: Programmed is False, not True",
            "listeners[http]: Programmed is False, not True or listeners[https]: Programmed is False, not True",
        ),
        (
            object(&json!({ "listeners": [] })),
            "status.listeners[].conditions: Programmed is not reported",
            "status.listeners[].conditions: Programmed is not reported",
        ),
    ] {
        assert_eq!(described(every.clone(), &object), of_every, "{object}");
        assert_eq!(described(some.clone(), &object), of_some, "{object}");
    }
}

#[test]
fn it_works_where_kube_takes_a_condition() {
    let pools = ApiResource::from_gvk(&GroupVersionKind::gvk("net.example", "v1", "Pool"));
    let pool = DynamicObject::new("a", &pools)
        .data(json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } }));
    assert!(has_condition("Ready").matches_object(Some(&pool)));
    assert!(Expectation::from(has_condition("Ready")).matches_object(Some(&pool)));
    assert!(!has_condition("Ready").matches_object(None::<&DynamicObject>));
    let not = KubeCondition::<DynamicObject>::not(has_condition("Ready"));
    assert!(!not.matches_object(Some(&pool)));
}

#[test]
fn a_long_message_is_told_in_part() {
    let long = with(&json!([{ "type": "Ready", "status": "False", "message": "ü".repeat(5000) }]));
    let told = described(has_condition("Ready"), &long);
    assert!(told.len() < 400 && told.contains("[cut, was 10000 bytes]"), "{told}");
}

#[test]
fn a_condition_from_a_schema_default_is_as_old_as_its_object() {
    let object = json!({
        "metadata": { "creationTimestamp": "2026-03-01T10:00:00Z" },
        "status": { "conditions": [
            { "type": "Accepted", "status": "Unknown", "reason": "Pending", "lastTransitionTime": "1970-01-01T00:00:00Z" },
        ] },
    });
    let Verdict::Waiting(pending) = has_condition("Accepted").judge(&object) else { panic!("it is pending") };
    let now = "2026-03-01T10:00:30Z".parse().unwrap();
    assert_eq!(pending.describe(now), "Accepted is Unknown (Pending) for 30s, not True");
}
