//! Every list of conditions in the schema of a status.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::lint::Place;

/// The depth to which a schema is followed.
const DEPTH: usize = 24;

/// The schema of a list of conditions, and where it stands.
pub(super) struct ConditionsSchema<'a> {
    pub(super) place: Place,
    pub(super) schema: &'a Value,
    /// Set if it is that of `status.conditions`.
    pub(super) is_top: bool,
    /// Set if it is within a list that has no limit.
    pub(super) is_unbounded: bool,
    /// The default that the status as a whole has for it.
    around: Option<&'a Value>,
}

impl ConditionsSchema<'_> {
    /// The conditions that are there before anybody has written one.
    pub(super) fn defaults(&self) -> &[Value] {
        let own = self.schema["default"].as_array();
        own.or(self.around.and_then(Value::as_array)).map_or(&[], Vec::as_slice)
    }

    /// The types that the schema knows of.
    pub(super) fn known_types(&self) -> BTreeSet<&str> {
        let defaults = self.defaults().iter().filter_map(|entry| entry["type"].as_str());
        let listed = self.schema["items"]["properties"]["type"]["enum"].as_array().into_iter().flatten();
        defaults.chain(listed.filter_map(Value::as_str)).collect()
    }
}

/// The lists of conditions in the schema of a status, that of the status itself first.
pub(super) fn of<'a>(status: &'a Value, place: &Place) -> Vec<ConditionsSchema<'a>> {
    let mut lists = Vec::new();
    let top = place.keys(&["properties", "conditions"]);
    if let Some(schema) = status["properties"].get("conditions").filter(|schema| schema["type"] == "array") {
        let around = status["default"].get("conditions");
        lists.push(ConditionsSchema { place: top, schema, is_top: true, is_unbounded: false, around });
    }
    for (key, schema) in properties(status).filter(|(key, _)| *key != "conditions") {
        walk(schema, &place.keys(&["properties", key]), false, DEPTH, &mut lists);
    }
    lists
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn walk<'a>(
    schema: &'a Value,
    place: &Place,
    is_unbounded: bool,
    depth: usize,
    lists: &mut Vec<ConditionsSchema<'a>>,
) {
    if depth == 0 {
        return;
    }
    for (key, field) in properties(schema) {
        let place = place.keys(&["properties", key]);
        if key == "conditions" && is_conditions(field) {
            lists.push(ConditionsSchema { place, schema: field, is_top: false, is_unbounded, around: None });
        } else {
            walk(field, &place, is_unbounded, depth - 1, lists);
        }
    }
    if let Some(items) = schema.get("items") {
        let is_unbounded = is_unbounded || schema.get("maxItems").is_none();
        walk(items, &place.key("items"), is_unbounded, depth - 1, lists);
    }
    if let Some(values) = schema.get("additionalProperties").filter(|values| values.is_object()) {
        let is_unbounded = is_unbounded || schema.get("maxProperties").is_none();
        walk(values, &place.key("additionalProperties"), is_unbounded, depth - 1, lists);
    }
}

/// Tells whether a list that is called conditions is one of them: its items have a type and a status.
fn is_conditions(schema: &Value) -> bool {
    let has = |field| schema["items"]["properties"].get(field).is_some();
    schema["type"] == "array" && has("type") && has("status")
}
