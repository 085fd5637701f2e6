//! An object as an expression sees it, within bounds.

use std::{collections::HashMap, sync::Arc};

use kube_cel::cel::{
    ExecutionError, Value as Cel,
    objects::{Key, Map},
};
use serde_json::Value;

/// The most bytes of names and values in an object.
const MAX_BYTES: usize = 256 << 10;
/// The most entries of a list or a map.
const MAX_ENTRIES: usize = 1024;
/// The deepest nesting of an object.
const MAX_DEPTH: usize = 64;

/// An object as expressions see it: without `metadata.managedFields`, and what is null is not there.
#[derive(Clone, Debug)]
pub struct Shown(Cel);

impl Shown {
    /// Shows an object to expressions, or says in words why it is too large for them.
    pub fn of(object: &Value) -> Result<Self, String> {
        let mut room = MAX_BYTES;
        let mut shown = HashMap::new();
        let empty = serde_json::Map::new();
        for (name, value) in object.as_object().unwrap_or(&empty) {
            let hidden = if name == "metadata" { "managedFields" } else { "" };
            if let Some(value) = convert(value, hidden, 1, &mut room)? {
                shown.insert(key(name), value);
            }
        }
        Ok(Self(Cel::Map(Map { map: Arc::new(shown) })))
    }

    pub(super) fn value(&self) -> Cel {
        self.0.clone()
    }
}

fn convert(value: &Value, hidden: &str, depth: usize, room: &mut usize) -> Result<Option<Cel>, String> {
    if depth > MAX_DEPTH {
        return Err(format!("the object nests deeper than {MAX_DEPTH} levels"));
    }
    Ok(Some(match value {
        Value::Null => return Ok(None),
        Value::Bool(truth) => Cel::Bool(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cel::Int(whole),
            None => Cel::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => {
            spend(text.len(), room)?;
            Cel::String(Arc::new(text.clone()))
        }
        Value::Array(items) => {
            count(items.len())?;
            let mut shown = Vec::with_capacity(items.len());
            for item in items {
                spend(8, room)?;
                shown.push(convert(item, "", depth + 1, room)?.unwrap_or(Cel::Null));
            }
            Cel::List(Arc::new(shown))
        }
        Value::Object(fields) => {
            count(fields.len())?;
            let mut shown = HashMap::with_capacity(fields.len());
            for (name, value) in fields.iter().filter(|(name, _)| *name != hidden) {
                spend(8 + name.len(), room)?;
                if let Some(value) = convert(value, "", depth + 1, room)? {
                    shown.insert(key(name), value);
                }
            }
            Cel::Map(Map { map: Arc::new(shown) })
        }
    }))
}

fn spend(bytes: usize, room: &mut usize) -> Result<(), String> {
    *room = room.checked_sub(bytes).ok_or_else(|| {
        format!("the object is too large for expressions: they see at most {} KiB", MAX_BYTES >> 10)
    })?;
    Ok(())
}

fn count(entries: usize) -> Result<(), String> {
    if entries > MAX_ENTRIES {
        return Err(format!(
            "the object has a list of {entries} entries: expressions see at most {MAX_ENTRIES} in one"
        ));
    }
    Ok(())
}

fn key(name: &str) -> Key {
    Key::String(Arc::new(name.to_owned()))
}

/// Returns true if a value is among those of a list, or among the keys of a map.
#[expect(clippy::needless_pass_by_value, reason = "functions of the language are given values")]
pub(super) fn is_within(value: Cel, whole: Cel) -> Result<bool, ExecutionError> {
    match whole {
        Cel::List(items) => Ok(items.contains(&value)),
        Cel::Map(fields) => Ok(fields.map.keys().any(|key| Cel::from(key) == value)),
        _ => Err(ExecutionError::NoSuchOverload),
    }
}

/// The kind of a value, with its article.
pub(super) fn describe(value: &Cel) -> &'static str {
    match value {
        Cel::List(_) => "a list",
        Cel::Map(_) => "a map",
        Cel::Int(_) | Cel::UInt(_) | Cel::Float(_) => "a number",
        Cel::String(_) => "a text",
        Cel::Bytes(_) => "bytes",
        Cel::Bool(_) => "a truth value",
        Cel::Null => "nothing",
        _ => "something else",
    }
}
