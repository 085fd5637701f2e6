//! Puts together what many have judged, and writes it while it comes where that can be.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use super::{
    entry,
    judged::{Judged, Plan},
    table::Rows,
    tally::Tally,
};
use crate::{
    failure::Failure,
    output::{Format, Look, document},
    printer::{Printer, tame},
};

/// How much of a report that cannot be written before its end is kept.
const MAX_KEPT: usize = 64 * 1024 * 1024;
/// How many problems are told.
const MAX_PROBLEMS: usize = 20;

/// What has been judged so far.
pub(super) struct Collector<'a> {
    plan: &'a Plan<'a>,
    /// The text before the first entry.
    head: String,
    tally: Tally,
    rows: Rows,
    kept: String,
    entries: u64,
    not_shown: u64,
    problems: Vec<String>,
    more_problems: u64,
    excused: BTreeMap<String, u64>,
}

impl<'a> Collector<'a> {
    pub(super) fn new(plan: &'a Plan<'a>, is_grouped: bool) -> Self {
        Self {
            plan,
            head: entry::head(plan.output),
            tally: Tally::default(),
            rows: Rows::new(is_grouped),
            kept: String::new(),
            entries: 0,
            not_shown: 0,
            problems: Vec::new(),
            more_problems: 0,
            excused: BTreeMap::new(),
        }
    }

    /// Takes some more.
    pub(super) fn add(&mut self, judged: Judged, printer: &mut Printer) -> Result<(), Failure> {
        self.tally.add(&judged.tally);
        for problem in judged.problems {
            self.problem(problem);
        }
        for judgement in &judged.judgements {
            self.rows.add(judgement);
        }
        for (kind, count) in judged.excused {
            *self.excused.entry(kind).or_default() += count;
        }
        let mut text = String::new();
        for entry in judged.entries {
            self.entry(&entry, &mut text);
        }
        if text.is_empty() { Ok(()) } else { printer.text(&text) }
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

    /// Writes what is left, and gives the tally.
    pub(super) fn finish(self, printer: &mut Printer) -> Result<Tally, Failure> {
        let tally = self.tally;
        for problem in &self.problems {
            printer.warning(tame(problem));
        }
        if self.more_problems > 0 {
            printer.warning(format_args!("and {} more like these", self.more_problems));
        }
        let excuse = |(kind, count): (&String, &u64)| {
            let (are, would) = if *count == 1 { ("1 object is", "it") } else { ("objects are", "they") };
            let count = if *count == 1 { String::new() } else { format!("{count} ") };
            format!(
                "{kind}: {count}{are} healthy by what the definition declares, and {would} would be degraded without: \
                 `allready registry show {kind}` says what is known otherwise"
            )
        };
        printer.warnings(&self.excused.iter().map(excuse).collect::<Vec<_>>());
        let head = if self.entries == 0 { self.head.as_str() } else { "" };
        let text = match self.plan.output {
            Format::Json => {
                let end = if self.entries == 0 { "" } else { "\n  " };
                let summary = document::one_line(&tally.numbers());
                format!("{head}{end}],\n  \"summary\": {summary}\n}}\n")
            }
            Format::Yaml => {
                let head = head.replace("verdicts:", "verdicts: []");
                let summary = serde_json::json!({ "summary": tally.numbers() });
                head + &document::value(&summary, Format::Yaml)?
            }
            Format::Junit => {
                let note = match self.not_shown {
                    0 => String::new(),
                    count => format!("    <!-- {count} more cases are not listed for want of room -->\n"),
                };
                entry::report(&tally, &(self.kept + &note))
            }
            Format::Prometheus => head.to_owned() + &entry::totals(&tally, self.not_shown),
            format @ (Format::Table | Format::Wide) => self.table(printer.look(format)),
            _ => String::new(),
        };
        if !text.is_empty() {
            printer.text(&text)?;
        }
        Ok(tally)
    }

    fn table(self, look: Look) -> String {
        let (not_shown, is_cut) = (self.rows.not_shown, self.rows.is_cut());
        let rules = if self.plan.tells_why { self.rows.rules() } else { BTreeSet::new() };
        let mut text = self.rows.table(look, self.plan.now);
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
