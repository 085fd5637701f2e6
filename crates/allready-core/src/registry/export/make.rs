//! From what is declared to what can be told.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Wanted,
    recipe::{Counting, Reaching, Recipe, Resting, Wording},
};
use crate::{
    Polarity,
    health::Health,
    registry::{ConditionRole, Entry, KindSemantics, Registry, StateMeaning},
};

/// Types that are bad news wherever they are, so that no export is blind to them.
const BAD_NEWS: [&str; 6] = ["Degraded", "Failed", "Stalled", "Error", "ReplicaFailure", "ReconcileError"];

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
    let always = declared.always.or(declared.no_status.filter(|&it| it).map(|_| Health::Healthy));
    let is_blind = declared.ignore_conditions.unwrap_or(false);
    // Conditions may contradict what a kind without a status is taken to be.
    let always = always.filter(|_| declared.conditions.is_empty() && declared.states.is_empty());
    let recipe = Recipe {
        group: wanted.group.clone(),
        kind: wanted.kind.clone(),
        always,
        conditions: if is_blind { Vec::new() } else { counting(&known) },
        activities: if is_blind { Vec::new() } else { of_role(declared, ConditionRole::Activity) },
        suspensions: if is_blind { Vec::new() } else { of_role(declared, ConditionRole::Suspension) },
        wordings: declared
            .states
            .iter()
            .map(|(path, words)| wording(path, words))
            .collect::<Result<_, _>>()?,
        resting: declared.suspended_if.iter().map(|text| resting(text)).collect::<Result<_, _>>()?,
        reaching: reaching(declared)?,
        has_nested: !declared.ignore_nested.unwrap_or(false),
        has_items: !declared.ignore_items.unwrap_or(false),
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

/// The conditions that count: those that are declared, and bad news that is not.
fn counting(known: &KindSemantics) -> Vec<Counting> {
    let declared = known.declared();
    let mut types: BTreeSet<&str> = declared.conditions.keys().map(String::as_str).collect();
    types.extend(declared.requires.iter().flatten().map(String::as_str));
    types.extend(BAD_NEWS);
    let counts = |role| matches!(role, ConditionRole::Summary | ConditionRole::Dependent);
    let meaning = |type_: &str| known.condition(type_);
    let has_summary = types.iter().any(|type_| meaning(type_).role == ConditionRole::Summary);
    let speaks = |type_: &str, role, polarity| match &declared.requires {
        Some(required) if !required.is_empty() => required.iter().any(|one| one == type_),
        _ if polarity == Polarity::AbnormalTrue => false,
        _ if has_summary => role == ConditionRole::Summary,
        _ => role == ConditionRole::Dependent && declared.conditions.contains_key(type_),
    };
    let mut conditions: Vec<Counting> = types
        .iter()
        .map(|&type_| (type_, meaning(type_)))
        .filter(|(_, semantics)| counts(semantics.role))
        .map(|(type_, semantics)| Counting {
            type_: type_.to_owned(),
            polarity: semantics.polarity,
            bad: semantics.on_bad.filter(|&health| health != Health::Healthy).unwrap_or(
                if semantics.polarity == Polarity::AbnormalTrue {
                    Health::Degraded
                } else {
                    Health::Progressing
                },
            ),
            unknown: if semantics.on_unknown == Health::Healthy {
                Health::Unknown
            } else {
                semantics.on_unknown
            },
            speaks: speaks(type_, semantics.role, semantics.polarity),
            reasons: reasons(declared, type_),
        })
        .collect();
    // What is exact goes before what is a pattern, and a long pattern before a short one.
    conditions.sort_by_key(|one| {
        (one.is_pattern(), std::cmp::Reverse(if one.is_pattern() { one.type_.len() } else { 0 }))
    });
    conditions
}

fn reasons(declared: &Entry, type_: &str) -> BTreeMap<String, Health> {
    let mut reasons = declared.reasons.get("*").cloned().unwrap_or_default();
    reasons.extend(declared.reasons.get(type_).cloned().unwrap_or_default());
    // A bad status is never good news, whatever its reason: that it rests is the best.
    reasons.retain(|_, health| *health != Health::Healthy);
    reasons
}

fn of_role(declared: &Entry, role: ConditionRole) -> Vec<String> {
    let found =
        declared.conditions.iter().filter(|(type_, meaning)| meaning.role == role && !type_.contains('*'));
    found.map(|(type_, _)| type_.clone()).collect()
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
