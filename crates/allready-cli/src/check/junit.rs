//! Verdicts as a report of tests: every object is a case.

use std::fmt::Write as _;

use allready_inspect::health::Health;

use super::{judgement::Judgement, tally::Tally};
use crate::xml;

/// A report is for people: more of a message helps nobody.
const MAX_TEXT: usize = 16 * 1024;

/// One object.
pub(super) fn case(judgement: &Judgement) -> String {
    let verdict = &judgement.verdict;
    let class = match judgement.kind.as_str() {
        "" => "unreadable".to_owned(),
        kind if judgement.api_version.is_empty() => kind.to_owned(),
        kind => format!("{}.{kind}", judgement.api_version),
    };
    let name = match judgement.namespace.as_str() {
        "" => judgement.called().to_owned(),
        namespace => format!("{namespace}/{}", judgement.called()),
    };
    let mut text = format!("    <testcase classname=\"{}\" name=\"{}\"", escape(&class), escape(&name));
    let element = match verdict.health {
        Health::Healthy => {
            text.push_str("/>");
            return text;
        }
        Health::Suspended => "skipped",
        Health::Progressing | Health::Missing | Health::Degraded => "failure",
        Health::Unknown => "error",
    };
    let said = match (verdict.reason.as_str(), verdict.message.as_str()) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    };
    let (health, said) = (verdict.health.as_str(), escape(&said));
    let _ = write!(text, "><{element} message=\"{said}\"");
    if element != "skipped" {
        let _ = write!(text, " type=\"{health}\"");
    }
    let mut facts = vec![format!("health: {health}"), format!("rule: {}", verdict.rule)];
    if !verdict.field.is_empty() {
        facts.push(format!("field: {}", verdict.field));
    }
    facts.extend(verdict.since.map(|since| format!("since: {since}")));
    facts.extend(verdict.writer.as_ref().map(|writer| format!("writer: {}", writer.manager)));
    let facts: Vec<String> = facts.iter().map(|fact| escape(fact)).collect();
    let _ = write!(text, ">{}</{element}></testcase>", facts.join("\n"));
    text
}

/// What stands before the cases.
pub(super) fn head(tally: &Tally) -> String {
    let failures = tally.of(Health::Degraded) + tally.of(Health::Missing) + tally.of(Health::Progressing);
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"{}\" skipped=\"{}\"",
        tally.total(),
        tally.of(Health::Unknown),
        tally.of(Health::Suspended)
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"allready\" {counts}>\n  <testsuite name=\"allready check\" {counts}>\n"
    )
}

/// What stands behind them.
pub(super) const FOOT: &str = "  </testsuite>\n</testsuites>\n";

fn escape(text: &str) -> String {
    xml::escape(text, MAX_TEXT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_a_text_can_leave_its_place_in_the_report() {
        assert_eq!(escape("a<b>&\"c\"]]>"), "a&lt;b&gt;&amp;&quot;c&quot;]]&gt;");
        assert_eq!(escape("\0\u{1b}\u{202e}\u{ffff}\n"), "\\u{0}\\u{1b}\\u{202e}\u{fffd}\\n");
        assert_eq!(escape(&"x".repeat(MAX_TEXT + 1)).chars().count(), MAX_TEXT + 1);
    }
}
