//! How waiting ended.

use std::{process::ExitCode, time::Duration};

use allready_core::Time;
use schemars::JsonSchema;
use serde::Serialize;

use super::{gather::Awaited, progress::line, tracked::State};
use crate::{
    cluster::shown,
    output::{Document, Look, Report, document::ObjectName},
    printer::tame,
};

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
                format!("the server does not serve {kind} any more: was its CRD deleted?")
            }
            Self::Going(kind) => format!("the CRD of {kind} is being deleted"),
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

    /// Says why it ended, in plain words, where it is not as wished.
    pub(super) fn complaint(self, objects: &[Awaited], elapsed: Duration, now: Time) -> Option<String> {
        let of = |states: &[State]| {
            let those: Vec<&Awaited> =
                objects.iter().filter(|object| states.contains(&object.tracked.state)).collect();
            let more = match those.len() {
                0 | 1 => String::new(),
                count => format!("; and {} more of {} objects", count - 1, objects.len()),
            };
            let first = those
                .first()
                .map(|object| format!("{}: {}", object.label(), tame(&object.tracked.describe(now))));
            first.unwrap_or_default() + &more
        };
        match self {
            Self::Met => None,
            Self::Failed => Some(format!(
                "{}; this does not recover by itself (--no-fail-fast or a longer --grace waits on)",
                of(&[State::Failed])
            )),
            Self::TimedOut => {
                Some(format!("timed out after {}: {}", shown(elapsed), of(&[State::Unseen, State::Waiting])))
            }
            Self::Deleted => Some(of(&[State::Deleted])),
            Self::Absent => Some(format!(
                "{}; check the name and the namespace, or wait for it too with --for create",
                of(&[State::Absent])
            )),
        }
    }

    /// The object to look at next: the first that keeps it from being as wished, and is there.
    pub(super) fn culprit(self, objects: &[Awaited]) -> Option<&Awaited> {
        let state = match self {
            Self::Failed => State::Failed,
            Self::TimedOut => State::Waiting,
            Self::Met | Self::Deleted | Self::Absent => return None,
        };
        objects.iter().find(|object| object.tracked.state == state)
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
