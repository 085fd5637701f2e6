//! Values as Go prints them with `%v`, which some messages do.

use serde_json::{Map, Value};

/// One value: text without quotes, `map[a:1 b:[x y]]`.
pub(crate) fn value(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".into(),
        Value::String(text) => text.clone(),
        Value::Array(items) => list(items),
        Value::Object(fields) => map(fields),
        other => other.to_string(),
    }
}

/// A list.
pub(crate) fn list(items: &[Value]) -> String {
    format!("[{}]", items.iter().map(value).collect::<Vec<_>>().join(" "))
}

/// A map, its keys in order.
pub(crate) fn map(fields: &Map<String, Value>) -> String {
    let mut entries: Vec<_> = fields.iter().collect();
    entries.sort_by_key(|(key, _)| *key);
    let entries: Vec<_> = entries.into_iter().map(|(key, item)| format!("{key}:{}", value(item))).collect();
    format!("map[{}]", entries.join(" "))
}

/// The Go type of a decoded JSON value.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "[]interface {}",
        Value::Object(_) => "map[string]interface {}",
    }
}
