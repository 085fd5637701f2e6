//! Names of objects, and what other objects call them.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// The identity of an object. The version is left out: it is a way to look at an object, and no part of which one it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
pub struct ObjectId {
    /// The API group; empty for the core one.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for what is in none.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl ObjectId {
    /// An object by its names.
    pub fn new(group: &str, kind: &str, namespace: &str, name: &str) -> Self {
        let [group, kind, namespace, name] = [group, kind, namespace, name].map(str::to_owned);
        Self { group, kind, namespace, name }
    }

    /// The names of an object, where it has a kind and a name.
    pub fn of(object: &Value) -> Option<Self> {
        let metadata = &object["metadata"];
        let (kind, name) = (text(object, "kind"), text(metadata, "name"));
        let group = group_of(text(object, "apiVersion"));
        let is_named = !kind.is_empty() && !name.is_empty();
        is_named.then(|| Self::new(group, kind, text(metadata, "namespace"), name))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.as_str() {
            "" => write!(f, "{} {}", self.kind, self.name),
            namespace => write!(f, "{} {namespace}/{}", self.kind, self.name),
        }
    }
}

/// The certainty that a field names an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Firmness {
    /// The object has to be there.
    Needed,
    /// It may be absent: the field says so.
    Optional,
    /// The field looks like a reference. Where there is no such object, it was none.
    Guessed,
}

/// An object as another one calls it: not every reference says in which group or namespace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Reference {
    /// The API group, where it is said or known.
    pub group: Option<String>,
    /// The kind.
    pub kind: String,
    /// The namespace that is meant if the kind is in namespaces; empty for none.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The group of the one that refers: where several groups have the kind, the nearest is meant.
    pub near: String,
    /// The certainty of it.
    pub firmness: Firmness,
}

impl Reference {
    /// A reference to an object that is fully named.
    pub fn to(id: &ObjectId) -> Self {
        Self {
            group: Some(id.group.clone()),
            kind: id.kind.clone(),
            namespace: id.namespace.clone(),
            name: id.name.clone(),
            near: String::new(),
            firmness: Firmness::Needed,
        }
    }

    /// The identity of the object while nothing is known of it.
    pub fn id(&self) -> ObjectId {
        let namespace = if is_cluster_scoped(&self.kind) { "" } else { &self.namespace };
        ObjectId::new(self.group.as_deref().unwrap_or_default(), &self.kind, namespace, &self.name)
    }

    /// Picks the group that is meant among some: the one that is said, or the nearest to the one that refers.
    pub fn nearest<'a>(&self, groups: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let mut groups = groups.into_iter();
        match &self.group {
            Some(group) => groups.find(|found| found == group),
            // The first of equals is taken: later ones have to be nearer.
            None => groups
                .map(|found| (found, shared_labels(found, &self.near)))
                .fold(None, |best, next| match best {
                    Some((_, shared)) if shared >= next.1 => best,
                    _ => Some(next),
                })
                .map(|(group, _)| group),
        }
    }
}

/// The number of labels that two domains share, from the end.
fn shared_labels(one: &str, other: &str) -> usize {
    one.rsplit('.').zip(other.rsplit('.')).take_while(|(one, other)| one == other && !one.is_empty()).count()
}

/// The group of an `apiVersion`.
pub(super) fn group_of(api_version: &str) -> &str {
    api_version.split_once('/').map_or("", |(group, _)| group)
}

/// A text field, or nothing.
pub(crate) fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Tells whether objects of a well-known kind are in no namespace.
pub(super) fn is_cluster_scoped(kind: &str) -> bool {
    matches!(
        kind,
        "Node"
            | "Namespace"
            | "PersistentVolume"
            | "StorageClass"
            | "GatewayClass"
            | "IngressClass"
            | "PriorityClass"
            | "RuntimeClass"
            | "ClusterIssuer"
            | "ClusterRole"
            | "ClusterRoleBinding"
            | "ClusterSecretStore"
            | "CustomResourceDefinition"
            | "APIService"
            | "StatusAggregation"
            | "ValidatingWebhookConfiguration"
            | "MutatingWebhookConfiguration"
    )
}

/// The group of a kind that everybody means the same by.
pub(super) fn well_known_group(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "Secret"
        | "ConfigMap"
        | "Service"
        | "Pod"
        | "Node"
        | "Namespace"
        | "ServiceAccount"
        | "PersistentVolumeClaim"
        | "PersistentVolume" => "",
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" => "apps",
        "Job" | "CronJob" => "batch",
        "StorageClass" => "storage.k8s.io",
        "IngressClass" | "Ingress" => "networking.k8s.io",
        "PriorityClass" => "scheduling.k8s.io",
        "RuntimeClass" => "node.k8s.io",
        "EndpointSlice" => "discovery.k8s.io",
        "GatewayClass" | "HTTPRoute" | "GRPCRoute" | "ReferenceGrant" => "gateway.networking.k8s.io",
        "ClusterRole" | "Role" => "rbac.authorization.k8s.io",
        _ => return None,
    })
}
