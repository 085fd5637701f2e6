//! Explanations of hand-written clusters.

mod bounds;
mod errors;
mod gaps;
mod gateway;
mod hopeless;
mod reports;
mod workloads;

use serde_json::{Value, json};

use super::{Bounds, Explanation, Node, explain};
use crate::graph::{Extent, Known, ObjectId, Reference};
use crate::registry::Registry;
use allready_core::Time;

/// Noon of a day on which everything is wrong.
fn noon() -> Time {
    "2026-11-15T12:00:00Z".parse().unwrap()
}

/// A condition since five minutes ago.
fn condition(type_: &str, status: &str, reason: &str, message: &str) -> Value {
    json!({ "type": type_, "status": status, "reason": reason, "message": message,
        "lastTransitionTime": "2026-11-15T11:55:00Z" })
}

fn object(api_version: &str, kind: &str, name: &str, spec: &Value, status: &Value) -> Value {
    json!({ "apiVersion": api_version, "kind": kind, "spec": spec, "status": status,
        "metadata": { "name": name, "namespace": "shop", "uid": format!("{kind}-{name}") } })
}

/// The same with an owner, which controls it.
fn owned(mut object: Value, api_version: &str, kind: &str, name: &str) -> Value {
    object["metadata"]["ownerReferences"] = json!([{ "apiVersion": api_version, "kind": kind, "name": name,
        "uid": format!("{kind}-{name}"), "controller": true }]);
    object
}

fn ready(status: &str, reason: &str) -> Value {
    json!({ "conditions": [condition("Ready", status, reason, "")] })
}

/// Everything that there is.
fn cluster(objects: impl IntoIterator<Item = Value>) -> Known {
    let mut known = Known::new(Extent::Everything);
    objects.into_iter().for_each(|object| known.add(object));
    known
}

fn explained(known: &Known, group: &str, kind: &str, name: &str) -> Explanation {
    explained_within(known, group, kind, name, &Bounds::default())
}

fn explained_within(known: &Known, group: &str, kind: &str, name: &str, bounds: &Bounds) -> Explanation {
    let root = Reference::to(&ObjectId::new(group, kind, "shop", name));
    explain(known, &root, Registry::builtin(), noon(), bounds)
}

/// The first cause, as `label: reason`.
fn cause(explanation: &Explanation) -> String {
    let node = cause_node(explanation);
    let label = if node.label == node.object.to_string() {
        node.label.clone()
    } else {
        format!("{} {}", node.object, node.label)
    };
    format!("{label}: {}", node.reason)
}

fn cause_node(explanation: &Explanation) -> &Node {
    &explanation.nodes[explanation.cause.as_ref().expect("something is wrong").node()]
}

/// The path to the first cause, as relations and labels.
fn path(explanation: &Explanation) -> Vec<String> {
    let path = &explanation.cause.as_ref().expect("something is wrong").path;
    let steps = path.iter().map(|&index| &explanation.nodes[index]);
    steps.map(|node| format!("{} {}", node.relation, node.label).trim().to_owned()).collect()
}

fn find<'a>(explanation: &'a Explanation, label: &str) -> Option<&'a Node> {
    explanation.nodes.iter().find(|node| node.label == label)
}
