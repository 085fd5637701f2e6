//! Everything that the hub knows. Events change it and name the keys that they relate to; [`reconcile`](super::reconcile) decides
//! about a key.
//!
//! # Keys and targets
//!
//! | key | decides | writes to | looks again |
//! |---|---|---|---|
//! | `Cluster(c)` | whether `c` is believed in each aggregation; its ClusterStatus, and the Lease that tells when it was heard | `ClusterStatus(c)`, `Lease(c)` | when it has been silent for too long; roll call |
//! | `Status(manager, kind, object)` | the status of an object, or that nothing of ours stays in it | `Status` | end of a hold or of a contest |
//! | `Endpoint(name)` | the DNS records of an object, or that nobody wants them | `Endpoint` | end of a grace period |
//! | `InstanceStatus(name)` | the InstanceStatus with what a cluster says of an object, or that nobody wants it | `InstanceStatus` | – |
//! | `Aggregation(name)` | how an aggregation is doing | `Aggregation` | when it has to be told that something cannot be seen |
//!
//! # Relations
//!
//! All in [`relations`]. One change in one cluster relates to one status, one endpoint and one report; a cluster relates to those of
//! all objects that are expected in it. Rare events (the inventory, the spec of an aggregation, a complete list) relate to everything.
//! A decision may find out what others depend on: a cluster that is not believed any more, reports that are wanted now, notes for the
//! status of the aggregation. It makes these keys due itself.

mod aggregation;
mod aggregations;
mod choice;
pub(super) mod cluster_statuses;
mod clusters;
pub(super) mod contest;
mod endpoints;
mod hostnames;
pub(super) mod instance_statuses;
mod leftovers;
mod objects;
mod placements;
mod relations;
pub(super) mod standing;
mod target;
#[cfg(test)]
mod tests;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::Time;
use allready_kube::{
    backoff::Backoff,
    list_watch::{Room, Store, WatchEvent},
};
use serde_json::Value;

pub(super) use self::{
    aggregation::Aggregation,
    cluster_statuses::ClusterStatuses,
    clusters::Clusters,
    endpoints::{Endpoints, presence},
    hostnames::Hostnames,
    instance_statuses::{InstanceStatuses, MADE_BY},
    placements::Placements,
};
pub use self::{
    instance_statuses::AGGREGATION_LABEL,
    target::{HubKey, StatusTarget, Target},
};
use super::{
    ClusterName, ClusterUpdate, Leftover, ObjectName, Topic, TopicId,
    inventory::{Cluster, Inventory},
};
use crate::engine::{Now, Pace};

/// Options of the hub.
///
/// ```
/// use allready_controller::hub::Options;
///
/// assert_eq!(Options::default().namespace, "allready-system");
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The pace at which an object is written.
    pub pace: Pace,
    /// The wait after a write that failed.
    pub backoff: Backoff,
    /// The time for which a watch may fail, or a first list may take, before the answer says so.
    pub patience: Duration,
    /// The namespace of ClusterStatuses, and of InstanceStatuses of objects that have none.
    pub namespace: String,
    /// The interval at which the Lease of a cluster that answers is renewed.
    pub roll_call: Duration,
    /// The time for which a cluster that has left the inventory is waited for where no DNS records are kept, which have a grace
    /// period of their own.
    pub grace: Duration,
    /// The Lease of the controller, as `namespace/name`, where it has one: statuses of aggregations name it.
    pub lease: Option<Arc<str>>,
    /// Keep DNS records. Without it DNSEndpoints are neither read nor written, and aggregations that ask for records say so.
    pub dns: bool,
    /// The most bytes, as estimated, that are kept of the objects of the hub, and a third of it of InstanceStatuses, and of DNSEndpoints.
    pub object_limit: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            // Clusters that follow one change of the hub do so one after the other.
            pace: Pace { longest: Duration::from_millis(200), ..Pace::default() },
            backoff: Backoff { min: Duration::from_millis(100), max: Duration::from_secs(30) },
            patience: Duration::from_secs(10),
            namespace: "allready-system".to_owned(),
            roll_call: Duration::from_mins(1),
            grace: Duration::from_mins(10),
            lease: None,
            dns: true,
            object_limit: 96 * 1024 * 1024,
        }
    }
}

/// Something that happened to objects of the hub.
pub type ObjectEvent = WatchEvent<ObjectName, Box<Value>>;

/// Something that happened.
#[doc(hidden)]
#[derive(Debug)]
pub enum HubEvent {
    /// The clusters are these; or nothing can be seen of them at present, and why.
    Inventory(Result<Inventory, String>),
    /// These connections to clusters are new, by their epochs.
    Connected(BTreeMap<ClusterName, u64>),
    /// Something was heard from clusters.
    Clusters(Vec<ClusterUpdate>),
    /// A StatusAggregation.
    Aggregations(ObjectEvent),
    /// An object of the hub that an aggregation may choose.
    Objects(TopicId, ObjectEvent),
    /// An InstanceStatus of ours.
    InstanceStatuses(ObjectEvent),
    /// A ClusterStatus of ours.
    ClusterStatuses(ObjectEvent),
    /// The Lease of a cluster.
    Leases(ObjectEvent),
    /// A DNSEndpoint of ours.
    Endpoints(ObjectEvent),
    /// A PlacementDecision of Open Cluster Management.
    Decisions(ObjectEvent),
    /// Parts of statuses that aggregations have written, of this controller's time or before.
    Leftovers(Vec<Leftover>),
}

/// Everything that a hub knows. Time is the duration since any fixed instant, beside the time of day.
#[doc(hidden)]
#[derive(Debug)]
pub struct HubState {
    pub(super) options: Options,
    /// The room for the objects of all aggregations on the hub.
    room: Arc<Room>,
    pub(super) clusters: Clusters,
    pub(super) aggregations: BTreeMap<Arc<str>, Aggregation>,
    /// The StatusAggregations as they are watched.
    pub(super) watched: Store<ObjectName, ()>,
    pub(super) instance_statuses: InstanceStatuses,
    pub(super) cluster_statuses: ClusterStatuses,
    pub(super) endpoints: Endpoints,
    pub(super) hostnames: Hostnames,
    pub(super) placements: Placements,
    /// Parts of statuses that may stand, and that no aggregation is known to keep up.
    pub(super) leftovers: BTreeMap<StatusTarget, Leftover>,
    /// Statuses of which a write may be in flight: it may take effect whatever is decided meanwhile.
    pub(super) in_flight: BTreeSet<StatusTarget>,
    /// Keys that events or decisions have made due.
    pub(super) due: BTreeSet<HubKey>,
    epochs: u64,
    /// Counts how often there were other clusters or topics to follow.
    turns: u64,
    pub(super) began: Duration,
    /// The same by the time of day.
    pub(super) began_at: Option<Time>,
}

/// The bounds of how often clusters are asked whether they answer.
const MOST_OFTEN: Duration = Duration::from_millis(250);
const MOST_SELDOM: Duration = Duration::from_secs(10);

impl HubState {
    /// A hub that knows nothing yet.
    pub fn new(options: Options, now: Duration) -> Self {
        // Whoever fills one of them takes no room from the others.
        let own = || Room::of(options.object_limit / 3);
        let room = Room::of(options.object_limit);
        Self {
            room,
            clusters: Clusters::default(),
            aggregations: BTreeMap::new(),
            watched: Store::new(now),
            instance_statuses: InstanceStatuses::new(now, &own()),
            cluster_statuses: ClusterStatuses::new(now),
            endpoints: Endpoints::new(now, &own()),
            hostnames: Hostnames::default(),
            placements: Placements::new(now),
            leftovers: BTreeMap::new(),
            in_flight: BTreeSet::new(),
            due: BTreeSet::new(),
            epochs: 0,
            turns: 0,
            began: now,
            began_at: None,
            options,
        }
    }

    /// The clusters to be connected to.
    pub fn clusters(&self) -> &BTreeMap<ClusterName, Cluster> {
        self.clusters.known()
    }

    /// A number that is another one whenever other clusters are to be connected to, or other topics watched.
    pub fn turn(&self) -> u64 {
        self.turns
    }

    /// The topics to be watched, on the hub and in the clusters that each names.
    pub fn topics(&self) -> BTreeMap<TopicId, Topic> {
        self.aggregations.values().map(|aggregation| (aggregation.id(), aggregation.topic())).collect()
    }

    /// The interval at which clusters are to be asked whether they answer: often enough for the least patient aggregation.
    pub fn ask_every(&self) -> Duration {
        let patience =
            self.aggregations.values().map(|aggregation| aggregation.plan.cluster_timeout / 4).min();
        patience.unwrap_or(MOST_SELDOM).clamp(MOST_OFTEN, MOST_SELDOM)
    }

    /// The watches of the hub by name, each with the reason why it cannot be seen, if it cannot.
    pub(super) fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        fn seen<V>(store: &Store<ObjectName, V>) -> Result<(), String> {
            store.unseen(Duration::ZERO, Duration::MAX).map_or(Ok(()), |why| Err(why.to_owned()))
        }
        let mut watches = BTreeMap::from([
            ("StatusAggregations".to_owned(), seen(&self.watched)),
            ("InstanceStatuses".to_owned(), seen(&self.instance_statuses.store)),
            ("ClusterStatuses".to_owned(), seen(&self.cluster_statuses.store)),
            ("Leases of clusters".to_owned(), seen(&self.cluster_statuses.leases)),
        ]);
        let inventory = self.clusters.unseen(Duration::ZERO, Duration::MAX);
        let inventory = inventory.or_else(|| (!self.clusters.is_seen()).then(|| self.clusters.why_unseen()));
        watches.insert("clusters".to_owned(), inventory.map_or(Ok(()), |why| Err(why.to_owned())));
        for (name, aggregation) in &self.aggregations {
            let target = &aggregation.plan.target.kind;
            watches.insert(format!("{target}s of the aggregation {name}"), seen(&aggregation.objects));
        }
        if self.wants_decisions() {
            watches.insert("PlacementDecisions".to_owned(), seen(&self.placements.store));
        }
        // Not every cluster has them. That none are kept is no failure of this hub.
        if self.options.dns && self.aggregations.values().any(|aggregation| aggregation.plan.dns.is_some()) {
            watches.insert("DNSEndpoints".to_owned(), seen(&self.endpoints.store));
        }
        watches
    }

    /// Takes what happened, and notes which keys are due.
    pub(super) fn take(&mut self, event: HubEvent, now: Now) {
        self.began_at.get_or_insert(now.time);
        match event {
            HubEvent::Inventory(inventory) => self.take_inventory(inventory, now),
            HubEvent::Connected(epochs) => self.take_connections(epochs, now.elapsed),
            HubEvent::Clusters(updates) => {
                for update in updates {
                    self.take_update(update, now);
                }
            }
            HubEvent::Aggregations(event) => self.take_aggregation(event, now),
            HubEvent::Objects(id, event) => self.take_object(&id, event, now),
            HubEvent::InstanceStatuses(event) => self.take_instance_status(event, now.elapsed),
            HubEvent::ClusterStatuses(event) => self.take_cluster_status(event, now),
            HubEvent::Leases(event) => self.take_lease(event, now.elapsed),
            HubEvent::Endpoints(event) => self.take_endpoint(event, now.elapsed),
            HubEvent::Decisions(event) => self.take_decision(event, now.elapsed),
            HubEvent::Leftovers(found) => self.take_leftovers(found),
        }
    }
}
