//! Fields that hold an error.

use std::borrow::Cow;

use serde_json::Value;

use super::case::json;
use super::tokens::{Flat, Token, tokens};

/// Whether a field is there to hold an error.
pub(super) fn is_error_key(key: &str) -> bool {
    // Most keys are told apart by not having these letters.
    let is_near = |pair: &[u8]| [b"rr", b"ai", b"rn"].into_iter().any(|near| pair.eq_ignore_ascii_case(near));
    if !key.as_bytes().windows(2).any(is_near) {
        return false;
    }
    matches!(
        Flat::of(key).as_str(),
        "error"
            | "errormessage"
            | "failurereason"
            | "failuremessage"
            | "lasterror"
            | "errors"
            | "failure"
            | "errmsg"
            | "expressionwarnings"
    ) || ends_in_error(key)
}

/// `reconcileError`, `lastErrorMessage`, `errorReason`.
fn ends_in_error(key: &str) -> bool {
    let mut before = None;
    let mut last = None;
    for token in tokens(key) {
        before = last.replace(token);
    }
    let is_error =
        |token: Option<&Token>| token.is_some_and(|token| matches!(token.as_str(), "error" | "errors"));
    let is_text = last.as_ref().is_some_and(|last| matches!(last.as_str(), "message" | "reason"));
    is_error(last.as_ref()) || is_text && is_error(before.as_ref())
}

/// Words that are written where there is no error.
pub(super) fn is_no_error(value: &Value) -> bool {
    let text = value.as_str().map(Flat::of);
    text.is_some_and(|text| {
        matches!(text.as_str(), "none" | "null" | "nil" | "na" | "ok" | "noerror" | "noerrors")
    })
}

/// What the error says.
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
