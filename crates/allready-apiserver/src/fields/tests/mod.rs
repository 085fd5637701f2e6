//! Server-side apply, as the real server does it.

use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::{Apply, Schemas, Writer, apply, update};
use crate::{
    resource::Endpoint,
    schema::{Definitions, Schema, Shape, parse},
    status::Failure,
};

mod bookkeeping;
mod builtin;
mod lists;
mod ownership;
mod properties;
mod refusals;
mod scale;
mod sets;
mod speed;

/// The definitions of the built-in kinds.
static DEFINITIONS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../builtin/kinds.json")).unwrap());

/// The schema of a custom kind, with what every object has.
fn whole(openapi: &Value) -> Arc<Schema> {
    let mut schema = parse(openapi).unwrap();
    if let Shape::Object(object) = &mut schema.shape {
        let text = || Arc::new(Schema { shape: Shape::String, ..Schema::default() });
        let metadata =
            Definitions::new(&DEFINITIONS).get("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").unwrap();
        object.properties.insert("apiVersion".into(), text());
        object.properties.insert("kind".into(), text());
        object.properties.insert("metadata".into(), metadata);
    }
    Arc::new(schema)
}

/// A kind with something of everything that can be owned.
fn gadget() -> Value {
    let text = json!({"type": "string"});
    let list =
        |kind: &str, items: &Value| json!({"type": "array", "x-kubernetes-list-type": kind, "items": items});
    let mut ports = list(
        "map",
        &json!({"type": "object", "properties": {
            "name": text, "protocol": {"type": "string", "default": "TCP"}, "number": {"type": "integer"},
            "options": {"type": "object", "additionalProperties": text},
        }}),
    );
    ports["x-kubernetes-list-map-keys"] = json!(["protocol", "name"]);
    let mut conditions = list(
        "map",
        &json!({"type": "object", "properties": {
            "type": text, "status": text, "reason": text, "message": text,
            "lastTransitionTime": {"type": "string", "format": "date-time"}, "observedGeneration": {"type": "integer"},
        }}),
    );
    conditions["x-kubernetes-list-map-keys"] = json!(["type"]);
    let spec = json!({
        "size": {"type": "integer"}, "color": text, "flag": {"type": "boolean"},
        "when": {"type": "string", "format": "date-time"}, "portion": {"x-kubernetes-int-or-string": true},
        "tags": list("set", &text), "numbers": list("set", &json!({"type": "integer"})), "ports": ports,
        "whole": list("atomic", &text), "plain": {"type": "array", "items": {"type": "object", "properties": {"a": text}}},
        "wholeMap": {"type": "object", "additionalProperties": text, "x-kubernetes-map-type": "atomic"},
        "map": {"type": "object", "additionalProperties": text},
        "records": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}}}},
        "record": {"type": "object", "properties": {"a": text, "b": text}},
        "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": true},
        "half": {"type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": {"deep": {"type": "object", "properties": {"z": {"type": "integer"}}}}},
        "maybe": {"type": "object", "nullable": true, "properties": {"a": text}},
        "inner": {"type": "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true},
    });
    let status =
        json!({"type": "object", "properties": {"replicas": {"type": "integer"}, "conditions": conditions}});
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": spec}, "status": status}})
}

/// A custom kind by version, with one writer at a time.
struct Lab {
    versions: Vec<(&'static str, Arc<Schema>)>,
}

impl Schemas for Lab {
    fn schema(&self, api_version: &str) -> Option<Arc<Schema>> {
        self.versions.iter().find(|(version, _)| *version == api_version).map(|(_, schema)| schema.clone())
    }

    fn custom(&self) -> bool {
        true
    }
}

/// One write in a test.
#[derive(Clone, Copy)]
struct By {
    manager: &'static str,
    endpoint: Endpoint,
    version: &'static str,
    second: i64,
    force: bool,
}

/// A write to the object itself.
fn by(manager: &'static str) -> By {
    By { manager, endpoint: Endpoint::Main, version: "lab/v1", second: 100, force: false }
}

impl By {
    fn at(self, second: i64) -> Self {
        Self { second, ..self }
    }

    fn force(self) -> Self {
        Self { force: true, ..self }
    }

    fn status(self) -> Self {
        Self { endpoint: Endpoint::Status, ..self }
    }

    fn version(self, version: &'static str) -> Self {
        Self { version, ..self }
    }

    fn writer(&self) -> Writer<'static> {
        let now = Timestamp::from_second(self.second).unwrap();
        Writer { manager: self.manager, endpoint: self.endpoint, api_version: self.version, now }
    }

    fn reset(&self) -> Vec<Vec<&'static str>> {
        if self.endpoint == Endpoint::Status {
            vec![vec!["metadata"], vec!["spec"]]
        } else {
            vec![vec!["status"]]
        }
    }
}

impl Lab {
    fn new() -> Self {
        let schema = whole(&gadget());
        Self { versions: vec![("lab/v1", schema.clone()), ("lab/v2", schema)] }
    }

    fn apply(&self, live: Option<&Value>, by: By, parts: &Value) -> Result<Value, Failure> {
        let config = object(by.version, parts);
        let (writer, reset) = (by.writer(), by.reset());
        apply(&Apply { live, config: &config, writer, force: by.force, schemas: self, reset: &reset })
    }

    fn applied(&self, live: Option<&Value>, by: By, parts: &Value) -> Value {
        self.apply(live, by, parts).unwrap()
    }

    fn updated(&self, live: Option<&Value>, by: By, mut new: Value) -> Value {
        update(live, &mut new, &by.writer(), self, &by.reset());
        new["metadata"]["uid"] = "u".into();
        new
    }

    fn created(&self, by: By, parts: &Value) -> Value {
        self.updated(None, by, object(by.version, parts))
    }
}

/// A whole object from its parts.
fn object(version: &str, parts: &Value) -> Value {
    let mut object =
        json!({"apiVersion": version, "kind": "Gadget", "metadata": {"name": "g", "namespace": "lab"}});
    for (key, value) in parts.as_object().unwrap() {
        match (key.as_str(), value) {
            ("metadata", Value::Object(fields)) => {
                for (key, value) in fields {
                    object["metadata"][key] = value.clone();
                }
            }
            _ => object[key] = value.clone(),
        }
    }
    object
}

/// Who owns what: manager, operation, and paths.
fn owners(object: &Value) -> Vec<(String, Vec<String>)> {
    let entries = object["metadata"]["managedFields"].as_array().into_iter().flatten();
    let owner = |entry: &Value| {
        let name = format!("{} {}", entry["manager"].as_str().unwrap(), entry["operation"].as_str().unwrap());
        let set = super::FieldSet::from_json(&entry["fieldsV1"]).unwrap();
        (name, set.paths().iter().map(ToString::to_string).collect())
    };
    entries.map(owner).collect()
}

/// Checks who owns what.
fn owned_by(object: &Value, expected: &[(&str, &[&str])]) {
    let expected: Vec<(String, Vec<String>)> = expected
        .iter()
        .map(|(name, paths)| ((*name).to_owned(), paths.iter().map(|path| (*path).to_owned()).collect()))
        .collect();
    assert_eq!(owners(object), expected, "{object:#}");
}
