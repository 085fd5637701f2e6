//! Smart requeue: objects that wait for something are looked at less and less often, until something happens.

use std::{collections::HashMap, time::Duration};

use allready_core::Time;
use jiff::SignedDuration;

/// When an object should be looked at again.
///
/// ```
/// # use std::time::Duration;
/// # use allready_core::Time;
/// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
/// let mut store = RequeueStore::new(Intervals::default());
/// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
/// store.next(&key, Requeue::Backoff, Time::EPOCH);
/// assert_eq!(store.next(&key, Requeue::Backoff, Time::EPOCH), Some(Duration::from_secs(2)));
/// assert_eq!(store.next(&key, Requeue::Reset, Time::EPOCH), Some(Duration::from_secs(1)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Requeue {
    /// Nothing has happened: wait longer each time.
    Backoff,
    /// Something has happened: begin again with the shortest wait.
    Reset,
    /// There is nothing to wait for.
    Never,
}

/// How long to wait, from one time to the next.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::update::Intervals;
///
/// assert_eq!(Intervals::default().max, Duration::from_mins(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// The first wait.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// How many times as long the next one is.
    pub factor: f64,
}

impl Intervals {
    /// From this wait to sixty times as long, twice as long each time.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_kube::update::Intervals;
    ///
    /// assert_eq!(Intervals::from_min(Duration::from_secs(5)).max, Duration::from_mins(5));
    /// ```
    pub fn from_min(min: Duration) -> Self {
        Self { min, max: min.saturating_mul(60), factor: 2.0 }
    }

    fn after(&self, wait: Duration) -> Duration {
        let next = wait.as_secs_f64() * self.factor.max(1.0);
        Duration::try_from_secs_f64(next).unwrap_or(self.max).clamp(self.min.min(self.max), self.max)
    }
}

impl Default for Intervals {
    /// From a second to a minute, twice as long each time.
    fn default() -> Self {
        Self::from_min(Duration::from_secs(1))
    }
}

/// Which object: kind, namespace and name.
///
/// ```
/// # use std::time::Duration;
/// # use allready_core::Time;
/// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
/// let mut store = RequeueStore::new(Intervals::default());
/// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
/// assert_eq!((key.kind.as_str(), key.namespace.as_str(), key.name.as_str()), ("Pool", "net", "a"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectKey {
    /// Its kind.
    pub kind: String,
    /// Its namespace; empty for one that has none.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

/// How long each object has been waiting. A plain value: the time is an argument.
///
/// An object that is deleted is [forgotten](Self::forget); one that nobody has asked about for twice the longest wait is
/// forgotten too, so that the store stays as small as the number of objects that wait.
///
/// ```
/// use std::time::Duration;
/// use allready_core::Time;
/// use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
///
/// let mut store = RequeueStore::new(Intervals::default());
/// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
/// let mut next = |choice| store.next(&key, choice, Time::EPOCH);
/// assert_eq!(next(Requeue::Backoff), Some(Duration::from_secs(1)));
/// assert_eq!(next(Requeue::Backoff), Some(Duration::from_secs(2)));
/// assert_eq!(next(Requeue::Reset), Some(Duration::from_secs(1)));
/// assert_eq!(next(Requeue::Never), None);
/// assert!(store.is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct RequeueStore {
    intervals: Intervals,
    waits: HashMap<ObjectKey, Wait>,
    swept: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
struct Wait {
    next: Duration,
    asked: Time,
}

impl RequeueStore {
    /// Nothing waits yet.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use allready_core::Time;
    /// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
    /// let mut store = RequeueStore::new(Intervals::default());
    /// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
    /// assert!(store.is_empty());
    /// ```
    pub fn new(intervals: Intervals) -> Self {
        Self { intervals, ..Self::default() }
    }

    /// How long an object should wait now.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use allready_core::Time;
    /// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
    /// let mut store = RequeueStore::new(Intervals::default());
    /// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
    /// assert_eq!(store.next(&key, Requeue::Backoff, Time::EPOCH), Some(Duration::from_secs(1)));
    /// assert_eq!(store.next(&key, Requeue::Never, Time::EPOCH), None);
    /// ```
    pub fn next(&mut self, key: &ObjectKey, choice: Requeue, now: Time) -> Option<Duration> {
        self.sweep(now);
        let min = self.intervals.min.min(self.intervals.max);
        let wait = match choice {
            Requeue::Never => {
                self.forget(key);
                return None;
            }
            Requeue::Reset => min,
            Requeue::Backoff => self.waits.get(key).map_or(min, |wait| wait.next),
        };
        self.waits.insert(key.clone(), Wait { next: self.intervals.after(wait), asked: now });
        Some(wait)
    }

    /// The object could not be reconciled: who calls the controller again decides when, and waits begin anew.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use allready_core::Time;
    /// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
    /// let mut store = RequeueStore::new(Intervals::default());
    /// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
    /// store.next(&key, Requeue::Backoff, Time::EPOCH);
    /// store.failed(&key);
    /// assert_eq!(store.next(&key, Requeue::Backoff, Time::EPOCH), Some(Duration::from_secs(1)), "waits begin anew");
    /// ```
    pub fn failed(&mut self, key: &ObjectKey) {
        self.forget(key);
    }

    /// The object is gone.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use allready_core::Time;
    /// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
    /// let mut store = RequeueStore::new(Intervals::default());
    /// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
    /// store.next(&key, Requeue::Backoff, Time::EPOCH);
    /// store.forget(&key);
    /// assert!(store.is_empty());
    /// ```
    pub fn forget(&mut self, key: &ObjectKey) {
        self.waits.remove(key);
    }

    /// How many objects wait.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use allready_core::Time;
    /// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
    /// let mut store = RequeueStore::new(Intervals::default());
    /// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
    /// store.next(&key, Requeue::Backoff, Time::EPOCH);
    /// assert_eq!(store.len(), 1);
    /// ```
    pub fn len(&self) -> usize {
        self.waits.len()
    }

    /// Whether none does.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use allready_core::Time;
    /// # use allready_kube::update::{Intervals, ObjectKey, Requeue, RequeueStore};
    /// let mut store = RequeueStore::new(Intervals::default());
    /// let key = ObjectKey { kind: "Pool".into(), namespace: "net".into(), name: "a".into() };
    /// store.next(&key, Requeue::Backoff, Time::EPOCH);
    /// assert!(!store.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.waits.is_empty()
    }

    /// Forgets those who should have come back long ago: they are gone. Looks no more often than once in the longest wait.
    fn sweep(&mut self, now: Time) {
        let max = SignedDuration::try_from(self.intervals.max).unwrap_or(SignedDuration::MAX);
        let long = max.saturating_mul(2);
        match self.swept {
            Some(swept) if now.since(swept) < max => {}
            Some(_) => {
                self.waits.retain(|_, wait| now.since(wait.asked) <= long);
                self.swept = Some(now);
            }
            None => self.swept = Some(now),
        }
    }
}

/// The smaller of what was asked for and what the store says.
pub(super) fn smaller(asked: Option<Duration>, smart: Option<Duration>) -> Option<Duration> {
    match (asked, smart) {
        (Some(asked), Some(smart)) => Some(asked.min(smart)),
        (asked, smart) => asked.or(smart),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(name: &str) -> ObjectKey {
        ObjectKey { kind: "Pool".to_owned(), namespace: "net".to_owned(), name: name.to_owned() }
    }

    fn at(second: i64) -> Time {
        Time::from_second(second).unwrap()
    }

    #[test]
    fn waits_double_up_to_sixty_times_the_first() {
        let mut store = RequeueStore::default();
        let waits: Vec<_> = (0..8).map(|_| store.next(&key("a"), Requeue::Backoff, at(0)).unwrap()).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60].map(Duration::from_secs));
        assert_eq!(store.next(&key("b"), Requeue::Backoff, at(0)), Some(Duration::from_secs(1)));
    }

    #[test]
    fn after_a_reset_the_second_wait_comes_next() {
        let mut store = RequeueStore::default();
        for _ in 0..5 {
            store.next(&key("a"), Requeue::Backoff, at(0));
        }
        assert_eq!(store.next(&key("a"), Requeue::Reset, at(0)), Some(Duration::from_secs(1)));
        assert_eq!(store.next(&key("a"), Requeue::Backoff, at(0)), Some(Duration::from_secs(2)));
    }

    #[test]
    fn a_failure_begins_anew() {
        let mut store = RequeueStore::default();
        store.next(&key("a"), Requeue::Backoff, at(0));
        store.next(&key("a"), Requeue::Backoff, at(0));
        store.failed(&key("a"));
        assert_eq!(store.next(&key("a"), Requeue::Backoff, at(0)), Some(Duration::from_secs(1)));
    }

    #[test]
    fn objects_that_never_come_back_are_forgotten() {
        let mut store = RequeueStore::default();
        for number in 0..1000 {
            store.next(&key(&number.to_string()), Requeue::Backoff, at(0));
        }
        store.next(&key("alive"), Requeue::Backoff, at(119));
        assert_eq!(store.len(), 1001, "two minutes are not over");
        store.next(&key("alive"), Requeue::Backoff, at(300));
        assert_eq!(store.len(), 1);
    }

    proptest! {
        #[test]
        fn a_wait_is_never_outside_of_its_bounds(
            min in 0..10_000u64, max in 0..10_000u64, factor in 0.0..10.0f64, choices in prop::collection::vec(any::<bool>(), 1..20),
        ) {
            let intervals = Intervals { min: Duration::from_millis(min), max: Duration::from_millis(max), factor };
            let mut store = RequeueStore::new(intervals);
            for reset in choices {
                let choice = if reset { Requeue::Reset } else { Requeue::Backoff };
                let wait = store.next(&key("a"), choice, at(0)).unwrap();
                prop_assert!(wait >= intervals.min.min(intervals.max) && wait <= intervals.max);
            }
        }
    }
}
