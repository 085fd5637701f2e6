//! What the shape of a status says of a kind that nobody declared: what each rule catches, and what it must not touch.

use crate::judge::Rule;
use serde_json::{Value, json};

use super::known::{now, object, widget};
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended, Unknown};
use crate::judge::{Verdict, judge};
use crate::registry::Registry;

/// A status beside a phase that is good.
fn beside_good(more: &Value) -> Verdict {
    let mut status = json!({"phase": "Ready"});
    for (key, value) in more.as_object().unwrap() {
        status[key] = value.clone();
    }
    widget(&json!({"metadata": {"generation": 3}, "status": status}))
}

#[track_caller]
fn is(more: &Value, health: Health, rule: Rule) {
    let verdict = beside_good(more);
    assert_eq!((verdict.health, verdict.rule), (health, rule), "{more}: {verdict:?}");
}

#[track_caller]
fn is_untouched(more: &Value) {
    is(more, Healthy, Rule::StateWord);
}

#[test]
fn a_part_that_is_behind_its_own_generation_is_awaited() {
    is(&json!({"web": {"observedGeneration": 1, "generation": 2}}), Progressing, Rule::PartBehind);
    is(&json!({"parts": [{"observedGeneration": 4, "desiredGeneration": 5}]}), Progressing, Rule::PartBehind);
    is(&json!({"workloadObservedGeneration": "1", "workloadGeneration": 2}), Progressing, Rule::PartBehind);
    is_untouched(&json!({"web": {"observedGeneration": 2, "generation": 2}}));
    is_untouched(&json!({"workloadObservedGeneration": 2, "workloadGeneration": 2}));
    is_untouched(&json!({"observedGeneration": 3, "workloadObservedGeneration": 1}));
}

#[test]
fn a_part_counts_the_objects_generations_where_another_of_its_list_does() {
    let of = |first: u32, second: u32| json!({"parts": [{"observedGeneration": first}, {"observedGeneration": second}]});
    let verdict = beside_good(&of(3, 2));
    assert_eq!((verdict.health, verdict.rule), (Progressing, Rule::PartBehind));
    assert_eq!(
        (verdict.field.as_str(), verdict.message.as_str()),
        ("status.parts[1].observedGeneration", "observed 2 of 3")
    );
    is_untouched(&of(3, 3));
    // These are about generations of something else.
    is_untouched(&of(1, 2));
    is_untouched(&json!({"child": {"observedGeneration": 1}}));
}

#[test]
fn the_generation_of_what_is_pointed_to_may_stand_in_an_annotation() {
    let of = |seen: u32| {
        let metadata = json!({"generation": 3, "annotations": {"example.com/workload-generation": "2"}});
        widget(
            &json!({"metadata": metadata, "status": {"phase": "Ready", "workloadObservedGeneration": seen}}),
        )
    };
    assert_eq!((of(1).health, of(1).rule), (Progressing, Rule::PartBehind));
    assert_eq!(of(2).health, Healthy);
}

#[test]
fn a_share_that_is_not_whole_is_under_way() {
    is(&json!({"progress": "60%"}), Progressing, Rule::Percentage);
    is(&json!({"syncProgress": "99.5%"}), Progressing, Rule::Percentage);
    is(&json!({"percentComplete": 40}), Progressing, Rule::Percentage);
    is(&json!({"rollout": {"readyPercent": 40}}), Progressing, Rule::Percentage);
    is(&json!({"members": "2/3"}), Progressing, Rule::Fraction);
    is(&json!({"pods": "2/3 ready"}), Progressing, Rule::Fraction);
    is(&json!({"podsReady": "1 / 2"}), Progressing, Rule::Fraction);
    is_untouched(&json!({"progress": "100%", "percentComplete": 100, "members": "3/3"}));
    is_untouched(
        &json!({"diskUsage": "60%", "usedPercent": 40, "cpu": "1/2", "targetReadyPercent": 80, "progress": "N/A"}),
    );
    let ended = object(
        "example.com/v1",
        "WidgetBackup",
        &json!({"status": {"phase": "Completed", "progress": "99%"}}),
    );
    assert_eq!(judge(&ended, Registry::builtin(), now()).health, Healthy);
}

#[test]
fn a_count_of_errors_is_bad_news() {
    for key in
        ["errorCount", "numErrors", "consecutiveFailures", "numberOfErrors", "errors", "consecutiveErrors"]
    {
        is(&json!({key: 2}), Degraded, Rule::ErrorCounter);
        is_untouched(&json!({key: 0}));
    }
    is(&json!({"sync": {"errorCount": 1}}), Degraded, Rule::PartState);
    is_untouched(
        &json!({"maxErrorCount": 3, "failureThreshold": 2, "failureCount": 1, "totalErrorsSeen": 4, "restartCount": 7}),
    );
}

#[test]
fn an_error_text_beside_a_good_word_is_bad_news_and_its_time_is_none() {
    for key in ["lastFailureMessage", "failureDetails", "errorDescription", "syncErrorMsg", "failureMessage"]
    {
        is(&json!({key: "no such bucket"}), Degraded, Rule::ErrorText);
        is_untouched(&json!({key: ""}));
    }
    is_untouched(&json!({"lastError": "2026-03-01T09:00:00Z", "lastFailureTime": "2026-03-01T09:00:00Z"}));
}

#[test]
fn a_list_that_is_named_for_what_is_wrong_says_how_wrong() {
    is(&json!({"erroredNodes": ["a"]}), Degraded, Rule::FailureList);
    is(&json!({"notReadyMembers": ["a"]}), Progressing, Rule::FailureList);
    is(&json!({"members": {"ready": ["a"], "unready": ["b"]}}), Progressing, Rule::PartState);
    is_untouched(&json!({"members": {"ready": ["a"], "unready": []}, "notes": ["a"], "notReadyMembers": []}));
}

#[test]
fn a_map_of_known_words_is_one_of_states() {
    is(&json!({"nodes": {"a": "Ready", "b": "Failed"}}), Degraded, Rule::PartState);
    is_untouched(&json!({"nodes": {"a": "Ready", "b": "Active"}}));
    // Some of these are no states, so that none is taken for one.
    is_untouched(&json!({"labels": {"a": "eu-west-1", "b": "failed"}}));
}

#[test]
fn a_part_that_lacks_some_of_its_own_is_under_way() {
    is(&json!({"db": {"ready": 1, "size": 3}}), Progressing, Rule::Count);
    is(&json!({"summary": {"ready": 4, "desiredReady": 5}}), Progressing, Rule::Count);
    is(
        &json!({"pools": [{"readyReplicas": 2, "replicas": 2}, {"readyReplicas": 1, "replicas": 2}]}),
        Progressing,
        Rule::Count,
    );
    is(&json!({"replicas": 3, "replicasReady": 2}), Progressing, Rule::Count);
    is(&json!({"web": {"availableReplicas": 1, "desiredReplicas": 2}}), Progressing, Rule::Count);
    is_untouched(&json!({"db": {"ready": 3, "size": 3}, "web": {"readyReplicas": 0, "replicas": 0}}));
    // What is left of a store need not be all of it.
    is_untouched(
        &json!({"disk": {"available": 10, "total": 100}, "pool": {"availableIPs": 3, "totalIPs": 8}}),
    );
    is_untouched(&json!({"availableBytes": 3, "totalBytes": 8, "availableIPs": 3, "totalIPs": 8}));
}

#[test]
fn what_a_list_in_the_spec_asks_for_is_summed_up() {
    let of = |available: u32| {
        let spec = json!({"nodeSets": [{"name": "a", "count": 3}, {"name": "b", "count": 2}]});
        widget(&json!({"spec": spec, "status": {"phase": "Ready", "availableNodes": available}}))
    };
    assert_eq!((of(3).health, of(3).message.as_str()), (Progressing, "3 of 5"));
    assert_eq!(of(5).health, Healthy);
}

#[test]
fn things_that_failed_are_counted_unless_the_kind_runs_to_an_end() {
    is(&json!({"failedReplicas": 1}), Degraded, Rule::Count);
    is(&json!({"notReadyNodes": 1}), Progressing, Rule::Count);
    is_untouched(&json!({"failedReplicas": 0, "failedLogins": 3, "missingNodesTimeout": 5}));
    let ended =
        object("example.com/v1", "WidgetJob", &json!({"status": {"phase": "Succeeded", "failedPods": 1}}));
    assert_eq!(judge(&ended, Registry::builtin(), now()).health, Healthy);
}

#[test]
fn a_boolean_that_is_false_is_no_step_forward() {
    is(&json!({"accepted": false}), Degraded, Rule::Boolean);
    is(&json!({"accepted": "false"}), Degraded, Rule::Boolean);
    is(&json!({"programmed": false}), Progressing, Rule::Boolean);
    is(&json!({"inSync": "False"}), Progressing, Rule::Boolean);
    is_untouched(&json!({"accepted": true, "inSync": true, "enabled": false, "exposed": false}));
    is(&json!({"nodes": [{"ready": true}, {"ready": false}]}), Progressing, Rule::PartState);
    is_untouched(&json!({"nodes": [{"active": true}, {"active": false}]}));
    // That it was accepted says nothing of what became of it.
    assert_eq!(widget(&json!({"status": {"accepted": true}})).health, Unknown);
}

#[test]
fn a_boolean_is_explained_by_the_reason_beside_it() {
    let of = |reason: &str| widget(&json!({"status": {"registered": "False", "reason": reason}}));
    assert_eq!(
        (of("StrategyNotFound").health, of("StrategyNotFound").reason.as_str()),
        (Degraded, "StrategyNotFound")
    );
    assert_eq!(of("Registering").health, Progressing);
}

#[test]
fn conditions_may_be_written_with_capitals() {
    let of = |status: &str, reason: &str| {
        widget(&json!({"status": {"conditions": [{"Type": "Ready", "Status": status, "Reason": reason}]}}))
    };
    assert_eq!(of("True", "AllGood").health, Healthy);
    let broken = of("False", "DiskFailed");
    assert_eq!((broken.health, broken.reason.as_str()), (Degraded, "DiskFailed"));
    assert_eq!(broken.field, "status.conditions[Ready]");
}

#[test]
fn a_time_that_lies_ahead_does_not_make_a_condition_the_newer_one() {
    let of = |time: &str| {
        widget(&json!({"status": {"conditions": [
            {"type": "Ready", "status": "True", "lastTransitionTime": time},
            {"type": "Ready", "status": "False", "reason": "DiskFailed", "lastTransitionTime": "2026-03-01T09:00:00Z"}]}}))
        .health
    };
    assert_eq!(of("2099-01-01T00:00:00Z"), Degraded);
    assert_eq!(of("2026-03-01T09:30:00Z"), Healthy);
    // A clock may be ahead a little.
    assert_eq!(of("2026-03-01T10:02:00Z"), Healthy);
}

#[test]
fn the_success_of_a_stage_is_none_of_the_whole() {
    let of = |stage: &str| widget(&json!({"status": {"stage": stage, "stageStatus": "success"}}));
    assert_eq!((of("deployment").health, of("deployment").rule), (Progressing, Rule::StepState));
    assert_eq!(of("complete").health, Healthy);
}

#[test]
fn a_part_out_of_step_is_bad_news_unless_the_whole_is_being_worked_on() {
    let of = |state: &str| {
        widget(
            &json!({"status": {"state": state, "brokers": [{"state": "ConfigInSync"}, {"state": "ConfigOutOfSync"}]}}),
        )
    };
    assert_eq!((of("Running").health, of("Running").rule), (Degraded, Rule::PartState));
    assert_eq!(of("RollingUpgrade in progress").health, Progressing);
}

#[test]
fn a_label_that_says_failed_is_believed_and_others_are_not_read() {
    let of = |part: &str, key: &str, value: &str| {
        widget(&json!({"metadata": {part: {key: value}}, "status": {"phase": "Ready"}}))
    };
    let failed = of("labels", "example.com/upgrade-state", "failed");
    assert_eq!((failed.health, failed.rule), (Degraded, Rule::FailureLabel));
    assert_eq!(failed.field, "metadata.labels[example.com/upgrade-state]");
    assert_eq!(of("annotations", "example.com/result", "Error").health, Degraded);
    for (key, value) in [
        ("example.com/upgrade-state", "done"),
        ("example.com/last-state", "failed"),
        ("example.com/on-failure", "failed"),
        ("example.com/team", "failed"),
        ("example.com/state", "failed-over"),
    ] {
        assert_eq!(of("labels", key, value).health, Healthy, "{key} {value}");
    }
}

#[test]
fn a_message_alone_is_bad_news_or_none() {
    let of = |message: &str| widget(&json!({"status": {"message": message}}));
    assert_eq!(
        (of("cannot reach the server").health, of("cannot reach the server").rule),
        (Degraded, Rule::MessageOnly)
    );
    assert_eq!(of("waiting for the server").health, Progressing);
    assert_eq!(of("Healthy").health, Healthy);
    assert_eq!(of("the server was asked and all is said").health, Unknown);
    assert_eq!(of("everything is ready, so they say, and good").health, Unknown);
}

#[test]
fn an_empty_list_of_conditions_is_no_summary_yet() {
    let verdict = widget(&json!({"status": {"names": {"a": "b"}, "conditions": []}}));
    assert_eq!((verdict.health, verdict.rule), (Progressing, Rule::NoSummaryYet));
    assert_eq!(widget(&json!({"status": {"names": {"a": "b"}}})).rule, Rule::NotUnderstood);
}

#[test]
fn what_is_managed_for_a_provider_is_not_there_before_it_is_ready() {
    let of = |conditions: Value| {
        widget(&json!({"spec": {"forProvider": {"region": "a"}}, "status": {"conditions": conditions}}))
    };
    assert_eq!(
        (of(json!(["Synced=True"])).health, of(json!(["Synced=True"])).rule),
        (Progressing, Rule::SummaryMissing)
    );
    assert_eq!(of(json!(["Synced=True", "Ready=True"])).health, Healthy);
    assert_eq!(widget(&json!({"spec": {}, "status": {"conditions": ["Synced=True"]}})).health, Healthy);
}

#[test]
fn what_rests_is_not_broken_for_not_being_ready() {
    let of = |reason: &str| {
        widget(&json!({"status": {"state": "Stopped", "conditions": [format!("Ready=False {reason}")]}}))
            .health
    };
    assert_eq!(of("VMNotThere"), Suspended);
    assert_eq!(of("DiskFailed"), Degraded);
}

#[test]
fn what_has_nothing_to_do_is_not_broken() {
    let of = |ready: &str, active: &str| widget(&json!({"status": {"conditions": [ready, active]}})).health;
    assert_eq!(of("Ready=True", "Active=False ScalerNotActive"), Healthy);
    assert_eq!(of("Ready=True", "Active=False ScalerFailed"), Degraded);
    assert_ne!(of("Ready=Unknown", "Active=False ScalerNotActive"), Healthy);
}

#[test]
fn of_two_summaries_the_one_that_names_a_cause_is_believed() {
    let of =
        |ready: &str, succeeded: &str| widget(&json!({"status": {"conditions": [ready, succeeded]}})).health;
    assert_eq!(of("Ready=False NotProvisioned", "Succeeded=False CreateInProgress"), Progressing);
    assert_eq!(of("Ready=False NotProvisioned", "Succeeded=False CreateFailed"), Degraded);
}

#[test]
fn in_a_name_of_few_words_each_of_them_counts() {
    let of = |state: &str| widget(&json!({"status": {"state": state}})).health;
    for good in [
        "HEALTH_OK",
        "ClusterRunning",
        "TopicReady",
        "Created",
        "Cluster in healthy state",
        "Ready 3",
        "CompletedSuccessfully",
    ] {
        assert_eq!(of(good), Healthy, "{good}");
    }
    for denied in ["DEPLOYED_NOT_READY", "RUNNING_NOT_READY", "ClusterCreated", "job-created"] {
        assert_eq!(of(denied), Progressing, "{denied}");
    }
    for limited in ["ONLINE_PARTIAL", "ONLINE_UNCERTAIN", "running-delete", "ReadyForSurgery"] {
        assert_ne!(of(limited), Healthy, "{limited}");
    }
}

#[test]
fn what_runs_to_an_end_is_not_well_for_running() {
    let is_running = |status: Value| widget(&json!({"status": status})).health;
    assert_eq!(is_running(json!({"jobStatus": "Running"})), Progressing);
    assert_eq!(is_running(json!({"phase": "Ready", "operationState": {"phase": "Running"}})), Progressing);
    assert_eq!(is_running(json!({"phase": "Ready", "operationState": {"phase": "Succeeded"}})), Healthy);
    assert_eq!(is_running(json!({"clusterStatus": "Running"})), Healthy);
    assert_eq!(is_running(json!({"phase": "Ready", "servers": [{"state": "Running"}]})), Healthy);
}

#[test]
fn of_three_conditions_of_a_type_one_without_a_time_keeps_all() {
    let one = |status: &str, time: &str| json!({"type": "Ready", "status": status, "reason": "DiskFailed", "lastTransitionTime": time});
    let (old, new) = (
        one("False", "2026-03-01T08:00:00Z"),
        json!({"type": "Ready", "status": "True", "lastTransitionTime": "2026-03-01T09:00:00Z"}),
    );
    let timeless = json!({"type": "Ready", "status": "True"});
    let of = |list: Value| widget(&json!({"status": {"conditions": list}})).health;
    assert_eq!(of(json!([old, new])), Healthy);
    assert_eq!(of(json!([old, timeless, new])), Degraded);
    assert_eq!(of(json!([timeless, new, old])), Degraded);
}
