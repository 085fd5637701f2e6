//! Pods.

use crate::judge::Rule;
use serde_json::{Map, Value};

use super::super::case::{Case, get, number, text};
use super::super::listed::{Listed, Said, find};
use super::super::signal::{Place, Signal, instant};
use super::conditions;
use crate::health::Health::{Degraded, Healthy, Progressing, Unknown};

/// For how many seconds a scheduler may look for a node.
const SCHEDULING: i64 = 300;

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
            let failed = in_phase(Degraded).message(case.status_text("message"));
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
            Some(ready) => ready.signal(Progressing, Rule::Pod),
            None => Signal::at(Progressing, Rule::Pod, "status.conditions[Ready]"),
        };
    }
    if let Some(scheduled) = find(&list, "PodScheduled")
        && scheduled.said() == Said::False
        && scheduled.reason() == "Unschedulable"
    {
        let since = scheduled.since().and_then(instant);
        let is_late = since.is_some_and(|since| case.now.as_second() - since.as_second() > SCHEDULING);
        return scheduled.signal(if is_late { Degraded } else { Progressing }, Rule::Pod);
    }
    if phase.is_empty() { in_phase(Progressing).reason("Pending") } else { in_phase(Progressing) }
}

/// A Pod that serves, and is about to be evicted or has not the resources that were asked for.
fn changing<'a>(list: &[Listed<'a>]) -> Option<Signal<'a>> {
    let types = ["DisruptionTarget", "PodResizePending", "PodResizeInProgress"];
    let found = types.iter().filter_map(|type_| find(list, type_)).find(|one| one.said() == Said::True)?;
    let is_refused = matches!(found.reason().as_ref(), "Infeasible" | "Error");
    Some(found.signal(if is_refused { Degraded } else { Progressing }, Rule::Pod))
}

/// A container that waits for something that waiting does not mend.
fn stuck_container<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    for key in ["initContainerStatuses", "containerStatuses"] {
        for container in case.status(key).and_then(Value::as_array).into_iter().flatten() {
            if !case.spend(1) {
                return None;
            }
            let Some(container) = container.as_object() else { continue };
            if key == "containerStatuses"
                && let Some(failed) = failed_for_good(case, container)
            {
                return Some(failed);
            }
            let Some(waiting) = get(Some(container), &["state", "waiting"]).and_then(Value::as_object) else {
                continue;
            };
            let reason = waiting.get("reason").and_then(Value::as_str).unwrap_or_default();
            let is_stuck = reason.ends_with("BackOff")
                || reason.starts_with("Err")
                || reason.ends_with("Error")
                || reason == "InvalidImageName";
            if is_stuck {
                let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
                let place = Place::Field(format!("status.{key}[{name}].state.waiting").into());
                let signal = Signal::new(Degraded, Rule::Pod, place).reason(reason);
                return Some(signal.message(text(waiting.get("message"))));
            }
        }
    }
    None
}

/// A container that failed in a Pod that restarts none; the others may run on.
fn failed_for_good<'a>(case: &Case<'a>, container: &'a Map<String, Value>) -> Option<Signal<'a>> {
    let ended = get(Some(container), &["state", "terminated"])?.as_object()?;
    let is_last = case.spec("restartPolicy").and_then(Value::as_str) == Some("Never");
    let failed = number(ended.get("exitCode")?)? != 0;
    let name = container.get("name").and_then(Value::as_str).unwrap_or_default();
    let place = Place::Field(format!("status.containerStatuses[{name}].state.terminated").into());
    let signal = || Signal::new(Degraded, Rule::Pod, place).reason(text(ended.get("reason")));
    (is_last && failed).then(|| signal().message(text(ended.get("message"))))
}

/// A Pod that ends, and whose Job has not: running is not the end.
fn is_of_a_job(case: &Case<'_>) -> bool {
    let ends = matches!(case.spec("restartPolicy").and_then(Value::as_str), Some("Never" | "OnFailure"));
    let owners = case.metadata.and_then(|metadata| metadata.get("ownerReferences")?.as_array());
    ends && owners.into_iter().flatten().any(|owner| owner.get("kind").and_then(Value::as_str) == Some("Job"))
}
