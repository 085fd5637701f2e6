//! The events that wait to be taken, within bounds of their number and of their bytes: whoever writes objects decides how large they are,
//! and must not thereby decide how much memory those take that wait.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

/// The most events that wait, and the most that are taken before it is looked whether something is to be written.
const EVENTS: usize = 1024;
/// The most bytes of events that wait, and of those that are taken at a time.
const BYTES: usize = 32 << 20;

/// An inbox, and the way into it.
pub(crate) fn inbox<E>() -> (Sender<E>, Inbox<E>) {
    let (events, waiting) = mpsc::channel(EVENTS);
    (Sender { events, bytes: Arc::new(Semaphore::new(BYTES)) }, Inbox { waiting })
}

/// The way into an inbox.
pub(crate) struct Sender<E> {
    events: mpsc::Sender<(E, OwnedSemaphorePermit)>,
    bytes: Arc<Semaphore>,
}

impl<E> Clone for Sender<E> {
    fn clone(&self) -> Self {
        Self { events: self.events.clone(), bytes: Arc::clone(&self.bytes) }
    }
}

impl<E> Sender<E> {
    /// Waits for room for an event that takes so many bytes. Returns false when nobody takes events any more.
    pub(crate) async fn send(&self, event: E, bytes: usize) -> bool {
        // One that is larger than all of it goes alone.
        let bytes = u32::try_from(bytes.min(BYTES)).unwrap_or(u32::MAX);
        match Arc::clone(&self.bytes).acquire_many_owned(bytes).await {
            Ok(room) => self.events.send((event, room)).await.is_ok(),
            Err(_) => false,
        }
    }
}

/// The events that wait.
pub(crate) struct Inbox<E> {
    waiting: mpsc::Receiver<(E, OwnedSemaphorePermit)>,
}

impl<E> Inbox<E> {
    /// The next event, as soon as there is one; none when nobody sends any more.
    pub(crate) async fn next(&mut self) -> Option<E> {
        Some(self.waiting.recv().await?.0)
    }

    /// The next events, as soon as there is one, after those that are there already.
    pub(crate) fn take(&mut self, events: &mut Vec<E>) {
        let mut bytes = 0;
        while events.len() < EVENTS && bytes < BYTES {
            let Ok((event, room)) = self.waiting.try_recv() else { return };
            bytes += room.num_permits();
            events.push(event);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn events_wait_until_there_is_room_for_their_bytes_and_are_taken_a_few_at_a_time() {
        let (sender, mut inbox) = inbox();
        for number in 0..4 {
            assert!(sender.send(number, BYTES / 4).await);
        }
        assert_eq!(sender.send(4, 1).now_or_never(), None, "there is no room");
        assert_eq!(inbox.next().await, Some(0));
        assert!(sender.send(5, 2 * BYTES).now_or_never().is_none(), "a large one waits for all of it");
        let mut taken = Vec::new();
        inbox.take(&mut taken);
        assert_eq!(taken, [1, 2, 3]);
        assert!(sender.send(6, 2 * BYTES).await);
        assert!(sender.send(7, 0).await);
        taken.clear();
        inbox.take(&mut taken);
        assert_eq!(taken, [6], "the rest is taken another time");
        drop(inbox);
        assert!(!sender.send(8, 1).await);
    }
}
