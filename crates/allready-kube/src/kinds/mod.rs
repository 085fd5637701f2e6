//! The kinds of `allready.dev`.
//!
//! ```
//! use allready_kube::kinds::StatusReport;
//! use kube::CustomResourceExt;
//!
//! let definition = serde_json::to_value(StatusReport::crd()).unwrap();
//! let status = &definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
//! assert_eq!(status["properties"]["conditions"]["x-kubernetes-list-map-keys"][0], "type");
//! ```

#[expect(clippy::duplicated_attributes, reason = "several columns have the same type")]
mod aggregation;
#[expect(clippy::duplicated_attributes, reason = "several columns have the same type")]
mod cluster;
mod compare;
#[expect(clippy::duplicated_attributes, reason = "several columns have the same type")]
mod configuration;
mod definitions;
#[expect(clippy::duplicated_attributes, reason = "several columns have the same type")]
mod instance;
#[expect(clippy::duplicated_attributes, reason = "several columns have the same type")]
mod report;
mod rules;
#[cfg(test)]
mod tests;

pub use aggregation::{
    AggregatedCondition, AggregatedField, AggregatedRows, ClusterChoice, ClusterCounts, Combine, DnsOutput,
    DnsOutputType, InstanceStatuses, OnUnhealthy, OnUnreachable, Placement, PlacementRule, ProviderProperty,
    StatusAggregation, StatusAggregationSpec, StatusAggregationStatus, TargetKind, UnknownInstances,
};
pub use cluster::{ClusterStatus, ClusterStatusSpec, ClusterStatusStatus};
pub use compare::SchemaDifference;
pub use configuration::{
    CauseSeen, CauseStatus, Component, ComponentRole, ConditionPolarity, ConfigurationStatus,
    ConfigurationStatusSpec, ConfigurationStatusStatus, DaemonSetInstances, HeartbeatTimeout, Instances,
    InstancesType, NameFrom, NameFromType, NodeInstances, Preset, Reporters, RevisionProgress, Source,
    SourceCondition, WritingController,
};
pub use definitions::{definitions, metallb_definition};
pub use instance::{
    InstanceAddress, InstanceListener, InstanceStatus, InstanceStatusSpec, InstanceStatusStatus,
    InstanceTargetRef,
};
pub use report::{StatusReport, StatusReportSpec, StatusReportStatus, TargetRef};

/// The pattern of the name of a namespace, or of a cluster.
const DNS_LABEL: &str = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/// The pattern of the name of most objects.
const DNS_SUBDOMAIN: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
