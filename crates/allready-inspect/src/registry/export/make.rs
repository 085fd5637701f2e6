//! From what is declared to what can be told.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Wanted,
    recipe::{Good, Known, Meanings, Reaching, Recipe},
};
use crate::{
    health::Health,
    registry::{ConditionRole, Entry, KindSemantics, Registry, Semantics, StateMeaning},
};
use allready_core::Polarity;

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
    let recipe = Recipe {
        group: wanted.group.clone(),
        kind: wanted.kind.clone(),
        is_always_healthy: declared.always == Some(Health::Healthy),
        may_be_silent: declared.no_status == Some(true) && declared.empty_status.is_none(),
        is_blind: declared.ignore_conditions == Some(true),
        conditions: conditions(&known),
        required: required(declared),
        words: declared
            .states
            .iter()
            .map(|(at, words)| Ok((path(at)?, meanings(words))))
            .collect::<Result<_, String>>()?,
        rests: declared.suspended_if.iter().map(|text| rest(text)).collect::<Result<_, _>>()?,
        counts: reaching(declared)?,
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

/// The conditions of which something is declared.
fn conditions(known: &KindSemantics) -> Vec<Known> {
    let declared = known.declared();
    let mut types: BTreeSet<&str> = declared.conditions.keys().map(String::as_str).collect();
    let required = required(declared);
    types.extend(required.iter().map(String::as_str));
    let has_summary = declared.conditions.values().any(|meaning| meaning.role == ConditionRole::Summary);
    let tells = |type_: &str, semantics: &Semantics| match required.as_slice() {
        [] if has_summary => semantics.role == ConditionRole::Summary,
        [] => semantics.role == ConditionRole::Dependent,
        required => required.iter().any(|one| one == type_),
    };
    let tell = |type_: &str| {
        // A pattern means what it is declared to, and not what its letters say.
        let semantics = match declared.conditions.get(type_) {
            Some(&meaning) => Semantics::from(meaning),
            None => known.condition(type_),
        };
        let is_abnormal = semantics.polarity == Polarity::AbnormalTrue;
        let (good, bad) = match semantics.role {
            ConditionRole::Summary | ConditionRole::Dependent if !is_abnormal => {
                (Good::True, Health::Progressing)
            }
            ConditionRole::Summary | ConditionRole::Dependent => {
                (Good::False { is_activity: false }, Health::Degraded)
            }
            ConditionRole::Activity => (Good::False { is_activity: true }, Health::Progressing),
            ConditionRole::Suspension => (Good::False { is_activity: false }, Health::Suspended),
            ConditionRole::Informational => (Good::Any, Health::Healthy),
        };
        Known {
            type_: type_.to_owned(),
            good,
            bad: semantics.on_bad.filter(|&health| health != Health::Healthy).unwrap_or(bad),
            tells: good == Good::True && tells(type_, &semantics),
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

/// The meanings of words in a field. Any word at all cannot be good news; an empty text says nothing unless it is declared.
fn meanings(words: &BTreeMap<String, StateMeaning>) -> Meanings {
    let mut meanings: Meanings =
        words.iter().map(|(word, meaning)| (word.clone(), meaning.health())).collect();
    if meanings.get("*") == Some(&Some(Health::Healthy)) {
        meanings.insert("*".to_owned(), Some(Health::Unknown));
    }
    if !meanings.contains_key("*") {
        meanings.entry(String::new()).or_default();
    }
    meanings
}

fn rest(text: &str) -> Result<(Vec<String>, String), String> {
    let (at, value) = text.split_once('=').unwrap_or((text, ""));
    Ok((path(at)?, value.to_lowercase()))
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
