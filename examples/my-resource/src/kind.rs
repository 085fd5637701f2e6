//! The kind: what is wished for, and how it stands.

use allready::{Conditions, StatusFields, Time};
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Settings that the controller keeps in a `ConfigMap` of the same name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, CustomResource)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::duplicated_attributes, reason = "two columns of one type")]
#[kube(
    group = "my.allready.dev",
    version = "v1alpha1",
    kind = "MyResource",
    plural = "myresources",
    namespaced,
    status = "MyResourceStatus",
    derive = "PartialEq",
    doc = "Settings that the controller keeps in a ConfigMap of the same name.",
    printcolumn(name = "Phase", type_ = "string", json_path = ".status.phase"),
    printcolumn(name = "Reason", type_ = "string", json_path = ".status.reason"),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct MyResourceSpec {
    /// The settings, one `name=value` on each line.
    pub settings: String,
}

/// The overall phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum MyResourcePhase {
    /// Nobody has reconciled it yet, or the phase could not be computed.
    #[default]
    Progressing,
    /// Everything is as it should be.
    Succeeded,
    /// Something is not.
    Failed,
}

/// How it stands. Every field is written by the status updater.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, StatusFields)]
#[serde(rename_all = "camelCase", default)]
pub struct MyResourceStatus {
    /// The generation of this resource that was last reconciled.
    pub observed_generation: i64,
    /// When that was, give or take a few minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_reconcile_time: Option<Time>,
    /// The overall phase.
    pub phase: MyResourcePhase,
    /// Why it is in this phase, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Why it is in this phase, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// `Valid`: the settings can be read. `Applied`: the `ConfigMap` has them.
    pub conditions: Conditions,
}
