//! The writers of a status, by the record that the API server keeps.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Map, Value};

/// The record of an object about its status.
#[derive(Debug, Default)]
pub(super) struct Managers {
    /// The types of the conditions that we wrote.
    pub(super) ours: Vec<Arc<str>>,
    /// Those of them whose status was last set by us.
    pub(super) held: Vec<Arc<str>>,
    /// The types of the conditions whose status was set by others, with who.
    pub(super) conditions: Vec<(Arc<str>, Arc<str>)>,
    /// The other writer of addresses.
    pub(super) addresses: Option<Arc<str>>,
    /// The names of listeners that others wrote, with who.
    pub(super) listeners: Vec<(Arc<str>, Arc<str>)>,
}

impl Managers {
    /// Reads the record of an object, given who we are in it.
    pub(super) fn read(object: &Value, manager: &str) -> Self {
        let mut ours = BTreeSet::new();
        let mut held = BTreeSet::new();
        let mut conditions = BTreeSet::new();
        let mut addresses = BTreeSet::new();
        let mut listeners = BTreeSet::new();
        let entries = object["metadata"]["managedFields"].as_array();
        for entry in entries.map(Vec::as_slice).unwrap_or_default() {
            let Some(writer) = entry["manager"].as_str() else { continue };
            let status = &entry["fieldsV1"]["f:status"];
            if writer == manager {
                if entry["subresource"] == "status" {
                    ours.extend(keys(&status["f:conditions"], "type"));
                    held.extend(set(&status["f:conditions"]));
                }
                continue;
            }
            conditions.extend(set(&status["f:conditions"]).map(|type_| (type_, Arc::from(writer))));
            if status.get("f:addresses").is_some() {
                addresses.insert(Arc::from(writer));
            }
            let Some(owned) = status["f:listeners"].as_object() else { continue };
            if is_whole(owned) {
                listeners.extend(standing(object).map(|name| (name, Arc::from(writer))));
            } else {
                listeners.extend(keys(&status["f:listeners"], "name").map(|name| (name, Arc::from(writer))));
            }
        }
        Self {
            ours: ours.into_iter().collect(),
            held: held.into_iter().collect(),
            conditions: conditions.into_iter().collect(),
            addresses: addresses.pop_first(),
            listeners: listeners.into_iter().collect(),
        }
    }
}

/// Returns true if a list is owned as a whole, and not entry by entry. `f:x: {".": {}}` owns that there is a list, but no entry.
fn is_whole(owned: &Map<String, Value>) -> bool {
    owned.is_empty()
}

/// The names of the listeners as they stand.
fn standing(object: &Value) -> impl Iterator<Item = Arc<str>> + '_ {
    let listeners = object["status"]["listeners"].as_array().map(Vec::as_slice).unwrap_or_default();
    listeners.iter().filter_map(|listener| listener["name"].as_str().map(Into::into))
}

/// The types of the conditions whose status is owned.
fn set(owned: &Value) -> impl Iterator<Item = Arc<str>> {
    let entries = owned.as_object().into_iter().flatten();
    let entries = entries.filter(|(_, fields)| fields.get("f:status").is_some());
    entries.filter_map(|(name, _)| key(name, "type"))
}

/// The values of this key in entries such as `k:{"type":"Ready"}`.
fn keys(owned: &Value, key: &'static str) -> impl Iterator<Item = Arc<str>> {
    let entries = owned.as_object().into_iter().flatten();
    entries.filter_map(move |(name, _)| self::key(name, key))
}

fn key(entry: &str, key: &str) -> Option<Arc<str>> {
    let keys: Value = serde_json::from_str(entry.strip_prefix("k:")?).ok()?;
    keys[key].as_str().map(Into::into)
}
