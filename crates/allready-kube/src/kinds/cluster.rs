//! The state of one cluster, as the hub sees it.

use allready_core::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The source from which the hub knows a cluster. The object has the name of the cluster.
///
/// ```
/// use allready_kube::kinds::{ClusterStatus, ClusterStatusSpec};
///
/// let cluster = ClusterStatus::new("cluster-1", ClusterStatusSpec { source: "Secret allready-system/cluster-1".into() });
/// assert_eq!(serde_json::to_value(&cluster.spec).unwrap()["source"], "Secret allready-system/cluster-1");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "allready.dev",
    version = "v1alpha1",
    kind = "ClusterStatus",
    plural = "clusterstatuses",
    shortname = "clstatus",
    category = "allready",
    namespaced,
    status = "ClusterStatusStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "ClusterStatus is what the hub knows of one cluster: whether it answers, and if not, why. The hub writes one for each cluster of its inventory, in its own namespace, with the name of the cluster.",
    printcolumn(
        name = "Reachable",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Reachable")].status"#
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Reachable")].reason"#
    ),
    printcolumn(name = "Objects", type_ = "integer", json_path = ".status.objects"),
    printcolumn(name = "Latency", type_ = "integer", json_path = ".status.latencyMilliseconds"),
    printcolumn(name = "Server", type_ = "string", json_path = ".status.server"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Reachable")].message"#,
        priority = 1
    ),
    printcolumn(name = "Source", type_ = "string", json_path = ".spec.source", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct ClusterStatusSpec {
    /// The source from which the hub knows the cluster, such as `Secret allready-system/cluster-1`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[schemars(length(max = 1024))]
    pub source: String,
}

/// The state of the cluster. When it was last heard is in the Lease `cluster.NAME` beside this object.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterStatusStatus {
    /// Reachable: True when the cluster answers the hub; False when it does not, with the reason in the message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions", extend("maxItems" = 8))]
    pub conditions: Vec<Condition>,
    /// The address of the API server of the cluster.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 1024))]
    pub server: Option<String>,
    /// The number of objects in the cluster that are aggregated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub objects: Option<i64>,
    /// Milliseconds that the cluster last took to answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub latency_milliseconds: Option<i64>,
}
