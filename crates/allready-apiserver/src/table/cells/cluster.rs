//! Kinds without containers: nodes, namespaces, configuration, access, leases.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{
    NONE, age,
    age::UNKNOWN,
    name,
    text::{at, items, or, size},
};

pub(super) fn config_map(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![name(object), (size(object, &["data"]) + size(object, &["binaryData"])).into(), age(object, now)]
}

pub(super) fn secret(object: &Value, now: Timestamp) -> Vec<Value> {
    vec![name(object), at(object, &["type"]).into(), size(object, &["data"]).into(), age(object, now)]
}

pub(super) fn role_binding(object: &Value, now: Timestamp) -> Vec<Value> {
    let role = format!("{}/{}", at(object, &["roleRef", "kind"]), at(object, &["roleRef", "name"]));
    let subjects = |kind: &str| {
        let of_kind = items(object, &["subjects"]).iter().filter(|subject| at(subject, &["kind"]) == kind);
        let texts: Vec<_> = of_kind
            .map(|subject| match kind {
                "ServiceAccount" => format!("{}/{}", at(subject, &["namespace"]), at(subject, &["name"])),
                _ => at(subject, &["name"]).to_owned(),
            })
            .collect();
        Value::from(texts.join(", "))
    };
    let [users, groups, accounts] = ["User", "Group", "ServiceAccount"].map(subjects);
    vec![name(object), role.into(), age(object, now), users, groups, accounts]
}

pub(super) fn node(object: &Value, now: Timestamp) -> Vec<Value> {
    // Of two conditions of one type the last one counts.
    let ready =
        items(object, &["status", "conditions"]).iter().rev().find(|one| at(one, &["type"]) == "Ready");
    let mut status = match ready.map(|condition| at(condition, &["status"])) {
        Some("True") => "Ready",
        Some(_) => "NotReady",
        None => "Unknown",
    }
    .to_owned();
    if object["spec"]["unschedulable"] == true {
        status += ",SchedulingDisabled";
    }
    let system = &object["status"]["nodeInfo"];
    let mut kernel = or(at(system, &["kernelVersion"]), UNKNOWN).to_owned();
    let architecture = at(system, &["architecture"]);
    if !architecture.is_empty() {
        kernel = format!("{kernel} ({architecture})");
    }
    vec![
        name(object),
        status.into(),
        roles(object).into(),
        age(object, now),
        at(system, &["kubeletVersion"]).into(),
        address(object, "InternalIP"),
        address(object, "ExternalIP"),
        or(at(system, &["osImage"]), UNKNOWN).into(),
        kernel.into(),
        or(at(system, &["containerRuntimeVersion"]), UNKNOWN).into(),
    ]
}

fn roles(node: &Value) -> String {
    let labels = node["metadata"]["labels"].as_object().into_iter().flatten();
    let roles: BTreeSet<&str> = labels
        .filter_map(|(key, value)| match key.strip_prefix("node-role.kubernetes.io/") {
            Some(role) => Some(role),
            None if key == "kubernetes.io/role" => value.as_str(),
            None => None,
        })
        .filter(|role| !role.is_empty())
        .collect();
    or(&roles.into_iter().collect::<Vec<_>>().join(","), NONE).to_owned()
}

fn address(node: &Value, kind: &str) -> Value {
    let of_kind = items(node, &["status", "addresses"]).iter().find(|one| at(one, &["type"]) == kind);
    of_kind.map_or(NONE, |address| at(address, &["address"])).into()
}
