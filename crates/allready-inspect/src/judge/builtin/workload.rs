//! Workloads.

use crate::judge::Rule;
use crate::view::number;
use serde_json::Value;

use super::super::case::{Case, get, is_truthy};
use super::super::listed::{Said, find};
use super::super::signal::Signal;
use super::{conditions, unseen};
use crate::health::Health::{Degraded, Healthy, Progressing, Suspended};

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
    if let Some(progressing) = find(&list, "Progressing")
        && (progressing.reason() == "ProgressDeadlineExceeded" || progressing.said() == Said::False)
    {
        return progressing.signal(Degraded, RULE);
    }
    if let Some(failure) = find(&list, "ReplicaFailure")
        && failure.said() == Said::True
    {
        return failure.signal(Degraded, RULE);
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
        return available;
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

pub(super) fn replica_set<'a>(case: &Case<'a>) -> Signal<'a> {
    if let Some(unseen) = unseen(case) {
        return unseen;
    }
    if let Some(failure) = find(&conditions(case), "ReplicaFailure")
        && failure.said() == Said::True
    {
        return failure.signal(Degraded, Rule::ReplicaSet);
    }
    surplus(case, Rule::ReplicaSet)
        .unwrap_or_else(|| count(case, Rule::ReplicaSet, "availableReplicas", wanted(case), "available"))
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
    if ready.health != Healthy || is_on_delete(case) {
        return ready;
    }
    let partition =
        get(case.spec, &["updateStrategy", "rollingUpdate", "partition"]).and_then(number).unwrap_or(0);
    if partition > 0 {
        return count(case, RULE, "updatedReplicas", want.saturating_sub(partition), "updated");
    }
    if case.status("updateRevision") != case.status("currentRevision") {
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
        return count(case, RULE, "updatedNumberScheduled", want, "updated");
    }
    if case.status("desiredNumberScheduled").is_none() {
        return Signal::at(Progressing, RULE, "status.desiredNumberScheduled")
            .message("nothing is counted yet");
    }
    let available = count(case, RULE, "numberAvailable", want, "available");
    if available.health == Healthy && case.count("numberUnavailable") > 0 {
        return Signal::key(Progressing, RULE, "numberUnavailable").message("some are not available");
    }
    available
}
