//! Whether a review is a question at all.

use serde_json::Value;

use crate::status::{Failure, FieldError, json_text};

/// The fields of metadata in the order in which the real server shows them.
const METADATA: [&str; 15] = [
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
];
const MANAGED: [&str; 7] =
    ["manager", "operation", "apiVersion", "time", "fieldsType", "fieldsV1", "subresource"];

/// Refuses a review that asks nothing, or two things at once.
pub(super) fn check(kind: &str, review: &Value) -> Result<(), Failure> {
    let spec = &review["spec"];
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let local = kind == "LocalSubjectAccessReview";
    let mut errors = Vec::new();
    match (resource.is_object(), path.is_object()) {
        (true, true) => {
            let why = "cannot be specified in combination with resourceAttributes";
            errors.push(shown("spec.nonResourceAttributes", &attributes(path), why));
        }
        (false, false) => {
            let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            errors.push(FieldError::invalid("spec.resourceAttributes", Value::Null, why));
        }
        _ => {}
    }
    let somebody = |field: &str| spec[field].as_str().is_some_and(|user| !user.is_empty());
    if kind != "SelfSubjectAccessReview"
        && !somebody("user")
        && spec["groups"].as_array().is_none_or(Vec::is_empty)
    {
        errors.push(FieldError::invalid("spec.user", "", "at least one of user or group must be specified"));
    }
    selectors(resource, &mut errors);
    metadata(&review["metadata"], local, &mut errors);
    if local {
        let namespace = resource["namespace"].as_str().unwrap_or_default();
        let own = review["metadata"]["namespace"].as_str().unwrap_or_default();
        if resource.is_object() && namespace != own {
            let field = "spec.resourceAttributes.namespace";
            errors.push(FieldError::invalid(field, namespace, "must match metadata.namespace"));
        }
        if path.is_object() {
            let why = "disallowed on this kind of request";
            errors.push(shown("spec.nonResourceAttributes", &attributes(path), why));
        }
    }
    // The real server has forgotten the kind by then, and the name is that of nothing.
    if errors.is_empty() { Ok(()) } else { Err(Failure::invalid("authorization.k8s.io", "", "", &errors)) }
}

/// An error with a value that is not shown as JSON with sorted fields.
fn shown(field: &str, value: &str, why: &str) -> FieldError {
    FieldError::invalid(field, Value::Null, format!("{value}: {why}")).without_value()
}

fn attributes(path: &Value) -> String {
    let text = |field: &str| json_text(&path[field].as_str().unwrap_or_default().into());
    format!("{{\"Path\":{},\"Verb\":{}}}", text("path"), text("verb"))
}

fn selectors(resource: &Value, errors: &mut Vec<FieldError>) {
    for name in ["fieldSelector", "labelSelector"] {
        let selector = &resource[name];
        if !selector.is_object() {
            continue;
        }
        let raw = selector["rawSelector"].as_str().unwrap_or_default();
        let some = selector["requirements"].as_array().is_some_and(|requirements| !requirements.is_empty());
        let field = format!("spec.resourceAttributes.{name}");
        if !raw.is_empty() && some {
            let why = "may not specified at the same time as requirements";
            errors.push(FieldError::invalid(format!("{field}.rawSelector"), raw, why));
        }
        if raw.is_empty() && !some {
            let why = format!("when {field} is specified, requirements or rawSelector is required");
            errors.push(FieldError::required(format!("{field}.requirements"), why));
        }
    }
}

fn metadata(metadata: &Value, local: bool, errors: &mut Vec<FieldError>) {
    let fields = metadata.as_object().into_iter().flatten();
    let set = |field: &str, value: &Value| {
        !(field == "managedFields" || local && field == "namespace" || value.is_null())
    };
    if fields.into_iter().any(|(field, value)| set(field, value)) {
        let why = if local { "must be empty except for namespace" } else { "must be empty" };
        let managed = |entries: &Value| {
            let entries = entries.as_array().map(Vec::as_slice).unwrap_or_default();
            let entries: Vec<_> = entries.iter().map(|entry| ordered(entry, &MANAGED, &json_text)).collect();
            format!("[{}]", entries.join(","))
        };
        let text =
            |value: &Value| if value[0]["manager"].is_string() { managed(value) } else { json_text(value) };
        errors.push(shown("metadata", &ordered(metadata, &METADATA, &text), why));
    }
}

fn ordered(object: &Value, fields: &[&str], text: &dyn Fn(&Value) -> String) -> String {
    let fields = fields.iter().filter(|field| !object[**field].is_null());
    let fields: Vec<_> = fields.map(|field| format!("\"{field}\":{}", text(&object[*field]))).collect();
    format!("{{{}}}", fields.join(","))
}
