//! Following an object of a cluster to the first cause of how it is.
//!
//! The decisions are in [`explain`](crate::explain); here it is asked for what that wants to know.

mod ask;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::{
    causes::{Causes, Found},
    explain::{Bounds, Explanation, explain},
    graph::{Answer, Extent, Known, Reference, Request},
    registry::Registry,
};
use allready_core::Time;
use futures::{StreamExt as _, stream};
use kube::Client;
use tokio::time::{Instant, timeout_at};

use self::ask::Asking;
use allready_kube::resources::Catalog;

/// So many requests are under way at a time.
const PARALLEL: usize = 8;

/// The most that may be asked of a cluster.
///
/// ```
/// use std::time::Duration;
/// use allready_inspect::cluster::Budget;
///
/// let hasty = Budget { time: Duration::from_secs(2), ..Budget::default() };
/// assert_eq!(hasty.requests, 200);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// So many times something may be asked for. To look for what an object of any kind owns is one of them, and lists
    /// every kind.
    pub requests: usize,
    /// For so long.
    pub time: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self { requests: 200, time: Duration::from_secs(30) }
    }
}

/// Explains an object of a cluster: explains what is known, asks for what is wanted, and explains again, until nothing is
/// wanted or the budget is spent. What was not asked for, or may not be read, is said in the explanation.
///
/// Of secrets and config maps only the metadata is read.
///
/// # RBAC
/// `get` on the object, and `get` and `list` on what it is related to, as far as it is given.
///
/// ```
/// use allready_core::Time;
/// use allready_inspect::{explain::Bounds, graph::{ObjectId, Reference}, health::Health, registry::Registry};
/// use allready_inspect::cluster::{Budget, follow};
/// use allready_kube::resources::Catalog;
/// # use allready_apiserver::ApiServer;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(ApiServer::new().service(), "default");
/// let catalog = Catalog::discover(&client).await?;
/// let root = Reference::to(&ObjectId::new("apps", "Deployment", "default", "web"));
/// let explanation = follow(&client, &catalog, &root, Registry::builtin(), Time::EPOCH, &Bounds::default(), Budget::default()).await;
/// assert_eq!(explanation.health(), Health::Missing);
/// # Ok::<(), kube::Error>(())
/// # }).unwrap();
/// ```
pub async fn follow(
    client: &Client,
    catalog: &Catalog,
    root: &Reference,
    registry: &Registry,
    now: Time,
    bounds: &Bounds,
    budget: Budget,
) -> Explanation {
    let asking = Asking { client, catalog };
    let mut known = Known::new(Extent::Asked);
    let (mut left, deadline) = (budget.requests, Instant::now() + budget.time);
    loop {
        let explanation = explain(&known, root, registry, now, bounds);
        if explanation.wanted.is_empty() {
            return explanation;
        }
        let mut wanted = explanation.wanted;
        let rest = wanted.split_off(left.min(wanted.len()));
        left -= wanted.len();
        for (request, answer) in ask(&asking, wanted, deadline).await {
            known.answer(request, answer);
        }
        for request in rest {
            known.answer(request, Answer::NotAsked);
        }
    }
}

/// Finds the causes of what is not well in a cluster: searches in what was added, asks for what is wanted, and searches again,
/// until nothing is wanted or the budget is spent.
///
/// # RBAC
/// As for [`follow`].
pub async fn find_causes(
    client: &Client,
    catalog: &Catalog,
    causes: &mut Causes,
    registry: &Registry,
    now: Time,
    budget: Budget,
) -> Found {
    let asking = Asking { client, catalog };
    let (mut left, deadline) = (budget.requests, Instant::now() + budget.time);
    loop {
        let mut found = causes.search(registry, now);
        if found.wanted.is_empty() {
            return found;
        }
        let rest = found.wanted.split_off(left.min(found.wanted.len()));
        let wanted = std::mem::take(&mut found.wanted);
        left -= wanted.len();
        let answers = ask(&asking, wanted, deadline).await;
        if answers.is_empty() {
            return found;
        }
        for (request, answer) in answers {
            causes.answer(request, answer);
        }
        for request in rest {
            causes.answer(request, Answer::NotAsked);
        }
    }
}

async fn ask(asking: &Asking<'_>, wanted: Vec<Request>, deadline: Instant) -> Vec<(Request, Answer)> {
    let answers = stream::iter(wanted).map(|request| async move {
        let answer = timeout_at(deadline, asking.answer(&request)).await;
        (request, answer.unwrap_or(Answer::NotAsked))
    });
    answers.buffer_unordered(PARALLEL).collect().await
}
