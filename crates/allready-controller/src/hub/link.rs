//! The connection to a cluster: it answers, or has not done so since a time.

use std::{sync::Arc, time::Duration};

use allready_core::Time;

/// The facts about the connection to a cluster. Time is the duration since any fixed instant, beside the time of day.
#[derive(Clone, Debug)]
pub struct Link {
    /// Which connection: what an earlier one said is not taken.
    pub epoch: u64,
    /// The time that it last took to answer.
    pub lag: Option<Duration>,
    began: Duration,
    heard: Option<(Duration, Time)>,
    recalled: Option<Time>,
    failing: Option<NoAnswer>,
}

/// Why a cluster did not answer.
///
/// ```
/// use allready_controller::hub::NoAnswer;
///
/// assert!(!NoAnswer::from("connection refused").is_final);
/// assert!(NoAnswer::refused("the credentials are refused").is_final);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswer {
    /// In words.
    pub why: Arc<str>,
    /// True if waiting makes it no better: the credentials are refused, or cannot be used.
    pub is_final: bool,
}

impl NoAnswer {
    /// One that waiting makes no better.
    pub fn refused(why: impl Into<Arc<str>>) -> Self {
        Self { why: why.into(), is_final: true }
    }
}

/// One that may pass.
impl<T: Into<Arc<str>>> From<T> for NoAnswer {
    fn from(why: T) -> Self {
        Self { why: why.into(), is_final: false }
    }
}

/// The state of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkState {
    /// Nothing was heard yet, and it has not been long.
    Pending,
    /// It answers, or did so lately.
    Reachable,
    /// It has not answered for too long, or refuses to.
    Unreachable {
        /// When it was last heard, where that is known.
        since: Option<Time>,
        /// Why.
        why: Arc<str>,
    },
}

impl Link {
    /// A connection that begins now.
    pub fn new(now: Duration) -> Self {
        Self { epoch: 0, lag: None, began: now, heard: None, recalled: None, failing: None }
    }

    /// When it was last heard by an earlier controller.
    pub fn recall(&mut self, heard: Time) {
        self.recalled = self.recalled.max(Some(heard));
    }

    /// It said something by itself. Where it refuses our credentials, that is an old watch that has not ended yet.
    pub fn hear(&mut self, now: Duration, time: Time) {
        if !self.is_refused() {
            self.heard = Some((now, time));
            self.failing = None;
        }
    }

    fn is_refused(&self) -> bool {
        self.failing.as_ref().is_some_and(|failing| failing.is_final)
    }

    /// Takes the answer to a probe: the time that it took, or the reason why there was none.
    pub fn probed(&mut self, answer: Result<Duration, NoAnswer>, now: Duration, time: Time) {
        match answer {
            Ok(lag) => {
                self.lag = Some(lag);
                self.failing = None;
                self.hear(now, time);
            }
            Err(why) => self.failing = Some(why),
        }
    }

    /// Returns true if this controller has heard it.
    pub fn is_heard(&self) -> bool {
        self.heard.is_some()
    }

    /// When it was last heard.
    pub fn last_heard(&self) -> Option<Time> {
        self.heard.map(|(_, time)| time).or(self.recalled)
    }

    /// Why it did not answer the last time, if it did not.
    pub fn trouble(&self) -> Option<&Arc<str>> {
        self.failing.as_ref().map(|failing| &failing.why)
    }

    /// The time at which it is lost with so much patience, if nothing is heard.
    pub fn lost_at(&self, patience: Duration) -> Duration {
        self.heard.map_or(self.began, |(heard, _)| heard) + patience + Duration::from_millis(1)
    }

    /// Returns its state, with so much patience.
    pub fn state(&self, patience: Duration, now: Duration) -> LinkState {
        let silent_for = now.saturating_sub(self.heard.map_or(self.began, |(heard, _)| heard));
        if silent_for > patience || self.is_refused() {
            let why = self.trouble().cloned().unwrap_or_else(|| "it does not answer".into());
            return LinkState::Unreachable { since: self.last_heard(), why };
        }
        if self.heard.is_some() { LinkState::Reachable } else { LinkState::Pending }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    fn at(second: i64) -> Time {
        Time::from_second(second).unwrap()
    }

    #[test]
    fn a_cluster_is_lost_only_when_it_was_silent_for_long_enough() {
        let mut link = Link::new(S(0));
        assert_eq!(link.state(S(30), S(30)), LinkState::Pending);
        link.probed(Ok(Duration::from_millis(3)), S(10), at(110));
        link.probed(Err("connection refused".into()), S(15), at(115));
        assert_eq!(link.state(S(30), S(40)), LinkState::Reachable);
        let lost = LinkState::Unreachable { since: Some(at(110)), why: "connection refused".into() };
        assert_eq!(link.state(S(30), S(41)), lost);
        link.hear(S(42), at(142));
        assert_eq!((link.state(S(30), S(42)), link.trouble()), (LinkState::Reachable, None));
    }

    #[test]
    fn one_that_refuses_the_credentials_is_lost_at_once_and_until_it_takes_them() {
        let mut link = Link::new(S(0));
        link.probed(Ok(S(0)), S(10), at(110));
        link.probed(Err(NoAnswer::refused("401 Unauthorized")), S(15), at(115));
        let lost = LinkState::Unreachable { since: Some(at(110)), why: "401 Unauthorized".into() };
        assert_eq!(link.state(S(30), S(15)), lost);
        link.hear(S(16), at(116));
        assert_eq!(link.state(S(30), S(16)), lost, "a watch that began before");
        link.probed(Ok(S(0)), S(20), at(120));
        assert_eq!(link.state(S(30), S(20)), LinkState::Reachable);
    }

    #[test]
    fn one_that_was_never_heard_is_lost_too_and_says_when_an_earlier_controller_heard_it() {
        let mut link = Link::new(S(100));
        link.recall(at(7));
        link.recall(at(5));
        let lost = LinkState::Unreachable { since: Some(at(7)), why: "it does not answer".into() };
        assert_eq!(link.state(S(30), S(131)), lost);
    }
}
