//! Events go some time after they were last written.
//!
//! Upstream gives them a lease in etcd (`pkg/registry/core/event/storage`), which ends by itself; here whoever asks next for
//! anything ends those whose time is over.

use std::{collections::VecDeque, sync::PoisonError, time::Duration};

use jiff::Timestamp;

use crate::rest::Engine;

/// The place of events, of both groups.
pub(super) const PLACE: &str = "events";

/// The events that end, in the order in which they were written.
pub(crate) struct Expiry {
    ttl: Duration,
    /// When, which, and in which version: one that was written again ends later.
    queue: VecDeque<(Timestamp, String, u64)>,
}

impl Default for Expiry {
    fn default() -> Self {
        Self { ttl: Duration::from_hours(1), queue: VecDeque::new() }
    }
}

impl Engine {
    /// Says how long events are kept.
    pub(crate) fn keep_events_for(&self, ttl: Duration) {
        self.inner.events.lock().unwrap_or_else(PoisonError::into_inner).ttl = ttl;
    }

    /// Notes that an event was written now.
    pub(super) fn note_event(&self, key: &str, now: Timestamp) {
        let Some(stored) = self.store().get(PLACE, key) else { return };
        let mut events = self.inner.events.lock().unwrap_or_else(PoisonError::into_inner);
        // One that would end after all time stays.
        if let Ok(end) = now.checked_add(events.ttl) {
            events.queue.push_back((end, key.to_owned(), stored.version));
        }
    }

    /// Removes the events whose time is over.
    pub(in crate::rest) fn end_events(&self, now: Timestamp) {
        let mut events = self.inner.events.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((_, key, version)) = events.queue.pop_front_if(|(end, ..)| *end <= now) {
            // One that is gone, or was written again, is none of this.
            let _ = self.store().remove(PLACE, &key, version);
        }
    }

    /// Forgets which events end: there are others now.
    pub(in crate::rest) fn forget_events(&self) {
        self.inner.events.lock().unwrap_or_else(PoisonError::into_inner).queue.clear();
    }
}
