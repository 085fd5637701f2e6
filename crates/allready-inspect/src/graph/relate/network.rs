//! The way of traffic: routes, gateways, services, endpoints.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{
    super::{
        id::{ObjectId, Reference, text},
        known::Gap,
        references::{self, GATEWAY},
        relation::Relation,
        selectors,
    },
    Relating,
};
use crate::{health::Health, judge::Rule};

/// The group of `EndpointSlices`.
const SLICES: &str = "discovery.k8s.io";
/// The label that says which Service a slice is of.
const SERVICE_LABEL: &str = "kubernetes.io/service-name";

impl Relating<'_> {
    /// A Service: its slices, and through them its pods. Pods that no slice has are its own affair.
    pub(super) fn service(&mut self) {
        let spec = &self.object["spec"];
        if text(spec, "type") == "ExternalName" {
            return;
        }
        let (namespace, name) = (self.id.namespace.clone(), self.id.name.clone());
        let request = self.list(SLICES, "EndpointSlice", &namespace, &format!("{SERVICE_LABEL}={name}"));
        let slices: Vec<(Reference, &Value)> = self
            .known
            .of_kind_in(SLICES, "EndpointSlice", &namespace)
            .filter(|(_, object)| text(&object["metadata"]["labels"], SERVICE_LABEL) == name)
            .map(|(slice, object)| (Reference::to(slice), object))
            .collect();
        let (mut ready, mut all, mut behind) = (0, 0, BTreeSet::new());
        for endpoint in slices.iter().flat_map(|(_, slice)| endpoints(slice)) {
            all += 1;
            ready += usize::from(is_ready(endpoint));
            behind.insert(text(&endpoint["targetRef"], "name"));
        }
        let unserved = unserved_port(spec, &slices);
        let is_whole = self.is_whole(&request)
            || (!slices.is_empty() && self.known.gap(&request) == Some(Gap::NotGiven));
        self.related.links.retain(|link| link.to.kind != "EndpointSlice");
        self.links(Relation::Selects, slices.into_iter().map(|(slice, _)| slice));
        let knows_pods = self.pods(&spec["selector"]);
        let has_pods = self.related.links.iter().any(|link| link.to.kind == "Pod");
        self.related.links.retain(|link| link.to.kind != "Pod" || !behind.contains(link.to.name.as_str()));
        if !is_whole {
            if self.known.is_answered(&request)
                && let Some(why) = self.known.gap(&request).and_then(|gap| gap.why("its EndpointSlices"))
            {
                self.find(Rule::NotSeen, Health::Unknown, "NotSeen", why);
            }
            return;
        }
        if ready > 0 {
            if let Some(message) = unserved {
                self.find(Rule::PortNotFound, Health::Degraded, "PortNotFound", message);
            }
            return;
        }
        let message = match (all, selectors::query(&spec["selector"])) {
            (0, Some(labels)) if knows_pods && !has_pods => {
                if let Some(workload) = self.resting(&spec["selector"]) {
                    return self.find(
                        Rule::BackendScaledToZero,
                        Health::Suspended,
                        "ScaledToZero",
                        format!("{workload} is scaled to zero"),
                    );
                }
                format!("no pod has the labels {labels}")
            }
            (0, _) => "it has no endpoints".to_owned(),
            (all, _) => format!("none of its {all} endpoints is ready"),
        };
        self.find(Rule::NoReadyEndpoints, Health::Degraded, "NoReadyEndpoints", message);
    }

    /// The workload that is scaled to zero whose pods a selector picks.
    fn resting(&mut self, selector: &Value) -> Option<String> {
        for kind in ["Deployment", "StatefulSet"] {
            self.list("apps", kind, &self.id.namespace.clone(), "");
        }
        let workloads = ["Deployment", "StatefulSet"]
            .into_iter()
            .flat_map(|kind| self.known.of_kind_in("apps", kind, &self.id.namespace));
        let mut resting = workloads.filter(|(_, object)| {
            let spec = &object["spec"];
            spec["replicas"] == 0
                && selectors::matches(selector, &selectors::labels(&spec["template"]["metadata"]["labels"]))
        });
        resting.next().map(|(id, _)| format!("{} {}", id.kind, id.name))
    }

    /// A slice: the pods behind its endpoints, and the nodes of those that are not ready.
    pub(super) fn slice(&mut self) {
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

    /// Adds what asks this object to serve it: the Gateways of a class, the Routes of a Gateway.
    pub(super) fn attached(&mut self) {
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

    /// A reference into another namespace, which somebody there has to allow.
    pub(super) fn grant(&mut self, reference: &Reference) {
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
            self.find(Rule::RefNotPermitted, Health::Degraded, "RefNotPermitted", message);
        }
    }
}

/// Tells whether a reference of a Gateway kind needs a grant: not to parents, which decide for themselves.
pub(super) fn is_granted_only(reference: &Reference, id: &ObjectId) -> bool {
    matches!(reference.kind.as_str(), "Secret" | "Service" | "ConfigMap")
        && reference.namespace != id.namespace
}

/// Says which port of a Service none of its pods has: one that goes by a name which no container has. Its slices then have endpoints
/// and leave the port out.
fn unserved_port(spec: &Value, slices: &[(Reference, &Value)]) -> Option<String> {
    let served: BTreeSet<&str> = slices
        .iter()
        .filter(|(_, slice)| endpoints(slice).any(is_ready))
        .flat_map(|(_, slice)| slice["ports"].as_array().into_iter().flatten())
        .map(|port| text(port, "name"))
        .collect();
    let has_pods = spec["selector"].as_object().is_some_and(|labels| !labels.is_empty());
    let ports = spec["ports"].as_array().into_iter().flatten().filter(|_| has_pods);
    let unserved =
        ports.filter(|port| port["targetPort"].is_string() && !served.contains(text(port, "name")));
    unserved.map(|port| format!("no ready pod has a port named {}", text(port, "targetPort"))).next()
}

fn endpoints(slice: &Value) -> impl Iterator<Item = &Value> {
    slice["endpoints"].as_array().into_iter().flatten()
}

/// Nobody knows better than the slice; where it does not say, it is taken to be ready.
fn is_ready(endpoint: &Value) -> bool {
    endpoint["conditions"]["ready"] != Value::Bool(false)
}
