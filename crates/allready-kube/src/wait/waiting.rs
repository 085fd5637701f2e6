//! The loop that waits.

use std::{fmt::Debug, pin::pin, time::Duration};

use futures::StreamExt;
use kube::{
    Api, Resource,
    runtime::watcher::{self, watch_object},
};
use serde::{Serialize, de::DeserializeOwned};
use tokio::time::Instant;

use super::{
    Expectation, WaitError,
    waiter::{Fatal, Step, Trouble, Waiter},
};
use crate::{backoff::Backoff, clock::Clock};

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
    backoff: Backoff,
}

impl Wait {
    /// Waits for this, and so long.
    pub fn new(expectation: impl Into<Expectation>, timeout: Duration) -> Self {
        let (clock, backoff) = (Clock::system(), Backoff::default());
        Self { expectation: expectation.into(), timeout, may_appear: false, clock, backoff }
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

    /// How long to wait before watching again after a failure.
    #[must_use]
    pub fn backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
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
        trouble: &mut Option<watcher::Error>,
    ) -> Result<K, WaitError>
    where
        K: Resource + Clone + DeserializeOwned + Serialize + Debug + Send + 'static,
    {
        let mut failures = 0;
        // When the server had last forgotten the past.
        let mut forgotten: Option<Instant> = None;
        loop {
            let mut stream = pin!(watch_object(api.clone(), name));
            while let Some(told) = stream.next().await {
                let object = match told {
                    Ok(object) => {
                        (failures, *trouble) = (0, None);
                        object
                    }
                    Err(error) => {
                        let is_first = forgotten.is_none_or(|last| last.elapsed() > self.backoff.max);
                        match waiter.trouble(&error) {
                            Trouble::Fatal(fatal) => return Err(failed(&waiter.object, fatal, error)),
                            Trouble::AtOnce if is_first => forgotten = Some(Instant::now()),
                            // One that has always just forgotten the past is not well.
                            Trouble::AtOnce | Trouble::Later => {
                                *trouble = Some(error);
                                tokio::time::sleep(self.backoff.delay(failures, fastrand::f64())).await;
                                failures = failures.saturating_add(1);
                            }
                        }
                        continue;
                    }
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
            // The stream of kube does not end by itself; if it ever does, watching begins anew.
            tokio::time::sleep(self.backoff.delay(0, fastrand::f64())).await;
        }
    }
}

fn failed(object: &str, fatal: Fatal, error: watcher::Error) -> WaitError {
    let (object, source) = (object.to_owned(), Box::new(error));
    match fatal {
        Fatal::NoSuchKind => WaitError::NoSuchKind { object },
        Fatal::Forbidden => WaitError::Forbidden { object, source },
        Fatal::Refused => WaitError::Refused { object, source },
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
