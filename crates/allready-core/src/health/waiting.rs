//! What a reason or a message says as a whole.

use super::Health::{self, Progressing, Suspended};
use super::lexicon::word;
use super::tokens::{Flat, Token, tokens};

/// A reason that is one known state of rest or of waiting: `ScaledToZero`, `NotStarted`.
pub(super) fn whole_reason(reason: &str) -> Option<Health> {
    let flat = Flat::of(reason);
    let is_vague = matches!(flat.as_str(), "notready" | "unready" | "inactive" | "idle" | "off" | "outdated");
    word(flat.as_str()).means().filter(|health| !is_vague && matches!(health, Suspended | Progressing))
}

/// `NotProvisioned` of something that is to be `Ready`: another step that is to come. Of the type itself it says nothing.
pub(super) fn is_not_yet(reason: &str, type_: &str) -> bool {
    let mut words = tokens(reason);
    let (first, second) = (words.next(), words.next());
    let is_step = |step: Token| word(step.as_str()).is_awaited() && !ends_in(type_, step.as_str());
    words.next().is_none()
        && first.is_some_and(|first| first.as_str() == "not")
        && second.is_some_and(is_step)
}

fn ends_in(type_: &str, expected: &str) -> bool {
    tokens(type_).last().is_some_and(|token| token.as_str() == expected)
}

/// Whether a message begins by saying that something failed.
pub(super) fn begins_with_failure(message: &str) -> bool {
    let first = tokens(message).next();
    first.is_some_and(|first| matches!(first.as_str(), "error" | "failed"))
}

/// Whether somebody who reported has gone silent: `NodeStatusUnknown`, `LeaseUpdateStopped`, "stopped posting status".
pub(super) fn has_lost_contact(reason: &str, message: &str) -> bool {
    let flat = Flat::of(reason);
    let is_cut_off =
        flat.as_str().ends_with("statusunknown") || flat.as_str().ends_with("leaseupdatestopped");
    let (mut before, mut has_stopped) = (None, false);
    for token in tokens(message).take(40) {
        let is_stopped = before.is_some_and(|before: Token| before.as_str() == "stopped");
        has_stopped |= is_stopped && matches!(token.as_str(), "posting" | "updating" | "reporting");
        before = Some(token);
    }
    is_cut_off || has_stopped
}
