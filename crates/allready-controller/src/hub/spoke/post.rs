//! The mailbox as the tasks see it: they put in, and wait for room or for mail.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use super::{
    Word,
    mailbox::{About, Mail, Sender},
    roll::Verdict,
};
use crate::hub::{Instance, NoAnswer, ObjectName};

/// The mailbox, shared.
#[derive(Clone, Debug, Default)]
pub(super) struct Post(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    mail: Mutex<Mail>,
    /// Something was put in.
    arrived: Notify,
    /// Something was taken out.
    room: Notify,
}

impl Post {
    pub(super) fn mail(&self) -> MutexGuard<'_, Mail> {
        // No change of the mail is left half done by a panic that one of its callers survives.
        self.0.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is there, as soon as there is something.
    pub(super) async fn next(&self) -> Vec<Word> {
        loop {
            let words = self.mail().take();
            if !words.is_empty() {
                self.0.room.notify_waiters();
                return words;
            }
            // A permit is kept for what arrives in between: there is one who waits.
            self.0.arrived.notified().await;
        }
    }
}

/// Where a connection to a cluster puts what it has to say.
#[derive(Clone, Debug)]
pub(super) struct Outlet {
    pub(super) post: Post,
    pub(super) sender: Sender,
}

impl Outlet {
    /// Whether the cluster answers, and how fast.
    pub(super) fn link(&self, link: Result<Duration, NoAnswer>) {
        self.post.mail().link(&self.sender, link);
        self.post.0.arrived.notify_one();
    }

    /// The cluster has said something without being asked.
    pub(super) fn heard(&self) {
        self.post.mail().heard(&self.sender);
        self.post.0.arrived.notify_one();
    }

    /// Nothing of the cluster can be seen.
    pub(super) fn fail(&self, why: &Arc<str>) {
        self.post.mail().fail(&self.sender, why);
        self.post.0.arrived.notify_one();
    }

    /// What is known of a topic.
    pub(super) fn topic(&self, about: &About, verdict: Verdict) {
        self.post.mail().topic(&self.sender, about, verdict);
        self.post.0.arrived.notify_one();
    }

    /// What an object is like; waits while too many wait already.
    pub(super) async fn object(&self, about: &About, name: &ObjectName, mut instance: Option<Box<Instance>>) {
        loop {
            let room = self.post.0.room.notified();
            let mut room = std::pin::pin!(room);
            // From here on no room that is made is missed.
            room.as_mut().enable();
            if self.post.mail().object(&self.sender, about, name, &mut instance) {
                self.post.0.arrived.notify_one();
                return;
            }
            room.await;
        }
    }
}
