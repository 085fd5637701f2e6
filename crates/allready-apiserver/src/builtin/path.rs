//! Finding one's way in JSON without panicking.

use serde_json::{Map, Value};

/// What stands at a path.
pub(crate) fn at<'a>(value: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.get(key)).filter(|value| !value.is_null())
}

/// What stands at a path, to change it.
pub(crate) fn at_mut<'a>(value: &'a mut Value, path: &[&str]) -> Option<&'a mut Value> {
    path.iter().try_fold(value, |value, key| value.get_mut(key))
}

/// The object at a path, made where it is missing.
pub(crate) fn entry<'a>(object: &'a mut Map<String, Value>, path: &[&str]) -> &'a mut Map<String, Value> {
    path.iter().fold(object, |object, key| {
        let value = object.entry(*key).or_insert_with(|| Value::Object(Map::new()));
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        match value {
            Value::Object(inner) => inner,
            _ => unreachable!("made an object just above"),
        }
    })
}

/// Text, or nothing.
pub(crate) fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

/// The text at a path, or nothing.
pub(crate) fn text_at<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    text(at(value, path))
}

/// The number at a path.
pub(crate) fn number_at(value: &Value, path: &[&str]) -> Option<i64> {
    at(value, path).and_then(Value::as_i64)
}

/// The flag at a path; false when absent.
pub(crate) fn flag_at(value: &Value, path: &[&str]) -> bool {
    at(value, path).and_then(Value::as_bool).unwrap_or(false)
}

/// The items of the list at a path; none when absent.
pub(crate) fn items<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    at(value, path).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Copies what stands at a path of `from`, or its absence.
pub(crate) fn carry(to: &mut Value, from: &Value, path: &[&str]) {
    let Some((last, parents)) = path.split_last() else { return };
    let found = path.iter().try_fold(from, |value, key| value.get(key)).cloned();
    let Some(object) = to.as_object_mut() else { return };
    match found {
        Some(value) => {
            entry(object, parents).insert((*last).to_owned(), value);
        }
        None => remove(to, path),
    }
}

/// Takes away what stands at a path.
pub(crate) fn remove(from: &mut Value, path: &[&str]) {
    if let Some((last, parents)) = path.split_last()
        && let Some(object) = at_mut(from, parents).and_then(Value::as_object_mut)
    {
        object.remove(*last);
    }
}

/// Appends to the list at a path, made where it is missing.
pub(crate) fn push(to: &mut Value, path: &[&str], item: Value) {
    if let (Some((last, parents)), Some(object)) = (path.split_last(), to.as_object_mut()) {
        let list = entry(object, parents).entry(*last).or_insert_with(|| Value::Array(Vec::new()));
        if let Some(list) = list.as_array_mut() {
            list.push(item);
        }
    }
}
