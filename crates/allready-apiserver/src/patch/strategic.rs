//! Strategic merge: a merge patch that knows which lists are merged item by item.
//!
//! Follows `k8s.io/apimachinery/pkg/util/strategicpatch`.
//!
//! Besides what a merge patch says, a patch may say `$patch: replace` or `$patch: delete` of an object or a list item,
//! `$deleteFromPrimitiveList/FIELD`, `$setElementOrder/FIELD`, and `$retainKeys` of an object that may have only some fields.

use serde_json::{Map, Value};

use super::gotext;
use crate::{
    schema::{Schema, Shape},
    status::Failure,
};

mod list;
#[cfg(test)]
mod tests;

const DIRECTIVE: &str = "$patch";
const RETAIN: &str = "$retainKeys";
const DELETE_FROM: &str = "$deleteFromPrimitiveList";
const ORDER: &str = "$setElementOrder";

type Fields = Map<String, Value>;

/// Merges a patch into an object that looks as the schema says.
pub(crate) fn merge(schema: &Schema, live: &Value, patch: &Value) -> Result<Value, Failure> {
    let Value::Object(patch) = patch else {
        let found = match patch {
            Value::Array(_) => "array",
            Value::String(_) => "string",
            Value::Number(_) => "number",
            Value::Bool(_) => "bool",
            _ => return Ok(live.clone()),
        };
        return Err(Failure::bad_request(format!(
            "json: cannot unmarshal {found} into Go value of type map[string]interface {{}}"
        )));
    };
    let live = live.as_object().cloned().unwrap_or_default();
    objects(Some(schema), live, patch.clone()).map(Value::Object)
}

/// A patch as messages show it: what was meant for merging is gone by then.
pub(crate) fn show(patch: Value) -> String {
    match patch {
        Value::Object(fields) => gotext::map(&undirected(fields)),
        other => gotext::value(&other),
    }
}

/// Recursion is bounded by the nesting of the patch, which the JSON reader bounds.
fn undirected(fields: Fields) -> Fields {
    let kept =
        fields.into_iter().filter(|(key, _)| key != RETAIN && key != DIRECTIVE && !key.starts_with(ORDER));
    let below = |value| match value {
        Value::Object(fields) => Value::Object(undirected(fields)),
        other => other,
    };
    kept.map(|(key, value)| (key, below(value))).collect()
}

/// Merges two objects. Recursion is bounded by the nesting of the patch, which the JSON reader bounds.
fn objects(schema: Option<&Schema>, mut live: Fields, mut patch: Fields) -> Result<Fields, Failure> {
    if let Some(directive) = patch.get(DIRECTIVE) {
        return match directive.as_str() {
            Some("replace") => {
                patch.remove(DIRECTIVE);
                Ok(patch)
            }
            Some("delete") => Ok(Fields::new()),
            _ => Err(unknown_directive(directive, &patch)),
        };
    }
    retain(&mut live, &mut patch)?;
    list::order(schema, &mut live, &mut patch)?;
    for (key, value) in patch {
        let (key, removing) = if key.starts_with(DELETE_FROM) {
            match key.split_once('/') {
                Some((DELETE_FROM, field)) => (field.to_owned(), true),
                _ => return Err(Failure::bad_request("invalid patch format of primitive list")),
            }
        } else {
            (key, false)
        };
        if value.is_null() {
            live.remove(&key);
            continue;
        }
        let field = property(schema, &key);
        let merged = match (live.remove(&key), value) {
            (Some(Value::Object(old)), Value::Object(new)) => {
                let replaced = field.is_some_and(|field| field.strategic.replace);
                let fields = if replaced { new } else { objects(field, old, new)? };
                Some(Value::Object(fields))
            }
            (Some(Value::Array(old)), Value::Array(new)) => {
                Some(Value::Array(list::merge(field, old, new, removing)?))
            }
            (old, _) if removing => old,
            (_, value) => without_directives(without_nulls(value)),
        };
        if let Some(value) = merged {
            live.insert(key, value);
        }
    }
    Ok(live)
}

/// `$retainKeys`: what is not named goes, and the patch may say nothing about it.
fn retain(live: &mut Fields, patch: &mut Fields) -> Result<(), Failure> {
    let Some(keys) = patch.remove(RETAIN) else { return Ok(()) };
    let malformed = || Failure::bad_request("invalid patch format of retainKeys");
    let keys = keys.as_array().ok_or_else(malformed)?;
    let named = |key: &String| keys.iter().any(|named| named == key.as_str());
    let stray = patch.iter().any(|(key, value)| {
        !(value.is_null() || key.starts_with(DELETE_FROM) || key.starts_with(ORDER) || named(key))
    });
    if stray {
        return Err(malformed());
    }
    live.retain(|key, _| named(key));
    Ok(())
}

/// The schema of a field; none where nothing is known.
fn property<'a>(schema: Option<&'a Schema>, key: &str) -> Option<&'a Schema> {
    match &schema?.shape {
        Shape::Object(object) => object.properties.get(key).or(object.additional.as_ref()).map(AsRef::as_ref),
        _ => None,
    }
}

/// A value that is taken over as it is loses its nulls.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().filter(|(_, value)| !value.is_null());
            kept.map(|(key, value)| (key, without_nulls(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_nulls).collect(),
        value => value,
    }
}

/// A value that is taken over as it is loses what was meant for merging.
fn without_directives(value: Value) -> Option<Value> {
    match value {
        Value::Object(fields) if fields.contains_key(DIRECTIVE) => None,
        Value::Object(fields) => {
            let kept = fields.into_iter().filter_map(|(key, value)| Some((key, without_directives(value)?)));
            Some(Value::Object(kept.collect()))
        }
        Value::Array(items) => Some(items.into_iter().filter_map(without_directives).collect()),
        value => Some(value),
    }
}

fn unknown_directive(directive: &Value, patch: &Fields) -> Failure {
    let map = gotext::map(patch);
    refused(format!("unknown patch type: {} in map: {map}", gotext::value(directive)))
}

/// What the real server takes for its own fault.
fn refused(message: impl Into<String>) -> Failure {
    Failure::new(500, "", message)
}
