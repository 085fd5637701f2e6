//! Terms: from winning to losing, and who may act in between.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::{sync::watch, time::Instant};

/// What the loop and everybody who asks it share.
#[derive(Clone, Debug)]
pub(super) struct Terms(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    current: Mutex<Option<Current>>,
    /// How many futures run because of this leadership.
    working: watch::Sender<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Current {
    number: u64,
    until: Instant,
}

/// The right to act during one term. Clones are the same right; a term that was lost does not come back with the next.
#[derive(Clone, Debug)]
pub struct Token {
    terms: Terms,
    number: u64,
}

/// Somebody works: a leader that steps down waits for it.
#[derive(Debug)]
pub(super) struct Working(Terms);

impl Terms {
    pub(super) fn new() -> Self {
        Self(Arc::new(Shared { current: Mutex::new(None), working: watch::Sender::new(0) }))
    }

    /// The term goes on, or begins. It never goes back: a late answer does not shorten it, and does not need to.
    pub(super) fn extend(&self, number: u64, until: Instant) {
        let mut current = self.current();
        let until = match *current {
            Some(before) if before.number == number => before.until.max(until),
            _ => until,
        };
        *current = Some(Current { number, until });
    }

    /// Nobody acts any more.
    pub(super) fn end(&self) {
        *self.current() = None;
    }

    pub(super) fn token(&self, now: Instant) -> Option<Token> {
        let number = self.current().filter(|current| now < current.until)?.number;
        Some(Token { terms: self.clone(), number })
    }

    pub(super) fn work(&self) -> Working {
        self.0.working.send_modify(|count| *count += 1);
        Working(self.clone())
    }

    /// Until nobody works.
    pub(super) async fn rest(&self) {
        // The sender lives as long as `self`, so waiting does not fail.
        let _ = self.0.working.subscribe().wait_for(|count| *count == 0).await;
    }

    fn current(&self) -> MutexGuard<'_, Option<Current>> {
        self.0.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Token {
    /// Whether its holder may act at this instant. Ask right before a write; it depends on nothing but the clock, so it
    /// turns false at the deadline even if everything else is stuck.
    ///
    /// ```
    /// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
    /// let token = candidacy.elected().await.unwrap();
    /// assert!(token.is_leading(tokio::time::Instant::now()), "ask before every write");
    /// # });
    /// ```
    pub fn is_leading(&self, now: Instant) -> bool {
        self.until().is_some_and(|until| now < until)
    }

    /// The present end of its term; later after each renewal, `None` once it is lost.
    pub fn until(&self) -> Option<Instant> {
        let current = *self.terms.current();
        current.filter(|current| current.number == self.number).map(|current| current.until)
    }

    /// Which term of this replica it is; the first is 1.
    pub fn term(&self) -> u64 {
        self.number
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.0.0.working.send_modify(|count| *count -= 1);
    }
}
