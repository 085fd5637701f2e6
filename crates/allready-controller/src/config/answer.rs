//! The answer to the reports: the status of the object, within bounds.

use std::borrow::Cow;

use allready_core::{
    Condition, Standing, Status, Time,
    condition::cut,
    condition_type,
    fleet::FleetIndex,
    reason,
    rollup::{Cause, Context},
};
use allready_kube::kinds::{CauseSeen, CauseStatus, ComponentRole, Reporters, RevisionProgress};

use super::{Fleet, judge};

/// The status of the object, but for its generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The top condition.
    pub ready: Condition,
    /// The answer in one line.
    pub summary: String,
    /// The numbers of reporters, by how they are.
    pub reporters: Reporters,
    /// The progress of the revision, where one is expected.
    pub revision: Option<RevisionProgress>,
    /// The worst causes.
    pub causes: Vec<CauseSeen>,
    /// The number of causes beside these.
    pub more_causes: usize,
}

impl Answer {
    /// The most characters of the summary.
    pub const MAX_SUMMARY: usize = 100;
    /// The most causes that are shown: with their texts they stay within some ten kilobytes.
    pub const MAX_CAUSES: usize = 10;
    /// The most bytes of a cause's message that are shown.
    pub const MAX_MESSAGE: usize = 512;
    /// The most bytes of a reason or of a name that are shown.
    pub const MAX_WORD: usize = 128;
    /// The most bytes about what cannot be seen.
    pub const MAX_GAPS: usize = 2048;
}

impl Fleet {
    /// Returns the answer to the reports. The time of `Ready` moves only when its status does, hence the previous one.
    pub fn answer(&self, previous: Option<&Condition>, now: Time) -> Answer {
        let context = Context { previous, ..Context::new("Ready", now) };
        let rollup = self.required.roll_up(&context);
        let mut ready = rollup.into_condition(condition_type!("Ready"), previous, now);
        ready.observed_generation = None;
        let gaps: Vec<String> = self.gaps().collect();
        if !gaps.is_empty() {
            doubt(&mut ready, &gaps, previous, now);
        }
        let aside = self.aside(&context);
        if !aside.is_empty() {
            let stop = if ready.message.is_empty() { "" } else { ". " };
            ready.message = format!("{}{stop}Informational: {aside}", ready.message).into();
        }
        let summary = line(&self.summary(&ready, &gaps));
        let counts = self.required.counts();
        let reporters = Reporters {
            expected: whole(counts.members()),
            ready: whole(counts.good),
            failing: whole(counts.bad),
            unknown: whole(counts.unknown),
            display: format!("{}/{}", counts.good, counts.members()),
        };
        let deciding_causes = self.required.causes().map(|cause| seen(&cause, None));
        let aside = self.informational.causes().map(|cause| seen(&cause, Some(ComponentRole::Informational)));
        let causes: Vec<_> = deciding_causes.chain(aside).take(Answer::MAX_CAUSES).collect();
        let all_causes = self.required.cause_count() + self.informational.cause_count();
        let revision = self.plan.revision.as_ref().map(|expected| RevisionProgress {
            expected: expected.clone(),
            observed: whole(self.observed()),
            of: whole(counts.members()),
        });
        let more_causes = all_causes.saturating_sub(causes.len());
        Answer { ready, summary, reporters, revision, causes, more_causes }
    }

    /// The message about components that do not decide Ready.
    fn aside(&self, context: &Context<'_>) -> String {
        let told = self.informational.roll_up(context).message.into_owned();
        let counts = self.informational.counts();
        let told = Some(told).filter(|_| counts.bad + counts.unknown > 0);
        let unscheduled = judge::unscheduled(self, ComponentRole::Informational);
        let parts: Vec<_> = told.into_iter().chain(unscheduled).collect();
        cut(&parts.join("; "), Answer::MAX_GAPS).into_owned()
    }

    /// The answer in one line.
    fn summary(&self, ready: &Condition, gaps: &[String]) -> String {
        let counts = self.required.counts();
        let members = counts.members();
        match (ready.status, gaps.first()) {
            (Status::True, _) => match self.informational.counts() {
                aside if aside.bad > 0 => format!("all {members} ready; {} informational failing", aside.bad),
                aside if aside.unknown > 0 => {
                    format!("all {members} ready; {} informational unknown", aside.unknown)
                }
                _ => format!("all {members} ready"),
            },
            (Status::False, _) => {
                format!("{} of {members} failing: {}", counts.bad, first_cause(&self.required))
            }
            (Status::Unknown, Some(gap)) => gap.clone(),
            (Status::Unknown, None) if members == 0 => {
                "nobody is expected, and nobody has reported".to_owned()
            }
            (Status::Unknown, None) => {
                format!("waiting for {} of {members}: {}", counts.unknown, first_cause(&self.required))
            }
        }
    }
}

/// The worst cause of a fleet, such as `ConfigError on speaker/worker-1 and 2 more`.
fn first_cause(fleet: &FleetIndex) -> String {
    let Some(cause) = fleet.causes().next() else { return String::new() };
    let name = cause.names.first().copied().unwrap_or_default();
    match cause.count.saturating_sub(1) {
        0 => format!("{} on {name}", cause.reason),
        more => format!("{} on {name} and {more} more", cause.reason),
    }
}

/// A text in one line of bounded length.
fn line(text: &str) -> String {
    if text.chars().count() <= Answer::MAX_SUMMARY {
        return text.to_owned();
    }
    text.chars().take(Answer::MAX_SUMMARY - 1).chain(['…']).collect()
}

/// Adds what cannot be seen, which makes nothing worse than unknown, and nothing better.
fn doubt(ready: &mut Condition, gaps: &[String], previous: Option<&Condition>, now: Time) {
    let gaps = cut(&gaps.join("; "), Answer::MAX_GAPS).into_owned();
    if ready.status == Status::False {
        ready.message = format!("{}. {gaps}", ready.message).into();
        return;
    }
    let known = if ready.status == Status::Unknown && !ready.message.is_empty() {
        format!("{gaps}. {}", ready.message)
    } else {
        gaps
    };
    *ready = Condition::new(ready.type_.clone(), Status::Unknown, reason!("ComponentsUnknown"), known, now);
    if let Some(previous) = previous.filter(|previous| previous.status == Status::Unknown) {
        ready.last_transition_time = previous.last_transition_time;
    }
}

fn seen(cause: &Cause<'_>, role: Option<ComponentRole>) -> CauseSeen {
    CauseSeen {
        status: if cause.standing == Standing::Bad { CauseStatus::False } else { CauseStatus::Unknown },
        role,
        type_: cause.type_.to_string(),
        reason: cut(&cause.reason, Answer::MAX_WORD).into_owned(),
        message: cut(&cause.message, Answer::MAX_MESSAGE).into_owned(),
        count: whole(cause.count),
        reporters: cause.names.iter().map(|name| shown(name).into_owned()).collect(),
    }
}

/// A name as a cause shows it.
pub(super) fn shown(name: &str) -> Cow<'_, str> {
    cut(name, Answer::MAX_WORD)
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
