//! How much is too much.

use std::time::Duration;

use crate::events::Rate;

/// How many events may wait, how fast they may come, and how repeats are put together.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::events::{EventLimits, Rate};
///
/// let limits = EventLimits {
///     per_object: Rate { burst: 5, every: Duration::from_mins(1) },
///     ..EventLimits::default()
/// };
/// assert_eq!(limits.waiting, 1000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventLimits {
    /// How many may wait to be written. One more pushes out the oldest `Normal`, and where there is none the oldest
    /// `Warning`; a `Normal` never pushes out a `Warning`.
    pub waiting: usize,
    /// How many different events about one object are taken. Repeats of one event are not counted: they become a series.
    /// A fifth of the burst is kept for `Warning`s.
    pub per_object: Rate,
    /// How fast requests are sent. More than that wait.
    pub overall: Rate,
    /// How long an event is remembered after it was last recorded: the same again within this time is a repeat in its
    /// series, and after it a new event.
    pub series: Duration,
    /// How much time lies between two writes of the same series. Repeats within it are written together.
    pub spacing: Duration,
    /// How often a request is tried before its event is given up.
    pub tries: u32,
}

impl Default for EventLimits {
    /// As in client-go: 25 events about one object and then one every 5 minutes, a series ends after 6 quiet minutes, 12
    /// tries. Requests: 50 at once, then 10 a second.
    fn default() -> Self {
        Self {
            waiting: 1000,
            per_object: Rate { burst: 25, every: Duration::from_mins(5) },
            overall: Rate { burst: 50, every: Duration::from_millis(100) },
            series: Duration::from_mins(6),
            spacing: Duration::from_secs(10),
            tries: 12,
        }
    }
}
