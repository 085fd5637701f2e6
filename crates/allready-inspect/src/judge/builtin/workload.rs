//! Workloads.

use crate::judge::Rule;
use crate::view::number;
use crate::writers::status_written;
use serde_json::Value;

use super::super::case::{Case, get, is_truthy};
use super::super::listed::{Listed, Said, find};
use super::super::signal::{Signal, instant};
use super::{conditions, unseen};
use crate::health::Health::{Degraded, Healthy, Progressing, Suspended};

/// The seconds for which none may be available before that is an outage. Scaling up from zero passes through the same state.
const OUTAGE: i64 = 60;
/// The seconds without progress after which missing replicas are not on their way any more: the default of
/// `progressDeadlineSeconds` of a Deployment, and for kinds without a deadline the time for which their status did not change.
const STALLED: i64 = 600;
/// The seconds after its creation in which a set counts its first Pods. A status that has not changed since then is about the
/// first rollout, in which images are pulled.
const FIRST_COUNT: i64 = 30;

/// The number that is wanted; one when nothing is said.
fn wanted(case: &Case<'_>) -> i64 {
    case.spec("replicas").and_then(number).unwrap_or(1)
}

fn count<'a>(case: &Case<'a>, rule: Rule, key: &'static str, want: i64, word: &str) -> Signal<'a> {
    let have = case.count(key);
    let health = if have < want { Progressing } else { Healthy };
    Signal::key(health, rule, key).message(format!("{have} of {want} {word}"))
}

/// More are there than are wanted.
fn surplus<'a>(case: &Case<'a>, rule: Rule) -> Option<Signal<'a>> {
    let (have, want) = (case.count("replicas"), wanted(case));
    let signal =
        || Signal::key(Progressing, rule, "replicas").message(format!("{have} are there, {want} are wanted"));
    (have > want).then(signal)
}

fn is_on_delete(case: &Case<'_>) -> bool {
    get(case.spec, &["updateStrategy", "type"]).and_then(Value::as_str) == Some("OnDelete")
}

pub(super) fn deployment<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::Deployment;
    if case.spec("paused").is_some_and(is_truthy) {
        return Signal::at(Suspended, Rule::SuspendedInSpec, "spec.paused").reason("Paused");
    }
    if let Some(unseen) = unseen(case) {
        return unseen;
    }
    let list = conditions(case);
    // It names the cause for which the deadline was missed.
    if let Some(failure) = find(&list, "ReplicaFailure")
        && failure.said() == Said::True
    {
        return failure.signal(Degraded, RULE);
    }
    if let Some(progressing) = find(&list, "Progressing")
        && (progressing.reason() == "ProgressDeadlineExceeded" || progressing.said() == Said::False)
    {
        return progressing.signal(Degraded, RULE);
    }
    let want = wanted(case);
    let updated = case.count("updatedReplicas");
    if updated < want {
        return count(case, RULE, "updatedReplicas", want, "updated");
    }
    if case.count("replicas") > updated {
        return Signal::key(Progressing, RULE, "replicas").message("old replicas are still ending");
    }
    let available = count(case, RULE, "availableReplicas", updated.max(want), "available");
    if available.health != Healthy {
        return after_rollout(case, &list, available);
    }
    if case.count("unavailableReplicas") > 0 {
        return Signal::key(Progressing, RULE, "unavailableReplicas").message("some are not available");
    }
    // The counts may be complete a moment before, or long after, the controller believes in them.
    match find(&list, "Available") {
        Some(opinion) if opinion.said() != Said::True => opinion.signal(Progressing, RULE),
        _ => available,
    }
}

/// Replicas that a Deployment lacks after a complete rollout, for which its controller knows no deadline.
fn after_rollout<'a>(case: &Case<'a>, list: &[Listed<'a>], missing: Signal<'a>) -> Signal<'a> {
    let progressing = find(list, "Progressing");
    if progressing.is_some_and(|progressing| progressing.reason() != "NewReplicaSetAvailable") {
        return missing;
    }
    let Some(available) = find(list, "Available").filter(|available| available.said() == Said::False) else {
        return overdue(case, missing, false);
    };
    let has_none = case.count("availableReplicas") == 0;
    // Without the condition nothing tells whether the rollout is complete.
    let patience =
        if has_none && progressing.is_some() { patience(case, OUTAGE) } else { progress_deadline(case) };
    if !case.has_lasted(available.since(), patience) {
        return missing;
    }
    let rule = if has_none { Rule::Outage } else { Rule::Stalled };
    let overdue = Signal { health: Degraded, rule, ..missing };
    overdue.reason(available.reason()).since(available.since())
}

fn progress_deadline(case: &Case<'_>) -> i64 {
    // The greatest number stands for no deadline.
    let is_deadline = |seconds: &i64| *seconds < i64::from(i32::MAX);
    case.spec("progressDeadlineSeconds").and_then(number).filter(is_deadline).unwrap_or(STALLED)
}

/// Some seconds, and those for which a Pod must be ready to be available.
fn patience(case: &Case<'_>, seconds: i64) -> i64 {
    let ready = case.spec("minReadySeconds").and_then(number).unwrap_or(0);
    seconds.saturating_add(ready.max(0))
}

/// Missing replicas of a kind that has no times in its status, by the time when that was last written. `has_none` tells that none
/// is ready though no rollout is under way.
fn overdue<'a>(case: &Case<'a>, missing: Signal<'a>, has_none: bool) -> Signal<'a> {
    let written = status_written(case.object).filter(|_| missing.health != Healthy);
    let signal = |rule, reason: &'static str| {
        Signal { health: Degraded, rule, ..missing.clone() }.reason(reason).since(written)
    };
    if has_none && case.has_lasted(written, patience(case, OUTAGE)) && !is_first_rollout(case, written) {
        return signal(Rule::Outage, "NoneReady");
    }
    if case.has_lasted(written, patience(case, STALLED)) {
        return signal(Rule::Stalled, "Stalled");
    }
    missing
}

/// Tells whether the status has not changed since the Pods were made.
fn is_first_rollout(case: &Case<'_>, written: Option<&str>) -> bool {
    let times = case.created().and_then(instant).zip(written.and_then(instant));
    times.is_some_and(|(created, written)| written.since(created).as_secs() <= FIRST_COUNT)
}

/// Tells whether another object has made it, which knows whether a rollout is under way.
fn is_controlled(case: &Case<'_>) -> bool {
    let owners = case.metadata.and_then(|metadata| metadata.get("ownerReferences")?.as_array());
    owners.into_iter().flatten().any(|owner| owner.get("controller").is_some_and(is_truthy))
}

pub(super) fn replica_set<'a>(case: &Case<'a>) -> Signal<'a> {
    if let Some(unseen) = unseen(case) {
        return unseen;
    }
    if let Some(failure) = find(&conditions(case), "ReplicaFailure")
        && failure.said() == Said::True
    {
        return failure.signal(Degraded, Rule::ReplicaSet);
    }
    surplus(case, Rule::ReplicaSet).unwrap_or_else(|| {
        let available = count(case, Rule::ReplicaSet, "availableReplicas", wanted(case), "available");
        overdue(case, available, case.count("readyReplicas") == 0 && !is_controlled(case))
    })
}

pub(super) fn stateful_set<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::StatefulSet;
    if let Some(unseen) = unseen(case) {
        return unseen;
    }
    let want = wanted(case);
    if let Some(surplus) = surplus(case, RULE) {
        return surplus;
    }
    let ready = match case.status("availableReplicas") {
        // Ready, and for as long as minReadySeconds asks.
        Some(_) if case.count("readyReplicas") >= want => {
            count(case, RULE, "availableReplicas", want, "available")
        }
        _ => count(case, RULE, "readyReplicas", want, "ready"),
    };
    let is_one_revision = case.status("updateRevision") == case.status("currentRevision");
    if ready.health != Healthy || is_on_delete(case) {
        return overdue(case, ready, case.count("readyReplicas") == 0 && is_one_revision);
    }
    let partition =
        get(case.spec, &["updateStrategy", "rollingUpdate", "partition"]).and_then(number).unwrap_or(0);
    if partition > 0 {
        return count(case, RULE, "updatedReplicas", want.saturating_sub(partition), "updated");
    }
    if !is_one_revision {
        return Signal::key(Progressing, RULE, "updateRevision")
            .message("replicas of an older revision are left");
    }
    ready
}

pub(super) fn daemon_set<'a>(case: &Case<'a>) -> Signal<'a> {
    const RULE: Rule = Rule::DaemonSet;
    if let Some(unseen) = unseen(case) {
        return unseen;
    }
    let want = case.count("desiredNumberScheduled");
    if !is_on_delete(case) && case.count("updatedNumberScheduled") < want {
        return overdue(case, count(case, RULE, "updatedNumberScheduled", want, "updated"), false);
    }
    if case.status("desiredNumberScheduled").is_none() {
        return Signal::at(Progressing, RULE, "status.desiredNumberScheduled")
            .message("nothing is counted yet");
    }
    let available = count(case, RULE, "numberAvailable", want, "available");
    if available.health == Healthy && case.count("numberUnavailable") > 0 {
        return Signal::key(Progressing, RULE, "numberUnavailable").message("some are not available");
    }
    overdue(case, available, case.count("numberReady") == 0)
}
