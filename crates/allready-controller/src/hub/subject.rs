//! One object of the hub: what each cluster says of it, and what that comes to.

use std::{collections::BTreeMap, sync::Arc};

use allready_core::{Status, Time};
use serde_json::Value;

use super::{ClusterName, HubFacts, Instance, Plan};

/// One object of the hub, and the shares of the clusters in it. Pure: it is told facts, one at a time and in any order.
#[derive(Debug)]
pub struct Subject {
    _plan: Arc<Plan>,
}

/// Why the last word of a cluster is not taken at its word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It has not been heard since the controller began, and it has not been long.
    Pending,
    /// It does not answer.
    Unreachable {
        /// When it was last heard, where that is known.
        since: Option<Time>,
        /// Why it does not answer.
        why: Arc<str>,
    },
    /// It answers, but these objects cannot be read.
    Unreadable {
        /// Since when they cannot.
        since: Option<Time>,
        /// Why not.
        why: Arc<str>,
    },
}

/// What the status of the object should be.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status that we own, to be applied; an empty object where nothing of ours should stand.
    pub status: Value,
    /// The worst of its conditions, with polarity taken into account: True good, False bad.
    pub worst: Status,
    /// The same of what stands.
    pub standing: Option<Status>,
    /// Whether what stands differs.
    pub differs: bool,
    /// Whether each cluster needs a report of its own, because something was left out here.
    pub is_short: bool,
}

/// What the record says of one cluster.
#[derive(Clone, Debug, Default)]
pub struct Share {
    /// Its last word: none where it has never been heard, or where it said that there is no such object.
    pub last: Option<Instance>,
    /// Whether it has said anything of the object since the controller began, be it that it is not there.
    pub is_known: bool,
    /// Why that is not taken at its word.
    pub doubt: Option<Doubt>,
}

impl Subject {
    /// An object of which nothing is known yet.
    pub fn new(_plan: Arc<Plan>) -> Self {
        todo!()
    }

    /// What stands on the hub; none while the object is not there, or not chosen any more.
    pub fn hub(&mut self, _facts: Option<HubFacts>) {
        todo!()
    }

    /// The facts of the hub.
    pub fn facts(&self) -> Option<&HubFacts> {
        todo!()
    }

    /// A cluster is among the chosen ones.
    pub fn choose(&mut self, _cluster: &ClusterName) {
        todo!()
    }

    /// A cluster is not among the chosen ones any more: everything about it is forgotten.
    pub fn forget(&mut self, _cluster: &ClusterName) {
        todo!()
    }

    /// A cluster has said what its instance is like, or that it has none. Says whether anything is new.
    pub fn heard(&mut self, _cluster: &ClusterName, _instance: Option<Instance>) -> bool {
        todo!()
    }

    /// What a cluster said before the controller began, from what stands: only until it is heard again.
    pub fn recall(&mut self, _cluster: &ClusterName, _instance: Instance) {
        todo!()
    }

    /// Whether the word of a cluster is doubted. Says whether anything is new.
    pub fn doubt(&mut self, _cluster: &ClusterName, _doubt: Option<Doubt>) -> bool {
        todo!()
    }

    /// Whether an instance is expected in this cluster.
    pub fn is_expected(&self, _cluster: &ClusterName) -> bool {
        todo!()
    }

    /// What each chosen cluster has said.
    pub fn shares(&self) -> &BTreeMap<ClusterName, Share> {
        todo!()
    }

    /// Whether a chosen cluster has not been heard yet, and has not been given up.
    pub fn is_pending(&self) -> bool {
        todo!()
    }

    /// What the status should be. Cheap: its cost depends on the length of the answer, not on the number of clusters.
    pub fn answer(&self, _now: Time) -> Answer {
        todo!()
    }
}
