//! The connections to clusters, and the queue of their updates.
//!
//! Each cluster has a task that connects, probes whether the cluster answers, and runs one more task for each topic that is watched.
//! They end when the cluster leaves. A cluster that does not answer, sends nonsense, or sends without end takes neither time nor
//! memory from another: the objects that are kept of it are bounded in number and bytes, an update that was not taken yet is replaced
//! by a newer one, and the queue serves clusters in turn.
//!
//! # What a cluster has to allow
//! The user of the kubeconfig reads the objects that are aggregated, and nothing else. `/version` and the discovery of
//! kinds are open to every authenticated user by `system:public-info-viewer` and `system:discovery`, which every cluster
//! has. For Gateways, in the cluster:
//!
//! ```yaml
//! apiVersion: rbac.authorization.k8s.io/v1
//! kind: ClusterRole
//! metadata:
//!   name: allready-hub-reader
//! rules:
//! - apiGroups: [gateway.networking.k8s.io]
//!   resources: [gateways]
//!   verbs: [list, watch]
//! ```
//!
//! A Role in each of the namespaces is enough where the aggregation names its namespaces.

mod connection;
mod offline;
mod probe;
mod queue;
mod selector;
mod sender;
#[cfg(test)]
mod tests;
mod topic;
mod topic_store;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_kube::list_watch::Room;
use tokio::{sync::watch, task::JoinSet};

use self::{
    probe::Probe,
    queue::ConnectionId,
    sender::{SharedQueue, UpdateSender},
    topic_store::MOST_BYTES_OF_ALL,
};
use super::{
    ClusterName, Instance, NoAnswer, ObjectName, Reader,
    inventory::{Access, Cluster},
};

/// The identity of a [`Topic`]: the name of the aggregation, and the sequence number of its plan.
pub type TopicId = (Arc<str>, u64);

/// The objects that are watched in clusters.
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
    /// The clusters in which they are watched; all where it is absent.
    pub clusters: Option<Arc<BTreeSet<ClusterName>>>,
    /// Reads them.
    pub reader: Arc<Reader>,
}

/// The news of one cluster since the last update: for every object and topic only the latest.
///
/// A topic is complete after, or together with, all objects that it is complete with. An object is never followed by an older version
/// of itself.
#[derive(Debug)]
pub struct ClusterUpdate {
    /// The cluster.
    pub cluster: ClusterName,
    /// The connection to it: an update of an earlier one is not to be taken.
    pub epoch: u64,
    /// Its instances; none where an object is gone.
    pub objects: Vec<(TopicId, ObjectName, Option<Box<Instance>>)>,
    /// Topics that are complete, or that cannot be seen, and why. Sent when it changes.
    pub topics: BTreeMap<TopicId, Result<(), Arc<str>>>,
    /// The time that it took to answer, or why it did not answer. Sent every few seconds while it answers.
    pub link: Option<Result<Duration, NoAnswer>>,
}

/// The connections to all clusters. They end when this is dropped.
///
/// ```no_run
/// use std::{collections::BTreeMap, sync::Arc};
/// use allready_controller::hub::{ClusterConnections, Topic, TopicId, inventory::Cluster, ClusterName};
///
/// # async fn run(clusters: BTreeMap<ClusterName, Cluster>, topic: Topic) {
/// let (mut connections, mut updates) = ClusterConnections::new();
/// let topics: BTreeMap<TopicId, Topic> = [((Arc::from("gateways"), 1), topic)].into();
/// let epochs = connections.follow(&clusters, &topics);
/// for update in updates.next().await {
///     assert!(update.epoch <= epochs[&update.cluster]);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct ClusterConnections {
    queue: SharedQueue,
    probe: Probe,
    /// The memory for the objects of all clusters.
    room: Arc<Room>,
    clusters: BTreeMap<ClusterName, ClusterConnection>,
    topics: Topics,
    /// The last number that was given to a connection or a watch.
    last: u64,
}

/// The topics, each with the number of its watches.
type Topics = BTreeMap<TopicId, (u64, Topic)>;

/// The updates of all clusters.
#[derive(Debug)]
pub struct ClusterUpdates(SharedQueue);

#[derive(Debug)]
struct ClusterConnection {
    access: Access,
    topics: watch::Sender<Topics>,
    /// Ends with this.
    _task: JoinSet<()>,
}

impl ClusterConnections {
    /// No connections yet.
    pub fn new() -> (Self, ClusterUpdates) {
        Self::with(Probe::default())
    }

    fn with(probe: Probe) -> (Self, ClusterUpdates) {
        let queue = SharedQueue::default();
        let (room, clusters, topics) = (Room::of(MOST_BYTES_OF_ALL), BTreeMap::new(), BTreeMap::new());
        let connections = Self { queue: queue.clone(), probe, room, clusters, topics, last: 0 };
        (connections, ClusterUpdates(queue))
    }

    /// Asks every cluster this often whether it answers; every five seconds unless said otherwise.
    pub fn ask_every(&mut self, every: Duration) {
        self.probe.set(every);
    }

    /// Watches these topics in these clusters, and no others. Returns the connections that are new, by their epochs: a
    /// cluster whose access has changed is connected to anew. Within a tokio runtime.
    pub fn follow(
        &mut self,
        clusters: &BTreeMap<ClusterName, Cluster>,
        topics: &BTreeMap<TopicId, Topic>,
    ) -> BTreeMap<ClusterName, u64> {
        self.follow_topics(topics);
        self.clusters.retain(|name, _| {
            let stays = clusters.contains_key(name);
            if !stays {
                self.queue.lock().close(name);
            }
            stays
        });
        let mut opened = BTreeMap::new();
        for (name, cluster) in clusters {
            match self.clusters.get(name) {
                Some(connection) if connection.access == cluster.access => {
                    if !connection.topics.borrow().keys().eq(within(&self.topics, name).map(|(id, _)| id)) {
                        let topics = topics_of(&self.topics, name);
                        self.queue.lock().follow(name, serials(&topics));
                        connection.topics.send_replace(topics);
                    }
                }
                _ => {
                    let epoch = self.number();
                    self.open(name, epoch, &cluster.access);
                    opened.insert(name.clone(), epoch);
                }
            }
        }
        opened
    }

    fn follow_topics(&mut self, topics: &BTreeMap<TopicId, Topic>) {
        self.topics.retain(|id, _| topics.contains_key(id));
        for (id, topic) in topics {
            if let Some((_, known)) = self.topics.get_mut(id) {
                known.clusters.clone_from(&topic.clusters);
            } else {
                let serial = self.number();
                self.topics.insert(id.clone(), (serial, topic.clone()));
            }
        }
    }

    fn open(&mut self, name: &ClusterName, epoch: u64, access: &Access) {
        // The one before ends first: nothing of it is heard from here on.
        self.clusters.remove(name);
        let topics = topics_of(&self.topics, name);
        {
            let mut queue = self.queue.lock();
            queue.open(name, epoch);
            queue.follow(name, serials(&topics));
        }
        let (topics, followed) = watch::channel(topics);
        let connection = ConnectionId { cluster: name.clone(), epoch };
        let sender = UpdateSender::new(self.queue.clone(), connection);
        let mut task = JoinSet::new();
        let (probe, room) = (self.probe.clone(), Arc::clone(&self.room));
        task.spawn(connection::run(sender, access.clone(), followed, probe, room));
        self.clusters.insert(name.clone(), ClusterConnection { access: access.clone(), topics, _task: task });
    }

    fn number(&mut self) -> u64 {
        self.last += 1;
        self.last
    }
}

/// The topics that are watched in a cluster.
fn within<'a>(
    topics: &'a Topics,
    cluster: &ClusterName,
) -> impl Iterator<Item = (&'a TopicId, &'a (u64, Topic))> {
    topics.iter().filter(move |(_, (_, topic))| {
        topic.clusters.as_ref().is_none_or(|clusters| clusters.contains(cluster))
    })
}

fn topics_of(topics: &Topics, cluster: &ClusterName) -> Topics {
    within(topics, cluster).map(|(id, topic)| (id.clone(), topic.clone())).collect()
}

fn serials(topics: &Topics) -> impl Iterator<Item = (&TopicId, u64)> {
    topics.iter().map(|(id, (serial, _))| (id, *serial))
}

impl ClusterUpdates {
    /// The updates of the next clusters that have some: fair to all of them. Nothing is lost if the future is dropped before it is
    /// ready.
    pub async fn next(&mut self) -> Vec<ClusterUpdate> {
        self.0.next().await
    }
}
