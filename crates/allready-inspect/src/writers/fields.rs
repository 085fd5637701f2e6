//! The trees of `fieldsV1`: which fields a manager owns.
//!
//! A key is `f:` and a field, `k:` and the keys of an item of a list, `v:` and an item of a set, `i:` and an index; `.`
//! stands for the thing itself, and where nothing stands below a key, all of it is owned.

use serde_json::{Map, Value};

use crate::view::Step;

/// The share of something that a manager owns.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach<'a> {
    /// Nothing.
    None,
    /// All of it.
    Whole,
    /// The claim in this tree.
    Part(&'a Map<String, Value>),
}

impl<'a> Reach<'a> {
    /// The claim that a key of a tree leads to.
    fn of(node: Option<&'a Value>) -> Self {
        match node {
            Some(Value::Object(tree)) if !tree.is_empty() => Self::Part(tree),
            Some(Value::Object(_)) => Self::Whole,
            _ => Self::None,
        }
    }

    /// The whole tree of an entry of `managedFields`.
    pub(super) fn of_entry(entry: &'a Value) -> Self {
        match Self::of(entry.get("fieldsV1")) {
            // An entry that lists no fields owns none.
            Self::Whole => Self::None,
            reach => reach,
        }
    }

    /// The claim on a field.
    pub(super) fn field(self, name: &str) -> Self {
        let Self::Part(tree) = self else { return self };
        // Almost every question goes this way, and it is asked of every manager of every object.
        let node = match name {
            "status" => tree.get("f:status"),
            "conditions" => tree.get("f:conditions"),
            name => tree.get(&["f:", name].concat()),
        };
        Self::of(node)
    }

    /// The claim one step further, and what stands there in the object.
    pub(super) fn step<'v>(self, step: Step<'_>, value: Option<&'v Value>) -> (Self, Option<&'v Value>) {
        match step {
            Step::Field(name) => (self.field(name), value.and_then(|value| value.get(name))),
            Step::Item { index, name } => {
                let value = value.and_then(|value| value.get(index));
                (self.item(name, index, value), value)
            }
        }
    }

    /// The claim on an item of a list.
    fn item(self, name: Option<&str>, index: usize, value: Option<&Value>) -> Self {
        let Self::Part(tree) = self else { return self };
        if let Some(node) = name.and_then(|name| tree.get(&key_of("name", name))) {
            return Self::of(Some(node));
        }
        let is_meant = |key: &str| match (key.strip_prefix("k:"), key.strip_prefix("i:")) {
            (Some(keys), _) => is_item(keys, name.unwrap_or_default(), value),
            (_, Some(at)) => at.parse() == Ok(index),
            _ => false,
        };
        Self::of(tree.iter().find(|(key, _)| is_meant(key)).map(|(_, node)| node))
    }

    /// The claim on a condition, where this is what is owned of their list.
    pub(super) fn condition(self, key: &ConditionKey<'_>) -> Self {
        let Self::Part(tree) = self else { return self };
        Self::of(tree.get(&key.text).or_else(|| key.search(tree)))
    }
}

/// The key of a condition in a tree.
#[derive(Debug)]
pub(super) struct ConditionKey<'t> {
    type_: &'t str,
    text: String,
    is_plain: bool,
}

impl<'t> ConditionKey<'t> {
    pub(super) fn new(type_: &'t str) -> Self {
        let is_plain = type_.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\<>&".contains(&byte));
        Self { type_, text: key_of("type", type_), is_plain }
    }

    /// The key may have been escaped otherwise, or have more fields.
    fn search<'a>(&self, tree: &'a Map<String, Value>) -> Option<&'a Value> {
        let is_meant = |key: &str| {
            let Some(keys) = key.strip_prefix("k:") else { return false };
            // A plain type is written in one way only, and is found by it where it is the only key.
            let may_be = !self.is_plain || keys.contains(',') && keys.contains(self.type_);
            may_be && serde_json::from_str::<Value>(keys).is_ok_and(|keys| keys["type"] == self.type_)
        };
        tree.iter().find(|(key, _)| is_meant(key)).map(|(_, node)| node)
    }
}

/// The key of an item with one key.
fn key_of(field: &str, value: &str) -> String {
    let is_plain = value.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    if is_plain {
        let mut key = String::with_capacity(field.len() + value.len() + 9);
        for part in ["k:{\"", field, "\":\"", value, "\"}"] {
            key.push_str(part);
        }
        return key;
    }
    format!("k:{{\"{field}\":{}}}", Value::from(value))
}

/// Tells whether keys such as `{"containerPort":80,"protocol":"TCP"}` are those of an item.
pub(super) fn is_item(keys: &str, name: &str, item: Option<&Value>) -> bool {
    let Ok(Value::Object(keys)) = serde_json::from_str(keys) else { return false };
    match item {
        Some(item) => keys.iter().all(|(key, value)| item.get(key) == Some(value)),
        None => keys.values().any(|value| value.as_str() == Some(name)),
    }
}
