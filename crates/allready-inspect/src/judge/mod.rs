//! The verdict on any object: one of six words, and why.
//!
//! [`judge`] reads an object by rules in a fixed order (see [`Rule`]) and what a [`Registry`] declares of its kind.
//! Never green by default: what is not understood is `Unknown` or `Progressing`. [`kstatus`] gives the answers of that
//! library instead, for those who need them.

mod builtin;
mod case;
mod conditions;
mod containers;
mod deletion;
mod errors;
mod flags;
mod generations;
mod hints;
pub mod kstatus;
mod listed;
mod named;
mod nested;
mod notes;
mod numbers;
mod order;
pub(crate) mod parts;
mod purpose;
mod quantity;
mod reasons;
mod rules;
mod signal;
mod silence;
mod states;
#[cfg(test)]
mod tests;

use serde::Serialize;
use serde_json::Value;

pub(crate) use containers::containers;
pub use hints::{Hint, hints};
pub use rules::Rule;

use crate::{health::Health, registry::Registry, writers::Writer};
use allready_core::Time;

/// The verdict on an object, and what says so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The word.
    pub health: Health,
    /// The rule that decided.
    pub rule: Rule,
    /// The condition or field that decided, such as `status.conditions[Ready]`.
    pub field: String,
    /// Its reason, or the value of the field.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// Since when it has said so; since the object was created, where it gives the Unix epoch as the default of a schema does.
    pub since: Option<Time>,
    /// The writer, where that is recorded.
    pub writer: Option<Writer>,
    /// The lag of the status behind the spec, where there is one.
    pub lag: Option<Lag>,
}

/// A status that is about an older generation than the object has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct Lag {
    /// The generation that the status, or the deciding condition, is about.
    pub observed: i64,
    /// The generation that the object has.
    pub generation: i64,
}

/// Judges an object. Nothing in it can make this fail: what is not as it should be is not good news.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::{health::Health, judge::judge, registry::Registry};
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "generation": 2 },
///     "status": { "observedGeneration": 1, "conditions": [{ "type": "Ready", "status": "True", "reason": "AllGood" }] } });
/// let verdict = judge(&object, Registry::builtin(), Time::EPOCH);
/// assert_eq!((verdict.health, verdict.rule.id()), (Health::Progressing, "G01"));
/// assert_eq!(verdict.lag.unwrap().observed, 1);
/// ```
pub fn judge(object: &Value, registry: &Registry, now: Time) -> Verdict {
    order::judge(object, registry, now)
}
