//! Objects, listed and then watched, for as long as anybody looks: the one way in which allready follows a cluster.
//!
//! [`list_watch`] yields what happens as kube's `watcher` does, and [`Store`] keeps it. It is not kube's watcher, because that one
//! waits without end for a watch that is asked for and not answered, so that whoever sees nothing cannot say so (a test beside this
//! module shows it). Here every request has a limit, a watch that hangs is noticed within ten seconds, and an event that was lost on its
//! way is told by the next watch, which begins where the one before it began. Everything is listed again every ten minutes.
//!
//! Nobody who writes objects decides how much memory this takes: a page of a list has at most 4 MiB, and fewer objects where they are
//! large; a list that does not end is read slowly, and given up after 200,000 objects; an event of a watch has at most 8 MiB.
//!
//! # Permissions
//! `list` and `watch` on what is followed.
//!
//! ```
//! use std::{pin::pin, time::Duration};
//! use allready_kube::list_watch::{Store, WatchEvent, list_watch, reduced};
//! use futures::StreamExt;
//! use k8s_openapi::api::core::v1::Namespace;
//! use kube::{Api, ResourceExt, runtime::watcher};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
//! # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
//! let namespaces = list_watch(Api::<Namespace>::all(client), watcher::Config::default());
//! let mut events = pin!(reduced(namespaces, ResourceExt::name_any, |namespace| namespace.metadata.generation));
//! let mut store = Store::new(Duration::ZERO);
//! while !store.is_synced() {
//!     store.apply(events.next().await.unwrap(), Duration::ZERO);
//! }
//! assert!(store.get("default").is_some());
//! # });
//! ```

mod decode;
mod error;
mod overlap;
mod page;
mod room;
mod store;
#[cfg(test)]
mod tests;
mod watcher;

use std::{sync::Arc, time::Duration};

use futures::{Stream, StreamExt as _, stream};
use k8s_openapi::serde::de::DeserializeOwned;
use kube::{
    Api, Client, Resource,
    api::{ApiResource, GroupVersionKind},
    discovery::{self, ApiCapabilities},
};
use tokio::{
    sync::Semaphore,
    time::{sleep, timeout},
};

#[doc(hidden)]
pub use self::decode::events;
use self::watcher::ListWatch;
pub use self::{
    error::WatchError,
    room::{Room, weight},
    store::{Store, WatchEvent},
};
use crate::backoff::Backoff;

/// The wait between two attempts.
const BACKOFF: Backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) };
/// The time in which a request has to be answered.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// The words for a request that was not answered in that time.
pub const NO_ANSWER: &str = "the API server does not answer";

/// Lists and watches objects, for ever. An error says why nothing can be seen at present; a list follows it.
pub fn list_watch<K>(
    api: Api<K>,
    only: kube::runtime::watcher::Config,
) -> impl Stream<Item = Result<kube::runtime::watcher::Event<K>, String>> + Send + 'static
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    let told = |event: Result<_, WatchError>| event.map_err(|why| why.to_string()).transpose();
    list_watch_opened(api, only).filter_map(move |event| std::future::ready(told(event)))
}

/// Lists and watches objects as [`list_watch()`] does, with as many pages of lists in memory at a time as there are permits: for whoever
/// follows as much as somebody else asks for.
pub fn list_watch_sharing<K>(
    api: Api<K>,
    only: kube::runtime::watcher::Config,
    pages: Arc<Semaphore>,
) -> impl Stream<Item = Result<kube::runtime::watcher::Event<K>, String>> + Send + 'static
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    let told = |event: Result<_, WatchError>| event.map_err(|why| why.to_string()).transpose();
    followed(ListWatch::new(api, only).sharing(pages))
        .filter_map(move |event| std::future::ready(told(event)))
}

/// Lists and watches objects as [`list_watch()`] does, for whoever has to tell errors apart or to know when a watch is open, which is
/// `None`: a list that is complete does not prove that the watch after it is allowed and answered.
pub fn list_watch_opened<K>(
    api: Api<K>,
    only: kube::runtime::watcher::Config,
) -> impl Stream<Item = Result<Option<kube::runtime::watcher::Event<K>>, WatchError>> + Send + 'static
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    followed(ListWatch::new(api, only))
}

fn followed<K>(
    watch: ListWatch<K>,
) -> impl Stream<Item = Result<Option<kube::runtime::watcher::Event<K>>, WatchError>> + Send + 'static
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    stream::unfold(watch, |mut watch| async move {
        let event = watch.next().await;
        Some((event, watch))
    })
}

/// The events of a list-watch with objects reduced to what matters of them.
pub fn reduced<O, K, V>(
    events: impl Stream<Item = Result<kube::runtime::watcher::Event<O>, String>>,
    key: impl Fn(&O) -> K,
    value: impl Fn(O) -> V,
) -> impl Stream<Item = WatchEvent<K, V>> {
    use kube::runtime::watcher::Event;
    events.map(move |event| match event {
        Ok(Event::Init) => WatchEvent::Init,
        Ok(Event::InitApply(object) | Event::Apply(object)) => WatchEvent::Apply(key(&object), value(object)),
        Ok(Event::InitDone) => WatchEvent::InitDone,
        Ok(Event::Delete(object)) => WatchEvent::Delete(key(&object)),
        Err(why) => WatchEvent::Failed(Arc::from(why)),
    })
}

/// Asks what a kind is called in requests until there is an answer, which ends the stream.
pub fn discover(
    client: Client,
    api_version: String,
    kind: String,
) -> impl Stream<Item = Result<(ApiResource, ApiCapabilities), String>> {
    stream::unfold((Some(client), 0_u32), move |(client, failures)| {
        let (api_version, kind) = (api_version.clone(), kind.clone());
        async move {
            let client = client?;
            if failures > 0 {
                sleep(BACKOFF.delay(failures, fastrand::f64())).await;
            }
            let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
            let wanted = GroupVersionKind::gvk(group, version, &kind);
            let why = match timeout(REQUEST_TIMEOUT, discovery::pinned_kind(&client, &wanted)).await {
                Ok(Ok(found)) => return Some((Ok(found), (None, 0))),
                Ok(Err(kube::Error::Discovery(_))) => format!("there is no kind {kind} in {api_version}"),
                Ok(Err(error)) => WatchError::Request(error).to_string(),
                Err(_) => NO_ANSWER.to_owned(),
            };
            Some((Err(why), (Some(client), failures + 1)))
        }
    })
}
