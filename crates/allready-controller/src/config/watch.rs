//! What is watched, as a stream of what is seen.

use allready_core::Time;
use allready_kube::kinds::StatusReport;
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
    api::{ApiResource, DynamicObject},
    runtime::watcher,
};
use serde_json::Value;

use super::{DaemonSetFacts, Event, Facts, Object, Sight, Subject, Topic, of_node, of_pod};
use allready_kube::list_watch;

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
            let found = list_watch::discover(client.clone(), api_version, kind);
            let then = move |found| match found {
                Ok((resource, _)) => {
                    let api = Api::namespaced_with(client.clone(), &namespace, &resource);
                    objects(api, only.clone(), |object: &DynamicObject| Facts::Whole(whole(object)))
                }
                Err(why) => stream::once(async move { Event::Failed(why) }).boxed(),
            };
            found.map(then).flatten().boxed()
        }
    }
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
    let seen = move |event: Result<watcher::Event<K>, String>| match event {
        Ok(watcher::Event::Init) => Event::Listing,
        Ok(watcher::Event::InitApply(object) | watcher::Event::Apply(object)) => there(&object),
        Ok(watcher::Event::InitDone) => Event::Listed,
        Ok(watcher::Event::Delete(object)) => Event::Gone { name: object.name_any() },
        Err(why) => Event::Failed(why),
    };
    list_watch::list_watch(api, only).map(seen).boxed()
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
