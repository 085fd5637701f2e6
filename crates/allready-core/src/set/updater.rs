//! One pass over a list of conditions, after openmcp's condition updater: what is set and removed is gathered, and at the
//! end there is a new list, whether it differs, and which conditions took another status.

use super::{At, Finished, Marks, Pass, Untouched};
use crate::{
    Condition, ConditionType, Generation, Message, Reason, Status, Time, condition, transition::Transition,
};

/// Gathers the conditions of one pass.
///
/// The list that it starts from is not changed. Everything is compared with that list, never with what the same pass set
/// earlier: a status that was changed and changed back has not changed, and a condition that was removed and set again was
/// never away. A `lastTransitionTime` moves only with the status, and then to the one instant of the pass.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::set::{ConditionUpdater, Untouched};
///
/// let at = |second| Time::from_second(second).unwrap();
/// let old = [
///     Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", at(10)),
///     Condition::new(condition_type!("Obsolete"), Status::True, reason!("Ok"), "", at(10)),
/// ];
///
/// let updated = ConditionUpdater::new(&old, Untouched::Remove, at(20))
///     .update(condition_type!("Ready"), Status::True, 2, Some(reason!("StillOk")), "checked again")
///     .update(condition_type!("Synced"), Status::False, 2, None, "the remote is away")
///     .finish();
///
/// assert!(updated.changed);
/// let [ready, synced] = &updated.conditions[..] else { panic!("sorted by type, without the untouched one") };
/// assert_eq!(ready.last_transition_time, at(10), "its status is the same");
/// assert_eq!((synced.reason.as_str(), synced.last_transition_time), ("Synced_False", at(20)));
/// assert_eq!(updated.transitions.iter().map(|t| t.type_.as_str()).collect::<Vec<_>>(), ["Obsolete", "Synced"]);
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing comes of a pass that is not finished"]
pub struct ConditionUpdater<'a> {
    old: &'a [Condition],
    marks: Marks,
    untouched: Untouched,
    now: Time,
}

/// The outcome of a condition updater.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UpdatedConditions {
    /// The new list, sorted by type.
    pub conditions: Vec<Condition>,
    /// Set if the new list differs from the old one in more than its order.
    pub changed: bool,
    /// Which conditions took another status, by type. Record their [notes](crate::transition::notes()) once the new list has
    /// been written.
    pub transitions: Vec<Transition>,
}

impl<'a> ConditionUpdater<'a> {
    /// Starts a pass at this instant from the list as it stands. Of a type that is there twice, the worst counts.
    pub fn new(old: &'a [Condition], untouched: Untouched, now: Time) -> Self {
        Self { old, marks: Marks::default(), untouched, now }
    }

    /// Sets a condition. Where no reason is given, it is `<type>_<status>` in legal characters.
    pub fn update(
        mut self,
        type_: ConditionType,
        status: Status,
        generation: impl Into<Generation>,
        reason: Option<Reason>,
        message: impl Into<Message>,
    ) -> Self {
        let reason = reason.unwrap_or_else(|| Reason::sanitized(&format!("{type_}_{status}")));
        self.marks.set(Condition::new(type_, status, reason, message, self.now).observed(generation));
        self
    }

    /// Sets a condition to what another says; the time of that one does not matter.
    pub fn update_from(mut self, template: &Condition) -> Self {
        self.marks.set(template.clone());
        self
    }

    /// Removes a condition; nothing happens if there is none of this type.
    pub fn remove(mut self, type_: &str) -> Self {
        if let Ok(type_) = ConditionType::new(type_.to_owned()) {
            self.marks.remove(type_);
        }
        self
    }

    /// Tells whether the list would have this type if the pass finished now.
    pub fn has(&self, type_: &str) -> bool {
        self.marks.keeps(type_).unwrap_or_else(|| {
            self.untouched != Untouched::Remove && condition::find(self.old, type_).is_some()
        })
    }

    /// Ends a pass that got to its end: untouched conditions stay, go or become `Unknown` as was asked for.
    pub fn finish(self) -> UpdatedConditions {
        self.settle(Marks::finish)
    }

    /// Ends a pass that stopped early, on an error: what it set is set, what it removed is removed, and untouched
    /// conditions stay whatever was asked for, because the pass never got to say whether they still hold.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::set::{ConditionUpdater, Untouched};
    ///
    /// let old = [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH)];
    /// let pass = ConditionUpdater::new(&old, Untouched::Remove, Time::EPOCH);
    /// assert_eq!(pass.clone().finish_incomplete().conditions, old);
    /// assert_eq!(pass.finish().conditions, []);
    /// ```
    pub fn finish_incomplete(self) -> UpdatedConditions {
        self.settle(Marks::abandon)
    }

    fn settle(self, end: impl FnOnce(&Marks, Pass<'_>) -> Finished) -> UpdatedConditions {
        let mut conditions = self.old.to_vec();
        let pass = Pass::over_list(&mut conditions, self.untouched, At::new(Generation::NONE, self.now));
        let Finished { changed, transitions, .. } = end(&self.marks, pass);
        UpdatedConditions { conditions, changed, transitions }
    }
}
