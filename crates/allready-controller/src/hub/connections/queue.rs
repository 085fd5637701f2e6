//! The updates of clusters that the hub has not taken yet: the latest value per object and topic, fair between clusters.

use std::{
    collections::{BTreeMap, VecDeque, hash_map},
    sync::Arc,
    time::Duration,
};

use super::{
    ClusterUpdate, TopicId,
    topic_store::{MOST_OBJECTS, TopicState},
};
use crate::hub::{ClusterName, Instance, NoAnswer, ObjectName};

/// The most objects in one update of a cluster: the others have their turn in between.
pub(super) const MOST_OF_ONE: usize = 256;
/// The most objects that are handed over at once.
pub(super) const MOST_AT_ONCE: usize = 4096;
/// The most objects of a topic that wait: all that may be known, and as many that are gone again.
const MOST_WAITING: usize = 3 * MOST_OBJECTS;

/// The updates of all clusters. The shell around it waits and wakes.
#[derive(Debug, Default)]
pub(super) struct UpdateQueue {
    clusters: BTreeMap<ClusterName, ClusterQueue>,
    /// The clusters with updates, in turn.
    ready: VecDeque<ClusterName>,
}

#[derive(Debug, Default)]
struct ClusterQueue {
    epoch: u64,
    /// The topics that are followed.
    topics: BTreeMap<TopicId, TopicQueue>,
    /// The objects of all topics in the order in which they are handed over.
    order: BTreeMap<u64, (TopicId, ObjectName)>,
    /// The place in that order of the next one.
    next: u64,
    link: Option<Result<Duration, NoAnswer>>,
    /// The time that the cluster last took to answer.
    lag: Duration,
    /// True if the last probe was answered.
    is_answering: bool,
    is_queued: bool,
}

#[derive(Debug, Default)]
struct TopicQueue {
    /// The number of the watch: updates of an earlier one are dropped.
    serial: u64,
    objects: hash_map::HashMap<ObjectName, (u64, Option<Box<Instance>>)>,
    /// The state to deliver, and which place in the order has to be reached before.
    pending: Option<(u64, TopicState)>,
    /// The state that was delivered last.
    delivered: Option<TopicState>,
}

/// A connection to a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ConnectionId {
    pub(super) cluster: ClusterName,
    pub(super) epoch: u64,
}

/// A watch of a topic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WatchId {
    pub(super) topic: TopicId,
    pub(super) serial: u64,
}

impl UpdateQueue {
    /// Opens the queue of a new connection to a cluster. Updates of an earlier one are dropped.
    pub(super) fn open(&mut self, cluster: &ClusterName, epoch: u64) {
        let is_queued = self.clusters.get(cluster).is_some_and(|entry| entry.is_queued);
        self.clusters.insert(cluster.clone(), ClusterQueue { epoch, is_queued, ..ClusterQueue::default() });
    }

    /// Closes the queue of a cluster that is not followed any more.
    pub(super) fn close(&mut self, cluster: &ClusterName) {
        self.clusters.remove(cluster);
        self.ready.retain(|queued| queued != cluster);
    }

    /// Follows these topics of a cluster and no others, each by a watch of this serial number.
    pub(super) fn follow<'a>(
        &mut self,
        cluster: &ClusterName,
        topics: impl IntoIterator<Item = (&'a TopicId, u64)>,
    ) {
        let Some(entry) = self.clusters.get_mut(cluster) else { return };
        let mut before = std::mem::take(&mut entry.topics);
        for (topic, serial) in topics {
            let kept = before.remove(topic).filter(|kept| kept.serial == serial);
            let kept = kept.unwrap_or_else(|| TopicQueue { serial, ..TopicQueue::default() });
            entry.topics.insert(topic.clone(), kept);
        }
        let ClusterQueue { order, topics, .. } = entry;
        order.retain(|place, (topic, name)| {
            let waiting = topics.get(topic).and_then(|topic| topic.objects.get(name));
            waiting.is_some_and(|(waiting, _)| waiting == place)
        });
    }

    /// Takes an object, or that it is not there. Returns false if there is no room for it.
    pub(super) fn object(
        &mut self,
        from: &ConnectionId,
        watch_id: &WatchId,
        name: &ObjectName,
        instance: &mut Option<Box<Instance>>,
    ) -> bool {
        let Some(entry) = self.entry(from) else { return true };
        let Some(topic) = watched(&mut entry.topics, watch_id) else { return true };
        // It keeps its turn: what changes all the time is not put off for ever.
        if let Some((_, waiting)) = topic.objects.get_mut(name) {
            *waiting = instance.take();
            return true;
        }
        if topic.objects.len() >= MOST_WAITING {
            return false;
        }
        topic.objects.insert(name.clone(), (entry.next, instance.take()));
        entry.order.insert(entry.next, (watch_id.topic.clone(), name.clone()));
        entry.next += 1;
        self.queue(&from.cluster);
        true
    }

    /// Takes the state of a topic, which is delivered after the objects that came before it.
    pub(super) fn topic(&mut self, from: &ConnectionId, watch_id: &WatchId, state: TopicState) {
        let Some(entry) = self.entry(from) else { return };
        let after = entry.next;
        let Some(topic) = watched(&mut entry.topics, watch_id) else { return };
        topic.set_state(after, state);
        self.queue(&from.cluster);
    }

    /// Takes why no topic of a cluster can be seen.
    pub(super) fn fail(&mut self, from: &ConnectionId, why: &Arc<str>) {
        let Some(entry) = self.entry(from) else { return };
        for topic in entry.topics.values_mut() {
            topic.set_state(entry.next, Err(why.clone()));
        }
        self.queue(&from.cluster);
    }

    /// Takes whether a cluster answers, and how fast. Returns true if that is news.
    pub(super) fn link(&mut self, from: &ConnectionId, link: Result<Duration, NoAnswer>) -> bool {
        let Some(entry) = self.entry(from) else { return false };
        if let Ok(lag) = &link {
            entry.lag = *lag;
        }
        let was_answering = std::mem::replace(&mut entry.is_answering, link.is_ok());
        let is_news = link.is_err() || !was_answering;
        entry.link = Some(link);
        self.queue(&from.cluster);
        is_news
    }

    /// Takes that a cluster has sent something without being asked: it answers. Returns true if that is news.
    pub(super) fn answered(&mut self, from: &ConnectionId) -> bool {
        let Some(entry) = self.entry(from) else { return false };
        // That it refuses our credentials is not outdone by a watch that began before.
        if matches!(&entry.link, Some(Err(no)) if no.is_final) {
            return false;
        }
        let lag = entry.lag;
        self.link(from, Ok(lag))
    }

    /// The next updates, each cluster in turn and none twice.
    pub(super) fn take(&mut self) -> Vec<ClusterUpdate> {
        let (mut updates, mut objects) = (Vec::new(), 0);
        for _ in 0..self.ready.len() {
            if objects >= MOST_AT_ONCE {
                break;
            }
            let Some(cluster) = self.ready.pop_front() else { break };
            let Some(entry) = self.clusters.get_mut(&cluster) else { continue };
            entry.is_queued = false;
            let update = entry.update(&cluster);
            let has_more = !entry.order.is_empty();
            objects += update.objects.len();
            if !update.is_empty() {
                updates.push(update);
            }
            if has_more {
                self.queue(&cluster);
            }
        }
        updates
    }

    fn entry(&mut self, from: &ConnectionId) -> Option<&mut ClusterQueue> {
        self.clusters.get_mut(&from.cluster).filter(|entry| entry.epoch == from.epoch)
    }

    fn queue(&mut self, cluster: &ClusterName) {
        if let Some(entry) = self.clusters.get_mut(cluster)
            && !std::mem::replace(&mut entry.is_queued, true)
        {
            self.ready.push_back(cluster.clone());
        }
    }
}

/// The queue of the topic that this watch is for, unless another watch has taken its place.
fn watched<'a>(
    topics: &'a mut BTreeMap<TopicId, TopicQueue>,
    watch_id: &WatchId,
) -> Option<&'a mut TopicQueue> {
    topics.get_mut(&watch_id.topic).filter(|topic| topic.serial == watch_id.serial)
}

impl TopicQueue {
    fn set_state(&mut self, after: u64, state: TopicState) {
        let last = self.pending.as_ref().map(|(_, state)| state).or(self.delivered.as_ref());
        // Delivered once is enough; and what is complete is not put off because it is complete again.
        if last != Some(&state) {
            self.pending = Some((after, state));
        }
    }
}

impl ClusterQueue {
    fn update(&mut self, cluster: &ClusterName) -> ClusterUpdate {
        let mut objects = Vec::new();
        while objects.len() < MOST_OF_ONE
            && let Some((_, (topic, name))) = self.order.pop_first()
        {
            let waiting = self.topics.get_mut(&topic).and_then(|topic| topic.objects.remove(&name));
            if let Some((_, instance)) = waiting {
                objects.push((topic, name, instance));
            }
        }
        let reached = self.order.first_key_value().map_or(self.next, |(place, _)| *place);
        let mut topics = BTreeMap::new();
        for (id, topic) in &mut self.topics {
            // Bad news does not wait for its turn.
            let due = topic.pending.take_if(|(after, state)| *after <= reached || state.is_err());
            if let Some((_, state)) = due {
                topic.delivered = Some(state.clone());
                topics.insert(id.clone(), state);
            }
        }
        ClusterUpdate { cluster: cluster.clone(), epoch: self.epoch, objects, topics, link: self.link.take() }
    }
}

impl ClusterUpdate {
    fn is_empty(&self) -> bool {
        self.objects.is_empty() && self.topics.is_empty() && self.link.is_none()
    }
}
