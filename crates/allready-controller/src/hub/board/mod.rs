//! Everything that a hub knows, and what it should write: facts in, one at a time, and drafts out.

mod aggregation;
mod aggregations;
mod choice;
mod clusters;
mod contest;
mod decisions;
mod endpoints;
mod fares;
mod objects;
mod remains;
mod reports;
mod standing;
#[cfg(test)]
mod tests;
mod view;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::Time;
use allready_kube::{backoff::Backoff, refusal::Refusal};
use serde_json::Value;

pub(super) use self::endpoints::presence;
pub use self::reports::{AGGREGATION_LABEL, CLUSTER_LABEL, MADE_BY};
use self::{
    aggregation::Aggregation, clusters::Clusters, decisions::Placements, endpoints::Endpoints,
    reports::Reports, standing::Watched,
};
use super::{
    ClusterName, ObjectName, Outbox, Place, Remains, Topic, TopicId, Word,
    inventory::{Cluster, Inventory},
};
use crate::pace::Pace;

/// How a hub is run.
///
/// ```
/// use allready_controller::hub::board::Options;
///
/// assert_eq!(Options::default().namespace, "allready-system");
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// How often an object is written.
    pub pace: Pace,
    /// How long to wait after a write that failed.
    pub backoff: Backoff,
    /// How long a watch may fail, or a first list may take, before the answer says so.
    pub patience: Duration,
    /// The namespace for reports on clusters, and on objects that have none.
    pub namespace: String,
    /// How often a cluster that answers is written down as heard.
    pub roll_call: Duration,
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
        }
    }
}

/// Something that happened.
#[doc(hidden)]
#[derive(Debug)]
pub enum Event {
    /// The clusters are these; or nothing can be seen of them at present, and why.
    Inventory(Result<Inventory, String>),
    /// Something was heard from clusters.
    Heard(Vec<Word>),
    /// A StatusAggregation.
    Aggregations(Change),
    /// An object of the hub that an aggregation may choose.
    Objects(TopicId, Change),
    /// A StatusReport of ours.
    Reports(Change),
    /// A DNSEndpoint of ours.
    Endpoints(Change),
    /// A PlacementDecision of Open Cluster Management.
    Decisions(Change),
    /// What aggregations have written into the status of objects, of this controller's time or before.
    Remains(Vec<Remains>),
    /// How a write went: the object as it is now where it is still there, or why not.
    Wrote(Place, Result<Option<Value>, (Refusal, String)>),
}

/// What happened to objects of the hub.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub enum Change {
    /// A list begins.
    Listing,
    /// One is there, or changed.
    There(Box<Value>),
    /// One is gone.
    Gone(ObjectName),
    /// All that there are have been seen.
    Listed,
    /// Nothing can be seen at present, and why.
    Failed(String),
}

/// Everything that a hub knows. Time is the duration since any fixed instant, beside the time of day.
#[doc(hidden)]
#[derive(Debug)]
pub struct Hub {
    options: Options,
    clusters: Clusters,
    aggregations: BTreeMap<Arc<str>, Aggregation>,
    seen: Watched,
    reports: Reports,
    endpoints: Endpoints,
    placements: Placements,
    /// What was found in statuses, until it is known which aggregations there are.
    remains: Vec<Remains>,
    outbox: Outbox,
    /// Objects to look at again, and the clusters for which; all of them where none is named.
    dirty: BTreeMap<(Arc<str>, ObjectName), Option<BTreeSet<ClusterName>>>,
    epochs: u64,
    /// Counts how often there were other clusters or topics to follow.
    turns: u64,
    began: Duration,
    /// The same by the time of day.
    began_at: Option<Time>,
    ticked: Option<Duration>,
}

/// The bounds of how often clusters are asked whether they answer.
const MOST_OFTEN: Duration = Duration::from_millis(250);
const MOST_SELDOM: Duration = Duration::from_secs(5);
/// How often what depends on time alone is looked at.
const TICK: Duration = Duration::from_secs(1);

impl Hub {
    /// A hub that knows nothing yet.
    pub fn new(options: Options, now: Duration) -> Self {
        Self {
            clusters: Clusters::default(),
            aggregations: BTreeMap::new(),
            seen: Watched::new(now),
            reports: Reports::new(now),
            endpoints: Endpoints::new(now),
            placements: Placements::new(now),
            remains: Vec::new(),
            outbox: Outbox::new(options.pace, options.backoff),
            dirty: BTreeMap::new(),
            epochs: 0,
            turns: 0,
            began: now,
            began_at: None,
            ticked: None,
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

    /// What is to be watched, on the hub and in the clusters that each names.
    pub fn topics(&self) -> BTreeMap<TopicId, Topic> {
        self.aggregations.values().map(|aggregation| (aggregation.id(), aggregation.topic())).collect()
    }

    /// How often clusters are to be asked whether they answer: often enough for the least patient aggregation.
    pub fn ask_every(&self) -> Duration {
        let patience =
            self.aggregations.values().map(|aggregation| aggregation.plan.unreachable_after / 4).min();
        patience.unwrap_or(MOST_SELDOM).clamp(MOST_OFTEN, MOST_SELDOM)
    }

    /// Says which connection to a cluster is the present one.
    pub fn connected(&mut self, epochs: BTreeMap<ClusterName, u64>) {
        for (cluster, epoch) in epochs {
            self.clusters.connected(&cluster, epoch);
            for aggregation in self.aggregations.values_mut() {
                aggregation.reconnected(&cluster, self.ticked.unwrap_or(self.began));
            }
        }
    }

    /// Takes what happened.
    pub fn see(&mut self, event: Event, now: Duration, time: Time) {
        match event {
            Event::Inventory(inventory) => self.take_inventory(inventory, now),
            Event::Heard(words) => {
                for word in words {
                    self.take_word(word, now, time);
                }
            }
            Event::Aggregations(change) => self.take_aggregation(change, now),
            Event::Objects(id, change) => self.take_object(&id, change, now),
            Event::Reports(change) => self.take_report(change, now),
            Event::Endpoints(change) => self.take_endpoint(change, now),
            Event::Decisions(change) => self.take_decision(change, now),
            Event::Remains(found) => self.take_remains(found, now),
            Event::Wrote(place, result) => self.take_written(&place, result, now),
        }
    }

    /// The writes that are due; only who leads may write. Says how long to wait for the next if nothing happens.
    pub fn next(
        &mut self,
        leading: bool,
        now: Duration,
        time: Time,
    ) -> (Vec<(Place, Option<Value>)>, Duration) {
        self.began_at.get_or_insert(time);
        if self.ticked.is_none_or(|last| now >= last + TICK) {
            self.ticked = Some(now);
            self.look_at_hub(now);
            self.look_at_decisions(now);
            self.look_at_clusters(now, time);
            self.look_at_grace(time);
            self.outbox.tidy(now);
        }
        self.look_at_objects(now, time);
        self.spare_wanted(now);
        self.look_at_aggregations(now, time);
        if !leading {
            return (Vec::new(), TICK);
        }
        let writes = self.outbox.take_due(now);
        (writes, self.outbox.wait(now).unwrap_or(TICK).min(TICK))
    }

    /// How many writes are waiting or under way.
    pub fn backlog(&self) -> usize {
        self.outbox.len()
    }

    fn take_written(
        &mut self,
        place: &Place,
        result: Result<Option<Value>, (Refusal, String)>,
        now: Duration,
    ) {
        let sent = match &result {
            Ok(_) => Ok(()),
            Err((refusal, _)) => Err(*refusal),
        };
        if !self.outbox.wrote(place, sent, fastrand::f64(), now) {
            // What it was about is gone: the answer must not bring it back.
            return;
        }
        match (place, result) {
            (Place::Status { .. }, result) => self.status_written(place, result, now),
            (Place::Dns(name), Ok(Some(object))) => {
                self.endpoint_accepted(name);
                self.take_endpoint(Change::There(Box::new(object)), now);
            }
            (Place::Report(_), Ok(Some(object))) => {
                self.report_written(place, None);
                self.take_report(Change::There(Box::new(object)), now);
            }
            (Place::Dns(name), Ok(None)) => self.take_endpoint(Change::Gone(name.clone()), now),
            (Place::Report(name), Ok(None)) => {
                self.report_written(place, None);
                self.take_report(Change::Gone(name.clone()), now);
            }
            (Place::Report(_), Err(refused)) => self.report_written(place, Some(refused)),
            (Place::Aggregation(_), Ok(Some(object))) => self.aggregation_written(&object),
            (Place::Dns(name), Err((_, why))) => self.endpoint_refused(name, &why),
            // It is tried again.
            (Place::Aggregation(_), Err(_) | Ok(None)) => {}
        }
    }

    /// An object has to be looked at again, but nothing that a cluster says of it.
    fn touch_alone(
        &mut self,
        aggregation: &Arc<str>,
        object: &ObjectName,
    ) -> &mut Option<BTreeSet<ClusterName>> {
        let key = (Arc::clone(aggregation), object.clone());
        self.dirty.entry(key).or_insert_with(|| Some(BTreeSet::new()))
    }

    /// An object has to be looked at again, for one cluster or for all.
    fn touch(&mut self, aggregation: &Arc<str>, object: &ObjectName, cluster: Option<&ClusterName>) {
        let touched = self.touch_alone(aggregation, object);
        match cluster {
            Some(cluster) => {
                if let Some(clusters) = touched {
                    clusters.insert(cluster.clone());
                }
            }
            None => *touched = None,
        }
    }
}
