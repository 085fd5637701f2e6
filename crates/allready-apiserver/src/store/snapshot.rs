//! What was there when a watch began: those that begin before the next change share one copy of it.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::draft::Stored;

/// Key and object, in the order of the keys.
pub(crate) type Snapshot = Vec<(Box<str>, Stored)>;

/// The snapshots of a place that someone still reads from.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    known: Mutex<Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    version: u64,
    prefix: Box<str>,
    snapshot: Weak<Snapshot>,
}

impl Snapshots {
    /// What has a prefix at a version: taken for the first who asks, shared by the others. It lives as long as they do.
    pub(super) fn at(&self, version: u64, prefix: &str, take: impl FnOnce() -> Snapshot) -> Arc<Snapshot> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|known| known.version == version && known.snapshot.strong_count() > 0);
        let found = known.iter().find(|known| *known.prefix == *prefix);
        if let Some(snapshot) = found.and_then(|found| found.snapshot.upgrade()) {
            return snapshot;
        }
        let snapshot = Arc::new(take());
        known.push(Known { version, prefix: prefix.into(), snapshot: Arc::downgrade(&snapshot) });
        snapshot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_shared_until_something_changes_and_forgotten_with_its_last_reader() {
        let snapshots = Snapshots::default();
        let first = snapshots.at(1, "", Vec::new);
        assert!(Arc::ptr_eq(&first, &snapshots.at(1, "", || panic!("taken twice"))));
        assert!(!Arc::ptr_eq(&first, &snapshots.at(1, "default/", Vec::new)));
        let second = snapshots.at(2, "", Vec::new);
        assert!(!Arc::ptr_eq(&first, &second));
        drop((first, second));
        let third = snapshots.at(2, "", Vec::new);
        assert_eq!((Arc::strong_count(&third), snapshots.known.lock().unwrap().len()), (1, 1));
    }
}
