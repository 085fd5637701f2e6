//! Findings as SARIF 2.1.0, which code hosts and editors show beside the lines.

use std::fmt::Write as _;

use allready_inspect::lint::{self, Severity};
use serde_json::{Value, json};

use crate::{
    cli::Output,
    failure::Failure,
    lint::{
        args::LintArgs,
        session::{Report, Told},
    },
    objects::lines::Origin,
    render,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn text(report: &Report, args: &LintArgs) -> Result<String, Failure> {
    let rules: Vec<&lint::Rule> = lint::rules().collect();
    let index = |id: &str| rules.iter().position(|rule| rule.id == id);
    let told = report.told.iter().filter(|told| told.finding.severity >= args.severity);
    let results: Vec<Value> = told.map(|told| result(told, index(told.finding.rule.id))).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| descriptor(rule)).collect();
    document(&rules, &results, &report.problems, &report.notices)
}

/// A document with one run.
pub(crate) fn document(
    rules: &[Value],
    results: &[Value],
    problems: &[String],
    notices: &[String],
) -> Result<String, Failure> {
    let notifications = notices.iter().map(|notice| notification(notice, "note"));
    let is_complete = problems.is_empty();
    let problems = problems.iter().map(|problem| notification(problem, "error"));
    let value = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "allready",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            } },
            "invocations": [{
                "executionSuccessful": is_complete,
                "toolExecutionNotifications": problems.chain(notifications).collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    render::value(&value, Output::Json)
}

pub(crate) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

fn notification(text: &str, level: &str) -> Value {
    json!({ "level": level, "message": { "text": text } })
}

fn descriptor(rule: &lint::Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.id,
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.rationale },
        "help": { "text": format!("{}\n\nNot so:\n{}\n\nBut so:\n{}", rule.fix, rule.bad, rule.good) },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.scope.as_str()] },
    })
}

fn result(told: &Told, index: Option<usize>) -> Value {
    let finding = &told.finding;
    let object = &finding.object;
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": format!("{object}, {}: {}", finding.place, finding.message) },
        "locations": [location(&object.to_string(), &finding.place.to_string(), told.origin.as_ref())],
        // The same finding in the next run, wherever its line is by then.
        "partialFingerprints": {
            "allready/v1": format!("{}/{}/{}/{}", object.group(), object.kind, object.namespace, object.name)
                + &format!("#{}@{}", finding.rule.id, finding.path()),
        },
    })
}

/// The place of a finding: in an object, and in a file if it has a line there.
pub(crate) fn location(object: &str, place: &str, origin: Option<&Origin>) -> Value {
    let mut location = json!({ "logicalLocations": [{
        "name": place, "fullyQualifiedName": format!("{object} {place}"), "kind": "member",
    }] });
    if let Some((origin, line)) = origin.and_then(|origin| Some((origin, origin.line?))) {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri(&origin.file) },
            "region": { "startLine": line },
        });
    }
    location
}

/// The name of a file as a relative reference, or as an address where it is absolute.
fn uri(file: &str) -> String {
    let mut uri = String::with_capacity(file.len());
    for byte in file.trim_start_matches("./").bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'+' | b'@' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            other => {
                let _ = write!(uri, "%{other:02X}");
            }
        }
    }
    if uri.starts_with('/') { format!("file://{uri}") } else { uri }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_name_becomes_a_reference() {
        assert_eq!(uri("./a b/c.yaml"), "a%20b/c.yaml");
        assert_eq!(uri("/tmp/é.yaml"), "file:///tmp/%C3%A9.yaml");
    }
}
