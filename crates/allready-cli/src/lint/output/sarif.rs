//! Findings as SARIF 2.1.0, which code hosts and editors show beside the lines.

use std::fmt::Write as _;

use allready_core::lint::{self, Severity};
use serde_json::{Value, json};

use crate::{
    cli::Output,
    failure::Failure,
    lint::{
        args::LintArgs,
        session::{Report, Told},
    },
    render,
};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn text(report: &Report, args: &LintArgs) -> Result<String, Failure> {
    let rules: Vec<&lint::Rule> = lint::rules().collect();
    let index = |id: &str| rules.iter().position(|rule| rule.id == id);
    let told = report.told.iter().filter(|told| told.finding.severity >= args.severity);
    let results: Vec<Value> = told.map(|told| result(told, index(told.finding.rule.id))).collect();
    let notifications = report.notices.iter().map(|notice| notification(notice, "note"));
    let problems = report.problems.iter().map(|problem| notification(problem, "error"));
    let value = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "allready",
                "version": env!("CARGO_PKG_VERSION"),
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            } },
            "invocations": [{
                "executionSuccessful": report.problems.is_empty(),
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
    let mut location = json!({
        "logicalLocations": [{
            "name": finding.place.to_string(),
            "fullyQualifiedName": format!("{object} {}", finding.place),
            "kind": "member",
        }],
    });
    if let Some(origin) = &told.origin
        && let Some(line) = origin.line
    {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri(&origin.file) },
            "region": { "startLine": line },
        });
    }
    json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": level(finding.severity),
        "message": { "text": format!("{object}, {}: {}", finding.place, finding.message) },
        "locations": [location],
        // The same finding in the next run, wherever its line is by then.
        "partialFingerprints": {
            "allready/v1": format!("{}/{}/{}/{}", object.group(), object.kind, object.namespace, object.name)
                + &format!("#{}@{}", finding.rule.id, finding.path()),
        },
    })
}

/// The name of a file as a relative reference, or as an address where it is absolute.
pub(crate) fn uri(file: &str) -> String {
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
