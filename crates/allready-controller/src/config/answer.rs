//! What the reports come to: the status of the object, within bounds.

use allready_core::{
    Condition, Standing, Status, Time,
    condition::cut,
    condition_type, reason,
    rollup::{Cause, Context},
};
use allready_kube::kinds::{CauseSeen, Reporters, RevisionProgress};

use super::Board;

/// The status of the object, but for its generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The top condition.
    pub ready: Condition,
    /// How many report, and how they are.
    pub reporters: Reporters,
    /// How far the revision has come, where one is expected.
    pub revision: Option<RevisionProgress>,
    /// The worst causes.
    pub causes: Vec<CauseSeen>,
    /// How many causes there are beside these.
    pub more_causes: usize,
}

impl Answer {
    /// The most causes that are shown: with their texts they stay within some ten kilobytes.
    pub const MAX_CAUSES: usize = 10;
    /// The most bytes of a cause's message that are shown.
    pub const MAX_MESSAGE: usize = 512;
    /// The most bytes of a reason or of a name that are shown.
    pub const MAX_WORD: usize = 128;
    /// The most bytes about what cannot be seen.
    pub const MAX_GAPS: usize = 2048;
}

impl Board {
    /// What the reports come to. The time of `Ready` moves only when its status does, hence the previous one.
    pub fn answer(&self, previous: Option<&Condition>, now: Time) -> Answer {
        let context = Context { previous, ..Context::new("Ready", now) };
        let rollup = self.fleet.roll_up(&context);
        let mut ready = rollup.into_condition(condition_type!("Ready"), previous, now);
        ready.observed_generation = None;
        let gaps: Vec<String> = self.gaps().collect();
        if !gaps.is_empty() {
            doubt(&mut ready, &gaps, previous, now);
        }
        let counts = self.fleet.counts();
        let reporters = Reporters {
            expected: whole(counts.expected),
            reporting: whole(counts.reporting),
            failing: whole(counts.bad),
            unknown: whole(counts.unknown),
            summary: format!("{}/{}", counts.good, counts.members()),
        };
        let causes: Vec<_> = self.fleet.causes().take(Answer::MAX_CAUSES).map(|cause| seen(&cause)).collect();
        let more_causes = self.fleet.cause_count().saturating_sub(causes.len());
        let revision = self.plan.revision.as_ref().map(|expected| RevisionProgress {
            expected: expected.clone(),
            digested: whole(self.digested()),
            of: whole(counts.members()),
        });
        Answer { ready, reporters, revision, causes, more_causes }
    }
}

/// What cannot be seen makes nothing worse than unknown, and nothing better.
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

fn seen(cause: &Cause<'_>) -> CauseSeen {
    let status = if cause.standing == Standing::Bad { Status::False } else { Status::Unknown };
    CauseSeen {
        status: status.to_string(),
        type_: cause.type_.to_string(),
        reason: cut(&cause.reason, Answer::MAX_WORD).into_owned(),
        message: cut(&cause.message, Answer::MAX_MESSAGE).into_owned(),
        count: whole(cause.count),
        reporters: cause.names.iter().map(|name| cut(name, Answer::MAX_WORD).into_owned()).collect(),
    }
}

fn whole(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
