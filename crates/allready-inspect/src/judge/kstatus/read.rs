//! Fields as kstatus reads them: some leniently, some not.

use serde_json::Value;

use super::Misshapen;

/// A whole number that must be one where it is there at all.
pub(super) fn integer(object: &Value, path: [&str; 2]) -> Result<Option<i64>, Misshapen> {
    let [first, second] = path;
    let refuse = |what: &str| Err(Misshapen(format!("{first}.{second} {what}")));
    match object.get(first) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(map)) => match map.get(second) {
            None => Ok(None),
            Some(value) => match whole(value) {
                Some(number) => Ok(Some(number)),
                None => refuse("is not a whole number"),
            },
        },
        Some(_) => refuse("cannot be there: what it is in is not an object"),
    }
}

/// The whole number that this is for Go: so is `-0`, which is none for `serde_json`.
fn whole(value: &Value) -> Option<i64> {
    let is_minus_zero = || value.as_f64().is_some_and(|float| float.to_bits() == (-0.0_f64).to_bits());
    value.as_i64().or_else(|| is_minus_zero().then_some(0))
}

fn field<'a>(object: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(object, |value, key| value.as_object()?.get(*key))
}

/// A whole number, or the default for anything else.
pub(super) fn number(object: &Value, path: &[&str], default: i64) -> i64 {
    field(object, path).and_then(whole).unwrap_or(default)
}

/// A text, or nothing for anything else.
pub(super) fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    field(object, path).and_then(Value::as_str).unwrap_or_default()
}

/// A condition as kstatus sees it.
pub(super) struct Seen<'a> {
    pub(super) type_: &'a str,
    pub(super) status: &'a str,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
}

/// The top-level conditions, all of them texts.
pub(super) struct Conditions<'a>(&'a [Value]);

impl<'a> Conditions<'a> {
    pub(super) fn of(object: &'a Value) -> Result<Self, Misshapen> {
        let refuse = |what: &str| Err(Misshapen(what.to_owned()));
        let list = match object.get("status") {
            None | Some(Value::Null) => None,
            Some(Value::Object(status)) => status.get("conditions").filter(|list| !list.is_null()),
            Some(_) => return refuse("status is not an object"),
        };
        let list = match list {
            None => &[][..],
            Some(Value::Array(list)) => list.as_slice(),
            Some(_) => return refuse("status.conditions is not a list"),
        };
        for entry in list {
            let entry = match entry {
                Value::Object(entry) => entry,
                // Go makes an empty condition of it.
                Value::Null => continue,
                _ => return refuse("a condition is not an object"),
            };
            for key in ["type", "status", "reason", "message"] {
                if !matches!(entry.get(key), None | Some(Value::Null | Value::String(_))) {
                    return Err(Misshapen(format!("{key} of a condition is not a text")));
                }
            }
        }
        Ok(Self(list))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Seen<'a>> + use<'a> {
        let list: &'a [Value] = self.0;
        list.iter().map(|entry| Seen {
            type_: text(entry, &["type"]),
            status: text(entry, &["status"]),
            reason: text(entry, &["reason"]),
            message: text(entry, &["message"]),
        })
    }

    pub(super) fn is(&self, type_: &str, status: &str) -> bool {
        self.iter().any(|condition| condition.type_ == type_ && condition.status == status)
    }
}
