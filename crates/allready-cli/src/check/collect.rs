//! Puts together what many have judged, in view of each other, and writes it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use allready_inspect::causes::{Causes, Found};
use serde::Serialize;

use super::{
    causes::{self, CauseEntry, GroupBy, GroupEntry},
    entry,
    judged::{Judged, Plan},
    judgement::{By, Judgement},
    table::Rows,
    tally::Tally,
};
use crate::{
    failure::Failure,
    output::{Format, Look, document, text::count},
    printer::{Printer, tame},
};

/// How much of a report that cannot be written before its end is kept.
const MAX_KEPT: usize = 64 * 1024 * 1024;
/// How many problems are told.
const MAX_PROBLEMS: usize = 20;
/// How much is written at once.
const MAX_WRITTEN: usize = 64 * 1024;

/// What has been judged so far.
pub(super) struct Collector<'a> {
    plan: &'a Plan<'a>,
    /// The text before the first entry.
    head: String,
    tally: Tally,
    judgements: Vec<Judgement>,
    pub(super) causes: Causes,
    kept: String,
    entries: u64,
    not_shown: u64,
    problems: Vec<String>,
    more_problems: u64,
    /// Kinds that may not be listed, and are not asked for by name.
    unseen: Vec<String>,
    excused: BTreeMap<String, u64>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, causes: Causes) -> Self {
        Self {
            plan,
            head: entry::head(plan.output),
            tally: Tally::default(),
            judgements: Vec::new(),
            causes,
            kept: String::new(),
            entries: 0,
            not_shown: 0,
            problems: Vec::new(),
            more_problems: 0,
            unseen: Vec::new(),
            excused: BTreeMap::new(),
        }
    }

    /// Takes some more.
    pub(super) fn add(&mut self, judged: Judged) {
        self.tally.add(&judged.tally);
        for problem in judged.problems {
            self.problem(problem);
        }
        for digest in judged.digests {
            self.causes.add(digest);
        }
        self.judgements.extend(judged.judgements);
        for (kind, count) in judged.excused {
            *self.excused.entry(kind).or_default() += count;
        }
    }

    /// Some kind that may not be listed, and that the answer does not depend on.
    pub(super) fn unseen(&mut self, kind: String) {
        self.unseen.push(kind);
    }

    /// Something that makes the answer less than complete.
    pub(super) fn problem(&mut self, problem: String) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(problem);
        } else {
            self.more_problems += 1;
        }
    }

    /// Some kind that is not part of the answer, and why.
    pub(super) fn unlisted(&mut self, problem: String) {
        self.tally.unlisted += 1;
        self.problem(problem);
    }

    /// Some kind that was judged without what is declared of it.
    pub(super) fn too_late(&mut self, problem: String) {
        self.tally.too_late += 1;
        self.problem(problem);
    }

    fn entry(&mut self, entry: &str, text: &mut String) {
        let is_first = self.entries == 0;
        self.entries += 1;
        match self.plan.output {
            Format::Json => {
                text.push_str(if is_first { &self.head } else { "," });
                text.push_str("\n    ");
                text.push_str(entry);
                return;
            }
            Format::Junit => {
                if self.kept.len() + entry.len() > MAX_KEPT {
                    self.not_shown += 1;
                } else {
                    self.kept.push_str(entry);
                    self.kept.push('\n');
                }
                return;
            }
            Format::Prometheus if self.entries > entry::MAX_SERIES => {
                self.not_shown += 1;
                return;
            }
            Format::Prometheus | Format::Yaml if is_first => text.push_str(&self.head),
            _ => {}
        }
        text.push_str(entry);
        text.push('\n');
    }

    /// The causes in what was added, without asking anybody for more.
    pub(super) fn search(&self) -> Option<Found> {
        match self.plan.by {
            By::Own(known) => Some(self.causes.search(&known.registry, self.plan.now)),
            By::Kstatus => None,
        }
    }

    /// Writes everything, and gives the tally.
    pub(super) fn finish(mut self, found: Option<&Found>, printer: &mut Printer) -> Result<Tally, Failure> {
        let mut rows = Rows::new(self.plan.is_grouped);
        let mut text = String::new();
        for mut judgement in std::mem::take(&mut self.judgements) {
            if let Some(verdict) = found.and_then(|found| found.verdicts.get(&judgement.id())) {
                judgement.verdict = verdict.clone();
            }
            self.tally.count(judgement.health());
            if !self.plan.shows(judgement.health()) {
                continue;
            }
            if self.plan.is_table() {
                rows.add(&judgement);
            } else if let Some(entry) = entry::of(&judgement, self.plan) {
                self.entry(&entry, &mut text);
            }
            if text.len() > MAX_WRITTEN {
                printer.text(&std::mem::take(&mut text))?;
            }
        }
        self.tell(printer);
        text += &self.end(found, rows, printer)?;
        if !text.is_empty() {
            printer.text(&text)?;
        }
        Ok(self.tally)
    }

    /// Says what the answer does not have.
    fn tell(&self, printer: &mut Printer) {
        for problem in &self.problems {
            printer.warning(tame(problem));
        }
        if self.more_problems > 0 {
            printer.warning(format_args!("and {} more like these", self.more_problems));
        }
        if !self.unseen.is_empty() {
            let kinds = count(self.unseen.len(), "kind");
            let some = self.unseen.iter().take(5).map(|kind| tame(kind)).collect::<Vec<_>>().join(", ");
            let more = if self.unseen.len() > 5 { ", …" } else { "" };
            printer.warning(format_args!(
                "{kinds} cannot be listed and are not part of the answer: {some}{more}"
            ));
        }
        let excuse = |(kind, count): (&String, &u64)| {
            let (are, would) = if *count == 1 { ("1 object is", "it") } else { ("objects are", "they") };
            let count = if *count == 1 { String::new() } else { format!("{count} ") };
            format!(
                "{kind}: {count}{are} healthy by the declaration in the CRD, and {would} would be degraded without: \
                 `allready registry show {kind}` says what is known otherwise"
            )
        };
        printer.warnings(&self.excused.iter().map(excuse).collect::<Vec<_>>());
    }

    /// The text behind the last entry, or all of it in a table.
    fn end(&mut self, found: Option<&Found>, rows: Rows, printer: &Printer) -> Result<String, Failure> {
        let tally = self.tally;
        let head = if self.entries == 0 { self.head.as_str() } else { "" };
        let causes: Vec<CauseEntry<'_>> =
            found.iter().flat_map(|found| &found.causes).map(CauseEntry::of).collect();
        let hints: Vec<CauseEntry<'_>> =
            found.iter().flat_map(|found| &found.hints).map(CauseEntry::of).collect();
        let by = self.plan.group_by.zip(found);
        let grouped = by.map(|(by, found)| causes::groups(found, &self.causes, by));
        let groups: Option<Vec<GroupEntry<'_>>> =
            grouped.as_ref().map(|groups| groups.iter().map(GroupEntry::of).collect());
        Ok(match self.plan.output {
            Format::Json => {
                let end = if self.entries == 0 { "" } else { "\n  " };
                let (causes, hints) = (list(&causes), list(&hints));
                let groups = groups.map(|groups| format!("  \"groups\": {},\n", list(&groups)));
                let groups = groups.unwrap_or_default();
                let summary = document::one_line(&tally.numbers());
                format!(
                    "{head}{end}],\n  \"causes\": {causes},\n  \"hints\": {hints},\n{groups}  \"summary\": {summary}\n}}\n"
                )
            }
            Format::Yaml => {
                let head = head.replace("verdicts:", "verdicts: []");
                let mut rest = serde_json::json!({ "causes": causes, "hints": hints });
                if let Some(groups) = groups {
                    rest["groups"] = serde_json::json!(groups);
                }
                rest["summary"] = serde_json::json!(tally.numbers());
                head + &document::value(&rest, Format::Yaml)?
            }
            Format::Junit => {
                let note = match self.not_shown {
                    0 => String::new(),
                    count => format!("    <!-- {count} more cases are not listed for want of room -->\n"),
                };
                entry::report(&tally, &(std::mem::take(&mut self.kept) + &note))
            }
            Format::Prometheus => head.to_owned() + &entry::totals(&tally, self.not_shown),
            format @ (Format::Table | Format::Wide) => {
                let look = printer.look(format);
                match found.filter(|_| self.plan.shows_causes()) {
                    Some(found) => self.causes(found, self.plan.group_by, look),
                    None => self.objects(rows, look),
                }
            }
            _ => String::new(),
        })
    }

    /// A row for each cause.
    fn causes(&self, found: &Found, by: Option<GroupBy>, look: Look) -> String {
        let mut text = causes::table(found, &self.causes, by, look, self.plan.now);
        if !text.is_empty() {
            text.push('\n');
        }
        let numbers = [(found.causes.len(), "cause"), (found.hints.len(), "hint")];
        text.push_str(&self.tally.summary(|health| self.plan.word(health)));
        for (number, word) in numbers.into_iter().filter(|(number, _)| *number > 0) {
            let _ = write!(text, "; {}", count(number, word));
        }
        text.push('\n');
        if let Some(next) = causes::next(found, &self.plan.flags) {
            let _ = writeln!(text, "Next: {}", tame(&next));
        }
        text
    }

    /// A row for each object, or for those that say the same.
    fn objects(&self, rows: Rows, look: Look) -> String {
        let (not_shown, is_cut) = (rows.not_shown, rows.is_cut());
        let rules = if self.plan.tells_why { rows.rules() } else { BTreeSet::new() };
        let mut text = rows.table(look, self.plan.now);
        if !text.is_empty() {
            text.push('\n');
        }
        if !rules.is_empty() {
            text.push_str("Rules:\n");
            for rule in rules {
                let _ = writeln!(text, "  {rule}  {}", rule.text());
            }
            text.push('\n');
        }
        if not_shown > 0 {
            let _ =
                writeln!(text, "{not_shown} more objects are not in this table: -o jsonl has all of them.");
        }
        if is_cut {
            text.push_str("Some messages are cut: -o json has all of them.\n");
        }
        text + &self.tally.summary(|health| self.plan.word(health)) + "\n"
    }
}

/// A list in JSON, with a line for each entry.
fn list<T: Serialize>(entries: &[T]) -> String {
    let lines = entries.iter().map(|entry| format!("\n    {}", document::one_line(entry)));
    let close = if entries.is_empty() { "" } else { "\n  " };
    format!("[{}{close}]", lines.collect::<Vec<_>>().join(","))
}
