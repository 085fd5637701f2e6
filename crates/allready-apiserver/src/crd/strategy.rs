//! What is special about `CustomResourceDefinition`s themselves.

use serde_json::{Map, Value, json};

use super::{
    check, decoded, openapi,
    raw::{flag, list, text},
};
use crate::{
    resource::{Call, Endpoint, Strategy, Version},
    schema::parse,
    status::FieldError,
};

/// The [`Strategy`] of definitions.
pub(super) struct DefinitionStrategy;

impl Strategy for DefinitionStrategy {
    fn unknown(&self, object: &mut Value) -> Vec<String> {
        decoded::tidy(object)
    }

    fn default(&self, _version: &Version, object: &mut Value) {
        // An apply gets here without anything having been looked for that is unknown.
        decoded::tidy(object);
        let Some(spec) = object.get_mut("spec").and_then(Value::as_object_mut) else { return };
        for version in spec.get_mut("versions").and_then(Value::as_array_mut).into_iter().flatten() {
            // The type behind it has these, given or not.
            if let Some(fields) = version.as_object_mut() {
                fields.entry("served").or_insert_with(|| false.into());
                fields.entry("storage").or_insert_with(|| false.into());
            }
        }
        if let Some(names) = spec.get_mut("names").and_then(Value::as_object_mut) {
            let kind = text(names, "kind").to_owned();
            if text(names, "singular").is_empty() && !kind.is_empty() {
                names.insert("singular".into(), kind.to_lowercase().into());
            }
            if text(names, "listKind").is_empty() && !kind.is_empty() {
                names.insert("listKind".into(), format!("{kind}List").into());
            }
        }
        if spec.get("conversion").is_none_or(Value::is_null) {
            spec.insert("conversion".into(), json!({"strategy": "None"}));
        }
        let service =
            spec.get_mut("conversion").and_then(|it| it.pointer_mut("/webhook/clientConfig/service"));
        if let Some(service) = service.and_then(Value::as_object_mut) {
            service.entry("port").or_insert_with(|| 443.into());
        }
    }

    fn prepare_create(&self, _version: &Version, object: &mut Value, _call: &Call) {
        let stored = storage_version(object);
        if let Some(fields) = object.as_object_mut() {
            let stored: Vec<_> = stored.into_iter().collect();
            let status = json!({
                "conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": stored,
            });
            fields.insert("status".into(), status);
        }
    }

    fn prepare_update(&self, _version: &Version, endpoint: Endpoint, new: &mut Value, old: &Value) {
        let kept = if endpoint == Endpoint::Status { "spec" } else { "status" };
        let stored = storage_version(new);
        let Some(fields) = new.as_object_mut() else { return };
        match old.get(kept) {
            Some(value) => drop(fields.insert(kept.into(), value.clone())),
            None => drop(fields.remove(kept)),
        }
        if let (Endpoint::Main, Some(stored)) = (endpoint, stored)
            && let Some(status) = fields.get_mut("status").and_then(Value::as_object_mut)
            && let Some(versions) = status.entry("storedVersions").or_insert_with(|| json!([])).as_array_mut()
            && !versions.iter().any(|version| *version == stored)
        {
            versions.push(stored.into());
        }
    }

    fn moves_generation(&self, new: &Value, old: &Value) -> Option<bool> {
        Some(new.get("spec") != old.get("spec"))
    }

    fn validate(
        &self,
        _version: &Version,
        endpoint: Endpoint,
        new: &Value,
        old: Option<&Value>,
    ) -> Vec<FieldError> {
        if endpoint == Endpoint::Status { Vec::new() } else { check::check(new, old) }
    }

    fn warnings(&self, _version: &Version, new: &Value, old: Option<&Value>) -> Vec<String> {
        let before = old.map(format_warnings).unwrap_or_default();
        format_warnings(new).into_iter().filter(|warning| !before.contains(warning)).collect()
    }

    fn reset_fields(&self, _version: &Version, endpoint: Endpoint) -> Vec<Vec<&'static str>> {
        if endpoint == Endpoint::Status { vec![vec!["spec"]] } else { vec![vec!["status"]] }
    }
}

fn versions(crd: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let spec = crd.get("spec").and_then(Value::as_object);
    spec.map(|spec| list(spec, "versions")).unwrap_or_default().iter().filter_map(Value::as_object)
}

pub(super) fn storage_version(crd: &Value) -> Option<String> {
    versions(crd).find(|version| flag(version, "storage")).map(|version| text(version, "name").to_owned())
}

/// What all versions have alike is warned about once, as it is stored once.
fn format_warnings(crd: &Value) -> Vec<String> {
    let schemas: Vec<_> =
        versions(crd).filter_map(|version| version.get("schema")?.get("openAPIV3Schema")).collect();
    let same = schemas.iter().all(|schema| Some(schema) == schemas.first());
    let shown = if same { 1 } else { schemas.len() };
    let parsed = schemas.into_iter().take(shown).filter_map(|schema| parse(schema).ok());
    parsed.flat_map(|schema| openapi::unknown_formats(&schema)).collect()
}
