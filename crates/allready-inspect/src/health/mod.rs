//! What any object comes to: one of six words, and why.
//!
//! [`judge`] reads an object by rules in a fixed order (see [`rules`]) and what a [`Registry`] declares of its kind.
//! Never green by default: what is not understood is `Unknown` or `Progressing`. [`kstatus`] gives the answers of that
//! library instead, for those who need them.

mod builtin;
mod case;
mod conditions;
pub(crate) mod errors;
pub(crate) mod flags;
mod generations;
pub mod kstatus;
pub(crate) mod lexicon;
mod listed;
mod named;
mod nested;
pub(crate) mod notes;
pub(crate) mod numbers;
mod order;
mod purpose;
pub(crate) mod reading;
mod reasons;
mod rules;
mod signal;
mod silence;
pub(crate) mod states;
#[cfg(test)]
mod tests;
pub(crate) mod tokens;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use rules::{Rule, rule, rules};

use crate::{registry::Registry, writers::Writer};
use allready_core::Time;

/// How an object is doing. The order is from good to bad, so that the greatest of many is the one to look at first.
///
/// ```
/// use allready_inspect::health::Health;
///
/// assert!(Health::Degraded > Health::Progressing && Health::Progressing > Health::Healthy);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Health {
    /// Something says that it is as it should be.
    Healthy,
    /// Somebody wants it to rest.
    Suspended,
    /// It is on its way.
    Progressing,
    /// Nothing that is understood says how it is.
    Unknown,
    /// It should be there and is not.
    Missing,
    /// Something is broken.
    Degraded,
}

impl Health {
    /// Every word, the worst first.
    ///
    /// ```
    /// use allready_inspect::health::Health;
    ///
    /// assert!(Health::WORST_FIRST.is_sorted_by(|worse, better| worse > better));
    /// ```
    pub const WORST_FIRST: [Self; 6] =
        [Self::Degraded, Self::Missing, Self::Unknown, Self::Progressing, Self::Suspended, Self::Healthy];

    /// The word.
    ///
    /// ```
    /// use allready_inspect::health::Health;
    ///
    /// assert_eq!(Health::Degraded.as_str(), "Degraded");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Healthy => "Healthy",
            Self::Suspended => "Suspended",
            Self::Progressing => "Progressing",
            Self::Unknown => "Unknown",
            Self::Missing => "Missing",
            Self::Degraded => "Degraded",
        }
    }
}

impl fmt::Display for Health {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// What an object comes to, and what says so.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::{health::{Health, judge}, registry::Registry};
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a" },
///     "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "DiskFull", "message": "sda is full" }] } });
/// let verdict = judge(&object, Registry::builtin(), Time::EPOCH);
/// assert_ne!(verdict.health, Health::Healthy);
/// assert_eq!((verdict.field.as_str(), verdict.reason.as_str()), ("status.conditions[Ready]", "DiskFull"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The word.
    pub health: Health,
    /// The id of the rule that decided, such as `C02`; [`rule`] tells what it says.
    pub rule: &'static str,
    /// The condition or field that decided, such as `status.conditions[Ready]`.
    pub field: String,
    /// Its reason, or the value of the field.
    pub reason: String,
    /// Its message.
    pub message: String,
    /// Since when it has said so; since the object was created, where it gives the Unix epoch as the default of a schema does.
    pub since: Option<Time>,
    /// Who wrote it, where that is recorded.
    pub writer: Option<Writer>,
    /// How far the status is behind the spec, where it is.
    pub lag: Option<Lag>,
}

/// A status that is about an older generation than the object has.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::{health::{Lag, judge}, registry::Registry};
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "generation": 2 },
///     "status": { "observedGeneration": 1, "conditions": [{ "type": "Ready", "status": "True" }] } });
/// let verdict = judge(&object, Registry::builtin(), Time::EPOCH);
/// assert_eq!(verdict.lag, Some(Lag { observed: 1, generation: 2 }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Lag {
    /// The generation that the status, or the deciding condition, is about.
    pub observed: i64,
    /// The generation that the object has.
    pub generation: i64,
}

/// What an object comes to. Nothing in it can make this fail: what is not as it should be is not good news.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::{health::{Health, judge}, registry::Registry};
/// use serde_json::json;
///
/// let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": "a", "generation": 2 },
///     "status": { "observedGeneration": 1, "conditions": [{ "type": "Ready", "status": "True", "reason": "AllGood" }] } });
/// let verdict = judge(&object, Registry::builtin(), Time::EPOCH);
/// assert_eq!((verdict.health, verdict.rule), (Health::Progressing, "G01"));
/// assert_eq!(verdict.lag.unwrap().observed, 1);
/// ```
pub fn judge(object: &Value, registry: &Registry, now: Time) -> Verdict {
    order::judge(object, registry, now)
}

/// The API group of an object: what stands before the slash of its `apiVersion`, nothing for the core group.
///
/// ```
/// use allready_inspect::health::group;
/// use serde_json::json;
/// assert_eq!(group(&json!({"apiVersion": "apps/v1"})), "apps");
/// assert_eq!(group(&json!({"apiVersion": "v1"})), "");
/// ```
pub fn group(object: &Value) -> &str {
    let version = object.get("apiVersion").and_then(Value::as_str).unwrap_or_default();
    version.split_once('/').map_or("", |(group, _)| group)
}
