//! Problems for programs that run on every change: SARIF, `JUnit`, and annotations of `GitHub`.

use std::{collections::BTreeSet, fmt::Write as _};

use allready_gateway::ObjectKey;
use allready_inspect::lint::Severity;
use serde_json::{Value, json};

use super::Report;
use crate::{
    failure::Failure,
    lint::{annotation, level, sarif_document, sarif_location},
    objects::lines::Origin,
    xml,
};

/// More of a text helps nobody.
const MOST_CHARS: usize = 4 * 1024;

/// A problem, with its place in a file.
pub(super) struct Item<'a> {
    /// Empty for a document that is no object.
    pub(super) object: String,
    pub(super) severity: Severity,
    pub(super) reason: &'a str,
    pub(super) message: &'a str,
    pub(super) pointer: &'a str,
    pub(super) origin: Option<&'a Origin>,
}

pub(super) fn sarif(report: &Report, items: &[Item<'_>]) -> Result<String, Failure> {
    let rules: Vec<&str> =
        items.iter().map(|item| item.reason).collect::<BTreeSet<_>>().into_iter().collect();
    let result = |item: &Item<'_>| -> Value {
        json!({
            "ruleId": item.reason,
            "ruleIndex": rules.iter().position(|rule| *rule == item.reason),
            "level": level(item.severity),
            "message": { "text": format!("{}: {}", item.object, item.message) },
            "locations": [sarif_location(&item.object, item.pointer, item.origin)],
            "partialFingerprints": { "allready/v1": format!("{}#{}@{}", item.object, item.reason, item.pointer) },
        })
    };
    let results: Vec<Value> = items.iter().map(result).collect();
    let rules: Vec<Value> = rules.iter().map(|rule| json!({ "id": rule, "name": rule })).collect();
    sarif_document(&rules, &results, &report.unlisted, &report.notes)
}

/// A test report: every object is a case, and every document that cannot be read.
pub(super) fn junit(report: &Report, items: &[Item<'_>]) -> String {
    // A stored object is a case if manifests break it.
    let is_case = |key: &ObjectKey| report.problems.iter().any(|one| one.key == *key);
    let given = report
        .world
        .given
        .iter()
        .filter(|(key, given)| given.text.is_some() || !report.is_about_files || is_case(key));
    let keys: Vec<String> = given.map(|(key, _)| key.to_string()).collect();
    let is_bad =
        |object: &str| items.iter().any(|item| item.object == object && item.severity == Severity::Error);
    let unreadable: Vec<&Item<'_>> = items.iter().filter(|item| item.object.is_empty()).collect();
    let failures = keys.iter().filter(|key| is_bad(key)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{}\"",
        keys.len() + unreadable.len() + report.unlisted.len(),
        unreadable.len() + report.unlisted.len()
    );
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"allready\" {counts}>\n  <testsuite name=\"allready gateway check\" {counts}>\n"
    );
    let escape = |text: &str| xml::escape(text, MOST_CHARS);
    for key in &keys {
        let _ = write!(text, "    <testcase classname=\"allready gateway check\" name=\"{}\"", escape(key));
        if !is_bad(key) {
            text.push_str("/>\n");
            continue;
        }
        text.push('>');
        for item in items.iter().filter(|item| item.object == *key && item.severity == Severity::Error) {
            let (reason, message) = (escape(item.reason), escape(item.message));
            let _ = write!(
                text,
                "<failure type=\"{reason}\" message=\"{message}\">{}</failure>",
                escape(&place(item))
            );
        }
        text.push_str("</testcase>\n");
    }
    for item in unreadable {
        let _ = writeln!(
            text,
            "    <testcase classname=\"allready gateway check\" name=\"{}\"><error message=\"{}\"/></testcase>",
            escape(&place(item)),
            escape(item.message)
        );
    }
    for problem in &report.unlisted {
        let _ = writeln!(
            text,
            "    <testcase classname=\"allready gateway check\" name=\"looking at everything\"><error message=\"{}\"/></testcase>",
            escape(problem)
        );
    }
    text.push_str("  </testsuite>\n</testsuites>\n");
    text
}

fn place(item: &Item<'_>) -> String {
    let line = |origin: &Origin| origin.line.map(|line| format!(":{line}")).unwrap_or_default();
    item.origin.map(|origin| format!("{}{}", origin.file, line(origin))).unwrap_or_default()
}

pub(super) fn github(items: &[Item<'_>]) -> String {
    let one = |item: &Item<'_>| {
        let message = format!("{}: {}", item.object, item.message);
        annotation(item.severity, item.origin, item.reason, &message)
    };
    items.iter().map(one).collect()
}
