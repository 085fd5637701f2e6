//! Pods, and the kinds that run them.

use serde_json::Value;

use super::{Errors, at_least_zero, immutable, one_of};
use crate::{
    builtin::{
        path::{at, items, number_at, text_at},
        table::Row,
    },
    rest::names,
    status::FieldError,
};

const STATEFUL: &str = "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

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
