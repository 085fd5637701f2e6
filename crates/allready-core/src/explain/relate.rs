//! How an object is related to others, as far as is known, and what to ask for to know more.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    id::{Firmness, ObjectId, Reference, text},
    known::{Gap, Known, Request},
    node::Relation,
    references::{self, GATEWAY},
    selectors,
};
use crate::health::Health;

/// The group of our own kinds.
const ALLREADY: &str = "allready.dev";
/// The label of a report on a cluster.
const CLUSTER_LABEL: &str = "allready.dev/cluster";
/// So much of what was applied is looked at.
const MAX_APPLIED: usize = 100;
/// The label that says which Service a slice is of.
const SERVICE_LABEL: &str = "kubernetes.io/service-name";

/// Another object, and how it is related.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) relation: Relation,
    pub(super) to: Reference,
}

/// Something that follows from how objects stand to each other, and that no status says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) health: Health,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

/// What an object is related to.
#[derive(Debug, Default)]
pub(super) struct Related {
    pub(super) links: Vec<Link>,
    pub(super) findings: Vec<Finding>,
    /// What is asked for; not necessarily unanswered.
    pub(super) requests: Vec<Request>,
}

/// What an object is related to. More is looked for from what was asked about than from what was met on the way.
pub(super) fn of_object(known: &Known, id: &ObjectId, object: &Value, is_root: bool) -> Related {
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

    fn list(&mut self, group: &str, kind: &str, namespace: &str, labels: &str) -> Request {
        let [group, kind, namespace, labels] = [group, kind, namespace, labels].map(str::to_owned);
        let request = Request::List { group, kind, namespace, labels };
        self.related.requests.push(request.clone());
        request
    }

    /// Whether the answer to a request is there, and is everything.
    fn is_whole(&self, request: &Request) -> bool {
        self.known.is_answered(request) && self.known.gap(request).is_none()
    }

    /// What names this object as its owner.
    fn owned(&mut self) {
        let (namespace, labels) =
            (self.id.namespace.clone(), selectors::query(&self.object["spec"]["selector"]));
        let labels = labels.unwrap_or_default();
        match (self.id.group.as_str(), self.id.kind.as_str()) {
            ("apps", "Deployment") => {
                self.list("apps", "ReplicaSet", &namespace, &labels);
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
            _ => self.related.requests.push(Request::Owned(self.id.clone())),
        }
        for (child, is_controller) in self.known.owned_by(self.id) {
            let relation = if is_controller { Relation::Controls } else { Relation::Owns };
            self.link(relation, Reference::to(&child));
        }
    }

    /// What this object has applied, as Flux and Argo CD write it down.
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

    /// What this object picks by labels.
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

    /// The pods of this namespace with some labels.
    fn pods(&mut self, selector: &Value) -> (usize, Option<Request>) {
        let Some(labels) = selectors::query(selector) else { return (0, None) };
        let request = self.list("", "Pod", &self.id.namespace.clone(), &labels);
        let pods = self.known.of_kind("", "Pod").filter(|(pod, object)| {
            pod.namespace == self.id.namespace && selectors::matches(selector, object)
        });
        let pods: Vec<Reference> = pods.map(|(pod, _)| Reference::to(pod)).collect();
        let count = pods.len();
        self.links(Relation::Selects, pods);
        (count, Some(request))
    }

    /// A Service: its slices, and through them its pods. Pods that no slice has are its own affair.
    fn service(&mut self) {
        let spec = &self.object["spec"];
        if text(spec, "type") == "ExternalName" {
            return;
        }
        let (namespace, name) = (self.id.namespace.clone(), self.id.name.clone());
        let request =
            self.list("discovery.k8s.io", "EndpointSlice", &namespace, &format!("{SERVICE_LABEL}={name}"));
        let slices: Vec<(Reference, &Value)> = self
            .known
            .of_kind("discovery.k8s.io", "EndpointSlice")
            .filter(|(slice, object)| {
                slice.namespace == namespace && text(&object["metadata"]["labels"], SERVICE_LABEL) == name
            })
            .map(|(slice, object)| (Reference::to(slice), object))
            .collect();
        let (mut ready, mut all, mut behind) = (0, 0, BTreeSet::new());
        for endpoint in slices.iter().flat_map(|(_, slice)| endpoints(slice)) {
            all += 1;
            ready += usize::from(is_ready(endpoint));
            behind.insert(text(&endpoint["targetRef"], "name"));
        }
        let is_whole = self.is_whole(&request)
            || (!slices.is_empty() && self.known.gap(&request) == Some(Gap::NotGiven));
        self.related.links.retain(|link| link.to.kind != "EndpointSlice");
        self.links(Relation::Selects, slices.into_iter().map(|(slice, _)| slice));
        let (pods, asked) = self.pods(&spec["selector"]);
        self.related.links.retain(|link| link.to.kind != "Pod" || !behind.contains(link.to.name.as_str()));
        if !is_whole || ready > 0 {
            return;
        }
        let selector = selectors::query(&spec["selector"]);
        let message = match (all, pods, selector) {
            (0, 0, Some(labels)) if asked.is_some_and(|asked| self.is_whole(&asked)) => {
                format!("no pod has the labels {labels}")
            }
            (0, _, _) => "it has no endpoints".to_owned(),
            (all, ..) => format!("none of its {all} endpoints is ready"),
        };
        self.related.findings.push(Finding { health: Health::Degraded, reason: "NoReadyEndpoints", message });
    }

    /// A slice: the pods behind its endpoints, and the nodes of those that are not ready.
    fn slice(&mut self) {
        let targets: Vec<Reference> = endpoints(self.object)
            .filter_map(|endpoint| {
                let target = &endpoint["targetRef"];
                let is_pod = text(target, "kind") == "Pod" && !text(target, "name").is_empty();
                is_pod.then(|| {
                    Reference::to(&ObjectId::new("", "Pod", &self.id.namespace, text(target, "name")))
                })
            })
            .collect();
        self.links(Relation::RefersTo, targets);
    }

    /// Who reports to this object, and which clusters they speak of.
    fn reported(&mut self, is_root: bool) {
        match (self.id.group.as_str(), self.id.kind.as_str()) {
            (ALLREADY, "StatusReport") => return self.reporter(),
            (ALLREADY, "ConfigurationStatus") => {}
            (ALLREADY, _) => return,
            _ if !is_root || self.id.namespace.is_empty() => return,
            _ => {}
        }
        self.list(ALLREADY, "StatusReport", &self.id.namespace.clone(), "");
        let is_own = |report: &Value| {
            let (spec, kind) = (&report["spec"], &report["spec"]["targetKind"]);
            let is_of_kind = if kind.is_object() {
                text(kind, "kind") == self.id.kind
            } else {
                self.id.kind == "ConfigurationStatus" && self.id.group == ALLREADY
            };
            text(spec, "target") == self.id.name && is_of_kind
        };
        let reports = self.known.of_kind(ALLREADY, "StatusReport");
        let own: Vec<(Reference, &Value)> = reports
            .filter(|(report, object)| report.namespace == self.id.namespace && is_own(object))
            .map(|(report, object)| (Reference::to(report), object))
            .collect();
        let heard: Vec<&str> = own.iter().map(|(_, report)| text(&report["spec"], "instance")).collect();
        // A cluster without a report of its own is known by its name in what the hub says.
        let said = self.object["status"].to_string();
        let silent: Vec<Reference> = self
            .clusters()
            .filter(|(name, _)| !heard.contains(name) && contains_word(&said, name))
            .map(|(_, report)| Reference::to(report))
            .collect();
        if self.id.kind != "ConfigurationStatus" {
            self.list(ALLREADY, "StatusReport", "", CLUSTER_LABEL);
        }
        self.links(Relation::ReportedBy, own.into_iter().map(|(report, _)| report));
        self.links(Relation::FromCluster, silent);
    }

    /// The reports on clusters, with the names of these.
    fn clusters(&self) -> impl Iterator<Item = (&str, &ObjectId)> {
        let reports = self.known.of_kind(ALLREADY, "StatusReport");
        reports.filter_map(|(id, report)| {
            let name = report["metadata"]["labels"].get(CLUSTER_LABEL)?.as_str()?;
            Some((name, id))
        })
    }

    /// A report: the cluster or the node that it is about.
    fn reporter(&mut self) {
        let instance = text(&self.object["spec"], "instance").to_owned();
        let is_on_cluster = self.object["metadata"]["labels"].get(CLUSTER_LABEL).is_some();
        if instance.is_empty() || is_on_cluster {
            return;
        }
        let cluster = self.clusters().find(|(name, _)| *name == instance).map(|(_, id)| Reference::to(id));
        match cluster {
            Some(cluster) => self.link(Relation::FromCluster, cluster),
            None if self.object["spec"]["targetKind"].is_object() => {}
            None => {
                let mut node = Reference::to(&ObjectId::new("", "Node", "", &instance));
                node.firmness = Firmness::Guessed;
                self.link(Relation::RefersTo, node);
            }
        }
    }

    /// What asks this object to serve it: the Gateways of a class, the Routes of a Gateway.
    fn attached(&mut self) {
        if self.id.group != GATEWAY {
            return;
        }
        let kinds: &[&str] = match self.id.kind.as_str() {
            "GatewayClass" => &["Gateway"],
            "Gateway" => &["HTTPRoute", "GRPCRoute", "TLSRoute", "TCPRoute", "UDPRoute"],
            _ => return,
        };
        for kind in kinds {
            self.list(GATEWAY, kind, "", "");
            let those =
                self.known.of_kind(GATEWAY, kind).filter(|(other, object)| match self.id.kind.as_str() {
                    "GatewayClass" => text(&object["spec"], "gatewayClassName") == self.id.name,
                    _ => references::of_object(other, object).iter().any(|parent| {
                        parent.kind == "Gateway"
                            && parent.name == self.id.name
                            && parent.namespace == self.id.namespace
                    }),
                });
            let those: Vec<Reference> = those.map(|(other, _)| Reference::to(other)).collect();
            self.links(Relation::Attached, those);
        }
    }

    /// What this object names, and whether it may.
    fn referred(&mut self) {
        if self.id.group == "discovery.k8s.io" || self.id.kind == "Event" {
            return;
        }
        for reference in references::of_object(self.id, self.object) {
            if self.id.group == GATEWAY && is_granted_only(&reference, self.id) {
                self.grant(&reference);
            }
            self.link(Relation::RefersTo, reference);
        }
    }

    /// A reference into another namespace, which somebody there has to allow.
    fn grant(&mut self, reference: &Reference) {
        let request = self.list(GATEWAY, "ReferenceGrant", &reference.namespace, "");
        let is_granted = self.known.of_kind(GATEWAY, "ReferenceGrant").any(|(grant, object)| {
            let entries = |field: &str| object["spec"][field].as_array().into_iter().flatten();
            let is_from = entries("from").any(|from| {
                text(from, "group") == self.id.group
                    && text(from, "kind") == self.id.kind
                    && text(from, "namespace") == self.id.namespace
            });
            let is_to = entries("to").any(|to| {
                Some(text(to, "group")) == reference.group.as_deref()
                    && text(to, "kind") == reference.kind
                    && to.get("name").and_then(Value::as_str).is_none_or(|name| name == reference.name)
            });
            grant.namespace == reference.namespace && is_from && is_to
        });
        if !is_granted && self.is_whole(&request) {
            let message = format!(
                "no ReferenceGrant in the namespace {} lets a {} of {} refer to {} {}",
                reference.namespace, self.id.kind, self.id.namespace, reference.kind, reference.name
            );
            self.related.findings.push(Finding {
                health: Health::Degraded,
                reason: "RefNotPermitted",
                message,
            });
        }
    }
}

/// Whether a reference of a Gateway kind needs a grant: not to parents, which decide for themselves.
fn is_granted_only(reference: &Reference, id: &ObjectId) -> bool {
    matches!(reference.kind.as_str(), "Secret" | "Service" | "ConfigMap")
        && reference.namespace != id.namespace
}

fn endpoints(slice: &Value) -> impl Iterator<Item = &Value> {
    slice["endpoints"].as_array().into_iter().flatten()
}

/// Nobody knows better than the slice; where it does not say, it is taken to be ready.
fn is_ready(endpoint: &Value) -> bool {
    endpoint["conditions"]["ready"] != Value::Bool(false)
}

/// Whether a group belongs to Kubernetes itself, whose kinds own what is listed above and nothing else.
fn is_builtin(group: &str) -> bool {
    matches!(group, "" | "apps" | "batch" | "autoscaling" | "policy" | "events.k8s.io" | "extensions")
        || (group.ends_with(".k8s.io") && !group.ends_with(".x-k8s.io") && group != GATEWAY)
}

/// Whether a name stands in a text by itself, and not as a part of a longer one.
fn contains_word(text: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '-';
    !word.is_empty()
        && text.match_indices(word).any(|(start, _)| {
            let before = text[..start].chars().next_back();
            let after = text[start + word.len()..].chars().next();
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_is_named_by_its_whole_name() {
        assert!(contains_word("cluster-1 (unknown) ClusterUnreachable", "cluster-1"));
        assert!(contains_word("\"cluster-1/172.31.200.0\"", "cluster-1"));
        assert!(!contains_word("cluster-12 is well", "cluster-1"));
        assert!(!contains_word("my-cluster-1 is well", "cluster-1"));
        assert!(!contains_word("anything", ""));
    }
}
