//! References: the objects that another one names in its spec.
//!
//! Well-known fields have a known kind. Everything else is general: whatever has a `kind` and a `name` is a reference, and
//! a field that ends in `Ref` may be one.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::registry::Registry;

use super::id::{Firmness, ObjectId, Reference, group_of, is_cluster_scoped, text, well_known_group};

/// Deeper in a spec than any reference of an API that we know.
const MAX_DEPTH: usize = 24;
/// More references than a person would look through.
const MAX_REFERENCES: usize = 256;
/// The group of the Gateway API.
pub(crate) const GATEWAY: &str = "gateway.networking.k8s.io";

/// The references of an object, each once, in the order of its fields.
pub(super) fn of_object(id: &ObjectId, object: &Value) -> Vec<Reference> {
    let is_bound = !text(&object["spec"], "volumeName").is_empty();
    let mut found = Found { id, is_bound, seen: BTreeSet::new(), references: Vec::new() };
    for (field, value) in object.as_object().into_iter().flatten() {
        let is_walked = match field.as_str() {
            // A report depends on nothing: it is the object that it is about which is made of reports.
            "spec"
                if id.group == "allready.dev"
                    && ["StatusReport", "InstanceStatus"].contains(&id.kind.as_str()) =>
            {
                false
            }
            "apiVersion" | "kind" | "metadata" | "data" | "stringData" | "binaryData" => false,
            // Status repeats what the spec says, but for what was assigned.
            "status" => {
                found.node_ref(value);
                false
            }
            _ => true,
        };
        if is_walked {
            found.walk(field, value, 0);
        }
    }
    found.references
}

struct Found<'a> {
    id: &'a ObjectId,
    /// Set if it is a claim that has its volume, and needs no class any more.
    is_bound: bool,
    seen: BTreeSet<(String, String, String)>,
    references: Vec<Reference>,
}

impl Found<'_> {
    fn walk(&mut self, field: &str, value: &Value, depth: usize) {
        if depth > MAX_DEPTH || self.references.len() >= MAX_REFERENCES {
            return;
        }
        match value {
            Value::Array(entries) => entries.iter().for_each(|entry| self.walk(field, entry, depth + 1)),
            Value::String(name) => {
                if let Some(kind) = kind_of_name(field, self.id) {
                    self.add(None, kind, "", name, self.firmness(field));
                }
            }
            Value::Object(fields) => {
                if self.read(field, value, fields) {
                    return;
                }
                for (field, value) in fields {
                    // What pods of a workload need is asked of the pods.
                    let is_pod_template = field == "template" && is_workload(&self.id.kind);
                    if is_pod_template {
                        let account = text(&value["spec"], "serviceAccountName");
                        self.add(None, "ServiceAccount", "", account, Firmness::Needed);
                    } else if field != "metadata" && field != "ownerReferences" {
                        self.walk(field, value, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Tells whether the object that a text field names has to be there.
    fn firmness(&self, field: &str) -> Firmness {
        let is_optional = match field {
            // A volume that somebody made by hand has a class of which only the name counts.
            "storageClassName" => self.is_bound || self.id.kind == "PersistentVolume",
            // Nothing but names in DNS comes of it.
            "serviceName" => true,
            // It is made from the certificate, and not the other way round.
            "secretName" => self.id.kind == "Certificate",
            _ => false,
        };
        if is_optional { Firmness::Optional } else { Firmness::Needed }
    }

    /// Reads an object as a reference; whether it is one, and nothing else is in it.
    fn read(&mut self, field: &str, value: &Value, fields: &Map<String, Value>) -> bool {
        let name = text(value, "name");
        let (kind, default_group) = match (text(value, "kind"), default_kind(field, fields, self.id)) {
            ("", Some((kind, group))) => (kind.to_owned(), group),
            (kind, Some((default, group))) if kind == default => (default.to_owned(), group),
            ("User" | "Group" | "", _) if fields.contains_key("kind") => return false,
            ("", None) => return self.guess(field, value, name),
            (kind, _) => (kind.to_owned(), None),
        };
        if name.is_empty() {
            return false;
        }
        let said = ["group", "apiGroup"].iter().find_map(|&field| value.get(field)?.as_str());
        let said = said.or_else(|| Some(group_of(value.get("apiVersion")?.as_str()?)));
        let group = said.or(default_group).map(str::to_owned);
        let is_optional = value["optional"] == Value::Bool(true);
        let firmness = if is_optional { Firmness::Optional } else { Firmness::Needed };
        self.add(group, &kind, text(value, "namespace"), name, firmness);
        // A backend has filters with references of their own.
        !fields.values().any(|value| value.is_array() || value.is_object())
    }

    /// A field such as `clusterRef: {name: a}` says by its name what it refers to, perhaps.
    fn guess(&mut self, field: &str, value: &Value, name: &str) -> bool {
        let Some(stem) = field.strip_suffix("Ref").or_else(|| field.strip_suffix("Refs")) else {
            return false;
        };
        let mut letters = stem.chars();
        let Some(first) = letters.next() else { return false };
        let kind: String = first.to_uppercase().chain(letters).collect();
        self.add(None, &kind, text(value, "namespace"), name, Firmness::Guessed);
        true
    }

    /// `status.nodeRef` of a machine: the node that it became.
    fn node_ref(&mut self, status: &Value) {
        self.add(None, "Node", "", text(&status["nodeRef"], "name"), Firmness::Needed);
    }

    fn add(&mut self, group: Option<String>, kind: &str, namespace: &str, name: &str, firmness: Firmness) {
        if name.is_empty() || self.references.len() >= MAX_REFERENCES {
            return;
        }
        let namespace = match namespace {
            _ if is_cluster_scoped(kind) => "",
            "" => &self.id.namespace,
            namespace => namespace,
        };
        let is_itself = kind == self.id.kind && name == self.id.name && namespace == self.id.namespace;
        if !is_itself && self.seen.insert((kind.to_owned(), namespace.to_owned(), name.to_owned())) {
            self.references.push(Reference {
                group: group.or_else(|| well_known_group(kind).map(str::to_owned)),
                kind: kind.to_owned(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                near: self.id.group.clone(),
                firmness,
            });
        }
    }
}

fn is_workload(kind: &str) -> bool {
    matches!(kind, "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" | "Job" | "CronJob")
}

/// The kind of the object that a text field names.
fn kind_of_name(field: &str, id: &ObjectId) -> Option<&'static str> {
    Some(match field {
        "secretName" => "Secret",
        "claimName" => "PersistentVolumeClaim",
        "volumeName" if id.kind == "PersistentVolumeClaim" => "PersistentVolume",
        "storageClassName" => "StorageClass",
        "nodeName" => "Node",
        "serviceAccountName" => "ServiceAccount",
        "serviceName" if id.group == "apps" || id.group == "networking.k8s.io" => "Service",
        "ingressClassName" => "IngressClass",
        "gatewayClassName" => "GatewayClass",
        "priorityClassName" => "PriorityClass",
        "runtimeClassName" => "RuntimeClass",
        "clusterName" if id.group.ends_with("cluster.x-k8s.io") => "Cluster",
        _ => return None,
    })
}

/// The kind, and the group where it is not well known, of a reference that need not say it.
fn default_kind(
    field: &str,
    fields: &Map<String, Value>,
    id: &ObjectId,
) -> Option<(&'static str, Option<&'static str>)> {
    let plain = |kind| Some((kind, None));
    match field {
        "secretRef"
        | "secretKeyRef"
        | "imagePullSecrets"
        | "certificateRefs"
        | "certificateRef"
        | "nodePublishSecretRef"
        | "passwordSecretRef"
        | "privateKeySecretRef"
        | "valuesSecretRef" => plain("Secret"),
        "configMapRef" | "configMapKeyRef" | "caCertificateRefs" => plain("ConfigMap"),
        // Volumes and projected volumes.
        "secret" if fields.contains_key("name") => plain("Secret"),
        "configMap" if fields.contains_key("name") => plain("ConfigMap"),
        "backendRef" | "backendRefs" | "serviceRef" => plain("Service"),
        // The backend of an Ingress, a webhook or an APIService.
        "service" if fields.contains_key("name") => plain("Service"),
        "parentRefs" | "parentRef" if id.group == GATEWAY => Some(("Gateway", Some(GATEWAY))),
        _ => Registry::builtin().referred_by(field).map(|(group, kind)| (kind, Some(group))),
    }
}
