//! One verdict in each format that is written object by object, and what stands around them.

use allready_core::Time;
use allready_inspect::{
    health::Health,
    judge::{Rule, kstatus},
    lint::Severity,
    writers::Writer,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    causes::{CauseEntry, GroupEntry},
    judged::Plan,
    judgement::Judgement,
    tally::{Summary, Tally},
};
use crate::{
    output::{
        API_VERSION, Document, Finding, Format, annotation,
        document::{self, ObjectName},
        junit::{self, Case, Outcome},
        prometheus::{gauge, sample},
    },
    printer::{is_obeyed, tame},
};

/// More series than that no server should be given by one command.
pub(super) const MAX_SERIES: u64 = 50_000;

const HEALTH: &str = "allready_object_health";

/// The verdict on one object.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Verdict<'a> {
    object: ObjectName<'a>,
    health: Health,
    /// The identifier of the rule that decided.
    #[schemars(with = "String")]
    rule: Rule,
    reason: &'a str,
    message: &'a str,
    since: Option<Time>,
    /// The field that decided.
    field: &'a str,
    writer: Option<&'a Writer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_generation: Option<i64>,
    /// The verdict of kstatus, if its rules were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    kstatus: Option<kstatus::Status>,
    /// The text of the rule, with --why.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    /// The place of an object that could not be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
}

impl Document for Verdict<'_> {
    const KIND: &'static str = "Verdict";
}

/// All verdicts. It is written verdict by verdict, and never as a whole in memory.
#[derive(Serialize, JsonSchema)]
pub(crate) struct CheckReport<'a> {
    verdicts: Vec<Verdict<'a>>,
    /// The causes of what is not well, worst first.
    causes: Vec<CauseEntry<'a>>,
    /// What is not wrong yet, and will be.
    hints: Vec<CauseEntry<'a>>,
    /// The causes and hints in groups, worst first, with --by.
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<Vec<GroupEntry<'a>>>,
    summary: Summary,
}

impl Document for CheckReport<'_> {
    const KIND: &'static str = "CheckReport";
}

impl<'a> Verdict<'a> {
    fn of(judgement: &'a Judgement, tells_why: bool) -> Self {
        let verdict = &judgement.verdict;
        let Judgement { api_version, kind, namespace, name, .. } = judgement;
        Self {
            object: ObjectName { api_version: api_version.into(), kind, namespace, name },
            health: verdict.health,
            rule: verdict.rule,
            reason: &verdict.reason,
            message: &verdict.message,
            since: verdict.since,
            field: &verdict.field,
            writer: verdict.writer.as_ref(),
            generation: judgement.generation,
            observed_generation: judgement.observed,
            kstatus: judgement.kstatus,
            why: tells_why.then(|| verdict.rule.text()),
            place: judgement.place.as_deref(),
        }
    }
}

/// The text before the first entry.
pub(super) fn head(format: Format) -> String {
    let kind = CheckReport::KIND;
    match format {
        Format::Json => {
            format!("{{\n  \"apiVersion\": \"{API_VERSION}\",\n  \"kind\": \"{kind}\",\n  \"verdicts\": [")
        }
        Format::Yaml => format!("apiVersion: {API_VERSION}\nkind: {kind}\nverdicts:\n"),
        Format::Prometheus => gauge(HEALTH, "Health of an object: 1 for the object's health."),
        _ => String::new(),
    }
}

/// The entry of one object, if it has one.
pub(super) fn of(judgement: &Judgement, plan: &Plan<'_>) -> Option<String> {
    let verdict = || Verdict::of(judgement, plan.tells_why);
    match plan.output {
        Format::Json => Some(document::one_line(&verdict())),
        Format::Jsonl => Some(document::line(&verdict())),
        Format::Yaml => Some(match serde_saphyr::to_string(&[verdict()]) {
            Ok(yaml) if !yaml.chars().any(|c| is_obeyed(c) && c != '\n') => yaml.trim_end().to_owned(),
            // Every JSON value is a YAML value, and in JSON the escapes are ours to choose.
            _ => format!("- {}", document::one_line(&verdict())),
        }),
        // What could not be read has no name.
        Format::Name => judgement.place.is_none().then(|| name(judgement)),
        Format::Junit => Some(case(judgement)),
        Format::Github => Some(annotation(&finding(judgement))),
        Format::Prometheus => Some(sample(
            HEALTH,
            &[
                ("group", judgement.group()),
                ("kind", &judgement.kind),
                ("namespace", &judgement.namespace),
                ("name", judgement.called()),
                ("health", judgement.health().as_str()),
            ],
            1,
        )),
        _ => None,
    }
}

/// The name that kubectl takes.
fn name(judgement: &Judgement) -> String {
    let kind = judgement.kind.to_lowercase();
    let group = judgement.group();
    let dot = if group.is_empty() { "" } else { "." };
    let slash = if kind.is_empty() { "" } else { "/" };
    tame(&format!("{kind}{dot}{group}{slash}{}", judgement.called()))
}

/// The name with its namespace.
fn full_name(judgement: &Judgement) -> String {
    match judgement.namespace.as_str() {
        "" => judgement.called().to_owned(),
        namespace => format!("{namespace}/{}", judgement.called()),
    }
}

/// The reason and the message.
fn said(judgement: &Judgement) -> String {
    let verdict = &judgement.verdict;
    match (verdict.reason.as_str(), verdict.message.as_str()) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    }
}

fn finding(judgement: &Judgement) -> Finding<'_> {
    let object = format!("{} {}", judgement.kind, full_name(judgement));
    let object = object.trim_start().to_owned();
    Finding {
        rule: judgement.verdict.rule.id(),
        title: format!("{} {object}", judgement.word()),
        severity: match judgement.health() {
            Health::Degraded | Health::Missing => Severity::Error,
            Health::Unknown | Health::Progressing => Severity::Warning,
            Health::Suspended | Health::Healthy => Severity::Info,
        },
        message: format!("{object}: {}", said(judgement)),
        object,
        place: judgement.verdict.field.clone(),
        fingerprint: String::new(),
        origin: None,
    }
}

fn case(judgement: &Judgement) -> String {
    let verdict = &judgement.verdict;
    let class = match judgement.kind.as_str() {
        "" => "unreadable".to_owned(),
        kind if judgement.api_version.is_empty() => kind.to_owned(),
        kind => format!("{}.{kind}", judgement.api_version),
    };
    let case = Case::new(&class, &full_name(judgement), None);
    let outcome = match verdict.health {
        Health::Healthy => return case.to_string(),
        Health::Suspended => Outcome::Skipped,
        Health::Progressing | Health::Missing | Health::Degraded => Outcome::Failure,
        Health::Unknown => Outcome::Error,
    };
    let health = verdict.health.as_str();
    let mut facts = vec![format!("health: {health}"), format!("rule: {}", verdict.rule)];
    if !verdict.field.is_empty() {
        facts.push(format!("field: {}", verdict.field));
    }
    facts.extend(verdict.since.map(|since| format!("since: {since}")));
    facts.extend(verdict.writer.as_ref().map(|writer| format!("writer: {}", writer.manager)));
    let type_ = if outcome == Outcome::Skipped { "" } else { health };
    case.with(outcome, type_, &said(judgement), &facts.join("\n")).to_string()
}

/// The test report with these cases.
pub(super) fn report(tally: &Tally, cases: &str) -> String {
    let failures = tally.of(Health::Degraded) + tally.of(Health::Missing) + tally.of(Health::Progressing);
    let counts = [tally.total(), failures, tally.of(Health::Unknown), tally.of(Health::Suspended)];
    junit::report("allready check", counts, cases)
}

/// The metrics of all objects together.
pub(super) fn totals(tally: &Tally, not_shown: u64) -> String {
    let mut text = gauge("allready_objects", "Number of objects by health.");
    for health in Health::WORST_FIRST {
        text += &sample("allready_objects", &[("health", health.as_str())], tally.of(health));
        text.push('\n');
    }
    let counts = [
        ("allready_objects_unreadable", "Number of objects that could not be read.", tally.unreadable),
        ("allready_kinds_unlisted", "Number of kinds that could not be listed.", tally.unlisted),
        ("allready_objects_not_shown", "Number of objects without a series, for want of room.", not_shown),
    ];
    for (name, help, value) in counts {
        text += &(gauge(name, help) + &sample(name, &[], value) + "\n");
    }
    text
}
