//! The result of a check in each format.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use allready_gateway::{Kind, ObjectKey, ObjectStatus};
use allready_inspect::lint::Severity;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::{
    Report,
    args::CheckArgs,
    manifest::origins,
    problem::Problem,
    tree::{self, Model},
};
use crate::{
    failure::Failure,
    objects::lines::Origin,
    output::{
        self, Document, Finding, Findings, Format, Look, Suite, document,
        junit::{Case, Outcome},
        text::{Signs, count, is_ascii_locale},
    },
    printer::{BAD, Printer, tame},
};

/// Prints the result, and notes on standard error.
pub(super) fn print(report: &Report, args: &CheckArgs, printer: &mut Printer) -> Result<(), Failure> {
    let objects = objects(report)?;
    if args.output == Format::Yaml {
        printer.text(&document::objects(&objects.iter().collect::<Vec<_>>(), Format::Yaml)?)?;
    } else {
        let signs = Signs::of(args.ascii || is_ascii_locale());
        let shown = Shown { report, objects, places: places(report), signs };
        output::print(&shown, args.output, printer)?;
    }
    printer.warnings(&report.unlisted);
    printer.infos(&report.notes);
    Ok(())
}

/// The places of problems in files.
type Places<'a> = BTreeMap<&'a Problem, Origin>;

fn places(report: &Report) -> Places<'_> {
    let text = |one: &Problem| report.world.given.get(&one.key)?.text.as_ref();
    let found: Vec<_> = report.problems.iter().filter_map(|one| Some((one, text(one)?))).collect();
    let origins = origins(found.iter().map(|(one, text)| (*text, one.pointer.as_str())));
    found.into_iter().map(|(one, _)| one).zip(origins).collect()
}

struct Shown<'a> {
    report: &'a Report,
    /// The objects with their status.
    objects: Vec<Value>,
    places: Places<'a>,
    signs: &'static Signs,
}

/// The result of `allready gateway check`.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GatewayReport<'a> {
    summary: Summary,
    findings: Vec<Placed<'a>>,
    /// The objects with the status that they would get.
    objects: &'a [Value],
    /// Sentences on what should be known besides.
    notes: &'a [String],
    /// Sentences on what could not be read or used.
    problems: &'a [String],
}

impl Document for GatewayReport<'_> {
    const KIND: &'static str = "GatewayReport";
}

#[derive(Serialize, JsonSchema)]
struct Summary {
    objects: usize,
    errors: usize,
    warnings: usize,
}

/// A problem with its file and line, if it comes from a file.
#[derive(Serialize, JsonSchema)]
struct Placed<'a> {
    /// The object; none where a document cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    object: Option<String>,
    severity: Severity,
    reason: &'a str,
    message: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
}

impl output::Report for Shown<'_> {
    type Value<'a>
        = GatewayReport<'a>
    where
        Self: 'a;

    fn value(&self) -> GatewayReport<'_> {
        let report = self.report;
        let found = report.problems.iter().map(|one| {
            let origin = self.places.get(one);
            Placed {
                object: Some(one.key.to_string()),
                severity: one.severity,
                reason: &one.reason,
                message: &one.message,
                pointer: Some(&one.pointer),
                file: origin.map(|origin| &*origin.file),
                line: origin.map(|origin| origin.line),
            }
        });
        let unreadable = report.unreadable.iter().map(|(origin, problem)| Placed {
            object: None,
            severity: Severity::Error,
            reason: "Unreadable",
            message: problem,
            pointer: None,
            file: Some(&*origin.file),
            line: Some(origin.line),
        });
        GatewayReport {
            summary: Summary {
                objects: report.objects,
                errors: report.errors(),
                warnings: report.warnings(),
            },
            findings: found.chain(unreadable).collect(),
            objects: &self.objects,
            notes: &report.notes,
            problems: &report.unlisted,
        }
    }

    fn text(&self, look: Look) -> String {
        let report = self.report;
        let Report { world, answer, problems, .. } = report;
        let bad = problems.iter().map(|one| &one.key).collect();
        let shown = (report.is_about_files && report.from_cluster).then(|| world.touched(&bad));
        let unread = report.from_cluster.then_some(&report.unread);
        let below = tree::below(world, answer);
        let roots = Model { world, answer, problems, shown, unread, is_wide: look.is_wide, below }.roots();
        let place = |problem: &Problem| self.places.get(problem).map(Origin::to_string).unwrap_or_default();
        let mut text = tree::text(&roots, world, self.signs, look.width, &place);
        for (origin, problem) in &report.unreadable {
            let _ = writeln!(text, "{BAD}✗ Unreadable: {}{BAD:#}   {origin}", tame(problem));
        }
        text + &summary(report)
    }

    /// Every problem, and every document that cannot be read.
    fn findings(&self) -> Findings<'_> {
        let report = self.report;
        let item = |object: String, severity, rule, message: &str, place: &str, origin| Finding {
            rule,
            title: String::from(rule),
            severity,
            message: format!("{object}: {message}"),
            place: place.to_owned(),
            fingerprint: format!("{object}#{rule}@{place}"),
            object,
            origin,
        };
        let found = report.problems.iter().map(|one| {
            let Problem { key, severity, reason, message, pointer, .. } = one;
            item(key.to_string(), *severity, reason.as_ref(), message, pointer, self.places.get(one))
        });
        let unreadable = report.unreadable.iter().map(|(origin, problem)| {
            item(String::new(), Severity::Error, "Unreadable", problem, "", Some(origin))
        });
        let items: Vec<Finding<'_>> = found.chain(unreadable).collect();
        let rules: BTreeSet<&str> = items.iter().map(|item| item.rule).collect();
        let rules = rules.iter().map(|rule| json!({ "id": rule, "name": rule })).collect();
        Findings { items, rules, problems: &report.unlisted, notices: &report.notes }
    }

    /// Every object is a case, and every document that cannot be read.
    fn suite(&self) -> Suite {
        const SUITE: &str = "allready gateway check";
        let (report, places) = (self.report, &self.places);
        let mut suite = Suite::new(SUITE);
        for (key, given) in &report.world.given {
            // A stored object is a case if manifests break it.
            if given.text.is_none() && report.is_about_files && !report.problems.has(key) {
                continue;
            }
            let mut case = Case::new(SUITE, &key.to_string(), None);
            for one in report.problems.of(key).filter(|one| one.severity == Severity::Error) {
                let place = places.get(one).map(Origin::to_string).unwrap_or_default();
                case = case.with(Outcome::Failure, &one.reason, &one.message, &place);
            }
            suite.add(&case);
        }
        for (origin, problem) in &report.unreadable {
            let case = Case::new(SUITE, &origin.to_string(), None);
            suite.add(&case.with(Outcome::Error, "", problem, ""));
        }
        suite.with(report.objects, &report.unlisted)
    }
}

fn summary(report: &Report) -> String {
    let mut text = match report.errors() {
        0 => "no errors".to_owned(),
        errors => count(errors, "error"),
    };
    if report.warnings() > 0 {
        text = format!("{text}, {}", count(report.warnings(), "warning"));
    }
    text = format!("{text} in {}\n", count(report.objects, "object"));
    let missing: BTreeSet<&str> = report.problems.iter().filter_map(|one| one.missing.as_deref()).collect();
    if !missing.is_empty() {
        let kinds = missing.into_iter().collect::<Vec<_>>().join(",");
        let cluster = if report.from_cluster { "" } else { ", look in a cluster with --from-cluster" };
        text.push_str(&tame(&format!(
            "For objects that exist elsewhere: give their manifests with -f{cluster}, or add --assume {kinds}"
        )));
        text.push('\n');
    }
    text
}

/// The objects that were given and have a status, with it.
fn objects(report: &Report) -> Result<Vec<Value>, Failure> {
    let mut objects = Vec::new();
    for (key, status) in &report.answer.statuses {
        let Some(given) = report.world.given.get(key) else { continue };
        // Of an object that names a class that nobody has, nobody says anything.
        let is_owned = !report.problems.of(key).any(|one| one.reason == "NoSuchGatewayClass");
        if (given.text.is_some() || !report.is_about_files) && is_owned {
            let mut object = given.value.clone();
            let mut status = status.clone();
            if let ObjectStatus::Route(route) = &mut status {
                // Nobody answers for a Gateway that was not given.
                route.parents.retain(|entry| {
                    let namespace = entry.parent_ref.namespace.as_deref().unwrap_or(&key.namespace);
                    let gateway = ObjectKey::new(Kind::Gateway, namespace, &entry.parent_ref.name);
                    entry.parent_ref.kind.as_deref().is_some_and(|kind| kind != "Gateway")
                        || report.world.given.contains_key(&gateway)
                });
                if route.parents.is_empty() {
                    continue;
                }
            }
            object["status"] = serde_json::to_value(status).map_err(Failure::output)?;
            objects.push(object);
        }
    }
    Ok(objects)
}
