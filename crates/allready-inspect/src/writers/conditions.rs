//! Where an object has conditions: at the top of its status, and in the lists and parts of it.

use serde_json::Value;

/// Deeper than any kind has them.
const MAX_DEPTH: usize = 12;
/// More values than a status of the largest object has.
const MAX_VALUES: usize = 400_000;

/// A list of conditions.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct List<'a> {
    /// Its path: `status.listeners[web].conditions`.
    pub(super) path: String,
    /// What is in it.
    pub(super) conditions: &'a [Value],
}

/// Every list of conditions, outer ones first, and whether that is all of them.
pub(super) fn lists(object: &Value) -> (Vec<List<'_>>, bool) {
    let mut lists = Vec::new();
    let mut left = MAX_VALUES;
    let Some(status) = object.get("status") else { return (lists, true) };
    let mut level = vec![("status".to_owned(), status)];
    for _ in 0..MAX_DEPTH {
        let mut below = Vec::new();
        for (path, value) in level {
            let Some(fields) = value.as_object() else { continue };
            for (name, value) in fields {
                if left == 0 {
                    return (lists, false);
                }
                left -= 1;
                let path = || format!("{path}.{name}");
                match value {
                    Value::Array(items) if is_name(name) && items.iter().any(is_condition) => {
                        lists.push(List { path: path(), conditions: items });
                    }
                    Value::Array(items) => {
                        left = left.saturating_sub(items.len());
                        let objects = items.iter().enumerate().filter(|(_, item)| item.is_object());
                        let named = objects
                            .map(|(index, item)| (format!("{}[{}]", path(), label(index, item)), item));
                        below.extend(named);
                    }
                    Value::Object(_) => below.push((path(), value)),
                    _ => {}
                }
            }
        }
        if below.is_empty() {
            return (lists, true);
        }
        level = below;
    }
    (lists, false)
}

fn is_name(name: &str) -> bool {
    name.ends_with("onditions")
}

fn is_condition(item: &Value) -> bool {
    item.get("type").is_some_and(Value::is_string)
}

/// How an item of a list is called: by its name, or else by its place.
fn label(index: usize, item: &Value) -> String {
    match item.get("name").and_then(Value::as_str) {
        Some(name) if !name.is_empty() => name.to_owned(),
        _ => index.to_string(),
    }
}
