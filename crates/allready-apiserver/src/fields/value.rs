//! How values are compared and printed: numbers by what they are worth, whether written as `1` or `1.0`.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::status::{display, json_text, quote};

#[derive(Clone, Copy)]
enum Amount {
    Whole(i64),
    Real(f64),
}

fn amount(number: &Number) -> Amount {
    number.as_i64().map_or_else(|| Amount::Real(number.as_f64().unwrap_or(0.0)), Amount::Whole)
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a whole number meets a real one as a real one, as on the real server"
)]
fn real(amount: Amount) -> f64 {
    match amount {
        Amount::Whole(whole) => whole as f64,
        Amount::Real(real) => real,
    }
}

fn compare_numbers(left: &Number, right: &Number) -> Ordering {
    match (amount(left), amount(right)) {
        (Amount::Whole(left), Amount::Whole(right)) => left.cmp(&right),
        (left, right) => real(left).partial_cmp(&real(right)).unwrap_or(Ordering::Equal),
    }
}

/// Whether two values are the same.
pub(crate) fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right).is_eq(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|((left_key, left), (right_key, right))| left_key == right_key && equal(left, right))
        }
        (left, right) => left == right,
    }
}

/// Whether there is an empty map or `null` in a value.
pub(crate) fn has_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Object(map) => map.is_empty() || map.values().any(has_hollow),
        Value::Array(items) => items.iter().any(has_hollow),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn rank(value: &Value) -> u8 {
    match value {
        Value::Number(_) => 0,
        Value::String(_) => 1,
        Value::Bool(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
        Value::Null => 5,
    }
}

/// One order over all values, so that field sets are sorted.
pub(crate) fn compare(left: &Value, right: &Value) -> Ordering {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => compare_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Array(left), Value::Array(right)) => {
            let first =
                left.iter().zip(right).map(|(left, right)| compare(left, right)).find(|order| order.is_ne());
            first.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let order = |((left_key, left), (right_key, right)): ((&String, &Value), (&String, &Value))| {
                left_key.cmp(right_key).then_with(|| compare(left, right))
            };
            let first = left.iter().zip(right).map(order).find(|order| order.is_ne());
            first.unwrap_or_else(|| left.len().cmp(&right.len()))
        }
        (left, right) => rank(left).cmp(&rank(right)),
    }
}

/// A value inside a path: `[name="http",port=80]`.
pub(crate) fn in_path(value: &Value) -> String {
    match value {
        Value::Null => "null".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(_) => display(value),
        Value::String(text) => quote(text),
        Value::Array(items) => format!("[{}]", items.iter().map(in_path).collect::<Vec<_>>().join(",")),
        Value::Object(map) => {
            map.iter().map(|(key, value)| format!("{key}={}", in_path(value))).collect::<Vec<_>>().concat()
        }
    }
}

/// A value as Go's `%v` prints it: `map[a:1 b:[x y]]`.
pub(crate) fn printed(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Number(_) => display(value),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(printed).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let pairs: Vec<_> = map.iter().map(|(key, value)| format!("{key}:{}", printed(value))).collect();
            format!("map[{}]", pairs.join(" "))
        }
    }
}

/// A value as Go's `%#v` prints it: `map[string]interface {}{"a":1}`.
pub(crate) fn printed_as_code(value: &Value) -> String {
    match value {
        Value::Null => "interface {}(nil)".into(),
        Value::String(text) => quote(text),
        Value::Array(items) => {
            format!(
                "[]interface {{}}{{{}}}",
                items.iter().map(printed_as_code).collect::<Vec<_>>().join(", ")
            )
        }
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| format!("{}:{}", quote(key), printed_as_code(value));
            format!("map[string]interface {{}}{{{}}}", map.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        other => printed(other),
    }
}

/// The Go type that a JSON value is decoded into, as `%T` names it.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "<nil>",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_i64() => "int64",
        Value::Number(_) => "float64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}

/// Compact JSON as Go's encoder writes it, onto the end of a text.
pub(crate) fn write_json(out: &mut String, value: &Value) {
    match value {
        Value::String(text) if is_plain(text) => {
            out.push('"');
            out.push_str(text);
            out.push('"');
        }
        other => out.push_str(&json_text(other)),
    }
}

/// Whether a text stands in JSON as it is, which nearly every key does.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~') && !matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&'))
}
