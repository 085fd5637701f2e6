//! Damping: hold a change of status back until it has lasted, so that a condition does not flap.
//!
//! The [rules](Damping) are made once. The [memory](DampingMemory) of what is held back goes from one observation to the
//! next, and may be stored in between; lost, it only makes a hold start again. Time is an argument, and whoever asks is
//! told when to ask again.
//!
//! A hold never makes a problem invisible: while it lasts, the message of the condition says what is held back and why.
//!
//! ```
//! use allready_core::{Condition, Status, Time, condition_type, reason};
//! use allready_core::damping::{Damping, DampingMemory, Hold, Until};
//! use std::time::Duration;
//!
//! let at = |minute: i64| Time::from_second(60 * minute).unwrap();
//! let rules = Damping::new().hold(condition_type!("Available"), Hold {
//!     to_bad: Some(Until::Duration(Duration::from_mins(2))),
//!     ..Hold::default()
//! });
//! let mut memory = DampingMemory::default();
//!
//! let shown = Condition::new(condition_type!("Available"), Status::True, reason!("Serving"), "", at(0));
//! let observed = Condition::new(condition_type!("Available"), Status::False, reason!("NoPods"), "0 of 3 run", at(10));
//!
//! let damped = rules.observe(&mut memory, Some(&shown), observed.clone(), at(10));
//! assert_eq!((damped.condition.status, damped.condition.last_transition_time), (Status::True, at(0)));
//! assert_eq!(
//!     damped.condition.message,
//!     "not True since 1970-01-01T00:10:00Z; False is held back until 1970-01-01T00:12:00Z: NoPods: 0 of 3 run",
//! );
//! assert_eq!(damped.held.unwrap().look_again, Some(at(12)));
//!
//! let damped = rules.observe(&mut memory, Some(&damped.condition), observed, at(12));
//! assert_eq!((damped.condition.status, damped.condition.last_transition_time), (Status::False, at(12)));
//! ```

mod rules;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rules::Wait;
pub use rules::{Damping, Hold, Until};
use serde::{Deserialize, Serialize};

use crate::{Condition, ConditionType, Message, Polarity, Reason, Status, Time, transition};

/// What is being held back, by type: no more than the types observed last.
///
/// ```
/// use allready_core::damping::DampingMemory;
///
/// let stored = r#"{"Available":{"status":"False","since":"2026-03-01T10:00:00Z","observations":2}}"#;
/// let memory: DampingMemory = serde_json::from_str(stored).unwrap();
/// assert_eq!(serde_json::to_string(&memory).unwrap(), stored);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct DampingMemory(BTreeMap<ConditionType, Pending>);

/// A status that was observed and is not shown yet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Pending {
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    since: Time,
    observations: u32,
}

impl DampingMemory {
    /// Whether nothing is held back.
    ///
    /// ```
    /// use allready_core::damping::DampingMemory;
    ///
    /// assert!(DampingMemory::default().is_empty(), "there is nothing to store");
    /// ```
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many types are held back.
    ///
    /// ```
    /// use allready_core::damping::DampingMemory;
    ///
    /// let stored = r#"{"Available":{"status":"False","since":"2026-03-01T10:00:00Z","observations":2}}"#;
    /// let memory: DampingMemory = serde_json::from_str(stored).unwrap();
    /// assert_eq!(memory.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets a type that is not observed any more.
    ///
    /// ```
    /// use allready_core::damping::DampingMemory;
    ///
    /// let stored = r#"{"Available":{"status":"False","since":"2026-03-01T10:00:00Z","observations":2}}"#;
    /// let mut memory: DampingMemory = serde_json::from_str(stored).unwrap();
    /// memory.forget("Available");
    /// assert!(memory.is_empty());
    /// ```
    pub fn forget(&mut self, type_: &str) {
        self.0.remove(type_);
    }
}

/// What one observation comes to.
///
/// ```
/// use allready_core::{Condition, Time, condition_type};
/// use allready_core::damping::{Damped, Damping, DampingMemory};
///
/// let observed = Condition::unreported(condition_type!("Available"), Time::EPOCH);
/// let damped = Damping::new().observe(&mut DampingMemory::default(), None, observed.clone(), Time::EPOCH);
/// assert_eq!(damped, Damped { condition: observed, held: None }, "without a rule nothing is held back");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damped {
    /// The condition to show.
    pub condition: Condition,
    /// What that condition holds back, if it does.
    pub held: Option<Held>,
}

/// What the observation of a whole list comes to.
///
/// ```
/// use allready_core::{Condition, Time, condition_type};
/// use allready_core::damping::{Damping, DampingMemory};
///
/// let observed = [condition_type!("Synced"), condition_type!("Available")]
///     .map(|type_| Condition::unreported(type_, Time::EPOCH));
/// let list = Damping::new().observe_all(&mut DampingMemory::default(), &[], observed, Time::EPOCH);
/// assert_eq!(list.conditions[0].type_, "Available", "sorted by type");
/// assert_eq!(list.held, []);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DampedList {
    /// The conditions to show, sorted by type.
    pub conditions: Vec<Condition>,
    /// What they hold back, by type.
    pub held: Vec<Held>,
}

impl DampedList {
    /// When to observe again at the latest: the first instant at which something is released.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::damping::{Damping, DampingMemory, Hold, Until};
    ///
    /// # let at = |second| Time::from_second(second).unwrap();
    /// let to_bad = Some(Until::Duration(std::time::Duration::from_secs(30)));
    /// let rules = Damping::new().hold_others(Hold { to_bad, ..Hold::default() });
    /// let ready = |status| [Condition::new(condition_type!("Ready"), status, reason!("Checked"), "", at(0))];
    /// let list = rules.observe_all(&mut DampingMemory::default(), &ready(Status::True), ready(Status::False), at(100));
    /// assert_eq!(list.look_again(), Some(at(130)), "requeue for then");
    /// ```
    pub fn look_again(&self) -> Option<Time> {
        self.held.iter().filter_map(|held| held.look_again).min()
    }
}

/// A status that is held back, in the words of its latest observation.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::damping::{Damping, DampingMemory, Hold, Until};
///
/// let to_bad = Some(Until::Observations(3));
/// let rules = Damping::new().hold_others(Hold { to_bad, ..Hold::default() });
/// let ready = |status| Condition::new(condition_type!("Ready"), status, reason!("Checked"), "", Time::EPOCH);
/// let shown = ready(Status::True);
/// let damped = rules.observe(&mut DampingMemory::default(), Some(&shown), ready(Status::False), Time::EPOCH);
/// let held = damped.held.unwrap();
/// assert_eq!((held.status, held.look_again), (Status::False, None), "observations are counted, not seconds");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// The type of the condition.
    pub type_: ConditionType,
    /// The status that is not shown yet.
    pub status: Status,
    /// Its reason.
    pub reason: Reason,
    /// Its message.
    pub message: Message,
    /// Since when it, or something else that is not good either, has been observed without a break.
    pub since: Time,
    /// The instant at which it is released if it lasts; none where observations are counted.
    pub look_again: Option<Time>,
}

impl Damping {
    /// Decides what to show of what was observed, given what is shown.
    ///
    /// - A type without a rule, and one of which nothing is shown yet, is shown as it was observed.
    /// - Observed with the status that is shown, it is shown as observed but with the `lastTransitionTime` that is shown,
    ///   and what was held back is forgotten.
    /// - Observed with another status, that one is held back until it has lasted for long enough. Good must last without
    ///   a break; for what is not good, `False` and `Unknown` count together, so that a problem that alternates between
    ///   the two is not hidden for ever. Meanwhile status, reason, time and generation stay as shown, and the message
    ///   tells what is held back: a generation that was observed to fail is never claimed to be good.
    /// - Released, it is shown as observed with `now` as its `lastTransitionTime`, which is when the status on the object
    ///   changes. When it was first observed stood in the message until then.
    ///
    /// Where the clock was set back behind the first observation, the hold starts again from there: nothing is released
    /// by that, and nothing is held for as long as the clock was wrong.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::damping::{Damping, DampingMemory, Hold, Until};
    ///
    /// let rules = Damping::new().hold_others(Hold { to_bad: Some(Until::Observations(2)), ..Hold::default() });
    /// let mut memory = DampingMemory::default();
    /// let ready = |status| Condition::new(condition_type!("Ready"), status, reason!("Checked"), "", Time::EPOCH);
    /// let first = rules.observe(&mut memory, Some(&ready(Status::True)), ready(Status::False), Time::EPOCH);
    /// assert_eq!(first.condition.status, Status::True, "held back");
    /// let second = rules.observe(&mut memory, Some(&first.condition), ready(Status::False), Time::EPOCH);
    /// assert_eq!(second.condition.status, Status::False, "seen twice in a row");
    /// ```
    pub fn observe(
        &self,
        memory: &mut DampingMemory,
        shown: Option<&Condition>,
        observed: Condition,
        now: Time,
    ) -> Damped {
        let rule = self.rule(&observed.type_).copied();
        Self::decide(rule, memory, shown, observed, now)
    }

    /// The same for a type whose polarity is declared elsewhere, whatever the rule says of it.
    pub(crate) fn observe_as(
        &self,
        polarity: Polarity,
        memory: &mut DampingMemory,
        shown: Option<&Condition>,
        observed: Condition,
        now: Time,
    ) -> Damped {
        let rule = self.rule(&observed.type_).map(|rule| Hold { polarity, ..*rule });
        Self::decide(rule, memory, shown, observed, now)
    }

    fn decide(
        rule: Option<Hold>,
        memory: &mut DampingMemory,
        shown: Option<&Condition>,
        observed: Condition,
        now: Time,
    ) -> Damped {
        // Whatever the outcome but a hold, nothing is remembered.
        let remembered = memory.0.remove(observed.type_.as_str());
        let shown = shown.filter(|shown| shown.type_ == observed.type_);
        let (Some(rule), Some(shown)) = (rule, shown) else {
            return Damped { condition: observed, held: None };
        };
        if shown.status == observed.status {
            let since = shown.last_transition_time;
            return Damped { condition: Condition { last_transition_time: since, ..observed }, held: None };
        }
        let (since, observations) = match remembered {
            Some(before) if rule.is_good(before.status) == rule.is_good(observed.status) => {
                (before.since.min(now), before.observations.saturating_add(1))
            }
            _ => (now, 1),
        };
        let Some(wait) = rule.wait(observed.status, since, observations, now) else {
            return Damped { condition: Condition { last_transition_time: now, ..observed }, held: None };
        };
        let reason = Some(observed.reason.clone());
        let pending = Pending { status: observed.status, reason, since, observations };
        memory.0.insert(observed.type_.clone(), pending);
        let held = Held {
            type_: observed.type_,
            status: observed.status,
            reason: observed.reason,
            message: observed.message,
            since,
            look_again: wait.look_again(),
        };
        let message = held.told(shown.status, wait);
        Damped { condition: Condition { message, ..shown.clone() }, held: Some(held) }
    }

    /// What is still held back of a condition that was not observed this time: as long as nobody has looked again, nobody
    /// can say that it is over. Once its time has come there is no instant to wait for.
    pub(crate) fn remembered(
        &self,
        polarity: Polarity,
        memory: &DampingMemory,
        shown: &Condition,
        now: Time,
    ) -> Option<Held> {
        let pending = memory.0.get(&shown.type_).filter(|pending| pending.status != shown.status)?;
        let Pending { status, since, observations, .. } = *pending;
        let rule = self.rule(&shown.type_).map(|rule| Hold { polarity, ..*rule });
        let wait = rule.and_then(|rule| rule.wait(status, since, observations, now));
        Some(Held {
            type_: shown.type_.clone(),
            status,
            reason: pending.reason.clone().unwrap_or_else(|| Reason::sanitized("")),
            message: Message::EMPTY,
            since,
            look_again: wait.and_then(Wait::look_again),
        })
    }

    /// Decides for a whole list. Types that were not observed are forgotten, and not shown; of a type that is there
    /// twice, the last counts.
    ///
    /// ```
    /// use allready_core::{Condition, ConditionType, Status, Time, reason};
    /// use allready_core::damping::{Damping, DampingMemory, Hold, Until};
    /// use std::time::Duration;
    ///
    /// let at = |second| Time::from_second(second).unwrap();
    /// let list = |status| ["Available", "Synced"].map(|type_| {
    ///     Condition::new(ConditionType::new(type_).unwrap(), status, reason!("Checked"), "", at(0))
    /// });
    /// let seconds = |seconds| Hold {
    ///     to_bad: Some(Until::Duration(Duration::from_secs(seconds))),
    ///     ..Hold::default()
    /// };
    /// let rules = Damping::new().hold(ConditionType::new("Synced").unwrap(), seconds(30)).hold_others(seconds(60));
    ///
    /// let mut memory = DampingMemory::default();
    /// let damped = rules.observe_all(&mut memory, &list(Status::True), list(Status::False), at(100));
    /// assert_eq!((damped.held.len(), damped.look_again()), (2, Some(at(130))));
    /// ```
    pub fn observe_all(
        &self,
        memory: &mut DampingMemory,
        shown: &[Condition],
        observed: impl IntoIterator<Item = Condition>,
        now: Time,
    ) -> DampedList {
        let shown = transition::by_type(shown);
        let observed: BTreeMap<ConditionType, Condition> =
            observed.into_iter().map(|condition| (condition.type_.clone(), condition)).collect();
        memory.0.retain(|type_, _| observed.contains_key(type_));
        let mut list = DampedList { conditions: Vec::with_capacity(observed.len()), held: Vec::new() };
        for (type_, condition) in observed {
            let shown = shown.get(type_.as_str()).copied();
            let Damped { condition, held } = self.observe(memory, shown, condition, now);
            list.conditions.push(condition);
            list.held.extend(held);
        }
        list
    }
}

impl Held {
    /// The message of a condition that does not show this yet.
    fn told(&self, shown: Status, wait: Wait) -> Message {
        let Self { status, reason, message, since, .. } = self;
        let colon = if message.is_empty() { "" } else { ": " };
        Message::new(format!(
            "not {shown} since {since}; {status} is held back {wait}: {reason}{colon}{message}"
        ))
    }
}
