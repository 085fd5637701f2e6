//! When to write: bad news at once, the rest a little later and together.

use std::time::Duration;

/// The pace at which an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The time for which a change waits for others to join it.
    pub gather: Duration,
    /// The longest time that the first of them waits while others keep joining.
    pub longest: Duration,
    /// The number of writes that may follow each other closely.
    pub burst: u32,
    /// After how long one more write is allowed.
    pub refill: Duration,
}

impl Default for Pace {
    /// A twentieth of a second to gather, four writes in a row, and four a second.
    fn default() -> Self {
        let gather = Duration::from_millis(50);
        Self { gather, longest: gather, burst: 4, refill: Duration::from_millis(250) }
    }
}

/// Keeps the pace for one object. Time is the duration since any fixed instant.
///
/// ```
/// use std::time::Duration;
/// use allready_controller::engine::{Pace, Pacer};
///
/// let ms = Duration::from_millis;
/// let mut pacer = Pacer::default();
/// pacer.changed(ms(0));
/// assert_eq!(pacer.due(&Pace::default(), false), ms(50));
/// assert_eq!(pacer.due(&Pace::default(), true), ms(0), "bad news at once");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Pacer {
    /// Since when the first change waits, and when the last one joined it.
    waiting: Option<(Duration, Duration)>,
    /// Up to when the allowance is used up: it is full again when this lies in the past.
    spent_until: Duration,
    last_write: Option<Duration>,
}

impl Pacer {
    /// Something differs from what is written.
    pub fn changed(&mut self, now: Duration) {
        let (since, _) = self.waiting.unwrap_or((now, now));
        self.waiting = Some((since, now));
    }

    /// Nothing differs any more.
    pub fn settled(&mut self) {
        self.waiting = None;
    }

    /// The time at which what differs is written.
    pub fn due(&self, pace: &Pace, is_urgent: bool) -> Duration {
        if is_urgent {
            // It neither gathers nor spends the allowance of others. Only somebody who undoes every write makes it wait at all.
            return self.last_write.map_or(Duration::ZERO, |last| last + pace.gather);
        }
        let (since, last) = self.waiting.unwrap_or_default();
        let gathered = (last + pace.gather).min(since + pace.longest.max(pace.gather));
        let reserve = pace.refill * pace.burst.saturating_sub(1);
        gathered.max(self.spent_until.saturating_sub(reserve))
    }

    /// A write has been sent.
    pub fn wrote(&mut self, pace: &Pace, now: Duration) {
        self.waiting = None;
        self.last_write = Some(now);
        // Bad news is written without asking, and does not put off what comes after it for ever.
        let most = now + pace.refill * pace.burst;
        self.spent_until = (self.spent_until.max(now) + pace.refill).min(most);
    }

    /// Returns true if it remembers nothing that matters: whoever begins anew keeps the same pace.
    pub fn is_rested(&self, pace: &Pace, now: Duration) -> bool {
        let last = self.last_write.map_or(Duration::ZERO, |last| last + pace.gather);
        self.waiting.is_none() && self.spent_until <= now && last <= now
    }
}
