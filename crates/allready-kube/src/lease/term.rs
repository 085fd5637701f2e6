//! Terms: from winning to losing, and who may act in between.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::time::{Instant, timeout};

/// What the loop and everybody who asks it share.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms(Arc<Mutex<Option<Current>>>);

#[derive(Clone, Copy, Debug)]
struct Current {
    number: u64,
    fence: u64,
    until: Instant,
}

/// The right to act during one term. Clones are the same right; a term that was lost does not come back with the next.
#[derive(Clone, Debug)]
pub struct Token {
    terms: Terms,
    number: u64,
    fence: u64,
}

/// A request that [`Token::within`] did not see the end of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cut {
    /// It was not sent.
    #[error("this replica does not lead any more: nothing was sent")]
    NotLeading,
    /// It was sent, and nobody knows what came of it.
    #[error("no answer within {0:?}: it may have taken effect")]
    TimedOut(Duration),
}

impl Terms {
    /// The term goes on, or begins. It never goes back: a late answer does not shorten it, and does not need to.
    pub(super) fn extend(&self, number: u64, fence: u64, until: Instant) {
        let mut current = self.current();
        let until = match *current {
            Some(before) if before.number == number => before.until.max(until),
            _ => until,
        };
        *current = Some(Current { number, fence, until });
    }

    /// Nobody acts any more.
    pub(super) fn end(&self) {
        *self.current() = None;
    }

    pub(super) fn token(&self, now: Instant) -> Option<Token> {
        let current = self.current().filter(|current| now < current.until)?;
        Some(Token { terms: self.clone(), number: current.number, fence: current.fence })
    }

    fn current(&self) -> MutexGuard<'_, Option<Current>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// The time for which its holder may still act, if nothing is renewed; nothing once the term is lost.
    pub fn remaining(&self, now: Instant) -> Duration {
        self.until().map(|until| until.saturating_duration_since(now)).unwrap_or_default()
    }

    /// Runs a request for at most `limit`, and for no longer than the term lasts as it is now: what a leader sends is answered,
    /// or given up, before another may lead. Nothing is sent once the term is lost.
    ///
    /// ```
    /// use std::time::Duration;
    /// use allready_kube::lease::{Candidate, Cut};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
    /// let token = candidacy.elected().await.unwrap();
    /// let write = async { "written" };
    /// assert_eq!(token.within(Duration::from_secs(30), write).await, Ok("written"));
    ///
    /// candidacy.release().await;
    /// let write = async { unreachable!("it is not even sent") };
    /// assert_eq!(token.within(Duration::from_secs(30), write).await, Err(Cut::NotLeading));
    /// # });
    /// ```
    pub async fn within<F: Future>(&self, limit: Duration, request: F) -> Result<F::Output, Cut> {
        let limit = limit.min(self.remaining(Instant::now()));
        if limit.is_zero() {
            return Err(Cut::NotLeading);
        }
        timeout(limit, request).await.map_err(|_| Cut::TimedOut(limit))
    }

    /// The lease's `leaseTransitions` in this term, as a fencing number: each term, of whichever replica, has a larger one than
    /// all terms before. (Not so after somebody has deleted the lease while nobody who had seen it ran.)
    pub fn fence(&self) -> u64 {
        self.fence
    }

    /// Which term of this replica it is; the first is 1. It says nothing about other replicas: [`fence`](Self::fence) does.
    pub fn term(&self) -> u64 {
        self.number
    }
}
