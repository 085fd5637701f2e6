//! The definitions of the built-in kinds: shapes from this crate, words from the types it is built with.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::{prose, reference};
use crate::resource::{Resource, Version};

const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/// The shapes of all built-in kinds.
pub(super) struct Shapes(Map<String, Value>);

impl Shapes {
    pub(super) fn read() -> Self {
        Self(serde_json::from_str(include_str!("../builtin/kinds.json")).unwrap_or_default())
    }

    /// The name of the definition of a kind.
    pub(super) fn name(&self, resource: &Resource, version: &Version) -> Option<&str> {
        let wanted = json!({"group": resource.group, "version": version.name, "kind": resource.kind});
        let is_wanted = |shape: &Value| {
            shape["x-kubernetes-group-version-kind"].as_array().is_some_and(|all| all.contains(&wanted))
        };
        let mut named = self.0.iter().filter(|(name, shape)| !name.starts_with(META) && is_wanted(shape));
        named.next().map(|(name, _)| name.as_str())
    }

    /// Adds definitions, and all that they refer to.
    pub(super) fn add(&self, mut wanted: Vec<String>, definitions: &mut Map<String, Value>) {
        while let Some(name) = wanted.pop() {
            if definitions.contains_key(&name) {
                continue;
            }
            let Some(shape) = self.0.get(&name) else { continue };
            let mut complete = restore(shape, &mut wanted);
            if let (Some(words), Some(fields)) = (prose::definition(&name), complete.as_object_mut()) {
                fields.insert("description".into(), words.into());
            }
            if let Some(properties) = complete.get_mut("properties").and_then(Value::as_object_mut) {
                for (field, property) in properties {
                    describe(property, prose::field(&name, field));
                }
            }
            definitions.insert(name, complete);
        }
    }
}

/// Adds words to a property. One that refers to a definition does so in an `allOf`, so that the words are its own.
fn describe(property: &mut Value, words: Option<&str>) {
    let Some(words) = words else { return };
    let mut words = words.to_owned();
    if let Some(allowed) = property["enum"].as_array() {
        words.push_str("\n\nPossible enum values:");
        for value in allowed {
            // Writing to a text cannot fail.
            let _ = write!(words, "\n - `{value}`");
        }
    }
    if let Some(reference) = property.get("$ref").cloned() {
        *property = json!({"allOf": [{"$ref": reference}]});
    }
    property["description"] = words.into();
}

/// From the short form of a shape to OpenAPI; what it refers to is noted.
fn restore(shape: &Value, referred: &mut Vec<String>) -> Value {
    let Some(fields) = shape.as_object() else { return shape.clone() };
    let mut restored = Map::new();
    for (key, value) in fields {
        let value = match (key.as_str(), value) {
            ("$ref", Value::String(_)) => continue,
            ("properties", Value::Object(properties)) => {
                properties.iter().map(|(name, shape)| (name.clone(), restore(shape, referred))).collect()
            }
            ("items" | "additionalProperties" | "not", _) => restore(value, referred),
            ("allOf" | "anyOf" | "oneOf", Value::Array(shapes)) => {
                shapes.iter().map(|shape| restore(shape, referred)).collect()
            }
            _ => value.clone(),
        };
        restored.insert(key.clone(), value);
    }
    if let Some(name) = fields.get("$ref").and_then(Value::as_str) {
        referred.push(name.to_owned());
        if restored.is_empty() {
            return reference(name);
        }
        restored.insert("allOf".into(), json!([reference(name)]));
    }
    restored.into()
}

/// The definition of the list of a built-in kind, from that of a custom one: what is in it may be left out.
pub(super) fn list(mut definition: Value, name: &str) -> Value {
    let properties = &mut definition["properties"];
    properties["items"]["items"] = json!({"default": {}, "allOf": [reference(name)]});
    properties["metadata"]["default"] = json!({});
    definition
}
