//! The keys that are due, and when.

use std::{collections::BTreeMap, time::Duration};

use super::lanes::Lanes;

/// Keys by the time at which they are due: each once, at the earliest time that was asked for.
///
/// ```
/// use std::time::Duration;
/// use allready_controller::engine::Schedule;
///
/// let s = Duration::from_secs;
/// let mut schedule = Schedule::new(|_| "");
/// schedule.at("a", s(5));
/// schedule.at("a", s(9));
/// schedule.at("b", s(7));
/// assert_eq!(schedule.next_due(), Some(s(5)));
/// assert_eq!(schedule.take_due(s(6), 10), ["a"]);
/// assert_eq!(schedule.take_due(s(9), 10), ["b"]);
/// ```
#[derive(Clone, Debug)]
pub struct Schedule<K> {
    namespace: fn(&K) -> &str,
    due: BTreeMap<K, Duration>,
    order: Lanes<K>,
}

impl<K: Ord + Clone> Schedule<K> {
    /// An empty schedule for keys of these namespaces, or of none.
    pub fn new(namespace: fn(&K) -> &str) -> Self {
        Self { namespace, due: BTreeMap::new(), order: Lanes::default() }
    }

    /// Looks at a key at this time, or earlier.
    pub fn at(&mut self, key: K, when: Duration) {
        if let Some(known) = self.due.get(&key).copied() {
            if known <= when {
                return;
            }
            self.order.remove((self.namespace)(&key), known, &key);
        }
        self.order.insert((self.namespace)(&key), when, key.clone());
        self.due.insert(key, when);
    }

    /// Looks at all of these at this time, or earlier.
    pub fn all(&mut self, keys: impl IntoIterator<Item = K>, when: Duration) {
        for key in keys {
            self.at(key, when);
        }
    }

    /// Takes the keys that are due, in the order of their times: all without a namespace, on which others depend, and so many others, one of
    /// each namespace in turn.
    pub fn take_due(&mut self, now: Duration, most: usize) -> Vec<K> {
        let mut taken = self.order.of_lane("", now);
        taken.extend(self.order.in_turn(now, most, |key| !(self.namespace)(key).is_empty()));
        for (when, key) in &taken {
            self.order.remove((self.namespace)(key), *when, key);
            self.due.remove(key);
        }
        taken.sort();
        taken.into_iter().map(|(_, key)| key).collect()
    }

    /// Returns true if a key is due, and was not taken yet.
    pub fn is_due(&self, key: &K, now: Duration) -> bool {
        self.due.get(key).is_some_and(|when| *when <= now)
    }

    /// The time of the first key.
    pub fn next_due(&self) -> Option<Duration> {
        self.order.first()
    }
}
