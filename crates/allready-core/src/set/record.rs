//! What a pass found, kept for exactly those conditions that it changes: an unchanged list costs nothing.

use super::index::{ByType, TypeIndex, Typed};
use crate::{
    Condition, ConditionType, Status, Time,
    transition::{self, Transition},
};

/// The originals of everything a pass has changed so far.
#[derive(Debug, Default)]
pub(super) struct Record {
    before: ByType<Before>,
    /// Whether a second condition of one type was dropped, which no comparison by type would show.
    dropped: bool,
}

#[derive(Debug)]
struct Before {
    type_: ConditionType,
    /// What stood in the list when the pass began; nothing, if the pass added it.
    original: Option<Condition>,
    /// The status and time against which a transition is told: the original's, or the initial ones.
    status: Status,
    since: Time,
}

impl Typed for Before {
    fn type_(&self) -> &ConditionType {
        &self.type_
    }
}

impl Record {
    /// Notes a condition before its first change; later changes do not overwrite the note.
    pub(super) fn changing(&mut self, condition: &Condition) {
        self.note(condition, Some(condition));
    }

    /// Notes a condition that the pass itself has just added.
    pub(super) fn added(&mut self, condition: &Condition) {
        self.note(condition, None);
    }

    /// Notes that a duplicate has been dropped.
    pub(super) fn dropped(&mut self) {
        self.dropped = true;
    }

    /// Notes a condition before it is dated: it has had its status since then.
    pub(super) fn dating(&mut self, condition: &Condition, since: Time) {
        self.note(condition, Some(condition));
        if let Some(before) = self.before.get_mut(condition.type_.as_str()) {
            before.since = since;
        }
    }

    fn note(&mut self, condition: &Condition, original: Option<&Condition>) {
        if !self.before.has(condition.type_.as_str()) {
            self.before.put(Before {
                type_: condition.type_.clone(),
                original: original.cloned(),
                status: condition.status,
                since: condition.last_transition_time,
            });
        }
    }

    /// What stood in the list when the pass began, given what stands there now.
    pub(super) fn original<'c>(&'c self, type_: &str, current: &'c Condition) -> Option<&'c Condition> {
        match self.before.get(type_) {
            Some(before) => before.original.as_ref(),
            None => Some(current),
        }
    }

    /// Since when a condition has a status: the old time if it had that status at the beginning, else now.
    pub(super) fn since(&self, type_: &str, status: Status, now: Time) -> Time {
        match self.before.get(type_) {
            Some(before) if before.status == status => before.since,
            _ => now,
        }
    }

    /// Whether anything differs from the beginning, and which statuses do.
    pub(super) fn compare(&self, conditions: &[Condition], index: &TypeIndex) -> (bool, Vec<Transition>) {
        let mut changed = self.dropped;
        let mut transitions = Vec::new();
        for before in self.before.iter() {
            let place = index.find(conditions, before.type_.as_str());
            let current = place.map(|place| &conditions[place]); // found at this place
            changed |= before.original.as_ref() != current;
            transitions.extend(transition::between(before.original.as_ref(), current));
        }
        transitions.sort_unstable_by(|a, b| a.type_.cmp(&b.type_));
        (changed, transitions)
    }
}
