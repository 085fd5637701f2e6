//! What is kept of an object that is judged in view of others.

use serde_json::Value;

use crate::{
    explain::{self, Node},
    graph::{
        Kept, ObjectId,
        assess::{aggregation_of, leads_on, written_by},
        text,
    },
    health::Health,
    judge::{Hint, Verdict, hints},
    registry::Registry,
};
use allready_core::Time;

/// An object as the search for causes needs it: much less than the object, where it is well.
#[derive(Debug)]
pub struct Digest {
    pub(super) id: ObjectId,
    pub(super) kept: Kept,
    /// The part of it that says most, where it is not well.
    pub(super) part: Option<Box<Node>>,
    /// All of it, where others are understood by it.
    pub(super) object: Option<Value>,
    /// What is not wrong with it yet, and will be.
    pub(super) hints: Vec<Hint>,
}

impl Digest {
    /// The digest of an object, and the verdict on it alone. Nothing for what has no kind or name.
    pub fn of(mut object: Value, verdict: Verdict, registry: &Registry, now: Time) -> Option<Self> {
        let id = ObjectId::of(&object)?;
        let is_well = matches!(verdict.health, Health::Healthy | Health::Suspended);
        let part = if is_well {
            None
        } else {
            explain::worst_part(&id, &object, &verdict, registry, now).map(Box::new)
        };
        let hints = hints(&object, now);
        // Nodes have one each, and nobody asks for those.
        let is_lease = id.kind == "Lease" && id.namespace != "kube-node-lease";
        // Of a file, which has its events in it: in a cluster only those of what is not well are asked for.
        let is_warning = id.kind == "Event" && text(&object, "type") == "Warning";
        let aggregation = aggregation_of(&object).map(str::to_owned);
        let is_kept = !is_well
            || leads_on(&id)
            || is_resting(&id, &object)
            || is_lease
            || is_warning
            || aggregation.is_some();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            // The parts have their writers, and nothing else is read of it but the hub that wrote the status.
            metadata.remove("managedFields");
            metadata.extend(aggregation.map(|name| ("managedFields".to_owned(), written_by(&name))));
        }
        let kept = Kept::judged(&id, &object, verdict, is_kept);
        Some(Self { id, kept, part, object: is_kept.then_some(object), hints })
    }

    /// The digest of something of which there is only a verdict: it is not there, or cannot be read.
    pub fn of_verdict(id: ObjectId, verdict: Verdict) -> Self {
        let kept = Kept::judged(&id, &Value::Null, verdict, false);
        Self { id, kept, part: None, object: None, hints: Vec::new() }
    }

    /// The full name of the object.
    pub fn id(&self) -> &ObjectId {
        &self.id
    }

    /// Tells whether the verdict in view of others may be another one than that on the object alone.
    pub fn may_change(&self) -> bool {
        self.object.is_some()
    }
}

/// Tells whether a cluster has more objects of this kind than of all others.
pub(super) fn is_numerous(id: &ObjectId) -> bool {
    matches!(id.kind.as_str(), "Pod" | "ReplicaSet" | "Job" | "StatusReport" | "InstanceStatus" | "Lease")
}

/// Tells whether a workload is scaled to zero: a Service without pods may be meant to have none.
fn is_resting(id: &ObjectId, object: &Value) -> bool {
    let has_replicas = matches!(id.kind.as_str(), "Deployment" | "StatefulSet");
    id.group == "apps" && has_replicas && object["spec"]["replicas"] == 0
}
