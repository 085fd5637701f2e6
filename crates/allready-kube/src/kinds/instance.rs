//! The status of one object of the hub in one cluster.

use allready_core::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DNS_LABEL, DNS_SUBDOMAIN};

/// The object of the hub, the cluster, and the aggregation that this was made for. It never changes: another instance is
/// another object.
///
/// ```
/// use allready_kube::kinds::{InstanceStatusSpec, InstanceTargetRef};
/// use serde_json::json;
///
/// let spec: InstanceStatusSpec = serde_json::from_value(json!({
///     "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": "web" },
///     "cluster": "cluster-1",
///     "aggregation": "gateways",
/// }))?;
/// assert_eq!(spec.target_ref.name, "web");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "allready.dev",
    version = "v1alpha1",
    kind = "InstanceStatus",
    plural = "instancestatuses",
    shortname = "inststatus",
    category = "allready",
    namespaced,
    status = "InstanceStatusStatus",
    derive = "PartialEq",
    doc = "InstanceStatus is what one cluster says of one object of the hub: the share of that cluster in the status that a StatusAggregation gives the object. The hub writes it, where the object has no room for all shares.",
    selectable = ".spec.targetRef.name",
    selectable = ".spec.cluster",
    printcolumn(name = "Kind", type_ = "string", json_path = ".spec.targetRef.kind"),
    printcolumn(name = "Target", type_ = "string", json_path = ".spec.targetRef.name"),
    printcolumn(name = "Cluster", type_ = "string", json_path = ".spec.cluster"),
    printcolumn(name = "Condition", type_ = "string", json_path = ".status.conditions[0].type"),
    printcolumn(name = "Status", type_ = "string", json_path = ".status.conditions[0].status"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.conditions[0].reason"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = ".status.conditions[0].message",
        priority = 1
    ),
    printcolumn(name = "Aggregation", type_ = "string", json_path = ".spec.aggregation", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct InstanceStatusSpec {
    /// The object of the hub, in this namespace or in none.
    pub target_ref: InstanceTargetRef,
    /// The name of the cluster.
    #[schemars(length(min = 1, max = 63), regex(pattern = DNS_LABEL))]
    pub cluster: String,
    /// The name of the StatusAggregation that this was made for.
    #[schemars(length(min = 1, max = 253), regex(pattern = DNS_SUBDOMAIN))]
    pub aggregation: String,
}

/// An object of the hub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceTargetRef {
    /// The group and version of the object.
    #[schemars(length(min = 1, max = 317))]
    pub api_version: String,
    /// The kind of the object.
    #[schemars(length(min = 1, max = 63))]
    pub kind: String,
    /// The name of the object.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
}

/// The share of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct InstanceStatusStatus {
    /// The aggregated conditions, as far as the instance in this cluster decides them, in the order of the aggregation: the
    /// first is the most important one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions", extend("maxItems" = 32))]
    pub conditions: Vec<Condition>,
    /// The addresses of a Gateway in this cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1024), extend("x-kubernetes-list-type" = "atomic"))]
    pub addresses: Vec<InstanceAddress>,
    /// The listeners of a Gateway in this cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 1024), extend("x-kubernetes-list-type" = "atomic"))]
    pub listeners: Vec<InstanceListener>,
}

/// An address of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceAddress {
    /// The type of the address: `IPAddress`, `Hostname`, or another one.
    #[serde(rename = "type")]
    #[schemars(length(max = 253))]
    pub type_: String,
    /// The address itself.
    #[schemars(length(max = 1024))]
    pub value: String,
}

/// A listener of a Gateway.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct InstanceListener {
    /// The name of the listener.
    #[schemars(length(max = 253))]
    pub name: String,
    /// The number of routes that are attached to it, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attached_routes: Option<i64>,
}
