//! Transitions: which conditions took another status between two lists, and the [notes](notes()) that tell people so.
//!
//! Transitions are plain values. Compute them from what stands in the cluster and what will, write the status, and record
//! the notes once the write has succeeded: an event about a change that was never stored is a lie.
//!
//! ```
//! use allready_core::{Condition, Status, Time, condition_type, reason};
//! use allready_core::transition::{Style, Verbosity, diff, notes};
//!
//! let at = |second| Time::from_second(second).unwrap();
//! let ready = |status, second| Condition::new(condition_type!("Ready"), status, reason!("Checked"), "", at(second));
//!
//! let transitions = diff(&[ready(Status::True, 10)], &[ready(Status::False, 20)]);
//! let notes = notes(&transitions, Verbosity::PerChange, &Style::default());
//! assert_eq!(notes[0].note, "Ready is False (was True): Checked");
//! assert_eq!(notes[0].severity.as_str(), "Warning");
//! ```

mod notes;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, fmt};

pub use notes::{EventNote, EventSeverity, Style, Verbosity, VerbosityError, notes};

use crate::{Condition, ConditionType, Message, Reason, Status, Time};

/// One condition that appeared, took another status, or went away.
///
/// [`Display`](fmt::Display) gives the words of [`Verbosity::PerChange`].
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason, transition::diff};
///
/// let ready = Condition::new(condition_type!("Ready"), Status::False, reason!("DiskFull"), "sda is full", Time::EPOCH);
/// let transitions = diff(&[], &[ready]);
/// assert_eq!(transitions[0].to_string(), "Ready is False: DiskFull: sda is full");
/// assert_eq!((transitions[0].reason.as_str(), transitions[0].since), ("DiskFull", Time::EPOCH));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The type of the condition.
    pub type_: ConditionType,
    /// What happened to it.
    pub change: Change,
    /// The reason of the new condition; of one that went away, the last it had.
    pub reason: Reason,
    /// The message that goes with the reason.
    pub message: Message,
    /// The `lastTransitionTime` that goes with the reason: when the new status began, or when the removed one had begun.
    pub since: Time,
}

/// What happened to a condition.
///
/// ```
/// use allready_core::{Status, transition::Change};
///
/// let change = Change::Changed { from: Status::True, to: Status::Unknown };
/// assert_eq!((change.before(), change.after()), (Some(Status::True), Some(Status::Unknown)));
/// assert_eq!(Change::Removed { from: Status::True }.after(), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// It was not there before.
    Added {
        /// The status it came with.
        to: Status,
    },
    /// It took another status.
    Changed {
        /// The status it had.
        from: Status,
        /// The status it has.
        to: Status,
    },
    /// It is not there any more.
    Removed {
        /// The last status it had.
        from: Status,
    },
}

impl Change {
    /// The status before, if the condition was there.
    ///
    /// ```
    /// use allready_core::{Status, transition::Change};
    ///
    /// assert_eq!(Change::Removed { from: Status::True }.before(), Some(Status::True));
    /// assert_eq!(Change::Added { to: Status::True }.before(), None);
    /// ```
    pub const fn before(self) -> Option<Status> {
        match self {
            Self::Added { .. } => None,
            Self::Changed { from, .. } | Self::Removed { from } => Some(from),
        }
    }

    /// The status after, if the condition is still there.
    ///
    /// ```
    /// use allready_core::{Status, transition::Change};
    ///
    /// assert_eq!(Change::Added { to: Status::True }.after(), Some(Status::True));
    /// assert_eq!(Change::Removed { from: Status::True }.after(), None);
    /// ```
    pub const fn after(self) -> Option<Status> {
        match self {
            Self::Added { to } | Self::Changed { to, .. } => Some(to),
            Self::Removed { .. } => None,
        }
    }
}

impl Transition {
    fn new(condition: &Condition, change: Change) -> Self {
        Self {
            type_: condition.type_.clone(),
            change,
            reason: condition.reason.clone(),
            message: condition.message.clone(),
            since: condition.last_transition_time,
        }
    }
}

impl fmt::Display for Transition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { type_, reason, message, .. } = self;
        match self.change {
            Change::Added { to } => write!(f, "{type_} is {to}: {reason}")?,
            Change::Changed { from, to } => write!(f, "{type_} is {to} (was {from}): {reason}")?,
            Change::Removed { from } => return write!(f, "{type_} was removed (was {from})"),
        }
        if message.is_empty() { Ok(()) } else { write!(f, ": {message}") }
    }
}

/// What happened between two lists, by type.
///
/// A change of reason, message, generation or time alone is no transition. Where a list has a type twice, the last one
/// counts. Nothing is allocated for two lists with the same types and statuses in the same order, which is what most
/// passes of a controller end with.
///
/// ```
/// use allready_core::{Condition, ConditionType, Status, Time, reason};
/// use allready_core::transition::{Change, diff};
///
/// let condition = |type_: &'static str, status| {
///     Condition::new(ConditionType::new(type_).unwrap(), status, reason!("Checked"), "", Time::EPOCH)
/// };
/// let old = [condition("Synced", Status::True), condition("Ready", Status::True)];
/// let new = [condition("Ready", Status::Unknown), condition("Accepted", Status::True)];
///
/// let changes: Vec<_> = diff(&old, &new).into_iter().map(|t| (t.type_.to_string(), t.change)).collect();
/// assert_eq!(changes, [
///     ("Accepted".to_owned(), Change::Added { to: Status::True }),
///     ("Ready".to_owned(), Change::Changed { from: Status::True, to: Status::Unknown }),
///     ("Synced".to_owned(), Change::Removed { from: Status::True }),
/// ]);
/// assert_eq!(diff(&new, &new), []);
/// ```
pub fn diff(old: &[Condition], new: &[Condition]) -> Vec<Transition> {
    let same = |(old, new): (&Condition, &Condition)| old.type_ == new.type_ && old.status == new.status;
    if old.len() == new.len() && old.iter().zip(new).all(same) {
        return Vec::new();
    }
    let (before, after) = (by_type(old), by_type(new));
    let came = after.values().filter_map(|new| between(before.get(new.type_.as_str()).copied(), Some(new)));
    let went = before.values().filter(|old| !after.contains_key(old.type_.as_str()));
    let mut transitions: Vec<_> = came.chain(went.filter_map(|old| between(Some(old), None))).collect();
    transitions.sort_by(|a, b| a.type_.cmp(&b.type_));
    transitions
}

/// What happened to one condition, if its status did.
pub(crate) fn between(old: Option<&Condition>, new: Option<&Condition>) -> Option<Transition> {
    match (old, new) {
        (None, None) => None,
        (Some(old), Some(new)) if old.status == new.status => None,
        (Some(old), Some(new)) => {
            Some(Transition::new(new, Change::Changed { from: old.status, to: new.status }))
        }
        (None, Some(new)) => Some(Transition::new(new, Change::Added { to: new.status })),
        (Some(old), None) => Some(Transition::new(old, Change::Removed { from: old.status })),
    }
}

/// The conditions of a list by type; of a type that is there twice, the last.
pub(crate) fn by_type(conditions: &[Condition]) -> BTreeMap<&str, &Condition> {
    conditions.iter().map(|condition| (condition.type_.as_str(), condition)).collect()
}
