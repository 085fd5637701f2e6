//! A custom kind for the tests, without a definition.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    call::Call,
    resource::{Endpoint, Resource, Scale, Strategy, Version},
    schema::{self, Validator},
    status::FieldError,
};

struct Widget(Validator);

impl Strategy for Widget {
    fn prepare_create(&self, _: &Version, object: &mut Value, _: &Call) {
        object.as_object_mut().unwrap().remove("status");
    }

    fn prepare_update(&self, _: &Version, endpoint: Endpoint, new: &mut Value, old: &Value) {
        let map = new.as_object_mut().unwrap();
        match endpoint {
            Endpoint::Status => {
                let status = map.remove("status");
                let metadata = map.remove("metadata").unwrap();
                *map = old.as_object().unwrap().clone();
                map.remove("status");
                map.insert("metadata".into(), metadata);
                map.extend(status.map(|status| ("status".to_owned(), status)));
            }
            _ => {
                map.remove("status");
                map.extend(old.get("status").map(|status| ("status".to_owned(), status.clone())));
            }
        }
    }

    fn moves_generation(&self, new: &Value, old: &Value) -> Option<bool> {
        let rest = |value: &Value| {
            let mut map = value.as_object().unwrap().clone();
            map.remove("metadata");
            map.remove("status");
            map
        };
        Some(rest(new) != rest(old))
    }

    fn validate(&self, _: &Version, endpoint: Endpoint, new: &Value, old: Option<&Value>) -> Vec<FieldError> {
        match (endpoint, old) {
            (Endpoint::Status, Some(old)) => self.0.validate_status(new, old),
            _ => self.0.validate(new, old),
        }
    }

    fn reset_fields(&self, _: &Version, endpoint: Endpoint) -> Vec<Vec<&'static str>> {
        match endpoint {
            Endpoint::Status => vec![
                vec!["spec"],
                vec!["metadata", "deletionGracePeriodSeconds"],
                vec!["metadata", "deletionTimestamp"],
                vec!["metadata", "finalizers"],
                vec!["metadata", "generation"],
                vec!["metadata", "labels"],
                vec!["metadata", "ownerReferences"],
            ],
            _ => vec![vec!["status"]],
        }
    }
}

/// `widgets.lab.allready.dev`, with the schema of a definition.
pub(crate) fn widgets(definition: &Value) -> Resource {
    let spec = &definition["spec"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (group, kind, plural) =
        (text(&spec["group"]), text(&spec["names"]["kind"]), text(&spec["names"]["plural"]));
    let written = &spec["versions"][0]["schema"]["openAPIV3Schema"];
    let schema = schema::parse(written).unwrap();
    let shown = schema::with_object_meta(&schema);
    Resource {
        storage_version: format!("{group}/v1"),
        place: format!("{plural}.{group}"),
        list_kind: format!("{kind}List"),
        group,
        plural,
        singular: String::new(),
        kind,
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        versions: vec![Version {
            name: "v1".into(),
            schema: Arc::new(shown),
            status: true,
            scale: Some(Scale {
                spec_replicas: ".spec.replicas".into(),
                status_replicas: ".status.replicas".into(),
                label_selector: Some(".status.selector".into()),
            }),
            columns: Vec::new(),
            selectable: Vec::new(),
            deprecation: None,
            published: Some(Arc::new(written.clone())),
        }],
        verbs: Vec::new(),
        strategy: Arc::new(Widget(Validator::new(Arc::new(schema)))),
    }
}

/// A definition that is small and complete.
pub(crate) fn definition() -> Value {
    json!({ "spec": { "group": "lab.example", "names": { "kind": "Widget", "plural": "widgets" }, "versions": [{ "schema": { "openAPIV3Schema": {
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "properties": {
                    "size": { "type": "integer", "minimum": 0 },
                    "replicas": { "type": "integer", "default": 1 },
                },
            },
            "status": { "type": "object", "properties": { "replicas": { "type": "integer" } } },
        },
    } } }] } })
}
