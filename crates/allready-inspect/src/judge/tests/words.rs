//! What words say of a kind that nobody declared.

use serde_json::{Value, json};

use super::known::{now, object};
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended, Unknown};
use crate::judge::judge;
use crate::registry::Registry;

fn of(kind: &str, status: &Value) -> Health {
    judge(&object("example.com/v1", kind, &json!({"status": status})), Registry::builtin(), now()).health
}

fn condition(condition: &str) -> Health {
    of("Widget", &json!({"conditions": [condition]}))
}

fn phase(kind: &str, phase: &str) -> Health {
    of(kind, &json!({"phase": phase}))
}

#[test]
fn what_runs_to_an_end_is_healthy_by_words_of_the_end_alone() {
    for (word, of_a_run, of_a_service) in [
        ("Accepted", Progressing, Healthy),
        ("Active", Progressing, Healthy),
        ("TargetReady", Progressing, Healthy),
        ("Prepared", Progressing, Progressing),
        ("Executing", Progressing, Progressing),
        ("Succeed", Healthy, Healthy),
        ("JobCompleted", Healthy, Healthy),
        ("PartialSuccess", Degraded, Degraded),
        ("PartiallySucceeded", Degraded, Degraded),
        ("PartialReady", Progressing, Progressing),
    ] {
        assert_eq!((phase("DataUpload", word), phase("Widget", word)), (of_a_run, of_a_service), "{word}");
    }
}

#[test]
fn a_run_that_tells_when_it_began_and_not_when_it_ended_is_under_way() {
    let began = "2026-03-01T09:00:00Z";
    assert_eq!(of("BackupJob", &json!({"startTime": began, "node": "a"})), Progressing);
    assert_eq!(of("BackupJob", &json!({"startTime": began, "finishTime": began, "node": "a"})), Unknown);
    assert_eq!(of("Widget", &json!({"startTime": began, "node": "a"})), Unknown);
}

#[test]
fn running_is_good_of_what_runs_for_ever_and_not_of_a_job_or_of_a_controller_at_work() {
    assert_eq!(condition("Running=True CheckRunning"), Healthy);
    assert_eq!(condition("Running=True Running: Running reconciliation"), Progressing);
    assert_eq!(of("BackupJob", &json!({"conditions": ["Running=True Started"]})), Progressing);
    assert_eq!(of("Widget", &json!({"conditions": ["Running=True", "Upgrading=True"]})), Progressing);
}

#[test]
fn what_does_not_move_because_something_is_not_there_is_broken() {
    assert_eq!(condition("Progressing=False ClusterNotFound"), Degraded);
    assert_eq!(of("Widget", &json!({"conditions": ["Ready=True", "Progressing=False Idle"]})), Healthy);
}

#[test]
fn replicas_that_are_on_their_way_are_no_failure() {
    assert_eq!(condition("Ready=False MinimumReplicasUnavailable: too few"), Progressing);
    assert_eq!(condition("Ready=False NotReady"), Progressing);
    assert_eq!(condition("PodsReady=False NotReady"), Progressing);
    assert_eq!(condition("Ready=False NotBootstrapped: x"), Progressing);
    assert_eq!(condition("Ready=False NotEnoughReadyReplicas: x"), Progressing);
    assert_eq!(condition("Ready=False JobRunning: x"), Progressing);
    assert_eq!(condition("Ready=False : the statefulset trino-worker not ready"), Progressing);
    assert_eq!(condition("Ready=False : the widget is not ready"), Degraded, "it says no more than the type");
    assert_eq!(condition("Ready=False Incomplete: not there"), Progressing);
    assert_eq!(condition("Ready=False Weird: too few"), Degraded);
}

#[test]
fn a_message_that_begins_with_a_failure_tells_of_one() {
    assert_eq!(condition("Available=False Reconciling: Failed to reconcile"), Degraded);
    assert_eq!(of("Widget", &json!({"phase": "NotReady", "message": "error to connect"})), Degraded);
    assert_eq!(of("Widget", &json!({"phase": "NotReady", "message": "hold on"})), Progressing);
    assert_eq!(of("Widget", &json!({"applied": false, "message": "role does not exist"})), Degraded);
    assert_eq!(of("Widget", &json!({"applied": false})), Progressing);
    assert_eq!(of("Widget", &json!({"applied": true})), Healthy);
}

#[test]
fn a_part_that_nobody_wants_does_not_count() {
    let beside_ready = |condition: &str| of("Widget", &json!({"conditions": ["Ready=True", condition]}));
    assert_eq!(beside_ready("QueueReady=False Removed: not managed"), Healthy);
    assert_eq!(beside_ready("QueueReady=False NotApplicable"), Healthy);
    assert_eq!(beside_ready("QueueReady=False Evicted"), Degraded);
    assert_eq!(condition("Ready=False Removed: not managed"), Degraded, "of the whole it does");
    assert_eq!(beside_ready("Limited=False"), Healthy, "a limit that is not reached is no lack");
}

#[test]
fn what_was_switched_off_is_at_rest() {
    assert_eq!(condition("Ready=False Disabled: x"), Suspended);
    assert_eq!(condition("Ready=False ScaledToZero: x"), Suspended);
    assert_eq!(of("Widget", &json!({"stopped": true, "endpoint": "a"})), Suspended);
}

#[test]
fn what_was_done_with_success_does_not_move_any_more() {
    let moves = |message: &str| {
        let message = format!("Progressing=True CreatedDeployment: {message}");
        of("Widget", &json!({"conditions": ["Available=True", message]}))
    };
    assert_eq!(moves("the Deployment was successfully created"), Healthy);
    assert_eq!(moves("waiting until it is successfully created"), Progressing);
    assert_eq!(
        condition("Progressing=True Created: it was successfully created"),
        Progressing,
        "alone it is no end"
    );
}

#[test]
fn booleans_are_read_by_their_names() {
    for (key, yes, no) in [
        ("online", Healthy, Degraded),
        ("inSync", Healthy, Progressing),
        ("completed", Healthy, Progressing),
        ("offline", Degraded, Unknown),
        ("upgrading", Progressing, Unknown),
        ("accessGranted", Healthy, Progressing),
    ] {
        let status = |value: bool| json!({key: value, "endpoint": "a"});
        assert_eq!((of("Widget", &status(true)), of("Widget", &status(false))), (yes, no), "{key}");
    }
}

#[test]
fn words_of_people_are_understood() {
    for (word, expected) in [
        ("Cluster is unrecoverable and needs manual intervention", Degraded),
        ("POWEROFF", Suspended),
        ("OutOfSync", Progressing),
        ("Uninitialized", Progressing),
        ("Disconnected", Degraded),
        ("HEALTH_WARN", Degraded),
        ("InMaintenance", Suspended),
        ("InService", Healthy),
        ("InExecution", Progressing),
    ] {
        assert_eq!(phase("Widget", word), expected, "{word}");
    }
}

#[test]
fn an_annotation_with_the_time_at_which_it_was_stopped_asks_it_to_rest() {
    let with = |name: &str, value: &str| {
        let parts =
            json!({"metadata": {"annotations": {name: value}}, "status": {"conditions": ["Ready=True"]}});
        judge(&object("example.com/v1", "Widget", &parts), Registry::builtin(), now()).health
    };
    assert_eq!(with("example.com/resource-stopped", "2026-03-01T09:00:00Z"), Suspended);
    assert_eq!(with("example.com/last-stopped", "2026-03-01T09:00:00Z"), Healthy, "that was");
    assert_eq!(with("example.com/resource-stopped", "never"), Healthy);
}

#[test]
fn true_for_a_failure_is_not_good_whatever_is_declared_of_false() {
    let parts = json!({"status": {"conditions": ["Completed=True Failed: the job failed"]}});
    let backup = object("k8up.io/v1", "Backup", &parts);
    assert_eq!(judge(&backup, Registry::builtin(), now()).health, Degraded);
}
