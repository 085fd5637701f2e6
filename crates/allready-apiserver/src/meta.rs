//! The rules of `metadata` that hold for every kind.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::names;
use crate::status::{FieldError, Mistake};

const ANNOTATIONS_LIMIT: usize = 256 * 1024;

/// How a kind's names are checked: the name, and whether something is still to be appended to it.
pub(crate) type NameRule<'a> = &'a dyn Fn(&str, bool) -> Vec<String>;

/// The weakest rule for names, which holds on every update.
pub(crate) fn any_name(name: &str, prefix: bool) -> Vec<String> {
    if prefix { names::path_segment_prefix(name) } else { names::path_segment(name) }
}

/// A field of `metadata` as text; empty when absent.
pub(crate) fn text<'a>(object: &'a Value, field: &str) -> &'a str {
    object
        .get("metadata")
        .and_then(|metadata| metadata.get(field))
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The strings of a list in `metadata`.
pub(crate) fn texts<'a>(object: &'a Value, field: &str) -> Vec<&'a str> {
    let list = object.get("metadata").and_then(|metadata| metadata.get(field)).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Sets a field of `metadata`, or removes it for `None`.
pub(crate) fn set(object: &mut Value, field: &str, value: Option<Value>) {
    let Some(object) = object.as_object_mut() else { return };
    let metadata = object.entry("metadata").or_insert_with(|| json!({}));
    if !metadata.is_object() {
        *metadata = json!({});
    }
    let Some(metadata) = metadata.as_object_mut() else { return };
    match value {
        Some(value) => metadata.insert(field.into(), value),
        None => metadata.remove(field),
    };
}

/// What is wrong with the metadata of an object.
pub(crate) fn problems(object: &Value, namespaced: bool, rule: NameRule<'_>) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let generate = text(object, "generateName");
    if !generate.is_empty() {
        let found = rule(generate, true).into_iter();
        errors.extend(found.map(|why| FieldError::invalid("metadata.generateName", generate, why)));
    }
    let name = text(object, "name");
    if name.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else {
        let found = rule(name, false).into_iter();
        errors.extend(found.map(|why| FieldError::invalid("metadata.name", name, why)));
    }
    let namespace = text(object, "namespace");
    if !namespaced {
        if !namespace.is_empty() {
            errors.push(FieldError::forbidden("metadata.namespace", "not allowed on this type"));
        }
    } else if namespace.is_empty() {
        errors.push(FieldError::required("metadata.namespace", ""));
    } else {
        let found = names::dns_label(namespace).into_iter();
        errors.extend(found.map(|why| FieldError::invalid("metadata.namespace", namespace, why)));
    }
    if let Some(generation) = object["metadata"]["generation"].as_i64().filter(|generation| *generation < 0) {
        let why = "must be greater than or equal to 0";
        errors.push(FieldError::invalid("metadata.generation", generation, why));
    }
    errors.extend(map_problems(object));
    errors.extend(owner_problems(object));
    errors.extend(finalizer_problems(object));
    errors.extend(managed_problems(object));
    errors
}

/// What is wrong with a change of metadata.
pub(crate) fn change_problems(new: &Value, old: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (new_meta, old_meta) = (&new["metadata"], &old["metadata"]);
    if !old_meta["deletionTimestamp"].is_null() {
        let before: BTreeSet<_> = texts(old, "finalizers").into_iter().collect();
        let after: BTreeSet<_> = texts(new, "finalizers").into_iter().collect();
        let extra: Vec<_> = after.difference(&before).map(|name| format!("{name:?}")).collect();
        if !extra.is_empty() {
            let why = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                extra.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", why));
        }
    }
    if text(new, "resourceVersion").is_empty() {
        errors.push(FieldError::invalid("metadata.resourceVersion", "", "must be specified for an update"));
    }
    let generation = |meta: &Value| meta["generation"].as_i64().unwrap_or_default();
    if generation(new_meta) < generation(old_meta) {
        let why = "must not be decremented";
        errors.push(FieldError::invalid("metadata.generation", generation(new_meta), why));
    }
    for field in
        ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"]
    {
        let empty = |value: &Value| value.is_null() || value == "";
        let (new, old) = (&new_meta[field], &old_meta[field]);
        if new != old && !(empty(new) && empty(old)) {
            errors.push(FieldError::invalid(format!("metadata.{field}"), new.clone(), "field is immutable"));
        }
    }
    errors.extend(map_problems(new));
    errors.extend(owner_problems(new));
    errors.extend(managed_problems(new));
    errors
}

fn map_problems(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in object["metadata"]["labels"].as_object().into_iter().flatten() {
        let found = names::qualified(key).into_iter();
        errors.extend(found.map(|why| FieldError::invalid("metadata.labels", key.as_str(), why)));
        let value = value.as_str().unwrap_or_default();
        let found = names::label_value(value).into_iter();
        errors.extend(found.map(|why| FieldError::invalid("metadata.labels", value, why)));
    }
    let mut size = 0;
    for (key, value) in object["metadata"]["annotations"].as_object().into_iter().flatten() {
        let found = names::qualified(&key.to_lowercase()).into_iter();
        errors.extend(found.map(|why| FieldError::invalid("metadata.annotations", key.as_str(), why)));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATIONS_LIMIT {
        errors.push(too_long("metadata.annotations", ANNOTATIONS_LIMIT));
    }
    errors
}

fn owner_problems(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let path = "metadata.ownerReferences";
    let owners = &object["metadata"]["ownerReferences"];
    let mut controller: Option<String> = None;
    for owner in owners.as_array().into_iter().flatten() {
        let field = |name: &str| owner[name].as_str().unwrap_or_default();
        let api_version = field("apiVersion");
        let version = api_version.rsplit('/').next().unwrap_or_default();
        if version.is_empty() {
            let at = format!("{path}.apiVersion");
            errors.push(FieldError::invalid(at, api_version, "version must not be empty"));
        }
        for name in ["kind", "name", "uid"] {
            if field(name).is_empty() {
                errors.push(FieldError::invalid(format!("{path}.{name}"), "", "must not be empty"));
            }
        }
        if api_version == "v1" && field("kind") == "Event" {
            let why = "/v1, Kind=Event is disallowed from being an owner";
            let why = format!("{}: {why}", owner_text(owner));
            errors.push(FieldError::invalid(path, Value::Null, why).without_value());
        }
        if owner["controller"] == true {
            let this = format!("{}/{}", field("kind"), field("name"));
            match &controller {
                None => controller = Some(this),
                Some(first) => {
                    let why = format!(
                        "Only one reference can have Controller set to true. Found \"true\" in references for {first} and {this}"
                    );
                    let texts: Vec<_> = owners.as_array().into_iter().flatten().map(owner_text).collect();
                    let why = format!("[{}]: {why}", texts.join(","));
                    errors.push(FieldError::invalid(path, Value::Null, why).without_value());
                }
            }
        }
    }
    errors
}

/// A reference in the order in which the real server writes its fields.
fn owner_text(owner: &Value) -> String {
    let optional = ["controller", "blockOwnerDeletion"].into_iter().filter(|field| !owner[*field].is_null());
    let fields = ["apiVersion", "kind", "name", "uid"].into_iter().chain(optional);
    let texts: Vec<_> = fields
        .map(|field| {
            let value = if owner[field].is_null() { json!("") } else { owner[field].clone() };
            format!("\"{field}\":{value}")
        })
        .collect();
    format!("{{{}}}", texts.join(","))
}

fn finalizer_problems(object: &Value) -> Vec<FieldError> {
    let path = "metadata.finalizers";
    let finalizers = texts(object, "finalizers");
    let found =
        finalizers.iter().flat_map(|name| names::qualified(name).into_iter().map(move |why| (name, why)));
    let mut errors: Vec<_> = found.map(|(name, why)| FieldError::invalid(path, *name, why)).collect();
    if finalizers.contains(&"orphan") && finalizers.contains(&"foregroundDeletion") {
        let why = "finalizer orphan and foregroundDeletion cannot be both set";
        errors.push(FieldError::invalid(path, object["metadata"]["finalizers"].clone(), why));
    }
    errors
}

/// Built-in kinds want finalizers with a prefix, beyond the few that Kubernetes itself uses.
pub(crate) fn standard_finalizer_problems(object: &Value) -> Vec<FieldError> {
    let standard = ["kubernetes", "orphan", "foregroundDeletion"];
    let finalizers = texts(object, "finalizers");
    let odd =
        finalizers.iter().enumerate().filter(|(_, name)| !name.contains('/') && !standard.contains(name));
    let why = "name is neither a standard finalizer name nor is it fully qualified";
    odd.map(|(index, name)| FieldError::invalid(format!("metadata.finalizers[{index}]"), *name, why))
        .collect()
}

fn managed_problems(object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (index, entry) in object["metadata"]["managedFields"].as_array().into_iter().flatten().enumerate() {
        // Written out only where there is something to say, which there hardly ever is.
        let path = |name: &str| format!("metadata.managedFields[{index}].{name}");
        let field = |name: &str| entry[name].as_str().unwrap_or_default();
        let operation = field("operation");
        if operation != "Apply" && operation != "Update" {
            let why = "must be `Apply` or `Update`";
            errors.push(FieldError::invalid(path("operation"), operation, why));
        }
        let fields_type = field("fieldsType");
        if !fields_type.is_empty() && fields_type != "FieldsV1" {
            errors.push(FieldError::invalid(path("fieldsType"), fields_type, "must be `FieldsV1`"));
        }
        if !is_manager(field("manager")) {
            errors.extend(manager_problems(field("manager"), &path("manager")));
        }
        if field("subresource").len() > 256 {
            errors.push(too_long(&path("subresource"), 256));
        }
    }
    errors
}

fn is_manager(name: &str) -> bool {
    name.len() <= 128 && name.chars().all(is_print)
}

/// What is wrong with the name of a field manager.
pub(crate) fn manager_problems(manager: &str, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if manager.len() > 128 {
        errors.push(too_long(path, 128));
    }
    for (at, character) in manager.char_indices().filter(|(_, character)| !is_print(*character)) {
        let code = u32::from(character);
        let shown = if character.is_control() { String::new() } else { format!(" '{character}'") };
        let why = format!("invalid character U+{code:04X}{shown} (at position {at})");
        errors.push(FieldError::invalid(path, manager, why));
    }
    errors
}

fn is_print(character: char) -> bool {
    character == ' ' || !(character.is_control() || character.is_whitespace())
}

fn too_long(path: &str, limit: usize) -> FieldError {
    FieldError::new(Mistake::TooLong, path, Value::Null, format!("may not be more than {limit} bytes"))
}
