//! The sixteen kinds for which kstatus has rules of their own, whatever their version.

use serde_json::Value;

use super::read::{Conditions, number, text};
use super::{Misshapen, Outcome};
use crate::view::group;
use allready_core::{Time, found};

/// For how many seconds after its creation a Pod may be without a node.
const SCHEDULING: i64 = 15;

type Answer = Result<Outcome, Misshapen>;

/// The outcome by the rule of this kind, if there is one.
pub(super) fn compute(object: &Value, conditions: &Conditions<'_>, now: Time) -> Option<Answer> {
    let outcome = match (group(object), text(object, &["kind"])) {
        ("" | "batch", "Secret" | "ConfigMap" | "CronJob") if is_always_current(object) => {
            Outcome::current("it is always current")
        }
        ("policy", "PodDisruptionBudget") => Outcome::current("its disruptions are computed"),
        ("", "Pod") => return Some(pod(object, conditions, now)),
        ("", "Service") => service(object),
        ("", "PersistentVolumeClaim") => claim(object),
        ("apps" | "extensions", "Deployment") => deployment(object, conditions),
        ("apps" | "extensions", "ReplicaSet") => replica_set(object, conditions),
        ("apps", "StatefulSet") => stateful_set(object),
        ("apps" | "extensions", "DaemonSet") => daemon_set(object),
        ("batch", "Job") => job(object, conditions),
        ("apiextensions.k8s.io", "CustomResourceDefinition") => definition(conditions),
        _ => return None,
    };
    Some(Ok(outcome))
}

fn is_always_current(object: &Value) -> bool {
    matches!((group(object), text(object, &["kind"])), ("", "Secret" | "ConfigMap") | ("batch", "CronJob"))
}

fn pod(object: &Value, conditions: &Conditions<'_>, now: Time) -> Answer {
    let phase = text(object, &["status", "phase"]);
    Ok(match phase {
        "Succeeded" => Outcome::current("it has completed"),
        "Failed" => Outcome::current("it has completed, and not successfully"),
        "Running" if conditions.is("Ready", "True") => Outcome::current("it is Ready"),
        "Running" => {
            let crashing = crashing_containers(object);
            if crashing.is_empty() {
                Outcome::in_progress("PodRunningNotReady", "it runs and is not Ready")
            } else {
                Outcome::failed(
                    "ContainerCrashLooping",
                    format!("containers that crash: {}", crashing.join(",")),
                )
            }
        }
        "Pending" => {
            let mut scheduled =
                conditions.iter().filter(|one| one.type_ == "PodScheduled" && one.status == "False");
            match scheduled.next() {
                Some(condition) if condition.reason == "Unschedulable" => unschedulable(object, now),
                _ => Outcome::in_progress("PodPending", "it is Pending"),
            }
        }
        "" => Outcome::in_progress("PodNotObserved", "it has no phase yet"),
        other => return Err(Misshapen(format!("{other} is no phase of a Pod"))),
    })
}

fn unschedulable(object: &Value, now: Time) -> Outcome {
    let created = found::time(text(object, &["metadata", "creationTimestamp"]));
    let is_new =
        created.is_some_and(|created| now.as_second().saturating_sub(created.as_second()) < SCHEDULING);
    if is_new {
        Outcome::in_progress("PodNotScheduled", "it has no node yet")
    } else {
        Outcome::failed("PodUnschedulable", "no node was found for it")
    }
}

fn crashing_containers(object: &Value) -> Vec<&str> {
    let statuses = |key: &str| {
        let list = object.get("status").and_then(|status| status.get(key)).and_then(Value::as_array);
        list.into_iter().flatten()
    };
    statuses("initContainerStatuses")
        .chain(statuses("containerStatuses"))
        .filter(|container| text(container, &["state", "waiting", "reason"]) == "CrashLoopBackOff")
        .map(|container| text(container, &["name"]))
        .collect()
}

fn spec_replicas(object: &Value) -> i64 {
    number(object, &["spec", "replicas"], 1)
}

fn count(object: &Value, key: &str) -> i64 {
    number(object, &["status", key], 0)
}

/// The first of these numbers that has not reached what it should.
fn too_few(checks: &[(i64, i64, &str, &str)]) -> Option<Outcome> {
    let (have, want, reason, what) = checks.iter().find(|(have, want, ..)| have < want)?;
    Some(Outcome::in_progress(*reason, format!("{what}: {have}/{want}")))
}

fn too_many(have: i64, want: i64) -> Option<Outcome> {
    let extra = have.saturating_sub(want);
    (have > want).then(|| Outcome::in_progress("ExtraPods", format!("still to end: {extra}")))
}

fn deployment(object: &Value, conditions: &Conditions<'_>) -> Outcome {
    let no_deadline = i64::from(i32::MAX);
    let mut is_progressed = number(object, &["spec", "progressDeadlineSeconds"], no_deadline) == no_deadline;
    let mut is_available = false;
    for condition in conditions.iter() {
        match condition.type_ {
            "Progressing" if condition.reason == "ProgressDeadlineExceeded" => {
                return Outcome::failed("ProgressDeadlineExceeded", "the rollout took too long");
            }
            "Progressing" => {
                is_progressed |= condition.status == "True" && condition.reason == "NewReplicaSetAvailable";
            }
            "Available" => is_available |= condition.status == "True",
            _ => {}
        }
    }
    let (want, have) = (spec_replicas(object), count(object, "replicas"));
    let updated = count(object, "updatedReplicas");
    let rest = [
        (count(object, "availableReplicas"), updated, "LessAvailable", "available"),
        (count(object, "readyReplicas"), want, "LessReady", "ready"),
    ];
    too_few(&[(have, want, "LessReplicas", "replicas"), (updated, want, "LessUpdated", "updated")])
        .or_else(|| too_many(have, want))
        .or_else(|| too_few(&rest))
        .or_else(|| {
            let waits = Outcome::in_progress("ReplicaSetNotAvailable", "its ReplicaSet is not available");
            (!is_progressed).then_some(waits)
        })
        .or_else(|| {
            let waits = Outcome::in_progress("DeploymentNotAvailable", "it is not available");
            (!is_available).then_some(waits)
        })
        .unwrap_or_else(|| Outcome::current(format!("it is available, replicas: {have}")))
}

fn replica_set(object: &Value, conditions: &Conditions<'_>) -> Outcome {
    if conditions.is("ReplicaFailure", "True") {
        return Outcome::in_progress("ReplicaFailure", "a replica could not be made");
    }
    let (want, have) = (spec_replicas(object), count(object, "replicas"));
    let checks = [
        (count(object, "fullyLabeledReplicas"), want, "LessLabelled", "labelled"),
        (count(object, "availableReplicas"), want, "LessAvailable", "available"),
        (count(object, "readyReplicas"), want, "LessReady", "ready"),
    ];
    too_few(&checks)
        .or_else(|| too_many(have, want))
        .unwrap_or_else(|| Outcome::current(format!("it is available, replicas: {have}")))
}

fn stateful_set(object: &Value) -> Outcome {
    if text(object, &["spec", "updateStrategy", "type"]) == "OnDelete" {
        return Outcome::current("its updates are made by hand");
    }
    let (want, have) = (spec_replicas(object), count(object, "replicas"));
    let checks = [
        (have, want, "LessReplicas", "replicas"),
        (count(object, "readyReplicas"), want, "LessReady", "ready"),
    ];
    if let Some(outcome) = too_few(&checks).or_else(|| too_many(have, want)) {
        return outcome;
    }
    let partition = number(object, &["spec", "updateStrategy", "rollingUpdate", "partition"], -1);
    if partition != -1 {
        let updated = count(object, "updatedReplicas");
        let checks = [(updated, want.saturating_sub(partition), "PartitionRollout", "updated")];
        let complete = || Outcome::current(format!("the part to be updated is, updated: {updated}"));
        return too_few(&checks).unwrap_or_else(complete);
    }
    if let Some(outcome) = too_few(&[(count(object, "currentReplicas"), want, "LessCurrent", "current")]) {
        return outcome;
    }
    let revision = |key: &str| text(object, &["status", key]);
    if revision("currentRevision") != revision("updateRevision") {
        return Outcome::in_progress("RevisionMismatch", "replicas of an older revision are left");
    }
    Outcome::current(format!("it is as scheduled, replicas: {have}"))
}

fn daemon_set(object: &Value) -> Outcome {
    let absent = i64::MIN;
    if number(object, &["metadata", "generation"], absent) == absent {
        return Outcome::in_progress("NoGeneration", "it has no generation");
    }
    if number(object, &["status", "observedGeneration"], absent) == absent {
        return Outcome::in_progress("NoObservedGeneration", "no generation is observed yet");
    }
    let want = number(object, &["status", "desiredNumberScheduled"], -1);
    if want == -1 {
        return Outcome::in_progress("NoDesiredNumber", "the nodes are not counted yet");
    }
    let checks = [
        (count(object, "currentNumberScheduled"), want, "LessCurrent", "current"),
        (count(object, "updatedNumberScheduled"), want, "LessUpdated", "updated"),
        (count(object, "numberAvailable"), want, "LessAvailable", "available"),
        (count(object, "numberReady"), want, "LessReady", "ready"),
    ];
    too_few(&checks).unwrap_or_else(|| Outcome::current(format!("it is as scheduled, nodes: {want}")))
}

fn claim(object: &Value) -> Outcome {
    match text(object, &["status", "phase"]) {
        "Bound" => Outcome::current("it is Bound"),
        phase => Outcome::in_progress("NotBound", format!("it is not Bound, phase: {phase}")),
    }
}

fn service(object: &Value) -> Outcome {
    let is_waiting =
        text(object, &["spec", "type"]) == "LoadBalancer" && text(object, &["spec", "clusterIP"]).is_empty();
    if is_waiting {
        return Outcome::in_progress("NoIPAssigned", "it has no cluster address");
    }
    Outcome::current("it is ready")
}

fn job(object: &Value, conditions: &Conditions<'_>) -> Outcome {
    let is_suspended = object.get("spec").and_then(|spec| spec.get("suspend")) == Some(&Value::Bool(true));
    for condition in conditions.iter().filter(|condition| condition.status == "True") {
        match condition.type_ {
            "Complete" => {
                return Outcome::current(format!(
                    "it has completed, succeeded: {}",
                    count(object, "succeeded")
                ));
            }
            "Failed" => {
                return Outcome::failed(
                    "JobFailed",
                    format!("it has failed, failed: {}", count(object, "failed")),
                );
            }
            "Suspended" if is_suspended => return Outcome::current("it is suspended"),
            _ => {}
        }
    }
    if text(object, &["status", "startTime"]).is_empty() {
        return Outcome::in_progress("JobNotStarted", "it has not started");
    }
    Outcome::current(format!("it runs, active: {}", count(object, "active")))
}

fn definition(conditions: &Conditions<'_>) -> Outcome {
    for condition in conditions.iter() {
        match (condition.type_, condition.status) {
            ("NamesAccepted", "False") => return Outcome::failed(condition.reason, condition.message),
            ("Established", "False") if condition.reason != "Installing" => {
                return Outcome::failed(condition.reason, condition.message);
            }
            ("Established", "True") => return Outcome::current("it is established"),
            _ => {}
        }
    }
    Outcome::in_progress("Installing", "it is being installed")
}
