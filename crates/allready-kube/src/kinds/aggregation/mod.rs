//! One status on a hub from the instances of an object in many clusters.

use allready_core::{Condition, ConditionType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{ConditionPolarity, DNS_LABEL, WritingController};

mod dns;
#[cfg(test)]
mod tests;

pub use dns::{DnsOutput, DnsOutputType, OnUnhealthy, OnUnreachable, ProviderProperty};

/// Which objects of the hub get a status, from which clusters, and which parts of it.
///
/// ```
/// use allready_kube::kinds::{Placement, StatusAggregationSpec, UnknownInstances};
/// use serde_json::json;
///
/// let text = json!({
///     "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
///     "conditions": [{ "type": "Ready" }],
///     "unknown": "TreatAsBad",
///     "rows": ["Addresses", "Listeners"],
/// });
/// let spec: StatusAggregationSpec = serde_json::from_value(text)?;
/// assert_eq!((spec.unknown, spec.placement.type_), (UnknownInstances::TreatAsBad, Placement::Everywhere));
///
/// let written = serde_json::to_value(&spec)?;
/// assert_eq!(serde_json::from_value::<StatusAggregationSpec>(written)?, spec);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[kube(
    group = "allready.dev",
    version = "v1alpha1",
    kind = "StatusAggregation",
    plural = "statusaggregations",
    shortname = "statusagg",
    category = "allready",
    status = "StatusAggregationStatus",
    derive = "PartialEq",
    derive = "Default",
    doc = "StatusAggregation gives objects of a hub one status, made from the instances of the same object in many clusters.",
    printcolumn(
        name = "Ready",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].status"#
    ),
    printcolumn(
        name = "Reason",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].reason"#
    ),
    printcolumn(name = "Kind", type_ = "string", json_path = ".spec.targetRef.kind"),
    printcolumn(name = "Objects", type_ = "integer", json_path = ".status.objects"),
    printcolumn(name = "Clusters", type_ = "string", json_path = ".status.clusters.display"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].message"#,
        priority = 1
    ),
    printcolumn(name = "Lease", type_ = "string", json_path = ".status.controller.lease", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct StatusAggregationSpec {
    /// The kind of the objects on the hub that get a status, such as Gateway.
    pub target_ref: TargetKind,
    /// The namespaces of the objects. Left out, all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 256),
        inner(length(max = 63), regex(pattern = DNS_LABEL)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub namespaces: Vec<String>,
    /// The labels of the objects. Left out, all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// On which of the chosen clusters an instance is expected. An instance has the kind, the namespace and the name of its
    /// object.
    #[serde(default)]
    pub placement: PlacementRule,
    /// The clusters in which instances are looked for, of all that the hub knows. Left out, all.
    #[serde(default)]
    pub clusters: ClusterChoice,
    /// The condition types that are aggregated, in order of importance: where the object has no room for all, the last go
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<AggregatedCondition>,
    /// The weight of an instance that is neither good nor bad. `KeepUnknown`: the whole is Unknown, unless another instance is
    /// bad. `TreatAsBad`: the whole is bad unless every instance is good.
    #[serde(default)]
    pub unknown: UnknownInstances,
    /// The rows in the status of a Gateway that are collected from all clusters. Addresses: each as `cluster/address`.
    /// Listeners: each as `cluster.listener`, with the number of its attached routes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 2), extend("x-kubernetes-list-type" = "set"))]
    pub rows: Vec<AggregatedRows>,
    /// Numbers in the status that are aggregated, such as `.status.readyReplicas`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["path"]))]
    pub fields: Vec<AggregatedField>,
    /// The DNS records for the hostnames of a Gateway's listeners. Left out, none are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<DnsOutput>,
    /// When the share of each cluster stands in an InstanceStatus beside the object. `WhenNeeded`: where the object has no room
    /// for all of it. `Always`: for every object.
    #[serde(default)]
    pub instance_statuses: InstanceStatuses,
    /// After how many seconds without an answer a cluster is unreachable.
    #[serde(default = "default_cluster_timeout")]
    #[schemars(range(min = 1, max = 86400))]
    pub cluster_timeout_seconds: u32,
}

fn default_cluster_timeout() -> u32 {
    30
}

impl Default for StatusAggregationSpec {
    fn default() -> Self {
        Self {
            target_ref: TargetKind::default(),
            namespaces: Vec::new(),
            selector: None,
            placement: PlacementRule::default(),
            clusters: ClusterChoice::default(),
            conditions: Vec::new(),
            unknown: UnknownInstances::default(),
            rows: Vec::new(),
            fields: Vec::new(),
            dns: None,
            instance_statuses: InstanceStatuses::default(),
            cluster_timeout_seconds: default_cluster_timeout(),
        }
    }
}

/// A kind of objects on the hub.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetKind {
    /// The group and version of the objects, such as `gateway.networking.k8s.io/v1`.
    #[schemars(
        length(min = 1, max = 317),
        regex(pattern = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub api_version: String,
    /// The kind of the objects, such as `Gateway`.
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$"))]
    pub kind: String,
}

/// The clusters in which instances are looked for, of all that the hub knows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterChoice {
    /// The names of clusters; with a selector too, those that it matches beside them. A name has small letters, digits and
    /// hyphens, so that `cluster/address` and `cluster.listener` can be taken apart again. A cluster that is named and not
    /// known is missed: its share is Unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        length(max = 1024),
        inner(length(max = 63), regex(pattern = DNS_LABEL)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub names: Vec<String>,
    /// The labels of the clusters. Left out, and without names, all clusters are chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// The labels of the objects in the clusters that are looked at. Left out, all objects of the kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<LabelSelector>,
}

/// On which of the chosen clusters an instance is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlacementRule {
    /// Everywhere: on each. Annotated: on those that the annotation `allready.dev/clusters` of the object names, separated by
    /// commas; `kuadrant.io/gateway-clusters`, a JSON list, is understood too. Decided: on those in the PlacementDecisions of
    /// the Placement that the label `cluster.open-cluster-management.io/placement` of the object names, in its namespace.
    /// Found: on those where there is one, so that nobody is missed.
    #[serde(rename = "type")]
    pub type_: Placement,
}

/// On which of the chosen clusters an instance is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Placement {
    /// On each.
    #[default]
    Everywhere,
    /// On those that the annotation `allready.dev/clusters` of the hub object names, separated by commas. The annotation
    /// `kuadrant.io/gateway-clusters`, a JSON list, is understood too.
    Annotated,
    /// On those that Open Cluster Management has decided on: in the PlacementDecisions of the Placement that the label
    /// `cluster.open-cluster-management.io/placement` of the hub object names, in its namespace.
    Decided,
    /// On those where there is one: nobody is missed.
    Found,
}

/// A condition type that is aggregated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedCondition {
    /// The type, such as `Programmed`.
    #[serde(rename = "type")]
    #[schemars(length(min = 1, max = 316), regex(pattern = ConditionType::PATTERN))]
    pub type_: String,
    /// The status that is good. Positive: True is good, as of Ready, so that the whole is True where it is True everywhere.
    /// Negative: False is good, as of Degraded, so that the whole is True where it is True anywhere. Left out, the name of the
    /// type tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polarity: Option<ConditionPolarity>,
    /// A CEL expression over `object` that says whether the condition holds, for kinds that do not have it, such as
    /// `object.status.readyReplicas == object.spec.replicas`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub expression: Option<String>,
}

/// The weight of an instance that is neither good nor bad.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UnknownInstances {
    /// The whole is Unknown, unless another instance is bad.
    #[default]
    KeepUnknown,
    /// The whole is bad unless every instance is good.
    TreatAsBad,
}

/// Rows in the status of a Gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AggregatedRows {
    /// Each address as `cluster/address`.
    Addresses,
    /// Each listener as `cluster.listener`, with the number of its attached routes.
    Listeners,
}

/// A number that is aggregated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedField {
    /// The path of the number in the object, such as `.status.readyReplicas`.
    #[schemars(length(max = 253), regex(pattern = r"^\.status(\.[A-Za-z0-9_-]+)+$"))]
    pub path: String,
    /// The way in which the numbers of all instances become one. Sum: all of them together. Min: the smallest. Max: the
    /// greatest. An instance without the number counts as zero.
    pub combine: Combine,
}

/// The way in which numbers become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Combine {
    /// All of them together.
    Sum,
    /// The smallest.
    Min,
    /// The greatest.
    Max,
}

/// When the share of each cluster stands in an `InstanceStatus` beside the object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum InstanceStatuses {
    /// Only for objects that have no room for all of it.
    #[default]
    WhenNeeded,
    /// For every object.
    Always,
}

/// How the aggregation is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusAggregationStatus {
    /// The generation of the spec that this status is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Ready: True when every chosen cluster answers and every object is written. `DNSPublished`, where DNS records are wanted:
    /// True when all targets are published.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions", extend("maxItems" = 32))]
    pub conditions: Vec<Condition>,
    /// How many objects of the hub are given a status.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0))]
    pub objects: Option<i64>,
    /// Counts of clusters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterCounts>,
    /// The controller that wrote this. Its Lease tells how fresh the answer is, and what stands in the objects of the hub: while
    /// the Lease is renewed, the answer is as old as the last change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<WritingController>,
}

/// Counts of clusters.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterCounts {
    /// How many are chosen.
    #[schemars(range(min = 0))]
    pub chosen: i64,
    /// The number of those that answer, and show their objects.
    #[schemars(range(min = 0))]
    pub heard: i64,
    /// `heard/chosen`, for the column of kubectl get.
    #[schemars(length(max = 41))]
    pub display: String,
}
