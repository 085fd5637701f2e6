//! Where something is written, and what.

use std::{fmt, sync::Arc};

use allready_core::Status;
use serde_json::Value;

use crate::hub::ObjectName;

/// An object of the hub that is written. Their order is their importance.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The status of an object that an aggregation chooses.
    Status {
        /// The aggregation.
        aggregation: Arc<str>,
        /// The kind of the object, as [`Place::kind`] says it: the aggregation may have chosen another one before.
        kind: Arc<str>,
        /// The object.
        object: ObjectName,
    },
    /// A DNSEndpoint.
    Dns(ObjectName),
    /// The status of a StatusAggregation.
    Aggregation(Arc<str>),
    /// A StatusReport.
    Report(ObjectName),
}

impl Place {
    /// A kind as a place names it: with its group, since another group may have a kind of the same name, and without its version.
    ///
    /// ```
    /// use allready_controller::hub::Place;
    ///
    /// assert_eq!(&*Place::kind("gateway.networking.k8s.io/v1", "Gateway"), "Gateway.gateway.networking.k8s.io");
    /// assert_eq!(&*Place::kind("v1", "Service"), "Service");
    /// ```
    pub fn kind(api_version: &str, kind: &str) -> Arc<str> {
        match api_version.split_once('/') {
            Some((group, _)) => format!("{kind}.{group}").into(),
            None => kind.into(),
        }
    }

    pub(super) const RANKS: usize = 4;

    /// How many kinds of places are more important.
    pub(super) fn rank(&self) -> usize {
        match self {
            Self::Status { .. } => 0,
            Self::Dns(_) => 1,
            Self::Aggregation(_) => 2,
            Self::Report(_) => 3,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status { aggregation, object, .. } => write!(f, "the status of {object} for {aggregation}"),
            Self::Dns(name) => write!(f, "the DNSEndpoint {name}"),
            Self::Aggregation(name) => write!(f, "the status of the StatusAggregation {name}"),
            Self::Report(name) => write!(f, "the StatusReport {name}"),
        }
    }
}

/// What should stand in a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What to apply; none where the object should go.
    pub body: Option<Value>,
    /// The worst that it says, and the worst that stands: what gets worse does not wait.
    pub news: (Status, Option<Status>),
}

impl Draft {
    /// A draft that can wait a little for others.
    pub fn calm(body: Option<Value>) -> Self {
        Self { body, news: (Status::Unknown, Some(Status::Unknown)) }
    }
}
