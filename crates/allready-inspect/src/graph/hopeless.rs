//! States that do not pass by themselves: somebody has to change something.

use serde_json::Value;

use super::{
    ObjectId, Relation,
    assess::{Assessor, MAX_STEPS, is_workload},
    events, relate, text,
};
use crate::{
    health::Health,
    judge::{Rule, containers},
    view::View,
};

/// Reasons for which a container does not start and will not, with what is wrong. Whether time mends them after all is for
/// whoever waits: a registry may come back, and somebody may create what is missing.
pub const HOPELESS: [(&str, &str); 9] = [
    ("ImagePullBackOff", "the image could not be pulled, more than once"),
    ("ErrImageNeverPull", "the image is not on the node, and may not be pulled"),
    ("InvalidImageName", "the name of the image is not one"),
    ("CreateContainerConfigError", "a ConfigMap, a Secret or a key of one is missing"),
    ("CreateContainerError", "the runtime refuses the container"),
    ("RunContainerError", "the command of the container cannot be started"),
    ("CrashLoopBackOff", "the container ended again and again, at least three times"),
    ("Unschedulable", "no node fits the pod, and no autoscaler has said that it adds one"),
    (
        "FailedCreate",
        "pods are refused: by a quota, a policy, a webhook, or for want of their ServiceAccount",
    ),
];

/// From so many restarts on a container is not expected to recover: before, it may have waited for something.
const RESTARTS: i64 = 3;

/// Words of errors that pass by themselves.
const PASSING: [&str; 8] = [
    "timeout",
    "timed out",
    "connection refused",
    "connection reset",
    "too many requests",
    "temporar",
    "unavailable",
    "no such host",
];

impl Assessor<'_> {
    /// Says why an object will not become healthy by itself; nothing where it may.
    pub(crate) fn hopeless(&mut self, id: &ObjectId) -> Option<String> {
        let verdict = self.assess(id)?;
        let is_well = matches!(verdict.health, Health::Healthy | Health::Suspended);
        if is_well || self.known.is_deleted(id) {
            return None;
        }
        // A circle proves nothing.
        if self.hoping.len() >= MAX_STEPS || !self.hoping.insert(id.clone()) {
            return None;
        }
        let why = match (id.group.as_str(), id.kind.as_str()) {
            ("", "Pod") => self.hopeless_pod(id),
            ("", "PersistentVolumeClaim") => self.hopeless_claim(id),
            _ if is_workload(id) => self.hopeless_workload(id),
            _ => None,
        };
        self.hoping.remove(id);
        why
    }

    fn hopeless_pod(&mut self, id: &ObjectId) -> Option<String> {
        let pod = self.known.object(id)?;
        if self.is_missing_something(id) {
            return self.assess(id).map(|verdict| verdict.message);
        }
        let view = View::new(pod);
        let mut containers = containers(&view);
        let stuck = containers.find(|container| {
            let is_known = HOPELESS.iter().any(|(reason, _)| *reason == container.reason);
            let message = container.message.to_lowercase();
            let passes = PASSING.iter().any(|word| message.contains(word));
            let is_early = container.reason == "CrashLoopBackOff" && container.restarts < RESTARTS;
            is_known && !passes && !is_early
        });
        if let Some(container) = stuck {
            return Some(container.reason.to_owned());
        }
        let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
        let is_unschedulable =
            |one: &Value| text(one, "type") == "PodScheduled" && text(one, "reason") == "Unschedulable";
        if conditions.into_iter().any(is_unschedulable) {
            let is_scaling = |event: &Value| text(event, "reason") == "TriggeredScaleUp";
            let claims = self.hopeless_claims(id);
            let is_hopeless = !self.known.events_of(id).any(is_scaling);
            return claims.or_else(|| is_hopeless.then(|| "Unschedulable".to_owned()));
        }
        self.hopeless_claims(id)
    }

    fn is_missing_something(&mut self, id: &ObjectId) -> bool {
        self.assess(id).is_some_and(|verdict| verdict.rule == Rule::Related && verdict.reason == "NotFound")
    }

    /// A claim that a pod waits for in vain.
    fn hopeless_claims(&mut self, id: &ObjectId) -> Option<String> {
        let links = relate::of_object(self.known, id, false).links;
        let claims = links.iter().filter(|link| link.to.kind == "PersistentVolumeClaim");
        let claims: Vec<ObjectId> = claims.filter_map(|link| self.known.find(&link.to)).collect();
        claims.iter().find_map(|claim| self.hopeless(claim))
    }

    fn hopeless_claim(&mut self, id: &ObjectId) -> Option<String> {
        if self.is_missing_something(id) {
            return self.assess(id).map(|verdict| verdict.message);
        }
        let told = events::of_object(self.known, id);
        told.into_iter().find(|told| told.reason == "FailedBinding").map(|told| told.message)
    }

    /// A workload all of whose new parts that are not well are hopeless; or that may not make any.
    fn hopeless_workload(&mut self, id: &ObjectId) -> Option<String> {
        let links = relate::of_object(self.known, id, false).links;
        let parts = links.iter().filter(|link| link.relation == Relation::Controls);
        let parts: Vec<ObjectId> = parts.filter_map(|link| self.known.find(&link.to)).collect();
        let latest = parts.iter().filter_map(|part| self.known.revision(part)).max();
        let mut why = None;
        for part in &parts {
            let revision = self.known.revision(part);
            if (revision.is_some() && revision != latest) || self.known.is_deleted(part) {
                continue;
            }
            let is_over =
                self.known.object(part).is_some_and(|object| text(&object["status"], "phase") == "Failed");
            let verdict = self.assess(part)?;
            if matches!(verdict.health, Health::Healthy | Health::Suspended) || is_over {
                continue;
            }
            // One that may still come up is worth waiting for.
            why = Some(self.hopeless(part)?);
        }
        why.or_else(|| self.refused(id))
    }

    /// The pods of a workload are refused.
    fn refused(&mut self, id: &ObjectId) -> Option<String> {
        let conditions = self.known.object(id).map(|object| &object["status"]["conditions"]);
        let conditions = conditions.and_then(Value::as_array).into_iter().flatten();
        let is_refused =
            |one: &&Value| text(one, "type") == "ReplicaFailure" && text(one, "status") == "True";
        let said = conditions.into_iter().find(is_refused).map(|one| text(one, "message").to_owned());
        said.or_else(|| {
            let told = events::of_object(self.known, id).into_iter().next()?;
            (told.reason == "FailedCreate").then_some(told.message)
        })
    }
}
