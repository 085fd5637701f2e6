//! What one instance of one component says about itself.

use allready_core::{Condition, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who reports, and to whom. It never changes: another reporter is another object.
///
/// ```
/// use allready_kube::kinds::{StatusReportSpec, TargetKind};
/// use serde_json::json;
///
/// let on_a_gateway = StatusReportSpec {
///     target: "web".into(),
///     target_kind: Some(TargetKind { api_version: "gateway.networking.k8s.io/v1".into(), kind: "Gateway".into() }),
///     component: "gateway".into(),
///     instance: Some("cluster-1".into()),
/// };
/// assert_eq!(
///     serde_json::to_value(&on_a_gateway)?,
///     json!({
///         "target": "web",
///         "targetKind": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
///         "component": "gateway",
///         "instance": "cluster-1",
///     })
/// );
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "allready.dev",
    version = "v1alpha1",
    kind = "StatusReport",
    plural = "statusreports",
    shortname = "sr",
    category = "allready",
    namespaced,
    status = "StatusReportStatus",
    derive = "PartialEq",
    doc = "What one instance of one component says about itself: one of the reports from which an object such as a ConfigurationStatus is made.",
    printcolumn(name = "Component", type_ = "string", json_path = ".spec.component"),
    printcolumn(name = "Instance", type_ = "string", json_path = ".spec.instance"),
    printcolumn(name = "Target", type_ = "string", json_path = ".spec.target", priority = 1),
    printcolumn(name = "Revision", type_ = "string", json_path = ".status.observedRevision", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.spec == oldSelf.spec").message("who reports, and to whom, cannot change: make another StatusReport")
)]
pub struct StatusReportSpec {
    /// The name of the object in this namespace that the report is part of, such as `config-status`.
    #[schemars(length(min = 1, max = 253))]
    pub target: String,
    /// The kind of that object, where it is not a ConfigurationStatus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_kind: Option<TargetKind>,
    /// The component that reports, such as `speaker`.
    #[schemars(length(min = 1, max = 253))]
    pub component: String,
    /// Which instance of the component, where there are several: the name of its node, mostly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub instance: Option<String>,
}

/// A kind of objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetKind {
    /// Its group and version, such as `gateway.networking.k8s.io/v1`.
    #[schemars(length(min = 1, max = 317))]
    pub api_version: String,
    /// Its name, such as `Gateway`.
    #[schemars(length(min = 1, max = 63))]
    pub kind: String,
}

/// The report itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReportStatus {
    /// The revision of the configuration, a hash or a generation, that the reporter has digested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub observed_revision: Option<String>,
    /// One condition for each reconciler, such as `configReconcilerValid`; of an object of another kind, its own conditions.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions")]
    pub conditions: Vec<Condition>,
    /// When the one that is reported on was last heard, where somebody else reports on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_heard: Option<Time>,
    /// Of a Gateway in another cluster: its addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub addresses: Vec<ReportedAddress>,
    /// Of a Gateway in another cluster: its listeners.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub listeners: Vec<ReportedListener>,
    /// Of a cluster: what the hub knows of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<ReportedCluster>,
}

/// An address of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedAddress {
    /// `IPAddress`, `Hostname`, or another type.
    #[serde(rename = "type")]
    pub type_: String,
    /// The address.
    pub value: String,
}

/// A listener of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReportedListener {
    /// Its name.
    pub name: String,
    /// How many routes are attached to it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_routes: Option<i64>,
}

/// What a hub knows of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ReportedCluster {
    /// Where it is: the address of its API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Where the hub knows it from, such as `secret allready-system/cluster-1`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How many of its objects are looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<i64>,
    /// How long it last took to answer, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lag_milliseconds: Option<i64>,
}
