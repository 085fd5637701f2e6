//! What is still missing, in values and in words.

use std::fmt;

use allready_core::{Generation, Status, Time, condition::cut, found::FoundCondition};

use super::{HasCondition, expectation::About};

/// How much of a message is told.
const TOLD: usize = 300;

/// A condition as it was seen on the object.
///
/// ```
/// # use allready_core::{Status, Time};
/// # use allready_kube::wait::*;
/// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
/// let Verdict::Met(seen) = has_condition("Ready").judge(&object("Ready", "True")) else { panic!("it is ready") };
/// assert_eq!((seen[0].type_.as_str(), seen[0].status, seen[0].since), ("Ready", Status::True, None));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeenCondition {
    /// The entry of a list that it belongs to, such as `listeners[https]`; empty for conditions of the object itself.
    pub entry: String,
    /// Its type.
    pub type_: String,
    /// Its status.
    pub status: Status,
    /// Its reason; may be empty.
    pub reason: String,
    /// Its message; may be empty.
    pub message: String,
    /// Since when it has had this status, where it says so; the creation of the object for one that a schema's default put there.
    pub since: Option<Time>,
    /// The generation that it is about: its own `observedGeneration`, or else that of the status.
    pub observed: Option<Generation>,
}

impl SeenCondition {
    pub(super) fn of(
        found: &FoundCondition<'_>,
        entry: &str,
        observed: Option<Generation>,
        created: Option<Time>,
    ) -> Self {
        Self {
            entry: entry.to_owned(),
            type_: found.type_.clone().into_owned(),
            status: found.status,
            reason: found.reason.clone().into_owned(),
            message: found.message.clone().into_owned(),
            since: found.began(created),
            observed,
        }
    }

    /// In words, with how long it has been so until now.
    ///
    /// ```
    /// use allready_core::Time;
    /// use allready_kube::wait::{Verdict, has_condition};
    /// use serde_json::json;
    ///
    /// let ready = json!({ "type": "Ready", "status": "True", "lastTransitionTime": "1970-01-01T00:01:00Z" });
    /// let object = json!({ "status": { "conditions": [ready] } });
    /// let Verdict::Met(seen) = has_condition("Ready").judge(&object) else { panic!("it is ready") };
    /// assert_eq!(seen[0].describe(Time::from_second(150).unwrap()), "Ready is True for 1m 30s");
    /// ```
    pub fn describe(&self, now: Time) -> String {
        match self.since.filter(|since| *since <= now) {
            Some(since) => format!("{self} for {:#}", now.since(since)),
            None => self.to_string(),
        }
    }
}

/// The age is left out.
impl fmt::Display for SeenCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", named(&self.entry, &self.type_), self.status)?;
        match (self.reason.as_str(), &*cut(self.message.trim(), TOLD)) {
            ("", "") => Ok(()),
            ("", message) => write!(f, " ({message})"),
            (reason, "") => write!(f, " ({reason})"),
            (reason, message) => write!(f, " ({reason}: {message})"),
        }
    }
}

/// A condition that was waited for and is not as it should be.
///
/// ```
/// # use allready_core::{Status, Time};
/// # use allready_kube::wait::*;
/// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
/// let Verdict::Waiting(Pending::Condition(unmet)) = has_condition("Synced").judge(&object("Ready", "True")) else {
///     panic!("one condition is missing")
/// };
/// assert_eq!(unmet.found, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unmet {
    /// What was waited for.
    pub wanted: HasCondition,
    /// In which entry of a list it is missing; empty for the object itself.
    pub entry: String,
    /// What there is instead; none if the condition is not there at all.
    pub found: Option<SeenCondition>,
    /// The generation of the object.
    pub generation: Option<Generation>,
}

impl Unmet {
    /// In words, with how long it has been so until now.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let Verdict::Waiting(Pending::Condition(unmet)) = has_condition("Synced").judge(&object("Ready", "True")) else {
    ///     panic!("one condition is missing")
    /// };
    /// assert_eq!(unmet.describe(Time::EPOCH), "Synced is not reported");
    /// ```
    pub fn describe(&self, now: Time) -> String {
        let Some(found) = &self.found else {
            return format!("{} is not reported", named(&self.entry, &self.wanted.type_));
        };
        let is = found.describe(now);
        if let Some(status) = self.wanted.status.filter(|status| *status != found.status) {
            return format!("{is}, not {status}");
        }
        let reasons = &self.wanted.reasons;
        if !reasons.is_empty() && !reasons.contains(&found.reason) {
            return format!("{is}, but its reason is not {}", reasons.join(" or "));
        }
        let generation = self.generation.unwrap_or_default();
        match found.observed {
            Some(observed) => {
                format!("{is}, but about generation {observed}, and the object is at {generation}")
            }
            None if self.wanted.about == About::Told => {
                format!("{is}, but does not say whether that is about generation {generation}")
            }
            None => is,
        }
    }
}

/// What is still missing.
///
/// ```
/// # use allready_core::{Status, Time};
/// # use allready_kube::wait::*;
/// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
/// let wanted = all_of(["Synced", "Healthy"].map(has_condition));
/// let Verdict::Waiting(Pending::All(parts)) = wanted.judge(&object("Ready", "True")) else { panic!("two are missing") };
/// assert_eq!(parts.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pending {
    /// One condition.
    Condition(Box<Unmet>),
    /// All of these.
    All(Vec<Pending>),
    /// One of these.
    Any(Vec<Pending>),
}

impl Pending {
    /// In words, with how long it has been so until now.
    ///
    /// ```
    /// # use allready_core::{Status, Time};
    /// # use allready_kube::wait::*;
    /// # let object = |kind: &str, status: &str| serde_json::json!({ "status": { "conditions": [{ "type": kind, "status": status }] } });
    /// let wanted = all_of(["Synced", "Healthy"].map(has_condition));
    /// let Verdict::Waiting(pending) = wanted.judge(&object("Ready", "True")) else { panic!("two are missing") };
    /// assert_eq!(pending.describe(Time::EPOCH), "Synced is not reported; Healthy is not reported");
    /// ```
    pub fn describe(&self, now: Time) -> String {
        match self {
            Self::Condition(unmet) => unmet.describe(now),
            Self::All(parts) => join(parts, "; ", now),
            Self::Any(parts) => join(parts, " or ", now),
        }
    }
}

fn join(parts: &[Pending], separator: &str, now: Time) -> String {
    match parts {
        [] => "nothing was asked for".to_owned(),
        [part] => part.describe(now),
        parts => {
            let describe = |part: &Pending| match part {
                Pending::Condition(unmet) => unmet.describe(now),
                nested => format!("({})", nested.describe(now)),
            };
            parts.iter().map(describe).collect::<Vec<_>>().join(separator)
        }
    }
}

fn named(entry: &str, type_: &str) -> String {
    if entry.is_empty() { type_.to_owned() } else { format!("{entry}: {type_}") }
}
