//! The watches of the hub itself.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, PoisonError},
};

use allready_kube::kinds::{StatusAggregation, StatusReport};
use allready_kube::list_watch;
use futures::{Stream, StreamExt, stream};
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DynamicObject},
    runtime::watcher,
};
use tokio::{sync::mpsc, task::JoinSet};

use super::{dns_endpoint, placement_decision, remains, writer::Kinds};
use crate::hub::{
    ObjectName, Topic, TopicId,
    board::{AGGREGATION_LABEL, Change, Event, MADE_BY},
};

/// The watches of the hub itself: one task each, ended when they are dropped.
pub(super) struct Watches {
    client: Client,
    pub(super) kinds: Kinds,
    sender: mpsc::Sender<Event>,
    pub(super) seen: mpsc::Receiver<Event>,
    fixed: JoinSet<()>,
    objects: BTreeMap<TopicId, JoinSet<()>>,
    has_decisions: bool,
}

impl Watches {
    pub(super) fn new(client: Client) -> Self {
        let (sender, seen) = mpsc::channel(1024);
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
        let all = changes(aggregations, watcher::Config::default()).map(Event::Aggregations);
        watches.fixed.spawn(forward(all, watches.sender.clone()));
        let reports: Api<DynamicObject> =
            Api::all_with(watches.client.clone(), &ApiResource::erase::<StatusReport>(&()));
        let ours = watcher::Config::default().labels(&format!("{}={}", MADE_BY.0, MADE_BY.1));
        let ours = changes(reports, ours).map(Event::Reports);
        watches.fixed.spawn(forward(ours, watches.sender.clone()));
        // Also when no records are wanted: some may have been wanted before this controller began.
        let endpoints: Api<DynamicObject> = Api::all_with(watches.client.clone(), &dns_endpoint());
        let ours = watcher::Config::default().labels(AGGREGATION_LABEL);
        let ours = changes(endpoints, ours).map(Event::Endpoints);
        watches.fixed.spawn(forward(ours, watches.sender.clone()));
        let remains = remains::found(watches.client.clone(), Arc::clone(&watches.kinds));
        watches.fixed.spawn(forward(remains.map(Event::Remains), watches.sender.clone()));
        watches
    }

    /// Watches what the hub needs, and no more.
    pub(super) fn follow(&mut self, topics: &BTreeMap<TopicId, Topic>, wants_decisions: bool) {
        // Once wanted they are watched for good: what happens while nobody looks would be missed.
        if wants_decisions && !std::mem::replace(&mut self.has_decisions, true) {
            let decisions: Api<DynamicObject> = Api::all_with(self.client.clone(), &placement_decision());
            let all = changes(decisions, watcher::Config::default()).map(Event::Decisions);
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
    fn objects_of(&self, id: TopicId, topic: Topic) -> impl Stream<Item = Event> + Send + use<> {
        let (client, kinds) = (self.client.clone(), Arc::clone(&self.kinds));
        let found = list_watch::discover(client.clone(), topic.api_version.clone(), topic.kind.clone());
        let kind = (topic.api_version.clone(), topic.kind.clone());
        let seen = found.map(move |found| match found {
            Ok((resource, capabilities)) => {
                let mut known = kinds.lock().unwrap_or_else(PoisonError::into_inner);
                known.insert(kind.clone(), resource.clone());
                drop(known);
                let is_namespaced = capabilities.scope == kube::discovery::Scope::Namespaced;
                match &topic.namespaces[..] {
                    [namespace] if is_namespaced => {
                        let api = Api::namespaced_with(client.clone(), namespace, &resource);
                        changes(api, watcher::Config::default()).boxed()
                    }
                    namespaces => {
                        let api = Api::<DynamicObject>::all_with(client.clone(), &resource);
                        let namespaces = if is_namespaced { namespaces.to_vec() } else { Vec::new() };
                        changes(api, watcher::Config::default())
                            .filter(move |change| {
                                let is_meant = is_within(change, &namespaces);
                                async move { is_meant }
                            })
                            .boxed()
                    }
                }
            }
            Err(why) => stream::once(async move { Change::Failed(why) }).boxed(),
        });
        seen.flatten().map(move |change| Event::Objects(id.clone(), change))
    }
}

fn is_within(change: &Change, namespaces: &[String]) -> bool {
    let is_meant = |namespace: &str| namespaces.is_empty() || namespaces.iter().any(|own| own == namespace);
    match change {
        Change::There(object) => is_meant(object["metadata"]["namespace"].as_str().unwrap_or_default()),
        Change::Gone(object) => is_meant(&object.namespace),
        Change::Listing | Change::Listed | Change::Failed(_) => true,
    }
}

async fn forward(events: impl Stream<Item = Event>, to: mpsc::Sender<Event>) {
    let mut events = std::pin::pin!(events);
    while let Some(event) = events.next().await {
        if to.send(event).await.is_err() {
            return;
        }
    }
}

/// What happens to objects; what a new list does not show is said to be gone.
fn changes(api: Api<DynamicObject>, only: watcher::Config) -> impl Stream<Item = Change> + Send {
    let known = BTreeSet::new();
    let listing: Option<BTreeSet<ObjectName>> = None;
    let events = list_watch::list_watch(api, only);
    events
        .scan((known, listing), |(known, listing), event| {
            let name = |object: &DynamicObject| {
                ObjectName::new(&object.namespace().unwrap_or_default(), &object.name_any())
            };
            let there = |object: &DynamicObject| {
                Change::There(Box::new(serde_json::to_value(object).unwrap_or_default()))
            };
            let changes = match event {
                Ok(watcher::Event::Init) => {
                    *listing = Some(BTreeSet::new());
                    vec![Change::Listing]
                }
                Ok(watcher::Event::InitApply(object)) => {
                    if let Some(listing) = listing {
                        listing.insert(name(&object));
                    }
                    known.insert(name(&object));
                    vec![there(&object)]
                }
                Ok(watcher::Event::Apply(object)) => {
                    known.insert(name(&object));
                    vec![there(&object)]
                }
                Ok(watcher::Event::Delete(object)) => {
                    known.remove(&name(&object));
                    vec![Change::Gone(name(&object))]
                }
                Ok(watcher::Event::InitDone) => {
                    let listed = listing.take().unwrap_or_default();
                    let gone: Vec<ObjectName> = known.difference(&listed).cloned().collect();
                    for name in &gone {
                        known.remove(name);
                    }
                    gone.into_iter().map(Change::Gone).chain([Change::Listed]).collect()
                }
                Err(why) => {
                    *listing = None;
                    vec![Change::Failed(why)]
                }
            };
            async move { Some(stream::iter(changes)) }
        })
        .flatten()
}
