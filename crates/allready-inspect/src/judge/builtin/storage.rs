//! Claims and volumes.

use crate::judge::Rule;
use serde_json::{Map, Value};

use super::super::case::{Case, get};
use super::super::listed::{Listed, Said};
use super::super::signal::Signal;
use super::conditions;
use crate::health::Health::{Degraded, Healthy, Progressing};

const RULE: Rule = Rule::Volume;

pub(super) fn claim<'a>(case: &Case<'a>) -> Signal<'a> {
    let phase = case.status_text("phase");
    if phase == "Bound"
        && let Some(change) = resize(case).or_else(|| modification(case))
    {
        return change;
    }
    let health = match phase {
        "Bound" => Healthy,
        "Lost" => Degraded,
        _ => Progressing,
    };
    Signal::key(health, RULE, "phase").reason(phase)
}

/// The signal of a bound claim that is to grow.
fn resize<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let list = conditions(case);
    let is_true = |one: &&Listed<'_>| one.said() == Said::True;
    if let Some(error) = list.iter().filter(is_true).find(|one| one.type_.ends_with("Error")) {
        return Some(error.signal(Degraded, RULE));
    }
    let states = case.status("allocatedResourceStatuses").and_then(Value::as_object);
    let states: Vec<&str> = states.into_iter().flat_map(Map::values).filter_map(Value::as_str).collect();
    let is_refused = |state: &&&str| state.ends_with("Infeasible") || state.ends_with("Failed");
    let at = |health, state| Some(Signal::key(health, RULE, "allocatedResourceStatuses").reason(state));
    if let Some(refused) = states.iter().find(is_refused) {
        return at(Degraded, *refused);
    }
    if let Some(first) = states.first() {
        return at(Progressing, *first);
    }
    let changes = ["Resizing", "FileSystemResizePending", "ModifyingVolume"];
    let under_way = list.iter().filter(is_true).find(|one| changes.contains(&one.type_))?;
    Some(under_way.signal(Progressing, RULE))
}

/// The signal of a bound claim that is to be of another class.
fn modification<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let state = get(case.status, &["modifyVolumeStatus", "status"])?.as_str()?;
    let health = if state == "Infeasible" { Degraded } else { Progressing };
    Some(Signal::at(health, RULE, "status.modifyVolumeStatus.status").reason(state))
}

pub(super) fn volume<'a>(case: &Case<'a>) -> Signal<'a> {
    let phase = case.status_text("phase");
    let health = match phase {
        "Bound" | "Available" | "Released" => Healthy,
        "Failed" => Degraded,
        _ => Progressing,
    };
    Signal::key(health, RULE, "phase").reason(phase).message(case.status_text("message"))
}
