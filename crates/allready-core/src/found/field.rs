//! One field at a time: a JSON value in, what it means and what is wrong with it out.

use std::borrow::Cow;

use serde_json::Value;

use super::irregularity::{IrregularityKind, describe};
use crate::condition::{TimeProblem, excerpt, rfc3339};
use crate::{ConditionType, Generation, Message, Reason, Status, Time};

/// What was read, and what is wrong with it.
type Read<T> = (T, Option<IrregularityKind>);

/// A field of an object; null is as good as missing.
pub(super) fn get<'a>(object: Option<&'a Value>, name: &str) -> Option<&'a Value> {
    object?.get(name).filter(|value| !value.is_null())
}

/// A text that may be missing; whatever else stands there becomes its JSON.
pub(super) fn text(value: Option<&Value>) -> Read<Cow<'_, str>> {
    match value {
        None => (Cow::Borrowed(""), None),
        Some(Value::String(text)) => (Cow::Borrowed(text), None),
        Some(other) => {
            let text = other.to_string();
            let kind = IrregularityKind::NotText { found: describe(other), read_as: excerpt(&text) };
            (Cow::Owned(text), Some(kind))
        }
    }
}

/// A text that must be there, and must pass a check.
fn required_text(
    value: Option<&Value>,
    check: impl FnOnce(&str) -> Option<IrregularityKind>,
) -> Read<Cow<'_, str>> {
    if value.is_none() {
        return (Cow::Borrowed(""), Some(IrregularityKind::Missing { read_as: "empty" }));
    }
    let (text, not_text) = text(value);
    let kind = not_text.or_else(|| check(&text));
    (text, kind)
}

pub(super) fn type_(value: Option<&Value>) -> Read<Cow<'_, str>> {
    required_text(value, |text| {
        let problem = ConditionType::check(text).err()?;
        Some(IrregularityKind::Type { found: excerpt(text), problem })
    })
}

pub(super) fn reason(value: Option<&Value>) -> Read<Cow<'_, str>> {
    required_text(value, |text| {
        let problem = Reason::check(text).err()?;
        Some(IrregularityKind::Reason { found: excerpt(text), problem })
    })
}

pub(super) fn message(value: Option<&Value>) -> Read<Cow<'_, str>> {
    required_text(value, |text| {
        (text.len() > Message::MAX_BYTES).then_some(IrregularityKind::MessageTooLong { found: text.len() })
    })
}

pub(super) fn status(value: Option<&Value>) -> Read<Status> {
    let Some(value) = value else {
        return (Status::Unknown, Some(IrregularityKind::Missing { read_as: Status::Unknown.as_str() }));
    };
    match value {
        Value::Bool(found) => (Status::from(*found), Some(IrregularityKind::StatusBoolean { found: *found })),
        Value::String(text) => {
            if let Ok(status) = text.parse() {
                return (status, None);
            }
            let meant = [Status::True, Status::False, Status::Unknown]
                .into_iter()
                .find(|status| status.as_str().eq_ignore_ascii_case(text.trim()));
            match meant {
                Some(read_as) => {
                    (read_as, Some(IrregularityKind::StatusSpelling { found: excerpt(text), read_as }))
                }
                None => unreadable_status(value),
            }
        }
        other => unreadable_status(other),
    }
}

fn unreadable_status(value: &Value) -> Read<Status> {
    (Status::Unknown, Some(IrregularityKind::StatusUnreadable { found: describe(value) }))
}

/// The time since which a condition has its status: unlike others, it must be there.
pub(super) fn since(value: Option<&Value>) -> Read<Option<Time>> {
    match value {
        None => (None, Some(IrregularityKind::Missing { read_as: "no time" })),
        value => time(value),
    }
}

/// A time that may be missing.
pub(super) fn time(value: Option<&Value>) -> Read<Option<Time>> {
    let Some(value) = value else { return (None, None) };
    let read = match value {
        Value::String(text) => rfc3339::from_text(text),
        Value::Number(number) => {
            let time = number.as_f64().and_then(rfc3339::from_number);
            time.map(|time| (time, Some(TimeProblem::Number)))
        }
        _ => None,
    };
    match read {
        Some((time, None)) => (Some(time), None),
        Some((read_as, Some(problem))) => {
            let kind = IrregularityKind::TimeForm { found: describe(value), problem, read_as };
            (Some(read_as), Some(kind))
        }
        None => (None, Some(IrregularityKind::TimeUnreadable { found: describe(value) })),
    }
}

/// A generation, which may always be missing.
pub(super) fn generation(value: Option<&Value>) -> Read<Option<Generation>> {
    let Some(value) = value else { return (None, None) };
    if let Some(generation) = value.as_i64().and_then(|number| Generation::new(number).ok()) {
        return (Some(generation), None);
    }
    let meant = match value {
        Value::Number(number) => number.as_f64().and_then(whole),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    match meant.and_then(|number| Generation::new(number).ok()) {
        Some(read_as) => {
            (Some(read_as), Some(IrregularityKind::GenerationForm { found: describe(value), read_as }))
        }
        None => (None, Some(IrregularityKind::GenerationUnreadable { found: describe(value) })),
    }
}

/// The whole number that a float is, as far as floats are exact.
fn whole(number: f64) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(clippy::cast_possible_truncation, reason = "a whole number up to 2^53 fits exactly")]
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}
