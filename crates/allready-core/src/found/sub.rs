//! The errors and warnings of a condition as they were found.

use std::borrow::Cow;

use serde_json::Value;

use super::field;
use crate::condition::{SubCondition, cut};
use crate::{ConditionType, Message, Reason, Status, condition_type};

/// The number of bytes that are shown of a value which is not shaped as an error.
const SHOWN_BYTES: usize = 200;

/// The `errors` or the `warnings` of a condition: a view of the JSON, so that a list costs nothing until it is read.
///
/// `metav1.Condition` has no such fields, and projects shape them as they like, so that nothing in them is an
/// [irregularity](super::Irregularity). A value that is no list is one entry, unless it is empty, zero or false.
///
/// ```
/// use allready_core::found;
/// use serde_json::json;
///
/// let conditions = json!([{"type": "Valid", "status": "False", "errors": [
///     {"type": "TLSError", "status": "True", "reason": "SecretNotValid", "message": "Secret cert not found"},
///     "the port is taken",
/// ], "warnings": null}]);
/// let list = found::read(&conditions);
/// let valid = list.find("Valid").unwrap();
/// let told: Vec<_> = valid.errors.iter().map(|error| error.message).collect();
/// assert_eq!(told, ["Secret cert not found", "the port is taken"]);
/// assert!(valid.warnings.is_empty());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FoundSubConditions<'a>(&'a [Value]);

impl<'a> FoundSubConditions<'a> {
    /// Reads the value of the field, whatever it is.
    pub fn read(value: Option<&'a Value>) -> Self {
        Self(match value {
            None | Some(Value::Null | Value::Bool(false)) => &[],
            Some(Value::Array(entries)) => entries,
            Some(Value::String(text)) if text.trim().is_empty() => &[],
            Some(Value::Object(fields)) if fields.is_empty() => &[],
            Some(Value::Number(number)) if number.as_f64() == Some(0.0) => &[],
            Some(other) => std::slice::from_ref(other),
        })
    }

    /// Returns how many there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The entries, in the order of the list.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = FoundSubCondition<'a>> + use<'a> {
        self.0.iter().map(FoundSubCondition::read)
    }

    /// The nearest entries that are legal.
    pub(super) fn to_sub_conditions(self) -> Box<[SubCondition]> {
        self.iter().map(|entry| entry.to_sub_condition()).collect()
    }
}

/// One error or warning as it was found, with every field read as well as it can be.
///
/// ```
/// use allready_core::found;
/// use serde_json::json;
///
/// let conditions = json!([{"type": "Synced", "status": "False", "errors": [{"code": "2009"}]}]);
/// let list = found::read(&conditions);
/// let error = list.conditions()[0].errors.iter().next().unwrap();
/// assert_eq!((&*error.reason, &*error.message), ("", r#"{"code":"2009"}"#), "the whole entry, where it says neither");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FoundSubCondition<'a> {
    /// The entry of the list.
    pub raw: &'a Value,
    /// The type; empty where there is none.
    pub type_: Cow<'a, str>,
    /// The status; `True` where there is none, because what is listed holds.
    pub status: Status,
    /// The reason; empty where there is none.
    pub reason: Cow<'a, str>,
    /// The message; for an entry that says nothing in the usual fields, the beginning of its JSON.
    pub message: Cow<'a, str>,
}

impl<'a> FoundSubCondition<'a> {
    fn read(raw: &'a Value) -> Self {
        let get = |name| field::get(Some(raw), name);
        let text = |name| field::text(get(name)).0;
        let (reason, mut message) = (text("reason"), text("message"));
        if reason.is_empty() && message.is_empty() {
            message = match raw {
                Value::String(text) => Cow::Borrowed(text),
                other => Cow::Owned(cut(&other.to_string(), SHOWN_BYTES).into_owned()),
            };
        }
        let status = get("status").map_or(Status::True, |status| field::status(Some(status)).0);
        Self { raw, type_: text("type"), status, reason, message }
    }

    fn to_sub_condition(&self) -> SubCondition {
        let is_untyped = self.type_.is_empty();
        SubCondition {
            type_: if is_untyped {
                condition_type!("Untyped")
            } else {
                ConditionType::sanitized(&self.type_)
            },
            status: self.status,
            reason: Reason::sanitized(&self.reason),
            message: Message::from(Cow::Borrowed(&*self.message)),
        }
    }
}
