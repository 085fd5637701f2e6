//! M02, G04 and G05 over many objects: nodes and controllers that exist, and routes that are attached.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::parents::ParentRef;
use crate::lint::{
    Finding, ObjectRef, Place, Severity, finding::Findings, finding::MOST_OF_A_RULE, nodes::Nodes,
};
use allready_core::{Status, condition::excerpt, found};

const GROUP: &str = "gateway.networking.k8s.io";

/// The part of the cluster that was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// All classes and all routes that there are: what was not seen is not there.
    Everything,
    /// A part: only what is there can be held against anybody.
    Part,
}

/// The statements of objects about each other: those of the Gateway API, and those with conditions about nodes. Only what is needed is
/// kept of each.
///
/// ```
/// use allready_inspect::lint::{Coverage, Relations};
/// use serde_json::json;
///
/// let gateway = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
///     "metadata": { "namespace": "shop", "name": "web" },
///     "spec": { "listeners": [{ "name": "http", "protocol": "HTTP", "port": 80 }] },
///     "status": { "listeners": [{ "name": "http", "attachedRoutes": 2, "conditions": [] }] } });
/// let mut relations = Relations::default();
/// relations.add(&gateway);
/// assert!(relations.findings(Coverage::Part).is_empty(), "there may be routes elsewhere");
/// let findings = relations.findings(Coverage::Everything);
/// assert_eq!(findings[0].rule.id, "G05");
/// assert_eq!(findings[0].message, "attachedRoutes is 2, and 0 routes are attached");
/// ```
#[derive(Debug, Default)]
pub struct Relations {
    controllers: BTreeSet<String>,
    namespaces: BTreeMap<String, BTreeMap<String, String>>,
    gateways: Vec<Gateway>,
    attachments: Vec<Attachment>,
    claims: Vec<Claim>,
    nodes: Nodes,
}

#[derive(Debug)]
struct Gateway {
    object: ObjectRef,
    listeners: Vec<Listener>,
}

#[derive(Debug)]
struct Listener {
    index: usize,
    name: String,
    hostname: String,
    port: Option<i64>,
    told: i64,
    kinds: BTreeSet<String>,
    from: From,
}

/// From which namespaces routes may come.
#[derive(Debug)]
enum From {
    Same,
    All,
    Labelled(BTreeMap<String, String>),
    /// In a way that is not followed here.
    Otherwise,
}

/// A route that a parent has accepted.
#[derive(Debug)]
struct Attachment {
    kind: String,
    namespace: String,
    parent: ParentRef,
    hostnames: Vec<String>,
}

/// A controller that has written an entry for a Gateway.
#[derive(Debug)]
struct Claim {
    object: ObjectRef,
    place: Place,
    controller: String,
}

impl Relations {
    /// Takes note of an object. Nodes are taken to be all of them as soon as there is one; of namespaces the labels count.
    pub fn add(&mut self, object: &Value) {
        let api_version = object["apiVersion"].as_str().unwrap_or_default();
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        self.nodes.add(object);
        match (group, object["kind"].as_str().unwrap_or_default()) {
            ("", "Namespace") => {
                let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
                let labels =
                    labels.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()));
                self.namespaces.insert(name(object).to_owned(), labels.collect());
            }
            (GROUP, "GatewayClass") => {
                self.controllers.extend(object["spec"]["controllerName"].as_str().map(str::to_owned));
            }
            (GROUP, "Gateway") => self.gateways.extend(gateway(object)),
            (GROUP, kind) if kind.ends_with("Route") => self.route(object, kind),
            _ => {}
        }
    }

    fn route(&mut self, object: &Value, kind: &str) {
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default();
        let named: BTreeSet<ParentRef> = object["spec"]["parentRefs"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|reference| ParentRef::of(reference, namespace))
            .collect();
        let texts = object["spec"]["hostnames"].as_array().into_iter().flatten();
        let hostnames: Vec<String> =
            texts.filter_map(|host| host.as_str().map(str::to_ascii_lowercase)).collect();
        for (index, entry) in object["status"]["parents"].as_array().into_iter().flatten().enumerate() {
            let parent = ParentRef::of(&entry["parentRef"], namespace);
            if parent.group != GROUP || parent.kind != "Gateway" {
                continue;
            }
            let controller = entry["controllerName"].as_str().unwrap_or_default().to_owned();
            let place =
                Place::root().keys(&["status", "parents"]).entry(index, &parent.name).key("controllerName");
            self.claims.push(Claim { object: ObjectRef::of(object), place, controller });
            let conditions = found::read(&entry["conditions"]);
            if named.contains(&parent)
                && conditions.find("Accepted").is_some_and(|it| it.status == Status::True)
            {
                let (kind, namespace) = (kind.to_owned(), namespace.to_owned());
                self.attachments.push(Attachment { kind, namespace, parent, hostnames: hostnames.clone() });
            }
        }
    }

    /// The statements that do not fit together.
    pub fn findings(&self, coverage: Coverage) -> Vec<Finding> {
        let mut findings = Vec::new();
        // Without any class nothing is known of controllers.
        if !self.controllers.is_empty() || coverage == Coverage::Everything {
            for claim in self.claims.iter().filter(|claim| !self.controllers.contains(&claim.controller)) {
                let mut of = Findings::about(claim.object.clone());
                of.add("G04", Severity::Warning, claim.place.clone(), || {
                    format!("no GatewayClass has the controller {:?}", excerpt(&claim.controller))
                });
                findings.extend(of.finish());
            }
        }
        for gateway in &self.gateways {
            let mut of = Findings::about(gateway.object.clone());
            for listener in &gateway.listeners {
                self.recount(gateway, listener, coverage, &mut of);
            }
            findings.extend(of.finish());
        }
        findings.extend(self.nodes.findings());
        findings
    }

    /// Tells whether there are conditions that may be about nodes, and no node was seen: then the nodes are worth reading.
    pub fn needs_nodes(&self) -> bool {
        self.nodes.are_missed()
    }

    /// Tells whether what is counted is what is told.
    fn recount(&self, gateway: &Gateway, listener: &Listener, coverage: Coverage, findings: &mut Findings) {
        let is_for = |attachment: &&Attachment| {
            let parent = &attachment.parent;
            parent.name == gateway.object.name
                && parent.namespace == gateway.object.namespace
                && (parent.section.is_empty() || parent.section == listener.name)
                && (parent.port.is_none() || parent.port == listener.port)
                && listener.kinds.contains(&attachment.kind)
                && is_common(&listener.hostname, &attachment.hostnames)
        };
        let (mut count, mut possible) = (0_i64, 0_i64);
        for attachment in self.attachments.iter().filter(is_for) {
            match self.may_come(attachment, gateway, listener) {
                Some(true) => count += 1,
                Some(false) => {}
                None => possible += 1,
            }
        }
        let is_wrong = match coverage {
            Coverage::Everything => listener.told < count || listener.told > count + possible,
            Coverage::Part => listener.told < count,
        };
        if is_wrong {
            let place = || {
                Place::root()
                    .keys(&["status", "listeners"])
                    .entry(listener.index, &listener.name)
                    .key("attachedRoutes")
            };
            findings.add("G05", Severity::Warning, place(), || match count {
                1 => format!("attachedRoutes is {}, and 1 route is attached", listener.told),
                count => format!("attachedRoutes is {}, and {count} routes are attached", listener.told),
            });
        }
    }

    /// Tells whether the listener takes routes from the namespace; none where that cannot be said.
    fn may_come(&self, attachment: &Attachment, gateway: &Gateway, listener: &Listener) -> Option<bool> {
        match &listener.from {
            From::All => Some(true),
            From::Same => Some(attachment.namespace == gateway.object.namespace),
            From::Labelled(wanted) => {
                let labels = self.namespaces.get(&attachment.namespace)?;
                Some(wanted.iter().all(|(key, value)| labels.get(key) == Some(value)))
            }
            From::Otherwise => None,
        }
    }
}

fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().unwrap_or_default()
}

fn gateway(object: &Value) -> Option<Gateway> {
    let told = object["status"]["listeners"].as_array()?;
    let wanted = object["spec"]["listeners"].as_array()?;
    let listeners = told.iter().enumerate().take(64 * MOST_OF_A_RULE).filter_map(|(index, status)| {
        let name = status["name"].as_str()?;
        let spec = wanted.iter().find(|listener| listener["name"] == *name)?;
        let allowed = &spec["allowedRoutes"];
        let from = match allowed["namespaces"]["from"].as_str().unwrap_or("Same") {
            "Same" => From::Same,
            "All" => From::All,
            "Selector" => labelled(&allowed["namespaces"]["selector"]),
            _ => From::Otherwise,
        };
        Some(Listener {
            index,
            name: name.to_owned(),
            hostname: spec["hostname"].as_str().unwrap_or_default().to_ascii_lowercase(),
            port: spec["port"].as_i64(),
            told: status["attachedRoutes"].as_i64()?,
            kinds: kinds(spec, status),
            from,
        })
    });
    Some(Gateway { object: ObjectRef::of(object), listeners: listeners.collect() })
}

fn labelled(selector: &Value) -> From {
    let labels = selector["matchLabels"].as_object();
    match labels.filter(|_| selector.get("matchExpressions").is_none()) {
        Some(labels) => {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            From::Labelled(labels.iter().map(|(key, value)| (key.clone(), text(value))).collect())
        }
        None => From::Otherwise,
    }
}

/// The kinds of routes that a listener takes: those that it is said to support, or else those of its protocol.
fn kinds(spec: &Value, status: &Value) -> BTreeSet<String> {
    let supported = status["supportedKinds"].as_array().into_iter().flatten();
    let supported: BTreeSet<String> =
        supported.filter_map(|kind| kind["kind"].as_str().map(str::to_owned)).collect();
    if !supported.is_empty() {
        return supported;
    }
    let of_protocol: &[&str] = match spec["protocol"].as_str().unwrap_or_default() {
        "HTTP" | "HTTPS" => &["HTTPRoute", "GRPCRoute"],
        "TLS" => &["TLSRoute", "TCPRoute"],
        "TCP" => &["TCPRoute"],
        "UDP" => &["UDPRoute"],
        _ => &[],
    };
    of_protocol.iter().map(|&kind| kind.to_owned()).collect()
}

/// Tells whether a listener and a route have a host in common; no name at all is every name.
fn is_common(listener: &str, route: &[String]) -> bool {
    let matches = |wide: &str, narrow: &str| match wide.strip_prefix("*.") {
        Some(suffix) => narrow.strip_suffix(suffix).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.')),
        None => wide == narrow,
    };
    listener.is_empty()
        || route.is_empty()
        || route.iter().any(|host| host == listener || matches(listener, host) || matches(host, listener))
}
