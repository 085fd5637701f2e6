//! Pods, and the kinds that run them.

use serde_json::Value;

use super::{Errors, at_least_zero, immutable, one_of};
use crate::{
    builtin::{
        path::{at, at_mut, carry, items, number_at, text_at},
        table::Row,
    },
    rest::names,
    status::FieldError,
};

const STATEFUL: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const POD: &str = "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

pub(super) fn check(row: &Row, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if row.kind == "Pod" {
        if let Some(spec) = at(new, &["spec"]) {
            pod(spec, "spec", errors);
            one_of(
                "spec.restartPolicy".into(),
                text_at(spec, &["restartPolicy"]),
                &["Always", "OnFailure", "Never"],
                errors,
            );
        }
        if let Some(old) = old
            && items(new, &["spec", "containers"]).len() != items(old, &["spec", "containers"]).len()
        {
            errors.push(FieldError::forbidden(
                "spec.containers",
                "pod updates may not add or remove containers",
            ));
        } else if let Some(old) = old.filter(|old| !only_allowed(new, old)) {
            let _ = old;
            errors.push(FieldError::forbidden("spec", POD));
        }
        return;
    }
    if row.kind == "Job" {
        for field in
            ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"]
        {
            at_least_zero(new, &["spec", field], errors);
        }
    } else {
        at_least_zero(new, &["spec", "replicas"], errors);
        at_least_zero(new, &["spec", "minReadySeconds"], errors);
    }
    selector(row, new, errors);
    if let Some(spec) = at(new, &["spec", "template", "spec"]) {
        pod(spec, "spec.template.spec", errors);
        let policy = text_at(spec, &["restartPolicy"]);
        let place = "spec.template.spec.restartPolicy";
        match row.kind {
            "Job" if policy == "Always" => {
                errors.push(FieldError::required(place, "valid values: \"OnFailure\", \"Never\""));
            }
            "Job" => {}
            _ => one_of(place.into(), policy, &["Always"], errors),
        }
    }
    if row.kind != "Job" {
        at_least_zero(new, &["spec", "revisionHistoryLimit"], errors);
    }
    if let Some(old) = old {
        match row.kind {
            "StatefulSet" => {
                let fixed = ["selector", "serviceName", "volumeClaimTemplates", "podManagementPolicy"];
                if fixed.iter().any(|field| at(new, &["spec", field]) != at(old, &["spec", field])) {
                    errors.push(FieldError::forbidden("spec", STATEFUL));
                }
            }
            "Job" => {
                for field in ["completions", "selector", "completionMode"] {
                    immutable(new, old, &["spec", field], errors);
                }
            }
            _ => immutable(new, old, &["spec", "selector"], errors),
        }
    }
}

/// Whether an update of a pod touches only what may change in one.
fn only_allowed(new: &Value, old: &Value) -> bool {
    let mut expected = old.clone();
    for field in ["activeDeadlineSeconds", "tolerations"] {
        carry(&mut expected, new, &["spec", field]);
    }
    for list in ["containers", "initContainers"] {
        let images = items(new, &["spec", list]).iter().map(|container| container.get("image").cloned());
        let containers = at_mut(&mut expected, &["spec", list]).and_then(Value::as_array_mut);
        for (container, image) in containers.into_iter().flatten().zip(images) {
            if let (Some(container), Some(image)) = (container.as_object_mut(), image) {
                container.insert("image".into(), image);
            }
        }
    }
    let shortened = ["spec", "terminationGracePeriodSeconds"];
    if number_at(old, &shortened).is_some_and(|seconds| seconds < 0) && number_at(new, &shortened) == Some(1)
    {
        carry(&mut expected, new, &shortened);
    }
    at(&expected, &["spec"]) == at(new, &["spec"])
}

/// Counters of pods in a status: none is below zero, and no part is more than the whole.
pub(super) fn counters(row: &Row, new: &Value, errors: &mut Errors) {
    let (counts, bounds): (&[&str], &[(&str, &str)]) = match row.kind {
        "Deployment" => (
            &["replicas", "updatedReplicas", "readyReplicas", "availableReplicas", "unavailableReplicas"],
            &[
                ("updatedReplicas", "replicas"),
                ("readyReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "ReplicaSet" => (
            &["replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas"],
            &[
                ("fullyLabeledReplicas", "replicas"),
                ("readyReplicas", "replicas"),
                ("availableReplicas", "replicas"),
                ("availableReplicas", "readyReplicas"),
            ],
        ),
        "StatefulSet" => (
            &["replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"],
            &[
                ("readyReplicas", "replicas"),
                ("currentReplicas", "replicas"),
                ("updatedReplicas", "replicas"),
            ],
        ),
        "DaemonSet" => (
            &[
                "currentNumberScheduled",
                "numberMisscheduled",
                "desiredNumberScheduled",
                "numberReady",
                "updatedNumberScheduled",
                "numberAvailable",
                "numberUnavailable",
            ],
            &[],
        ),
        _ => return,
    };
    for field in counts {
        at_least_zero(new, &["status", field], errors);
    }
    let count = |field: &str| number_at(new, &["status", field]).unwrap_or(0);
    for (part, whole) in bounds {
        if count(part) > count(whole) {
            let prefix = if *whole == "replicas" { "status." } else { "" };
            let why = format!("cannot be greater than {prefix}{whole}");
            errors.push(FieldError::invalid(format!("status.{part}"), count(part), why));
        }
    }
}

fn selector(row: &Row, new: &Value, errors: &mut Errors) {
    let labels = at(new, &["spec", "template", "metadata", "labels"]);
    let selector = at(new, &["spec", "selector"]);
    match selector {
        None if row.kind != "DaemonSet" => errors.push(FieldError::required("spec.selector", "")),
        Some(found) if row.kind != "Job" && found.as_object().is_some_and(serde_json::Map::is_empty) => {
            let kind =
                if row.kind == "ReplicaSet" { "deployment".into() } else { row.kind.to_ascii_lowercase() };
            let why = format!("empty selector is invalid for {kind}");
            errors.push(FieldError::invalid("spec.selector", found.clone(), why));
            return;
        }
        _ => {}
    }
    if !selector.is_some_and(|selector| selects(selector, labels)) {
        errors.push(FieldError::invalid(
            "spec.template.metadata.labels",
            labels.cloned().unwrap_or_default(),
            "`selector` does not match template `labels`",
        ));
    }
}

fn selects(selector: &Value, labels: Option<&Value>) -> bool {
    let value = |key: &str| labels.and_then(|labels| labels.get(key));
    let equal = at(selector, &["matchLabels"]).and_then(Value::as_object);
    let met = |expression: &Value| {
        let found = value(text_at(expression, &["key"]));
        let listed = found.is_some_and(|found| items(expression, &["values"]).contains(found));
        match text_at(expression, &["operator"]) {
            "In" => listed,
            "NotIn" => !listed,
            "Exists" => found.is_some(),
            "DoesNotExist" => found.is_none(),
            _ => false,
        }
    };
    equal.into_iter().flatten().all(|(key, wanted)| value(key) == Some(wanted))
        && items(selector, &["matchExpressions"]).iter().all(met)
}

fn pod(spec: &Value, place: &str, errors: &mut Errors) {
    if items(spec, &["containers"]).is_empty() {
        errors.push(FieldError::required(format!("{place}.containers"), ""));
    }
    let mut seen: Vec<&str> = Vec::new();
    for list in ["containers", "initContainers"] {
        for (index, container) in items(spec, &[list]).iter().enumerate() {
            let place = format!("{place}.{list}[{index}]");
            let name = text_at(container, &["name"]);
            if name.is_empty() {
                errors.push(FieldError::required(format!("{place}.name"), ""));
            } else {
                for problem in names::dns_label(name) {
                    errors.push(FieldError::invalid(format!("{place}.name"), name, problem));
                }
                if seen.contains(&name) {
                    errors.push(FieldError::duplicate(format!("{place}.name"), name));
                }
            }
            seen.push(name);
            let image = text_at(container, &["image"]);
            if image.is_empty() {
                errors.push(FieldError::required(format!("{place}.image"), ""));
            } else if image.trim() != image {
                let why = "must not have leading or trailing whitespace";
                errors.push(FieldError::invalid(format!("{place}.image"), image, why));
            }
            for (index, port) in items(container, &["ports"]).iter().enumerate() {
                let field = format!("{place}.ports[{index}].containerPort");
                match number_at(port, &["containerPort"]).unwrap_or(0) {
                    0 => errors.push(FieldError::required(field, "")),
                    1..=65535 => {}
                    port => {
                        errors.push(FieldError::invalid(
                            field,
                            port,
                            "must be between 1 and 65535, inclusive",
                        ));
                    }
                }
            }
        }
    }
}
