//! What a field manager owns of a status.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::manager::Manager;

/// What one manager, and nobody else, owns of the status.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Owned {
    pub(super) types: BTreeSet<String>,
    pub(super) observed_generation: bool,
}

/// What this manager, and nobody else, owns of the status of an object.
pub(super) fn owned_alone(object: &Value, manager: &Manager) -> Owned {
    let entries = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    let mut owners: BTreeMap<String, (bool, bool)> = BTreeMap::new();
    let (mut own_generation, mut foreign_generation) = (false, false);
    for entry in entries.into_iter().flatten() {
        let is_own = entry["manager"] == manager.as_str();
        let status = &entry["fieldsV1"]["f:status"];
        if status.get("f:observedGeneration").is_some() {
            if is_own { own_generation = true } else { foreign_generation = true }
        }
        for key in status["f:conditions"].as_object().into_iter().flat_map(|fields| fields.keys()) {
            let Some(type_) = condition_type(key) else { continue };
            let (own, foreign) = owners.entry(type_).or_default();
            if is_own { *own = true } else { *foreign = true }
        }
    }
    let alone = owners.into_iter().filter(|(_, (own, foreign))| *own && !foreign);
    Owned {
        types: alone.map(|(type_, _)| type_).collect(),
        observed_generation: own_generation && !foreign_generation,
    }
}

/// The type in the key of a list entry, such as `k:{"type":"Ready"}`.
fn condition_type(key: &str) -> Option<String> {
    let fields: Value = serde_json::from_str(key.strip_prefix("k:")?).ok()?;
    fields["type"].as_str().map(str::to_owned)
}
