//! Smart requeue: objects that wait for something are looked at less and less often, until something happens.

use std::{collections::HashMap, time::Duration};

use allready_core::Time;
use jiff::SignedDuration;

/// When an object should be looked at again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Requeue {
    /// There is nothing to wait for but a change. This is what `Ok(())` means.
    #[default]
    AwaitChange,
    /// Wait for this time. This is what `Ok(duration)` means.
    After(Duration),
    /// Nothing has happened: wait longer each time.
    Backoff,
    /// Something has happened: begin again with the shortest wait.
    Reset,
}

impl From<()> for Requeue {
    fn from((): ()) -> Self {
        Self::AwaitChange
    }
}

impl From<Duration> for Requeue {
    fn from(wait: Duration) -> Self {
        Self::After(wait)
    }
}

/// The waits, from one time to the next.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::status::Intervals;
///
/// assert_eq!(Intervals::default().max, Duration::from_mins(1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    /// The first wait.
    pub min: Duration,
    /// The longest.
    pub max: Duration,
    /// The factor by which the next one is longer.
    pub factor: f64,
}

impl Intervals {
    /// From this wait to sixty times as long, twice as long each time.
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
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct ObjectKey {
    /// Its kind.
    pub(super) kind: String,
    /// Its namespace; empty for one that has none.
    pub(super) namespace: String,
    /// Its name.
    pub(super) name: String,
}

/// The waits of objects. A plain value: the time is an argument.
///
/// An object that is deleted is [forgotten](Self::forget); one that nobody has asked about for twice the longest wait is
/// forgotten too, so that the store stays as small as the number of objects that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct RequeueStore {
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
    pub(super) fn new(intervals: Intervals) -> Self {
        Self { intervals, ..Self::default() }
    }

    /// The time that an object should wait now.
    pub(super) fn next(&mut self, key: &ObjectKey, choice: Requeue, now: Time) -> Option<Duration> {
        self.sweep(now);
        let min = self.intervals.min.min(self.intervals.max);
        let wait = match choice {
            Requeue::AwaitChange => {
                self.forget(key);
                return None;
            }
            Requeue::After(wait) => {
                self.forget(key);
                return Some(wait);
            }
            Requeue::Reset => min,
            Requeue::Backoff => self.waits.get(key).map_or(min, |wait| wait.next),
        };
        self.waits.insert(key.clone(), Wait { next: self.intervals.after(wait), asked: now });
        Some(wait)
    }

    /// The object is gone.
    pub(super) fn forget(&mut self, key: &ObjectKey) {
        self.waits.remove(key);
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
    fn objects_that_never_come_back_are_forgotten() {
        let mut store = RequeueStore::default();
        for number in 0..1000 {
            store.next(&key(&number.to_string()), Requeue::Backoff, at(0));
        }
        store.next(&key("alive"), Requeue::Backoff, at(119));
        assert_eq!(store.waits.len(), 1001, "two minutes are not over");
        store.next(&key("alive"), Requeue::Backoff, at(300));
        assert_eq!(store.waits.len(), 1);
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
