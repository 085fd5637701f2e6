//! The handle that reconcilers report to.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use tokio::sync::Notify;

use super::{Identity, Outcome, ReportMetrics, Trouble, book::Book};
use crate::clock::Clock;

/// Takes reports of one component instance. Clones report to the same place.
///
/// Reporting returns at once and never fails: a [task](super::ReporterTask) in the background writes, and goes on trying.
/// When the last clone is dropped, the task writes what is left and ends.
#[derive(Clone)]
pub struct Reporter(Arc<Front>);

/// What all clones of a reporter share, and the task does not.
struct Front {
    shared: Arc<Shared>,
    identity: Identity,
}

/// What a reporter and its task share.
pub(super) struct Shared {
    pub(super) book: Mutex<Book>,
    pub(super) clock: Clock,
    pub(super) metrics: ReportMetrics,
    /// The words of the API server, or of the connection, for the last trouble.
    pub(super) refusal: Mutex<Option<String>>,
    /// There may be something to do.
    pub(super) wake: Notify,
    /// There is nothing left to do.
    pub(super) settled: Notify,
    /// Nobody will report any more.
    pub(super) closed: Notify,
    pub(super) has_ended: AtomicBool,
}

impl Shared {
    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.shared.closed.notify_one();
    }
}

impl fmt::Debug for Reporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reporter").field(&self.0.identity).finish()
    }
}

impl Reporter {
    pub(super) fn new(shared: Arc<Shared>, identity: Identity) -> Self {
        Self(Arc::new(Front { shared, identity }))
    }

    /// Reports what a reconciler came to. Returns at once, never fails; of several reports the last one counts, and one
    /// that says what is stored already costs no request.
    pub fn report(&self, reconciler: &str, outcome: impl Into<Outcome>) {
        let shared = &self.0.shared;
        let now = shared.clock.now();
        let is_new = shared.book().report(reconciler, outcome.into(), now);
        if is_new {
            shared.wake.notify_one();
        } else {
            shared.metrics.writes.unchanged.inc();
        }
    }

    /// Who reports.
    pub fn identity(&self) -> &Identity {
        &self.0.identity
    }

    /// Why reports are not getting through at the moment, if they are not.
    pub fn trouble(&self) -> Option<Trouble> {
        self.0.shared.book().trouble()
    }

    /// The words of the API server, or of the connection to it, for the last trouble.
    pub fn refusal(&self) -> Option<String> {
        self.0.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until everything that was reported is stored, or the task has ended. For tests, and for a last word; a
    /// reconcile does not wait for its report.
    pub async fn settled(&self) {
        let shared = &self.0.shared;
        loop {
            let settled = shared.settled.notified();
            if shared.has_ended.load(Ordering::Acquire) || shared.book().unwritten() == 0 {
                return;
            }
            settled.await;
        }
    }
}
