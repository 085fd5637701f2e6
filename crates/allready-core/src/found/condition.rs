//! One condition as it was found.

use std::borrow::Cow;

use serde_json::Value;

use super::field;
use super::irregularity::Notes;
use super::sub::FoundSubConditions;
use crate::rollup::{Freshness, Input};
use crate::{Condition, ConditionType, Generation, Message, Polarity, Reason, Status, Time, condition_type};

/// One condition as it was found: a view of the JSON, with every field read as well as it can be.
///
/// What is not read is not lost: [`raw`](Self::raw) is the entry itself, with fields that only its writer knows
/// (`severity`, `lastProbeTime`).
///
/// ```
/// use allready_core::{Status, Time, found};
/// use serde_json::json;
///
/// let conditions = json!([{"type": "Ready", "status": "false", "reason": "Disk full!", "severity": "Warning"}]);
/// let list = found::read(&conditions);
/// let ready = list.find("Ready").unwrap();
/// assert_eq!((ready.status, &*ready.reason, &*ready.message), (Status::False, "Disk full!", ""));
/// assert_eq!((ready.since, ready.observed), (None, None));
/// assert_eq!(ready.raw["severity"], "Warning");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FoundCondition<'a> {
    /// The entry of the list.
    pub raw: &'a Value,
    /// The type; empty where there is none.
    pub type_: Cow<'a, str>,
    /// The status; `Unknown` where it cannot be read.
    pub status: Status,
    /// The reason; empty where there is none.
    pub reason: Cow<'a, str>,
    /// The message, at its full length; empty where there is none.
    pub message: Cow<'a, str>,
    /// Since when it has this status, where that can be read; for an age, see [`began`](Self::began).
    pub since: Option<Time>,
    /// The generation that it is about, where that can be read.
    pub observed: Option<Generation>,
    /// The `errors` that are listed with it.
    pub errors: FoundSubConditions<'a>,
    /// The `warnings` that are listed with it.
    pub warnings: FoundSubConditions<'a>,
}

impl<'a> FoundCondition<'a> {
    pub(super) fn read(raw: &'a Value, notes: &mut Notes) -> Self {
        let Some(entry) = notes.object(Some(raw)) else {
            return Self::without_fields(raw);
        };
        let get = |name| field::get(Some(entry), name);
        Self {
            raw,
            type_: notes.keep("type", field::type_(get("type"))),
            status: notes.keep("status", field::status(get("status"))),
            reason: notes.keep("reason", field::reason(get("reason"))),
            message: notes.keep("message", field::message(get("message"))),
            since: notes.keep("lastTransitionTime", field::since(get("lastTransitionTime"))),
            observed: notes.keep("observedGeneration", field::generation(get("observedGeneration"))),
            errors: FoundSubConditions::read(get("errors")),
            warnings: FoundSubConditions::read(get("warnings")),
        }
    }

    fn without_fields(raw: &'a Value) -> Self {
        Self {
            raw,
            type_: Cow::Borrowed(""),
            status: Status::Unknown,
            reason: Cow::Borrowed(""),
            message: Cow::Borrowed(""),
            since: None,
            observed: None,
            errors: FoundSubConditions::default(),
            warnings: FoundSubConditions::default(),
        }
    }

    /// Returns since when it has been so, for whoever shows an age: the time that it gives, but the creation of the object where that
    /// is the Unix epoch. The default of a CRD's schema writes the epoch, as in Gateway API, because it must write some time.
    ///
    /// ```
    /// use allready_core::found::FoundObject;
    /// use serde_json::json;
    ///
    /// let object = json!({
    ///     "metadata": {"creationTimestamp": "2026-03-01T10:00:00Z"},
    ///     "status": {"conditions": [{"type": "Accepted", "status": "Unknown", "lastTransitionTime": "1970-01-01T00:00:00Z"}]},
    /// });
    /// let found = FoundObject::read(&object);
    /// assert_eq!(found.conditions.find("Accepted").unwrap().began(found.created), found.created);
    /// ```
    pub fn began(&self, created: Option<Time>) -> Option<Time> {
        began(self.since, created)
    }

    /// The nearest condition that the API server accepts.
    ///
    /// Type and reason are [sanitised](ConditionType::sanitized), a missing type becomes `Untyped` and a missing reason
    /// `Unspecified`, a long message is cut, and `fallback` stands in for a time that could not be read. The same holds for
    /// errors and warnings.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, found, reason};
    /// use serde_json::json;
    ///
    /// let conditions = json!([{"type": "Ready", "status": true, "reason": ""}]);
    /// let at = Time::from_second(60).unwrap();
    /// assert_eq!(
    ///     found::read(&conditions).conditions()[0].to_condition(at),
    ///     Condition::new(condition_type!("Ready"), Status::True, reason!("Unspecified"), "", at)
    /// );
    /// ```
    pub fn to_condition(&self, fallback: Time) -> Condition {
        Condition {
            type_: self.legal_type(),
            status: self.status,
            observed_generation: self.observed,
            last_transition_time: self.since.unwrap_or(fallback),
            reason: Reason::sanitized(&self.reason),
            message: Message::from(Cow::Borrowed(&*self.message)),
            errors: self.errors.to_sub_conditions(),
            warnings: self.warnings.to_sub_conditions(),
        }
    }

    pub(super) fn legal_type(&self) -> ConditionType {
        if self.type_.is_empty() {
            return condition_type!("Untyped");
        }
        ConditionType::sanitized(&self.type_)
    }
}

/// Returns since when something has been so, given the time that it says: the Unix epoch, or Go's zero time before it, is no time that anybody knows of, and
/// stands there from the creation of the object on.
pub fn began(since: Option<Time>, created: Option<Time>) -> Option<Time> {
    let is_known = |time: &Time| *time > Time::EPOCH;
    if since.is_some_and(|since| !is_known(&since)) { created.filter(is_known) } else { since }
}

impl<'a> From<&'a FoundCondition<'_>> for Input<'a> {
    /// A normal-true, fresh input.
    fn from(condition: &'a FoundCondition<'_>) -> Self {
        Self {
            member: None,
            type_: &condition.type_,
            polarity: Polarity::NormalTrue,
            status: condition.status,
            reason: Cow::Borrowed(&condition.reason),
            message: Cow::Borrowed(&condition.message),
            since: condition.since,
            observed: condition.observed,
            freshness: Freshness::Fresh,
        }
    }
}
