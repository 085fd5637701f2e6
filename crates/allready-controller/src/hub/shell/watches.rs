//! The watches of the hub itself.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError},
};

use allready_kube::kinds::{ClusterStatus, InstanceStatus, StatusAggregation};
use allready_kube::list_watch;
use futures::{Stream, StreamExt, stream};
use k8s_openapi::api::coordination::v1::Lease;
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DynamicObject},
    runtime::watcher,
};
use tokio::task::JoinSet;

use super::{dns_endpoint, leftovers, placement_decision, writer::Kinds};
use crate::{
    engine::{Inbox, Sender, inbox},
    hub::{
        HubEvent, ObjectEvent, ObjectName, Topic, TopicId,
        state::{AGGREGATION_LABEL, MADE_BY},
    },
};

/// The watches of the hub itself: one task each, ended when they are dropped.
pub(super) struct Watches {
    client: Client,
    pub(super) kinds: Kinds,
    sender: Sender<HubEvent>,
    pub(super) seen: Inbox<HubEvent>,
    fixed: JoinSet<()>,
    objects: BTreeMap<TopicId, JoinSet<()>>,
    has_decisions: bool,
}

/// The reason why there are no DNSEndpoints where the hub keeps none.
const NO_DNS: &str =
    "this hub keeps no DNS records: it runs with --no-dns (hub.dns: false in the values of the chart)";

impl Watches {
    pub(super) fn new(client: Client, namespace: &str, dns: bool) -> Self {
        let (sender, seen) = inbox();
        let mut watches = Self {
            client,
            kinds: Kinds::default(),
            sender,
            seen,
            fixed: JoinSet::new(),
            objects: BTreeMap::new(),
            has_decisions: false,
        };
        let aggregations: Api<DynamicObject> =
            Api::all_with(watches.client.clone(), &ApiResource::erase::<StatusAggregation>(&()));
        let all = events(aggregations, watcher::Config::default()).map(HubEvent::Aggregations);
        watches.fixed.spawn(forward(all, watches.sender.clone()));
        let ours = || watcher::Config::default().labels(&format!("{}={}", MADE_BY.0, MADE_BY.1));
        let instances = Api::all_with(watches.client.clone(), &ApiResource::erase::<InstanceStatus>(&()));
        let instances = events(instances, ours()).map(HubEvent::InstanceStatuses);
        watches.fixed.spawn(forward(instances, watches.sender.clone()));
        // Another hub has clusters of its own, in its own namespace.
        let here = |kind: &ApiResource| Api::namespaced_with(watches.client.clone(), namespace, kind);
        let clusters = here(&ApiResource::erase::<ClusterStatus>(&()));
        let leases = here(&ApiResource::erase::<Lease>(&()));
        let clusters = events(clusters, ours()).map(HubEvent::ClusterStatuses);
        let leases = events(leases, ours()).map(HubEvent::Leases);
        watches.fixed.spawn(forward(clusters, watches.sender.clone()));
        watches.fixed.spawn(forward(leases, watches.sender.clone()));
        // Also when no records are wanted: some may have been wanted before this controller began.
        let endpoints: Api<DynamicObject> = Api::all_with(watches.client.clone(), &dns_endpoint());
        let ours = watcher::Config::default().labels(AGGREGATION_LABEL);
        let ours = if dns {
            events(endpoints, ours).boxed()
        } else {
            stream::once(async { ObjectEvent::Failed(NO_DNS.into()) }).boxed()
        };
        watches.fixed.spawn(forward(ours.map(HubEvent::Endpoints), watches.sender.clone()));
        let found = leftovers::found(watches.client.clone(), Arc::clone(&watches.kinds));
        watches.fixed.spawn(forward(found.map(HubEvent::Leftovers), watches.sender.clone()));
        watches
    }

    /// Watches what the hub needs, and no more.
    pub(super) fn follow(&mut self, topics: &BTreeMap<TopicId, Topic>, wants_decisions: bool) {
        // Once wanted they are watched for good: what happens while nobody looks would be missed.
        if wants_decisions && !std::mem::replace(&mut self.has_decisions, true) {
            let decisions: Api<DynamicObject> = Api::all_with(self.client.clone(), &placement_decision());
            let all = events(decisions, watcher::Config::default()).map(HubEvent::Decisions);
            self.fixed.spawn(forward(all, self.sender.clone()));
        }
        self.objects.retain(|id, _| topics.contains_key(id));
        for (id, topic) in topics {
            if self.objects.contains_key(id) {
                continue;
            }
            let objects = self.objects_of(id.clone(), topic.clone());
            let mut task = JoinSet::new();
            task.spawn(forward(objects, self.sender.clone()));
            self.objects.insert(id.clone(), task);
        }
    }

    /// The objects of the hub that an aggregation may choose: all of its kind, so that it is seen when one is not chosen any
    /// more.
    fn objects_of(&self, id: TopicId, topic: Topic) -> impl Stream<Item = HubEvent> + Send + use<> {
        let (client, kinds) = (self.client.clone(), Arc::clone(&self.kinds));
        let found = list_watch::discover(client.clone(), topic.api_version.clone(), topic.kind.clone());
        let kind = (topic.api_version.clone(), topic.kind.clone());
        let seen = found.map(move |found| match found {
            Ok((resource, capabilities)) => {
                let mut known = kinds.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(kind.clone(), resource.clone());
                drop(known);
                let is_namespaced = capabilities.scope == kube::discovery::Scope::Namespaced;
                let api = match &topic.namespaces[..] {
                    [namespace] if is_namespaced => {
                        Api::namespaced_with(client.clone(), namespace, &resource)
                    }
                    _ => Api::<DynamicObject>::all_with(client.clone(), &resource),
                };
                let namespaces = if is_namespaced { topic.namespaces.clone() } else { Vec::new() };
                events(api, watcher::Config::default())
                    .filter(move |event| std::future::ready(is_within(event, &namespaces)))
                    .boxed()
            }
            Err(why) => stream::once(async move { ObjectEvent::Failed(why.into()) }).boxed(),
        });
        seen.flatten().map(move |change| HubEvent::Objects(id.clone(), change))
    }
}

fn is_within(event: &ObjectEvent, namespaces: &[String]) -> bool {
    match event {
        ObjectEvent::Apply(object, _) | ObjectEvent::Delete(object) => {
            namespaces.is_empty() || namespaces.iter().any(|own| **own == *object.namespace)
        }
        ObjectEvent::Init | ObjectEvent::InitDone | ObjectEvent::Failed(_) => true,
    }
}

async fn forward(events: impl Stream<Item = HubEvent>, to: Sender<HubEvent>) {
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        let bytes = bytes(&event);
        if !to.send(event, bytes).await {
            return;
        }
    }
}

/// The bytes that the object of an event takes.
fn bytes(event: &HubEvent) -> usize {
    let object = match event {
        HubEvent::Aggregations(event)
        | HubEvent::Objects(_, event)
        | HubEvent::InstanceStatuses(event)
        | HubEvent::ClusterStatuses(event)
        | HubEvent::Leases(event)
        | HubEvent::Endpoints(event)
        | HubEvent::Decisions(event) => event,
        HubEvent::Inventory(_) | HubEvent::Connected(_) | HubEvent::Clusters(_) | HubEvent::Leftovers(_) => {
            return 0;
        }
    };
    match object {
        ObjectEvent::Apply(_, object) => list_watch::weight(object),
        ObjectEvent::Init | ObjectEvent::InitDone | ObjectEvent::Delete(_) | ObjectEvent::Failed(_) => 0,
    }
}

/// The events of objects, as JSON.
fn events(api: Api<DynamicObject>, only: watcher::Config) -> impl Stream<Item = ObjectEvent> + Send {
    let name =
        |object: &DynamicObject| ObjectName::new(&object.namespace().unwrap_or_default(), &object.name_any());
    list_watch::reduced(list_watch::list_watch(api, only), name, |object| {
        Box::new(serde_json::to_value(&object).unwrap_or_default())
    })
}
