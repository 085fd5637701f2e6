//! Pods.

use std::borrow::Cow;

use crate::judge::Rule;
use serde_json::Value;

use super::super::case::Case;
use super::super::containers::containers;
use super::super::listed::{Listed, Said, find};
use super::super::signal::{Place, Signal};
use super::conditions;
use crate::health::Health::{Degraded, Healthy, Progressing, Unknown};

/// For how many seconds a scheduler may look for a node.
const SCHEDULING: i64 = 20;

pub(super) fn judge<'a>(case: &Case<'a>) -> Signal<'a> {
    let phase = case.status_text("phase");
    if let Some(stuck) = stuck_container(case) {
        return stuck;
    }
    let in_phase = |health| Signal::key(health, Rule::Pod, "phase").reason(phase);
    match phase {
        "Succeeded" => return in_phase(Healthy),
        "Failed" => {
            let reason = case.status_text("reason");
            let mut failed = in_phase(Degraded).message(case.status_text("message"));
            if failed.message.is_empty()
                && let Some(disruption) = disruption(&conditions(case))
            {
                failed.message = disruption.message;
            }
            return if reason.is_empty() { failed } else { failed.reason(reason) };
        }
        "Unknown" => return in_phase(Unknown).message(case.status_text("message")),
        _ => {}
    }
    let list = conditions(case);
    if phase == "Running" {
        if is_of_a_job(case) {
            return in_phase(Progressing);
        }
        return match find(&list, "Ready") {
            Some(ready) if ready.said() == Said::True => {
                changing(&list).unwrap_or_else(|| ready.signal(Healthy, Rule::Pod))
            }
            Some(ready) => disruption(&list).unwrap_or_else(|| not_ready(case, ready)),
            None => Signal::new(Progressing, Rule::Pod, Place::Condition("Ready")),
        };
    }
    if let Some(scheduled) = find(&list, "PodScheduled")
        && scheduled.said() == Said::False
        && scheduled.reason() == "Unschedulable"
    {
        let is_late = case.has_lasted(scheduled.since(), SCHEDULING);
        return scheduled.signal(if is_late { Degraded } else { Progressing }, Rule::Pod);
    }
    if phase == "Pending"
        && let Some(init) = containers(&case.view).find(|one| one.is_init && one.reason == "PodInitializing")
    {
        let message = format!("init container {}: {}", init.name, init.message);
        let signal = Signal::new(Progressing, Rule::Pod, Place::Path(init.path));
        return signal.reason(init.reason).message(message);
    }
    if phase.is_empty() { in_phase(Progressing).reason("Pending") } else { in_phase(Progressing) }
}

/// A Pod that serves, and is about to be evicted or has not the resources that were asked for.
fn changing<'a>(list: &[Listed<'a>]) -> Option<Signal<'a>> {
    if let Some(disruption) = disruption(list) {
        return Some(disruption);
    }
    let types = ["PodResizePending", "PodResizeInProgress"];
    let found = types.iter().filter_map(|type_| find(list, type_)).find(|one| one.said() == Said::True)?;
    let is_refused = matches!(found.reason().as_ref(), "Infeasible" | "Error");
    Some(found.signal(if is_refused { Degraded } else { Progressing }, Rule::Pod))
}

/// The signal of a Pod that is about to be evicted, preempted or deleted with its node.
fn disruption<'a>(list: &[Listed<'a>]) -> Option<Signal<'a>> {
    let target = find(list, "DisruptionTarget").filter(|target| target.said() == Said::True)?;
    Some(target.signal(Progressing, Rule::Pod))
}

/// The signal of a Pod that runs and is not ready. Where its condition has no words, they are in the status; where nothing has, the node
/// controller has marked it, because the kubelet of its node gives no sign.
fn not_ready<'a>(case: &Case<'a>, ready: Listed<'a>) -> Signal<'a> {
    let signal = ready.signal(Progressing, Rule::Pod);
    if !signal.reason.is_empty() || !signal.message.is_empty() {
        return signal;
    }
    let (reason, message) = (case.status_text("reason"), case.status_text("message"));
    let signal = signal.reason(if reason.is_empty() { "NotReady" } else { reason });
    if !reason.is_empty() || !message.is_empty() {
        return signal.message(message);
    }
    signal.message(match case.spec("nodeName").and_then(Value::as_str) {
        Some(node) => format!("is not ready, and nothing says why; its node {node} may be lost").into(),
        None => Cow::Borrowed("is not ready, and nothing says why"),
    })
}

/// A container that does not get well by waiting.
fn stuck_container<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let mut affordable = containers(&case.view).take_while(|_| case.spend(1));
    let stuck = affordable.find(|container| container.health == Degraded)?;
    let signal = Signal::new(Degraded, Rule::Pod, Place::Path(stuck.path));
    Some(signal.reason(stuck.reason).message(stuck.message))
}

/// A Pod that ends, and whose Job has not: running is not the end.
fn is_of_a_job(case: &Case<'_>) -> bool {
    let ends = matches!(case.spec("restartPolicy").and_then(Value::as_str), Some("Never" | "OnFailure"));
    let owners = case.metadata.and_then(|metadata| metadata.get("ownerReferences")?.as_array());
    ends && owners.into_iter().flatten().any(|owner| owner.get("kind").and_then(Value::as_str) == Some("Job"))
}
