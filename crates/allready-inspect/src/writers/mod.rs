//! Writers: read from `metadata.managedFields`.
//!
//! The API server notes for every field who wrote it last, by the name of the field manager; several where they agree.
//! [`of_condition`] and [`of_field`] answer for one thing and are made to be called for many objects; [`all`] answers for a
//! whole object, with what each manager costs.
//!
//! Reading never fails: what is not as the API server writes it is owned by nobody.

mod fields;
mod ownership;
#[cfg(test)]
mod tests;
mod weigh;

use serde::Serialize;
use serde_json::Value;

pub use ownership::{Agreement, Manager, Operation, OwnedCondition, Owner, Ownership, all};

use allready_core::Time;
use fields::{ConditionKey, Reach};

use crate::view::Path;

/// The writer of something.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Writer {
    /// The name of the field manager.
    pub manager: String,
    /// The time of its last write, which need not be this one.
    pub time: Option<Time>,
}

/// The share of something that a manager owns, from little to much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Hold {
    /// Something beside what was asked for.
    Beside,
    /// Exactly what was asked for, or all of what it is in.
    Exactly,
}

/// The writer of a condition: the path of its list within the object, such as `status.conditions` or
/// `status.listeners[web].conditions`, and its type.
///
/// That is the manager that owns its `status`; where several do, the one that wrote last, as far as the API server notes it.
/// Where nobody owns the status, it is whoever owns another field of the condition. A list that is written as a whole is
/// owned as a whole.
pub fn of_condition(object: &Value, list: &Path<'_>, type_: &str) -> Option<Writer> {
    let key = ConditionKey::new(type_);
    latest(object, |reach| match walk(reach, list, object).condition(&key) {
        Reach::None => None,
        Reach::Whole => Some(Hold::Exactly),
        Reach::Part(tree) if tree.contains_key("f:status") => Some(Hold::Exactly),
        Reach::Part(_) => Some(Hold::Beside),
    })
}

/// The writer of a field, such as `status.phase`. Of a field with fields of its own, it is whoever wrote one of them last.
pub fn of_field(object: &Value, field: &Path<'_>) -> Option<Writer> {
    latest(object, |reach| match walk(reach, field, object) {
        Reach::None => None,
        Reach::Whole => Some(Hold::Exactly),
        Reach::Part(_) => Some(Hold::Beside),
    })
}

/// The time of the last write to the status subresource, as it is written there.
pub(crate) fn status_written(object: &Value) -> Option<&str> {
    let is_status = |entry: &&Value| text(entry, "subresource") == Some("status");
    let last = entries(object).iter().filter(is_status).max_by_key(|entry| time(entry))?;
    text(last, "time")
}

/// The claims at the end of a path.
fn walk<'a>(mut reach: Reach<'a>, path: &Path<'_>, object: &Value) -> Reach<'a> {
    let mut value = Some(object);
    for &step in path.steps() {
        if !matches!(reach, Reach::Part(_)) {
            break;
        }
        (reach, value) = reach.step(step, value);
    }
    reach
}

/// The entries of `managedFields`.
fn entries(object: &Value) -> &[Value] {
    let entries = object.get("metadata").and_then(|metadata| metadata.get("managedFields"));
    entries.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(entry: &'a Value, field: &str) -> Option<&'a str> {
    entry.get(field).and_then(Value::as_str)
}

fn time(entry: &Value) -> Option<Time> {
    text(entry, "time")?.parse().ok()
}

/// The manager that holds most of something, and of those the last that wrote; of those, who wrote the status.
fn latest<'a>(object: &'a Value, hold: impl Fn(Reach<'a>) -> Option<Hold>) -> Option<Writer> {
    let holding = entries(object).iter().filter_map(|entry| Some((hold(Reach::of_entry(entry))?, entry)));
    let rank = |&(hold, entry): &(Hold, &Value)| (hold, time(entry), text(entry, "subresource").is_some());
    let (_, entry) = holding.max_by_key(rank)?;
    Some(Writer { manager: text(entry, "manager")?.to_owned(), time: time(entry) })
}
