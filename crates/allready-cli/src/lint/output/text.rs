//! Findings for people: grouped by object, the worst first, and what to do about each rule once.

use std::{collections::BTreeMap, fmt::Write as _};

use allready_core::condition::cut;
use allready_inspect::lint::{ObjectRef, Rule, Severity};

use crate::{
    failure::Failure,
    lint::{
        args::LintArgs,
        session::{Report, Told},
    },
    printer::{BAD, BOLD, DIM, Printer, UNKNOWN, tame},
};

/// More of a message is in the JSON.
const MOST_BYTES: usize = 400;

pub(super) fn print(report: &Report, args: &LintArgs, printer: &mut Printer) -> Result<(), Failure> {
    // While looking on, everything was told as it came.
    if args.watch.is_none() {
        let mut before: Option<&ObjectRef> = None;
        for told in report.told.iter().filter(|told| told.finding.severity >= args.severity) {
            let object = &told.finding.object;
            if before != Some(object) {
                let gap = if before.is_some() { "\n" } else { "" };
                let file = told.origin.as_ref().map(|origin| origin.path().unwrap_or("standard input"));
                let file = file.map(|file| format!("  {DIM}{}{DIM:#}", tame(file)));
                printer.text(&format!(
                    "{gap}{BOLD}{}{BOLD:#}{}\n",
                    tame(&object.to_string()),
                    file.unwrap_or_default()
                ))?;
                before = Some(object);
            }
            printer.text(&line(told))?;
        }
        if before.is_some() {
            printer.text("\n")?;
        }
    }
    let mut rules: BTreeMap<&str, &Rule> = BTreeMap::new();
    for told in report.told.iter().filter(|told| told.finding.severity >= args.severity) {
        rules.insert(told.finding.rule.id, told.finding.rule);
    }
    if !rules.is_empty() {
        let mut text = format!("{BOLD}What to do{BOLD:#} (more with `allready lint --explain RULE`):\n");
        for (id, rule) in rules {
            let _ = writeln!(text, "  {id}  {}", rule.fix);
        }
        printer.text(&text)?;
        printer.text("\n")?;
    }
    if !report.breaches.is_empty() {
        let counted: Vec<String> =
            report.breaches.iter().map(|(id, count)| format!("{id} {count} times")).collect();
        printer.text(&format!("While looking on: {}.\n", counted.join(", ")))?;
    }
    printer.text(&summary(report))
}

/// A finding below the name of its object.
fn line(told: &Told) -> String {
    let finding = &told.finding;
    let place = short(&finding.place.to_string());
    let place = match &told.origin {
        Some(origin) => format!("{place}, line {}", origin.line),
        None => place,
    };
    format!(
        "  {} {}  {}\n                {}\n",
        word(finding.severity),
        finding.rule.id,
        tame(&place),
        tame(&cut(&finding.message, MOST_BYTES))
    )
}

/// A finding on one line.
pub(in crate::lint) fn one(told: &Told) -> String {
    let finding = &told.finding;
    format!(
        "{} {}  {}  {}: {}\n",
        word(finding.severity),
        finding.rule.id,
        tame(&finding.object.to_string()),
        tame(&short(&finding.place.to_string())),
        tame(&cut(&finding.message, MOST_BYTES))
    )
}

/// A path into a schema without what every such path has: `spec.versions[v1] status.conditions[].reason`.
fn short(path: &str) -> String {
    let Some((version, rest)) = path.split_once(".schema.openAPIV3Schema.properties.") else {
        return path.to_owned();
    };
    format!("{version} {}", rest.replace(".properties.", ".").replace(".items", "[]"))
}

fn word(severity: Severity) -> String {
    let style = match severity {
        Severity::Error => BAD,
        Severity::Warning => UNKNOWN,
        Severity::Info => DIM,
    };
    format!("{style}{severity:<8}{style:#}")
}

/// How much was looked at, and what came of it.
fn summary(report: &Report) -> String {
    let count =
        |count: usize, one: &str| if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") };
    let mut text = format!("{} looked at", count(report.objects, "object"));
    if report.total() == 0 {
        text.push_str(": nothing found");
    } else {
        let _ = write!(
            text,
            ", {} with findings: {}, {}, {} info",
            report.with_findings,
            count(report.of(Severity::Error), "error"),
            count(report.of(Severity::Warning), "warning"),
            report.of(Severity::Info)
        );
    }
    if report.repeated > 0 {
        let _ = write!(text, "; {} the same for other objects of the kind", report.repeated);
    }
    if report.ignored > 0 {
        let _ = write!(text, "; {} ignored", report.ignored);
    }
    if !report.problems.is_empty() {
        let _ = write!(text, "; {} could not be looked at", report.problems.len());
    }
    text.push_str(".\n");
    text
}
