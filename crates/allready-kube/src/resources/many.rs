//! Reading the objects of many resources at the same time.

use std::fmt;

use futures::{Stream, StreamExt, future, stream};
use kube::Client;
use serde_json::Value;

use super::{Resource, Selection, discover::reason, pages};

/// What was read of one of many resources.
#[derive(Debug)]
pub enum Listed {
    /// Some of its objects.
    Page(Vec<Value>),
    /// That was all of it.
    Done,
    /// It could not be read, or not to the end: pages may have come before.
    Failed(ListProblem),
}

/// Why one of many resources could not be read.
///
/// ```
/// use allready_kube::resources::ListProblem;
///
/// let problem = ListProblem::Forbidden { said: "pods is forbidden: User \"eve\" cannot list …".into() };
/// assert!(problem.to_string().starts_with("not allowed to list it: "));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListProblem {
    /// The permission `list` is missing.
    Forbidden {
        /// What the server said.
        said: String,
    },
    /// It is not served any more.
    NotServed,
    /// It cannot be listed, or not like this.
    Refused {
        /// What the server said.
        said: String,
    },
    /// There was no answer, or not in time.
    Unanswered {
        /// Why.
        said: String,
    },
}

impl fmt::Display for ListProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden { said } => write!(f, "not allowed to list it: {said}"),
            Self::NotServed => f.write_str("the server does not serve it any more"),
            Self::Refused { said } => write!(f, "the server refuses to list it: {said}"),
            Self::Unanswered { said } => write!(f, "the server did not answer: {said}"),
        }
    }
}

impl std::error::Error for ListProblem {}

impl ListProblem {
    /// What an error means.
    pub fn of(error: &kube::Error) -> Self {
        let said = reason(error);
        match error {
            kube::Error::Api(status) => match status.code {
                401 | 403 => Self::Forbidden { said },
                404 => Self::NotServed,
                429 | 500.. => Self::Unanswered { said },
                _ => Self::Refused { said },
            },
            _ => Self::Unanswered { said },
        }
    }
}

/// Reads the objects of many resources, so many of them at a time, and hands pages on as they come, from whichever resource.
/// One that cannot be read does not keep the others from being read.
///
/// While a page is looked at nothing else is asked for, so that what is in memory is bounded by `parallel` pages.
///
/// # RBAC
/// `list` on each resource.
///
/// ```
/// use allready_kube::resources::{Catalog, Selection, list_many};
/// # use allready_apiserver::ApiServer;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(ApiServer::new().service(), "default");
/// let catalog = Catalog::discover(&client).await?;
/// let (mut objects, mut problems) = (0, Vec::new());
/// list_many(
///     &client,
///     catalog.listable(),
///     &Selection::default(),
///     8,
///     &mut |_, page| objects += page.len(),
///     &mut |resource, problem| problems.push(format!("{}: {problem}", resource.full_name())),
/// ).await;
/// assert!(objects > 0 && problems.is_empty());
/// # Ok::<(), kube::Error>(())
/// # }).unwrap();
/// ```
pub async fn list_many<'a>(
    client: &'a Client,
    resources: impl IntoIterator<Item = &'a Resource>,
    selection: &'a Selection,
    parallel: usize,
    on_page: &mut (dyn FnMut(&'a Resource, Vec<Value>) + Send),
    on_error: &mut (dyn FnMut(&'a Resource, ListProblem) + Send),
) {
    let resources = resources.into_iter().collect();
    let mut listing = std::pin::pin!(listing(client, resources, selection, parallel));
    while let Some((resource, listed)) = listing.next().await {
        match listed {
            Listed::Page(page) => on_page(resource, page),
            Listed::Done => {}
            Listed::Failed(problem) => on_error(resource, problem),
        }
    }
}

/// The same as a stream, which also tells which resources are read to the end: for progress, and for who may stop early.
pub fn listing<'a>(
    client: &'a Client,
    resources: Vec<&'a Resource>,
    selection: &'a Selection,
    parallel: usize,
) -> impl Stream<Item = (&'a Resource, Listed)> + Send + 'a {
    let one = move |resource: &'a Resource| {
        let pages = pages(client, resource, selection).map(|page| match page {
            Ok(page) => Listed::Page(page),
            Err(error) => Listed::Failed(ListProblem::of(&error)),
        });
        // After a failure nothing comes but the end, and that is not a good one.
        let mut has_failed = false;
        let ended = pages.chain(stream::once(future::ready(Listed::Done))).filter_map(move |listed| {
            let is_told = !(has_failed && matches!(listed, Listed::Done));
            has_failed |= matches!(listed, Listed::Failed(_));
            future::ready(is_told.then_some((resource, listed)))
        });
        ended.boxed()
    };
    stream::iter(resources).map(one).flatten_unordered(parallel.max(1))
}
