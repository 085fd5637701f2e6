//! What some objects came to, in the form of the answer: made by many at once, and put together in order.

use allready::{Time, health::Health, registry::Registry};

use super::{args::CheckOutput, finding::Finding, json, junit, prometheus, tally::Tally};

/// What is asked of everybody who judges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    pub(super) registry: &'a Registry,
    pub(super) now: Time,
    pub(super) output: Option<CheckOutput>,
    pub(super) shown: Shown,
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
        !self.is_table() && self.output != Some(CheckOutput::Junit)
    }

    fn is_table(&self) -> bool {
        matches!(self.output, None | Some(CheckOutput::Wide))
    }

    /// Whether an object has a place in the answer.
    fn shows(&self, health: Health) -> bool {
        let is_complete = matches!(self.output, Some(CheckOutput::Jsonl | CheckOutput::Junit));
        is_complete || self.shown == Shown::All || health != Health::Healthy
    }
}

/// What some objects came to.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) tally: Tally,
    /// Entries of the answer, where it is one text after another.
    pub(super) entries: Vec<String>,
    /// The findings themselves, where they have to be put in order first.
    pub(super) findings: Vec<Finding>,
    /// What could not be read, and why.
    pub(super) problems: Vec<String>,
}

impl Judged {
    /// Adds what one object came to.
    pub(super) fn add(&mut self, finding: Finding, plan: &Plan<'_>) {
        self.tally.count(finding.health());
        if let Some(place) = &finding.place {
            self.tally.unreadable += 1;
            // A table has a row for it.
            if !plan.is_table() {
                self.problems.push(format!("{place}: {}", finding.verdict.message));
            }
        }
        if !plan.shows(finding.health()) {
            return;
        }
        let entry = match plan.output {
            None | Some(CheckOutput::Wide) => return self.findings.push(finding),
            Some(CheckOutput::Json | CheckOutput::Jsonl) => json::line(&finding),
            Some(CheckOutput::Yaml) => json::yaml(&finding),
            Some(CheckOutput::Name) => name(&finding),
            Some(CheckOutput::Junit) => junit::case(&finding),
            Some(CheckOutput::Prometheus) => prometheus::sample(&finding),
        };
        self.entries.push(entry);
    }
}

/// The name that kubectl takes.
fn name(finding: &Finding) -> String {
    let kind = finding.kind.to_lowercase();
    let group = finding.group();
    let dot = if group.is_empty() { "" } else { "." };
    crate::printer::tame(&format!("{kind}{dot}{group}/{}", finding.called()))
}
