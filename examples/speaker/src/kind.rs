//! The object that all components share.

use allready::{Conditions, report::Layout};
use kube::{CustomResource, core::ApiResource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// It has no spec: nobody asks for anything.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, CustomResource)]
#[kube(
    group = "metallb.io",
    version = "v1beta1",
    kind = "ConfigurationStatus",
    plural = "configurationstatuses",
    namespaced,
    no_spec,
    status = "ConfigurationStatusStatus",
    doc = "Whether the configuration is valid, as every component sees it.",
    printcolumn = r#"{"name":"Ready","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].status"}"#,
    printcolumn = r#"{"name":"Reason","type":"string","jsonPath":".status.conditions[?(@.type==\"Ready\")].reason"}"#
)]
pub struct ConfigurationStatusFields {}

/// One condition for each reconciler of each component.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct ConfigurationStatusStatus {
    /// A map by type: each writer owns its own.
    #[serde(default)]
    pub conditions: Conditions,
}

/// The name of the object, and of the target of reports.
pub const NAME: &str = "config-status";

/// All components report into the one object.
pub fn singleton(namespace: &str) -> Layout {
    Layout::singleton(ApiResource::erase::<ConfigurationStatus>(&()), namespace, NAME)
}

/// Each component has a report of its own.
pub fn sharded(namespace: &str) -> Layout {
    Layout::sharded(namespace, NAME)
}
