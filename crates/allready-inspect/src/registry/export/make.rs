//! From what is declared to what can be told.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Wanted,
    recipe::{Known, Reaching, Recipe, Resting, Sort, Wording},
};
use crate::{
    health::Health,
    registry::{ConditionRole, Entry, KindSemantics, Registry, Semantics, StateMeaning},
};
use allready_core::Polarity;

/// Types that many kinds have without a declaration: what their names say is told, as another language cannot read it off them.
const COMMON: [&str; 22] = [
    "Available",
    "Degraded",
    "DiskPressure",
    "Error",
    "Failed",
    "Healthy",
    "MemoryPressure",
    "NetworkUnavailable",
    "NotReady",
    "OutOfSync",
    "PIDPressure",
    "Paused",
    "Progressing",
    "Ready",
    "ReconcileError",
    "Reconciled",
    "Reconciling",
    "ReplicaFailure",
    "Stalled",
    "Suspended",
    "Synced",
    "Upgradeable",
];

/// What ends a kind well that ends by a condition.
const ENDS: [&str; 3] = ["Complete", "Completed", "Succeeded"];

/// All that can be told of a kind, or why it cannot.
pub(super) fn recipe(registry: &Registry, wanted: &Wanted) -> Result<Recipe, String> {
    let known = registry.kind(&wanted.group, &wanted.kind);
    let declared = known.declared();
    if !known.is_declared() {
        return Err("nothing is declared of it".to_owned());
    }
    if declared.builtin.is_some() {
        return Err("Kubernetes brings it, and everybody has rules for it".to_owned());
    }
    untellable(declared)?;
    let is_silent = declared.no_status == Some(true) && declared.empty_status.is_none();
    let recipe = Recipe {
        group: wanted.group.clone(),
        kind: wanted.kind.clone(),
        always: declared.always,
        silent: if is_silent { Health::Healthy } else { Health::Progressing },
        is_blind: declared.ignore_conditions == Some(true),
        conditions: conditions(&known),
        required: required(declared),
        runs: known.runs_to_completion,
        wordings: declared
            .states
            .iter()
            .map(|(path, words)| wording(path, words))
            .collect::<Result<_, _>>()?,
        resting: declared.suspended_if.iter().map(|text| resting(text)).collect::<Result<_, _>>()?,
        reaching: reaching(declared)?,
        has_nested: !declared.ignore_nested.unwrap_or(false),
        has_items: declared.skip_items.as_deref().unwrap_or_default().is_empty(),
    };
    if !recipe.can_be_healthy() {
        return Err("nothing that is declared of it could ever call it healthy".to_owned());
    }
    Ok(recipe)
}

/// What may make an object less than healthy and cannot be told.
fn untellable(declared: &Entry) -> Result<(), String> {
    let has = |list: bool, what: &str| {
        if list { Err(format!("its {what} cannot be told in another language")) } else { Ok(()) }
    };
    has(declared.equal.as_ref().is_some_and(|list| !list.is_empty()), "values that must be equal")?;
    has(declared.present.as_ref().is_some_and(|list| !list.is_empty()), "values that must be there")?;
    has(declared.generations.as_ref().is_some_and(|list| !list.is_empty()), "own generations")
}

/// The conditions that are known: those that are declared, and those whose names everybody knows.
fn conditions(known: &KindSemantics) -> Vec<Known> {
    let declared = known.declared();
    let mut types: BTreeSet<&str> = declared.conditions.keys().map(String::as_str).collect();
    types.extend(declared.requires.iter().flatten().map(String::as_str));
    types.extend(COMMON);
    let has_summary = declared.conditions.values().any(|meaning| meaning.role == ConditionRole::Summary);
    if declared.ends_by_condition == Some(true) {
        types.extend(ENDS.into_iter().chain(["Failed", "Suspended", "Stopped"]));
    }
    let speaks = |type_: &str, semantics: &Semantics| match &declared.requires {
        _ if semantics.polarity == Polarity::AbnormalTrue => false,
        _ if declared.ends_by_condition == Some(true) => ENDS.contains(&type_),
        Some(required) if !required.is_empty() => required.iter().any(|one| one == type_),
        _ if has_summary => semantics.role == ConditionRole::Summary,
        _ => semantics.role == ConditionRole::Dependent && declared.conditions.contains_key(type_),
    };
    let tell = |type_: &str| {
        // A pattern means what it is declared to, and not what its letters say.
        let semantics = match declared.conditions.get(type_) {
            Some(&meaning) => Semantics::from(meaning),
            None => known.condition(type_),
        };
        Known {
            type_: type_.to_owned(),
            sort: match semantics.role {
                ConditionRole::Summary | ConditionRole::Dependent => Sort::Counts,
                ConditionRole::Activity => Sort::Moves,
                ConditionRole::Suspension => Sort::Rests,
                ConditionRole::Informational if semantics.is_declared => Sort::Tells,
                ConditionRole::Informational => Sort::Mentions,
            },
            polarity: semantics.polarity,
            bad: semantics.on_bad.filter(|&health| health != Health::Healthy),
            unknown: if semantics.on_unknown == Health::Healthy {
                Health::Unknown
            } else {
                semantics.on_unknown
            },
            speaks: speaks(type_, &semantics),
            reasons: reasons(declared, type_),
        }
    };
    let mut conditions: Vec<Known> = types.into_iter().map(tell).collect();
    // What is exact goes before what is a pattern, and patterns are in the order in which they are asked.
    conditions.sort_by_key(Known::is_pattern);
    conditions
}

/// The types of which one has to be there: those that are declared so, or those that can end it.
fn required(declared: &Entry) -> Vec<String> {
    if declared.ends_by_condition == Some(true) {
        return ENDS.map(str::to_owned).to_vec();
    }
    declared.requires.clone().unwrap_or_default()
}

fn reasons(declared: &Entry, type_: &str) -> BTreeMap<String, Health> {
    let mut reasons = declared.reasons.get("*").cloned().unwrap_or_default();
    reasons.extend(declared.reasons.get(type_).cloned().unwrap_or_default());
    // A bad status is never good news, whatever its reason: that it rests is the best.
    reasons.retain(|_, health| *health != Health::Healthy);
    reasons
}

fn wording(at: &str, words: &BTreeMap<String, StateMeaning>) -> Result<Wording, String> {
    let mut wording = Wording {
        path: path(at)?,
        words: BTreeMap::new(),
        ignored: Vec::new(),
        other: Some(Health::Unknown),
    };
    for (word, meaning) in words {
        match (word.as_str(), meaning.health()) {
            // Any word at all cannot be good news.
            ("*", health) => wording.other = health.filter(|&health| health != Health::Healthy),
            (word, Some(health)) => {
                wording.words.insert(word.to_owned(), health);
            }
            (word, None) => wording.ignored.push(word.to_owned()),
        }
    }
    // An empty text is a word where any word is declared, and says nothing elsewhere.
    if !words.contains_key("") {
        match wording.other.filter(|_| words.contains_key("*")) {
            Some(health) => _ = wording.words.insert(String::new(), health),
            None => wording.ignored.push(String::new()),
        }
    }
    Ok(wording)
}

fn resting(text: &str) -> Result<Resting, String> {
    let (at, value) = text.split_once('=').unwrap_or((text, ""));
    Ok(Resting { path: path(at)?, value: value.to_owned() })
}

fn reaching(declared: &Entry) -> Result<Vec<Reaching>, String> {
    let counts = declared.counts.iter().flatten();
    counts
        .map(|count| Ok(Reaching { have: path(&count.have)?, want: path(&count.want)?, short: count.short }))
        .collect()
}

/// The names on a way that leads through objects alone. The keys of labels and annotations have dots.
fn path(text: &str) -> Result<Vec<String>, String> {
    if text.contains(['[', '|', '*']) {
        return Err(format!("its {text} cannot be told in another language"));
    }
    for map in ["metadata.labels.", "metadata.annotations."] {
        if let Some(key) = text.strip_prefix(map) {
            return Ok(map
                .split('.')
                .filter(|name| !name.is_empty())
                .chain([key])
                .map(str::to_owned)
                .collect());
        }
    }
    Ok(text.split('.').map(str::to_owned).collect())
}
