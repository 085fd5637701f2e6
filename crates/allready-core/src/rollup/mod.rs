//! Roll-ups: many conditions in, one out, by a named [`Policy`].
//!
//! There is one engine. What counts is gathered as [`Input`]s, either the dependents of one object or one condition of
//! many members; the policy decides the status and finds the words. Every policy is a pure function of its inputs and of
//! the [`Context`], and gives the same bytes for the same inputs in any order.
//!
//! ```
//! use allready_core::{Condition, Generation, Status, Time, condition_type, reason};
//! use allready_core::rollup::{Context, Input, Policy};
//!
//! let at = |second| Time::from_second(second).unwrap();
//! let conditions = [
//!     Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", at(10)),
//!     Condition::new(condition_type!("Healthy"), Status::False, reason!("DiskFull"), "disk sda is full", at(20)),
//! ];
//! let inputs = conditions.iter().map(Input::from);
//! let top = Policy::newest_cause().roll_up(inputs, &Context::new("Ready", at(30))).unwrap();
//! assert_eq!((top.status, &*top.reason, &*top.message), (Status::False, "DiskFull", "disk sda is full"));
//! ```
//!
#![doc = include_str!("choices.md")]

mod bullets;
pub(crate) mod empty;
mod first_issue;
pub(crate) mod generations;
pub(crate) mod grouped;
mod input;
mod list_unhealthy;
mod names;
mod newest_cause;
mod plural;
mod policy;
mod reasons;
mod semicolon;
#[cfg(test)]
mod tests;
mod union;

use std::{borrow::Cow, collections::BTreeMap};

pub use bullets::Bullets;
pub use first_issue::{FirstIssue, StepCounter};
pub use grouped::{Cause, Grouped};
pub use input::{Freshness, Input, Member};
pub use names::PolicyError;
pub use plural::plural;
pub use policy::{Form, Missing, Policy, Stale};
pub use reasons::Reasons;
pub use semicolon::{Semicolon, Strictness, Tells};
pub use union::{Inertia, Union};

use crate::{Condition, ConditionType, Generation, Polarity, Reason, Standing, Status, Time};

/// What a roll-up needs to know besides its inputs.
///
/// ```
/// use allready_core::{Polarity, Status, Time, rollup::{Context, Policy}};
///
/// // `Degraded` is good when it is False, and nothing speaks for it here.
/// let context = Context { polarity: Polarity::AbnormalTrue, ..Context::new("Degraded", Time::EPOCH) };
/// let top = Policy::newest_cause().roll_up([], &context).unwrap();
/// assert_eq!(top.status, Status::Unknown);
/// ```
#[derive(Clone, Debug)]
pub struct Context<'a> {
    /// The type of the condition that is computed.
    pub top: &'a str,
    /// Its polarity: normal-true unless said otherwise.
    pub polarity: Polarity,
    /// The generation of the object that the condition will stand on.
    pub generation: Generation,
    /// The instant of the computation.
    pub now: Time,
    /// The top condition as it stands, if it does.
    pub previous: Option<&'a Condition>,
    /// The reason of a good top condition, where the policy has none of its own; the name of the type if none is given.
    pub good_reason: Option<&'a str>,
}

impl<'a> Context<'a> {
    /// A normal-true top condition on an object without a generation.
    ///
    /// ```
    /// use allready_core::{Generation, Polarity, Time, rollup::Context};
    ///
    /// let context = Context::new("Ready", Time::EPOCH);
    /// assert_eq!((context.polarity, context.generation), (Polarity::NormalTrue, Generation::NONE));
    /// ```
    pub fn new(top: &'a str, now: Time) -> Self {
        Self {
            top,
            polarity: Polarity::NormalTrue,
            generation: Generation::NONE,
            now,
            previous: None,
            good_reason: None,
        }
    }

    /// The same on an object of this generation.
    ///
    /// ```
    /// use allready_core::{Condition, Generation, Status, Time, condition_type, reason};
    /// use allready_core::rollup::{Context, Input, Policy};
    ///
    /// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", Time::EPOCH).observed(1);
    /// let context = Context::new("Ready", Time::EPOCH).at_generation(Generation::from(2));
    /// let top = Policy::newest_cause().roll_up([Input::from(&synced)], &context).unwrap();
    /// assert_eq!(top.status, Status::Unknown, "what it says is about generation 1");
    /// ```
    pub fn at_generation(self, generation: Generation) -> Self {
        Self { generation, ..self }
    }

    /// The reason for "all is good": the one asked for, or the name of the type, as operatorpkg and KRO have it.
    pub(crate) fn good_reason(&self) -> Cow<'a, str> {
        match self.good_reason {
            Some(reason) => Cow::Borrowed(reason),
            None => Cow::Borrowed(self.top.split_once('/').map_or(self.top, |(_, name)| name)),
        }
    }
}

/// The answer of a roll-up: a condition without its type and time.
///
/// ```
/// use allready_core::{Generation, Polarity, Status, Time, rollup::{Context, Input, Policy}};
///
/// let missing = Input::missing("Synced", Polarity::NormalTrue);
/// let top = Policy::newest_cause().roll_up([missing], &Context::new("Ready", Time::EPOCH)).unwrap();
/// assert_eq!((top.status, &*top.reason), (Status::Unknown, "AwaitingReconciliation"));
/// assert_eq!(top.message, "Synced has not been reported yet");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rollup<'a> {
    /// The status, as it is written for the polarity of the top type.
    pub status: Status,
    /// The reason in the policy's own words; made legal when it becomes a condition.
    pub reason: Cow<'a, str>,
    /// The message; bounded when it becomes a condition.
    pub message: Cow<'a, str>,
    /// The newest generation that all inputs have seen; where the policy takes outdated inputs at their word, that of the
    /// object.
    pub observed: Option<Generation>,
}

impl<'a> Rollup<'a> {
    /// An answer for the top condition; the generation is added by the policy.
    fn new(context: &Context<'_>, standing: Standing, reason: Cow<'a, str>, message: Cow<'a, str>) -> Self {
        Self { status: context.polarity.status(standing), reason, message, observed: None }
    }

    /// What stands already.
    fn held(previous: &'a Condition) -> Self {
        Self {
            status: previous.status,
            reason: Cow::Borrowed(previous.reason.as_str()),
            message: Cow::Borrowed(previous.message.as_str()),
            observed: previous.observed_generation,
        }
    }

    /// The top condition: what was computed, with the time of the previous one where the status is the same.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::rollup::{Context, Input, Policy};
    ///
    /// let at = |second| Time::from_second(second).unwrap();
    /// let before = Condition::new(condition_type!("Ready"), Status::True, reason!("Ready"), "", at(1));
    /// let synced = Condition::new(condition_type!("Synced"), Status::True, reason!("Applied"), "", at(10));
    /// let context = Context::new("Ready", at(30));
    /// let rollup = Policy::newest_cause().roll_up([Input::from(&synced)], &context).unwrap();
    /// let ready = rollup.into_condition(condition_type!("Ready"), Some(&before), at(30));
    /// assert_eq!(ready.last_transition_time, at(1), "it was True before");
    /// ```
    pub fn into_condition(self, type_: ConditionType, previous: Option<&Condition>, now: Time) -> Condition {
        let since = match previous {
            Some(previous) if previous.status == self.status => previous.last_transition_time,
            _ => now,
        };
        let reason = Reason::sanitized(&self.reason);
        Condition::new(type_, self.status, reason, self.message, since)
            .observed(self.observed.unwrap_or_default())
    }
}

/// The places of types in a requested order, looked up once for many inputs; what was not requested comes last.
struct Ranks<'o>(BTreeMap<&'o str, usize>);

impl<'o> Ranks<'o> {
    fn of(order: &'o [ConditionType]) -> Self {
        // Of a type that is requested twice, the first place counts.
        Self(order.iter().enumerate().rev().map(|(place, type_)| (type_.as_str(), place)).collect())
    }

    fn rank(&self, type_: &str) -> usize {
        self.0.get(type_).copied().unwrap_or(usize::MAX)
    }

    fn has(&self, type_: &str) -> bool {
        self.0.contains_key(type_)
    }
}

/// Whether a type is among these.
fn lists(listed: &[ConditionType], type_: &str) -> bool {
    listed.iter().any(|listed| *listed == *type_)
}
