//! Which DNS records are made, and how.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DNS records, written as a `DNSEndpoint` for external-dns.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DnsOutput {
    /// For how many seconds a record may be remembered [default: 60].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub ttl_seconds: Option<u32>,
    /// How many seconds a cluster stays a target after its instance has left it [default: ten times the TTL].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grace_seconds: Option<u32>,
    /// What becomes of the targets in a cluster that cannot be reached. `Keep`: they stay, because that the hub cannot reach
    /// it does not mean that others cannot. `Leave`: they leave after the grace period, unless no other would be left.
    pub unreachable: UnreachableTargets,
    /// What becomes of the targets where a listener says that it is not programmed. `Prune`: they go, unless all would.
    /// `Keep`: they stay.
    pub unhealthy: UnhealthyTargets,
    /// Labels of each `DNSEndpoint`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// What the provider is told about each record. With this, each cluster that has a hostname instead of an address gets a
    /// record of its own; without it there can be one alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-kubernetes-list-type" = "atomic"))]
    pub provider_specific: Vec<ProviderProperty>,
}

/// What becomes of targets in a cluster that cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UnreachableTargets {
    /// They stay: that the hub cannot reach it does not mean that others cannot.
    #[default]
    Keep,
    /// They leave after the grace period, unless no other target would be left.
    Leave,
}

/// What becomes of targets whose listener says that it is not programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum UnhealthyTargets {
    /// They go, unless all would.
    #[default]
    Prune,
    /// They stay.
    Keep,
}

/// A property of a record that a provider knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderProperty {
    /// Its name, such as `aws/weight`.
    pub name: String,
    /// Its value.
    pub value: String,
}
