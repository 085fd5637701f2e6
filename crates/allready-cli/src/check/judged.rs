//! What some objects came to, in the form of the answer: made by many at once, and put together in order.

use std::collections::BTreeMap;

use allready_core::Time;
use allready_inspect::{causes::Digest, health::Health};

use super::{
    causes::GroupBy,
    judgement::{By, Judgement},
    tally::Tally,
};
use crate::output::Format;

/// What is asked of everybody who judges.
#[derive(Clone, Debug)]
pub(super) struct Plan<'a> {
    pub(super) by: By<'a>,
    pub(super) now: Time,
    pub(super) output: Format,
    pub(super) shown: Shown,
    /// Whether the rules are told.
    pub(super) tells_why: bool,
    /// Whether a table has a row for each object, or for those that say the same, and not for each cause.
    pub(super) shows_objects: bool,
    /// Whether objects that say the same share a row.
    pub(super) is_grouped: bool,
    pub(super) group_by: Option<GroupBy>,
    /// The flags with which a command speaks to the same cluster.
    pub(super) flags: String,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    NotHealthy,
    All,
}

impl Plan<'_> {
    /// The words of a summary.
    pub(super) fn word(&self, health: Health) -> String {
        match (self.by, health) {
            (By::Kstatus, Health::Healthy) => "current".to_owned(),
            (By::Kstatus, Health::Progressing) => "in progress or terminating".to_owned(),
            (By::Kstatus, Health::Degraded) => "failed".to_owned(),
            _ => health.as_str().to_lowercase(),
        }
    }

    /// Whether a table has a row for each cause.
    pub(super) fn shows_causes(&self) -> bool {
        self.output == Format::Table && !self.shows_objects
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.output, Format::Table | Format::Wide)
    }

    /// Whether an object has a place in the answer.
    pub(super) fn shows(&self, health: Health) -> bool {
        let is_complete = matches!(self.output, Format::Jsonl | Format::Junit);
        is_complete || self.shown == Shown::All || health != Health::Healthy
    }
}

/// What some objects came to.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// The number of those that are as they are, whatever the others are, and have no place in the answer.
    pub(super) tally: Tally,
    /// The judgements on the others.
    pub(super) judgements: Vec<Judgement>,
    /// The objects as the search for causes needs them.
    pub(super) digests: Vec<Digest>,
    /// What could not be read, and why.
    pub(super) problems: Vec<String>,
    /// By kind, how many are healthy only because a definition says so.
    pub(super) excused: BTreeMap<String, u64>,
}

impl Judged {
    /// Adds what one object came to by itself.
    pub(super) fn add(&mut self, judgement: Judgement, digest: Option<Digest>, plan: &Plan<'_>) {
        if let Some(place) = &judgement.place {
            self.tally.unreadable += 1;
            // A table has a row for it.
            if !plan.is_table() {
                self.problems.push(format!("{place}: {}", judgement.verdict.message));
            }
        }
        if judgement.is_excused {
            let kind = format!("{}.{}", judgement.kind, judgement.group());
            *self.excused.entry(kind).or_default() += 1;
        }
        let may_change = digest.as_ref().is_some_and(Digest::may_change);
        let is_well = matches!(judgement.health(), Health::Healthy | Health::Suspended);
        let is_ours = matches!(plan.by, By::Own(_));
        let without = || Digest::of_verdict(judgement.id(), judgement.verdict.clone());
        self.digests.extend(digest.or_else(|| (is_ours && !is_well).then(without)));
        if may_change || plan.shows(judgement.health()) {
            self.judgements.push(judgement);
        } else {
            self.tally.count(judgement.health());
        }
    }
}
