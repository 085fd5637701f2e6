//! Watches that never end, and that say in words when nothing can be seen.

use std::time::Duration;

use allready_kube::backoff::Backoff;
use futures::{Stream, StreamExt, stream};
use k8s_openapi::serde::de::DeserializeOwned;
use kube::{
    Api, Client, Resource,
    api::{ApiResource, GroupVersionKind},
    discovery::{self, ApiCapabilities},
    runtime::watcher,
};
use tokio::time::{sleep, timeout};

use crate::words;

/// How long to wait between two attempts.
const PATIENCE: Backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) };
/// How long an answer may take.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);
/// How long one watch lasts, in seconds. One that is dead without a word is noticed when it should have ended.
const WATCH_SECONDS: u32 = 45;
pub(crate) const NO_ANSWER: &str = "the API server does not answer";

/// Everything that happens to these objects, for ever; a list begins anew after whatever went wrong.
pub(crate) fn events<K>(
    api: Api<K>,
    only: watcher::Config,
) -> impl Stream<Item = Result<watcher::Event<K>, String>> + Send + 'static
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    let watching =
        Watching { api, only: only.timeout(WATCH_SECONDS), stream: None, listing: true, failures: 0 };
    let events = stream::unfold(watching, |mut watching| async move {
        let event = watching.next().await;
        Some((event, watching))
    });
    events.map(|event| match event {
        Some(Ok(event)) => Ok(event),
        Some(Err(error)) => Err(in_words(&error)),
        None => Err(NO_ANSWER.to_owned()),
    })
}

/// Asks what a kind is called in requests until there is an answer.
pub(crate) fn discovered(
    client: Client,
    api_version: String,
    kind: String,
) -> impl Stream<Item = Result<(ApiResource, ApiCapabilities), String>> {
    stream::unfold((Some(client), 0_u32), move |(client, failures)| {
        let (api_version, kind) = (api_version.clone(), kind.clone());
        async move {
            let client = client?;
            if failures > 0 {
                sleep(PATIENCE.delay(failures, fastrand::f64())).await;
            }
            let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
            let wanted = GroupVersionKind::gvk(group, version, &kind);
            let why = match timeout(ANSWER, discovery::pinned_kind(&client, &wanted)).await {
                Ok(Ok(found)) => return Some((Ok(found), (None, 0))),
                Ok(Err(kube::Error::Discovery(_))) => format!("there is no kind {kind} in {api_version}"),
                Ok(Err(error)) => refused(&error),
                Err(_) => NO_ANSWER.to_owned(),
            };
            Some((Err(why), (Some(client), failures + 1)))
        }
    })
}

/// Why a watch fails, for the reader of a condition.
fn in_words(error: &watcher::Error) -> String {
    match error {
        watcher::Error::InitialListFailed(error)
        | watcher::Error::WatchStartFailed(error)
        | watcher::Error::WatchFailed(error) => refused(error),
        watcher::Error::WatchError(status) => status.message.clone(),
        watcher::Error::NoResourceVersion => error.to_string(),
    }
}

fn refused(error: &kube::Error) -> String {
    match error {
        // Nothing but a path that nobody serves is refused without an object that says why.
        kube::Error::Api(status) if status.code == 404 => {
            "the API server does not serve this kind".to_owned()
        }
        other => words::refusal(other),
    }
}

/// A watch that begins anew with a list whenever it fails, so that it is seen when it does not fail any more.
struct Watching<K> {
    api: Api<K>,
    only: watcher::Config,
    stream: Option<stream::BoxStream<'static, watcher::Result<watcher::Event<K>>>>,
    listing: bool,
    failures: u32,
}

impl<K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static> Watching<K> {
    /// What happens next; none if a list is not answered in time.
    async fn next(&mut self) -> Option<watcher::Result<watcher::Event<K>>> {
        if self.stream.is_none() {
            if self.failures > 0 {
                sleep(PATIENCE.delay(self.failures - 1, fastrand::f64())).await;
            }
            self.listing = true;
        }
        let (api, only) = (&self.api, &self.only);
        let stream = self.stream.get_or_insert_with(|| watcher(api.clone(), only.clone()).boxed());
        let event = if self.listing {
            timeout(ANSWER, stream.next()).await.ok().flatten()
        } else {
            stream.next().await
        };
        match &event {
            Some(Ok(watcher::Event::Init)) => self.listing = true,
            Some(Ok(watcher::Event::InitDone)) => (self.listing, self.failures) = (false, 0),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => {
                self.stream = None;
                self.failures = self.failures.saturating_add(1);
            }
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_watch_is_told_in_words() {
        let error = |code: u16, message: &str| {
            let status = serde_json::json!({ "status": "Failure", "code": code, "message": message });
            let status: kube::core::Status = serde_json::from_value(status).unwrap();
            watcher::Error::InitialListFailed(kube::Error::Api(status.boxed()))
        };
        assert_eq!(in_words(&error(404, "404 page not found")), "the API server does not serve this kind");
        assert_eq!(in_words(&error(403, "nodes is forbidden")), "nodes is forbidden");
    }
}
