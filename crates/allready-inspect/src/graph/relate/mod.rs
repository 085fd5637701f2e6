//! The relations of an object to others, as far as is known, and what to ask for to know more.

mod network;
mod reports;

use serde_json::Value;

use super::{
    id::{ObjectId, Reference, text},
    known::{Known, Request},
    references::GATEWAY,
    relation::Relation,
    selectors,
};
use crate::{health::Health, judge::Rule};

/// The group of our own kinds.
pub(super) const ALLREADY: &str = "allready.dev";
/// So much of what was applied is looked at.
const MAX_APPLIED: usize = 100;

/// Another object, and how it is related.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) relation: Relation,
    pub(crate) to: Reference,
}

/// Something that follows from how objects stand to each other, and that no status says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) rule: Rule,
    pub(crate) health: Health,
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

/// The relations of an object.
#[derive(Debug, Default)]
pub(crate) struct Related {
    pub(crate) links: Vec<Link>,
    pub(crate) findings: Vec<Finding>,
    /// The requests; not necessarily unanswered.
    pub(crate) requests: Vec<Request>,
}

/// Finds what an object is related to. More is looked for from what was asked about than from what was met on the way.
pub(crate) fn of_object(known: &Known, id: &ObjectId, is_root: bool) -> Related {
    let object = known.object(id).unwrap_or(&Value::Null);
    let mut relating = Relating { known, id, object, related: Related::default() };
    relating.owned();
    relating.applied();
    relating.selected();
    relating.reported(is_root);
    if is_root {
        relating.attached();
    }
    relating.referred();
    relating.related
}

struct Relating<'a> {
    known: &'a Known,
    id: &'a ObjectId,
    object: &'a Value,
    related: Related,
}

impl Relating<'_> {
    fn link(&mut self, relation: Relation, to: Reference) {
        self.related.links.push(Link { relation, to });
    }

    fn links(&mut self, relation: Relation, to: impl IntoIterator<Item = Reference>) {
        self.related.links.extend(to.into_iter().map(|to| Link { relation, to }));
    }

    fn find(&mut self, rule: Rule, health: Health, reason: &'static str, message: String) {
        self.related.findings.push(Finding { rule, health, reason, message });
    }

    fn list(&mut self, group: &str, kind: &str, namespace: &str, labels: &str) -> Request {
        let [group, kind, namespace, labels] = [group, kind, namespace, labels].map(str::to_owned);
        let request = Request::List { group, kind, namespace, labels };
        self.related.requests.push(request.clone());
        request
    }

    /// Tells whether the answer to a request is there, and is everything.
    fn is_whole(&self, request: &Request) -> bool {
        self.known.is_answered(request) && self.known.gap(request).is_none()
    }

    /// Adds what names this object as its owner.
    fn owned(&mut self) {
        let (namespace, labels) =
            (self.id.namespace.clone(), selectors::query(&self.object["spec"]["selector"]));
        let labels = labels.unwrap_or_default();
        match (self.id.group.as_str(), self.id.kind.as_str()) {
            ("apps", "Deployment") => {
                self.list("apps", "ReplicaSet", &namespace, &labels);
                self.ending_pods();
            }
            ("apps", "ReplicaSet" | "StatefulSet" | "DaemonSet") | ("batch", "Job") => {
                self.list("", "Pod", &namespace, &labels);
            }
            ("batch", "CronJob") => {
                self.list("batch", "Job", &namespace, "");
            }
            (GATEWAY, kind) if kind != "Gateway" => {}
            (ALLREADY, _) => {}
            (group, _) if is_builtin(group) => {}
            _ => self.related.requests.push(Request::Owned { namespace }),
        }
        let children = self.known.owned_by(self.id);
        let latest = children.iter().filter_map(|(child, _)| self.known.revision(child)).max();
        for (child, is_controller) in children {
            let is_earlier = self.known.revision(&child).is_some_and(|revision| Some(revision) < latest);
            let relation = match is_controller {
                true if is_earlier => Relation::Replaces,
                true => Relation::Controls,
                false => Relation::Owns,
            };
            self.link(relation, Reference::to(&child));
        }
    }

    /// Adds what this object has applied, as Flux and Argo CD write it down.
    fn applied(&mut self) {
        let status = &self.object["status"];
        let entries = |list: &Value| {
            list.as_array().into_iter().flatten().take(MAX_APPLIED).cloned().collect::<Vec<_>>()
        };
        let inventory = entries(&status["inventory"]["entries"]);
        let inventory = inventory.iter().filter_map(|entry| {
            let mut parts = text(entry, "id").split('_');
            let names = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
            let (namespace, name, group, kind) = names;
            Some(ObjectId::new(group, kind, namespace, name))
        });
        let resources =
            if self.id.kind == "Application" { entries(&status["resources"]) } else { Vec::new() };
        let resources = resources.iter().map(|entry| {
            let [group, kind, namespace, name] =
                ["group", "kind", "namespace", "name"].map(|field| text(entry, field));
            ObjectId::new(group, kind, namespace, name)
        });
        let named = inventory.chain(resources).filter(|id| !id.kind.is_empty() && !id.name.is_empty());
        let named: Vec<Reference> = named.map(|id| Reference::to(&id)).collect();
        self.links(Relation::Applies, named);
    }

    /// Adds what this object picks by labels.
    fn selected(&mut self) {
        match (self.id.group.as_str(), self.id.kind.as_str()) {
            ("", "Service") => self.service(),
            ("discovery.k8s.io", "EndpointSlice") => self.slice(),
            ("policy", "PodDisruptionBudget") => {
                let selector = &self.object["spec"]["selector"];
                self.pods(selector);
            }
            _ => {}
        }
    }

    /// The pods of this namespace with some labels: whether they are all that there are.
    fn pods(&mut self, selector: &Value) -> bool {
        let Some(labels) = selectors::query(selector) else { return false };
        let request = self.list("", "Pod", &self.id.namespace.clone(), &labels);
        let pods = self.known.selected("", "Pod", &self.id.namespace, selector);
        let pods: Vec<Reference> = pods.map(Reference::to).collect();
        self.links(Relation::Selects, pods);
        self.is_whole(&request)
    }

    /// A Deployment that starts new pods when the old ones have ended: those that are still ending.
    fn ending_pods(&mut self) {
        if text(&self.object["spec"]["strategy"], "type") != "Recreate" {
            return;
        }
        let selector = &self.object["spec"]["selector"];
        let Some(labels) = selectors::query(selector) else { return };
        self.list("", "Pod", &self.id.namespace.clone(), &labels);
        let pods = self.known.selected("", "Pod", &self.id.namespace, selector);
        let ending = pods.filter(|pod| self.known.is_deleted(pod));
        let ending: Vec<Reference> = ending.map(Reference::to).collect();
        self.links(Relation::Selects, ending);
    }

    /// Adds what this object names, and whether it may.
    fn referred(&mut self) {
        if self.id.group == "discovery.k8s.io" || self.id.kind == "Event" {
            return;
        }
        for reference in self.known.references(self.id) {
            if self.id.group == GATEWAY && network::is_granted_only(&reference, self.id) {
                self.grant(&reference);
            }
            let is_parent =
                self.id.group == GATEWAY && self.id.kind.ends_with("Route") && reference.kind == "Gateway";
            let relation = if is_parent { Relation::ServedBy } else { Relation::RefersTo };
            self.link(relation, reference);
        }
    }
}

/// Tells whether a group belongs to Kubernetes itself, whose kinds own what is listed above and nothing else.
pub(super) fn is_builtin(group: &str) -> bool {
    matches!(group, "" | "apps" | "batch" | "autoscaling" | "policy" | "events.k8s.io" | "extensions")
        || (group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io") && group != GATEWAY)
}
