//! The conditions of a list, and the signal that one of them gives.

use std::borrow::Cow;

use allready_core::{
    Time,
    findings::{Severity, Told},
    found::FoundSubConditions,
};
use serde_json::Value;

use super::Rule;
use super::case::{CONDITION, Case};
use super::signal::{Place, Signal};
use crate::health::Health;
pub(super) use crate::view::{Listed, Said};

impl<'a> Listed<'a> {
    /// The signal of it, if it is this that decides. Of several errors under it the first says more than that there are several.
    pub(super) fn signal(&self, health: Health, rule: Rule) -> Signal<'a> {
        let (mut reason, mut message) = (self.reason(), self.message());
        if health > Health::Suspended {
            let mut told = Told::read(self.errors(), FoundSubConditions::default(), &message, 1);
            let all = told.counts.errors;
            if let Some(first) = told.problems.pop().filter(|first| first.severity == Severity::Error) {
                reason = if first.reason.is_empty() { reason } else { first.reason };
                message = if first.message.is_empty() { message } else { first.message };
                if all > 1 {
                    // In front, so that a narrow table shows that there are more.
                    message = Cow::Owned(format!("1 of {all} errors: {message}"));
                }
            }
        }
        Signal::new(health, rule, Place::Condition(self.type_))
            .reason(reason)
            .message(message)
            .since(self.since())
    }
}

/// The conditions of a list, or of a map by type, each type once: the newest of several. Where a time does not tell, all of them are kept,
/// so that the worst of them counts, in whatever order they stand.
pub(super) fn read<'a>(case: &Case<'a>, value: Option<&'a Value>) -> Vec<Listed<'a>> {
    let mut list = value.map(Listed::list).unwrap_or_default();
    let affordable = list.iter().take_while(|_| case.spend(CONDITION)).count();
    list.truncate(affordable);
    let is_twin = |(at, one): (usize, &Listed<'a>)| list[..at].iter().any(|other| other.type_ == one.type_);
    if list.iter().enumerate().any(is_twin) { newest(&list, case.now) } else { list }
}

/// Without those that are older than another of their type, where all of that type have a time.
fn newest<'a>(list: &[Listed<'a>], now: Time) -> Vec<Listed<'a>> {
    let is_newest = |one: &&Listed<'a>| {
        let mut newest = None;
        for twin in list.iter().filter(|twin| twin.type_ == one.type_) {
            let Some(time) = twin.since_when(now) else { return true };
            newest = newest.max(Some(time));
        }
        one.since_when(now) == newest
    };
    list.iter().filter(is_newest).copied().collect()
}

/// The condition of a type.
pub(super) fn find<'a>(list: &[Listed<'a>], type_: &str) -> Option<Listed<'a>> {
    list.iter().find(|one| one.type_ == type_).copied()
}
