//! The clusters: which there are, and how they are heard.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_core::Time;

use super::{HubKey, HubState};
use crate::{
    engine::Now,
    hub::{
        ClusterName, ClusterUpdate, Link,
        inventory::{Cluster, Inventory},
    },
};

/// The clusters as they are known.
#[derive(Debug, Default)]
pub(in crate::hub) struct Clusters {
    /// None until the inventory has been seen once.
    known: Option<BTreeMap<ClusterName, Cluster>>,
    pub(in crate::hub) links: BTreeMap<ClusterName, Link>,
    /// Entries of the inventory that cannot be used, and why.
    pub(in crate::hub) problems: Vec<String>,
    failing: Option<(Duration, String)>,
    /// Clusters that have left the inventory, and are waited for.
    pub(in crate::hub) departed: BTreeMap<ClusterName, Departed>,
    /// When the ClusterStatus of a cluster was last written.
    pub(in crate::hub) written: BTreeMap<ClusterName, Duration>,
}

/// A cluster that has left the inventory. Its Secret may be on its way back.
#[derive(Debug)]
pub(in crate::hub) struct Departed {
    /// Since when, by the time of day.
    pub(in crate::hub) since: Time,
    /// When this controller found out, and how long it had been gone then.
    pub(super) found: (Duration, Duration),
    /// Its labels; none where an earlier controller knew them.
    pub(super) labels: Option<BTreeMap<String, String>>,
}

impl Departed {
    fn new(since: Time, now: Now, labels: Option<BTreeMap<String, String>>) -> Self {
        let since = since.min(now.time);
        let gone_for = Duration::try_from(now.time.since(since)).unwrap_or_default();
        Self { since, found: (now.elapsed, gone_for), labels }
    }
}

static NONE: BTreeMap<ClusterName, Cluster> = BTreeMap::new();

impl Clusters {
    pub(in crate::hub) fn known(&self) -> &BTreeMap<ClusterName, Cluster> {
        self.known.as_ref().unwrap_or(&NONE)
    }

    /// Returns true once the inventory has been seen.
    pub(in crate::hub) fn is_seen(&self) -> bool {
        self.known.is_some()
    }

    /// The reason why the inventory has not been seen yet.
    pub(in crate::hub) fn why_unseen(&self) -> &str {
        self.failing.as_ref().map_or("no inventory has been read yet", |(_, why)| why)
    }

    /// The reason why the inventory cannot be seen, if it cannot for longer than this.
    pub(in crate::hub) fn unseen(&self, patience: Duration, now: Duration) -> Option<&str> {
        let (since, why) = self.failing.as_ref()?;
        (now >= *since + patience || self.known.is_none()).then_some(why)
    }

    /// The time at which [`unseen`](Self::unseen) says so, if nothing else happens.
    pub(in crate::hub) fn unseen_at(&self, patience: Duration) -> Option<Duration> {
        self.failing.as_ref().map(|(since, _)| *since + patience)
    }

    /// Takes when an earlier controller last heard a cluster.
    pub(super) fn recall(&mut self, cluster: &ClusterName, heard: Time) {
        if let Some(link) = self.links.get_mut(cluster) {
            link.recall(heard);
        }
    }
}

impl HubState {
    /// Takes which clusters there are. A failure takes nothing away.
    pub(super) fn take_inventory(&mut self, inventory: Result<Inventory, String>, at: Now) {
        let now = at.elapsed;
        let Inventory { mut clusters, problems } = match inventory {
            Ok(inventory) => inventory,
            Err(why) => {
                let since = self.clusters.failing.take().map_or(now, |(since, _)| since);
                self.clusters.failing = Some((since, why));
                if self.clusters.is_seen() {
                    self.aggregations_changed();
                } else {
                    self.everything_changed();
                }
                return;
            }
        };
        self.clusters.failing = None;
        self.clusters.problems = problems;
        // Nobody wants a ClusterStatus of those that leave.
        self.due.extend(self.clusters.links.keys().cloned().map(HubKey::Cluster));
        let links = &mut self.clusters.links;
        links.retain(|cluster, _| clusters.contains_key(cluster));
        for cluster in clusters.keys() {
            links.entry(cluster.clone()).or_insert_with(|| Link::new(now));
        }
        for (name, cluster) in &mut clusters {
            // Whether two are equal is asked again and again, and is cheap to say of one and the same.
            if let Some(before) =
                self.clusters.known().get(name).filter(|before| before.access == cluster.access)
            {
                cluster.access = before.access.clone();
            }
        }
        self.clusters.written.retain(|cluster, _| clusters.contains_key(cluster));
        let before = self.clusters.known.replace(clusters).unwrap_or_default();
        let Clusters { known, departed, .. } = &mut self.clusters;
        for (cluster, Cluster { labels, .. }) in before {
            departed.insert(cluster, Departed::new(at.time, at, Some(labels)));
        }
        departed.retain(|cluster, _| known.as_ref().is_some_and(|known| !known.contains_key(cluster)));
        self.turns += 1;
        self.recall_departed(at);
        for (cluster, heard) in self.cluster_statuses.heard_before() {
            self.clusters.recall(&cluster, heard);
        }
        self.choose_clusters(at);
        self.everything_changed();
    }

    /// Recalls clusters that left while an earlier controller ran, or none: a ClusterStatus stands, and the inventory has no such
    /// cluster. Returns true if there is one that was not known to have left.
    pub(super) fn recall_departed(&mut self, now: Now) -> bool {
        if !self.clusters.is_seen() {
            return false;
        }
        let mut is_new = false;
        for (cluster, since) in self.cluster_statuses.departed() {
            if !self.clusters.known().contains_key(&cluster) {
                self.clusters.departed.entry(cluster).or_insert_with(|| {
                    is_new = true;
                    Departed::new(since.unwrap_or(now.time), now, None)
                });
            }
        }
        is_new
    }

    /// Gives a cluster up that has left the inventory, where it has been waited for long enough. Returns the time at which that
    /// may change if nothing happens.
    pub(in crate::hub) fn settle_departure(&mut self, cluster: &ClusterName, now: Now) -> Option<Duration> {
        self.clusters.departed.get(cluster)?;
        if self.choose_clusters(now) {
            self.turns += 1;
            self.everything_changed();
        }
        let departed = self.clusters.departed.get(cluster)?;
        let waiting =
            self.aggregations.values().filter(|found| found.waits_for(cluster, departed, now.elapsed));
        let ends = waiting.map(|found| found.given_up_at(departed)).min();
        if ends.is_none() && self.watched.is_synced() {
            self.clusters.departed.remove(cluster);
        }
        ends
    }

    /// Takes which connection to a cluster is the present one.
    pub(super) fn take_connections(&mut self, epochs: BTreeMap<ClusterName, u64>, now: Duration) {
        for (cluster, epoch) in epochs {
            if let Some(link) = self.clusters.links.get_mut(&cluster) {
                link.epoch = epoch;
            }
            for aggregation in self.aggregations.values_mut() {
                aggregation.reconnected(&cluster, now);
            }
            self.due.insert(HubKey::Cluster(cluster));
        }
    }

    /// Takes what was heard from a cluster, unless it is from an earlier connection.
    pub(super) fn take_update(&mut self, word: ClusterUpdate, now: Now) {
        let ClusterUpdate { cluster, epoch, objects, topics, link } = word;
        let Some(known) = self.clusters.links.get_mut(&cluster).filter(|link| link.epoch == epoch) else {
            return;
        };
        if let Some(answer) = link {
            known.probed(answer, now.elapsed, now.time);
        }
        if !objects.is_empty() || topics.values().any(Result::is_ok) {
            known.hear(now.elapsed, now.time);
        }
        for (id, object, instance) in objects {
            let aggregation = self.aggregations.get_mut(&id.0).filter(|aggregation| aggregation.id() == id);
            if aggregation
                .is_some_and(|found| found.heard(&cluster, &object, instance.map(|instance| *instance)))
            {
                self.instance_changed(&id.0, &object, &cluster);
            }
        }
        for (id, seen) in topics {
            let aggregation = self.aggregations.get_mut(&id.0).filter(|aggregation| aggregation.id() == id);
            if aggregation.is_some_and(|found| found.seen_in(&cluster, seen, now.elapsed, now.time)) {
                self.cluster_changed(&id.0, &cluster);
            }
        }
        self.due.insert(HubKey::Cluster(cluster));
    }

    /// Judges whether the words of a cluster are believed, in every aggregation that has chosen it. Returns the time at which that
    /// may change if nothing happens.
    pub(in crate::hub) fn judge_cluster(&mut self, cluster: &ClusterName, now: Duration) -> Option<Duration> {
        let link = self.clusters.links.get(cluster)?;
        let patience = self.options.patience;
        let (mut changed, mut again) = (Vec::new(), None);
        for (name, aggregation) in &mut self.aggregations {
            if aggregation.judge(cluster, link, patience, now) {
                changed.push(Arc::clone(name));
            }
            again = again.into_iter().chain(aggregation.judge_at(cluster, link, patience, now)).min();
        }
        for name in changed {
            self.cluster_changed(&name, cluster);
        }
        again
    }
}
