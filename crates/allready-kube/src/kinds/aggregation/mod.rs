//! One status on a hub from the instances of an object in many clusters.

use allready_core::{Condition, ConditionType};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DNS_LABEL;

mod dns;
#[cfg(test)]
mod tests;

pub use dns::{DnsOutput, ProviderProperty, UnhealthyTargets, UnreachableTargets};

/// Which objects of the hub get a status, from which clusters, and what of it.
///
/// What is left out has its default: all clusters that the controller knows, and an instance expected in each of them.
///
/// ```
/// use allready_kube::kinds::{AggregationMode, Placement, StatusAggregationSpec};
/// use serde_json::json;
///
/// let text = json!({
///     "target": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
///     "conditions": [{ "type": "Ready" }],
///     "mode": "strict",
///     "addresses": true,
///     "listeners": true,
/// });
/// let spec: StatusAggregationSpec = serde_json::from_value(text)?;
/// assert_eq!((spec.mode, spec.clusters.placement), (AggregationMode::Strict, Placement::Everywhere));
///
/// let written = serde_json::to_value(&spec)?;
/// assert_eq!(serde_json::from_value::<StatusAggregationSpec>(written)?, spec);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, CustomResource)]
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
    doc = "Gives objects of a hub one status, made from the instances of the same object in many clusters.",
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
    printcolumn(name = "Kind", type_ = "string", json_path = ".spec.target.kind"),
    printcolumn(name = "Objects", type_ = "integer", json_path = ".status.objects"),
    printcolumn(name = "Clusters", type_ = "string", json_path = ".status.clusters.summary"),
    printcolumn(
        name = "Message",
        type_ = "string",
        json_path = r#".status.conditions[?(@.type=="Ready")].message"#,
        priority = 1
    ),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct StatusAggregationSpec {
    /// The objects of the hub that get a status.
    pub target: AggregationTarget,
    /// The clusters in which their instances are, of all that the controller knows.
    #[serde(default)]
    pub clusters: ClusterChoice,
    /// The condition types that are aggregated, in order of importance: where the hub object has no room for all, the last go
    /// first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["type"]))]
    pub conditions: Vec<AggregatedCondition>,
    /// What an instance that is neither True nor False makes of the whole. `three-valued`: Unknown, unless another one is
    /// bad. `strict`: bad, as is whatever is not good everywhere.
    #[serde(default)]
    pub mode: AggregationMode,
    /// Whether the addresses of Gateways are aggregated, each as `cluster/address`.
    #[serde(default)]
    pub addresses: bool,
    /// Whether the listeners of Gateways are aggregated, each as `cluster.listener`, with its attached routes.
    #[serde(default)]
    pub listeners: bool,
    /// Numbers in the status that are aggregated, such as `status.readyReplicas`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 32), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["path"]))]
    pub fields: Vec<AggregatedField>,
    /// Which DNS records are made for the hostnames of a Gateway's listeners; none where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dns: Option<DnsOutput>,
    /// When what each cluster says stands in a StatusReport of its own. `WhenNeeded`: where the hub object has no room for
    /// all of it. `Always`: for every object.
    #[serde(default)]
    pub reports: InstanceReports,
    /// After how many seconds without a word a cluster is unreachable [default: 30].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub unreachable_after_seconds: Option<u32>,
}

/// Objects of the hub.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregationTarget {
    /// Their group and version, such as `gateway.networking.k8s.io/v1`.
    #[schemars(
        length(min = 1, max = 317),
        regex(pattern = r"^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[a-z]([-a-z0-9]*[a-z0-9])?$")
    )]
    pub api_version: String,
    /// Their kind, such as `Gateway`.
    #[schemars(length(min = 1, max = 63), regex(pattern = r"^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$"))]
    pub kind: String,
    /// Their namespaces; all where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        inner(length(max = 63), regex(pattern = DNS_LABEL)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub namespaces: Vec<String>,
    /// Which of them; all where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
}

/// Clusters, and on which of them an instance is expected. An instance has the namespace and the name of its object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterChoice {
    /// The clusters of these names; with a selector too, those that it matches beside them. A name has small letters, digits
    /// and hyphens, so that `cluster/address` and `cluster.listener` can be taken apart again.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(
        inner(length(max = 63), regex(pattern = DNS_LABEL)),
        extend("x-kubernetes-list-type" = "set")
    )]
    pub names: Vec<String>,
    /// The clusters with these labels; all where neither this nor names are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selector: Option<LabelSelector>,
    /// On which of them an instance is expected. `Everywhere`: on each. `Annotated`: on those that the annotation
    /// `allready.dev/clusters` of the hub object names, separated by commas; `kuadrant.io/gateway-clusters`, a JSON list, is
    /// understood too. `Decided`: on those that the PlacementDecisions say, of the Placement that the label
    /// `cluster.open-cluster-management.io/placement` of the hub object names, in its namespace. `Found`: on those where
    /// there is one, so that nobody is missed.
    pub placement: Placement,
    /// Which objects of the clusters are looked at; all of the kind where it is absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instances: Option<LabelSelector>,
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
    #[schemars(
        length(min = 1, max = 316),
        regex(
            pattern = ConditionType::PATTERN
        )
    )]
    pub type_: String,
    /// Whether True is good, where the type is not one that everybody knows, such as `Degraded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub polarity: Option<AggregatedPolarity>,
    /// A CEL expression over `object` that says whether the condition holds, for kinds that do not have it, such as
    /// `object.status.readyReplicas == object.spec.replicas`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 1024))]
    pub expression: Option<String>,
}

/// Whether True is good, where the type is not one that everybody knows, such as `Degraded`. `Positive`: True is good, so that
/// the whole is True where it is True everywhere. `Negative`: True is bad, so that the whole is True where it is True anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AggregatedPolarity {
    /// True is good, as of Ready: True where it is True everywhere.
    Positive,
    /// True is bad, as of Degraded: True where it is True anywhere.
    Negative,
}

/// What an instance that is neither True nor False makes of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AggregationMode {
    /// Unknown, unless another one is bad.
    #[default]
    ThreeValued,
    /// Bad: what is not good everywhere is bad.
    Strict,
}

/// A number that is aggregated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AggregatedField {
    /// Where it is, such as `status.readyReplicas`.
    #[schemars(length(max = 253), regex(pattern = r"^status(\.[A-Za-z0-9_-]+)+$"))]
    pub path: String,
    /// What becomes of it: the `Sum`, `Min` or `Max` over all instances. Where an instance does not have it, it is zero.
    pub combine: Combine,
}

/// What becomes of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Combine {
    /// All of them together.
    Sum,
    /// The smallest.
    Min,
    /// The greatest.
    Max,
}

/// When what each cluster says stands in a StatusReport of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum InstanceReports {
    /// When the hub object has no room for all of it.
    #[default]
    WhenNeeded,
    /// Always.
    Always,
}

/// How the aggregation is doing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StatusAggregationStatus {
    /// The generation of the spec that this is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// `Ready`: whether every chosen cluster is heard, and every object is written.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions")]
    pub conditions: Vec<Condition>,
    /// How many objects of the hub are given a status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub objects: Option<i64>,
    /// How many clusters there are, and how many are heard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<ClusterCounts>,
}

/// How many clusters there are, and how many are heard.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct ClusterCounts {
    /// How many are chosen.
    pub chosen: i64,
    /// How many are heard.
    pub heard: i64,
    /// `heard/chosen`, for a column.
    pub summary: String,
}
