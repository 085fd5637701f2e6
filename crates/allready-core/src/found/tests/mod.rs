//! By example: what is irregular, how lists are merged, and real objects. By property: what holds for any JSON.

mod irregularities;
mod merging;
mod properties;
mod samples;

use serde_json::{Value, json};

use super::{IrregularityKind as Kind, read};
use crate::Time;

/// A legal condition, with one field replaced.
fn with(field: &str, value: Value) -> Value {
    let mut condition = json!({
        "type": "Ready", "status": "True", "reason": "Accepted", "message": "fine",
        "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": 2,
    });
    condition[field] = value;
    condition
}

fn without(field: &str) -> Value {
    let mut condition = with("message", json!("fine"));
    condition.as_object_mut().unwrap().remove(field);
    condition
}

/// What is noted about a list of this one entry: the kinds, and the sentences.
fn noted(entry: &Value) -> (Vec<Kind>, Vec<String>) {
    let list = json!([entry]);
    let list = read(&list);
    list.irregularities().iter().map(|noted| (noted.kind.clone(), noted.to_string())).unzip()
}

fn time(text: &str) -> Time {
    text.parse().unwrap()
}
