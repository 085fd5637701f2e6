//! One rule at a time.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::known::{now, object, widget};
use crate::registry::{Registry, read};
use crate::{
    health::Health,
    judge::{
        Lag, Rule,
        hints::HINTS,
        judge,
        order::{DOUBTS, SIGNALS, STEPS},
    },
};

#[test]
fn every_rule_has_an_id_of_its_own() {
    let ids: BTreeSet<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    assert_eq!(ids.len(), Rule::ALL.len());
}

#[test]
fn every_rule_belongs_to_a_step() {
    let steps = STEPS.iter().map(|(rules, _)| rules);
    let all =
        steps.chain(SIGNALS.iter().map(|(rules, _)| rules)).chain(DOUBTS.iter().map(|(rules, _)| rules));
    let hints = HINTS.iter().map(|(rule, _)| *rule);
    let asked: BTreeSet<Rule> = all.copied().flatten().copied().chain(hints).collect();
    let missing: Vec<&Rule> =
        Rule::ALL.iter().filter(|rule| !asked.contains(rule) && !rule.is_related()).collect();
    let before_any_step = [
        &Rule::NotAnObject,
        &Rule::Unreadable,
        &Rule::NotFound,
        &Rule::Kstatus,
        // It is about a namespace, in view of others.
        &Rule::WebhookUnavailable,
    ];
    assert_eq!(missing, before_any_step);
}

#[test]
fn rules_about_relations_have_ids_of_their_own() {
    for rule in Rule::ALL {
        assert_eq!(rule.is_related(), rule.id().starts_with('R'), "{rule}");
    }
}

#[test]
fn a_verdict_names_what_decided_and_since_when() {
    let verdict = widget(&json!({"status": {"conditions": [
        {"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-01T09:00:00Z"},
        {"type": "Degraded", "status": "True", "reason": "DiskFull", "message": "sda is full",
            "lastTransitionTime": "2026-03-01T09:30:00Z"}]}}));
    assert_eq!((verdict.health, verdict.rule), (Health::Degraded, Rule::ConditionAbnormal));
    assert_eq!(verdict.field, "status.conditions[Degraded]");
    assert_eq!((verdict.reason.as_str(), verdict.message.as_str()), ("DiskFull", "sda is full"));
    assert_eq!(verdict.since.unwrap().to_string(), "2026-03-01T09:30:00Z");
}

#[test]
fn a_nested_condition_is_named_by_its_path() {
    let parts = json!({"status": {"conditions": ["Accepted=True Accepted", "Programmed=True Programmed"],
        "listeners": [{"name": "web", "conditions": ["Accepted=True Accepted"]},
            {"name": "tls", "conditions": ["Accepted=True Accepted", "ResolvedRefs=False InvalidCertificateRef"]}]}});
    let gateway = object("gateway.networking.k8s.io/v1", "Gateway", &parts);
    let verdict = judge(&gateway, Registry::builtin(), now());
    assert_eq!(verdict.field, "status.listeners[tls].conditions[ResolvedRefs]");
    assert_eq!((verdict.health, verdict.rule), (Health::Degraded, Rule::ConditionFalse));
}

#[test]
fn a_deletion_and_a_silence_begin_when_the_object_says() {
    let leaving = widget(&json!({"metadata": {"deletionTimestamp": "2026-03-01T08:00:00Z",
        "finalizers": ["a.example/one", "b.example/two"]}}));
    assert_eq!(
        (leaving.rule, leaving.message.as_str()),
        (Rule::Deleting, "waits for the finalizers a.example/one, b.example/two")
    );
    assert_eq!(leaving.since.unwrap().to_string(), "2026-03-01T08:00:00Z");
    let silent = widget(&json!({"metadata": {"creationTimestamp": "2026-03-01T07:00:00Z"}}));
    assert_eq!((silent.rule, silent.health), (Rule::NoStatusYet, Health::Progressing));
    assert_eq!(silent.since.unwrap().to_string(), "2026-03-01T07:00:00Z");
}

#[test]
fn a_condition_from_the_default_of_a_schema_is_as_old_as_its_object() {
    let of = |time: &str, metadata: &Value| {
        let accepted =
            json!({"type": "Accepted", "status": "Unknown", "reason": "Pending", "lastTransitionTime": time});
        let parts = json!({"metadata": metadata, "status": {"conditions": [accepted]}});
        let verdict =
            judge(&object("gateway.networking.k8s.io/v1", "Gateway", &parts), Registry::builtin(), now());
        assert_eq!(verdict.reason, "Pending");
        verdict.since.map(|since| since.to_string())
    };
    let created = "2026-03-01T07:00:00Z";
    let metadata = json!({"name": "x", "creationTimestamp": created});
    for unset in ["1970-01-01T00:00:00Z", "1970-01-01T01:00:00+01:00", "0001-01-01T00:00:00Z"] {
        assert_eq!(of(unset, &metadata).as_deref(), Some(created));
        assert_eq!(of(unset, &json!({"name": "x"})), None, "nobody knows");
        assert_eq!(of(unset, &json!({"name": "x", "creationTimestamp": "1970-01-01T00:00:00Z"})), None);
    }
    assert_eq!(of("2026-03-01T08:00:00Z", &metadata).as_deref(), Some("2026-03-01T08:00:00Z"));
}

#[test]
fn a_lag_is_told_at_both_levels() {
    let behind = Some(Lag { observed: 1, generation: 2 });
    let at_top = widget(
        &json!({"metadata": {"generation": 2}, "status": {"observedGeneration": 1, "phase": "Ready"}}),
    );
    assert_eq!((at_top.rule, at_top.lag), (Rule::GenerationBehind, behind));
    let in_text = widget(
        &json!({"metadata": {"generation": 2}, "status": {"observedGeneration": "1", "phase": "Ready"}}),
    );
    assert_eq!((in_text.rule, in_text.lag), (Rule::GenerationBehind, behind));
    let in_condition = widget(&json!({"metadata": {"generation": 2},
        "status": {"conditions": [{"type": "Ready", "status": "True", "observedGeneration": 1}]}}));
    assert_eq!((in_condition.rule, in_condition.lag), (Rule::ConditionBehind, behind));
    let ahead = widget(
        &json!({"metadata": {"generation": 1}, "status": {"observedGeneration": 2, "phase": "Ready"}}),
    );
    assert_eq!(
        (ahead.health, ahead.lag),
        (Health::Healthy, None),
        "another object was seen, but not an older one"
    );
}

#[test]
fn errors_beside_a_condition_are_findings_whatever_its_status_says() {
    let verdict = widget(
        &json!({"status": {"conditions": [{"type": "Valid", "status": "True", "reason": "Valid",
        "errors": [{"type": "TLSError", "status": "True", "reason": "SecretNotValid", "message": "no such secret"}]}]}}),
    );
    assert_eq!((verdict.health, verdict.rule), (Health::Degraded, Rule::ConditionErrors));
    assert_eq!((verdict.reason.as_str(), verdict.message.as_str()), ("SecretNotValid", "no such secret"));
    let warned = widget(
        &json!({"status": {"conditions": [{"type": "Valid", "status": "True", "reason": "Valid",
        "errors": [], "warnings": [{"type": "Old", "status": "True", "reason": "Deprecated", "message": "use v1"}]}]}}),
    );
    assert_eq!(warned.health, Health::Healthy);
}

#[test]
fn of_several_errors_the_first_is_told_and_the_others_are_counted() {
    let with = |errors: Value, message: &str| {
        let condition = json!({"type": "Valid", "status": "False", "reason": "ErrorPresent", "message": message, "errors": errors});
        let verdict = widget(&json!({"status": {"conditions": [condition]}}));
        (verdict.reason, verdict.message)
    };
    let error =
        |reason: &str, message: &str| json!({"type": "TLSError", "reason": reason, "message": message});
    let told = |reason: &str, message: &str| (reason.to_owned(), message.to_owned());
    let (first, second) =
        (error("SecretNotValid", "Secret cert not found"), error("PortConflict", "port 80 is taken"));
    let see = "see Errors for details";
    assert_eq!(with(json!([first]), see), told("SecretNotValid", "Secret cert not found"));
    assert_eq!(
        with(json!([first, second]), see),
        told("SecretNotValid", "1 of 2 errors: Secret cert not found")
    );
    let many = vec![first.clone(); 10_000];
    assert_eq!(with(json!(many), see).1, "1 of 10000 errors: Secret cert not found");
    let left_out = "5 errors, 1 warning\n4 errors, 1 warning not listed";
    assert_eq!(with(json!([first]), left_out).1, "1 of 5 errors: Secret cert not found");
    let folded = "2 errors, 1 warning\nerror listener/https InvalidCertificateRef: Secret default/cert not found\n\
        1 error, 1 warning not shown";
    assert_eq!(
        with(json!([]), folded),
        told("InvalidCertificateRef", "1 of 2 errors: listener/https: Secret default/cert not found")
    );
    assert_eq!(with(json!([]), "2 errors were found").1, "2 errors were found");
    assert_eq!(with(json!([]), "1 warning\nwarning whole Old: use v1").0, "ErrorPresent");
}

#[test]
fn nothing_is_healthy_while_a_condition_lists_an_error_of_any_shape() {
    for errors in [
        json!(3),
        json!("boom"),
        json!([null]),
        json!([7, "boom"]),
        json!({"a": {}}),
        json!([[]]),
        json!(true),
    ] {
        for (kind, type_, status) in [
            ("Widget", "Ready", "True"),
            ("Widget", "Fancy", "True"),
            ("Widget", "Degraded", "False"),
            ("Widget", "Progressing", "False"),
            ("Widget", "Paused", "True"),
            ("Widget", "Ready", "Unknown"),
        ] {
            let beside = json!({"type": type_, "status": status, "severity": "Info", "errors": errors});
            for conditions in [json!([beside]), json!([beside, "Available=True"])] {
                let found = object("example.com/v1", kind, &json!({"status": {"conditions": conditions}}));
                let verdict = judge(&found, Registry::builtin(), now());
                assert_eq!(
                    (verdict.health, verdict.rule),
                    (Health::Degraded, Rule::ConditionErrors),
                    "{found}"
                );
            }
        }
    }
    for none in [json!(0), json!(""), json!([]), json!({}), json!(null), json!(false)] {
        let ready = json!({"type": "Ready", "status": "True", "errors": none});
        assert_eq!(widget(&json!({"status": {"conditions": [ready]}})).health, Health::Healthy, "{none}");
    }
}

#[test]
fn an_end_with_errors_is_no_good_end() {
    let declared = json!([{"group": "example.com", "kind": "Widget", "endsByCondition": true}]);
    let registry = Registry::empty().with(read(&declared).unwrap());
    let complete = json!({"type": "Complete", "status": "True", "errors": ["boom"]});
    let object = object("example.com/v1", "Widget", &json!({"status": {"conditions": [complete]}}));
    let verdict = judge(&object, &registry, now());
    assert_eq!(
        (verdict.health, verdict.rule, verdict.message.as_str()),
        (Health::Degraded, Rule::ConditionErrors, "boom")
    );
}

#[test]
fn a_grace_makes_a_fresh_failure_an_activity() {
    let declared = json!([{"group": "example.com",
        "conditions": {"Ready": {"role": "summary", "bad": "Degraded", "grace": 60}}}]);
    let registry = Registry::empty().with(read(&declared).unwrap());
    let since = |time: &str| {
        let condition =
            json!({"type": "Ready", "status": "False", "reason": "Crashed", "lastTransitionTime": time});
        let object = object("example.com/v1", "Widget", &json!({"status": {"conditions": [condition]}}));
        judge(&object, &registry, now()).health
    };
    assert_eq!(since("2026-03-01T09:59:30Z"), Health::Progressing);
    assert_eq!(since("2026-03-01T09:58:00Z"), Health::Degraded);
}

#[test]
fn of_two_conditions_of_a_type_the_newer_one_speaks() {
    let both = |first: &str, second: &str| {
        widget(&json!({"status": {"conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": first},
            {"type": "Ready", "status": "False", "reason": "DiskFailed", "lastTransitionTime": second}]}}))
        .health
    };
    assert_eq!(both("2026-03-01T09:00:00Z", "2026-03-01T08:00:00Z"), Health::Healthy);
    assert_eq!(both("2026-03-01T08:00:00Z", "2026-03-01T09:00:00Z"), Health::Degraded);
}

#[test]
fn of_two_conditions_of_a_type_the_worse_one_speaks_where_no_time_tells() {
    let good = json!({"type": "Ready", "status": "True"});
    let bad = json!({"type": "Ready", "status": "False", "reason": "DiskFailed"});
    for list in [json!([good, bad]), json!([bad, good]), json!([good, bad, good])] {
        assert_eq!(widget(&json!({"status": {"conditions": list}})).health, Health::Degraded, "{list}");
    }
}

#[test]
fn a_status_that_cannot_be_read_in_full_is_never_healthy() {
    let many: Vec<Value> =
        (0..10_000).map(|n| json!({"type": format!("Part{n}Ready"), "status": "True"})).collect();
    let verdict = widget(&json!({"status": {"conditions": many}}));
    assert_eq!((verdict.health, verdict.rule), (Health::Unknown, Rule::TooLarge));
    let many: Vec<Value> = (0..100_000).map(|n| json!({"name": n, "state": "Ready"})).collect();
    assert_eq!(widget(&json!({"status": {"phase": "Ready", "members": many}})).rule, Rule::TooLarge);
}

#[test]
fn what_is_no_object_is_unknown() {
    for odd in [json!(null), json!([]), json!({}), json!({"kind": 1}), json!("x"), json!({"kind": ""})] {
        let verdict = judge(&odd, Registry::builtin(), now());
        assert_eq!((verdict.health, verdict.rule), (Health::Unknown, Rule::NotAnObject), "{odd}");
    }
}

#[test]
fn fields_of_any_shape_are_no_good_news() {
    for status in [
        json!([]),
        json!("Ready"),
        json!({"conditions": {"a": 1}}),
        json!({"conditions": [1, null, {"type": 1}, {"type": "Ready"}]}),
        json!({"conditions": [{"type": "Ready", "status": []}]}),
        json!({"phase": {}}),
        json!({"phase": ["Ready"]}),
    ] {
        let verdict = widget(&json!({"status": status}));
        assert_ne!(verdict.health, Health::Healthy, "{status}");
    }
}

#[test]
fn an_override_changes_a_verdict() {
    let mute = object("example.com/v1", "Widget", &json!({"spec": {}, "status": {"mood": "sulking"}}));
    assert_eq!(judge(&mute, Registry::builtin(), now()).rule, Rule::NotUnderstood);
    let declared = json!([{"group": "example.com", "kind": "Widget", "states": {"status.mood": {"sulking": "Degraded"}}}]);
    let registry = Registry::builtin().clone().with(read(&declared).unwrap());
    let verdict = judge(&mute, &registry, now());
    assert_eq!((verdict.health, verdict.field.as_str()), (Health::Degraded, "status.mood"));
}

#[test]
fn a_field_that_decides_is_told_with_the_time_of_the_condition_that_speaks_for_the_object() {
    let condition = |type_: &str, status: &str, second: u32| json!({"type": type_, "status": status, "lastTransitionTime": format!("2026-03-01T10:00:{second:02}Z")});
    let deployment = |available: &str, ready: u32| {
        judge(
            &json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a", "generation": 1}, "spec": {"replicas": 2},
                "status": {"observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "availableReplicas": ready, "conditions": [
                    condition("Progressing", "True", 1), condition("Available", available, 7)]}}),
            Registry::builtin(),
            now(),
        )
    };
    let short = deployment("False", 1);
    assert_eq!(
        (short.health, short.since.unwrap().to_string()),
        (Health::Progressing, "2026-03-01T10:00:07Z".into())
    );
    // That it is available says nothing about when a rollout began.
    assert_eq!(deployment("True", 1).since, None);
}

#[test]
fn a_phase_that_decides_is_told_with_the_time_at_which_the_status_says_that_it_changed() {
    let status = json!({"phase": "Creating", "lastTransitionTime": "2026-02-26T10:00:00Z", "startTime": "2026-02-01T10:00:00Z"});
    let verdict = widget(&json!({"status": status}));
    // Three days are no failure, but to be seen.
    assert_eq!(
        (verdict.health, verdict.since.unwrap().to_string()),
        (Health::Progressing, "2026-02-26T10:00:00Z".into())
    );
    let silent = widget(
        &json!({"metadata": {"creationTimestamp": "2026-02-26T10:00:00Z"}, "status": {"version": "1"}}),
    );
    assert_eq!(
        (silent.rule, silent.since.unwrap().to_string()),
        (Rule::NoVerdictYet, "2026-02-26T10:00:00Z".into())
    );
}

#[test]
fn a_rolling_update_that_a_partition_holds_back_rests() {
    let of = |updated: u32, ready: u32| {
        let spec = json!({"replicas": 5, "updateStrategy": {"rollingUpdate": {"partition": 2}}});
        let status =
            json!({"phase": "Ready", "replicas": 5, "readyReplicas": ready, "updatedReplicas": updated});
        widget(&json!({"spec": spec, "status": status}))
    };
    assert_eq!((of(3, 5).health, of(3, 5).rule), (Health::Suspended, Rule::Partitioned));
    assert_eq!(of(2, 5).health, Health::Progressing);
    assert_eq!(of(3, 4).health, Health::Progressing);
    assert_eq!(of(5, 5).health, Health::Healthy);
}
