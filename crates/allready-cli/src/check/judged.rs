//! What some objects came to, in the form of the answer: made by many at once, and put together in order.

use std::collections::BTreeMap;

use allready_core::Time;
use allready_inspect::health::Health;

use super::{
    entry,
    judgement::{By, Judgement},
    tally::Tally,
};
use crate::output::Format;

/// What is asked of everybody who judges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    pub(super) by: By<'a>,
    pub(super) now: Time,
    pub(super) output: Format,
    pub(super) shown: Shown,
    /// Whether the rules are told.
    pub(super) tells_why: bool,
}

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    NotHealthy,
    All,
}

impl Plan<'_> {
    /// Whether the answer is written while there is more to come.
    pub(super) fn is_written_at_once(&self) -> bool {
        !self.is_table() && self.output != Format::Junit
    }

    /// The words of a summary.
    pub(super) fn word(&self, health: Health) -> String {
        match (self.by, health) {
            (By::Kstatus, Health::Healthy) => "current".to_owned(),
            (By::Kstatus, Health::Progressing) => "in progress or terminating".to_owned(),
            (By::Kstatus, Health::Degraded) => "failed".to_owned(),
            _ => health.as_str().to_lowercase(),
        }
    }

    fn is_table(&self) -> bool {
        matches!(self.output, Format::Table | Format::Wide)
    }

    /// Whether an object has a place in the answer.
    fn shows(&self, health: Health) -> bool {
        let is_complete = matches!(self.output, Format::Jsonl | Format::Junit);
        is_complete || self.shown == Shown::All || health != Health::Healthy
    }
}

/// What some objects came to.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) tally: Tally,
    /// Entries of the answer, where it is one text after another.
    pub(super) entries: Vec<String>,
    /// The judgements themselves, where they have to be put in order first.
    pub(super) judgements: Vec<Judgement>,
    /// What could not be read, and why.
    pub(super) problems: Vec<String>,
    /// By kind, how many are healthy only because a definition says so.
    pub(super) excused: BTreeMap<String, u64>,
}

impl Judged {
    /// Adds what one object came to.
    pub(super) fn add(&mut self, judgement: Judgement, plan: &Plan<'_>) {
        self.tally.count(judgement.health());
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
        if !plan.shows(judgement.health()) {
            return;
        }
        if plan.is_table() {
            self.judgements.push(judgement);
        } else {
            self.entries.extend(entry::of(&judgement, plan));
        }
    }
}
