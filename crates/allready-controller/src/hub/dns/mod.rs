//! Which DNS records follow from what the clusters say.
//!
//! Pure: what is published and what each cluster said go in, what should be published comes out. Nothing is taken away
//! because something is not known, and nothing is added on the word of a cluster that is doubted.

mod choose;
mod decide;
mod endpoint;
mod member;
mod published;
mod share;
mod target;
mod words;

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use allready_core::Time;

use super::{ClusterName, Instance};

#[doc(hidden)]
pub use decide::decide;
#[doc(hidden)]
pub use endpoint::Owner;
pub use endpoint::endpoint_name;
pub(in crate::hub) use {target::folded, words::quoted};

/// The annotation of a `DNSEndpoint` that says which cluster each target came from, and since when a cluster is leaving.
pub const TARGETS_ANNOTATION: &str = "allready.dev/targets";

/// The contribution of one cluster.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Contribution<'a> {
    /// The cluster.
    pub cluster: &'a ClusterName,
    /// Its last word, where it has one.
    pub instance: Option<&'a Instance>,
    /// The worth of its last word.
    pub presence: Presence,
}

/// The worth of the last word of a cluster.
#[doc(hidden)]
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
    /// The cluster is not in the inventory any more, and nobody has said that this is meant.
    Gone,
}

/// The published records, and which cluster each target came from.
///
/// A target that no cluster is named for (somebody took the annotation away, or added the target by hand) belongs to the
/// cluster that has this address. If there is none, it stays until every cluster has said what it has for the name.
///
/// ```
/// use allready_controller::hub::dns::{Published, RecordKey, RecordType};
/// use serde_json::json;
///
/// let published = Published::read(&json!({
///     "metadata": { "annotations": { "allready.dev/targets": r#"{"cluster-1":{"targets":["172.31.200.0"]}}"# } },
///     "spec": { "endpoints": [
///         { "dnsName": "web.example.com", "recordType": "A", "targets": ["172.31.200.0"] },
///     ] },
/// }));
/// let key = RecordKey { name: "web.example.com".into(), type_: RecordType::A, set: None };
/// assert!(published.records[&key].contains("172.31.200.0"));
/// assert!(published.clusters["cluster-1"].targets.contains("172.31.200.0"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Published {
    /// The targets of each record: never empty.
    pub records: BTreeMap<RecordKey, BTreeSet<Arc<str>>>,
    /// The targets of each cluster, and when it began to leave.
    pub clusters: BTreeMap<ClusterName, Targets>,
}

/// The key of a record.
///
/// ```
/// use allready_controller::hub::dns::{RecordKey, RecordType};
///
/// let key = |type_| RecordKey { name: "web.example.com".into(), type_, set: None };
/// assert_ne!(key(RecordType::A), key(RecordType::Aaaa), "a name has one record of each type");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecordKey {
    /// The name, in lower case and without a dot at the end.
    pub name: Arc<str>,
    /// The type.
    pub type_: RecordType,
    /// The cluster that the record is for, where each has one of its own. Where nobody knows whose it was, no cluster's name.
    pub set: Option<Arc<str>>,
}

/// The targets of a cluster.
///
/// ```
/// use allready_controller::hub::dns::Published;
/// use serde_json::json;
///
/// let leaving = r#"{"cluster-1":{"targets":["192.0.2.1"],"leaving":"2026-01-01T00:00:00Z"}}"#;
/// let published = Published::read(&json!({
///     "metadata": { "annotations": { "allready.dev/targets": leaving } },
///     "spec": { "endpoints": [{ "dnsName": "web.example.com", "recordType": "A", "targets": ["192.0.2.1"] }] },
/// }));
/// let targets = &published.clusters["cluster-1"];
/// assert!(targets.targets.contains("192.0.2.1"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// All of them, whatever the name.
    pub targets: BTreeSet<Arc<str>>,
    /// Since when it is leaving, if it is.
    pub leaving: Option<Time>,
}

/// The type of a record.
///
/// ```
/// use allready_controller::hub::dns::RecordType;
///
/// assert_eq!([RecordType::A, RecordType::Aaaa, RecordType::Cname].map(RecordType::as_str), ["A", "AAAA", "CNAME"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RecordType {
    /// IPv4 addresses.
    A,
    /// IPv6 addresses.
    Aaaa,
    /// Another name.
    Cname,
}

/// The records that should be published.
#[doc(hidden)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// The records.
    pub publish: Published,
    /// Notes on what cannot be published, and why; in words, sorted, bounded.
    pub notes: Vec<String>,
    /// When to decide again even if nothing happens: the end of a grace period.
    pub look_again: Option<Time>,
}

impl Published {
    /// Returns true if there is nothing to publish.
    ///
    /// ```
    /// use allready_controller::hub::dns::Published;
    ///
    /// assert!(Published::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl RecordType {
    const ALL: [Self; 3] = [Self::A, Self::Aaaa, Self::Cname];

    /// The word for it in a `DNSEndpoint`.
    ///
    /// ```
    /// use allready_controller::hub::dns::RecordType;
    ///
    /// assert_eq!(RecordType::Aaaa.as_str(), "AAAA");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::Aaaa => "AAAA",
            Self::Cname => "CNAME",
        }
    }

    fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|type_| type_.as_str().eq_ignore_ascii_case(word))
    }
}
