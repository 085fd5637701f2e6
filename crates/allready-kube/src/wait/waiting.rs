//! The loop that waits.

use std::{fmt::Debug, pin::pin, time::Duration};

use futures::StreamExt;
use kube::{
    Api, Resource,
    runtime::watcher::{self, Event},
};
use serde::{Serialize, de::DeserializeOwned};

use super::{
    Expectation, WaitError,
    waiter::{Step, Waiter},
};
use crate::{
    clock::Clock,
    list_watch::{WatchError, list_watch_opened},
};

/// Watches an object until it is as expected, and returns it.
///
/// It must be there: an object that is not there, or is deleted meanwhile, is an error at once. To wait for one that may
/// still have to be made, see [`Wait::may_appear`]. Watches that end, fail or are too old are begun again until the time is
/// over; without a permission it fails at once.
///
/// # RBAC
/// `list` and `watch` on the resource; a rule with `resourceNames` is enough.
pub async fn wait_for<K>(
    api: &Api<K>,
    name: &str,
    expectation: impl Into<Expectation>,
    timeout: Duration,
) -> Result<K, WaitError>
where
    K: Resource + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
{
    Wait::new(expectation, timeout).run(api, name).await
}

/// How to wait.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::wait::{Wait, WaitError, has_condition};
/// use k8s_openapi::api::core::v1::Node;
/// # use allready_apiserver::ApiServer;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(ApiServer::new().service(), "default");
/// let nodes = kube::Api::<Node>::all(client);
/// let wait = Wait::new(has_condition("Ready"), Duration::from_millis(20)).may_appear();
/// let error = wait.run(&nodes, "worker").await.unwrap_err();
/// assert_eq!(error.to_string(), "nodes/worker: gave up after 20ms: it is not there");
/// # });
/// ```
#[derive(Clone, Debug)]
pub struct Wait {
    expectation: Expectation,
    timeout: Duration,
    may_appear: bool,
    clock: Clock,
}

impl Wait {
    /// Waits for this, and so long.
    pub fn new(expectation: impl Into<Expectation>, timeout: Duration) -> Self {
        Self { expectation: expectation.into(), timeout, may_appear: false, clock: Clock::system() }
    }

    /// Also waits for an object that is not there yet, and for a deleted one to come back.
    #[must_use]
    pub fn may_appear(self) -> Self {
        Self { may_appear: true, ..self }
    }

    /// Where the time comes from that ages are told by.
    #[must_use]
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Watches an object until it is as expected, and returns it.
    pub async fn run<K>(&self, api: &Api<K>, name: &str) -> Result<K, WaitError>
    where
        K: Resource + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
    {
        let mut waiter = Waiter {
            object: described(api.resource_url(), name),
            expectation: self.expectation.clone(),
            may_appear: self.may_appear,
            seen: None,
        };
        let mut trouble = None;
        let watched = self.watch(api, name, &mut waiter, &mut trouble);
        match tokio::time::timeout(self.timeout, watched).await {
            Ok(outcome) => outcome,
            Err(_) => Err(WaitError::TimedOut {
                object: waiter.object,
                after: self.timeout,
                pending: waiter.seen.map(|seen| seen.pending),
                trouble: trouble.map(Box::new),
                at: self.clock.now(),
            }),
        }
    }

    async fn watch<K>(
        &self,
        api: &Api<K>,
        name: &str,
        waiter: &mut Waiter,
        trouble: &mut Option<WatchError>,
    ) -> Result<K, WaitError>
    where
        K: Resource + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
    {
        let only = watcher::Config::default().fields(&format!("metadata.name={name}"));
        let mut events = pin!(list_watch_opened(api.clone(), only));
        let mut is_listed = false;
        loop {
            let object = match events.next().await {
                Some(Ok(Some(Event::Init))) => {
                    is_listed = false;
                    continue;
                }
                Some(Ok(Some(Event::InitDone))) if is_listed => continue,
                Some(Ok(Some(Event::InitDone | Event::Delete(_)))) => None,
                Some(Ok(Some(Event::InitApply(object) | Event::Apply(object)))) => {
                    is_listed = true;
                    Some(object)
                }
                Some(Ok(None)) => {
                    *trouble = None;
                    continue;
                }
                Some(Err(error)) => {
                    *trouble = Some(waiter.failed(error)?);
                    continue;
                }
                // A list-watch does not end.
                None => std::future::pending().await,
            };
            let step = match &object {
                None => waiter.gone(self.clock.now()),
                Some(object) => match serde_json::to_value(object) {
                    Ok(value) => waiter.seen(&value, self.clock.now()),
                    Err(source) => {
                        Step::Fail(WaitError::Unreadable { object: waiter.object.clone(), source })
                    }
                },
            };
            match (step, object) {
                (Step::Done, Some(object)) => return Ok(object),
                (Step::Fail(error), _) => return Err(error),
                (Step::Wait | Step::Done, _) => {}
            }
        }
    }
}

/// An object in words: `pools/pool-a in shop`.
fn described(url: &str, name: &str) -> String {
    let mut parts = url.split('/').skip_while(|part| *part != "namespaces").skip(1);
    let namespace = parts.next().filter(|_| parts.next().is_some());
    let resource = url.rsplit('/').next().unwrap_or_default();
    match namespace {
        Some(namespace) => format!("{resource}/{name} in {namespace}"),
        None => format!("{resource}/{name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::described;

    #[test]
    fn objects_are_named_as_on_the_command_line() {
        for (url, expected) in [
            ("/apis/net.example/v1/namespaces/shop/pools", "pools/a in shop"),
            ("/api/v1/nodes", "nodes/a"),
            ("/api/v1/namespaces", "namespaces/a"),
            ("/apis/net.example/v1/pools", "pools/a"),
        ] {
            assert_eq!(described(url, "a"), expected);
        }
    }
}
