//! How deep an object may nest: what is stored can be read again, and no reader of it runs out of stack.

use serde_json::Value;

use crate::status::Failure;

/// Levels of an object that a client may make. The real server takes more; no kind needs nearly as many.
pub(crate) const DEEPEST: usize = 120;
/// Levels of metadata: who manages a field is said a few levels below the field's own depth.
const METADATA: usize = DEEPEST + 6;

/// Whether a value has more levels of lists and maps than a limit. It looks no deeper than that.
pub(crate) fn exceeds(value: &Value, limit: usize) -> bool {
    match (value, limit.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(items), Some(below)) => items.iter().any(|item| exceeds(item, below)),
        (Value::Object(fields), Some(below)) => fields.values().any(|field| exceeds(field, below)),
        _ => false,
    }
}

/// How many levels a value has; `None` for more than a limit.
pub(crate) fn of(value: &Value, limit: usize) -> Option<usize> {
    fn deepest<'v>(values: impl Iterator<Item = &'v Value>, below: usize) -> Option<usize> {
        values.map(|value| of(value, below)).try_fold(0, |most, depth| depth.map(|depth| depth.max(most)))
    }
    match value {
        Value::Array(items) => deepest(items.iter(), limit.checked_sub(1)?).map(|depth| depth + 1),
        Value::Object(fields) => deepest(fields.values(), limit.checked_sub(1)?).map(|depth| depth + 1),
        _ => Some(0),
    }
}

/// Refuses an object that nests too deep to be stored.
pub(crate) fn check(object: &Value) -> Result<(), Failure> {
    let too_deep = match object {
        Value::Object(fields) => fields.iter().any(|(name, value)| {
            let limit = if name == "metadata" { METADATA } else { DEEPEST };
            exceeds(value, limit - 1)
        }),
        other => exceeds(other, DEEPEST),
    };
    if too_deep { Err(refusal()) } else { Ok(()) }
}

/// What is said of an object that nests too deep.
pub(crate) fn refusal() -> Failure {
    Failure::bad_request(format!("exceeded max depth: an object has at most {DEEPEST} levels"))
}
