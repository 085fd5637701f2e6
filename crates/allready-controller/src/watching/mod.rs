//! Watches that never end, and that say in words when nothing can be seen.

mod follow;

use std::time::Duration;

use allready_kube::backoff::Backoff;
use futures::{Stream, stream};
use k8s_openapi::serde::de::DeserializeOwned;
use kube::{
    Api, Client, Resource,
    api::{ApiResource, GroupVersionKind},
    discovery::{self, ApiCapabilities},
    runtime::watcher,
};
use tokio::time::{sleep, timeout};

use self::follow::Watching;
use crate::words;

/// How long to wait between two attempts.
const PATIENCE: Backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) };
/// How long an answer may take.
pub(crate) const ANSWER: Duration = Duration::from_secs(10);
pub(crate) const NO_ANSWER: &str = "the API server does not answer";

/// Everything that happens to these objects, for ever; a list begins anew after whatever went wrong, and now and then by itself:
/// so an event that was lost on its way is made good.
pub(crate) fn events<K>(
    api: Api<K>,
    only: watcher::Config,
) -> impl Stream<Item = Result<watcher::Event<K>, String>> + Send + 'static
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    stream::unfold(Watching::new(api, only), |mut watching| async move {
        let event = watching.next().await;
        Some((event, watching))
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
fn refused(error: &kube::Error) -> String {
    match error {
        // Nothing but a path that nobody serves is refused without an object that says why.
        kube::Error::Api(status) if status.code == 404 => {
            "the API server does not serve this kind".to_owned()
        }
        other => words::refusal(other),
    }
}

#[cfg(test)]
mod tests;
