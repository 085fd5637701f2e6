//! Leadership: the right to write.

use std::{fmt, sync::Arc, time::Duration};

use allready_kube::lease::Candidacy;
use tokio::time::Instant;

/// The right to write for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// The fencing number: greater than that of every leader before. None where nobody is elected.
    pub number: Option<u64>,
    /// The time it lasts without a renewal: a request must not take longer.
    pub remaining: Duration,
}

/// Says whether this replica leads.
#[derive(Clone)]
pub struct Leader(Arc<dyn Fn(Instant) -> Option<Term> + Send + Sync>);

impl Leader {
    /// A replica that leads while this returns a term.
    pub fn new(term: impl Fn(Instant) -> Option<Term> + Send + Sync + 'static) -> Self {
        Self(Arc::new(term))
    }

    /// The only replica: it always leads.
    pub fn always() -> Self {
        Self::new(|_| Some(Term { number: None, remaining: Duration::MAX }))
    }

    /// The only replica, which renews a Lease where it can, so that everybody can look up whether it still runs. It writes without it, too.
    pub fn alone(candidacy: Candidacy) -> Self {
        Self::new(move |now| {
            let token = candidacy.token().filter(|token| token.is_leading(now));
            Some(Term { number: token.map(|token| token.fence()), remaining: Duration::MAX })
        })
    }

    /// A replica that takes part in an election.
    pub fn elected(candidacy: Candidacy) -> Self {
        Self::new(move |now| {
            let token = candidacy.token().filter(|token| token.is_leading(now))?;
            Some(Term { number: Some(token.fence()), remaining: token.remaining(now) })
        })
    }

    /// The term in which this replica leads, if it does.
    pub fn term(&self, now: Instant) -> Option<Term> {
        (self.0)(now)
    }
}

impl fmt::Debug for Leader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Leader").field(&self.term(Instant::now())).finish()
    }
}
