//! Health of a controller, as its probes tell it.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use prometheus_client::{
    metrics::{family::Family, gauge::Gauge},
    registry::Registry,
};
use tokio::time::Instant;

/// The health of one program: whether its loop makes progress, and which of its watches see something. Clones are the same
/// health.
///
/// The loop [beats](Self::beat), and each watch says [whether it sees](Self::set_watch); neither needs a clock. Whoever asks
/// brings the time: progress is counted from when *they* first saw it, as a lease is by those who wait for it.
///
/// ```
/// use std::time::Duration;
/// use allready_controller::health::Health;
///
/// let (health, start) = (Health::new(Duration::from_secs(30)), tokio::time::Instant::now());
/// health.beat();
/// health.set_watch("nodes", Ok(()));
/// assert_eq!(health.readiness(start), Ok(()));
///
/// health.set_watch("nodes", Err("forbidden".to_owned()));
/// assert_eq!(health.readiness(start).unwrap_err(), "1 of 1 watches cannot be seen:\nnodes: forbidden\n");
/// assert_eq!(health.is_healthy(start), Ok(()), "a restart would not help");
///
/// let stuck = health.is_healthy(start + Duration::from_secs(31)).unwrap_err();
/// assert_eq!(stuck, "the main loop has made no progress for 31 s\n");
/// ```
#[derive(Clone, Debug)]
pub struct Health(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    limit: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    beats: u64,
    /// The number of beats that was seen last, and when it was first seen.
    seen: Option<(u64, Instant)>,
    /// Each watch, with the reason why it sees nothing.
    watches: BTreeMap<String, Result<(), String>>,
}

impl Health {
    /// The time for which a loop may go without a beat, by default: longer than any request is waited for.
    pub const LIMIT: Duration = Duration::from_mins(1);

    /// The health of a program whose loop beats at least this often.
    pub fn new(limit: Duration) -> Self {
        Self(Arc::new(Inner { limit, state: Mutex::default() }))
    }

    /// Notes that the loop has made progress. Call it in every turn, also in one that had nothing to do.
    pub fn beat(&self) {
        let mut state = self.state();
        state.beats = state.beats.wrapping_add(1);
    }

    /// Notes whether a watch sees what it watches, or why it does not. Name it before it has listed anything, as an error: what has
    /// no name is not waited for.
    pub fn set_watch(&self, name: &str, seen: Result<(), String>) {
        let mut state = self.state();
        match state.watches.get_mut(name) {
            Some(before) => *before = seen,
            None => drop(state.watches.insert(name.to_owned(), seen)),
        }
    }

    /// Forgets a watch that is no longer wanted.
    pub fn remove_watch(&self, name: &str) {
        self.state().watches.remove(name);
    }

    /// Answers the liveness probe: an error where the loop makes no progress, with the reason.
    pub fn is_healthy(&self, now: Instant) -> Result<(), String> {
        let mut state = self.state();
        let beats = state.beats;
        let since = match state.seen {
            Some((before, since)) if before == beats => since,
            _ => now,
        };
        state.seen = Some((beats, since));
        let silence = now.saturating_duration_since(since);
        if silence > self.0.limit {
            return Err(format!("the main loop has made no progress for {} s\n", silence.as_secs()));
        }
        Ok(())
    }

    /// Answers the readiness probe: an error where the loop makes no progress or a watch cannot see, with what does not.
    pub fn readiness(&self, now: Instant) -> Result<(), String> {
        self.is_healthy(now)?;
        let state = self.state();
        let all = state.watches.len();
        let blind: Vec<_> =
            state.watches.iter().filter_map(|(name, seen)| Some((name, seen.as_ref().err()?))).collect();
        if blind.is_empty() {
            return Ok(());
        }
        let mut text = format!("{} of {all} watches cannot be seen:\n", blind.len());
        for (name, why) in blind {
            // Writing into a text does not fail.
            let _ = writeln!(text, "{name}: {why}");
        }
        Err(text)
    }

    /// Makes the watches visible under the prefix of this registry, as they are now; nothing where there are none.
    pub fn register(&self, registry: &mut Registry) {
        let family = Family::<Vec<(&'static str, String)>, Gauge>::default();
        let state = self.state();
        for (name, seen) in &state.watches {
            family.get_or_create(&vec![("watch", name.clone())]).set(i64::from(seen.is_ok()));
        }
        if !state.watches.is_empty() {
            registry.register(
                "watch_up",
                "1 for a watch that sees what it watches, 0 for one that does not",
                family,
            );
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Health {
    fn default() -> Self {
        Self::new(Self::LIMIT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_loop_that_beats_is_healthy_for_ever_and_one_that_does_not_only_until_the_limit() {
        let (health, start) = (Health::new(seconds(30)), Instant::now());
        for turn in 0..100 {
            health.beat();
            assert_eq!(health.is_healthy(start + seconds(20 * turn)), Ok(()));
        }
        let last = start + seconds(20 * 99);
        assert_eq!(health.is_healthy(last + seconds(30)), Ok(()));
        assert!(health.is_healthy(last + seconds(31)).is_err());
        assert!(health.readiness(last + seconds(31)).unwrap_err().contains("no progress for 31 s"));
        health.beat();
        assert_eq!(health.is_healthy(last + seconds(32)), Ok(()), "it goes on");
    }

    #[test]
    fn a_loop_that_never_beats_is_unhealthy_a_limit_after_somebody_first_asked() {
        let (health, start) = (Health::new(seconds(30)), Instant::now());
        assert_eq!(health.is_healthy(start), Ok(()));
        assert!(health.is_healthy(start + seconds(31)).is_err());
    }

    #[test]
    fn readiness_follows_the_watches_back_and_forth_and_names_those_that_fail() {
        let (health, now) = (Health::default(), Instant::now());
        health.set_watch("nodes", Err("not listed yet".to_owned()));
        health.set_watch("pods", Err("forbidden".to_owned()));
        let said = health.readiness(now).unwrap_err();
        assert_eq!(said, "2 of 2 watches cannot be seen:\nnodes: not listed yet\npods: forbidden\n");
        health.set_watch("nodes", Ok(()));
        health.remove_watch("pods");
        assert_eq!(health.readiness(now), Ok(()));
        health.set_watch("nodes", Err("gone".to_owned()));
        assert_eq!(health.readiness(now).unwrap_err(), "1 of 1 watches cannot be seen:\nnodes: gone\n");
    }
}
