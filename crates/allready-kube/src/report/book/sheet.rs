//! What one field manager applies.

use std::{collections::BTreeMap, time::Duration};

use allready_core::{Condition, ConditionType};

use super::{Write, entry::Entry};
use crate::manager::Manager;

/// The conditions of one field manager: all of a reporter in its own object, one of a reconciler in a shared one.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) entries: BTreeMap<ConditionType, Entry>,
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

impl Sheet {
    /// Takes in what was found of it in the store.
    pub(super) fn found(&mut self, conditions: Vec<Condition>, revision: Option<Box<str>>) {
        for condition in conditions {
            let type_ = condition.type_.clone();
            self.entries.entry(type_).or_default().basis = Some(condition);
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
                || self.agreed() != self.revision.as_deref())
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
        let conditions = self.entries.iter().filter_map(|(type_, entry)| entry.condition(type_)).collect();
        Write { manager: manager.clone(), conditions, revision: self.agreed().map(Into::into) }
    }

    /// Notes what was sent, and may be stored.
    pub(super) fn sent(&mut self, write: Write) {
        for condition in write.conditions {
            if let Some(entry) = self.entries.get_mut(&condition.type_) {
                entry.basis = Some(condition);
            }
        }
        self.revision = write.revision;
    }
}
