//! The memory that the objects of many watches may take together.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// The bytes that the objects of all watches with this room take, as estimated by these, and the most they may take.
///
/// ```
/// use allready_kube::list_watch::Room;
///
/// let room = Room::of(100);
/// assert!(room.replace(0, 80) && !room.replace(0, 30));
/// assert!(room.replace(80, 50) && room.replace(0, 30));
/// ```
#[derive(Debug)]
pub struct Room {
    limit: usize,
    taken: AtomicUsize,
}

impl Room {
    /// Room for so many bytes.
    pub fn of(limit: usize) -> Arc<Self> {
        Arc::new(Self { limit, taken: AtomicUsize::new(0) })
    }

    /// Takes bytes in place of others. Returns false, and changes nothing, where there is no room for them; for fewer than before there
    /// always is.
    pub fn replace(&self, released: usize, wanted: usize) -> bool {
        let taken = |taken: usize| {
            let taken = taken.saturating_sub(released).saturating_add(wanted);
            (taken <= self.limit || wanted <= released).then_some(taken)
        };
        self.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, taken).is_ok()
    }

    /// The bytes that are taken.
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }
}
