//! What is wrong with an object, beyond its metadata.

use serde_json::{Value, json};

use super::{
    path::{at, flag_at, items, number_at, text_at},
    table::Row,
};
use crate::{
    resource::Endpoint,
    status::{FieldError, Mistake},
};

mod event;
mod rbac;
mod workload;

type Errors = Vec<FieldError>;

/// Everything that is wrong.
pub(crate) fn object(row: &Row, endpoint: Endpoint, new: &Value, old: Option<&Value>) -> Errors {
    let mut errors = Vec::new();
    if endpoint == Endpoint::Status {
        workload::counters(row, new, &mut errors);
        if row.kind == "Service"
            && text_at(new, &["spec", "type"]) != "LoadBalancer"
            && !items(new, &["status", "loadBalancer", "ingress"]).is_empty()
        {
            let why = "may only be used when `spec.type` is 'LoadBalancer'";
            errors.push(FieldError::forbidden("status.loadBalancer.ingress", why));
        }
        let phase = text_at(new, &["status", "phase"]);
        if row.kind == "Namespace"
            && at(new, &["metadata", "deletionTimestamp"]).is_none()
            && phase != "Active"
        {
            let why = "may only be 'Active' if `deletionTimestamp` is empty";
            errors.push(FieldError::invalid("status.Phase", phase, why));
        }
    }
    if endpoint != Endpoint::Main {
        return errors;
    }
    match row.kind {
        "Node" => {
            for (field, shown) in [("podCIDR", "podCIDRs"), ("providerID", "providerID")] {
                let before = old.map_or("", |old| text_at(old, &["spec", field]));
                if !before.is_empty() && text_at(new, &["spec", field]) != before {
                    let why = format!("node updates may not change {field} except from \"\" to valid");
                    errors.push(FieldError::forbidden(format!("spec.{shown}"), why));
                }
            }
        }
        "Event" => event::check(row, new, old, &mut errors),
        "Lease" => {
            if let Some(seconds) = number_at(new, &["spec", "leaseDurationSeconds"]).filter(|n| *n <= 0) {
                errors.push(FieldError::invalid(
                    "spec.leaseDurationSeconds",
                    seconds,
                    "must be greater than 0",
                ));
            }
            at_least_zero(new, &["spec", "leaseTransitions"], &mut errors);
        }
        "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" => {
            rbac::check(row, new, old, &mut errors);
        }
        "Deployment" | "DaemonSet" | "ReplicaSet" | "StatefulSet" | "Job" | "Pod" => {
            workload::check(row, new, old, &mut errors);
        }
        "ConfigMap" | "Secret" => frozen(new, old, &mut errors),
        "Service" => service(new, old, &mut errors),
        _ => {}
    }
    errors
}

fn at_least_zero(object: &Value, path: &[&str], errors: &mut Errors) {
    if let Some(number) = number_at(object, path).filter(|number| *number < 0) {
        errors.push(FieldError::invalid(path.join("."), number, "must be greater than or equal to 0"));
    }
}

/// What says `immutable` keeps its data, and stays immutable. The type of a secret never changes.
fn frozen(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let Some(old) = old else { return };
    if at(new, &["type"]) != at(old, &["type"]) {
        errors.push(FieldError::invalid("type", text_at(new, &["type"]), "field is immutable"));
    }
    if flag_at(old, &["immutable"]) {
        for field in ["immutable", "data", "binaryData"] {
            let changed = match field {
                "immutable" => !flag_at(new, &["immutable"]),
                field => at(new, &[field]) != at(old, &[field]),
            };
            if changed {
                errors.push(FieldError::forbidden(field, "field is immutable when `immutable` is set"));
            }
        }
    }
}

fn service(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    let ports = items(new, &["spec", "ports"]);
    let kind = text_at(new, &["spec", "type"]);
    let headless = text_at(new, &["spec", "clusterIP"]) == "None";
    if ports.is_empty() && !headless && kind != "ExternalName" {
        errors.push(FieldError::required("spec.ports", ""));
    }
    let mut names: Vec<&str> = Vec::new();
    for (index, port) in ports.iter().enumerate() {
        let place = format!("spec.ports[{index}]");
        let name = text_at(port, &["name"]);
        if name.is_empty() && ports.len() > 1 {
            errors.push(FieldError::required(format!("{place}.name"), ""));
        } else if !name.is_empty() && names.contains(&name) {
            errors.push(FieldError::duplicate(format!("{place}.name"), name));
        }
        names.push(name);
        for field in ["port", "targetPort"] {
            if let Some(number) = number_at(port, &[field]).filter(|n| !(1..=65535).contains(n)) {
                let why = "must be between 1 and 65535, inclusive";
                errors.push(FieldError::invalid(format!("{place}.{field}"), number, why));
            }
        }
    }
    let kinds = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
    if !kinds.contains(&kind) {
        errors.push(FieldError::not_supported("spec.type", kind, &kinds));
    }
    if kind == "ExternalName" && text_at(new, &["spec", "externalName"]).is_empty() {
        errors.push(FieldError::required("spec.externalName", ""));
    }
    let addressed = |service: &Value| text_at(service, &["spec", "type"]) != "ExternalName";
    if let Some(old) = old.filter(|old| addressed(old) && addressed(new)) {
        let address = text_at(new, &["spec", "clusterIP"]);
        if address != text_at(old, &["spec", "clusterIP"]) {
            let why = "may not change once set";
            errors.push(FieldError::invalid("spec.clusterIPs[0]", json!([address]), why));
        }
    }
}

/// `Unsupported value` for text that is not one of some words.
fn one_of(field: String, word: &str, allowed: &[&str], errors: &mut Errors) {
    if !allowed.contains(&word) {
        errors.push(FieldError::not_supported(field, word, allowed));
    }
}

fn immutable(new: &Value, old: &Value, path: &[&str], errors: &mut Errors) {
    if at(new, path) != at(old, path) {
        let value = at(new, path).cloned().unwrap_or_default();
        errors.push(FieldError::new(Mistake::Invalid, path.join("."), value, "field is immutable"));
    }
}
