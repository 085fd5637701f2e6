//! What one reconciler said, and what the API server has of it.

use allready_core::{Condition, ConditionType, Message, Reason, Status, Time};

use crate::report::Outcome;

/// One condition: the wanted one, and the last that was sent.
#[derive(Debug, Default)]
pub(super) struct Entry {
    wanted: Option<Wanted>,
    /// What was read or sent last, whether it was answered or not: what times continue from.
    pub(super) basis: Option<Condition>,
}

#[derive(Debug)]
struct Wanted {
    status: Status,
    reason: Reason,
    message: Message,
    revision: Option<Box<str>>,
    since: Time,
}

impl Entry {
    /// Takes in what the reconciler says now.
    pub(super) fn say(&mut self, outcome: Outcome, now: Time) {
        let (status, reason, message, revision) = outcome.into_parts();
        let since = match &self.wanted {
            Some(before) if before.status == status => before.since,
            _ => now,
        };
        self.wanted = Some(Wanted { status, reason, message, revision, since });
    }

    /// Whether the reconciler has spoken.
    pub(super) fn has_spoken(&self) -> bool {
        self.wanted.is_some()
    }

    /// The revision that the reconciler observed, if it names one.
    pub(super) fn named_revision(&self) -> Option<&str> {
        self.wanted.as_ref()?.revision.as_deref()
    }

    /// The condition to be written. Its time moves only with the status of what may be stored, and never backwards.
    pub(super) fn condition(&self, type_: &ConditionType) -> Option<Condition> {
        let Some(wanted) = &self.wanted else { return self.basis.clone() };
        let since = match &self.basis {
            Some(basis) if basis.status == wanted.status => basis.last_transition_time,
            Some(basis) => wanted.since.max(basis.last_transition_time),
            None => wanted.since,
        };
        let (reason, message) = (wanted.reason.clone(), wanted.message.clone());
        Some(Condition::new(type_.clone(), wanted.status, reason, message, since))
    }

    /// Whether what is stored, if it is what was sent last, is what is wanted.
    pub(super) fn is_written(&self) -> bool {
        match (&self.wanted, &self.basis) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(wanted), Some(basis)) => {
                basis.status == wanted.status
                    && basis.reason == wanted.reason
                    && basis.message == wanted.message
                    && basis.observed_generation.is_none()
            }
        }
    }
}
