//! The queue of updates as the tasks see it: connections send, and wait for room; the hub waits for updates.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{
    sync::Notify,
    time::{Instant, timeout},
};

use super::{
    ClusterUpdate,
    queue::{ConnectionId, UpdateQueue, WatchId},
    topic_store::TopicState,
};
use crate::hub::{Instance, NoAnswer, ObjectName};

/// The longest time until it is told that a cluster still answers. Each of hundreds of clusters says so every few seconds, and
/// would wake the hub by itself.
const STILL_ANSWERS: Duration = Duration::from_secs(1);

/// The queue, shared.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedQueue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<UpdateQueue>,
    /// Something was put in.
    arrived: Notify,
    /// Something was taken out.
    room: Notify,
}

impl SharedQueue {
    pub(super) fn lock(&self) -> MutexGuard<'_, UpdateQueue> {
        // No change of the queue is left half done by a panic that one of its callers survives.
        self.0.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next updates, as soon as there is news.
    pub(super) async fn next(&self) -> Vec<ClusterUpdate> {
        loop {
            let updates = self.lock().take();
            if !updates.is_empty() {
                self.0.room.notify_waiters();
                return updates;
            }
            // A permit is kept for what arrives in between: there is one who waits.
            let _ = timeout(STILL_ANSWERS, self.0.arrived.notified()).await;
        }
    }
}

/// Sends the updates of one connection to a cluster.
#[derive(Clone, Debug)]
pub(super) struct UpdateSender {
    queue: SharedQueue,
    pub(super) connection: ConnectionId,
    /// The last time that the cluster opened a watch.
    opened: Arc<Mutex<Option<Instant>>>,
}

impl UpdateSender {
    pub(super) fn new(queue: SharedQueue, connection: ConnectionId) -> Self {
        Self { queue, connection, opened: Arc::default() }
    }

    /// Says that the cluster has opened a watch: it answers, and accepts our credentials.
    pub(super) fn opened(&self) {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.answered();
    }

    /// The last time that the cluster opened a watch.
    pub(super) fn last_opened(&self) -> Option<Instant> {
        *self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says whether the cluster answers, and how fast.
    pub(super) fn link(&self, link: Result<Duration, NoAnswer>) {
        if self.queue.lock().link(&self.connection, link) {
            self.queue.0.arrived.notify_one();
        }
    }

    /// Says that the cluster has sent something without being asked.
    pub(super) fn answered(&self) {
        if self.queue.lock().answered(&self.connection) {
            self.queue.0.arrived.notify_one();
        }
    }

    /// Says why nothing of the cluster can be seen.
    pub(super) fn fail(&self, why: &Arc<str>) {
        self.queue.lock().fail(&self.connection, why);
        self.queue.0.arrived.notify_one();
    }

    /// Says what is known of a topic.
    pub(super) fn topic(&self, watch_id: &WatchId, state: TopicState) {
        self.queue.lock().topic(&self.connection, watch_id, state);
        self.queue.0.arrived.notify_one();
    }

    /// Says what an object is like; waits while too many wait already.
    pub(super) async fn object(
        &self,
        watch_id: &WatchId,
        name: &ObjectName,
        mut instance: Option<Box<Instance>>,
    ) {
        loop {
            let room = self.queue.0.room.notified();
            let mut room = std::pin::pin!(room);
            // From here on no room that is made is missed.
            room.as_mut().enable();
            if self.queue.lock().object(&self.connection, watch_id, name, &mut instance) {
                self.queue.0.arrived.notify_one();
                return;
            }
            room.await;
        }
    }
}
