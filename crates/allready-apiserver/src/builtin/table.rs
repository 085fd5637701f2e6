//! The table of built-in kinds, as the real server's discovery lists them.

use std::{
    collections::BTreeMap,
    sync::{Arc, LazyLock},
};

use serde_json::{Map, Value, json};

use super::{normal, strategy::Builtin};
use crate::{
    resource::{Resource, Scale, Version},
    schema::{Definitions, Schema},
};

/// One built-in kind.
#[expect(clippy::struct_excessive_bools, reason = "a row of a table, whose columns are yes or no")]
pub(crate) struct Row {
    pub(crate) group: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) kind: &'static str,
    /// The Go type, which is also the end of the definition's name.
    pub(crate) name: &'static str,
    pub(crate) short: &'static str,
    pub(crate) all: bool,
    pub(crate) namespaced: bool,
    pub(crate) status: bool,
    pub(crate) scale: bool,
    pub(crate) generation: bool,
    pub(crate) verbs: &'static [&'static str],
    pub(crate) selectable: &'static [&'static str],
}

const EVERY: &[&str] = &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const ONE_BY_ONE: &[&str] = &["create", "delete", "get", "list", "patch", "update", "watch"];
const RBAC: &str = "rbac.authorization.k8s.io";
const ADMISSION: &str = "admissionregistration.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

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

const PLAIN: Row = Row {
    group: "",
    plural: "",
    kind: "",
    name: "",
    short: "",
    all: false,
    namespaced: true,
    status: false,
    scale: false,
    generation: false,
    verbs: EVERY,
    selectable: &[],
};
/// What the kinds that run pods have in common.
const WORKLOAD: Row = Row { group: "apps", all: true, status: true, generation: true, ..PLAIN };
/// A question rather than an object.
const REVIEW: Row = Row { group: AUTHORIZATION, namespaced: false, verbs: &["create"], ..PLAIN };

/// Every built-in kind.
pub(crate) static ROWS: [Row; 31] = [
    Row { plural: "configmaps", kind: "ConfigMap", name: "core.v1.ConfigMap", short: "cm", ..PLAIN },
    Row {
        plural: "events",
        kind: "Event",
        name: "core.v1.Event",
        short: "ev",
        selectable: EVENT_FIELDS,
        ..PLAIN
    },
    Row {
        plural: "namespaces",
        kind: "Namespace",
        name: "core.v1.Namespace",
        short: "ns",
        namespaced: false,
        status: true,
        verbs: ONE_BY_ONE,
        selectable: &["status.phase"],
        ..PLAIN
    },
    Row {
        plural: "nodes",
        kind: "Node",
        name: "core.v1.Node",
        short: "no",
        namespaced: false,
        status: true,
        selectable: &["spec.unschedulable"],
        ..PLAIN
    },
    Row {
        plural: "pods",
        kind: "Pod",
        name: "core.v1.Pod",
        short: "po",
        group: "",
        selectable: POD_FIELDS,
        ..WORKLOAD
    },
    Row { plural: "secrets", kind: "Secret", name: "core.v1.Secret", selectable: &["type"], ..PLAIN },
    Row {
        plural: "serviceaccounts",
        kind: "ServiceAccount",
        name: "core.v1.ServiceAccount",
        short: "sa",
        ..PLAIN
    },
    Row {
        plural: "services",
        kind: "Service",
        name: "core.v1.Service",
        short: "svc",
        all: true,
        status: true,
        selectable: &["spec.clusterIP", "spec.type"],
        ..PLAIN
    },
    Row {
        group: ADMISSION,
        plural: "mutatingadmissionpolicies",
        kind: "MutatingAdmissionPolicy",
        name: "admissionregistration.v1.MutatingAdmissionPolicy",
        namespaced: false,
        generation: true,
        ..PLAIN
    },
    Row {
        group: ADMISSION,
        plural: "mutatingadmissionpolicybindings",
        kind: "MutatingAdmissionPolicyBinding",
        name: "admissionregistration.v1.MutatingAdmissionPolicyBinding",
        namespaced: false,
        generation: true,
        ..PLAIN
    },
    Row {
        group: ADMISSION,
        plural: "mutatingwebhookconfigurations",
        kind: "MutatingWebhookConfiguration",
        name: "admissionregistration.v1.MutatingWebhookConfiguration",
        namespaced: false,
        generation: true,
        ..PLAIN
    },
    Row {
        group: ADMISSION,
        plural: "validatingadmissionpolicies",
        kind: "ValidatingAdmissionPolicy",
        name: "admissionregistration.v1.ValidatingAdmissionPolicy",
        namespaced: false,
        status: true,
        generation: true,
        ..PLAIN
    },
    Row {
        group: ADMISSION,
        plural: "validatingadmissionpolicybindings",
        kind: "ValidatingAdmissionPolicyBinding",
        name: "admissionregistration.v1.ValidatingAdmissionPolicyBinding",
        namespaced: false,
        generation: true,
        ..PLAIN
    },
    Row {
        group: ADMISSION,
        plural: "validatingwebhookconfigurations",
        kind: "ValidatingWebhookConfiguration",
        name: "admissionregistration.v1.ValidatingWebhookConfiguration",
        namespaced: false,
        generation: true,
        ..PLAIN
    },
    Row { plural: "daemonsets", kind: "DaemonSet", name: "apps.v1.DaemonSet", short: "ds", ..WORKLOAD },
    Row {
        plural: "deployments",
        kind: "Deployment",
        name: "apps.v1.Deployment",
        short: "deploy",
        scale: true,
        ..WORKLOAD
    },
    Row {
        plural: "replicasets",
        kind: "ReplicaSet",
        name: "apps.v1.ReplicaSet",
        short: "rs",
        scale: true,
        ..WORKLOAD
    },
    Row {
        plural: "statefulsets",
        kind: "StatefulSet",
        name: "apps.v1.StatefulSet",
        short: "sts",
        scale: true,
        ..WORKLOAD
    },
    Row {
        plural: "localsubjectaccessreviews",
        kind: "LocalSubjectAccessReview",
        name: "authorization.v1.LocalSubjectAccessReview",
        namespaced: true,
        ..REVIEW
    },
    Row {
        plural: "selfsubjectaccessreviews",
        kind: "SelfSubjectAccessReview",
        name: "authorization.v1.SelfSubjectAccessReview",
        ..REVIEW
    },
    Row {
        plural: "selfsubjectrulesreviews",
        kind: "SelfSubjectRulesReview",
        name: "authorization.v1.SelfSubjectRulesReview",
        ..REVIEW
    },
    Row {
        plural: "subjectaccessreviews",
        kind: "SubjectAccessReview",
        name: "authorization.v1.SubjectAccessReview",
        ..REVIEW
    },
    Row {
        group: "batch",
        plural: "cronjobs",
        kind: "CronJob",
        name: "batch.v1.CronJob",
        short: "cj",
        ..WORKLOAD
    },
    Row {
        group: "batch",
        plural: "jobs",
        kind: "Job",
        name: "batch.v1.Job",
        selectable: &["status.successful"],
        ..WORKLOAD
    },
    Row {
        group: "coordination.k8s.io",
        plural: "leases",
        kind: "Lease",
        name: "coordination.v1.Lease",
        ..PLAIN
    },
    Row {
        group: "events.k8s.io",
        plural: "events",
        kind: "Event",
        name: "events.v1.Event",
        short: "ev",
        selectable: NEW_EVENT_FIELDS,
        ..PLAIN
    },
    Row {
        group: "policy",
        plural: "poddisruptionbudgets",
        kind: "PodDisruptionBudget",
        name: "policy.v1.PodDisruptionBudget",
        short: "pdb",
        status: true,
        generation: true,
        ..PLAIN
    },
    Row {
        group: RBAC,
        plural: "clusterrolebindings",
        kind: "ClusterRoleBinding",
        name: "rbac.v1.ClusterRoleBinding",
        namespaced: false,
        ..PLAIN
    },
    Row {
        group: RBAC,
        plural: "clusterroles",
        kind: "ClusterRole",
        name: "rbac.v1.ClusterRole",
        namespaced: false,
        ..PLAIN
    },
    Row { group: RBAC, plural: "rolebindings", kind: "RoleBinding", name: "rbac.v1.RoleBinding", ..PLAIN },
    Row { group: RBAC, plural: "roles", kind: "Role", name: "rbac.v1.Role", ..PLAIN },
];

static DEFINITIONS: LazyLock<Map<String, Value>> =
    LazyLock::new(|| serde_json::from_str(include_str!("kinds.json")).unwrap_or_default());

/// The OpenAPI definitions of the built-in kinds and of everything in them, by name.
///
/// ```
/// assert!(allready_apiserver::builtin::definitions().contains_key("io.k8s.api.core.v1.Pod"));
/// ```
pub fn definitions() -> &'static Map<String, Value> {
    &DEFINITIONS
}

static SCHEMAS: LazyLock<BTreeMap<&'static str, Arc<Schema>>> = LazyLock::new(|| {
    let definitions = Definitions::builtin();
    let schema = |row: &Row| definitions.get(&format!("io.k8s.api.{}", row.name)).unwrap_or_default();
    ROWS.iter().map(|row| (row.name, schema(row))).collect()
});

/// The built-in kinds.
///
/// ```
/// let resources = allready_apiserver::builtin::resources();
/// let pods = resources.iter().find(|resource| resource.plural == "pods").unwrap();
/// assert_eq!((pods.kind.as_str(), pods.short_names.as_slice()), ("Pod", &["po".to_owned()][..]));
/// ```
pub fn resources() -> Vec<Resource> {
    ROWS.iter().map(Row::resource).collect()
}

impl Row {
    /// `v1` or `apps/v1`.
    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() { "v1".into() } else { format!("{}/v1", self.group) }
    }

    fn resource(&'static self) -> Resource {
        let singular = self.kind.to_ascii_lowercase();
        let selector = "status.selector".to_owned();
        let scale = self.scale.then(|| Scale {
            spec_replicas: ".spec.replicas".into(),
            status_replicas: ".status.replicas".into(),
            label_selector: Some(format!(".{selector}")),
        });
        let version = Version {
            name: "v1".into(),
            schema: SCHEMAS.get(self.name).cloned().unwrap_or_default(),
            status: self.status,
            scale,
            columns: Vec::new(),
            selectable: self.selectable.iter().map(ToString::to_string).collect(),
            deprecation: None,
            published: None,
        };
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
            singular,
            kind: self.kind.into(),
            list_kind: format!("{}List", self.kind),
            short_names: if self.short.is_empty() { Vec::new() } else { vec![self.short.into()] },
            categories: match self.group {
                ADMISSION => vec!["api-extensions".into()],
                _ if self.all => vec!["all".into()],
                _ => Vec::new(),
            },
            namespaced: self.namespaced,
            versions: vec![version],
            storage_version: if event { "v1".into() } else { self.api_version() },
            place: qualified,
            verbs: self.verbs.to_vec(),
            strategy: Arc::new(Builtin { row: self }),
        }
    }
}

/// What an object of a built-in kind is before anyone has set anything: the zero value of its Go type. Fields in it belong to
/// nobody. `None` for a kind that is not built in.
///
/// ```
/// let blank = allready_apiserver::builtin::blank("", "Service").unwrap();
/// assert_eq!(blank["status"], serde_json::json!({"loadBalancer": {}}));
/// ```
pub fn blank(group: &str, kind: &str) -> Option<Value> {
    let row = ROWS.iter().find(|row| row.group == group && row.kind == kind)?;
    let mut object = json!({"apiVersion": row.api_version(), "kind": row.kind});
    normal::normalise(row.name, &mut object);
    Some(object)
}
