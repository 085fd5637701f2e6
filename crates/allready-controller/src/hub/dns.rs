//! Which DNS records follow from what the clusters say.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use allready_core::Time;
use allready_kube::kinds::DnsOutput;
use serde_json::Value;

use super::{ClusterName, Instance, ObjectName};

/// What one cluster contributes.
#[derive(Clone, Copy, Debug)]
pub struct Contribution<'a> {
    /// The cluster.
    pub cluster: &'a ClusterName,
    /// Its last word, where it has one.
    pub instance: Option<&'a Instance>,
    /// What that is worth.
    pub presence: Presence,
}

/// What the last word of a cluster is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is fresh.
    Here,
    /// It is not known whether it still holds: not heard yet, unreadable, or about an older generation of the hub object.
    Doubted,
    /// The cluster has not answered since this instant, where that is known.
    Unreachable(Option<Time>),
    /// It is known that the instance is not there, is being deleted, or is not placed there any more.
    Displaced,
}

/// What is published: the records, and which cluster each target came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// Targets by name and type of record.
    pub records: BTreeMap<(Arc<str>, RecordType), BTreeSet<Arc<str>>>,
    /// The targets of each cluster, and when it began to leave.
    pub clusters: BTreeMap<ClusterName, Targets>,
}

/// The targets of a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// All of them, whatever the name.
    pub targets: BTreeSet<Arc<str>>,
    /// Since when it is leaving, if it is.
    pub leaving: Option<Time>,
}

/// The type of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordType {
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Another name.
    Cname,
}

/// What should be published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The records.
    pub publish: Published,
    /// What cannot be published, and why; in words, sorted, bounded.
    pub notes: Vec<String>,
    /// When to decide again even if nothing happens: the end of a grace period.
    pub look_again: Option<Time>,
}

/// Decides what to publish, given the listeners of the hub object that have a hostname.
pub fn decide<'a>(
    _hostnames: &[(Arc<str>, Arc<str>)],
    _contributions: impl IntoIterator<Item = Contribution<'a>>,
    _published: &Published,
    _options: &DnsOutput,
    _now: Time,
) -> Decision {
    todo!()
}

impl Published {
    /// What a DNSEndpoint of ours publishes.
    pub fn read(_endpoint: &Value) -> Self {
        todo!()
    }

    /// The DNSEndpoint that publishes this, to be applied: owned by the object of this kind, name and uid.
    pub fn endpoint(&self, _object: &ObjectName, _owner: &Owner<'_>, _options: &DnsOutput) -> Value {
        todo!()
    }
}

/// Whom a made object belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Owner<'a> {
    /// Its group and version.
    pub api_version: &'a str,
    /// Its kind.
    pub kind: &'a str,
    /// Its uid.
    pub uid: &'a str,
}

pub(super) fn name_of(_o: &ObjectName) -> String {
    todo!()
}
