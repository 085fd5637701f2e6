//! The connections to clusters, and the mailbox in which what they see is gathered.
//!
//! Each cluster has a task of its own that connects, asks again and again whether it answers, and watches each topic in
//! a task of its own. They end when the cluster leaves. A cluster that does not answer, sends nonsense, or sends without
//! end takes neither time nor memory from another: what it sends is bounded, what was not heard yet is replaced by what
//! is newer, and whoever hears is told of each cluster in turn.
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
mod mailbox;
mod offline;
mod post;
mod probe;
mod roll;
mod selector;
#[cfg(test)]
mod tests;
mod topic;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use tokio::{sync::watch, task::JoinSet};

use self::{
    mailbox::Sender,
    post::{Outlet, Post},
    probe::Pulse,
};
use super::{
    ClusterName, Instance, NoAnswer, ObjectName, Reader,
    inventory::{Access, Cluster},
};

/// Which watch: the name of the aggregation, and the how manieth plan of it. The same one is always the same [`Topic`].
pub type TopicId = (Arc<str>, u64);

/// What is watched in clusters.
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

/// What was heard from one cluster since the last time: for every object and topic only the latest.
///
/// A topic is said to be complete after, or together with, all objects that it is complete with. An object is never
/// followed by an older word of the same object.
#[derive(Debug)]
pub struct Word {
    /// The cluster.
    pub cluster: ClusterName,
    /// Which connection to it: what an earlier one said is not to be taken.
    pub epoch: u64,
    /// What its instances are like; none where there is none.
    pub objects: Vec<(TopicId, ObjectName, Option<Box<Instance>>)>,
    /// Topics that are known completely, or that cannot be seen, and why. Said once, until it changes.
    pub topics: BTreeMap<TopicId, Result<(), Arc<str>>>,
    /// Whether it answers, and how fast; or why it does not. Said every few seconds while it answers.
    pub link: Option<Result<Duration, NoAnswer>>,
}

/// The connections to all clusters. They end when this is dropped.
///
/// ```no_run
/// use std::{collections::BTreeMap, sync::Arc};
/// use allready_controller::hub::{Spokes, Topic, TopicId, inventory::Cluster, ClusterName};
///
/// # async fn run(clusters: BTreeMap<ClusterName, Cluster>, topic: Topic) {
/// let (mut spokes, mut heard) = Spokes::new();
/// let topics: BTreeMap<TopicId, Topic> = [((Arc::from("gateways"), 1), topic)].into();
/// let epochs = spokes.follow(&clusters, &topics);
/// for word in heard.next().await {
///     assert!(word.epoch <= epochs[&word.cluster]);
/// }
/// # }
/// ```
#[derive(Debug)]
pub struct Spokes {
    post: Post,
    pulse: Pulse,
    clusters: BTreeMap<ClusterName, Spoke>,
    topics: Topics,
    /// The last number that was given to a connection or a watch.
    last: u64,
}

/// The topics, each with the number of its watches.
type Topics = BTreeMap<TopicId, (u64, Topic)>;

/// What was heard from all clusters.
#[derive(Debug)]
pub struct Heard(Post);

#[derive(Debug)]
struct Spoke {
    access: Access,
    topics: watch::Sender<Topics>,
    /// Ends with this.
    _task: JoinSet<()>,
}

impl Spokes {
    /// No connections yet.
    pub fn new() -> (Self, Heard) {
        Self::with(Pulse::default())
    }

    fn with(pulse: Pulse) -> (Self, Heard) {
        let post = Post::default();
        let spokes =
            Self { post: post.clone(), pulse, clusters: BTreeMap::new(), topics: BTreeMap::new(), last: 0 };
        (spokes, Heard(post))
    }

    /// Asks every cluster this often whether it answers; every five seconds unless said otherwise.
    pub fn ask_every(&mut self, every: Duration) {
        self.pulse.set(every);
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
                self.post.mail().close(name);
            }
            stays
        });
        let mut opened = BTreeMap::new();
        for (name, cluster) in clusters {
            match self.clusters.get(name) {
                Some(spoke) if spoke.access == cluster.access => {
                    if !spoke.topics.borrow().keys().eq(within(&self.topics, name).map(|(id, _)| id)) {
                        let topics = topics_of(&self.topics, name);
                        self.post.mail().follow(name, serials(&topics));
                        spoke.topics.send_replace(topics);
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
            let mut mail = self.post.mail();
            mail.open(name, epoch);
            mail.follow(name, serials(&topics));
        }
        let (topics, followed) = watch::channel(topics);
        let outlet = Outlet { post: self.post.clone(), sender: Sender { cluster: name.clone(), epoch } };
        let mut task = JoinSet::new();
        task.spawn(connection::keep(outlet, access.clone(), followed, self.pulse.clone()));
        self.clusters.insert(name.clone(), Spoke { access: access.clone(), topics, _task: task });
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

impl Heard {
    /// What was heard from the next clusters that have something to say: fair to all of them. Nothing is lost if the
    /// future is dropped before it is ready.
    pub async fn next(&mut self) -> Vec<Word> {
        self.0.next().await
    }
}
