//! What stands in the rows of the built-in kinds.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    age,
    headings::{self, Heading},
};

mod cluster;
mod event;
mod pod;
mod service;
mod text;
mod workload;

/// What an empty cell says.
const NONE: &str = "<none>";

/// The cells of an object at a moment.
type Cells = fn(&Value, Timestamp) -> Vec<Value>;

/// How a kind prints: its columns, and the cells of an object.
pub(super) struct Printer {
    pub(super) headings: &'static [Heading],
    pub(super) cells: Cells,
}

/// How a built-in kind prints; those that are not here have a name and a creation time.
pub(super) fn printer(group: &str, plural: &str) -> Option<Printer> {
    let (headings, cells): (&'static [Heading], Cells) = match (group, plural) {
        ("", "configmaps") => (headings::CONFIG_MAP, cluster::config_map),
        ("" | "events.k8s.io", "events") => (headings::EVENT, event::event),
        ("", "namespaces") => (headings::NAMESPACE, cluster::namespace),
        ("", "nodes") => (headings::NODE, cluster::node),
        ("", "pods") => (headings::POD, pod::pod),
        ("", "secrets") => (headings::SECRET, cluster::secret),
        ("", "serviceaccounts") => (headings::SERVICE_ACCOUNT, cluster::service_account),
        ("", "services") => (headings::SERVICE, service::service),
        ("apps", "daemonsets") => (headings::DAEMON_SET, workload::daemon_set),
        ("apps", "deployments") => (headings::DEPLOYMENT, workload::deployment),
        ("apps", "replicasets") => (headings::REPLICA_SET, workload::replica_set),
        ("apps", "statefulsets") => (headings::STATEFUL_SET, workload::stateful_set),
        ("batch", "cronjobs") => (headings::CRON_JOB, workload::cron_job),
        ("batch", "jobs") => (headings::JOB, workload::job),
        ("coordination.k8s.io", "leases") => (headings::LEASE, cluster::lease),
        ("rbac.authorization.k8s.io", "clusterrolebindings") => {
            (headings::CLUSTER_ROLE_BINDING, cluster::role_binding)
        }
        ("rbac.authorization.k8s.io", "rolebindings") => (headings::ROLE_BINDING, cluster::role_binding),
        _ => return None,
    };
    Some(Printer { headings, cells })
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
