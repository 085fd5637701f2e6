//! The watches of clusters, and the mailbox in which what they see is gathered.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use super::{ClusterName, Instance, ObjectName, Reader, inventory::Cluster};

/// Which watch: the name of the aggregation, and the how manieth plan of it.
pub type TopicId = (Arc<str>, u64);

/// What is watched in every cluster.
#[derive(Clone, Debug)]
pub struct Topic {
    /// The group and version of the objects.
    pub api_version: String,
    /// Their kind.
    pub kind: String,
    /// Their namespaces; all where it is empty.
    pub namespaces: Vec<String>,
    /// Which of them, as a selector is written in a request.
    pub selector: Option<String>,
    /// The clusters in which it is watched.
    pub clusters: Arc<std::collections::BTreeSet<ClusterName>>,
    /// Reads them.
    pub reader: Arc<Reader>,
}

/// What was heard from one cluster since the last time: for every object and topic only the latest.
#[derive(Debug)]
pub struct Word {
    /// The cluster.
    pub cluster: ClusterName,
    /// Which connection to it: what an earlier one said is not to be taken.
    pub epoch: u64,
    /// What its instances are like; none where there is none.
    pub objects: Vec<(TopicId, ObjectName, Option<Box<Instance>>)>,
    /// Topics that are known completely, or that cannot be seen, and why.
    pub topics: BTreeMap<TopicId, Result<(), Arc<str>>>,
    /// Whether it answers, and how fast; or why it does not.
    pub link: Option<Result<Duration, Arc<str>>>,
}

/// The connections to all clusters. They end when this is dropped.
#[derive(Debug)]
pub struct Spokes {}

/// What was heard from all clusters.
#[derive(Debug)]
pub struct Heard {}

impl Spokes {
    /// No connections yet.
    pub fn new() -> (Self, Heard) {
        todo!()
    }

    /// Watches these topics in these clusters, and no others. Returns the connections that are new, by their epochs.
    pub fn follow(
        &mut self,
        _clusters: &BTreeMap<ClusterName, Cluster>,
        _topics: &BTreeMap<TopicId, Topic>,
    ) -> BTreeMap<ClusterName, u64> {
        todo!()
    }
}

impl Heard {
    /// What was heard from the next clusters that have something to say: fair to all of them.
    pub async fn next(&mut self) -> Vec<Word> {
        todo!()
    }
}
