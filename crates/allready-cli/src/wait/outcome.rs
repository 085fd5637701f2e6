//! How waiting ended.

use std::{process::ExitCode, time::Duration};

use allready_core::Time;
use schemars::JsonSchema;
use serde::Serialize;

use super::{gather::Awaited, progress::line, tracked::State};
use crate::output::{Document, Look, Report, document::ObjectName};

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
}

/// The result of `allready wait`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct WaitReport<'a> {
    result: &'static str,
    seconds: u64,
    objects: Vec<WaitedFor<'a>>,
    /// What the objects do not say: the kind that is missing, or was deleted with them.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

impl Document for WaitReport<'_> {
    const KIND: &'static str = "WaitReport";
}

#[derive(Serialize, JsonSchema)]
struct WaitedFor<'a> {
    object: ObjectName<'a>,
    result: &'static str,
    /// What holds, or what is missing.
    why: String,
}

/// How waiting ended, and when.
pub(super) struct Ended<'a> {
    pub(super) outcome: Outcome,
    pub(super) objects: &'a [Awaited],
    pub(super) elapsed: Duration,
    pub(super) now: Time,
    pub(super) why: Option<&'a str>,
}

impl Report for Ended<'_> {
    type Value<'a>
        = WaitReport<'a>
    where
        Self: 'a;

    fn value(&self) -> WaitReport<'_> {
        let objects = self.objects.iter().map(|object| WaitedFor {
            object: ObjectName {
                api_version: object.resource.api_version().into(),
                kind: &object.resource.kind,
                namespace: object.namespace.as_deref().unwrap_or_default(),
                name: &object.name,
            },
            result: match object.tracked.state {
                State::Unseen | State::Waiting => "waiting",
                State::Met => "met",
                State::Failed => "failed",
                State::Absent => "absent",
                State::Deleted => "deleted",
            },
            why: object.tracked.describe(self.now),
        });
        WaitReport {
            result: self.outcome.name(),
            seconds: self.elapsed.as_secs(),
            objects: objects.collect(),
            why: self.why,
        }
    }

    /// A line for each object.
    fn text(&self, _: Look) -> String {
        self.objects.iter().map(|object| line(object, self.now) + "\n").collect()
    }
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
