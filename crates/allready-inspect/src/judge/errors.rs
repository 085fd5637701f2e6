//! Fields that hold an error.

use crate::view::{json, number};
use crate::words::{Flat, List, Token, is_hard, tokens};
use std::borrow::Cow;

use serde_json::Value;

use super::signal::instant;

/// Tells whether a field is there to hold an error.
pub(super) fn is_error_key(key: &str) -> bool {
    // Most keys are told apart by not having these letters: error, failure, issues, problems, conflicts, blockers, reason, exception.
    let is_near = |pair: &[u8]| {
        matches!(
            [pair[0] | 0x20, pair[1] | 0x20],
            [b'r', b'r' | b'n']
                | [b'a', b'i']
                | [b's', b's' | b'o']
                | [b'o', b'b']
                | [b'n', b'f']
                | [b'c', b'k']
                | [b'x', b'c']
        )
    };
    if !key.as_bytes().windows(2).any(is_near) {
        return false;
    }
    List::ErrorField.has(Flat::of(key).as_str()) || ends_in_error(key)
}

/// `reconcileError`, `lastErrorMessage`, `errorReason`, `lastFailureMessage`.
fn ends_in_error(key: &str) -> bool {
    let mut before = None;
    let mut last = None;
    for token in tokens(key) {
        before = last.replace(token);
    }
    let is_error =
        |token: Option<&Token>| token.is_some_and(|token| matches!(token.as_str(), "error" | "errors"));
    // failureReason, rejectionMessage, degradedReason.
    let is_failure = before.as_ref().is_some_and(|token| {
        is_hard(token.as_str()) || matches!(token.as_str(), "degraded" | "unhealthy" | "fault")
    });
    let is_text = last.as_ref().is_some_and(|last| List::ErrorTextEnding.has(last.as_str()));
    is_error(last.as_ref()) || is_text && (is_error(before.as_ref()) || is_failure)
}

/// The number of errors that a counter has counted: `errorCount`, `numErrors`, `consecutiveFailures`. What is counted over a life time, or is a
/// limit, is none; nor is `failureCount`, which retries that went well in the end leave behind.
pub(super) fn count(key: &str, value: &Value) -> Option<i64> {
    // Most keys are told apart by not having these letters.
    let is_near =
        |pair: &[u8]| matches!([pair[0] | 0x20, pair[1] | 0x20], [b'r', b'r'] | [b'a', b'i'] | [b'n', b'f']);
    if !key.as_bytes().windows(2).any(is_near) {
        return None;
    }
    let is_counter = List::ErrorCounter.has(Flat::of(key).as_str());
    number(value).filter(|count| is_counter && *count > 0)
}

/// Tells whether it is but the time of an error: `lastError: 2026-03-01T10:00:00Z` may be long over.
pub(super) fn is_time(value: &Value) -> bool {
    value.as_str().is_some_and(|text| instant(text).is_some())
}

/// Words that are written where there is no error.
pub(super) fn is_no_error(value: &Value) -> bool {
    let text = value.as_str().map(Flat::of);
    text.is_some_and(|text| List::NoError.has(text.as_str()))
}

/// The text of the error.
pub(super) fn error_text(value: &Value) -> Cow<'_, str> {
    match value {
        Value::String(text) => Cow::Borrowed(text),
        Value::Object(map) => {
            match map.get("message").and_then(Value::as_str).filter(|text| !text.is_empty()) {
                Some(text) => Cow::Borrowed(text),
                None => Cow::Owned(json(value)),
            }
        }
        other => Cow::Owned(json(other)),
    }
}
