//! SARIF 2.1.0, which code hosts and editors show beside the lines.

use std::{collections::BTreeMap, fmt::Write as _};

use serde_json::{Value, json};

use super::{Finding, Findings, Format, document, finding::level};
use crate::failure::Failure;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A document with one run.
pub(super) fn text(findings: &Findings<'_>) -> Result<String, Failure> {
    let Findings { items, rules, problems, notices } = findings;
    let notification = |text: &String, level| json!({ "level": level, "message": { "text": text } });
    let problems_and_notices = problems.iter().map(|problem| notification(problem, "error"));
    let notifications = problems_and_notices.chain(notices.iter().map(|notice| notification(notice, "note")));
    let numbered = rules.iter().enumerate().filter_map(|(index, rule)| Some((rule["id"].as_str()?, index)));
    let indexes: BTreeMap<&str, usize> = numbered.collect();
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
                "executionSuccessful": problems.is_empty(),
                "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "results": items.iter().map(|item| result(item, indexes.get(item.rule))).collect::<Vec<_>>(),
        }],
    });
    document::value(&value, Format::Json)
}

fn result(item: &Finding<'_>, index: Option<&usize>) -> Value {
    let mut location = json!({ "logicalLocations": [{
        "name": item.place, "fullyQualifiedName": format!("{} {}", item.object, item.place), "kind": "member",
    }] });
    if let Some((file, line)) = item.origin.and_then(|origin| Some((origin.path()?, origin.line))) {
        location["physicalLocation"] = json!({
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": line },
        });
    }
    json!({
        "ruleId": item.rule,
        "ruleIndex": index,
        "level": level(item.severity),
        "message": { "text": item.message },
        "locations": [location],
        "partialFingerprints": { "allready/v1": item.fingerprint },
    })
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
