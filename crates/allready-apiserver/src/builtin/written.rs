//! An object as Go writes it: the fields of a struct in the order of the struct, those of a map by name.

use serde_json::{Map, Value};

use super::types::{self, Kind};
use crate::status::json_text;

/// The JSON of a value of a struct such as `core.v1.Pod`.
pub(crate) fn text(name: &str, value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(fields) => object(name, fields, &mut out),
        other => out.push_str(&json_text(other)),
    }
    out
}

/// Recursion follows the types, and JSON Schemas, which may hold themselves, are not among them.
fn object(name: &str, fields: &Map<String, Value>, out: &mut String) {
    let known = types::fields(name);
    let mut ordered: Vec<_> = fields.iter().collect();
    ordered.sort_by_key(|(key, _)| known.get(*key).map_or(usize::MAX, |field| field.position));
    out.push('{');
    for (index, (key, item)) in ordered.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&json_text(&Value::String(key.clone())));
        out.push(':');
        match known.get(key) {
            Some(field) => value(&field.kind, item, out),
            None => out.push_str(&json_text(item)),
        }
    }
    out.push('}');
}

fn value(kind: &Kind, value: &Value, out: &mut String) {
    let between = |index: usize, out: &mut String| {
        if index > 0 {
            out.push(',');
        }
    };
    match (kind, value) {
        (Kind::Struct(name), Value::Object(fields)) => object(name, fields, out),
        (Kind::List(item), Value::Array(items)) => {
            out.push('[');
            for (index, found) in items.iter().enumerate() {
                between(index, out);
                self::value(item, found, out);
            }
            out.push(']');
        }
        (Kind::Map(_, item), Value::Object(entries)) => {
            out.push('{');
            for (index, (key, found)) in entries.iter().enumerate() {
                between(index, out);
                out.push_str(&json_text(&Value::String(key.clone())));
                out.push(':');
                self::value(item, found, out);
            }
            out.push('}');
        }
        (_, other) => out.push_str(&json_text(other)),
    }
}

/// The JSON of a patched object. What the patch has `touched` is written by name, the rest as it came from its struct; a path
/// is touched where it stands in `touched`, a tree of fields and positions in lists.
pub(crate) fn patched(name: &str, object: &Value, touched: &Value) -> String {
    let mut out = String::new();
    branch(Some(&Kind::Struct(name.to_owned())), object, touched, &mut out);
    out
}

/// Recursion follows `touched`, which the reader of the patch has bounded.
fn branch(kind: Option<&Kind>, found: &Value, touched: &Value, out: &mut String) {
    let child = |key: &str| match kind {
        Some(Kind::Struct(name)) => types::fields(name).get(key).map(|field| &field.kind),
        Some(Kind::Map(_, item)) => Some(&**item),
        _ => None,
    };
    let write =
        |kind: Option<&Kind>, key: &str, found: &Value, out: &mut String| match (touched.get(key), kind) {
            (Some(below), _) if below.is_object() => branch(kind, found, below, out),
            (None, Some(kind)) => value(kind, found, out),
            _ => out.push_str(&json_text(found)),
        };
    match (found, kind) {
        (Value::Object(fields), _) => {
            out.push('{');
            for (index, (key, found)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&json_text(&Value::String(key.clone())));
                out.push(':');
                write(child(key), key, found, out);
            }
            out.push('}');
        }
        (Value::Array(items), Some(Kind::List(item))) => {
            out.push('[');
            for (index, found) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(Some(item), &index.to_string(), found, out);
            }
            out.push(']');
        }
        _ => out.push_str(&json_text(found)),
    }
}
