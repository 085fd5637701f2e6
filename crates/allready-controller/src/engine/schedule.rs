//! The keys that are due, and when.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// Keys by the time at which they are due: each once, at the earliest time that was asked for.
///
/// ```
/// use std::time::Duration;
/// use allready_controller::engine::Schedule;
///
/// let s = Duration::from_secs;
/// let mut schedule = Schedule::default();
/// schedule.at("a", s(5));
/// schedule.at("a", s(9));
/// schedule.at("b", s(7));
/// assert_eq!(schedule.next_due(), Some(s(5)));
/// assert_eq!(schedule.take_due(s(6)), ["a"]);
/// assert_eq!(schedule.take_due(s(9)), ["b"]);
/// ```
#[derive(Clone, Debug)]
pub struct Schedule<K> {
    due: BTreeMap<K, Duration>,
    order: BTreeSet<(Duration, K)>,
}

impl<K> Default for Schedule<K> {
    fn default() -> Self {
        Self { due: BTreeMap::new(), order: BTreeSet::new() }
    }
}

impl<K: Ord + Clone> Schedule<K> {
    /// Looks at a key at this time, or earlier.
    pub fn at(&mut self, key: K, when: Duration) {
        if let Some(known) = self.due.get(&key).copied() {
            if known <= when {
                return;
            }
            self.order.remove(&(known, key.clone()));
        }
        self.due.insert(key.clone(), when);
        self.order.insert((when, key));
    }

    /// Looks at all of these at this time, or earlier.
    pub fn all(&mut self, keys: impl IntoIterator<Item = K>, when: Duration) {
        for key in keys {
            self.at(key, when);
        }
    }

    /// Takes the keys that are due, in the order of their times.
    pub fn take_due(&mut self, now: Duration) -> Vec<K> {
        let mut due = Vec::new();
        while self.order.first().is_some_and(|(when, _)| *when <= now) {
            let Some((_, key)) = self.order.pop_first() else { break };
            self.due.remove(&key);
            due.push(key);
        }
        due
    }

    /// The time of the first key.
    pub fn next_due(&self) -> Option<Duration> {
        self.order.first().map(|(when, _)| *when)
    }
}
