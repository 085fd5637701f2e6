//! The kinds of these tests.

use allready_core::{Condition, Conditions, Time};
use allready_derive::{ConditionSet, StatusFields};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(group = "test.dev", version = "v1", kind = "Pool", namespaced, status = "PoolStatus")]
pub(crate) struct PoolSpec {
    pub(crate) size: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) enum Phase {
    #[default]
    Pending,
    Succeeded,
    Failed,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase", default)]
#[status(crate = allready_kube)]
pub(crate) struct PoolStatus {
    pub(crate) observed_generation: i64,
    pub(crate) last_reconcile_time: Option<Time>,
    pub(crate) phase: Phase,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) reason: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    #[schemars(with = "Conditions")]
    pub(crate) conditions: Vec<Condition>,
    pub(crate) addresses: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "test.dev",
    version = "v1",
    kind = "Nested",
    plural = "nesteds",
    namespaced,
    status = "NestedStatus"
)]
pub(crate) struct NestedSpec {}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase", default)]
#[status(crate = allready_kube)]
pub(crate) struct NestedStatus {
    #[status(observed_generation)]
    pub(crate) seen: Option<i64>,
    #[status(nested)]
    pub(crate) summary: Summary,
    #[status(conditions)]
    #[schemars(with = "Conditions")]
    pub(crate) checks: Vec<Condition>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase", default)]
#[status(crate = allready_kube, part)]
pub(crate) struct Summary {
    #[status(phase)]
    // The API server takes no null among the values of an enumeration, not as a default either.
    #[serde(rename = "state", skip_serializing_if = "Option::is_none")]
    pub(crate) overall_state: Option<Phase>,
    pub(crate) reason: Option<String>,
    #[status(skip)]
    pub(crate) message: Option<String>,
    #[status(message)]
    pub(crate) text: Option<String>,
}

/// A kind whose status has little of what an updater writes, and some of it in other types.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(group = "test.dev", version = "v1", kind = "Other", namespaced, status = "OtherStatus")]
pub(crate) struct OtherSpec {}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct OtherStatus {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<PhaseRecord>,
    pub(crate) summary: Option<String>,
    pub(crate) text: Option<String>,
    #[serde(rename = "observedGeneration")]
    pub(crate) observed_generation: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct PhaseRecord {
    pub(crate) name: Option<String>,
}

/// A kind with a condition set, and a list of conditions for each of its listeners.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(group = "test.dev", version = "v1", kind = "Net", namespaced, status = "NetStatus")]
pub(crate) struct NetSpec {
    pub(crate) size: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase", default)]
#[status(crate = allready_kube)]
pub(crate) struct NetStatus {
    pub(crate) conditions: Conditions<NetCondition>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) listeners: Vec<Listener>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Listener {
    pub(crate) name: String,
    pub(crate) conditions: Conditions<ListenerCondition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(crate = allready_core, prune("Obsolete"))]
pub(crate) enum NetCondition {
    /// Every address is one.
    AddressesValid,
    /// The addresses are announced.
    Announced,
    /// A replica is lost.
    #[condition(abnormal_true)]
    Degraded,
    /// The addresses are in the cache.
    #[condition(informational)]
    Cached,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(crate = allready_core, top = "Programmed")]
pub(crate) enum ListenerCondition {
    /// The port is free.
    PortFree,
}
