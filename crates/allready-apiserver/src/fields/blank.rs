//! What there is before an object is made.

use serde_json::{Map, Value};

use crate::schema::{Array, Object, Schema, Shape};

/// A built-in kind with nothing in it. Its records are there from the start, and so are the fields that it always shows:
/// whoever makes the object brings what is inside them, not them.
pub(crate) fn blank(schema: &Schema, api_version: &str, kind: &str, object: &Value) -> Value {
    let mut out = match &schema.shape {
        Shape::Object(shape) => record(shape, object),
        _ => Map::new(),
    };
    out.insert("apiVersion".into(), api_version.into());
    out.insert("kind".into(), kind.into());
    Value::Object(out)
}

fn record(shape: &Object, object: &Value) -> Map<String, Value> {
    let mut out = Map::new();
    for (name, schema) in &shape.properties {
        let given = object.get(name).unwrap_or(&Value::Null);
        // What is always shown is published with a default that says nothing.
        let shown = schema.default.as_ref().filter(|default| is_nothing(default));
        let value = match (&schema.shape, shown) {
            (Shape::Object(inner), Some(_)) => Value::Object(record(inner, given)),
            (_, Some(default)) => default.clone(),
            (Shape::Array(list), None) if shape.required.contains(name) && !of_words(list) => Value::Null,
            // A built-in kind writes `null` only for what it always shows.
            (_, None) if object.get(name) == Some(&Value::Null) => Value::Null,
            _ => continue,
        };
        out.insert(name.clone(), value);
    }
    out
}

/// Tells whether a list holds some words only. Those that are required are the newest, and not written when they are empty.
fn of_words(list: &Array) -> bool {
    list.items.checks.as_ref().is_some_and(|checks| checks.allowed.is_some())
}

fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Bool(truth) => !truth,
        Value::Array(_) | Value::Null => false,
    }
}
