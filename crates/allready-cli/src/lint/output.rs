//! The report of a run in each format.

use std::{collections::BTreeMap, fmt::Write as _};

use allready_core::condition::cut;
use allready_inspect::lint::{self, Finding as LintFinding, ObjectRef, Rule, Severity};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    args::LintArgs,
    session::{Report, Told},
};
use crate::{
    failure::Failure,
    output::{
        self, Document, Finding, Findings, Look, Suite,
        finding::level,
        junit::{Case, Outcome},
        text::{count, indented},
    },
    printer::{BAD, BOLD, DIM, Printer, UNKNOWN, tame},
};

/// More of a message is in the JSON.
const MOST_BYTES: usize = 400;

/// Prints the report, and notes on standard error.
pub(super) fn print(report: &Report, args: &LintArgs, printer: &mut Printer) -> Result<(), Failure> {
    output::print(&Shown { report, args }, args.output, printer)?;
    let missing = report.total().saturating_sub(report.told.len());
    if missing > 0 {
        printer.warning(format_args!(
            "{missing} more findings are counted and not shown: look at fewer objects at once"
        ));
    }
    printer.warnings(&report.problems);
    printer.infos(&report.notices);
    Ok(())
}

/// A report with what was asked for.
struct Shown<'a> {
    report: &'a Report,
    args: &'a LintArgs,
}

/// The result of `allready lint`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct LintReport<'a> {
    summary: Summary<'a>,
    findings: Vec<Placed<'a>>,
    /// Sentences on what should be known besides, such as ignores that match nothing.
    notices: &'a [String],
    /// Sentences on what could not be looked at.
    problems: &'a [String],
}

impl Document for LintReport<'_> {
    const KIND: &'static str = "LintReport";
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Summary<'a> {
    objects: usize,
    with_findings: usize,
    errors: usize,
    warnings: usize,
    infos: usize,
    ignored: usize,
    /// Findings that are the same for other objects of the kind.
    repeated: usize,
    /// The number of breaches of each rule while --watch looked on.
    breaches: &'a BTreeMap<&'static str, usize>,
}

/// A finding with its file and line, if it comes from a file.
#[derive(Serialize, JsonSchema)]
struct Placed<'a> {
    #[serde(flatten)]
    finding: &'a LintFinding,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

impl<'s> Shown<'s> {
    fn told(&self) -> impl Iterator<Item = &'s Told> + use<'s> {
        let least = self.args.severity;
        self.report.told.iter().filter(move |told| told.finding.severity >= least)
    }
}

impl output::Report for Shown<'_> {
    type Value<'a>
        = LintReport<'a>
    where
        Self: 'a;

    fn value(&self) -> LintReport<'_> {
        let report = self.report;
        let findings = self.told().map(|told| Placed {
            finding: &told.finding,
            file: told.origin.as_ref().map(|origin| &*origin.file),
            line: told.origin.as_ref().map(|origin| origin.line),
        });
        LintReport {
            summary: Summary {
                objects: report.objects,
                with_findings: report.with_findings,
                errors: report.of(Severity::Error),
                warnings: report.of(Severity::Warning),
                infos: report.of(Severity::Info),
                ignored: report.ignored,
                repeated: report.repeated,
                breaches: &report.breaches,
            },
            findings: findings.collect(),
            notices: &report.notices,
            problems: &report.problems,
        }
    }

    /// Findings grouped by object, the worst first, and what to do about each rule once.
    fn text(&self, look: Look) -> String {
        let mut text = String::new();
        // While looking on, everything was told as it came.
        if self.args.watch.is_none() {
            let mut before: Option<&ObjectRef> = None;
            for told in self.told() {
                let object = &told.finding.object;
                if before != Some(object) {
                    let gap = if before.is_some() { "\n" } else { "" };
                    let _ = write!(text, "{gap}{BOLD}{}{BOLD:#}", tame(&object.to_string()));
                    if let Some(origin) = &told.origin {
                        let file = tame(origin.path().unwrap_or("standard input"));
                        let _ = write!(text, "  {DIM}{file}{DIM:#}");
                    }
                    text.push('\n');
                    before = Some(object);
                }
                text += &line(told, look.width);
            }
            if before.is_some() {
                text.push('\n');
            }
        }
        let rules: BTreeMap<&str, &Rule> =
            self.told().map(|told| (told.finding.rule.id, told.finding.rule)).collect();
        if !rules.is_empty() {
            let _ = writeln!(text, "{BOLD}What to do{BOLD:#} (more with `allready lint --explain RULE`):");
            for (id, rule) in rules {
                let fix = indented(rule.fix, "       ", look.width);
                let _ = write!(text, "  {id}  {}", fix.trim_start());
            }
            text.push('\n');
        }
        if !self.report.breaches.is_empty() {
            let counted = self.report.breaches.iter().map(|(id, count)| format!("{id} {count} times"));
            let _ = writeln!(text, "While watching: {}.", counted.collect::<Vec<_>>().join(", "));
        }
        text + &summary(self.report)
    }

    fn findings(&self) -> Findings<'_> {
        Findings {
            items: self.told().map(item).collect(),
            rules: lint::rules().map(descriptor).collect(),
            problems: &self.report.problems,
            notices: &self.report.notices,
        }
    }

    /// Every finding is a case, and the milder ones pass.
    fn suite(&self) -> Suite {
        let mut suite = Suite::new("allready lint");
        for told in self.told() {
            let finding = &told.finding;
            let name = format!("{} {}", finding.rule.id, finding.place);
            let case = Case::new(&finding.object.to_string(), &name, told.origin.as_ref());
            let severity = finding.severity.as_str();
            suite.add(&if finding.severity >= self.args.fail_on {
                case.with(Outcome::Failure, severity, &finding.message, &finding.fix)
            } else {
                case.with_remark(&format!("{severity}: {}", finding.message))
            });
        }
        suite.with(self.report.objects, &self.report.problems)
    }
}

fn item(told: &Told) -> Finding<'_> {
    let finding = &told.finding;
    let (object, rule) = (&finding.object, finding.rule);
    Finding {
        rule: rule.id,
        title: format!("{} {}", rule.id, rule.title),
        severity: finding.severity,
        message: format!("{object}, {}: {}", finding.place, finding.message),
        object: object.to_string(),
        place: finding.place.to_string(),
        fingerprint: format!("{}/{}/{}/{}", object.group(), object.kind, object.namespace, object.name)
            + &format!("#{}@{}", rule.id, finding.path()),
        origin: told.origin.as_ref(),
    }
}

fn descriptor(rule: &lint::Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.rationale },
        "help": { "text": format!("{}\n\nWrong:\n{}\n\nRight:\n{}", rule.fix, rule.bad, rule.good) },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.scope.as_str()] },
    })
}

/// A finding below the name of its object.
fn line(told: &Told, room: Option<usize>) -> String {
    let finding = &told.finding;
    let place = short(&finding.place.to_string());
    let place = match &told.origin {
        Some(origin) => format!("{place}, line {}", origin.line),
        None => place,
    };
    let message = tame(&cut(&finding.message, MOST_BYTES));
    let (word, message) = (word(finding.severity), indented(&message, &" ".repeat(16), room));
    format!("  {word} {}  {}\n{message}", finding.rule.id, tame(&place))
}

/// A finding on one line.
pub(super) fn one_line(told: &Told) -> String {
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
    let mut text = format!("{} checked", count(report.objects, "object"));
    if report.total() == 0 {
        text.push_str(": no findings");
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
        let _ = write!(text, "; {} could not be checked", report.problems.len());
    }
    text.push_str(".\n");
    text
}
