//! The mending of a definition.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    columns, declared, default_problem, definition,
    item::{REQUIRED, lacking, standard},
    lists,
};
use crate::lint::{Finding, Place};
use allready_core::ConditionSet;

/// The definition with everything mended that can be mended without knowing the kind, and the findings that are gone by it.
///
/// Lists become maps, conditions get the fields and limits of `metav1.Condition`, the status its subresource, and `kubectl
/// get` a column for the top condition; C06, and lists that nothing bounds, need a person. Objects that break the new
/// limits stay readable, and can be written again only when they are mended themselves.
///
/// ```
/// use allready_inspect::lint;
/// use serde_json::json;
///
/// let crd = json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
///     "metadata": { "name": "widgets.example.com" },
///     "spec": { "versions": [{ "name": "v1", "schema": { "openAPIV3Schema": { "properties": { "status": {
///         "properties": { "conditions": { "type": "array", "items": { "type": "object" } } } } } } } }] } });
/// let (fixed, gone) = lint::fix(&crd);
/// assert_eq!(gone.len(), lint::definition(&crd).len());
/// assert!(lint::definition(&fixed).is_empty());
/// ```
pub fn fix(found: &Value) -> (Value, Vec<Finding>) {
    let before = definition(found);
    let mut fixed = found.clone();
    let set = declared(found);
    if !before.is_empty()
        && let Some(versions) = fixed.pointer_mut("/spec/versions").and_then(Value::as_array_mut)
    {
        for version in versions {
            mend(version, set.as_ref());
        }
    }
    let key = |finding: &Finding| (finding.rule.id, finding.place.pointer.clone());
    let left: BTreeSet<_> = definition(&fixed).iter().map(key).collect();
    let gone = before.into_iter().filter(|finding| !left.contains(&key(finding))).collect();
    (fixed, gone)
}

fn mend(version: &mut Value, set: Option<&ConditionSet>) {
    if version["served"] == false {
        return;
    }
    let Some(status) = version.pointer("/schema/openAPIV3Schema/properties/status") else { return };
    let place =
        Place { path: String::new(), pointer: "/schema/openAPIV3Schema/properties/status".to_owned() };
    let lists = lists::of(status, &place);
    let top = lists.iter().find(|list| list.is_top).map(|list| top_type(&list.known_types(), set));
    let known = |list: &lists::ConditionsSchema<'_>| {
        let declared = set.filter(|_| list.is_top).map_or(0, |set| set.declared().len() + 1);
        list.known_types().len().max(declared)
    };
    let pointers: Vec<(String, usize)> =
        lists.iter().map(|list| (list.place.pointer.clone(), known(list))).collect();
    for (pointer, known) in pointers {
        if let Some(list) = version.pointer_mut(&pointer) {
            mend_defaults(list.get_mut("default"), set);
            mend_list(list, known);
        }
    }
    let observed =
        version.pointer_mut("/schema/openAPIV3Schema/properties/status/properties/observedGeneration");
    if let Some(observed) = observed.filter(|observed| observed["type"] != "integer") {
        retype(observed, &json!({ "type": "integer", "format": "int64" }));
    }
    mend_defaults(version.pointer_mut("/schema/openAPIV3Schema/properties/status/default/conditions"), set);
    let Some(fields) = version.as_object_mut() else { return };
    let subresources = fields.entry("subresources").or_insert_with(|| json!({}));
    if let Some(subresources) = subresources.as_object_mut() {
        subresources.entry("status").or_insert_with(|| json!({}));
    }
    if let Some(top) = top {
        mend_columns(version, &top);
    }
}

/// The type that speaks for the object, as far as the definition shows it.
fn top_type(known: &BTreeSet<&str>, set: Option<&ConditionSet>) -> String {
    if let Some(set) = set {
        return set.top().as_str().to_owned();
    }
    let usual = ["Ready", "Succeeded", "Programmed", "Accepted", "Available"];
    let found = usual.into_iter().find(|type_| known.contains(type_));
    found.or(known.first().copied()).unwrap_or("Ready").to_owned()
}

fn mend_list(list: &mut Value, known: usize) {
    let Some(fields) = list.as_object_mut() else { return };
    fields.insert("x-kubernetes-list-type".to_owned(), json!("map"));
    fields.insert("x-kubernetes-list-map-keys".to_owned(), json!(["type"]));
    if fields.get("maxItems").and_then(Value::as_u64).is_some_and(|most| most < known as u64) {
        fields.insert("maxItems".to_owned(), json!(known));
    }
    let Some(items) = object(fields, "items") else { return };
    items.insert("type".to_owned(), json!("object"));
    let required = items.entry("required").or_insert_with(|| json!([]));
    if !required.is_array() {
        *required = json!([]);
    }
    if let Some(required) = required.as_array_mut() {
        let missing: Vec<_> =
            REQUIRED.into_iter().filter(|field| !required.iter().any(|it| it == field)).collect();
        required.extend(missing.into_iter().map(Value::from));
    }
    let Some(properties) = object(items, "properties") else { return };
    for field in REQUIRED.into_iter().chain(["observedGeneration"]) {
        mend_field(properties.entry(field).or_insert_with(|| standard(field)), field);
    }
}

/// The field as an object; anything else that stands there is replaced.
fn object<'a>(fields: &'a mut Map<String, Value>, key: &str) -> Option<&'a mut Map<String, Value>> {
    let value = fields.entry(key).or_insert_with(|| json!({}));
    if !value.is_object() {
        *value = json!({});
    }
    value.as_object_mut()
}

fn mend_field(schema: &mut Value, field: &str) {
    let standard = standard(field);
    if schema["type"] != standard["type"] {
        return retype(schema, &standard);
    }
    if field == "observedGeneration" {
        if schema["minimum"].as_f64().is_none_or(|minimum| minimum < 0.0) {
            schema["minimum"] = json!(0);
        }
        return;
    }
    if lacking(field, schema).is_empty() {
        return;
    }
    for (key, value) in standard.as_object().into_iter().flatten() {
        // An own pattern may be stricter, and is kept.
        if key != "pattern" || schema.get(key).is_none() {
            let is_stricter = match key.as_str() {
                "maxLength" => schema[key].as_u64().is_some_and(|own| Some(own) <= value.as_u64()),
                "minLength" => schema[key].as_u64().is_some_and(|own| Some(own) >= value.as_u64()),
                _ => false,
            };
            if !is_stricter {
                schema[key] = value.clone();
            }
        }
    }
}

/// Another type makes every limit of the old one meaningless; only the description stays.
fn retype(schema: &mut Value, standard: &Value) {
    let description = schema.get("description").cloned();
    *schema = standard.clone();
    if let Some(description) = description {
        schema["description"] = description;
    }
}

/// Defaults that claim something say that somebody is awaited instead.
fn mend_defaults(defaults: Option<&mut Value>, set: Option<&ConditionSet>) {
    for entry in defaults.and_then(Value::as_array_mut).into_iter().flatten() {
        if default_problem(entry, set).is_some() && entry.is_object() {
            entry["status"] = json!("Unknown");
            entry["reason"] = json!("Pending");
        }
    }
}

fn mend_columns(version: &mut Value, top: &str) {
    let lacks: Vec<&str> =
        ["status", "reason"].into_iter().filter(|field| !columns::has_column(version, field)).collect();
    let Some(fields) = version.as_object_mut() else { return };
    let found = fields.entry("additionalPrinterColumns").or_insert_with(|| json!([]));
    let Some(found) = found.as_array_mut() else { return };
    // Without any column of its own a definition shows the age; with one it no longer does.
    if found.is_empty() {
        found.push(json!({ "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" }));
    }
    for (at, field) in lacks.into_iter().enumerate() {
        found.insert(at.min(found.len()), columns::column(top, field));
    }
}
