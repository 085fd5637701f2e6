//! What is watched, as a stream of what is seen.

use std::time::Duration;

use allready_core::Time;
use allready_kube::{backoff::Backoff, kinds::StatusReport};
use futures::{Stream, StreamExt, stream};
use k8s_openapi::{
    api::{
        apps::v1::DaemonSet,
        coordination::v1::Lease,
        core::v1::{Node, Pod},
    },
    serde::de::DeserializeOwned,
};
use kube::{
    Api, Client, Resource, ResourceExt,
    api::{ApiResource, DynamicObject, GroupVersionKind},
    discovery,
    runtime::watcher,
};
use serde_json::Value;
use tokio::time::{sleep, timeout};

use super::{DaemonSetFacts, Event, Facts, Object, Sight, Subject, Topic, of_node, of_pod};

/// How long to wait between two attempts.
const PATIENCE: Backoff = Backoff { min: Duration::from_millis(100), max: Duration::from_secs(2) };

/// Everything that is seen of a topic, for ever.
pub(super) fn watch(
    client: Client,
    subject: &Subject,
    topic: Topic,
    epoch: u64,
) -> impl Stream<Item = Sight> + Send + use<> {
    let named = topic.clone();
    events(client, subject, topic).map(move |event| Sight { topic: named.clone(), epoch, event })
}

fn events(client: Client, subject: &Subject, topic: Topic) -> stream::BoxStream<'static, Event> {
    let namespace = subject.namespace.clone();
    match topic {
        Topic::Own => {
            let api = Api::namespaced_with(client, &namespace, &subject.resource());
            let only = watcher::Config::default().fields(&format!("metadata.name={}", subject.name));
            objects(api, only, |object: &DynamicObject| Facts::Whole(whole(object)))
        }
        Topic::Reports => {
            let resource = ApiResource::erase::<StatusReport>(&());
            let api = Api::namespaced_with(client, &namespace, &resource);
            objects(api, watcher::Config::default(), |object: &DynamicObject| Facts::Whole(whole(object)))
        }
        Topic::Nodes => {
            let api = Api::<Node>::all(client);
            objects(api, watcher::Config::default(), |node| Facts::Node(of_node(node)))
        }
        Topic::Pods => {
            let api = Api::<Pod>::namespaced(client, &namespace);
            objects(api, watcher::Config::default(), |pod| Facts::Pod(of_pod(pod)))
        }
        Topic::DaemonSets => {
            let api = Api::<DaemonSet>::namespaced(client, &namespace);
            objects(api, watcher::Config::default(), |set| Facts::DaemonSet(of_daemon_set(set)))
        }
        Topic::Leases => {
            let api = Api::<Lease>::namespaced(client, &namespace);
            objects(api, watcher::Config::default(), |lease| Facts::Lease(renewed(lease)))
        }
        Topic::Source { api_version, kind, selector, .. } => {
            let only = watcher::Config::default().labels(&selector);
            let found = discovered(client.clone(), api_version, kind);
            let then = move |found: Result<ApiResource, String>| match found {
                Ok(resource) => {
                    let api = Api::namespaced_with(client.clone(), &namespace, &resource);
                    objects(api, only.clone(), |object: &DynamicObject| Facts::Whole(whole(object)))
                }
                Err(why) => stream::once(async move { Event::Failed(why) }).boxed(),
            };
            found.map(then).flatten().boxed()
        }
    }
}

/// Asks what a kind is called in requests until there is an answer.
fn discovered(
    client: Client,
    api_version: String,
    kind: String,
) -> impl Stream<Item = Result<ApiResource, String>> {
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
                Ok(Ok((resource, _))) => return Some((Ok(resource), (None, 0))),
                Ok(Err(kube::Error::Discovery(_))) => format!("there is no kind {kind} in {api_version}"),
                Ok(Err(error)) => refused(&error),
                Err(_) => NO_ANSWER.to_owned(),
            };
            Some((Err(why), (Some(client), failures + 1)))
        }
    })
}

fn objects<K>(
    api: Api<K>,
    only: watcher::Config,
    facts: impl Fn(&K) -> Facts + Send + 'static,
) -> stream::BoxStream<'static, Event>
where
    K: Resource + Clone + DeserializeOwned + std::fmt::Debug + Send + 'static,
{
    let there =
        move |object: &K| Event::There(Box::new(Object { name: object.name_any(), facts: facts(object) }));
    let seen = move |event: watcher::Result<watcher::Event<K>>| match event {
        Ok(watcher::Event::Init) => Event::Listing,
        Ok(watcher::Event::InitApply(object) | watcher::Event::Apply(object)) => there(&object),
        Ok(watcher::Event::InitDone) => Event::Listed,
        Ok(watcher::Event::Delete(object)) => Event::Gone { name: object.name_any() },
        Err(error) => Event::Failed(in_words(&error)),
    };
    let watching =
        Watching { api, only: only.timeout(WATCH_SECONDS), stream: None, listing: true, failures: 0 };
    let events = stream::unfold(watching, |mut watching| async move {
        let event = watching.next().await;
        Some((event, watching))
    });
    events.map(move |event| event.map_or_else(|| Event::Failed(NO_ANSWER.to_owned()), &seen)).boxed()
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
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

/// How long an answer may take.
pub(super) const ANSWER: Duration = Duration::from_secs(10);
/// How long one watch lasts, in seconds. One that is dead without a word is noticed when it should have ended.
const WATCH_SECONDS: u32 = 45;
const NO_ANSWER: &str = "the API server does not answer";

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

/// All of an object but the record of who wrote what, which is most of its bytes.
fn whole(object: &DynamicObject) -> Value {
    let mut object = object.clone();
    object.managed_fields_mut().clear();
    serde_json::to_value(&object).unwrap_or_default()
}

fn of_daemon_set(set: &DaemonSet) -> DaemonSetFacts {
    let status = set.status.as_ref();
    DaemonSetFacts {
        desired: status.map_or(0, |status| status.desired_number_scheduled),
        current: status.and_then(|status| status.observed_generation) >= set.metadata.generation,
    }
}

fn renewed(lease: &Lease) -> Option<Time> {
    let renewed = lease.spec.as_ref()?.renew_time.as_ref()?;
    Some(Time::new(renewed.0))
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
