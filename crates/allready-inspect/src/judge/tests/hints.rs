//! Hints, and objects that give none.

use serde_json::{Value, json};

use super::known::{now, object};
use crate::judge::{Hint, Rule, hints};

fn found(version: &str, kind: &str, parts: &Value) -> Vec<Hint> {
    hints(&object(version, kind, parts), now())
}

fn only(version: &str, kind: &str, parts: &Value) -> Hint {
    let mut found = found(version, kind, parts);
    assert_eq!(found.len(), 1, "{kind} {parts}");
    found.remove(0)
}

#[test]
fn a_container_that_is_killed_again_and_again_is_told_while_it_runs() {
    let of = |state: Value, count: u32, reason: &str, ended: &str| {
        let last = json!({"terminated": {"reason": reason, "exitCode": 137, "finishedAt": ended}});
        let fine = json!({"name": "proxy", "restartCount": 0, "state": {"running": {}}});
        let app = json!({"name": "app", "restartCount": count, "state": state, "lastState": last});
        json!({"status": {"phase": "Running", "containerStatuses": [fine, app]}})
    };
    let (lately, running) = ("2026-03-01T09:30:00Z", json!({"running": {}}));
    let hint = only("v1", "Pod", &of(running.clone(), 40, "OOMKilled", lately));
    assert_eq!((hint.rule, hint.reason.as_str()), (Rule::RestartsOften, "OOMKilled"));
    assert_eq!(hint.message, "container app was restarted 40 times, last by OOMKilled");
    assert_eq!(hint.field, "status.containerStatuses[app].lastState.terminated");
    assert_eq!(hint.since.unwrap().to_string(), lately);
    assert_eq!(only("v1", "Pod", &of(running.clone(), 5, "Error", lately)).reason, "Error");
    for none in [
        of(running.clone(), 4, "OOMKilled", lately),
        of(running.clone(), 40, "Completed", lately),
        of(running, 40, "OOMKilled", "2026-03-01T08:59:00Z"),
        of(json!({"waiting": {"reason": "CrashLoopBackOff"}}), 40, "OOMKilled", lately),
    ] {
        assert_eq!(found("v1", "Pod", &none), [], "{none}");
    }
}

#[test]
fn a_quota_that_is_used_up_refuses_the_next_one() {
    let of = |hard: Value, used: Value| json!({"status": {"hard": hard, "used": used}});
    let full = |hard: Value, used: Value| only("v1", "ResourceQuota", &of(hard, used)).message;
    let hint = only(
        "v1",
        "ResourceQuota",
        &of(json!({"pods": "10", "cpu": "4"}), json!({"pods": "10", "cpu": "3900m"})),
    );
    assert_eq!((hint.rule, hint.field.as_str()), (Rule::QuotaExhausted, "status.used"));
    assert_eq!(hint.message, "pods 10/10: the next one is refused");
    assert_eq!(
        full(json!({"requests.memory": "4Gi"}), json!({"requests.memory": "4096Mi"})),
        "requests.memory 4096Mi/4Gi: what asks for more is refused"
    );
    assert_eq!(
        full(json!({"pods": "10", "secrets": "3"}), json!({"pods": "11", "secrets": "3"})),
        "pods 11/10, secrets 3/3: what asks for more is refused"
    );
    let many: Value =
        (0..8).map(|n| (format!("count/r{n}"), json!("1"))).collect::<serde_json::Map<_, _>>().into();
    assert!(full(many.clone(), many).contains("count/r4 1/1, 3 more: "));
    for none in [
        of(json!({"pods": "10"}), json!({"pods": "9"})),
        of(json!({"services.loadbalancers": "0"}), json!({"services.loadbalancers": "0"})),
        of(json!({"pods": "10"}), json!({})),
        of(json!({"pods": "many"}), json!({"pods": "10"})),
        json!({"spec": {"hard": {"pods": "10"}}}),
    ] {
        assert_eq!(found("v1", "ResourceQuota", &none), [], "{none}");
    }
}

#[test]
fn a_budget_that_allows_no_disruption_blocks_a_drain() {
    let of = |allowed: u32, expected: u32, current: u32| {
        let allowance = json!({"type": "DisruptionAllowed", "status": "False", "reason": "InsufficientPods",
            "lastTransitionTime": "2026-03-01T09:00:00Z"});
        json!({"status": {"disruptionsAllowed": allowed, "expectedPods": expected, "currentHealthy": current,
            "desiredHealthy": 2, "conditions": [allowance]}})
    };
    let hint = only("policy/v1", "PodDisruptionBudget", &of(0, 2, 2));
    assert_eq!(hint.rule, Rule::BlocksEviction);
    assert_eq!(hint.message, "no disruption is allowed: a drain of its nodes will wait");
    assert_eq!(hint.since.unwrap().to_string(), "2026-03-01T09:00:00Z");
    for none in [of(1, 3, 3), of(0, 0, 2), of(0, 2, 1), json!({"status": {}})] {
        assert_eq!(found("policy/v1", "PodDisruptionBudget", &none), [], "{none}");
    }
}

#[test]
fn an_autoscaler_that_needs_more_than_its_maximum_says_so() {
    let of = |current: u32, status: &str, reason: &str| {
        let limited = json!({"type": "ScalingLimited", "status": status, "reason": reason,
            "lastTransitionTime": "2026-03-01T09:00:00Z"});
        json!({"spec": {"maxReplicas": 10}, "status": {"currentReplicas": current, "conditions": [limited]}})
    };
    let hint = only("autoscaling/v2", "HorizontalPodAutoscaler", &of(10, "True", "TooManyReplicas"));
    assert_eq!((hint.rule, hint.field.as_str()), (Rule::AtMaximum, "status.conditions[ScalingLimited]"));
    assert_eq!(hint.message, "more than its maximum of 10 replicas are needed, so that it does not scale up");
    assert_eq!(hint.since.unwrap().to_string(), "2026-03-01T09:00:00Z");
    for none in [
        of(9, "True", "TooManyReplicas"),
        of(10, "True", "TooFewReplicas"),
        of(10, "False", "DesiredWithinRange"),
    ] {
        assert_eq!(found("autoscaling/v2", "HorizontalPodAutoscaler", &none), [], "{none}");
    }
}

#[test]
fn a_certificate_that_nobody_renews_expires() {
    let of = |status: Value| json!({"status": status});
    let hint = only("example.com/v1", "Certificate", &of(json!({"notAfter": "2026-03-05T10:00:00Z"})));
    assert_eq!((hint.rule, hint.reason.as_str(), hint.since), (Rule::Expires, "Expires", None));
    assert_eq!(hint.message, "it expires at 2026-03-05T10:00:00Z, and has not been renewed");
    let past = only("example.com/v1", "Certificate", &of(json!({"notAfter": "2026-03-01T09:00:00Z"})));
    assert_eq!(
        (past.reason.as_str(), past.since.unwrap().to_string().as_str()),
        ("Expired", "2026-03-01T09:00:00Z")
    );
    let late = json!({"notAfter": "2026-03-05T10:00:00Z", "renewalTime": "2026-02-20T10:00:00Z"});
    assert_eq!(found("example.com/v1", "Certificate", &of(late)).len(), 1);
    for none in [
        json!({"notAfter": "2026-03-09T10:00:00Z"}),
        json!({"notAfter": "2026-03-05T10:00:00Z", "renewalTime": "2026-03-04T10:00:00Z"}),
        json!({"notAfter": "2026-03-02T04:00:00Z", "notBefore": "2026-03-01T04:00:00Z"}),
        json!({"notAfter": "soon"}),
        json!({"notAfter": "1970-01-01T00:00:00Z"}),
    ] {
        assert_eq!(found("example.com/v1", "Certificate", &of(none.clone())), [], "{none}");
    }
}

#[test]
fn an_object_that_is_being_deleted_and_what_is_no_object_give_no_hint() {
    let leaving = json!({"metadata": {"deletionTimestamp": "2026-03-01T09:00:00Z"}, "status": {"notAfter": "2026-03-01T09:00:00Z"}});
    assert_eq!(found("example.com/v1", "Certificate", &leaving), []);
    for odd in [json!(null), json!([]), json!({"kind": "Pod", "status": 3}), json!("x")] {
        assert_eq!(hints(&odd, now()), [], "{odd}");
    }
}
