//! Booleans in fields.

use serde_json::Value;

use super::Health::{self, Degraded, Healthy, Progressing, Suspended};
use super::lexicon::is_hard;
use super::tokens::{Flat, tokens};

/// A boolean, also one that is written as text.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Whether `true` speaks for the whole.
pub(super) fn is_good_name(key: &str) -> bool {
    let flat = Flat::of(key);
    let flat = flat.as_str();
    // Unhealthy, notReady.
    if flat.starts_with("un") || flat.starts_with("not") {
        return false;
    }
    matches!(
        flat,
        "pass"
            | "passed"
            | "compliant"
            | "ready"
            | "healthy"
            | "available"
            | "initialized"
            | "synced"
            | "succeeded"
            | "valid"
            | "active"
            | "connected"
            | "success"
            | "successful"
            | "applied"
            | "online"
            | "bound"
            | "insync"
            | "uptodate"
            | "established"
            | "complete"
            | "completed"
            | "registered"
            | "provisioned"
            | "installed"
            | "deployed"
            | "reconciled"
            | "reachable"
            | "issued"
            | "attached"
            | "programmed"
            | "joined"
            | "isready"
            | "allready"
    ) || flat.ends_with("ready")
        || flat.ends_with("healthy")
        || flat.ends_with("granted")
        || flat.starts_with("readyto")
}

/// Whether `false` is bad news and `true` is only a step on the way: what was accepted need not work yet.
fn is_step(flat: &str) -> Option<Health> {
    match flat {
        "accepted" | "isvalid" | "ishealthy" | "operational" => Some(Degraded),
        "issynced" | "isavailable" | "isconnected" => Some(Progressing),
        _ => None,
    }
}

/// What a boolean says by its name.
pub(super) fn boolean(key: &str, value: bool) -> Option<Health> {
    let flat = Flat::of(key);
    if is_good_name(key) {
        let is_judged = matches!(
            flat.as_str(),
            "pass"
                | "passed"
                | "healthy"
                | "compliant"
                | "success"
                | "successful"
                | "valid"
                | "succeeded"
                | "online"
        );
        return Some(match value {
            true => Healthy,
            false if is_judged => Degraded,
            false => Progressing,
        });
    }
    if !value {
        return is_step(flat.as_str());
    }
    match flat.as_str() {
        "controllerpause" | "paused" | "suspended" | "hibernated" | "stopped" => return Some(Suspended),
        "failed" | "degraded" | "unhealthy" | "error" | "unreachable" | "offline" | "disconnected"
        | "unavailable" => return Some(Degraded),
        "notready" | "unready" | "reconciling" | "updating" | "upgrading" | "restoring" | "rebalancing"
        | "migrating" | "provisioning" | "initializing" | "restarting" | "resizing" | "deleting"
        | "terminating" => return Some(Progressing),
        _ => {}
    }
    let begins_with_no = tokens(key).next().is_some_and(|first| first.as_str() == "no");
    (begins_with_no || tokens(key).any(|token| is_hard(token.as_str()))).then_some(Degraded)
}
