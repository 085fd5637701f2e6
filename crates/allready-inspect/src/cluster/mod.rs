//! Following an object of a cluster to the first cause of how it is.
//!
//! The decisions are in [`explain`](crate::explain); here it is asked for what that wants to know.

mod ask;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

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
/// So many requests about one kind are sent one by one.
const MOST_ALIKE: usize = 8;

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
        let mut wanted = together(&explanation.wanted, |request| known.has_asked(request));
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
        let found = causes.search(registry, now);
        if found.wanted.is_empty() {
            return found;
        }
        let mut wanted = together(&found.wanted, |request| causes.has_asked(request));
        let rest = wanted.split_off(left.min(wanted.len()));
        left -= wanted.len();
        for (request, answer) in ask(&asking, wanted, deadline).await {
            causes.answer(request, answer, registry, now);
        }
        for request in rest {
            causes.answer(request, Answer::NotAsked, registry, now);
        }
    }
}

/// Puts requests for many objects of one kind together to lists of the kind, of each namespace or of all, and lists first: more
/// objects depend on them. What such a list did not answer is asked for one by one. The contents of Secrets and ConfigMaps are
/// never listed.
fn together(wanted: &[Request], has_asked: impl Fn(&Request) -> bool) -> Vec<Request> {
    let mut kinds: BTreeMap<(&str, &str), (usize, BTreeSet<&str>)> = BTreeMap::new();
    for (group, kind, namespace) in wanted.iter().filter_map(Request::kind) {
        if !matches!(kind, "Secret" | "ConfigMap") {
            let (count, namespaces) = kinds.entry((group, kind)).or_default();
            *count += 1;
            namespaces.insert(namespace);
        }
    }
    kinds.retain(|_, (count, _)| *count > MOST_ALIKE);
    let list_of = |request: &Request| {
        let (group, kind, namespace) = request.kind()?;
        let (_, namespaces) = kinds.get(&(group, kind))?;
        let namespace = if namespaces.len() > MOST_ALIKE { "" } else { namespace };
        Some(Request::all(group, kind, namespace)).filter(|list| !has_asked(list))
    };
    let together: BTreeSet<Request> =
        wanted.iter().map(|request| list_of(request).unwrap_or_else(|| request.clone())).collect();
    let mut together: Vec<Request> = together.into_iter().collect();
    together.sort_by_key(|request| !matches!(request, Request::List { .. }));
    together
}

async fn ask(asking: &Asking<'_>, wanted: Vec<Request>, deadline: Instant) -> Vec<(Request, Answer)> {
    let answers = stream::iter(wanted).map(|request| async move {
        let answer = timeout_at(deadline, asking.answer(&request)).await;
        (request, answer.unwrap_or(Answer::NotAsked))
    });
    answers.buffer_unordered(PARALLEL).collect().await
}
