//! Booleans in fields.

use serde_json::Value;

use super::lexicon::is_hard;
use super::tokens::{Flat, tokens};
use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended};

/// Names of booleans of which `true` speaks for the whole.
pub(crate) const GOOD: &str = "pass passed compliant ready healthy available initialized synced succeeded valid active connected \
    success successful applied online bound insync uptodate established complete completed registered provisioned installed \
    deployed reconciled reachable issued attached programmed joined isready allready mounted";
/// How such names end.
pub(crate) const GOOD_ENDS: [&str; 3] = ["ready", "healthy", "granted"];
/// How such a name begins: `readyToUse`.
pub(crate) const GOOD_START: &str = "readyto";
/// `unhealthy`, `notReady`: what begins so is not good, however it ends.
pub(crate) const DENIALS: [&str; 2] = ["un", "not"];
/// Of the good ones, those that were judged: `false` is no step on the way.
const JUDGED: &str = "pass passed healthy compliant success successful valid succeeded online";
/// `false` is bad news, and `true` only a step on the way: what was accepted need not work yet.
pub(crate) const BROKEN_STEPS: &str = "accepted isvalid ishealthy operational";
/// As [`BROKEN_STEPS`], where `false` is not yet.
pub(crate) const STEPS: &str = "issynced isavailable isconnected";
/// `true` says that it rests.
pub(crate) const RESTING: &str = "controllerpause paused suspended hibernated stopped";
/// `true` says that it is broken.
pub(crate) const BROKEN: &str =
    "failed degraded unhealthy error unreachable offline disconnected unavailable";
/// `true` says that something is under way.
pub(crate) const UNDER_WAY: &str = "notready unready reconciling updating upgrading restoring rebalancing migrating provisioning \
    initializing restarting resizing deleting terminating";

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|one| one == word)
}

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
    if DENIALS.iter().any(|no| flat.starts_with(no)) {
        return false;
    }
    is_in(GOOD, flat) || GOOD_ENDS.iter().any(|end| flat.ends_with(end)) || flat.starts_with(GOOD_START)
}

/// What a boolean says by its name.
pub(super) fn boolean(key: &str, value: bool) -> Option<Health> {
    let flat = Flat::of(key);
    let flat = flat.as_str();
    if is_good_name(key) {
        return Some(match value {
            true => Healthy,
            false if is_in(JUDGED, flat) => Degraded,
            false => Progressing,
        });
    }
    let lists: &[(&str, Health)] = if value {
        &[(RESTING, Suspended), (BROKEN, Degraded), (UNDER_WAY, Progressing)]
    } else {
        &[(BROKEN_STEPS, Degraded), (STEPS, Progressing)]
    };
    if let Some((_, health)) = lists.iter().find(|(list, _)| is_in(list, flat)) {
        return Some(*health);
    }
    let begins_with_no = || tokens(key).next().is_some_and(|first| first.as_str() == "no");
    let is_bad = value && (begins_with_no() || tokens(key).any(|token| is_hard(token.as_str())));
    is_bad.then_some(Degraded)
}
