//! How often something may happen.

use std::{collections::HashMap, hash::Hash, time::Duration};

/// So many at once, and one more after each of these times.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::events::Rate;
///
/// let rate = Rate { burst: 25, every: Duration::from_mins(5) };
/// assert_eq!(rate.burst, 25);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rate {
    /// How many may come at once; at least one always may.
    pub burst: u32,
    /// How long it takes until one more may come.
    pub every: Duration,
}

/// A bucket of tokens, kept as one instant: when it will be full again, by the time since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bucket {
    full_at: Duration,
}

impl Bucket {
    pub(super) const fn full() -> Self {
        Self { full_at: Duration::ZERO }
    }

    /// Takes a token, if more than `kept` are there; otherwise says when there will be.
    pub(super) fn take(&mut self, rate: Rate, kept: u32, now: Duration) -> Result<(), Duration> {
        let spare = rate.burst.max(1).saturating_sub(kept).saturating_sub(1);
        let full_at = self.full_at.max(now);
        let allowed = now.saturating_add(rate.every.saturating_mul(spare));
        if full_at > allowed {
            return Err(now.saturating_add(full_at.saturating_sub(allowed)));
        }
        self.full_at = full_at.saturating_add(rate.every);
        Ok(())
    }

    fn is_full(self, now: Duration) -> bool {
        self.full_at <= now
    }
}

/// A bucket for each key. A bucket that is full again need not be remembered.
#[derive(Debug)]
pub(super) struct Buckets<K> {
    rate: Rate,
    most: usize,
    used: HashMap<K, Bucket>,
}

impl<K: Hash + Eq> Buckets<K> {
    pub(super) fn new(rate: Rate, most: usize) -> Self {
        Self { rate, most: most.max(1), used: HashMap::new() }
    }

    /// Whether one more may come for this key, leaving so many tokens.
    pub(super) fn take(&mut self, key: K, kept: u32, now: Duration) -> bool {
        if self.used.len() >= self.most {
            self.make_room(now);
        }
        self.used.entry(key).or_insert(Bucket::full()).take(self.rate, kept, now).is_ok()
    }

    /// Forgets the full ones; if that is not enough, those that will be full soonest, down to a half.
    fn make_room(&mut self, now: Duration) {
        self.used.retain(|_, bucket| !bucket.is_full(now));
        if self.used.len() < self.most {
            return;
        }
        let mut ends: Vec<_> = self.used.values().map(|bucket| bucket.full_at).collect();
        let middle = ends.len() / 2;
        let (_, middle, _) = ends.select_nth_unstable(middle);
        let middle = *middle;
        self.used.retain(|_, bucket| bucket.full_at > middle);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RATE: Rate = Rate { burst: 3, every: Duration::from_secs(10) };

    fn at(second: u64) -> Duration {
        Duration::from_secs(second)
    }

    #[test]
    fn a_burst_passes_and_then_one_after_each_interval() {
        let mut bucket = Bucket::full();
        let answers: Vec<_> = [0, 0, 0, 0, 9, 10, 10, 30, 30, 30]
            .map(|second| bucket.take(RATE, 0, at(second)).map_err(|ready| ready.as_secs()))
            .into();
        assert_eq!(
            answers,
            [Ok(()), Ok(()), Ok(()), Err(10), Err(10), Ok(()), Err(20), Ok(()), Ok(()), Err(40)]
        );
    }

    #[test]
    fn what_is_kept_back_is_there_for_the_others() {
        let mut bucket = Bucket::full();
        assert_eq!(bucket.take(RATE, 1, at(0)), Ok(()));
        assert_eq!(bucket.take(RATE, 1, at(0)), Ok(()));
        assert_eq!(bucket.take(RATE, 1, at(0)), Err(at(10)));
        assert_eq!(bucket.take(RATE, 0, at(0)), Ok(()));
    }

    #[test]
    fn buckets_are_bounded_in_number() {
        let mut buckets = Buckets::new(RATE, 4);
        for key in 0..100 {
            assert!(buckets.take(key, 0, at(key)));
            assert!(buckets.used.len() <= 4, "{key}: {}", buckets.used.len());
        }
        let mut full = Buckets::new(RATE, 4);
        for key in 0..100 {
            full.take(key, 0, at(0));
            assert!(full.used.len() <= 4);
        }
    }

    proptest! {
        #[test]
        fn never_more_than_the_burst_and_what_time_has_given(waits in prop::collection::vec(0_u64..25, 1..60)) {
            let (mut bucket, mut now, mut passed) = (Bucket::full(), 0, 0_u64);
            for wait in waits {
                now += wait;
                if bucket.take(RATE, 0, at(now)).is_ok() {
                    passed += 1;
                }
                prop_assert!(passed <= 3 + now / 10, "{passed} by {now}");
            }
        }

        #[test]
        fn a_refusal_names_the_first_instant_at_which_one_passes(takes in 1_usize..10, now in 0_u64..100) {
            let mut bucket = Bucket::full();
            for _ in 0..takes {
                let mut later = bucket;
                if let Err(ready) = bucket.take(RATE, 0, at(now)) {
                    let mut early = bucket;
                    prop_assert!(early.take(RATE, 0, ready.saturating_sub(Duration::from_nanos(1))).is_err());
                    prop_assert!(later.take(RATE, 0, ready).is_ok());
                }
            }
        }
    }
}
