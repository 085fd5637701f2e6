//! Verdicts for programs.

use allready_core::Time;
use allready_inspect::{
    health::Health,
    judge::{Rule, kstatus},
    writers::Writer,
};
use serde::Serialize;

use super::{judgement::Judgement, tally::Tally};
use crate::printer::{is_obeyed, tame_json};

/// A verdict, as it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    api_version: &'a str,
    kind: &'a str,
    namespace: &'a str,
    name: &'a str,
    health: Health,
    rule: Rule,
    reason: &'a str,
    message: &'a str,
    since: Option<Time>,
    field: &'a str,
    writer: Option<&'a Writer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    observed_generation: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    kstatus: Option<kstatus::Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    place: Option<&'a str>,
}

impl<'a> Line<'a> {
    fn of(judgement: &'a Judgement, tells_why: bool) -> Self {
        let verdict = &judgement.verdict;
        Self {
            api_version: &judgement.api_version,
            kind: &judgement.kind,
            namespace: &judgement.namespace,
            name: &judgement.name,
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

/// A verdict on one line.
pub(super) fn line(judgement: &Judgement, tells_why: bool) -> String {
    // Nothing in a verdict can fail to be JSON.
    let json = serde_json::to_string(&Line::of(judgement, tells_why)).unwrap_or_default();
    if json.bytes().any(|byte| !(0x20..0x7f).contains(&byte)) { tame_json(&json) } else { json }
}

/// A verdict as an item of a list in YAML.
pub(super) fn yaml(judgement: &Judgement, tells_why: bool) -> String {
    match serde_saphyr::to_string(&[Line::of(judgement, tells_why)]) {
        Ok(yaml) if !yaml.chars().any(|c| is_obeyed(c) && c != '\n') => yaml.trim_end().to_owned(),
        // Every JSON value is a YAML value, and in JSON the escapes are ours to choose.
        _ => format!("- {}", line(judgement, tells_why)),
    }
}

/// The summary as a field in YAML.
pub(super) fn yaml_summary(tally: &Tally) -> String {
    let summary = serde_json::json!({ "summary": tally.to_json() });
    // Nothing in it is foreign, and numbers cannot fail to be YAML.
    serde_saphyr::to_string(&summary).unwrap_or_default()
}
