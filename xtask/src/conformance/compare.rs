//! Two masked transcripts side by side.

use std::collections::HashSet;

use serde_json::Value;

use super::mask::Masked;
use super::script::{Focus, Script, Step};

/// One place where two servers differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The script.
    pub script: String,
    /// The step.
    pub step: String,
    /// Where in the answer, as a JSON pointer.
    pub at: String,
    /// What the embedded server says; `None` when it says nothing there.
    pub embedded: Option<Value>,
    /// What the real server says.
    pub real: Option<Value>,
}

/// Every difference between two runs of one script.
pub fn compare(script: &Script, embedded: &Masked, real: &Masked) -> Vec<Difference> {
    let mut found = Vec::new();
    for (index, step) in script.steps.iter().enumerate() {
        let side = |masked: &Masked| {
            let mut answer =
                masked.records.get(index).map(|record| record.answer.clone()).unwrap_or_default();
            narrow(step, &mut answer);
            answer
        };
        let mut places = Vec::new();
        walk(&side(embedded), &side(real), &mut String::new(), &mut places);
        found.extend(places.into_iter().map(|(at, embedded, real)| Difference {
            script: script.name.clone(),
            step: step.name.clone(),
            at,
            embedded,
            real,
        }));
    }
    // The names of versions that only one side has are differences of their steps already.
    let common: HashSet<&String> = embedded
        .order
        .iter()
        .collect::<HashSet<_>>()
        .intersection(&real.order.iter().collect())
        .copied()
        .collect();
    let order = |masked: &Masked| -> Vec<String> {
        masked.order.iter().filter(|name| common.contains(name)).cloned().collect()
    };
    let (ours, theirs) = (order(embedded), order(real));
    if ours != theirs {
        found.push(Difference {
            script: script.name.clone(),
            step: "the order of resource versions".to_owned(),
            at: String::new(),
            embedded: Some(ours.into()),
            real: Some(theirs.into()),
        });
    }
    found
}

fn narrow(step: &Step, answer: &mut Value) {
    if let Some(focus) = &step.focus {
        keep(focus, answer);
    }
    for pointer in step.ignore.keys() {
        if let Some(place) = answer["body"].pointer_mut(pointer) {
            *place = "<ignored>".into();
        }
    }
}

fn keep(focus: &Focus, answer: &mut Value) {
    if let Some(Value::Array(entries)) = answer["body"].pointer_mut(&focus.at) {
        entries.retain(|entry| {
            entry
                .pointer(&focus.by)
                .and_then(Value::as_str)
                .is_some_and(|name| focus.of.iter().any(|kept| kept == name))
        });
        // What one server has in between the kept ones moves them; their own order is not part of the contract.
        entries.sort_by_key(|entry| entry.pointer(&focus.by).and_then(Value::as_str).map(str::to_owned));
    }
}

type Place = (String, Option<Value>, Option<Value>);

fn walk(left: &Value, right: &Value, at: &mut String, found: &mut Vec<Place>) {
    match (left, right) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut names: Vec<&String> = ours.keys().chain(theirs.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                deeper(
                    ours.get(name),
                    theirs.get(name),
                    &name.replace('~', "~0").replace('/', "~1"),
                    at,
                    found,
                );
            }
        }
        (Value::Array(ours), Value::Array(theirs)) => {
            for index in 0..ours.len().max(theirs.len()) {
                deeper(ours.get(index), theirs.get(index), &index.to_string(), at, found);
            }
        }
        _ if left == right => {}
        _ => found.push((at.clone(), Some(left.clone()), Some(right.clone()))),
    }
}

fn deeper(left: Option<&Value>, right: Option<&Value>, name: &str, at: &mut String, found: &mut Vec<Place>) {
    let length = at.len();
    at.push('/');
    at.push_str(name);
    match (left, right) {
        (Some(left), Some(right)) => walk(left, right, at, found),
        (None, None) => {}
        (left, right) => found.push((at.clone(), left.cloned(), right.cloned())),
    }
    at.truncate(length);
}

impl Difference {
    /// The difference as lines to read.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("    at {}", if self.at.is_empty() { "/" } else { &self.at })];
        match (&self.embedded, &self.real) {
            (Some(Value::String(ours)), Some(Value::String(theirs))) if ours.lines().count() > 2 => {
                lines.extend(line_difference(ours, theirs));
            }
            (ours, theirs) => {
                lines.push(format!("      embedded: {}", shown(ours.as_ref())));
                lines.push(format!("      real:     {}", shown(theirs.as_ref())));
            }
        }
        lines
    }
}

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "(nothing)".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(600) {
        Some((end, _)) => format!("{} … ({} bytes)", &text[..end], text.len()),
        None => text,
    }
}

/// The lines that differ between two texts: `-` embedded, `+` real.
pub fn line_difference(ours: &str, theirs: &str) -> Vec<String> {
    let ours: Vec<&str> = ours.lines().collect();
    let theirs: Vec<&str> = theirs.lines().collect();
    let start = ours.iter().zip(&theirs).take_while(|(left, right)| left == right).count();
    let rest = (ours.len() - start).min(theirs.len() - start);
    let end = (0..rest).take_while(|i| ours[ours.len() - 1 - i] == theirs[theirs.len() - 1 - i]).count();
    let mut lines = Vec::new();
    if start > 0 {
        lines.push(format!("        {}", ours[start - 1]));
    }
    lines.extend(ours[start..ours.len() - end].iter().take(40).map(|line| format!("      - {line}")));
    lines.extend(theirs[start..theirs.len() - end].iter().take(40).map(|line| format!("      + {line}")));
    lines
}
