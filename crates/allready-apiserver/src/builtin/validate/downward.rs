//! What a pod may be told about itself, in its environment or in files.
//!
//! Follows `validateObjectFieldSelector` of `pkg/apis/core/validation/validation.go` of Kubernetes.

use super::{
    Errors,
    spot::Spot,
    volume::{inner_path, mode},
};
use crate::{names, status::FieldError};

/// The fields that variables may have.
pub(super) const ENVIRONMENT: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];
/// The fields that files may have.
const FILES: [&str; 5] =
    ["metadata.annotations", "metadata.labels", "metadata.name", "metadata.namespace", "metadata.uid"];
/// Known, but to neither.
const ELSEWHERE: [&str; 4] = ["spec.restartPolicy", "spec.schedulerName", "status.phase", "spec.host"];

/// The files of a volume.
pub(super) fn files(source: &Spot<'_>, errors: &mut Errors) {
    mode(&source.child("defaultMode"), errors);
    for file in source.child("items").items() {
        // The real server names the volume, not the file.
        let file = Spot { place: source.place.clone(), ..file };
        let path = file.child("path");
        path.filled(errors);
        inner_path(&path, errors);
        match (file.has("fieldRef"), file.has("resourceFieldRef")) {
            (true, both) => {
                field(&file.child("fieldRef"), &FILES, errors);
                if both {
                    let why = "fieldRef and resourceFieldRef can not be specified simultaneously";
                    errors.push(FieldError::invalid(file.place.as_str(), "resource", why));
                }
            }
            (false, true) => {
                let name = file.at("resourceFieldRef.containerName");
                if name.is_empty() {
                    name.required("", errors);
                } else {
                    resource_field(&file.at("resourceFieldRef.resource"), errors);
                }
            }
            (false, false) => file.required("one of fieldRef and resourceFieldRef is required", errors),
        }
        mode(&file.child("mode"), errors);
    }
}

/// A reference to a field, of which only some may be referred to.
pub(super) fn field(reference: &Spot<'_>, known: &[&str], errors: &mut Errors) {
    let (version, path) = (reference.child("apiVersion"), reference.child("fieldPath"));
    let text = path.text();
    let convert = |why: String, errors: &mut Errors| {
        path.invalid(format!("error converting fieldPath: {why}"), errors);
    };
    if version.is_empty() {
        version.required("", errors);
    } else if text.is_empty() {
        path.required("", errors);
    } else if version.text() != "v1" {
        convert(format!("unsupported pod version: {}", version.text()), errors);
    } else if let Some((whole, key)) = text.strip_suffix("']").and_then(|text| text.split_once("['")) {
        match whole {
            "metadata.annotations" | "metadata.labels" => {
                for problem in names::qualified(key) {
                    errors.push(FieldError::invalid(reference.place.as_str(), key, problem));
                }
            }
            _ => convert(format!("field label does not support subscript: {text}"), errors),
        }
    } else if [&ENVIRONMENT[..], &FILES, &ELSEWHERE].concat().contains(&text) {
        if !(text == "spec.host" && known.contains(&"spec.nodeName")) {
            path.one_of(known, errors);
        }
    } else {
        convert(format!("field label not supported: {text}"), errors);
    }
}

/// An amount that a container asks for.
pub(super) fn resource_field(resource: &Spot<'_>, errors: &mut Errors) {
    const KNOWN: [&str; 6] = [
        "limits.cpu",
        "limits.ephemeral-storage",
        "limits.memory",
        "requests.cpu",
        "requests.ephemeral-storage",
        "requests.memory",
    ];
    let text = resource.text();
    if text.is_empty() {
        resource.required("", errors);
    } else if !text.starts_with("requests.hugepages-") && !text.starts_with("limits.hugepages-") {
        resource.one_of(&KNOWN, errors);
    }
}
