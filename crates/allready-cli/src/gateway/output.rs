//! The forms of the answer.

use std::collections::{BTreeMap, BTreeSet};

use allready_gateway::{Kind, ObjectKey, ObjectStatus};
use allready_inspect::lint::Severity;
use serde_json::{Value, json};

use super::{
    Report,
    args::{CheckArgs, CheckOutput},
    ci::{self, Item},
    problem::Problem,
    tree::{self, Model},
};
use crate::{
    cli::Output,
    explain,
    failure::Failure,
    objects::lines::{self, Origin},
    printer::{BAD, Printer, tame},
    render,
};

/// Prints the answer, and notes on the side.
pub(super) fn print(report: &Report, args: &CheckArgs, printer: &mut Printer) -> Result<(), Failure> {
    let places = Places::new(report);
    match args.output {
        None | Some(CheckOutput::Wide) => {
            let is_wide = args.output == Some(CheckOutput::Wide);
            let Report { world, answer, problems, .. } = report;
            let bad = problems.iter().map(|one| &one.key).collect();
            let shown = (report.is_about_files && report.from_cluster).then(|| world.touched(&bad));
            let unread = report.from_cluster.then_some(&report.unread);
            let roots = Model { world, answer, problems, shown, unread, is_wide }.roots();
            let signs = explain::signs(args.ascii);
            let place = |problem: &Problem| places.of.get(problem).map(words).unwrap_or_default();
            printer.text(&tree::text(&roots, world, signs, &place))?;
            for (origin, problem) in &places.unreadable {
                let place = origin.as_ref().map(words).unwrap_or_default();
                printer.text(&format!("{BAD}✗ Unreadable: {}{BAD:#}   {place}\n", tame(problem)))?;
            }
            printer.text(&summary(report))?;
        }
        Some(CheckOutput::Yaml) => {
            let objects = objects(report)?;
            printer.text(&render::objects(&objects.iter().collect::<Vec<_>>(), Output::Yaml)?)?;
        }
        Some(CheckOutput::Json) => printer.text(&json_text(report, &places)?)?,
        Some(CheckOutput::Sarif) => printer.text(&ci::sarif(report, &items(report, &places))?)?,
        Some(CheckOutput::Junit) => printer.text(&ci::junit(report, &items(report, &places)))?,
        Some(CheckOutput::Github) => printer.text(&ci::github(&items(report, &places)))?,
    }
    printer.warnings(&report.unlisted);
    for note in report.notes.iter().take(20) {
        printer.error_text(&format!("info: {}\n", tame(note)));
    }
    if report.notes.len() > 20 {
        printer.error_text(&format!("info: and {} more like these\n", report.notes.len() - 20));
    }
    Ok(())
}

/// The places of problems in files.
struct Places {
    of: BTreeMap<Problem, Origin>,
    unreadable: Vec<(Option<Origin>, String)>,
}

impl Places {
    fn new(report: &Report) -> Self {
        let placed = |one: &Problem| Some((one.clone(), one.origin(&report.world)?));
        let mut of: BTreeMap<Problem, Origin> = report.problems.iter().filter_map(placed).collect();
        let mut unreadable = report.unreadable.clone();
        let others = unreadable.iter_mut().filter_map(|(origin, _)| origin.as_mut());
        lines::settle(&mut of.values_mut().chain(others).collect::<Vec<_>>());
        Self { of, unreadable }
    }
}

fn words(origin: &Origin) -> String {
    let file = tame(&origin.file);
    origin.line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"))
}

fn summary(report: &Report) -> String {
    let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
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
        let is_owned =
            !report.problems.iter().any(|one| one.key == *key && one.reason == "NoSuchGatewayClass");
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

fn json_text(report: &Report, places: &Places) -> Result<String, Failure> {
    let problem = |one: &Problem| {
        let mut value = json!({
            "object": one.key.to_string(),
            "severity": one.severity.as_str(),
            "reason": one.reason,
            "message": one.message,
            "pointer": one.pointer,
        });
        if let Some(origin) = places.of.get(one) {
            value["file"] = json!(&*origin.file);
            value["line"] = json!(origin.line);
        }
        value
    };
    let mut findings: Vec<Value> = report.problems.iter().map(problem).collect();
    for (origin, problem) in &places.unreadable {
        findings.push(json!({
            "severity": Severity::Error.as_str(), "reason": "Unreadable", "message": problem,
            "file": origin.as_ref().map(|origin| origin.file.to_string()),
            "line": origin.as_ref().and_then(|origin| origin.line),
        }));
    }
    let value = json!({
        "summary": {"objects": report.objects, "errors": report.errors(), "warnings": report.warnings()},
        "findings": findings,
        "objects": objects(report)?,
        "notes": report.notes,
        "problems": report.unlisted,
    });
    render::value(&value, Output::Json)
}

/// Every problem, for programs that show them beside lines.
fn items<'a>(report: &'a Report, places: &'a Places) -> Vec<Item<'a>> {
    let found = report.problems.iter().map(|one| Item {
        object: one.key.to_string(),
        severity: one.severity,
        reason: &one.reason,
        message: &one.message,
        pointer: &one.pointer,
        origin: places.of.get(one),
    });
    let unreadable = places.unreadable.iter().map(|(origin, problem)| Item {
        object: String::new(),
        severity: Severity::Error,
        reason: "Unreadable",
        message: problem,
        pointer: "",
        origin: origin.as_ref(),
    });
    found.chain(unreadable).collect()
}
