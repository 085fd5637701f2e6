//! One object on the bench: its parts, what is declared of its kind, and how much may still be read.

use super::Rule;
use crate::view::{View, number};
use std::cell::{Cell, OnceCell};

use serde_json::{Map, Value};

use super::{
    Health, Lag,
    order::Evidence,
    signal::{Place, Signal, instant},
};
use crate::registry::KindSemantics;
use allready_core::{Time, found};

/// The part of one object that is read: a unit is a list or map that is looked into.
const BUDGET: u32 = 200_000;
/// The cost of a condition: its type, reason and message are read word by word.
pub(super) const CONDITION: u32 = 50;
/// The cost of the fields of a sub-object.
pub(super) const ITEM: u32 = 5;

pub(super) struct Case<'a> {
    pub(super) view: View<'a>,
    pub(super) object: &'a Value,
    /// The name of its kind.
    pub(super) name: &'a str,
    pub(super) metadata: Option<&'a Map<String, Value>>,
    pub(super) spec: Option<&'a Map<String, Value>>,
    pub(super) status: Option<&'a Map<String, Value>>,
    pub(super) generation: Option<i64>,
    pub(super) kind: &'a KindSemantics,
    /// The time of its deletion, while it is being deleted.
    pub(super) deleted: Option<&'a Value>,
    pub(super) now: Time,
    budget: Cell<u32>,
    evidence: OnceCell<Evidence<'a>>,
}

impl<'a> Case<'a> {
    pub(super) fn new(view: View<'a>, kind: &'a KindSemantics, now: Time) -> Self {
        Self {
            object: view.object,
            name: view.kind,
            metadata: view.metadata,
            spec: view.spec,
            status: view.status,
            generation: view.generation,
            kind,
            deleted: view
                .metadata
                .and_then(|metadata| metadata.get("deletionTimestamp"))
                .filter(|it| is_truthy(it)),
            now,
            budget: Cell::new(BUDGET),
            evidence: OnceCell::new(),
            view,
        }
    }

    /// Takes from what may be read; false when there is not enough left.
    pub(super) fn spend(&self, cost: u32) -> bool {
        let left = self.budget.get().checked_sub(cost);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// The evidence of its conditions and words, read once.
    pub(super) fn evidence(&self) -> &Evidence<'a> {
        self.evidence.get_or_init(|| Evidence::read(self))
    }

    /// Tells whether something was left unread.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.get() == 0 || !self.view.has_all_lists()
    }

    /// A key of the status.
    pub(super) fn status(&self, key: &str) -> Option<&'a Value> {
        self.status?.get(key)
    }

    /// A key of the spec.
    pub(super) fn spec(&self, key: &str) -> Option<&'a Value> {
        self.spec?.get(key)
    }

    /// A number in the status, or 0.
    pub(super) fn count(&self, key: &str) -> i64 {
        self.status(key).and_then(number).unwrap_or(0)
    }

    /// A text in the status, or nothing.
    pub(super) fn status_text(&self, key: &str) -> &'a str {
        self.status(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The time at which it was made.
    pub(super) fn created(&self) -> Option<&'a str> {
        self.view.created()
    }

    /// Tells whether an API server has stored it. A manifest has no uid, and nobody knows when its status was written.
    pub(super) fn is_stored(&self) -> bool {
        self.metadata.and_then(|metadata| metadata.get("uid")).is_some_and(is_truthy)
    }

    /// Tells whether something has lasted longer than a number of seconds; no, where nobody knows since when.
    pub(super) fn has_lasted(&self, since: Option<&str>, seconds: i64) -> bool {
        let began = found::began(since.and_then(instant), None);
        began.is_some_and(|began| self.now.since(began).as_secs() > seconds)
    }

    /// The generation that the status is about, where that is behind.
    pub(super) fn lag(&self) -> Option<Lag> {
        let observed = number(self.status("observedGeneration")?)?;
        let generation = self.generation?;
        (observed < generation).then_some(Lag { observed, generation })
    }

    /// The signal of a status that is behind.
    pub(super) fn lagging(&self) -> Option<Signal<'a>> {
        let lag = self.lag()?;
        Some(behind(Place::Key("observedGeneration"), lag.observed, lag.generation))
    }
}

/// The signal of a pair of generations of which the first is less.
pub(super) fn behind(place: Place<'_>, observed: i64, wanted: i64) -> Signal<'_> {
    Signal::new(Health::Progressing, Rule::GenerationBehind, place)
        .reason("GenerationNotObserved")
        .message(format!("observed {observed} of {wanted}"))
}

/// A value below another, key by key.
pub(super) fn get<'a>(map: Option<&'a Map<String, Value>>, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = map?.get(*first)?;
    if rest.is_empty() { Some(value).filter(|value| !value.is_null()) } else { get(value.as_object(), rest) }
}

/// Tells whether a value says yes as a shell or a script would take it.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}
