//! The list of conditions, as it stands in JSON: own types are set by the rules of the core, all others stay as they are,
//! to the letter.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use allready_core::{
    Condition, ConditionType, Generation, Time,
    found::{self, FoundCondition},
    set::Untouched,
    updater::ConditionUpdater,
};
use serde_json::Value;

/// What becomes of the conditions.
#[derive(Clone)]
pub(super) struct ConditionOptions {
    pub(super) untouched: Untouched,
    /// Which types may go when they are untouched; where nothing is said, all that nobody else owns.
    pub(super) owns: Option<Arc<Owns>>,
}

type Owns = dyn Fn(&str) -> bool + Send + Sync;

impl fmt::Debug for ConditionOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionOptions")
            .field("untouched", &self.untouched)
            .field("owns", &self.owns.is_some())
            .finish()
    }
}

/// What a pass has to say about conditions.
pub(super) struct Said<'a> {
    pub(super) conditions: &'a [Condition],
    pub(super) remove: &'a [ConditionType],
    pub(super) generation: Generation,
    /// The types that somebody else is shown as the owner of.
    pub(super) others: &'a BTreeSet<String>,
    /// Whether the pass came to its end: only then is an untouched condition one that nobody stands for.
    pub(super) finished: bool,
}

impl Said<'_> {
    /// The generation that a condition is about; one that does not say so is about the object's.
    fn observed(&self, template: &Condition) -> Generation {
        template.observed_generation.filter(|known| !known.is_none()).unwrap_or(self.generation)
    }
}

/// The new list, sorted by type; nothing if it would say the same.
pub(super) fn update(
    list: &[Value],
    said: &Said<'_>,
    options: &ConditionOptions,
    now: Time,
) -> Option<Vec<Value>> {
    let whole = Value::Array(list.to_vec());
    let found = found::read(&whole);
    let templates: BTreeMap<&str, &Condition> =
        said.conditions.iter().map(|condition| (condition.type_.as_str(), condition)).collect();

    // The core works on what is this pass's to change; the rest is carried over as it is.
    let mut ours: Vec<Condition> = Vec::new();
    let mut raw: BTreeMap<&str, (&Condition, &Value)> = BTreeMap::new();
    let mut others: Vec<&Value> = Vec::new();
    let touched = |type_: &str| templates.contains_key(type_) || said.remove.iter().any(|t| *t == *type_);
    let (mine, theirs): (Vec<_>, Vec<_>) = found.conditions().iter().partition(|condition| {
        let type_ = &*condition.type_;
        let is_owned = options.owns.as_ref().map_or(!said.others.contains(type_), |owns| owns(type_));
        let ours = touched(type_) || is_owned;
        ours && ConditionType::check(type_).is_ok() && !is_newer(condition, said, &templates)
    });
    others.extend(theirs.iter().map(|condition| condition.raw));
    ours.extend(mine.iter().map(|condition| condition.to_condition(now)));
    for (condition, entry) in ours.iter().zip(&mine) {
        raw.insert(condition.type_.as_str(), (condition, entry.raw));
    }

    let left_alone = |type_: &str| theirs.iter().any(|condition| condition.type_ == type_);
    let mut pass = ConditionUpdater::new(&ours, options.untouched, now);
    for template in said.conditions.iter().filter(|template| !left_alone(template.type_.as_str())) {
        let reason = Some(template.reason.clone());
        let observed = said.observed(template);
        let message = template.message.clone();
        pass = pass.update(template.type_.clone(), template.status, observed, reason, message);
    }
    for type_ in said.remove {
        pass = pass.remove(type_.as_str());
    }
    let updated = if said.finished { pass.finish() } else { pass.finish_incomplete() };
    if !updated.changed {
        return None;
    }
    let as_stored = |condition: &Condition| match raw.get(condition.type_.as_str()) {
        Some((old, entry)) if *old == condition => Some((*entry).clone()),
        _ => serde_json::to_value(condition).ok(),
    };
    let mut new: Vec<Value> = updated.conditions.iter().filter_map(as_stored).collect();
    new.extend(others.into_iter().cloned());
    new.sort_by(|a, b| type_of(a).cmp(type_of(b)));
    Some(new)
}

/// Whether what is stored is about a newer generation than what the pass has to say: then the pass is late, and is not heard.
fn is_newer(stored: &FoundCondition<'_>, said: &Said<'_>, templates: &BTreeMap<&str, &Condition>) -> bool {
    let ours = templates.get(&*stored.type_).map_or(said.generation, |template| said.observed(template));
    match stored.observed {
        Some(theirs) => !theirs.is_none() && !ours.is_none() && theirs > ours,
        None => false,
    }
}

pub(super) fn type_of(entry: &Value) -> &str {
    entry.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// The conditions of a list that have legal types, made legal.
pub(super) fn legal(list: Option<&Value>, fallback: Time) -> Vec<Condition> {
    let Some(list) = list else { return Vec::new() };
    let found = found::read(list);
    let legal = found.conditions().iter().filter(|c| ConditionType::check(&c.type_).is_ok());
    legal.map(|condition| condition.to_condition(fallback)).collect()
}
