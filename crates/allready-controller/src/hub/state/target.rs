//! The keys that are decided about, and the targets that are written.

use std::{fmt, sync::Arc};

use crate::hub::{ClusterName, MANAGER, ObjectName};

/// The part of an object's status that one aggregation owns.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StatusTarget {
    /// The field manager, such as `allready-hub/gateways`.
    pub manager: Arc<str>,
    /// The kind of the object, as [`StatusTarget::kind`] names it.
    pub kind: Arc<str>,
    /// The object.
    pub object: ObjectName,
}

impl StatusTarget {
    /// A kind with its group, since another group may have a kind of the same name, and without its version.
    ///
    /// ```
    /// use allready_controller::hub::StatusTarget;
    ///
    /// assert_eq!(&*StatusTarget::kind("gateway.networking.k8s.io/v1", "Gateway"), "Gateway.gateway.networking.k8s.io");
    /// assert_eq!(&*StatusTarget::kind("v1", "Service"), "Service");
    /// ```
    pub fn kind(api_version: &str, kind: &str) -> Arc<str> {
        match api_version.split_once('/') {
            Some((group, _)) => format!("{kind}.{group}").into(),
            None => kind.into(),
        }
    }
}

/// An object of the hub that is written, or the part of it that is ours.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// The status of an object that an aggregation chooses.
    Status(StatusTarget),
    /// A DNSEndpoint.
    Endpoint(ObjectName),
    /// The status of a StatusAggregation.
    Aggregation(Arc<str>),
    /// An InstanceStatus.
    InstanceStatus(ObjectName),
    /// The ClusterStatus of a cluster.
    ClusterStatus(ClusterName),
    /// The Lease that tells when a cluster was last heard.
    Lease(ClusterName),
}

impl Target {
    /// The importance: targets of a lower rank are written first when many are due.
    pub fn rank(&self) -> u8 {
        match self {
            Self::Status(_) => 0,
            Self::Endpoint(_) => 1,
            Self::Aggregation(_) => 2,
            Self::InstanceStatus(_) | Self::ClusterStatus(_) => 3,
            Self::Lease(_) => 4,
        }
    }

    /// The namespace of the object; empty for what is of the whole fleet.
    pub fn namespace(&self) -> &str {
        match self {
            Self::Status(target) => &target.object.namespace,
            Self::Endpoint(name) | Self::InstanceStatus(name) => &name.namespace,
            Self::Aggregation(_) | Self::ClusterStatus(_) | Self::Lease(_) => "",
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(StatusTarget { manager, object, .. }) => {
                let aggregation = manager.strip_prefix(MANAGER).unwrap_or(manager).trim_start_matches('/');
                write!(f, "the status of {object} for {aggregation}")
            }
            Self::Endpoint(name) => write!(f, "the DNSEndpoint {name}"),
            Self::Aggregation(name) => write!(f, "the status of the StatusAggregation {name}"),
            Self::InstanceStatus(name) => write!(f, "the InstanceStatus {name}"),
            Self::ClusterStatus(cluster) => write!(f, "the ClusterStatus {cluster}"),
            Self::Lease(cluster) => write!(f, "the Lease of the cluster {cluster}"),
        }
    }
}

/// Something to decide about. Those that others depend on come first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HubKey {
    /// A cluster: whether it is believed, and its ClusterStatus.
    Cluster(ClusterName),
    /// The status of an object: of one that is chosen, or one that was.
    Status(StatusTarget),
    /// The DNS records of an object, by the name of their DNSEndpoint.
    Endpoint(ObjectName),
    /// An InstanceStatus, by its name.
    InstanceStatus(ObjectName),
    /// The status of a StatusAggregation.
    Aggregation(Arc<str>),
}

impl HubKey {
    /// The namespace of the object; empty for what is of the whole fleet.
    pub(in crate::hub) fn namespace(&self) -> &str {
        match self {
            Self::Status(target) => &target.object.namespace,
            Self::Endpoint(name) | Self::InstanceStatus(name) => &name.namespace,
            Self::Cluster(_) | Self::Aggregation(_) => "",
        }
    }
}
