//! Taking over from children: never more than the child itself can vouch for.

use serde_json::{Value, json};

use super::{at, condition, says};
use crate::{ConditionSet, Generation, Polarity, Status, condition::find, rollup::Input, set::At};

/// What a child makes of a normal-true and of an abnormal-true condition.
fn propagated(child: Option<&Value>) -> (Status, Status, String, String) {
    let set: ConditionSet = "Ready: Child, !ChildLost".parse().unwrap();
    let mut list = vec![];
    let mut pass = set.pass(&mut list, At::new(9u32, at(1)));
    pass.propagate_object("Child", child).unwrap();
    pass.propagate_object("ChildLost", child).unwrap();
    pass.finish();
    let (child, gone) = (find(&list, "Child").unwrap(), find(&list, "ChildLost").unwrap());
    (child.status, gone.status, child.reason.to_string(), child.message.to_string())
}

fn child(status: &Value) -> Value {
    json!({"kind": "Gateway", "metadata": {"name": "web", "generation": 2}, "status": status})
}

#[test]
fn a_child_counts_with_its_standing_under_either_polarity() {
    let ready = child(
        &json!({"observedGeneration": 2, "conditions": [{"type": "Ready", "status": "True", "reason": "Up"}]}),
    );
    assert_eq!(propagated(Some(&ready)), (Status::True, Status::False, "Up".into(), String::new()));
    let done = child(&json!({"conditions": [
        {"type": "Succeeded", "status": "False", "reason": "Exit1", "message": "it fell", "observedGeneration": 2}
    ]}));
    assert_eq!(propagated(Some(&done)), (Status::False, Status::True, "Exit1".into(), "it fell".into()));
}

#[test]
fn a_child_that_cannot_vouch_for_itself_is_unknown() {
    let stale_condition =
        json!({"conditions": [{"type": "Ready", "status": "True", "reason": "Up", "observedGeneration": 1}]});
    let stale_status =
        json!({"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True", "reason": "Up"}]});
    let no_top = json!({"conditions": [{"type": "Synced", "status": "True", "reason": "Up"}]});
    let mut deleting = child(&json!({"conditions": [{"type": "Ready", "status": "True", "reason": "Up"}]}));
    deleting["metadata"]["deletionTimestamp"] = json!("2026-03-01T10:00:00Z");
    let cases = [
        (None, "NotFound", "the object does not exist yet"),
        (
            Some(child(&stale_condition)),
            "LatestGenerationNotObserved",
            "Gateway/web speaks of its generation 1, and is at generation 2",
        ),
        (
            Some(child(&stale_status)),
            "LatestGenerationNotObserved",
            "Gateway/web speaks of its generation 1, and is at generation 2",
        ),
        (
            Some(child(&no_top)),
            "AwaitingReconciliation",
            "Gateway/web has not reported Ready or Succeeded yet",
        ),
        (
            Some(child(&Value::Null)),
            "AwaitingReconciliation",
            "Gateway/web has not reported Ready or Succeeded yet",
        ),
        (
            Some(json!("not an object")),
            "AwaitingReconciliation",
            "the object has not reported Ready or Succeeded yet",
        ),
        (Some(deleting), "Deleting", "Gateway/web is being deleted"),
    ];
    for (child, reason, message) in cases {
        let expected = (Status::Unknown, Status::Unknown, reason.to_owned(), message.to_owned());
        assert_eq!(propagated(child.as_ref()), expected);
    }
}

#[test]
fn of_a_top_condition_that_is_there_twice_the_worse_counts() {
    let twice = json!({"conditions": [
        {"type": "Ready", "status": "True", "reason": "Member1"},
        {"type": "Ready", "status": "False", "reason": "Member2"},
    ]});
    assert_eq!(propagated(Some(&child(&twice))).0, Status::False);
}

#[test]
fn a_stale_condition_is_propagated_as_unknown() {
    let set: ConditionSet = "Ready: Child".parse().unwrap();
    let mut list = vec![];
    let mut pass = set.pass(&mut list, At::new(9u32, at(1)));
    let ready = condition("Ready", Status::True, "Up", 1).observed(1);
    pass.propagate("Child", Input::from(&ready).against(Generation::from(2)), Polarity::NormalTrue).unwrap();
    pass.finish();
    assert_eq!(says(&list, "Child"), (Status::Unknown, "LatestGenerationNotObserved"));
}

#[test]
fn bad_news_of_a_child_is_bad_news_under_either_polarity() {
    let set: ConditionSet = "Ready: Child, !ChildLost".parse().unwrap();
    let degraded = condition("Degraded", Status::True, "DiskFull", 1);
    let mut list = vec![];
    let mut pass = set.pass(&mut list, At::new(1u32, at(1)));
    pass.propagate("Child", &degraded, Polarity::AbnormalTrue).unwrap();
    pass.propagate("ChildLost", &degraded, Polarity::AbnormalTrue).unwrap();
    pass.finish();
    assert_eq!(says(&list, "Child"), (Status::False, "DiskFull"));
    assert_eq!(says(&list, "ChildLost"), (Status::True, "DiskFull"));
    assert_eq!(says(&list, "Ready"), (Status::False, "DiskFull"));
}

#[test]
fn of_two_good_top_conditions_the_outdated_one_counts_in_any_order() {
    let ready = |generation: u32| json!({"type": "Ready", "status": "True", "reason": "Up", "observedGeneration": generation});
    for (first, second) in [(1, 2), (2, 1)] {
        let twice = child(&json!({"conditions": [ready(first), ready(second)]}));
        assert_eq!(propagated(Some(&twice)).2, "LatestGenerationNotObserved");
    }
}

#[test]
fn unlike_cluster_apis_mirror_what_is_taken_over_has_the_time_at_which_this_object_said_so() {
    let set: ConditionSet = "Ready: Child".parse().unwrap();
    let mut list = vec![];
    for (second, status) in [(20, Status::False), (30, Status::False), (40, Status::True)] {
        let mut pass = set.pass(&mut list, At::new(9u32, at(second)));
        pass.propagate("Child", &condition("Ready", status, "Because", 10), Polarity::NormalTrue).unwrap();
        pass.finish();
        let child = find(&list, "Child").unwrap();
        let expected = if status == Status::False { 20 } else { 40 };
        assert_eq!((child.status, child.reason.as_str()), (status, "Because"));
        assert_eq!(child.last_transition_time, at(expected));
        assert_eq!(child.observed_generation, Some(Generation::from(9)), "not the child's");
    }
}

#[test]
fn a_child_that_gives_no_reason_is_taken_over_with_one_that_says_so() {
    let silent = child(&json!({"conditions": [{"type": "Ready", "status": "False", "message": "no disk"}]}));
    let expected = (Status::False, Status::True, "Unspecified".to_owned(), "no disk".to_owned());
    assert_eq!(propagated(Some(&silent)), expected);
}
