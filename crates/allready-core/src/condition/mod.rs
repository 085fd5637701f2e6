//! Conditions as the API server accepts them: its rules are in the types, so that what can be built can be written.
//!
//! For what is *found* in clusters, which is not always legal, see [`found`](crate::found).

mod list;
mod message;
#[cfg(feature = "k8s-openapi")]
mod openapi;
mod reason;
pub(crate) mod rfc3339;
#[cfg(feature = "schemars")]
mod schema;
mod shared;
mod status;
mod sub;
#[cfg(test)]
mod tests;
mod text;
mod time;
mod type_;

use serde::{Deserialize, Serialize};

pub use list::{ListOrder, all_have_status, are_true, find, position, remove, set, sort};
pub use message::{Message, cut};
#[cfg(feature = "k8s-openapi")]
pub use openapi::OpenapiError;
pub use reason::{IntoReason, Reason, ReasonError, ReasonProblem};
pub use rfc3339::TimeProblem;
#[cfg(feature = "schemars")]
pub(crate) use schema::{detailed_schema, schema};
pub use status::{Polarity, Standing, Status, StatusError};
pub use sub::SubCondition;
pub use time::{Generation, GenerationError, Time, TimeError};
pub use type_::{ConditionType, ConditionTypeError, ConditionTypeProblem};

/// One condition, shaped as `metav1.Condition` and legal by construction.
///
/// A list has each type once, so several problems under one type are its [`errors`](Self::errors) and
/// [`warnings`](Self::warnings), as in Contour's `DetailedCondition`. They are left out of the JSON where there are none, and a CRD
/// must have them in its schema to keep them.
///
/// Reading JSON into it is strict; [`found`](crate::found) reads leniently.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
///
/// let now: Time = "2026-03-01T10:00:00Z".parse().unwrap();
/// let ready = Condition::new(condition_type!("Ready"), Status::True, reason!("Accepted"), "all pools are valid", now)
///     .observed(3);
/// let json = serde_json::to_value(&ready).unwrap();
/// assert_eq!(json["observedGeneration"], 3);
/// assert_eq!(json["lastTransitionTime"], "2026-03-01T10:00:00Z");
/// assert_eq!(serde_json::from_value::<Condition>(json).unwrap(), ready);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What the condition is about; unique in a list.
    #[serde(rename = "type")]
    pub type_: ConditionType,
    /// Whether it holds.
    pub status: Status,
    /// The `metadata.generation` that this was found out about; none where it is not tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<Generation>,
    /// When `status` last changed.
    pub last_transition_time: Time,
    /// The cause, for programs.
    pub reason: Reason,
    /// The cause, for people.
    pub message: Message,
    /// The problems that make it bad.
    #[serde(default, deserialize_with = "sub::null_is_none", skip_serializing_if = "<[_]>::is_empty")]
    pub errors: Box<[SubCondition]>,
    /// The problems that somebody should know of although the condition may hold.
    #[serde(default, deserialize_with = "sub::null_is_none", skip_serializing_if = "<[_]>::is_empty")]
    pub warnings: Box<[SubCondition]>,
}

impl Condition {
    /// A condition that has just taken this status.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    ///
    /// let now = Time::from_second(1_772_359_200).unwrap();
    /// let synced = Condition::new(condition_type!("Synced"), Status::False, reason!("Forbidden"), "may not list pods", now);
    /// assert_eq!(synced.last_transition_time, now);
    /// assert_eq!(synced.observed_generation, None, "until `observed` says which");
    /// ```
    pub fn new(
        type_: ConditionType,
        status: Status,
        reason: Reason,
        message: impl Into<Message>,
        since: Time,
    ) -> Self {
        Self {
            type_,
            status,
            observed_generation: None,
            last_transition_time: since,
            reason,
            message: message.into(),
            errors: Box::default(),
            warnings: Box::default(),
        }
    }

    /// What a condition says that nobody has spoken for: `Unknown`, awaiting its reconciliation.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type};
    /// let ready = Condition::unreported(condition_type!("Ready"), Time::EPOCH);
    /// assert_eq!((ready.status, ready.reason.as_str()), (Status::Unknown, "AwaitingReconciliation"));
    /// assert_eq!(ready.message, "Ready has not been reported yet");
    /// ```
    pub fn unreported(type_: ConditionType, since: Time) -> Self {
        let message = format!("{type_} has not been reported yet");
        Self::new(type_, Status::Unknown, Self::AWAITING_RECONCILIATION, message, since)
    }

    /// The reason of a condition that nobody has spoken for.
    pub const AWAITING_RECONCILIATION: Reason = Reason::from_static("AwaitingReconciliation");

    /// The same condition, found out about this generation. [`Generation::NONE`] clears it.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Time, condition_type};
    ///
    /// let ready = Condition::unreported(condition_type!("Ready"), Time::EPOCH).observed(3);
    /// assert_eq!(ready.observed_generation, Some(Generation::from(3)));
    /// assert_eq!(ready.observed(Generation::NONE).observed_generation, None);
    /// ```
    pub fn observed(mut self, generation: impl Into<Generation>) -> Self {
        let generation = generation.into();
        self.observed_generation = (!generation.is_none()).then_some(generation);
        self
    }

    /// Whether two conditions say the same, whenever each began to: everything but the time is equal, and the generation
    /// too where both know one.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    ///
    /// let early = Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH);
    /// let late = Condition { last_transition_time: Time::from_second(9).unwrap(), ..early.clone() };
    /// assert!(early.says_the_same(&late));
    /// assert!(early.says_the_same(&late.clone().observed(2)), "one of them knows no generation");
    /// assert!(!early.observed(1).says_the_same(&late.observed(2)));
    /// ```
    pub fn says_the_same(&self, other: &Self) -> bool {
        let known = |condition: &Self| condition.observed_generation.filter(|g| !g.is_none());
        self.type_ == other.type_
            && self.status == other.status
            && self.reason == other.reason
            && self.message == other.message
            && self.errors == other.errors
            && self.warnings == other.warnings
            && match (known(self), known(other)) {
                (Some(mine), Some(theirs)) => mine == theirs,
                _ => true,
            }
    }
}

/// Since when a condition has a status: the time moves only when the status does.
pub(crate) fn since(previous: Option<&Condition>, status: Status, now: Time) -> Time {
    match previous {
        Some(previous) if previous.status == status => previous.last_transition_time,
        _ => now,
    }
}

/// The first part of a text for an error message: nobody wants a megabyte quoted back.
pub fn excerpt(text: &str) -> String {
    cut(text, 120).into_owned()
}
