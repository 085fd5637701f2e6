//! Signs that somebody wants it so: a switch in the spec, an annotation, no replicas.

use super::Rule;
use crate::view::{Path, number};
use crate::words::{List, tokens};
use serde_json::Value;

use super::case::{Case, get};
use super::signal::{Place, Signal, instant};
use crate::health::Health::{Degraded, Progressing, Suspended};
use crate::registry::path::scalar;

/// Tells whether the spec, a declared field or an annotation asks it to rest.
pub(super) fn judge<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    in_spec(case).or_else(|| declared(case)).or_else(|| in_annotations(case))
}

fn in_spec<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    // What is declared to be well so is not at rest.
    let spec = case.spec.filter(|_| !case.kind.healthy_if.iter().any(|test| test.holds(case.object)))?;
    let asked = |key: &str| spec.get(key) == Some(&Value::Bool(true));
    let rests = |path: &'static str, reason: &'static str| {
        Some(Signal::at(Suspended, Rule::SuspendedInSpec, path).reason(reason))
    };
    for (key, path) in [
        ("suspend", "spec.suspend"),
        ("suspended", "spec.suspended"),
        ("paused", "spec.paused"),
        ("pause", "spec.pause"),
        ("hibernate", "spec.hibernate"),
        ("hibernated", "spec.hibernated"),
        ("stop", "spec.stop"),
        ("stopped", "spec.stopped"),
        ("shutdown", "spec.shutdown"),
        ("disable", "spec.disable"),
        ("disabled", "spec.disabled"),
        ("unschedulable", "spec.unschedulable"),
        ("cordoned", "spec.cordoned"),
    ] {
        if asked(key) {
            return rests(path, "Suspended");
        }
    }
    for (keys, path) in [
        (&["updateStrategy", "paused"][..], "spec.updateStrategy.paused"),
        (&["updateStrategy", "rollingUpdate", "paused"], "spec.updateStrategy.rollingUpdate.paused"),
        (&["strategy", "paused"], "spec.strategy.paused"),
        (&["strategy", "rollingUpdate", "paused"], "spec.strategy.rollingUpdate.paused"),
        (&["rollout", "paused"], "spec.rollout.paused"),
        (&["rollout", "rollingUpdate", "paused"], "spec.rollout.rollingUpdate.paused"),
    ] {
        if get(Some(spec), keys) == Some(&Value::Bool(true)) {
            return rests(path, "Paused");
        }
    }
    if spec.get("enabled") == Some(&Value::Bool(false)) {
        return rests("spec.enabled", "Disabled");
    }
    None
}

/// The declared sign of rest, anywhere in the object.
fn declared<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let test = case.kind.suspended_if.iter().find(|test| test.holds(case.object))?;
    let value = test.path.of(case.object).map(scalar).unwrap_or_default();
    Some(Signal::declared(Suspended, Rule::SuspendedInSpec, &test.path).reason(value))
}

fn in_annotations<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let annotations = case.metadata?.get("annotations")?.as_object()?;
    for (key, value) in annotations {
        let name = key.rsplit('/').next().unwrap_or(key);
        let (mut is_rest, mut is_reconciliation, mut is_past) = (false, false, false);
        for token in tokens(name) {
            is_rest |= List::AtRest.has(token.as_str());
            is_reconciliation |= token.as_str().starts_with("reconcil");
            is_past |= matches!(token.as_str(), "last" | "previous" | "previously");
        }
        if !is_rest && !is_reconciliation {
            continue;
        }
        let value = scalar(value);
        let is = |words: &[&str]| words.iter().any(|word| value.eq_ignore_ascii_case(word));
        // Some write the time at which it was stopped.
        let is_since = || !is_past && instant(&value).is_some();
        let rests = is_rest && (is(&["true", "on", "yes", "enabled", ""]) || is_since())
            || is_reconciliation && is(&["false", "off", "no", "disabled", "paused"]);
        if rests {
            let place = Place::Path(Path::of(["metadata", "annotations", key]));
            return Some(Signal::new(Suspended, Rule::SuspendedByAnnotation, place).reason(value));
        }
    }
    None
}

/// Tells whether nothing is there because nothing was asked for: no replicas are wanted, and nothing worse than that is said.
pub(super) fn is_scaled_to_zero(case: &Case<'_>, worst: &Signal<'_>) -> bool {
    let is_mild = worst.health == Progressing || worst.health == Degraded && worst.is_weak;
    is_mild && wants_none(case)
}

/// No replicas are wanted, and the status says nothing that is understood.
pub(super) fn scaled_to_zero<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let rests = || Signal::at(Suspended, Rule::ScaledToZero, "spec.replicas").reason("ScaledToZero");
    wants_none(case).then(rests)
}

fn wants_none(case: &Case<'_>) -> bool {
    case.spec("replicas").and_then(number) == Some(0)
}
