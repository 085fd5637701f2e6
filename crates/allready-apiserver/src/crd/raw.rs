//! Reading the JSON of a definition, in which anything may be absent.

use serde_json::{Map, Value};

pub(super) fn text<'a>(node: &'a Map<String, Value>, name: &str) -> &'a str {
    node.get(name).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn flag(node: &Map<String, Value>, name: &str) -> bool {
    node.get(name).and_then(Value::as_bool).unwrap_or_default()
}

pub(super) fn list<'a>(node: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    node.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

pub(super) fn object<'a>(node: &'a Map<String, Value>, name: &str) -> Option<&'a Map<String, Value>> {
    node.get(name).and_then(Value::as_object)
}

/// A field that is there and not `null`.
pub(super) fn given<'a>(node: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    node.get(name).filter(|value| !value.is_null())
}

/// A field that is there and not empty.
pub(super) fn is_set(node: &Map<String, Value>, name: &str) -> bool {
    given(node, name).is_some_and(|value| match value {
        Value::String(text) => !text.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => true,
    })
}

/// The schema of the items of a list.
pub(super) fn items_of(node: &Map<String, Value>) -> Option<&Map<String, Value>> {
    object(node, "items")
}

/// Lists of texts.
pub(super) fn texts(node: &Map<String, Value>, name: &str) -> Vec<String> {
    list(node, name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
}
