//! The table of built-in kinds, as the real server's discovery lists them.
//!
//! `resources.json` is made by `cargo xtask shapes`. What discovery does not say is a function of the kind here: which changes
//! count, which fields can be selected by, which writes need the version of what they replace.

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Ranges, normal, strategy::Builtin};
use crate::{
    resource::{Resource, Scale, Version},
    schema::{Definitions, Schema},
};

/// One built-in kind in one version.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) group: &'static str,
    pub(crate) version: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) singular: &'static str,
    pub(crate) kind: &'static str,
    /// The Go type, which is also the end of the definition's name.
    #[serde(rename = "type")]
    pub(crate) name: &'static str,
    pub(crate) namespaced: bool,
    verbs: Vec<&'static str>,
    #[serde(default)]
    short: Vec<&'static str>,
    #[serde(default)]
    categories: Vec<&'static str>,
    #[serde(default)]
    subresources: Vec<&'static str>,
}

/// Every built-in kind, the preferred version of a kind first.
static ROWS: LazyLock<Vec<Row>> =
    LazyLock::new(|| serde_json::from_str(include_str!("resources.json")).unwrap_or_default());

const POD_FIELDS: &[&str] = &[
    "spec.nodeName",
    "spec.host",
    "spec.restartPolicy",
    "spec.schedulerName",
    "spec.serviceAccountName",
    "spec.hostNetwork",
    "status.phase",
    "status.podIP",
    "status.podIPs",
    "status.nominatedNodeName",
];
const EVENT_FIELDS: &[&str] = &[
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
];
const NEW_EVENT_FIELDS: &[&str] = &[
    "regarding.kind",
    "regarding.namespace",
    "regarding.name",
    "regarding.uid",
    "regarding.apiVersion",
    "regarding.resourceVersion",
    "regarding.fieldPath",
    "reason",
    "reportingController",
    "type",
];

/// The definitions that were read, shared by the kinds that consist of them.
static DEFINITIONS: LazyLock<Mutex<Definitions<'static>>> =
    LazyLock::new(|| Mutex::new(Definitions::builtin()));

/// The built-in kinds.
pub(crate) fn resources(ranges: Ranges) -> Vec<Resource> {
    let ranges = Arc::new(ranges);
    let mut resources: Vec<Resource> = Vec::new();
    for row in ROWS.iter() {
        match resources.iter_mut().find(|it| it.group == row.group && it.plural == row.plural) {
            Some(same) => same.versions.push(row.version()),
            None => resources.push(row.resource(&ranges)),
        }
    }
    resources
}

/// The Go type of an object of a kind, by the version that it says it has.
pub(crate) fn type_of(kind: &str, api_version: &str) -> Option<&'static str> {
    ROWS.iter().find(|row| row.kind == kind && row.is_of(api_version)).map(|row| row.name)
}

impl Row {
    /// `v1` or `apps/v1`.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.into() } else { format!("{}/{}", self.group, self.version) }
    }

    pub(crate) fn is_of(&self, api_version: &str) -> bool {
        api_version.split_once('/').unwrap_or(("", api_version)) == (self.group, self.version)
    }

    /// Tells whether there is a subresource of this name.
    pub(crate) fn has(&self, subresource: &str) -> bool {
        self.subresources.contains(&subresource)
    }

    /// The fields whose changes move `metadata.generation`; `None` for a kind without a generation.
    pub(crate) fn desired(&self) -> Option<&'static [&'static str]> {
        Some(match (self.group, self.kind) {
            // Deployment controllers copy annotations to replica sets, so these count as desired state.
            (_, "Deployment") => &["/spec", "/metadata/annotations"],
            ("", "Pod" | "ReplicationController")
            | ("apps", "DaemonSet" | "ReplicaSet" | "StatefulSet")
            | ("batch" | "policy" | "flowcontrol.apiserver.k8s.io", _)
            | ("networking.k8s.io", "Ingress" | "IngressClass" | "NetworkPolicy")
            | ("resource.k8s.io", "DeviceClass" | "ResourceSlice")
            | ("storage.k8s.io", "CSIDriver") => &["/spec"],
            ("admissionregistration.k8s.io", _) => &["/spec", "/webhooks"],
            ("discovery.k8s.io", _) => &["/addressType", "/endpoints", "/ports", "/metadata/labels"],
            ("", "PodTemplate") => &["/template"],
            // It stays at one.
            ("scheduling.k8s.io", _) => &[],
            _ => return None,
        })
    }

    /// The fields that a field selector may name.
    pub(crate) fn selectable(&self) -> &'static [&'static str] {
        match (self.group, self.kind) {
            ("", "Event") => EVENT_FIELDS,
            ("events.k8s.io", _) => NEW_EVENT_FIELDS,
            ("", "Pod") => POD_FIELDS,
            ("", "Namespace") => &["status.phase"],
            ("", "Node") => &["spec.unschedulable"],
            ("", "Secret") => &["type"],
            ("", "Service") => &["spec.clusterIP", "spec.type"],
            (_, "ReplicaSet" | "ReplicationController") => &["status.replicas"],
            ("batch", "Job") => &["status.successful"],
            ("certificates.k8s.io", _) => &["spec.signerName"],
            ("resource.k8s.io", "ResourceSlice") => &["spec.driver", "spec.nodeName"],
            _ => &[],
        }
    }

    /// Set if an update must say which version it replaces.
    pub(crate) fn needs_version(&self) -> bool {
        matches!(
            (self.group, self.kind),
            ("node.k8s.io" | "policy" | "coordination.k8s.io" | "admissionregistration.k8s.io", _)
                | (_, "CSIDriver" | "CSINode" | "CSIStorageCapacity" | "VolumeAttachment")
        )
    }

    /// Set if an update makes an object that is not there.
    pub(crate) fn creates_on_update(&self) -> bool {
        matches!(
            (self.group, self.kind),
            ("", "Endpoints" | "LimitRange" | "Service")
                | (_, "Event" | "Lease" | "RuntimeClass")
                | ("rbac.authorization.k8s.io", _)
        )
    }

    /// Set if a deletion answers with the object that went.
    pub(crate) fn returns_deleted(&self) -> bool {
        match (self.group, self.kind) {
            ("resource.k8s.io", _)
            | ("", "Namespace" | "Pod" | "PodTemplate" | "ResourceQuota" | "Service" | "ServiceAccount") => {
                true
            }
            ("storage.k8s.io", kind) => kind != "CSIStorageCapacity",
            ("", kind) => kind.starts_with("PersistentVolume"),
            _ => false,
        }
    }

    fn version(&'static self) -> Version {
        let scale = self.has("scale").then(|| Scale {
            spec_replicas: ".spec.replicas".into(),
            status_replicas: ".status.replicas".into(),
            label_selector: Some(".status.selector".into()),
        });
        Version {
            name: self.version.into(),
            schema: LazyLock::new(Box::new(|| self.schema())),
            status: self.has("status"),
            scale,
            columns: Vec::new(),
            selectable: self.selectable().iter().map(ToString::to_string).collect(),
            deprecation: (self.name == "core.v1.Endpoints").then(|| {
                "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice".into()
            }),
            published: None,
        }
    }

    fn schema(&self) -> Arc<Schema> {
        let definitions = DEFINITIONS.lock().unwrap_or_else(PoisonError::into_inner);
        definitions.get(&format!("io.k8s.api.{}", self.name)).unwrap_or_default()
    }

    fn resource(&'static self, ranges: &Arc<Ranges>) -> Resource {
        let owned = |texts: &[&str]| texts.iter().map(ToString::to_string).collect();
        // Both kinds of events show the same objects.
        let event = self.kind == "Event";
        let qualified = if self.group.is_empty() || event {
            self.plural.to_owned()
        } else {
            format!("{}.{}", self.plural, self.group)
        };
        Resource {
            group: self.group.into(),
            plural: self.plural.into(),
            singular: self.singular.into(),
            kind: self.kind.into(),
            list_kind: format!("{}List", self.kind),
            short_names: owned(&self.short),
            categories: owned(&self.categories),
            namespaced: self.namespaced,
            versions: vec![self.version()],
            storage_version: if event { "v1".into() } else { self.api_version() },
            place: qualified,
            verbs: self.verbs.clone(),
            strategy: Arc::new(Builtin { row: self, ranges: Arc::clone(ranges) }),
        }
    }
}

/// What an object of a built-in kind is before anyone has set anything: the zero value of its Go type. Fields in it belong to
/// nobody. `None` for a kind that is not built in.
pub(crate) fn blank(api_version: &str, kind: &str) -> Option<Value> {
    let mut object = json!({"apiVersion": api_version, "kind": kind});
    normal::normalise(type_of(kind, api_version)?, &mut object);
    Some(object)
}
