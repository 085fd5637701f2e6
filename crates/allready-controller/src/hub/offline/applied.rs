//! The effect of an apply of our part of a status on an object.

use serde_json::{Map, Value};

use crate::hub::{Address, HubFacts, split_address, split_listener};

/// The object as it stands after an apply of our part of its status.
pub(super) fn applied(hub: &Value, facts: &HubFacts, ours: &Value) -> Value {
    let mut object = without_record(hub);
    let Some(fields) = object.as_object_mut() else { return object };
    let mut status = match fields.remove("status") {
        Some(Value::Object(status)) => status,
        _ => Map::new(),
    };
    let mut ours = ours.as_object().cloned().unwrap_or_default();
    let mut put = |name: &str, list: Vec<Value>| {
        if list.is_empty() {
            status.remove(name);
        } else {
            status.insert(name.to_owned(), list.into());
        }
    };
    put(
        "conditions",
        conditions(entries(&hub["status"]["conditions"]), facts, list(&mut ours, "conditions")),
    );
    let addresses = list(&mut ours, "addresses");
    let is_row = |address: &Address| split_address(address).is_some();
    if facts.foreign_addresses.is_none() && facts.addresses.iter().all(is_row) {
        put("addresses", addresses);
    }
    let is_foreign = |name: &str| facts.foreign_listeners.iter().any(|(foreign, _)| **foreign == *name);
    let stays = |listener: &&Value| {
        let name = listener["name"].as_str().unwrap_or_default();
        is_foreign(name) || split_listener(name).is_none()
    };
    let listeners = entries(&hub["status"]["listeners"]).iter().filter(stays).cloned();
    put("listeners", listeners.chain(list(&mut ours, "listeners")).collect());
    merge(&mut status, ours);
    if !status.is_empty() {
        fields.insert("status".to_owned(), status.into());
    }
    object
}

/// The conditions of others, and ours in their places; new ones follow.
fn conditions(standing: &[Value], facts: &HubFacts, mut ours: Vec<Value>) -> Vec<Value> {
    let planned: Vec<Value> = ours.iter().map(|condition| condition["type"].clone()).collect();
    let mut merged = Vec::new();
    for condition in standing {
        let type_ = &condition["type"];
        match ours.iter().position(|own| own["type"] == *type_) {
            Some(index) => merged.push(ours.remove(index)),
            // Of several of one type the first has been taken over.
            None if planned.contains(type_) => {}
            None if facts.ours.iter().any(|own| *type_ == **own) => {}
            None => merged.push(condition.clone()),
        }
    }
    merged.extend(ours);
    merged
}

fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (Some(Value::Object(into)), Value::Object(from)) => merge(into, from),
            (_, value) => drop(into.insert(name, value)),
        }
    }
}

/// The object without the record of who wrote what.
pub(super) fn without_record(hub: &Value) -> Value {
    let mut object = hub.clone();
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("managedFields");
    }
    object
}

fn list(of: &mut Map<String, Value>, name: &str) -> Vec<Value> {
    match of.remove(name) {
        Some(Value::Array(list)) => list,
        _ => Vec::new(),
    }
}

pub(super) fn entries(list: &Value) -> &[Value] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}
