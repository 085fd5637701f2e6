//! What may change in a pod that runs: the amounts of its containers, and the containers that are added to look into it.
//!
//! Follows `ValidatePodResize` and `ValidatePodEphemeralContainersUpdate` of `pkg/apis/core/validation/validation.go` of Kubernetes.
//! Amounts of the pod as a whole do not change here.

use serde_json::Value;

use super::{Errors, pod, spot::Spot};
use crate::{
    builtin::{
        path::{at, items, text_at},
        prepare::quality_of_service,
    },
    status::FieldError,
};

const ONLY: &str = "only cpu and memory resources are mutable";

/// Other amounts for the containers.
pub(super) fn resize(new: &Value, old: &Value, errors: &mut Errors) {
    let spec = Spot::root(new).child("spec");
    pod::body(new, errors);
    if quality_of_service(old) != quality_of_service(new) {
        let why = "Pod QOS Class may not change as a result of resizing";
        errors.push(FieldError::invalid("spec", text_at(old, &["status", "qosClass"]), why));
    }
    let runs_without =
        |status: &Value| !status["state"]["running"].is_null() && status["resources"].is_null();
    if items(old, &["status", "containerStatuses"]).iter().any(runs_without) {
        spec.forbidden("Pod running on node without support for resize", errors);
    }
    if !same_order(&spec, old, errors) {
        return;
    }
    let lists = ["initContainers", "containers"];
    let pairs = |list: &str| {
        let before = items(old, &["spec", list]).to_vec();
        spec.child(list).items().zip(before).collect::<Vec<_>>()
    };
    for (container, before) in lists.into_iter().flat_map(pairs) {
        for part in ["requests", "limits"] {
            let amounts = container.child("resources").child(part);
            let mut kept = before["resources"][part].as_object().into_iter().flatten();
            if kept.any(|(name, _)| !amounts.has(name)) {
                amounts.forbidden(&format!("resource {part} cannot be removed"), errors);
            }
        }
    }
    for (container, before) in pairs("containers") {
        if fixed(container.value) != fixed(&before) {
            spec.forbidden(ONLY, errors);
        }
    }
    for (container, before) in pairs("initContainers") {
        if before["restartPolicy"] != "Always" && *container.value != before {
            spec.forbidden("resources for non-sidecar init containers are immutable", errors);
        } else if fixed(container.value) != fixed(&before) {
            let why = "only cpu and memory resources for init or sidecar containers are mutable";
            container.forbidden(why, errors);
        }
    }
    if errors.is_empty() && at(new, &["spec", "resources"]) != at(old, &["spec", "resources"]) {
        spec.forbidden(ONLY, errors);
    }
}

/// The part of a container that is not resized.
fn fixed(container: &Value) -> Value {
    let mut container = container.clone();
    if let Some(resources) = container.get_mut("resources").and_then(Value::as_object_mut) {
        for part in ["requests", "limits"] {
            let amounts = resources.get_mut(part).and_then(Value::as_object_mut);
            let left = amounts.is_some_and(|amounts| {
                amounts.retain(|name, _| !matches!(name.as_str(), "cpu" | "memory"));
                !amounts.is_empty()
            });
            if !left {
                resources.remove(part);
            }
        }
    }
    container
}

/// Tells whether the containers are those that there were.
fn same_order(spec: &Spot<'_>, old: &Value, errors: &mut Errors) -> bool {
    let before = errors.len();
    for list in ["containers", "initContainers"] {
        let (new, old) = (spec.child(list), items(old, &["spec", list]));
        if new.items().count() != old.len() {
            new.forbidden(&format!("{list} may not be added or removed on resize"), errors);
            continue;
        }
        for (container, old) in new.items().zip(old) {
            let name = container.child("name");
            if name.text() != text_at(old, &["name"]) {
                name.forbidden(&format!("{list} may not be renamed or reordered on resize"), errors);
            }
        }
    }
    errors.len() == before
}

/// Containers that are added to look into the pod.
pub(super) fn ephemeral(new: &Value, old: &Value, errors: &mut Errors) {
    pod::body(new, errors);
    let list = Spot::root(new).at("spec.ephemeralContainers");
    for before in items(old, &["spec", "ephemeralContainers"]) {
        let name = text_at(before, &["name"]);
        match list.items().find(|container| container.child("name").text() == name) {
            None => {
                list.forbidden(
                    &format!("existing ephemeral containers {name:?} may not be removed\n"),
                    errors,
                );
            }
            Some(after) if after.value != before => {
                list.forbidden(
                    &format!("existing ephemeral containers {name:?} may not be changed\n"),
                    errors,
                );
            }
            Some(_) => {}
        }
    }
}
