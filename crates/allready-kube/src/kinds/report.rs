//! What one instance of one component says about itself.

use allready_core::Condition;
use kube::CustomResource;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who reports, and to whom. It never changes: another reporter is another object.
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
    doc = "What one instance of one component says about itself: one of the reports from which an object such as a ConfigurationStatus is made.",
    printcolumn(name = "Component", type_ = "string", json_path = ".spec.component"),
    printcolumn(name = "Instance", type_ = "string", json_path = ".spec.instance"),
    printcolumn(name = "Revision", type_ = "string", json_path = ".status.observedRevision", priority = 1),
    printcolumn(name = "Age", type_ = "date", json_path = ".metadata.creationTimestamp"),
    validation = Rule::new("self.spec == oldSelf.spec").message("who reports, and to whom, cannot change: make another StatusReport")
)]
pub struct StatusReportSpec {
    /// The name of the object in this namespace that the report is part of, such as `config-status`.
    #[schemars(length(min = 1, max = 253))]
    pub target: String,
    /// The component that reports, such as `speaker`.
    #[schemars(length(min = 1, max = 253))]
    pub component: String,
    /// Which instance of the component, where there are several: the name of its node, mostly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 253))]
    pub instance: Option<String>,
}

/// The report itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatusReportStatus {
    /// The revision of the configuration, a hash or a generation, that the reporter has digested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub observed_revision: Option<String>,
    /// One condition for each reconciler, such as `configReconcilerValid`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(schema_with = "super::conditions")]
    pub conditions: Vec<Condition>,
}
