//! The changes of one place in their order: what watchers read from, and what older lists are worked out from.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
};

use tokio::sync::watch;

use super::{draft::Stored, event::Event};
use crate::status::Failure;

/// How many changes back an event is kept for the watchers that still have to send it.
const WARM: u64 = 128;

/// One change. Its bytes are those of the store, not copies.
#[derive(Debug)]
pub(crate) struct Change {
    /// The resourceVersion that the change brought.
    pub(crate) version: u64,
    /// `namespace/name`, or the name.
    pub(crate) key: Box<str>,
    /// What stood there before.
    pub(crate) old: Option<Stored>,
    /// What stands there now; nothing after a deletion.
    pub(crate) new: Option<Stored>,
    events: Mutex<Vec<(EventKey, Event)>>,
}

/// What makes two watchers see the same event: its kind and the version.
pub(crate) type EventKey = (&'static str, Arc<str>);

impl Change {
    pub(crate) fn new(version: u64, key: Box<str>, old: Option<Stored>, new: Option<Stored>) -> Self {
        Self { version, key, old, new, events: Mutex::new(Vec::new()) }
    }

    /// The event of a kind in a version: made for the first watcher, shared by the others.
    pub(crate) fn event(
        &self,
        key: EventKey,
        make: impl FnOnce() -> Result<Event, Failure>,
    ) -> Result<Event, Failure> {
        let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, event)) = events.iter().find(|(known, _)| *known == key) {
            return Ok(event.clone());
        }
        let event = make()?;
        events.push((key, event.clone()));
        Ok(event)
    }

    fn weight(&self) -> usize {
        self.old.as_ref().map_or(0, |old| old.bytes.len())
    }

    fn cool(&self) {
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Vec::new();
    }
}

/// The changes of one place.
#[derive(Debug)]
pub(crate) struct Log {
    inner: Mutex<Inner>,
    tip: watch::Sender<u64>,
    end: AtomicU8,
    /// The newest version of the whole store.
    newest: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Inner {
    changes: VecDeque<Arc<Change>>,
    /// Sequence number of the first change that is still here.
    first: u64,
    /// Watches and lists cannot start before this resourceVersion.
    floor: u64,
    /// Watches cannot start before this one.
    watch_floor: u64,
    bytes: usize,
}

/// What a reader finds.
pub(crate) enum Read {
    /// The next changes; none when there is nothing new.
    Changes(Vec<Arc<Change>>),
    /// The reader was too slow: what it has not read is gone.
    Lost,
}

const OPEN: u8 = 0;
const DRAINING: u8 = 1;
const CUT: u8 = 2;

impl Log {
    /// An empty log that knows nothing of what happened until `floor`.
    pub(crate) fn new(floor: u64, newest: Arc<AtomicU64>) -> Self {
        let inner = Inner { changes: VecDeque::new(), first: 0, floor, watch_floor: floor, bytes: 0 };
        Self { inner: Mutex::new(inner), tip: watch::Sender::new(0), end: AtomicU8::new(OPEN), newest }
    }

    /// A log of the same changes, in which watches can start only after a resourceVersion.
    pub(crate) fn renewed(&self, watch_floor: u64) -> Self {
        let inner = self.lock();
        let (changes, first, floor, bytes) = (inner.changes.clone(), inner.first, inner.floor, inner.bytes);
        let inner = Inner { changes, first, floor, watch_floor, bytes };
        Self {
            inner: Mutex::new(inner),
            tip: watch::Sender::new(0),
            end: AtomicU8::new(OPEN),
            newest: self.newest.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a change, forgets the oldest beyond `limit`, and returns by how much the log grew. Watchers are not woken yet.
    pub(crate) fn push(&self, change: Change, limit: usize) -> isize {
        let mut inner = self.lock();
        let before = inner.bytes;
        inner.bytes += change.weight();
        inner.changes.push_back(Arc::new(change));
        while inner.changes.len() > limit {
            inner.forget();
        }
        let cold = inner.changes.len().checked_sub(usize::try_from(WARM).unwrap_or(usize::MAX));
        if let Some(change) = cold.and_then(|index| inner.changes.get(index)) {
            change.cool();
        }
        inner.bytes.cast_signed() - before.cast_signed()
    }

    /// The newest version of the store: whoever reads it before the log has seen every change of this place up to it.
    pub(crate) fn newest(&self) -> u64 {
        self.newest.load(Ordering::Acquire)
    }

    /// Wakes the watchers.
    pub(crate) fn wake(&self) {
        self.tip.send_modify(|tip| *tip += 1);
    }

    /// Forgets the oldest change, and returns how many bytes that frees.
    pub(crate) fn forget(&self) -> usize {
        self.lock().forget()
    }

    /// How many bytes only this log keeps alive.
    pub(crate) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Forgets everything up to a resourceVersion.
    pub(crate) fn compact(&self, version: u64) -> usize {
        let mut inner = self.lock();
        let mut freed = 0;
        while inner.changes.front().is_some_and(|change| change.version <= version) {
            freed += inner.forget();
        }
        inner.floor = inner.floor.max(version);
        freed
    }

    /// Where a watch from a resourceVersion starts to read, or the oldest resourceVersion that it could start from.
    pub(crate) fn position(&self, version: u64) -> Result<u64, u64> {
        let inner = self.lock();
        let floor = inner.floor.max(inner.watch_floor);
        if version < floor {
            return Err(floor);
        }
        let index = inner.changes.partition_point(|change| change.version <= version);
        Ok(inner.first + index as u64)
    }

    /// The position behind the newest change.
    pub(crate) fn end(&self) -> u64 {
        let inner = self.lock();
        inner.first + inner.changes.len() as u64
    }

    /// Some changes from a position on.
    pub(crate) fn read(&self, position: u64, limit: usize) -> Read {
        let inner = self.lock();
        let Some(index) = position.checked_sub(inner.first) else { return Read::Lost };
        let index = usize::try_from(index).unwrap_or(usize::MAX).min(inner.changes.len());
        Read::Changes(inner.changes.range(index..).take(limit).cloned().collect())
    }

    /// Whether a change at this position is recent enough for its event to be shared.
    pub(crate) fn is_warm(&self, position: u64) -> bool {
        self.end().saturating_sub(position) < WARM
    }

    /// The changes after a resourceVersion, oldest first; `None` when some of them are forgotten.
    pub(crate) fn since(&self, version: u64) -> Option<Vec<Arc<Change>>> {
        let inner = self.lock();
        if version < inner.floor {
            return None;
        }
        let index = inner.changes.partition_point(|change| change.version <= version);
        Some(inner.changes.range(index..).cloned().collect())
    }

    /// Ends the watches: after what is still to be read, or at once.
    pub(crate) fn finish(&self, at_once: bool) {
        self.end.store(if at_once { CUT } else { DRAINING }, Ordering::Release);
        self.wake();
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.end.load(Ordering::Acquire) == CUT
    }

    pub(crate) fn is_finished(&self) -> bool {
        self.end.load(Ordering::Acquire) != OPEN
    }

    pub(crate) fn listen(&self) -> watch::Receiver<u64> {
        self.tip.subscribe()
    }
}

impl Inner {
    fn forget(&mut self) -> usize {
        let Some(change) = self.changes.pop_front() else { return 0 };
        self.first += 1;
        // The real server names the version before the oldest one that it still has.
        let floor = self.changes.front().map_or(change.version, |next| next.version - 1);
        self.floor = self.floor.max(floor);
        self.bytes -= change.weight();
        change.weight()
    }
}
