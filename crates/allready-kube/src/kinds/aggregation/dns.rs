//! Which DNS records are made, and how.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// DNS records for the hostnames of a Gateway's listeners.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct DnsOutput {
    /// The way in which the records are handed on. DNSEndpoint: as an object of that kind beside each Gateway, for external-dns.
    #[serde(rename = "type")]
    pub type_: DnsOutputType,
    /// For how many seconds a resolver may remember a record.
    #[schemars(range(min = 1, max = 2_147_483_647))]
    pub ttl_seconds: u32,
    /// Seconds for which a cluster stays a target after its instance was deleted or placed elsewhere. Choose several times the
    /// TTL, so that no resolver sends anybody to a cluster that is not there any more.
    #[schemars(range(min = 0, max = 2_147_483_647))]
    pub grace_seconds: u32,
    /// The fate of the targets whose listener says that it is not programmed. Remove: they go, unless all of that hostname
    /// would. Keep: they stay.
    pub on_unhealthy: OnUnhealthy,
    /// The fate of the targets in a cluster that cannot be reached. Keep: they stay, because that the hub cannot reach it does
    /// not mean that others cannot. Remove: they go after the grace period, unless no other would be left.
    pub on_unreachable: OnUnreachable,
    /// Labels of each DNSEndpoint.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Properties of each record for the DNS provider. With them, each cluster that has a hostname instead of an address gets
    /// a record of its own; without them there can be one alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(length(max = 16), extend("x-kubernetes-list-type" = "map", "x-kubernetes-list-map-keys" = ["name"]))]
    pub provider_specific: Vec<ProviderProperty>,
}

impl Default for DnsOutput {
    fn default() -> Self {
        Self {
            type_: DnsOutputType::default(),
            ttl_seconds: 60,
            grace_seconds: 600,
            on_unhealthy: OnUnhealthy::default(),
            on_unreachable: OnUnreachable::default(),
            labels: BTreeMap::new(),
            provider_specific: Vec::new(),
        }
    }
}

/// The way in which DNS records are handed on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum DnsOutputType {
    /// As a `DNSEndpoint` beside each Gateway, for external-dns.
    #[default]
    DNSEndpoint,
}

/// The fate of targets in a cluster that cannot be reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OnUnreachable {
    /// They stay: that the hub cannot reach it does not mean that others cannot.
    #[default]
    Keep,
    /// They go after the grace period, unless no other target would be left.
    Remove,
}

/// The fate of targets whose listener says that it is not programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum OnUnhealthy {
    /// They go, unless all would.
    #[default]
    Remove,
    /// They stay.
    Keep,
}

/// A property of a record that a provider knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProviderProperty {
    /// The name of the property, such as `aws/weight`.
    #[schemars(length(min = 1, max = 253))]
    pub name: String,
    /// The value of the property.
    #[schemars(length(max = 1024))]
    pub value: String,
}
