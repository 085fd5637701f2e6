//! What is known of a kind, as tables.

use allready_core::Polarity;
use allready_inspect::{
    health::Health,
    registry::{ConditionRole, Entry, Registry, Semantics, export::Wanted},
};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::Sources;
use crate::{
    failure::Failure,
    output::{Column, Document, Look, Report, Table, text::indented},
};

/// Declarations, which can be used as a file of them.
#[derive(Serialize, JsonSchema)]
pub(crate) struct RegistryReport {
    entries: Vec<Map<String, Value>>,
}

impl Document for RegistryReport {
    const KIND: &'static str = "RegistryReport";
}

impl RegistryReport {
    pub(super) fn of(entries: impl Iterator<Item = Entry>) -> Result<Self, Failure> {
        let object = |entry: Entry| match serde_json::to_value(entry).map_err(Failure::output)? {
            Value::Object(fields) => Ok(fields),
            _ => Ok(Map::new()),
        };
        Ok(Self { entries: entries.map(object).collect::<Result<_, Failure>>()? })
    }
}

/// Declarations, and the tables that show them.
pub(super) struct Shown<'a> {
    pub(super) entries: RegistryReport,
    pub(super) tables: &'a dyn Fn(Look) -> String,
}

impl Report for Shown<'_> {
    type Value<'a>
        = &'a RegistryReport
    where
        Self: 'a;

    fn value(&self) -> &RegistryReport {
        &self.entries
    }

    fn text(&self, look: Look) -> String {
        (self.tables)(look)
    }
}

/// Types that many kinds have: what their names say is shown where nothing is declared.
const COMMON: [&str; 8] =
    ["Ready", "Available", "Synced", "Progressing", "Reconciling", "Degraded", "Failed", "Stalled"];

/// The tables.
pub(super) fn text(sources: &Sources, wanted: &Wanted, types: &[String], look: Look) -> String {
    let known = sources.registry.kind(&wanted.group, &wanted.kind);
    let entry = known.declared();
    let mut shown: Vec<String> = if types.is_empty() { declared_types(entry) } else { types.to_vec() };
    let mut text = format!("{wanted}\n\n");
    if !known.is_declared() {
        let nothing = format!("{wanted}: nothing is declared, so its conditions are read off their names.");
        text = indented(&nothing, "", look.width) + "\n";
    }
    if shown.is_empty() && entry.builtin.is_none() && !entry.ignore_conditions.unwrap_or(false) {
        shown = COMMON.map(str::to_owned).to_vec();
    }
    if !shown.is_empty() {
        let columns = [Column::key("TYPE"), Column::fact("ROLE"), Column::fact("POLARITY")];
        let means = ["TRUE MEANS", "FALSE MEANS", "UNKNOWN MEANS"].map(Column::fact);
        let rest = ["GRACE", "SOURCE"].map(Column::minor);
        let mut table = Table::new(look, columns.into_iter().chain(means).chain(rest));
        for type_ in &shown {
            let semantics = known.condition(type_);
            let [on_true, on_false, on_unknown] = meanings(&semantics);
            table.row([
                type_.clone(),
                role(semantics.role).to_owned(),
                polarity(semantics.polarity).to_owned(),
                on_true,
                on_false,
                on_unknown,
                semantics.grace.map(|seconds| format!("{seconds}s")).unwrap_or_default(),
                sources.of(wanted, type_).to_owned(),
            ]);
        }
        text += &table.text();
    }
    let more = facts(entry);
    if !more.is_empty() {
        if !shown.is_empty() {
            text += "\n";
        }
        let mut table = Table::new(look, [Column::key("FIELD"), Column::text("MEANS")]);
        for (field, means) in more {
            table.row([field, means]);
        }
        text += &table.text();
    }
    text
}

fn declared_types(entry: &Entry) -> Vec<String> {
    let rank = |role: ConditionRole| match role {
        ConditionRole::Summary => 0,
        ConditionRole::Dependent => 1,
        ConditionRole::Activity => 2,
        ConditionRole::Suspension => 3,
        ConditionRole::Informational => 4,
    };
    let mut types: Vec<_> = entry.conditions.iter().collect();
    types.sort_by_key(|(type_, meaning)| (rank(meaning.role), type_.contains('*'), (*type_).clone()));
    types.into_iter().map(|(type_, _)| type_.clone()).collect()
}

/// What the three statuses mean.
fn meanings(semantics: &Semantics) -> [String; 3] {
    let nothing = || "nothing".to_owned();
    let bad = semantics.on_bad.map_or_else(|| "by its reason".to_owned(), word);
    let unknown = word(semantics.on_unknown);
    match (semantics.role, semantics.polarity) {
        (ConditionRole::Informational, _) => [nothing(), nothing(), nothing()],
        (ConditionRole::Activity, _) => [word(Health::Progressing), nothing(), unknown],
        (ConditionRole::Suspension, _) => [word(Health::Suspended), nothing(), nothing()],
        (_, Polarity::AbnormalTrue) => [bad, "good".to_owned(), unknown],
        _ => ["good".to_owned(), bad, unknown],
    }
}

/// What is declared besides conditions.
fn facts(entry: &Entry) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    for (type_, reasons) in &entry.reasons {
        let told: Vec<String> =
            reasons.iter().map(|(reason, health)| format!("{reason}: {health:?}")).collect();
        facts.push((format!("reason of {type_}"), told.join(", ")));
    }
    for (path, words) in &entry.states {
        let told: Vec<String> = words
            .iter()
            .map(|(text, meaning)| {
                format!("{text}: {}", meaning.health().map_or_else(|| "nothing".to_owned(), word))
            })
            .collect();
        facts.push((path.clone(), told.join(", ")));
    }
    facts.extend(entry.suspended_if.iter().map(|rule| (rule.clone(), "Suspended".to_owned())));
    let counts = entry.counts.iter().flatten();
    facts.extend(counts.map(|it| (format!("{} < {}", it.have, it.want), word(it.short))));
    let equal = entry.equal.iter().flatten();
    facts.extend(equal.map(|it| (format!("{} != {}", it.path, it.other), word(it.different))));
    let present = entry.present.iter().flatten();
    facts.extend(present.map(|it| (format!("no {}", it.path), word(it.absent))));
    let healthy = entry.healthy_if.iter().flatten();
    facts.extend(healthy.map(|rule| (rule.clone(), "a sign of life".to_owned())));
    if let Some(required) = &entry.requires {
        facts.push((required.join(" or "), "must be there".to_owned()));
    }
    if let Some(always) = entry.always {
        facts.push(("anything".to_owned(), word(always)));
    }
    if entry.no_status == Some(true) {
        facts.push(("no status".to_owned(), "Healthy, it has none by design".to_owned()));
    }
    if let Some(builtin) = entry.builtin {
        facts.push(("all of it".to_owned(), format!("judged by the rule for {builtin:?}")));
    }
    facts
}

/// A line for each kind that is declared, and for each group of which all kinds are.
pub(super) fn list(registry: &Registry, look: Look) -> String {
    let columns =
        [Column::key("GROUP"), Column::key("KIND"), Column::text("SUMMARY"), Column::minor("OTHERS")];
    let mut table = Table::new(look, columns);
    let mut rows: Vec<[String; 4]> = Vec::new();
    for entry in registry.entries() {
        let every = ["*".to_owned()];
        let kinds: &[String] = if entry.kinds.is_empty() { &every } else { &entry.kinds };
        for (group, kind) in entry.groups.iter().flat_map(|group| kinds.iter().map(move |kind| (group, kind)))
        {
            let known = registry.kind(group, kind);
            let of = |is_summary: bool| {
                let types = known.declared().conditions.iter();
                let types =
                    types.filter(|(_, meaning)| (meaning.role == ConditionRole::Summary) == is_summary);
                types.map(|(type_, _)| type_.as_str()).collect::<Vec<_>>().join(", ")
            };
            let group = if group.is_empty() { "core".to_owned() } else { group.clone() };
            rows.push([group, kind.clone(), of(true), of(false)]);
        }
    }
    rows.sort();
    rows.dedup();
    for row in rows {
        table.row(row);
    }
    table.text()
}

fn role(role: ConditionRole) -> &'static str {
    match role {
        ConditionRole::Summary => "summary",
        ConditionRole::Dependent => "dependent",
        ConditionRole::Activity => "activity",
        ConditionRole::Suspension => "suspension",
        ConditionRole::Informational => "informational",
    }
}

fn polarity(polarity: Polarity) -> &'static str {
    if polarity == Polarity::AbnormalTrue { "True is bad" } else { "True is good" }
}

fn word(health: Health) -> String {
    format!("{health:?}")
}
