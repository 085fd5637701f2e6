//! A report that is made whatever happens.

use std::{any::Any, panic::AssertUnwindSafe};

use futures::FutureExt;

use super::{Outcome, Reporter, ToOutcome};

/// A reconcile that owes a report: if it ends without a word, because it was cancelled, or returned early, or panicked,
/// that is what is reported. Never success.
///
/// ```
/// # use allready_kube::report::{Identity, Layout, Outcome, Reporter};
/// # async fn example(client: kube::Client) -> Result<(), kube::Error> {
/// # let (reporter, task) =
/// #     Reporter::builder(client, Identity::of("controller"), Layout::sharded("default", "config-status")).build();
/// # async fn list_pools() -> Result<Vec<String>, kube::Error> { Ok(vec![]) }
/// let guard = reporter.guard("poolReconciler");
/// let pools = list_pools().await?; // an early return: SyncStateError, "the reconcile ended without a result"
/// guard.report(if pools.is_empty() { Outcome::config_error("there are no pools") } else { Outcome::success() });
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "dropping it reports that the reconcile ended without a result"]
pub struct Guard {
    reporter: Reporter,
    reconciler: Box<str>,
    is_done: bool,
}

impl Guard {
    pub(super) fn new(reporter: Reporter, reconciler: &str) -> Self {
        Self { reporter, reconciler: reconciler.into(), is_done: false }
    }

    /// Reports what the reconcile came to.
    pub fn report(mut self, outcome: impl Into<Outcome>) {
        self.is_done = true;
        self.reporter.report(&self.reconciler, outcome);
    }

    /// There was nothing to do: what was reported last still holds.
    pub fn unchanged(mut self) {
        self.is_done = true;
    }

    fn finish(self, outcome: Option<Outcome>) {
        match outcome {
            Some(outcome) => self.report(outcome),
            None => self.unchanged(),
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let how =
            if std::thread::panicking() { "panicked" } else { "was cancelled or ended without a result" };
        self.reporter.report(&self.reconciler, Outcome::error(format_args!("the reconcile {how}")));
    }
}

impl Reporter {
    /// Reports what becomes of a reconcile, whatever it is: its result, an early return, a panic, or that it was dropped
    /// before it ended.
    ///
    /// ```
    /// use allready_kube::report::{Failure, Reporter};
    /// use kube::runtime::controller::Action;
    ///
    /// async fn reconcile(reporter: &Reporter, pools: &str) -> Result<Action, Failure> {
    ///     reporter.reporting("poolReconciler", async {
    ///         let count: u8 = pools.parse().map_err(Failure::config)?;
    ///         println!("{count} pools are configured");
    ///         Ok(Action::await_change())
    ///     }).await
    /// }
    /// ```
    pub async fn reporting<F>(&self, reconciler: &str, reconcile: F) -> F::Output
    where
        F: Future,
        F::Output: ToOutcome,
    {
        let guard = self.guard(reconciler);
        match AssertUnwindSafe(reconcile).catch_unwind().await {
            Ok(result) => {
                guard.finish(result.to_outcome());
                result
            }
            Err(panic) => {
                guard.report(Outcome::error(format_args!("the reconcile panicked{}", words(&*panic))));
                std::panic::resume_unwind(panic)
            }
        }
    }

    /// A reconcile that owes a report.
    pub fn guard(&self, reconciler: &str) -> Guard {
        Guard::new(self.clone(), reconciler)
    }
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    text.map(|text| format!(": {text}")).unwrap_or_default()
}
