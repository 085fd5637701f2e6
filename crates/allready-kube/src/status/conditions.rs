//! The list of conditions, as it stands in JSON: marks are made over it by the rules of the core, and every entry that they
//! do not change stays as it is, to the letter.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use allready_core::{
    Condition, ConditionSet, ConditionType, Time,
    damping::{Damping, DampingMemory},
    found,
    set::{At, Finished, Pass, Untouched},
};
use serde_json::Value;

use super::plan::{End, Said};

/// The rules by which conditions are written.
#[derive(Clone)]
pub(super) enum Rules {
    /// Those of a set, with its top condition.
    Set(Arc<ConditionSet>),
    /// Those of a list without a set.
    List {
        /// The fate of conditions that a reconcile does not mention.
        untouched: Untouched,
        /// The types that are ours to touch when they are not mentioned; where nothing is said, all that nobody else owns.
        owns: Option<Arc<Owns>>,
    },
}

type Owns = dyn Fn(&str) -> bool + Send + Sync;

impl fmt::Debug for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Set(set) => write!(f, "Set({set})"),
            Self::List { untouched, owns } => write!(f, "List({untouched:?}, owns: {})", owns.is_some()),
        }
    }
}

impl Rules {
    /// Begins a pass over a list.
    pub(super) fn pass<'a>(&'a self, list: &'a mut Vec<Condition>, at: At) -> Pass<'a> {
        match self {
            Self::Set(set) => set.pass(list, at),
            Self::List { untouched, .. } => Pass::over_list(list, *untouched, at),
        }
    }

    /// Tells whether a pass may look at a condition. A set has to see all of them; without one, others' are left alone.
    fn sees(&self, type_: &str, said: &Said, others: &BTreeSet<String>) -> bool {
        match self {
            Self::Set(_) => true,
            Self::List { owns: Some(owns), .. } => said.marks.has(type_) || owns(type_),
            Self::List { owns: None, .. } => said.marks.has(type_) || !others.contains(type_),
        }
    }
}

/// Changes that damping holds back.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) damping: DampingMemory,
    pub(super) look_again: Option<Time>,
}

/// Makes the marks over a list; returns the new one, or nothing if it would say the same.
pub(super) fn update(
    list: &[Value],
    said: &Said,
    rules: &Rules,
    others: &BTreeSet<String>,
    is_ahead: &dyn Fn(i64) -> bool,
    damping: Option<&Damping>,
    held: &mut Held,
) -> Option<Vec<Value>> {
    let whole = Value::Array(list.to_vec());
    let found = found::read(&whole);
    let (ours, theirs): (Vec<_>, Vec<_>) = found.conditions().iter().partition(|condition| {
        let type_ = &*condition.type_;
        ConditionType::check(type_).is_ok() && rules.sees(type_, said, others)
    });
    let before: Vec<Condition> = ours.iter().map(|found| found.to_condition(said.at.now)).collect();
    let as_stored: BTreeMap<&str, (&Condition, &Value)> = before
        .iter()
        .zip(&ours)
        .map(|(condition, found)| (condition.type_.as_str(), (condition, found.raw)))
        .collect();

    let mut after = before.clone();
    for condition in after.iter_mut().filter(|condition| said.marks.has(condition.type_.as_str())) {
        condition.observed_generation.take_if(|observed| is_ahead(observed.get()));
    }
    let mut pass = rules.pass(&mut after, said.at);
    if let Some(damping) = damping {
        pass.damp(damping, &mut held.damping);
    }
    let Finished { changed, look_again, .. } = match &said.end {
        End::Finished => said.marks.finish(pass),
        End::Cancelled => said.marks.abandon(pass),
        End::Failed(error) => said.marks.fail(pass, error.reason_or_default(), error.to_string()),
    };
    held.look_again = look_again;
    if !changed {
        return None;
    }
    let written = |condition: &Condition| match as_stored.get(condition.type_.as_str()) {
        Some((old, entry)) if *old == condition => Some((*entry).clone()),
        _ => serde_json::to_value(condition).ok(),
    };
    let mut new: Vec<Value> = after.iter().filter_map(written).collect();
    new.extend(theirs.iter().map(|found| found.raw.clone()));
    Some(new)
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
