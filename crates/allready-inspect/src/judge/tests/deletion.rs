//! Objects that are being deleted.

use serde_json::{Value, json};

use super::known::{now, object, widget};
use crate::health::Health::{Degraded, Progressing};
use crate::judge::{Rule, Verdict, judge};
use crate::registry::Registry;

/// Six minutes ago, and so longer than a deletion may take.
const LONG_AGO: &str = "2026-03-01T09:54:00Z";
/// Four minutes ago.
const LATELY: &str = "2026-03-01T09:56:00Z";

fn verdict(kind: &str, parts: &Value) -> Verdict {
    judge(&object("v1", kind, parts), Registry::builtin(), now())
}

#[test]
fn a_deletion_that_its_finalizers_hold_is_degraded_after_five_minutes() {
    let of = |deleted: &str, finalizers: &[&str]| {
        let metadata = json!({"uid": "1", "deletionTimestamp": deleted, "finalizers": finalizers});
        widget(&json!({"metadata": metadata, "status": {"conditions": ["Ready=True"]}}))
    };
    let young = of(LATELY, &["example.com/a"]);
    assert_eq!((young.health, young.rule), (Progressing, Rule::Deleting));
    assert_eq!(young.message, "waits for the finalizer example.com/a");
    let stuck = of(LONG_AGO, &["example.com/a", "example.com/b"]);
    assert_eq!(
        (stuck.health, stuck.rule, stuck.reason.as_str()),
        (Degraded, Rule::DeletionStuck, "Terminating")
    );
    assert_eq!(stuck.message, "waits for the finalizers example.com/a, example.com/b");
    assert_eq!(
        (stuck.since.unwrap().to_string().as_str(), stuck.field.as_str()),
        (LONG_AGO, "metadata.deletionTimestamp")
    );
    assert_eq!(of(LONG_AGO, &[]).health, Progressing, "nothing holds it, so that it is gone by now");
}

#[test]
fn an_object_that_waits_for_its_dependents_leaves_it_to_them_to_hang() {
    let of = |finalizers: &[&str]| {
        let metadata = json!({"uid": "1", "deletionTimestamp": LONG_AGO, "finalizers": finalizers});
        verdict("ConfigMap", &json!({"metadata": metadata}))
    };
    let waits = of(&["foregroundDeletion"]);
    assert_eq!((waits.health, waits.rule), (Progressing, Rule::Deleting));
    assert_eq!(waits.message, "waits until the objects that it owns are deleted (foregroundDeletion)");
    assert_eq!(of(&["foregroundDeletion", "example.com/a"]).health, Degraded);
}

#[test]
fn a_manifest_with_a_deletion_is_not_stuck_because_nobody_knows_when_it_was_written() {
    let manifest =
        json!({"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z", "finalizers": ["example.com/a"]}});
    assert_eq!(widget(&manifest).health, Progressing);
}

#[test]
fn a_deletion_that_takes_long_is_told_by_what_the_status_names_as_broken() {
    let of = |deleted: &str, condition: &str| {
        let metadata =
            json!({"generation": 5, "deletionTimestamp": deleted, "finalizers": ["example.com/a"]});
        widget(&json!({"metadata": metadata, "status": {"observedGeneration": 4, "conditions": [condition]}}))
    };
    let stuck = of(LONG_AGO, "Ready=False DeleteFailed");
    assert_eq!(
        (stuck.health, stuck.rule, stuck.reason.as_str()),
        (Degraded, Rule::DeletionStuck, "DeleteFailed")
    );
    assert_eq!(stuck.since.unwrap().to_string(), LONG_AGO);
    assert_eq!(of(LATELY, "Ready=False DeleteFailed").rule, Rule::Deleting);
    assert_eq!(of(LONG_AGO, "Ready=False Because").reason, "Terminating", "that it is not ready is no cause");
}

#[test]
fn a_pod_that_does_not_end_waits_for_its_node() {
    let of = |deleted: &str| {
        let crashing = json!({"name": "app", "state": {"waiting": {"reason": "CrashLoopBackOff"}}});
        let status = json!({"phase": "Running", "containerStatuses": [crashing]});
        let metadata = json!({"uid": "1", "deletionTimestamp": deleted});
        verdict("Pod", &json!({"metadata": metadata, "spec": {"nodeName": "node-1"}, "status": status}))
    };
    let (young, stuck) = (of(LATELY), of(LONG_AGO));
    assert_eq!((young.health, young.message.as_str()), (Progressing, "waits for the kubelet of node-1"));
    assert_eq!(
        (stuck.health, stuck.reason.as_str(), stuck.message.as_str()),
        (Degraded, "Terminating", "waits for the kubelet of node-1")
    );
}

#[test]
fn a_namespace_that_is_being_deleted_says_what_remains_in_it() {
    let of = |deleted: &str, conditions: &[&str]| {
        let status = json!({"phase": "Terminating", "conditions": conditions});
        let parts = json!({"metadata": {"deletionTimestamp": deleted}, "status": status});
        verdict("Namespace", &parts)
    };
    let remaining = [
        "NamespaceDeletionContentFailure=False ContentDeleted: all is deleted",
        "NamespaceContentRemaining=True SomeResourcesRemain: widgets.example.com has 2 resource instances",
        "NamespaceFinalizersRemaining=True SomeFinalizersRemain: example.com/a in 2 resource instances",
    ];
    let young = of(LATELY, &remaining);
    assert_eq!((young.health, young.rule), (Progressing, Rule::Deleting));
    let stuck = of(LONG_AGO, &remaining);
    assert_eq!(
        (stuck.health, stuck.rule, stuck.reason.as_str()),
        (Degraded, Rule::DeletionStuck, "Terminating")
    );
    let told = "example.com/a in 2 resource instances; widgets.example.com has 2 resource instances";
    assert_eq!((young.message.as_str(), stuck.message.as_str()), (told, told));
    assert_eq!(stuck.field, "status.conditions[NamespaceFinalizersRemaining]");
    assert_eq!(stuck.since.unwrap().to_string(), LONG_AGO);
    let failure = ["NamespaceDeletionContentFailure=True ContentDeletionFailed: one is left"];
    let (failing, failed) = (of(LATELY, &failure), of(LONG_AGO, &failure));
    assert_eq!((failing.health, failing.message.as_str()), (Progressing, "one is left"));
    assert_eq!(
        (failed.health, failed.rule, failed.message.as_str()),
        (Degraded, Rule::DeletionStuck, "one is left")
    );
    assert_eq!(of(LONG_AGO, &["NamespaceContentRemaining=False ContentRemoved"]).rule, Rule::Deleting);
}

#[test]
fn a_namespace_that_nobody_empties_waits_for_the_finalizer_in_its_spec() {
    let metadata = json!({"uid": "1", "deletionTimestamp": LONG_AGO});
    let parts = json!({"metadata": metadata, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Terminating"}});
    let stuck = verdict("Namespace", &parts);
    assert_eq!((stuck.health, stuck.message.as_str()), (Degraded, "waits for the finalizer kubernetes"));
}
