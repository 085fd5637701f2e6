//! One object on the bench: its parts, what is declared of its kind, and how much may still be read.

use super::Rule;
use std::borrow::Cow;
use std::cell::Cell;

use serde_json::{Map, Value};

use super::{Health, Lag, signal::Signal};
use crate::registry::KindSemantics;
use allready_core::Time;

/// How much of one object is read: a unit is a list or map that is looked into.
const BUDGET: u32 = 200_000;
/// What a condition costs: its type, reason and message are read word by word.
pub(super) const CONDITION: u32 = 50;
/// What the fields of a sub-object cost.
pub(super) const ITEM: u32 = 5;

pub(super) struct Case<'a> {
    pub(super) object: &'a Value,
    pub(super) name: &'a str,
    pub(super) metadata: Option<&'a Map<String, Value>>,
    pub(super) spec: Option<&'a Map<String, Value>>,
    pub(super) status: Option<&'a Map<String, Value>>,
    pub(super) generation: Option<i64>,
    pub(super) kind: &'a KindSemantics,
    pub(super) now: Time,
    budget: Cell<u32>,
}

impl<'a> Case<'a> {
    pub(super) fn new(object: &'a Value, name: &'a str, kind: &'a KindSemantics, now: Time) -> Self {
        let part = |key: &str| object.get(key).and_then(Value::as_object);
        let metadata = part("metadata");
        Self {
            object,
            name,
            metadata,
            spec: part("spec"),
            status: part("status").or_else(|| object.as_object().filter(|root| has_conditions(root))),
            generation: metadata.and_then(|metadata| number(metadata.get("generation")?)),
            kind,
            now,
            budget: Cell::new(BUDGET),
        }
    }

    /// Takes from what may be read; false when there is not enough left.
    pub(super) fn spend(&self, cost: u32) -> bool {
        let left = self.budget.get().checked_sub(cost);
        self.budget.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Whether something was left unread.
    pub(super) fn is_spent(&self) -> bool {
        self.budget.get() == 0
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

    /// When it was made.
    pub(super) fn created(&self) -> Option<&'a str> {
        self.metadata?.get("creationTimestamp")?.as_str()
    }

    /// Which generation the status is about, where that is behind.
    pub(super) fn lag(&self) -> Option<Lag> {
        let observed = number(self.status("observedGeneration")?)?;
        let generation = self.generation?;
        (observed < generation).then_some(Lag { observed, generation })
    }

    /// What a status that is behind says.
    pub(super) fn lagging(&self) -> Option<Signal<'a>> {
        let lag = self.lag()?;
        Some(behind("status.observedGeneration", lag.observed, lag.generation))
    }
}

/// Some kinds without a status have their conditions beside the spec.
fn has_conditions(root: &Map<String, Value>) -> bool {
    let is_list = |key: &str, value: &Value| {
        (key == "conditions" || key.ends_with("Conditions"))
            && value.as_array().is_some_and(|list| !list.is_empty())
    };
    !root.contains_key("status") && root.iter().any(|(key, value)| is_list(key, value))
}

/// What a pair of generations says of which the first is less.
pub(super) fn behind(path: &str, observed: i64, wanted: i64) -> Signal<'_> {
    Signal::at(Health::Progressing, Rule::GenerationBehind, path)
        .reason("GenerationNotObserved")
        .message(format!("observed {observed} of {wanted}"))
}

/// A whole number, also one that is written as text.
pub(super) fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let number = number.as_f64()?;
            #[expect(clippy::cast_possible_truncation, reason = "what is too large is the largest there is")]
            Some(number as i64)
        }),
        Value::String(text) if text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            text.parse().ok()
        }
        _ => None,
    }
}

/// A text; whatever else stands there becomes its JSON, shortened.
pub(super) fn text(value: Option<&Value>) -> Cow<'_, str> {
    match value {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(text)) => Cow::Borrowed(text),
        Some(other) => Cow::Owned(json(other)),
    }
}

/// The beginning of a value as JSON.
pub(super) fn json(value: &Value) -> String {
    /// Takes what there is room for and then refuses, so that a large value is not written out.
    struct Short(Vec<u8>);

    impl std::io::Write for Short {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            let room = 200_usize.saturating_sub(self.0.len());
            if room == 0 && !bytes.is_empty() {
                return Err(std::io::ErrorKind::WriteZero.into());
            }
            let taken = room.min(bytes.len());
            self.0.extend_from_slice(&bytes[..taken]);
            Ok(taken)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    let mut short = Short(Vec::new());
    let whole = serde_json::to_writer(&mut short, value).is_ok();
    let mut text = String::from_utf8_lossy(&short.0).into_owned();
    if !whole {
        text.push('…');
    }
    text
}

/// A value below another, key by key.
pub(super) fn get<'a>(map: Option<&'a Map<String, Value>>, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let value = map?.get(*first)?;
    if rest.is_empty() { Some(value).filter(|value| !value.is_null()) } else { get(value.as_object(), rest) }
}

/// Whether a value says yes as a shell or a script would take it.
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
