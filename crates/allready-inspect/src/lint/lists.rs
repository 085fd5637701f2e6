//! Every list of conditions that an object has: that of its status, and those of listeners, parents and the like.

use serde_json::Value;

use super::Place;
use allready_core::found::{self, FoundCondition, FoundList};

/// How deep lists are looked for, and how many of them are looked at: an object is no reason to spend for ever.
const DEPTH: usize = 8;
const MOST: usize = 1_000;

/// One list of conditions, and where it stands.
pub(super) struct List<'a> {
    pub(super) place: Place,
    pub(super) found: FoundList<'a>,
    /// Whether it is `status.conditions`.
    pub(super) is_top: bool,
}

impl<'a> List<'a> {
    /// Where an entry stands.
    pub(super) fn entry(&self, index: usize) -> Place {
        let name = self.found.conditions().get(index).map_or("", |condition| &*condition.type_);
        self.place.entry(index, name)
    }

    /// The conditions with their places in the list.
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &FoundCondition<'a>)> {
        self.found.conditions().iter().enumerate()
    }
}

/// The lists of an object, that of the status first.
pub(super) fn of(object: &Value) -> Vec<List<'_>> {
    let mut lists = Vec::new();
    let status = &object["status"];
    let place = Place::root().key("status");
    if let Some(conditions) = status.get("conditions").filter(|value| !value.is_null()) {
        let (place, found) = (place.key("conditions"), found::read(conditions));
        lists.push(List { place, found, is_top: true });
    }
    for (key, value) in status.as_object().into_iter().flatten().filter(|(key, _)| *key != "conditions") {
        walk(value, &place.key(key), DEPTH, &mut lists);
    }
    lists
}

fn walk<'a>(value: &'a Value, place: &Place, depth: usize, lists: &mut Vec<List<'a>>) {
    if depth == 0 || lists.len() >= MOST {
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                if key == "conditions" && is_list(field) {
                    let (place, found) = (place.key(key), found::read(field));
                    lists.push(List { place, found, is_top: false });
                } else if field.is_object() || field.is_array() {
                    walk(field, &place.key(key), depth - 1, lists);
                }
            }
        }
        Value::Array(entries) => {
            for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_object()) {
                let name = entry["name"].as_str().or(entry["parentRef"]["name"].as_str()).unwrap_or_default();
                walk(entry, &place.entry(index, name), depth - 1, lists);
            }
        }
        _ => {}
    }
}

/// Whether something that is called conditions is a list of them: its entries have a type and a status.
fn is_list(value: &Value) -> bool {
    let is_condition = |entry: &Value| entry.get("type").is_some() && entry.get("status").is_some();
    value.as_array().is_some_and(|entries| entries.iter().any(is_condition))
}
