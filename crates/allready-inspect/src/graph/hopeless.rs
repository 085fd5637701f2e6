//! States that do not pass by themselves: somebody has to change something.

use serde_json::Value;

use super::{
    ObjectId, Reference, Relation,
    assess::{Assessor, MAX_STEPS, is_workload},
    events,
    relate::{self, is_builtin},
    text,
};
use crate::{
    health::Health,
    judge::{Rule, containers},
    view::View,
};

/// Reasons for which a part of a workload does not come up by itself, with what is wrong and from when on it counts. Whether
/// time mends them after all is for whoever waits: a registry may come back, and somebody may create what is missing.
pub const HOPELESS: [(&str, &str, &str); 12] = [
    ("ImagePullBackOff", "the image could not be pulled more than once", "at once"),
    ("ErrImagePull", "the image could not be pulled again", "after `ImagePullBackOff`"),
    ("ErrImageNeverPull", "the image is not on the node, and `imagePullPolicy` is `Never`", "at once"),
    ("InvalidImageName", "the image name is invalid", "at once"),
    ("CreateContainerConfigError", "a ConfigMap, a Secret or one of their keys does not exist", "at once"),
    ("CreateContainerError", "the container runtime cannot create the container", "at once"),
    ("RunContainerError", "the container runtime cannot start the command", "at once"),
    ("CrashLoopBackOff", "the container keeps crashing", "after 3 restarts"),
    ("Unschedulable", "no node fits the pod", "unless an autoscaler adds a node"),
    (
        "FailedCreate",
        "a quota, a policy or a webhook refuses the pods, or their ServiceAccount does not exist",
        "at once",
    ),
    (
        "NotFound",
        "a Secret, ConfigMap, PersistentVolumeClaim or StorageClass that the pod needs does not exist",
        "at once",
    ),
    ("FailedBinding", "the PersistentVolumeClaim cannot be bound", "at once"),
];

/// The reason why an object will not become healthy by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hopeless {
    /// The reason in words.
    pub(crate) why: String,
    /// Returns true if it has happened more than once. The first failure to pull an image may be the last.
    pub(crate) is_settled: bool,
}

impl Hopeless {
    fn settled(why: impl Into<String>) -> Self {
        Self { why: why.into(), is_settled: true }
    }

    /// Tells whether an image cannot be pulled, again and again.
    fn is_pull_back_off(&self) -> bool {
        self.is_settled && (self.why == PULL_BACK_OFF || self.why == PULL_FAILED)
    }
}

/// The reason of a container between two attempts to pull its image.
const PULL_BACK_OFF: &str = "ImagePullBackOff";
/// The reason of a container after an attempt. The kubelet alternates between both.
const PULL_FAILED: &str = "ErrImagePull";

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
    pub(crate) fn hopeless(&mut self, id: &ObjectId) -> Option<Hopeless> {
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
            // A custom kind comes up as its parts do.
            _ if !is_builtin(&id.group) => self.hopeless_parts(id),
            _ => None,
        };
        self.hoping.remove(id);
        why
    }

    fn hopeless_pod(&mut self, id: &ObjectId) -> Option<Hopeless> {
        let pod = self.known.object(id)?;
        // A pod whose node was deleted is deleted too, and replaced.
        let node = ObjectId::new("", "Node", "", text(&pod["spec"], "nodeName"));
        if !node.name.is_empty() && self.known.is_missing(&Reference::to(&node)) == Ok(true) {
            return None;
        }
        if self.is_missing_something(id) {
            return self.assess(id).map(|verdict| Hopeless::settled(verdict.message));
        }
        let view = View::new(pod);
        let mut containers = containers(&view);
        let stuck = containers.find(|container| {
            let is_known = HOPELESS.iter().any(|(reason, ..)| *reason == container.reason);
            let message = container.message.to_lowercase();
            let passes = PASSING.iter().any(|word| message.contains(word));
            let is_early = container.reason == "CrashLoopBackOff" && container.restarts < RESTARTS;
            is_known && !passes && !is_early
        });
        if let Some(container) = stuck {
            let is_settled = container.reason != PULL_FAILED || self.has_backed_off(id, pod, container.name);
            return Some(Hopeless { why: container.reason.to_owned(), is_settled });
        }
        let conditions = pod["status"]["conditions"].as_array().into_iter().flatten();
        let is_unschedulable =
            |one: &Value| text(one, "type") == "PodScheduled" && text(one, "reason") == "Unschedulable";
        if conditions.into_iter().any(is_unschedulable) {
            let is_scaling = |event: &Value| text(event, "reason") == "TriggeredScaleUp";
            let claims = self.hopeless_claims(id);
            let is_hopeless = !self.known.events_of(id).any(is_scaling);
            return claims.or_else(|| is_hopeless.then(|| Hopeless::settled("Unschedulable")));
        }
        self.hopeless_claims(id)
    }

    /// Tells whether the kubelet has waited between attempts to pull the image of a container: only its events say so while
    /// it tries again.
    fn has_backed_off(&self, id: &ObjectId, pod: &Value, container: &str) -> bool {
        let lists = ["initContainers", "containers"].map(|list| pod["spec"][list].as_array());
        let mut specs = lists.into_iter().flatten().flatten();
        let spec = specs.find(|spec| text(spec, "name") == container);
        let image = spec.map_or("", |spec| text(spec, "image"));
        let begin = format!("Back-off pulling image \"{image}\"");
        self.known.events_of(id).any(|event| {
            let message = if event["message"].is_string() { "message" } else { "note" };
            text(event, "reason") == "BackOff" && text(event, message).starts_with(&begin)
        })
    }

    fn is_missing_something(&mut self, id: &ObjectId) -> bool {
        self.assess(id).is_some_and(|verdict| verdict.rule == Rule::NeedsMissing)
    }

    /// A claim that a pod waits for in vain.
    fn hopeless_claims(&mut self, id: &ObjectId) -> Option<Hopeless> {
        let links = relate::of_object(self.known, id, false).links;
        let claims = links.iter().filter(|link| link.to.kind == "PersistentVolumeClaim");
        let claims: Vec<ObjectId> = claims.filter_map(|link| self.known.find(&link.to)).collect();
        claims.iter().find_map(|claim| self.hopeless(claim))
    }

    fn hopeless_claim(&mut self, id: &ObjectId) -> Option<Hopeless> {
        if self.is_missing_something(id) {
            return self.assess(id).map(|verdict| Hopeless::settled(verdict.message));
        }
        let told = events::of_object(self.known, id);
        told.into_iter()
            .find(|told| told.reason == "FailedBinding")
            .map(|told| Hopeless::settled(told.message))
    }

    /// A workload all of whose new parts that are not well are hopeless; or that may not make any.
    fn hopeless_workload(&mut self, id: &ObjectId) -> Option<Hopeless> {
        let parts = self.newest_parts(id)?;
        if parts.is_empty() { self.refused(id).map(Hopeless::settled) } else { together(parts) }
    }

    /// An object of a custom kind all of whose new parts that are not well are hopeless.
    fn hopeless_parts(&mut self, id: &ObjectId) -> Option<Hopeless> {
        together(self.newest_parts(id)?)
    }

    /// The prospects of the newest parts that are not well; nothing where one may still come up.
    fn newest_parts(&mut self, id: &ObjectId) -> Option<Vec<Hopeless>> {
        let links = relate::of_object(self.known, id, false).links;
        let parts = links.iter().filter(|link| link.relation == Relation::Controls);
        let parts: Vec<ObjectId> = parts.filter_map(|link| self.known.find(&link.to)).collect();
        let mut all = Vec::new();
        for part in parts.iter().filter(|part| comes_up(part)) {
            if self.known.is_deleted(part) {
                continue;
            }
            let is_over =
                self.known.object(part).is_some_and(|object| text(&object["status"], "phase") == "Failed");
            let verdict = self.assess(part)?;
            if matches!(verdict.health, Health::Healthy | Health::Suspended) || is_over {
                continue;
            }
            // One that may still come up is worth waiting for.
            all.push(self.hopeless(part)?);
        }
        Some(all)
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

/// Tells whether a part comes up by itself, rather than follow others as a Service follows its pods.
fn comes_up(part: &ObjectId) -> bool {
    let is_core = part.group.is_empty() && matches!(part.kind.as_str(), "Pod" | "PersistentVolumeClaim");
    is_core || is_workload(part) || !is_builtin(&part.group)
}

/// The prospects of a whole. Its parts are alike: an image that one has failed to pull again and again, another that fails for
/// the first time will not get either.
fn together(parts: Vec<Hopeless>) -> Option<Hopeless> {
    let backs_off = parts.iter().any(Hopeless::is_pull_back_off);
    let is_settled = backs_off || parts.iter().all(|part| part.is_settled);
    let most = parts.into_iter().max_by_key(|part| part.is_settled)?;
    Some(Hopeless { is_settled, ..most })
}
