//! The report of one instance of one component about itself.

use allready_core::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The reporter, and the object that the report is part of. It never changes: another reporter is another object.
///
/// ```
/// use allready_kube::kinds::{StatusReportSpec, TargetRef};
/// use serde_json::json;
///
/// let speaker = StatusReportSpec {
///     target_ref: TargetRef::configuration_status("config-status"),
///     component: "speaker".into(),
///     instance: Some("worker-1".into()),
/// };
/// assert_eq!(
///     serde_json::to_value(&speaker)?,
///     json!({
///         "targetRef": { "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "name": "config-status" },
///         "component": "speaker",
///         "instance": "worker-1",
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
    doc = "StatusReport is what one instance of one component reports about itself: whether it could apply the configuration, and if not, why. A ConfigurationStatus is computed from all of them.",
    selectable = ".spec.targetRef.name",
    printcolumn(name = "Component", type_ = "string", json_path = ".spec.component"),
    printcolumn(name = "Instance", type_ = "string", json_path = ".spec.instance"),
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
    printcolumn(name = "Target", type_ = "string", json_path = ".spec.targetRef.name", priority = 1),
    printcolumn(name = "Revision", type_ = "string", json_path = ".status.observedRevision", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp")
)]
pub struct StatusReportSpec {
    /// The object in this namespace that the report is part of, such as the ConfigurationStatus `config-status`.
    pub target_ref: TargetRef,
    /// The component that reports, such as `speaker`.
    #[schemars(length(min = 1, max = 253))]
    pub component: String,
    /// The instance of the component: mostly the name of its node. Left out by a component that has one instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub instance: Option<String>,
}

/// An object in the same namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetRef {
    /// The group and version of the object.
    #[serde(default = "own_api_version")]
    #[schemars(length(min = 1, max = 317))]
    pub api_version: String,
    /// The kind of the object.
    #[serde(default = "configuration_status")]
    #[schemars(length(min = 1, max = 63))]
    pub kind: String,
    /// The name of the object.
    #[schemars(length(min = 1, max = 253), regex(pattern = super::DNS_SUBDOMAIN))]
    pub name: String,
}

impl TargetRef {
    /// The ConfigurationStatus of this name.
    pub fn configuration_status(name: impl Into<String>) -> Self {
        Self { api_version: own_api_version(), kind: configuration_status(), name: name.into() }
    }
}

fn own_api_version() -> String {
    "allready.dev/v1alpha1".to_owned()
}

fn configuration_status() -> String {
    "ConfigurationStatus".to_owned()
}

/// The report itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReportStatus {
    /// The revision of the configuration, a hash or a generation, that the reporter has observed: what it reports is about
    /// this revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub observed_revision: Option<String>,
    /// One condition for each reconciler, such as `configReconcilerValid`, and `Ready`, which is as bad as the worst of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "allready_core::Conditions", extend("maxItems" = 32))]
    pub conditions: Vec<Condition>,
}
