//! How waiting ended.

use std::{process::ExitCode, time::Duration};

use allready_core::Time;
use serde_json::{Value, json};

use super::{gather::Awaited, progress::line, tracked::State};

/// A kind that objects were deleted with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Vanished {
    /// It is not served any more.
    Gone(String),
    /// It takes no new objects.
    Going(String),
}

impl Vanished {
    /// In words.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Gone(kind) => {
                format!("the server does not serve {kind} any more: was its definition deleted?")
            }
            Self::Going(kind) => format!("the definition of {kind} is being deleted"),
        }
    }
}

/// How waiting ended, for all objects together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Everything is as wished.
    Met,
    /// Something is in a terminal state.
    Failed,
    /// It took too long.
    TimedOut,
    /// Something was deleted meanwhile.
    Deleted,
    /// Something is not there.
    Absent,
}

impl Outcome {
    /// Whether it is over before the time is: what fails goes first, then what is not there.
    pub(super) fn of(objects: &[Awaited]) -> Option<Self> {
        let any = |state: &State| objects.iter().any(|object| object.tracked.state == *state);
        if any(&State::Failed) {
            return Some(Self::Failed);
        }
        if any(&State::Deleted) {
            return Some(Self::Deleted);
        }
        if any(&State::Absent) {
            return Some(Self::Absent);
        }
        objects.iter().all(|object| object.tracked.state == State::Met).then_some(Self::Met)
    }

    pub(super) fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Met => 0,
            Self::Failed => 1,
            Self::TimedOut => 2,
            Self::Deleted | Self::Absent => 3,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Met => "met",
            Self::Failed => "failed",
            Self::TimedOut => "timedOut",
            Self::Deleted => "deleted",
            Self::Absent => "absent",
        }
    }

    /// What to say on the side where it is not as wished.
    pub(super) fn complaint(self, objects: &[Awaited], elapsed: Duration) -> Option<String> {
        let count = |state: &State| objects.iter().filter(|object| object.tracked.state == *state).count();
        let of = |number: usize| match objects.len() {
            1 => "it".to_owned(),
            all => format!("{number} of {all} objects"),
        };
        match self {
            Self::Met => None,
            Self::Failed => Some(format!(
                "{} will not come to it without somebody doing something; --no-fail-fast or a longer --grace waits on",
                of(count(&State::Failed))
            )),
            Self::TimedOut => {
                let missing = objects.len() - count(&State::Met);
                Some(format!("gave up after {}: {} not as wished", told(elapsed), is(&of(missing), missing)))
            }
            Self::Deleted => Some(format!(
                "{} deleted while it was waited for",
                was(&of(count(&State::Deleted)), count(&State::Deleted))
            )),
            Self::Absent => Some(format!(
                "{} not there: look at the name and the namespace, or wait for it too with --for create",
                is(&of(count(&State::Absent)), count(&State::Absent))
            )),
        }
    }

    /// For programs.
    pub(super) fn structured(self, objects: &[Awaited], elapsed: Duration, now: Time) -> Value {
        let object = |object: &Awaited| {
            let result = match object.tracked.state {
                State::Unseen | State::Waiting => "waiting",
                State::Met => "met",
                State::Failed => "failed",
                State::Absent => "absent",
                State::Deleted => "deleted",
            };
            json!({
                "apiVersion": object.resource.api_version(),
                "kind": object.resource.kind,
                "namespace": object.namespace,
                "name": object.name,
                "result": result,
                "why": object.tracked.describe(now),
            })
        };
        json!({
            "result": self.name(),
            "seconds": elapsed.as_secs(),
            "objects": objects.iter().map(object).collect::<Vec<_>>(),
        })
    }
}

/// For people: a line for each object.
pub(super) fn lines(objects: &[Awaited], now: Time) -> String {
    objects.iter().map(|object| line(object, now) + "\n").collect()
}

fn is(subject: &str, number: usize) -> String {
    if number == 1 { format!("{subject} is") } else { format!("{subject} are") }
}

fn was(subject: &str, number: usize) -> String {
    if number == 1 { format!("{subject} was") } else { format!("{subject} were") }
}

pub(super) fn told(elapsed: Duration) -> String {
    match elapsed.as_secs() {
        0 => format!("{}ms", elapsed.as_millis()),
        seconds @ 1..120 => format!("{seconds}s"),
        seconds => format!("{}m", seconds / 60),
    }
}
