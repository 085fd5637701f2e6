//! One pass over a list of conditions, after openmcp's condition updater: what is set and removed is gathered, and at the
//! end there is a new list, whether it differs, and which conditions took another status.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::{
    Condition, ConditionType, Generation, Message, Reason, Status, Time, condition,
    set::Untouched,
    transition::{self, Transition},
};

/// Gathers the conditions of one pass.
///
/// The list that it starts from is not changed. Everything is compared with that list, never with what the same pass set
/// earlier: a status that was changed and changed back has not changed, and a condition that was removed and set again was
/// never away. A `lastTransitionTime` moves only with the status, and then to the one instant of the pass.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::{set::Untouched, updater::ConditionUpdater};
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
    originals: BTreeMap<&'a str, &'a Condition>,
    /// What the pass did to a type: set it, or removed it.
    touched: BTreeMap<ConditionType, Option<Condition>>,
    untouched: Untouched,
    now: Time,
}

/// What a pass came to.
///
/// ```
/// use allready_core::{Condition, Status, Time, condition_type, reason};
/// use allready_core::{set::Untouched, updater::{ConditionUpdater, Updated}};
///
/// let old = vec![Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH)];
/// let updated = ConditionUpdater::new(&old, Untouched::Keep, Time::EPOCH).update_from(&old[0]).finish();
/// assert_eq!(updated, Updated { conditions: old.clone(), changed: false, transitions: vec![] }, "there is nothing to write");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Updated {
    /// The new list, sorted by type.
    pub conditions: Vec<Condition>,
    /// Whether the new list differs from the old one in more than its order.
    pub changed: bool,
    /// Which conditions took another status, by type. Record their [notes](transition::notes()) once the new list has
    /// been written.
    pub transitions: Vec<Transition>,
}

impl<'a> ConditionUpdater<'a> {
    /// Starts a pass at this instant from the list as it stands. Of a type that is there twice, the last counts.
    ///
    /// ```
    /// use allready_core::{Time, set::Untouched, updater::ConditionUpdater};
    ///
    /// let updated = ConditionUpdater::new(&[], Untouched::Keep, Time::EPOCH).finish();
    /// assert!(!updated.changed);
    /// ```
    pub fn new(old: &'a [Condition], untouched: Untouched, now: Time) -> Self {
        Self { old, originals: transition::by_type(old), touched: BTreeMap::new(), untouched, now }
    }

    /// Sets a condition. Where no reason is given, it is `<type>_<status>` in legal characters.
    ///
    /// ```
    /// use allready_core::{Generation, Status, Time, condition_type};
    /// use allready_core::{set::Untouched, updater::ConditionUpdater};
    ///
    /// let updated = ConditionUpdater::new(&[], Untouched::Keep, Time::EPOCH)
    ///     .update(condition_type!("example.com/Ready"), true.into(), Generation::NONE, None, "")
    ///     .finish();
    /// assert_eq!(updated.conditions[0].reason, "example_com_Ready_True");
    /// ```
    pub fn update(
        mut self,
        type_: ConditionType,
        status: Status,
        generation: impl Into<Generation>,
        reason: Option<Reason>,
        message: impl Into<Message>,
    ) -> Self {
        let since = condition::since(self.originals.get(type_.as_str()).copied(), status, self.now);
        let reason = reason.unwrap_or_else(|| Reason::sanitized(&format!("{type_}_{status}")));
        let condition = Condition::new(type_.clone(), status, reason, message, since).observed(generation);
        self.touched.insert(type_, Some(condition));
        self
    }

    /// Sets a condition to what another says; the time of that one does not matter.
    ///
    /// ```
    /// use allready_core::{Condition, Time, condition_type, set::Untouched, updater::ConditionUpdater};
    ///
    /// let now = Time::from_second(20).unwrap();
    /// let template = Condition::unreported(condition_type!("Ready"), Time::EPOCH);
    /// let updated = ConditionUpdater::new(&[], Untouched::Keep, now).update_from(&template).finish();
    /// assert_eq!(updated.conditions, [Condition { last_transition_time: now, ..template }]);
    /// ```
    pub fn update_from(mut self, template: &Condition) -> Self {
        let since =
            condition::since(self.originals.get(template.type_.as_str()).copied(), template.status, self.now);
        let condition = Condition { last_transition_time: since, ..template.clone() };
        let observed = condition.observed_generation.unwrap_or_default();
        self.touched.insert(template.type_.clone(), Some(condition.observed(observed)));
        self
    }

    /// Removes a condition; nothing happens if there is none of this type.
    ///
    /// ```
    /// use allready_core::{Condition, Time, condition_type, set::Untouched, updater::ConditionUpdater};
    ///
    /// let old = [Condition::unreported(condition_type!("Obsolete"), Time::EPOCH)];
    /// let updated = ConditionUpdater::new(&old, Untouched::Keep, Time::EPOCH).remove("Obsolete").finish();
    /// assert_eq!((updated.changed, updated.conditions), (true, vec![]));
    /// ```
    pub fn remove(mut self, type_: &str) -> Self {
        self.touched.remove(type_);
        if let Some(original) = self.originals.get(type_) {
            self.touched.insert(original.type_.clone(), None);
        }
        self
    }

    /// Whether the list would have this type if the pass finished now.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::{set::Untouched, updater::ConditionUpdater};
    ///
    /// let old = [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH)];
    /// assert!(ConditionUpdater::new(&old, Untouched::Keep, Time::EPOCH).has("Ready"));
    /// assert!(!ConditionUpdater::new(&old, Untouched::Remove, Time::EPOCH).has("Ready"), "not touched yet");
    /// ```
    pub fn has(&self, type_: &str) -> bool {
        match self.touched.get(type_) {
            Some(touched) => touched.is_some(),
            None => self.untouched != Untouched::Remove && self.originals.contains_key(type_),
        }
    }

    /// Ends a pass that got to its end: untouched conditions stay, go or become `Unknown` as was asked for.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason, set::Untouched, updater::ConditionUpdater};
    ///
    /// let old = [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH)];
    /// let updated = ConditionUpdater::new(&old, Untouched::Unknown, Time::EPOCH).finish();
    /// assert_eq!(updated.conditions[0].status, Status::Unknown, "this pass has not spoken for it");
    /// ```
    pub fn finish(self) -> Updated {
        let untouched = self.untouched;
        self.settle(untouched)
    }

    /// Ends a pass that stopped early, on an error: what it set is set, what it removed is removed, and untouched
    /// conditions stay whatever was asked for, because the pass never got to say whether they still hold.
    ///
    /// ```
    /// use allready_core::{Condition, Status, Time, condition_type, reason};
    /// use allready_core::{set::Untouched, updater::ConditionUpdater};
    ///
    /// let old = [Condition::new(condition_type!("Ready"), Status::True, reason!("Ok"), "", Time::EPOCH)];
    /// let pass = ConditionUpdater::new(&old, Untouched::Remove, Time::EPOCH);
    /// assert_eq!(pass.clone().finish_incomplete().conditions, old);
    /// assert_eq!(pass.finish().conditions, []);
    /// ```
    pub fn finish_incomplete(self) -> Updated {
        self.settle(Untouched::Keep)
    }

    fn settle(self, untouched: Untouched) -> Updated {
        let Self { old, originals, touched, now, .. } = self;
        let left = originals.values().filter(|original| !touched.contains_key(original.type_.as_str()));
        let kept: Vec<_> = match untouched {
            Untouched::Keep => left.map(|original| (*original).clone()).collect(),
            Untouched::Remove => Vec::new(),
            Untouched::Unknown => left.map(|original| unreported(original, now)).collect(),
        };
        let mut conditions: Vec<_> = touched.into_values().flatten().chain(kept).collect();
        conditions.sort_by(|a, b| a.type_.cmp(&b.type_));
        let as_it_was = |condition: &Condition| originals.get(condition.type_.as_str()) == Some(&condition);
        // With a type there twice the old list is the longer one: what the API server would refuse is repaired.
        let changed = conditions.len() != old.len() || !conditions.iter().all(as_it_was);
        let transitions = transition::diff(old, &conditions);
        Updated { conditions, changed, transitions }
    }
}

/// A condition that nobody has spoken for in a pass that came to its end.
fn unreported(original: &Condition, now: Time) -> Condition {
    let since = condition::since(Some(original), Status::Unknown, now);
    Condition {
        observed_generation: original.observed_generation,
        ..Condition::unreported(original.type_.clone(), since)
    }
}
