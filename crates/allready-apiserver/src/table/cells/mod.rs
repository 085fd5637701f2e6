//! What stands in the rows of the built-in kinds.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use listed::Cell;

mod cluster;
mod event;
mod listed;
mod pod;
mod service;
mod text;
mod workload;

/// What an empty cell says.
const NONE: &str = "<none>";

/// The function that makes the cells of an object.
pub(super) enum Cells {
    /// By a function, at a moment.
    Made(fn(&Value, Timestamp) -> Vec<Value>),
    /// One by one, each from a field.
    Listed(&'static [Cell]),
}

impl Cells {
    pub(super) fn of(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        match self {
            Self::Made(make) => make(object, now),
            Self::Listed(cells) => cells.iter().map(|cell| cell.of(object, now)).collect(),
        }
    }
}

/// How a built-in kind prints; those that are not here have a name and a creation time.
pub(super) fn cells(group: &str, plural: &str) -> Option<Cells> {
    let made: fn(&Value, Timestamp) -> Vec<Value> = match (group, plural) {
        ("", "configmaps") => cluster::config_map,
        ("" | "events.k8s.io", "events") => event::event,
        ("", "nodes") => cluster::node,
        ("", "pods") => pod::pod,
        ("", "secrets") => cluster::secret,
        ("", "services") => service::service,
        ("apps", "daemonsets") => workload::daemon_set,
        ("apps", "deployments") => workload::deployment,
        ("apps", "replicasets") => workload::replica_set,
        ("apps", "statefulsets") => workload::stateful_set,
        ("batch", "cronjobs") => workload::cron_job,
        ("batch", "jobs") => workload::job,
        ("rbac.authorization.k8s.io", "clusterrolebindings" | "rolebindings") => cluster::role_binding,
        _ => return listed::cells(group, plural).map(Cells::Listed),
    };
    Some(Cells::Made(made))
}

/// A name and a creation time.
pub(super) fn plain(object: &Value) -> Vec<Value> {
    // The zero time of the real server.
    let created = object["metadata"]["creationTimestamp"].as_str().unwrap_or("0001-01-01T00:00:00Z");
    vec![name(object), created.into()]
}

/// What a row says about its object as a whole: a pod that has ended is completed.
pub(super) fn conditions(group: &str, plural: &str, object: &Value) -> Option<Value> {
    let phase = text::at(object, &["status", "phase"]);
    let message = match (group, plural, phase) {
        ("", "pods", "Succeeded") => "The pod has completed successfully.",
        ("", "pods", "Failed") => "The pod failed.",
        _ => return None,
    };
    Some(json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}]))
}

fn name(object: &Value) -> Value {
    text::at(object, &["metadata", "name"]).into()
}

fn age(object: &Value, now: Timestamp) -> Value {
    age::since(&object["metadata"]["creationTimestamp"], now).into()
}
