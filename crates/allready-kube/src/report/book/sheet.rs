//! What one field manager applies.

use std::{collections::BTreeMap, time::Duration};

use allready_core::{
    Condition, ConditionType, condition_type,
    rollup::{Context, Input, Policy},
};

use super::{Write, entry::Entry};
use crate::manager::Manager;

/// The conditions of one field manager: all of a reporter in its own object, one of a reconciler in a shared one.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) entries: BTreeMap<ConditionType, Entry>,
    /// The `Ready` of an object of its own.
    ready: Option<Ready>,
    revision: Option<Box<str>>,
    /// The stored object may have something else than what was sent last.
    pub(super) uncertain: bool,
    /// A write was not answered, and may take effect late.
    pub(super) unanswered: bool,
    /// How often in a row the content was refused.
    pub(super) refused: u32,
    /// After a refusal: not before.
    pub(super) not_before: Option<Duration>,
}

/// The `Ready` that the conditions of a reporter come to: as it was read or sent last.
#[derive(Debug, Default)]
struct Ready {
    basis: Option<Condition>,
}

const READY: ConditionType = condition_type!("Ready");

impl Sheet {
    /// All conditions of a reporter in its own object, and `Ready`, which they come to.
    pub(super) fn own() -> Self {
        Self { ready: Some(Ready::default()), ..Self::default() }
    }

    /// Takes in what was found of it in the store.
    pub(super) fn found(&mut self, conditions: Vec<Condition>, revision: Option<Box<str>>) {
        for condition in conditions {
            match &mut self.ready {
                Some(ready) if condition.type_ == READY => ready.basis = Some(condition),
                _ => {
                    let type_ = condition.type_.clone();
                    self.entries.entry(type_).or_default().basis = Some(condition);
                }
            }
        }
        self.revision = revision;
    }

    /// Whether something has been said that is not known to be stored.
    pub(super) fn is_dirty(&self) -> bool {
        let mut entries = self.entries.values();
        let spoken = self.entries.values().any(Entry::has_spoken);
        spoken
            && (self.uncertain
                || !entries.all(Entry::is_written)
                || self.agreed() != self.revision.as_deref()
                || !self.is_ready_written())
    }

    /// Whether the stored `Ready`, if there is to be one, is what the conditions come to.
    fn is_ready_written(&self) -> bool {
        let Some(ready) = &self.ready else { return true };
        ready.basis == ready.rolled_up(&self.conditions())
    }

    fn conditions(&self) -> Vec<Condition> {
        self.entries.iter().filter_map(|(type_, entry)| entry.condition(type_)).collect()
    }

    /// The revision that all who name one agree on. Who has not spoken since the start stands by the stored one.
    fn agreed(&self) -> Option<&str> {
        let stored = self.revision.as_deref();
        let mut named = self.entries.values().filter_map(|entry| {
            if entry.has_spoken() { entry.named_revision().map(Some) } else { Some(stored) }
        });
        let first = named.next()?;
        first.filter(|_| named.all(|other| other == first))
    }

    /// Everything that its manager is to own.
    pub(super) fn write(&self, manager: &Manager) -> Write {
        let mut conditions = self.conditions();
        if let Some(ready) = self.ready.as_ref().and_then(|ready| ready.rolled_up(&conditions)) {
            conditions.push(ready);
        }
        Write { manager: manager.clone(), conditions, revision: self.agreed().map(Into::into) }
    }

    /// Notes what was sent, and may be stored.
    pub(super) fn sent(&mut self, write: Write) {
        for condition in write.conditions {
            if let Some(entry) = self.entries.get_mut(&condition.type_) {
                entry.basis = Some(condition);
            } else if let Some(ready) = self.ready.as_mut().filter(|_| condition.type_ == READY) {
                ready.basis = Some(condition);
            }
        }
        self.revision = write.revision;
    }
}

impl Ready {
    /// As bad as the worst condition, in its words. It has changed when the newest of the conditions did.
    fn rolled_up(&self, conditions: &[Condition]) -> Option<Condition> {
        let times = conditions.iter().chain(&self.basis).map(|condition| condition.last_transition_time);
        let now = times.max().filter(|_| !conditions.is_empty())?;
        let previous = self.basis.as_ref();
        let good_reason = Some("AllReconcilersValid");
        let context = Context { previous, good_reason, ..Context::new("Ready", now) };
        let rollup = Policy::newest_cause().roll_up(conditions.iter().map(Input::from), &context)?;
        let ready = rollup.into_condition(READY, previous, now);
        Some(Condition { observed_generation: None, ..ready })
    }
}
