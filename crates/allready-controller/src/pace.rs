//! When to write: bad news at once, the rest a little later and together.

use std::time::Duration;

use allready_core::Status;

/// How often an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long a change waits for others to join it.
    pub gather: Duration,
    /// How long the first of them waits at most while others keep joining.
    pub longest: Duration,
    /// How many writes may follow each other closely.
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
/// use allready_controller::pace::{Pace, Pacer, Verdict};
/// use allready_core::Status;
///
/// let ms = Duration::from_millis;
/// let mut pacer = Pacer::new(Pace::default());
/// pacer.changed(ms(0));
/// assert_eq!(pacer.decide(Status::True, Some(Status::Unknown), ms(0)), Verdict::Wait(ms(50)));
/// assert_eq!(pacer.decide(Status::False, Some(Status::True), ms(0)), Verdict::Write, "bad news at once");
/// ```
#[derive(Clone, Debug)]
pub struct Pacer {
    pace: Pace,
    /// Since when the first change waits, and when the last one joined it.
    waiting: Option<(Duration, Duration)>,
    /// Up to when the allowance is used up: it is full again when this lies in the past.
    spent_until: Duration,
    last_write: Option<Duration>,
}

/// What to do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Write what stands now.
    Write,
    /// Ask again after this long, or when something else changes.
    Wait(Duration),
    /// There is nothing to write.
    Idle,
}

impl Pacer {
    /// Nothing has been written yet.
    pub fn new(pace: Pace) -> Self {
        Self { pace, waiting: None, spent_until: Duration::ZERO, last_write: None }
    }

    /// Something differs from what is written.
    pub fn changed(&mut self, now: Duration) {
        let (since, _) = self.waiting.unwrap_or((now, now));
        self.waiting = Some((since, now));
    }

    /// Nothing differs any more.
    pub fn settled(&mut self) {
        self.waiting = None;
    }

    /// Whether to write now, given the status that is to be written and the one that stands.
    pub fn decide(&self, wanted: Status, written: Option<Status>, now: Duration) -> Verdict {
        let Some((since, last)) = self.waiting else { return Verdict::Idle };
        // Leaving True, and turning False, is what somebody must know: it neither gathers nor spends the allowance of others.
        let bad_news = written != Some(wanted) && (written == Some(Status::True) || wanted == Status::False);
        if bad_news {
            // Only somebody who undoes every write makes it wait at all.
            let due = self.last_write.map_or(Duration::ZERO, |last| last + self.pace.gather);
            return due.checked_sub(now).filter(|wait| !wait.is_zero()).map_or(Verdict::Write, Verdict::Wait);
        }
        let gathered = (last + self.pace.gather).min(since + self.pace.longest.max(self.pace.gather));
        let reserve = self.pace.refill * self.pace.burst.saturating_sub(1);
        let allowed = self.spent_until.saturating_sub(reserve);
        match gathered.max(allowed).checked_sub(now).filter(|wait| !wait.is_zero()) {
            Some(wait) => Verdict::Wait(wait),
            None => Verdict::Write,
        }
    }

    /// Whether it remembers nothing that matters: whoever begins anew keeps the same pace.
    pub(crate) fn is_rested(&self, now: Duration) -> bool {
        let last = self.last_write.map_or(Duration::ZERO, |last| last + self.pace.gather);
        self.waiting.is_none() && self.spent_until <= now && last <= now
    }

    /// A write has been sent.
    pub fn wrote(&mut self, now: Duration) {
        self.waiting = None;
        self.last_write = Some(now);
        // Bad news is written without asking, and does not put off what comes after it for ever.
        let most = now + self.pace.refill * self.pace.burst;
        self.spent_until = (self.spent_until.max(now) + self.pace.refill).min(most);
    }
}
