//! The forms of the answer.

use std::collections::{BTreeMap, BTreeSet};

use allready_gateway::{Kind, ObjectKey, ObjectStatus};
use allready_inspect::lint::Severity;
use serde_json::{Value, json};

use super::{
    Report,
    args::{CheckArgs, CheckOutput},
    ci,
    manifest::origins,
    problem::Problem,
    tree::{self, Model},
};
use crate::{
    cli::Output,
    explain,
    failure::Failure,
    objects::lines::Origin,
    printer::{BAD, Printer, tame},
    render,
};

/// Prints the answer, and notes on the side.
pub(super) fn print(report: &Report, args: &CheckArgs, printer: &mut Printer) -> Result<(), Failure> {
    let places = places(report);
    match args.output {
        None | Some(CheckOutput::Wide) => {
            let is_wide = args.output == Some(CheckOutput::Wide);
            let Report { world, answer, problems, .. } = report;
            let bad = problems.iter().map(|one| &one.key).collect();
            let shown = (report.is_about_files && report.from_cluster).then(|| world.touched(&bad));
            let unread = report.from_cluster.then_some(&report.unread);
            let below = tree::below(world, answer);
            let roots = Model { world, answer, problems, shown, unread, is_wide, below }.roots();
            let signs = explain::signs(args.ascii);
            let place = |problem: &Problem| places.get(problem).map(Origin::to_string).unwrap_or_default();
            printer.text(&tree::text(&roots, world, signs, &place))?;
            for (origin, problem) in &report.unreadable {
                printer.text(&format!("{BAD}✗ Unreadable: {}{BAD:#}   {origin}\n", tame(problem)))?;
            }
            printer.text(&summary(report))?;
        }
        Some(CheckOutput::Yaml) => {
            let objects = objects(report)?;
            printer.text(&render::objects(&objects.iter().collect::<Vec<_>>(), Output::Yaml)?)?;
        }
        Some(CheckOutput::Json) => printer.text(&json_text(report, &places)?)?,
        Some(CheckOutput::Sarif) => printer.text(&ci::sarif(report, &places)?)?,
        Some(CheckOutput::Junit) => printer.text(&ci::junit(report, &places))?,
        Some(CheckOutput::Github) => printer.text(&ci::github(report, &places))?,
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
pub(super) type Places<'a> = BTreeMap<&'a Problem, Origin>;

fn places(report: &Report) -> Places<'_> {
    let text = |one: &Problem| report.world.given.get(&one.key)?.text.as_ref();
    let found: Vec<_> = report.problems.iter().filter_map(|one| Some((one, text(one)?))).collect();
    let origins = origins(found.iter().map(|(one, text)| (*text, one.pointer.as_str())));
    found.into_iter().map(|(one, _)| one).zip(origins).collect()
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

fn json_text(report: &Report, places: &Places<'_>) -> Result<String, Failure> {
    let problem = |one: &Problem| {
        let mut value = json!({
            "object": one.key.to_string(),
            "severity": one.severity.as_str(),
            "reason": one.reason,
            "message": one.message,
            "pointer": one.pointer,
        });
        if let Some(origin) = places.get(one) {
            value["file"] = json!(&*origin.file);
            value["line"] = json!(origin.line);
        }
        value
    };
    let mut findings: Vec<Value> = report.problems.iter().map(problem).collect();
    for (origin, problem) in &report.unreadable {
        findings.push(json!({
            "severity": Severity::Error.as_str(), "reason": "Unreadable", "message": problem,
            "file": &*origin.file, "line": origin.line,
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
