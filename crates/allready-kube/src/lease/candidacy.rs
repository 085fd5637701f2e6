//! A running candidate, as the program sees it.

use std::{future::Future, pin::pin, sync::Arc};

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

/// The work was dropped, because this replica does not lead any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this replica does not lead any more: its work was stopped, and goes on where it leads again")]
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

    /// Waits until this replica leads, then runs `work` until it is done, or until the leadership is lost: then it is
    /// dropped where it stands. It is not polled again after the renew deadline, whatever else is stuck.
    ///
    /// [`release`](Self::release) waits for it to be dropped before it lets another replica lead.
    ///
    /// ```
    /// # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
    /// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
    /// let candidacy = allready_kube::lease::Candidate::new(client, "default", "pools", "replica-1").start()?;
    /// let controller = { let mine = candidacy.clone(); async move { mine.run_while_leading(std::future::pending::<()>()).await } };
    /// let controller = tokio::spawn(controller);
    ///
    /// candidacy.elected().await?;
    /// candidacy.release().await;
    /// assert_eq!(controller.await?, Err(allready_kube::lease::Lost));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub async fn run_while_leading<F: Future>(&self, work: F) -> Result<F::Output, Lost> {
        let token = self.elected().await?;
        let _working = self.0.terms.work();
        // Dropped before `_working`, which tells that nobody works any more.
        let mut work = pin!(work);
        tokio::select! {
            biased;
            () = self.lost(&token) => Err(Lost),
            output = &mut work => Ok(output),
        }
    }

    /// Waits until the term of this token has ended.
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

    /// Stops leading: work is dropped, and when all of it is, the lease is given to whoever comes first. Work that does
    /// not end within the renew deadline leaves the lease to run out. Returns when this replica takes no part any more.
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
