//! Verdicts as a report of tests: every object is a case.

use allready_inspect::health::Health;

use super::{judgement::Judgement, tally::Tally};
use crate::ci::junit::{self, Case, Outcome};

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
    let case = Case::new(&class, &name, None);
    let outcome = match verdict.health {
        Health::Healthy => return case.to_string(),
        Health::Suspended => Outcome::Skipped,
        Health::Progressing | Health::Missing | Health::Degraded => Outcome::Failure,
        Health::Unknown => Outcome::Error,
    };
    let said = match (verdict.reason.as_str(), verdict.message.as_str()) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    };
    let health = verdict.health.as_str();
    let mut facts = vec![format!("health: {health}"), format!("rule: {}", verdict.rule)];
    if !verdict.field.is_empty() {
        facts.push(format!("field: {}", verdict.field));
    }
    facts.extend(verdict.since.map(|since| format!("since: {since}")));
    facts.extend(verdict.writer.as_ref().map(|writer| format!("writer: {}", writer.manager)));
    let type_ = if outcome == Outcome::Skipped { "" } else { health };
    case.with(outcome, type_, &said, &facts.join("\n")).to_string()
}

/// The report with these cases.
pub(super) fn report(tally: &Tally, cases: &str) -> String {
    let failures = tally.of(Health::Degraded) + tally.of(Health::Missing) + tally.of(Health::Progressing);
    let counts = [tally.total(), failures, tally.of(Health::Unknown), tally.of(Health::Suspended)];
    junit::report("allready check", counts, cases)
}
