//! A running candidate, as the program sees it.

use std::sync::Arc;

use tokio::{
    sync::watch,
    task::JoinHandle,
    time::{Instant, sleep_until},
};

use super::term::{Terms, Token};

/// A replica that takes part in an election. Clones are the same replica; when the last one is dropped it stops at once,
/// and its lease runs out by itself. [`release`](Self::release) is the polite end.
///
/// ```
/// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
/// candidacy.elected().await.unwrap();
/// assert!(matches!(*candidacy.leadership().borrow(), Leadership::Leading { .. }));
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Candidacy(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    task: JoinHandle<()>,
    terms: Terms,
    leadership: Arc<watch::Sender<Leadership>>,
    stop: watch::Sender<bool>,
}

/// Who leads, as far as this replica knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Leadership {
    /// Not this one.
    Following {
        /// Who does, if somebody is known to.
        holder: Option<String>,
    },
    /// This one.
    Leading {
        /// Which of its terms it is; the first is 1.
        term: u64,
    },
    /// This replica takes no part any more.
    Stopped,
}

/// This replica takes no part any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this replica takes no part in the election any more")]
pub struct Lost;

impl Candidacy {
    pub(super) fn new(
        task: JoinHandle<()>,
        terms: Terms,
        leadership: Arc<watch::Sender<Leadership>>,
        stop: watch::Sender<bool>,
    ) -> Self {
        Self(Arc::new(Inner { task, terms, leadership, stop }))
    }

    /// Who leads, now and after each change.
    pub fn leadership(&self) -> watch::Receiver<Leadership> {
        self.0.leadership.subscribe()
    }

    /// The right to act, if this replica leads now.
    pub fn token(&self) -> Option<Token> {
        self.0.terms.token(Instant::now())
    }

    /// The right to act, as soon as this replica leads; an error if it takes no part any more.
    ///
    /// ```
    /// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
    /// assert!(candidacy.elected().await.unwrap().is_leading(tokio::time::Instant::now()));
    /// # });
    /// ```
    pub async fn elected(&self) -> Result<Token, Lost> {
        let mut leadership = self.leadership();
        loop {
            if *leadership.borrow_and_update() == Leadership::Stopped {
                return Err(Lost);
            }
            if let Some(token) = self.token() {
                return Ok(token);
            }
            leadership.changed().await.map_err(|_| Lost)?;
        }
    }

    /// Waits until the term of this token has ended, also if nothing renews it and the API server does not answer.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = allready_kube::lease::Candidate::new(client, "default", "pools", "replica-1").start()?;
    /// let token = candidacy.elected().await?;
    /// let controller = async { "the controller runs here" };
    /// tokio::select! {
    ///     biased;
    ///     () = candidacy.lost(&token) => println!("stopped where it stood"),
    ///     done = controller => println!("{done}"),
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn lost(&self, token: &Token) {
        let mut leadership = self.leadership();
        loop {
            leadership.mark_unchanged();
            let Some(until) = token.until().filter(|until| Instant::now() < *until) else { return };
            tokio::select! {
                () = sleep_until(until) => {}
                changed = leadership.changed() => if changed.is_err() { return },
            }
        }
    }

    /// Stops leading, and gives the lease to whoever comes first: end all work before. Tokens are worth nothing from here on. Returns
    /// when this replica takes no part any more.
    ///
    /// ```
    /// use allready_kube::lease::{Candidate, CandidateError, Leadership, Timing};
    ///
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = Candidate::new(client, "default", "pools", "pools-x2k").start().unwrap();
    /// let token = candidacy.elected().await.unwrap();
    /// candidacy.release().await;
    /// assert!(!token.is_leading(tokio::time::Instant::now()));
    /// # });
    /// ```
    pub async fn release(&self) {
        self.0.stop.send_replace(true);
        // The sender lives as long as `self`, so waiting does not fail.
        let _ = self.leadership().wait_for(|leadership| *leadership == Leadership::Stopped).await;
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.task.abort();
        self.terms.end();
        self.leadership.send_replace(Leadership::Stopped);
    }
}
