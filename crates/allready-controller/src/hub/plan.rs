//! What the spec of a StatusAggregation comes to.

use std::{sync::Arc, time::Duration};

use allready_core::{ConditionType, Polarity};
use allready_kube::kinds::{
    AggregatedField, AggregationMode, AggregationTarget, DnsOutput, InstanceReports, Placement,
    StatusAggregationSpec,
};
use kube::core::Selector;

use super::ClusterName;

/// A spec that can be acted on.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The kind and the namespaces of the hub objects.
    pub target: AggregationTarget,
    /// Which of them.
    pub objects: Selector,
    /// Which clusters, by label; none where it names them alone.
    pub clusters: Option<Selector>,
    /// Which clusters, by name.
    pub names: Vec<ClusterName>,
    /// On which of them an instance is expected.
    pub placement: Placement,
    /// Which objects of the clusters, as a selector is written in a request.
    pub instances: Option<String>,
    /// The conditions, in order of importance.
    pub conditions: Vec<PlannedCondition>,
    /// What Unknown is worth.
    pub mode: AggregationMode,
    /// Whether addresses are aggregated.
    pub addresses: bool,
    /// Whether listeners are aggregated.
    pub listeners: bool,
    /// Numbers that are aggregated.
    pub fields: Vec<AggregatedField>,
    /// The DNS records that are wanted.
    pub dns: Option<DnsOutput>,
    /// When each cluster gets a report of its own.
    pub reports: InstanceReports,
    /// After how long without a word a cluster is unreachable.
    pub unreachable_after: Duration,
    /// What of the spec cannot be acted on, in words for its reader. While there is any, nothing is good.
    pub problems: Vec<String>,
}

/// A condition that is aggregated.
#[derive(Clone, Debug)]
pub struct PlannedCondition {
    /// Its type.
    pub type_: ConditionType,
    /// Whether True is good.
    pub polarity: Polarity,
    /// The expression that says whether it holds, where the instances do not have it.
    pub expression: Option<Arc<str>>,
}

impl Plan {
    /// What this spec comes to.
    pub fn of(_spec: &StatusAggregationSpec) -> Self {
        todo!()
    }
}
