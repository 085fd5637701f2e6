//! Booleans in fields.

use crate::words::{Flat, List, is_hard, tokens, word};
use serde_json::Value;

use crate::health::Health::{self, Degraded, Healthy, Progressing, Suspended};

/// A boolean, also one that is written as text.
pub(super) fn truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(value) => Some(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Tells whether `true` speaks for the whole.
pub(super) fn is_good_name(key: &str) -> bool {
    let flat = Flat::of(key);
    let flat = flat.as_str();
    let rest = asked(flat).unwrap_or(flat);
    if rest.starts_with("un") || rest.starts_with("not") {
        return false;
    }
    // configValid, and not configInvalid.
    let is_validity = || tokens(key).last().is_some_and(|last| last.as_str() == "valid");
    List::GoodFlag.has(flat)
        || List::GoodFlagEnding.ends(flat)
        || flat.starts_with("readyto")
        || flat != "isvalid" && is_validity()
}

/// The words that begin the name of a boolean: `isStale`, `hasConflicts`.
fn asked(flat: &str) -> Option<&str> {
    flat.strip_prefix("is").or_else(|| flat.strip_prefix("has"))
}

/// The meaning of a boolean by its name.
pub(super) fn boolean(key: &str, value: bool) -> Option<Health> {
    let flat = Flat::of(key);
    let known = word(flat.as_str());
    if is_good_name(key) {
        return Some(match value {
            true => Healthy,
            false if known.is(List::JudgedFlag) => Degraded,
            false if asked(flat.as_str()).is_some_and(|rest| List::JudgedFlag.has(rest)) => Degraded,
            false => Progressing,
        });
    }
    let lists: &[(List, Health)] = if value {
        &[(List::RestFlag, Suspended), (List::BrokenFlag, Degraded), (List::ActivityFlag, Progressing)]
    } else {
        &[(List::BrokenStep, Degraded), (List::Step, Progressing)]
    };
    if value && asked(flat.as_str()).is_some_and(|rest| List::BrokenFlag.has(rest)) {
        return Some(Degraded);
    }
    if value && ["waitingfor", "awaiting"].iter().any(|start| flat.as_str().starts_with(start)) {
        return Some(Progressing);
    }
    if let Some((_, health)) = lists.iter().find(|(list, _)| known.is(*list)) {
        return Some(*health);
    }
    let begins_with_no = || tokens(key).next().is_some_and(|first| first.as_str() == "no");
    let is_bad = value && (begins_with_no() || tokens(key).any(|token| is_hard(token.as_str())));
    is_bad.then_some(Degraded)
}
