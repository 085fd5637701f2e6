//! The ClusterStatuses that the hub keeps, and the Leases that tell when each cluster was last heard.

use std::{sync::Arc, time::Duration};

use allready_core::{Condition, Time, found};
use allready_kube::list_watch::Store;
use serde_json::Value;

use super::{
    HubKey, HubState, ObjectEvent,
    standing::{named, version},
};
use crate::{
    engine::Now,
    hub::{ClusterName, ObjectName, subject::GONE},
};

/// The ClusterStatuses and Leases of the hub's namespace that stand.
#[derive(Debug)]
pub(in crate::hub) struct ClusterStatuses {
    pub(in crate::hub) store: Store<ObjectName, StandingStatus>,
    pub(in crate::hub) leases: Store<ObjectName, StandingLease>,
}

/// A ClusterStatus that stands.
#[derive(Debug)]
pub(in crate::hub) struct StandingStatus {
    pub(in crate::hub) version: Option<u64>,
    pub(in crate::hub) reachable: Option<Condition>,
    pub(in crate::hub) objects: Option<u64>,
    pub(in crate::hub) source: Arc<str>,
}

/// A Lease that stands.
#[derive(Clone, Copy, Debug)]
pub(in crate::hub) struct StandingLease {
    pub(in crate::hub) version: Option<u64>,
    pub(in crate::hub) renewed: Option<Time>,
}

impl ClusterStatuses {
    pub(super) fn new(now: Duration) -> Self {
        Self { store: Store::new(now), leases: Store::new(now) }
    }

    /// When earlier controllers heard the clusters.
    pub(super) fn heard_before(&self) -> Vec<(ClusterName, Time)> {
        let heard = self.leases.iter().filter_map(|(name, lease)| Some((of_lease(name)?, lease.renewed?)));
        heard.collect()
    }

    /// The clusters that a ClusterStatus stands of, and since when it says that they have left the inventory, if it does.
    pub(super) fn departed(&self) -> Vec<(ClusterName, Option<Time>)> {
        let since = |status: &StandingStatus| {
            let reachable = status.reachable.as_ref().filter(|_| status.is_gone())?;
            Some(reachable.last_transition_time)
        };
        let statuses = self.store.iter();
        statuses.filter_map(|(name, status)| Some((of_status(name)?, since(status)))).collect()
    }

    /// The clusters that anything stands of.
    pub(super) fn clusters(&self) -> impl Iterator<Item = ClusterName> {
        let statuses = self.store.keys().filter_map(of_status);
        statuses.chain(self.leases.keys().filter_map(of_lease))
    }
}

/// The name of the Lease of a cluster.
pub(in crate::hub) fn lease_name(cluster: &ClusterName) -> String {
    format!("{LEASE_PREFIX}{cluster}")
}

const LEASE_PREFIX: &str = "cluster.";

fn of_status(name: &ObjectName) -> Option<ClusterName> {
    ClusterName::new(&name.name).ok()
}

fn of_lease(name: &ObjectName) -> Option<ClusterName> {
    ClusterName::new(name.name.strip_prefix(LEASE_PREFIX)?).ok()
}

impl HubState {
    pub(super) fn take_cluster_status(&mut self, event: ObjectEvent, now: Now) {
        let is_about_all = is_about_all(&event);
        if let ObjectEvent::Apply(name, object) = &event {
            let known = self.cluster_statuses.store.get(name).and_then(|known| known.version);
            if !self.cluster_statuses.store.is_listing() && known > version(object) {
                return; // a watch that is behind our own write
            }
        }
        let event = event.map(|object| StandingStatus::read(&object));
        let changed = self.cluster_statuses.store.apply(event, now.elapsed);
        self.due.extend(changed.iter().filter_map(of_status).map(HubKey::Cluster));
        if self.recall_departed(now) {
            self.choose_clusters(now);
            self.turns += 1;
            self.everything_changed();
        } else if is_about_all {
            self.clusters_changed();
        }
    }

    pub(super) fn take_lease(&mut self, event: ObjectEvent, now: Duration) {
        let is_about_all = is_about_all(&event);
        if let ObjectEvent::Apply(name, object) = &event {
            let known = self.cluster_statuses.leases.get(name).and_then(|known| known.version);
            if !self.cluster_statuses.leases.is_listing() && known > version(object) {
                return; // a watch that is behind our own write
            }
            self.recall_lease(name, object);
        }
        let event = event.map(|object| StandingLease::read(&object));
        let changed = self.cluster_statuses.leases.apply(event, now);
        self.due.extend(changed.iter().filter_map(of_lease).map(HubKey::Cluster));
        if is_about_all {
            self.clusters_changed();
        }
    }

    fn recall_lease(&mut self, name: &ObjectName, lease: &Value) {
        if let (Some(cluster), Some(renewed)) = (of_lease(name), StandingLease::read(lease).renewed) {
            self.clusters.recall(&cluster, renewed);
        }
    }

    /// Takes a ClusterStatus as the answer to a write shows it.
    pub(in crate::hub) fn cluster_status_stands(&mut self, object: &Value) {
        let name = named(object);
        let store = &mut self.cluster_statuses.store;
        if store.get(&name).and_then(|known| known.version) <= version(object) {
            store.update(name, StandingStatus::read(object));
        }
    }

    /// Takes a Lease as the answer to a write shows it.
    pub(in crate::hub) fn lease_stands(&mut self, object: &Value) {
        let name = named(object);
        let store = &mut self.cluster_statuses.leases;
        if store.get(&name).and_then(|known| known.version) <= version(object) {
            store.update(name, StandingLease::read(object));
        }
    }

    /// The ClusterStatus of a cluster, by name.
    pub(in crate::hub) fn status_of(&self, cluster: &ClusterName) -> ObjectName {
        ObjectName::new(&self.options.namespace, cluster.as_str())
    }

    /// The Lease of a cluster, by name.
    pub(in crate::hub) fn lease_of(&self, cluster: &ClusterName) -> ObjectName {
        ObjectName::new(&self.options.namespace, &lease_name(cluster))
    }

    /// Makes due everything about clusters, and the status of every aggregation.
    fn clusters_changed(&mut self) {
        let known = self.clusters.known().keys().cloned();
        let all: Vec<ClusterName> = known.chain(self.cluster_statuses.clusters()).collect();
        self.due.extend(all.into_iter().map(HubKey::Cluster));
        self.aggregations_changed();
    }
}

fn is_about_all(event: &ObjectEvent) -> bool {
    matches!(event, ObjectEvent::InitDone | ObjectEvent::Failed(_))
}

impl StandingStatus {
    /// Returns true if it says that its cluster has left the inventory.
    pub(in crate::hub) fn is_gone(&self) -> bool {
        self.reachable.as_ref().is_some_and(|reachable| reachable.reason.as_str() == GONE)
    }

    fn read(object: &Value) -> Self {
        let conditions = found::of_object(object);
        Self {
            version: version(object),
            reachable: conditions.find("Reachable").map(|condition| condition.to_condition(Time::EPOCH)),
            objects: object["status"]["objects"].as_u64(),
            source: object["spec"]["source"].as_str().unwrap_or_default().into(),
        }
    }
}

impl StandingLease {
    fn read(object: &Value) -> Self {
        let renewed = object["spec"]["renewTime"].as_str().and_then(|renewed| renewed.parse().ok());
        Self { version: version(object), renewed }
    }
}
