//! The loop around a hub: watches in, writes out.

use std::{
    collections::BTreeMap,
    panic::AssertUnwindSafe,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use allready_kube::{
    clock::Clock,
    kinds::{StatusAggregation, StatusReport},
    metrics::WriteMetrics,
    refusal::Refusal,
};
use futures::{FutureExt, Stream, StreamExt, stream};
use kube::{
    Api, Client, ResourceExt,
    api::{ApiResource, DeleteParams, DynamicObject, Patch, PatchParams, Preconditions},
    error::DiscoveryError,
    runtime::watcher,
};
use serde_json::Value;
use tokio::{
    sync::mpsc,
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{
    Heard, MANAGER, ObjectName, Place, Spokes, Topic, TopicId,
    board::{AGGREGATION_LABEL, Change, Event, Hub, MADE_BY, Options},
    inventory::ClusterInventory,
    manager,
};
use crate::watching::{self, ANSWER, NO_ANSWER};

/// What running a hub takes.
///
/// # Permissions
///
/// On the hub: get, list and watch StatusAggregations and patch their status; get, list and watch the kinds that are
/// aggregated and patch their status; get, list, watch, create, patch and delete StatusReports, and DNSEndpoints where DNS
/// records are wanted. In the clusters: get, list and watch the kinds that are aggregated, and nothing else.
pub struct Hubbing {
    /// A client of the hub.
    pub client: Client,
    /// Where clusters come from.
    pub inventory: Box<dyn ClusterInventory>,
    /// How it is run.
    pub options: Options,
    /// Whether this replica may write.
    pub leading: Arc<dyn Fn() -> bool + Send + Sync>,
    /// The time of day.
    pub clock: Clock,
    /// What its writes cost.
    pub metrics: WriteMetrics,
}

impl Hubbing {
    /// One replica, with the time of the machine.
    pub fn new(client: Client, inventory: Box<dyn ClusterInventory>) -> Self {
        Self {
            client,
            inventory,
            options: Options::default(),
            leading: Arc::new(|| true),
            clock: Clock::system(),
            metrics: WriteMetrics::default(),
        }
    }

    /// Runs until the future is dropped; everything that it began ends with it.
    pub async fn run(self) {
        let Self { client, inventory, options, leading, clock, metrics } = self;
        let start = Instant::now();
        let mut hub = Hub::new(options, Duration::ZERO);
        let mut inventories = inventory.watch().fuse();
        let (mut spokes, mut heard): (Spokes, Heard) = Spokes::new();
        let mut watches = Watches::new(client.clone());
        let writer = Writer { client, kinds: Arc::clone(&watches.kinds) };
        let mut under_way: JoinSet<(Place, Written)> = JoinSet::new();
        let mut refused = BTreeMap::new();
        let mut blind = Blind::default();
        let mut has_inventory = true;
        loop {
            let topics = hub.topics();
            watches.follow(&topics);
            spokes.ask_every(hub.ask_every());
            let connected = spokes.follow(hub.clusters(), &topics);
            hub.connected(connected);
            let (due, pause) = hub.next(leading(), start.elapsed(), clock.now());
            for (place, body) in due {
                let writer = writer.clone();
                under_way.spawn(async move {
                    let written = AssertUnwindSafe(writer.write(&place, body.as_ref())).catch_unwind().await;
                    // Whatever happens, it is told: nothing else is written there before.
                    let failed = |_| Err((Refusal::Unanswered, "the controller failed on it".to_owned()));
                    (place, written.unwrap_or_else(failed))
                });
            }
            let event = tokio::select! {
                biased;
                Some(Ok((place, written))) = under_way.join_next() => Some(Event::Wrote(place, written)),
                Some(event) = watches.seen.recv() => Some(event),
                words = heard.next() => Some(Event::Heard(words)),
                inventory = inventories.next(), if has_inventory => {
                    has_inventory = inventory.is_some();
                    inventory.map(Event::Inventory)
                }
                () = sleep(pause) => None,
            };
            let (now, time) = (start.elapsed(), clock.now());
            // Whoever has nothing but news does not keep others from being heard.
            let words = heard.next().now_or_never().map(Event::Heard);
            let inventory = has_inventory.then(|| inventories.next().now_or_never().flatten()).flatten();
            for event in event.into_iter().chain(words).chain(inventory.map(Event::Inventory)) {
                if let Event::Wrote(place, written) = &event {
                    note(&metrics, place, written, &mut refused);
                }
                blind.note(&event);
                hub.see(event, now, time);
            }
            // What has come with it is taken with it.
            for _ in 0..BATCH {
                let Ok(event) = watches.seen.try_recv() else { break };
                blind.note(&event);
                hub.see(event, now, time);
            }
        }
    }
}

/// What cannot be seen at present, so that it is logged once.
#[derive(Default)]
struct Blind(BTreeMap<String, String>);

impl Blind {
    fn note(&mut self, event: &Event) {
        let (what, change) = match event {
            Event::Aggregations(change) => ("StatusAggregations".to_owned(), change),
            Event::Reports(change) => ("StatusReports".to_owned(), change),
            Event::Objects((aggregation, _), change) => (format!("the objects of {aggregation}"), change),
            Event::Inventory(Err(why)) => return self.fails("the clusters".to_owned(), why),
            Event::Inventory(Ok(_)) => return drop(self.0.remove("the clusters")),
            // Not every cluster has them, and whoever wants some is told in the status.
            Event::Endpoints(_) | Event::Heard(_) | Event::Wrote(..) => return,
        };
        match change {
            Change::Failed(why) => self.fails(what, why),
            Change::Listed => drop(self.0.remove(&what)),
            Change::Listing | Change::There(_) | Change::Gone(_) => {}
        }
    }

    fn fails(&mut self, what: String, why: &str) {
        if self.0.get(&what).is_none_or(|before| before != why) {
            tracing::warn!(why, "{what} cannot be seen at present");
            self.0.insert(what, why.to_owned());
        }
    }
}

/// How many sights of the hub are taken before it is looked whether something is to be written.
const BATCH: usize = 1024;

type Written = Result<Option<Value>, (Refusal, String)>;

/// Counts a write, and says once what keeps refusing it.
fn note(
    metrics: &WriteMetrics,
    place: &Place,
    written: &Written,
    refused: &mut BTreeMap<Place, (Refusal, u32)>,
) {
    match written {
        Ok(_) => {
            metrics.sent.inc();
            refused.remove(place);
        }
        Err((refusal, why)) => {
            metrics.retried.inc();
            let (last, times) = refused.entry(place.clone()).or_insert((*refusal, 0));
            *times = if last == refusal { times.saturating_add(1) } else { 1 };
            *last = *refusal;
            if !refusal.may_pass() {
                metrics.failed.inc();
            }
            // What may pass is told when it does not.
            if *times == if refusal.may_pass() { 5 } else { 1 } {
                tracing::warn!(%place, why, "cannot write, and will try again: may this controller do so?");
            }
        }
    }
}

/// How the kinds that are aggregated are called in requests, by version and kind.
type Kinds = Arc<Mutex<BTreeMap<(String, String), ApiResource>>>;

/// Executes what was decided.
#[derive(Clone)]
struct Writer {
    client: Client,
    kinds: Kinds,
}

impl Writer {
    async fn write(&self, place: &Place, body: Option<&Value>) -> Written {
        match timeout(ANSWER, self.attempt(place, body)).await {
            Ok(Ok(object)) => match body.zip(object.as_ref()).and_then(|(body, object)| lost(body, object)) {
                Some(what) => Err((Refusal::Conflict, what)),
                None => Ok(object),
            },
            Ok(Err(error)) => Err((Refusal::of(&error), in_words(&error))),
            Err(_) => Err((Refusal::Unanswered, NO_ANSWER.to_owned())),
        }
    }

    async fn attempt(&self, place: &Place, body: Option<&Value>) -> kube::Result<Option<Value>> {
        let manager = match place {
            Place::Status { aggregation, .. } => manager(aggregation),
            _ => MANAGER.to_owned(),
        };
        let apply = PatchParams::apply(&manager).force();
        let (api, name) = self.api(place, body)?;
        let Some(body) = body else {
            return remove(&api, &name).await;
        };
        let object = match place {
            Place::Status { .. } | Place::Aggregation(_) => {
                api.patch_status(&name, &apply, &Patch::Apply(body)).await?
            }
            Place::Dns(_) => {
                if api.get_opt(&name).await?.is_some_and(|found| !is_made_by_us(&found)) {
                    return Err(kube::Error::Service(NOT_OURS.into()));
                }
                api.patch(&name, &apply, &Patch::Apply(body)).await?
            }
            Place::Report(_) => {
                let without = |part: &str| {
                    let mut rest = body.clone();
                    if let Some(fields) = rest.as_object_mut() {
                        fields.remove(part);
                    }
                    rest
                };
                let (whole, status) = (without("status"), without("spec"));
                // It is there, most of the time, and nothing but its status changes.
                match api.patch_status(&name, &apply, &Patch::Apply(&status)).await {
                    Ok(object) if carries(&object, body) => object,
                    Ok(_) => api.patch(&name, &apply, &Patch::Apply(&whole)).await?,
                    Err(error) if Refusal::of(&error) == Refusal::NotFound => {
                        api.patch(&name, &apply, &Patch::Apply(&whole)).await?;
                        api.patch_status(&name, &apply, &Patch::Apply(&status)).await?
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        Ok(Some(serde_json::to_value(&object).unwrap_or_default()))
    }

    fn api(&self, place: &Place, body: Option<&Value>) -> kube::Result<(Api<DynamicObject>, String)> {
        let client = self.client.clone();
        let (object, resource) = match place {
            Place::Status { object, .. } => {
                let text =
                    |field: &str| body.and_then(|body| body[field].as_str()).unwrap_or_default().to_owned();
                let kind = (text("apiVersion"), text("kind"));
                let kinds = self.kinds.lock().unwrap_or_else(PoisonError::into_inner);
                // It was seen, so its kind has been discovered.
                let unknown = || kube::Error::Discovery(DiscoveryError::MissingKind(kind.1.clone()));
                (object.clone(), kinds.get(&kind).cloned().ok_or_else(unknown)?)
            }
            Place::Dns(object) => (object.clone(), dns_endpoint()),
            Place::Report(object) => (object.clone(), ApiResource::erase::<StatusReport>(&())),
            Place::Aggregation(name) => {
                (ObjectName::new("", name), ApiResource::erase::<StatusAggregation>(&()))
            }
        };
        let api = if object.namespace.is_empty() {
            Api::all_with(client, &resource)
        } else {
            Api::namespaced_with(client, &object.namespace, &resource)
        };
        Ok((api, object.name.as_ref().to_owned()))
    }
}

/// Takes an object away, if it is the one that was made here.
async fn remove(api: &Api<DynamicObject>, name: &str) -> kube::Result<Option<Value>> {
    let Some(found) = api.get_opt(name).await?.filter(is_made_by_us) else { return Ok(None) };
    let preconditions = Preconditions { uid: found.uid(), resource_version: found.resource_version() };
    let only_this = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
    match api.delete(name, &only_this).await {
        Ok(_) => Ok(None),
        Err(error) if Refusal::of(&error) == Refusal::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a report or an endpoint was made here.
fn is_made_by_us(object: &DynamicObject) -> bool {
    let labels = object.labels();
    labels.contains_key(AGGREGATION_LABEL) || labels.get(MADE_BY.0).is_some_and(|made| made == MADE_BY.1)
}

const NOT_OURS: &str = "an object of this name is there already, and is somebody else's: rename or remove it";

/// Whether an object has all that is wanted of it but for its status, which is written by itself.
fn carries(object: &DynamicObject, wanted: &Value) -> bool {
    let object = serde_json::to_value(object).unwrap_or_default();
    let metadata = |object: &Value, part: &str| object["metadata"][part].clone();
    let labels = metadata(wanted, "labels");
    let mut labels = labels.as_object().into_iter().flatten();
    object["spec"] == wanted["spec"]
        && labels.all(|(name, value)| object["metadata"]["labels"].get(name) == Some(value))
        && metadata(&object, "ownerReferences")[0]["uid"] == metadata(wanted, "ownerReferences")[0]["uid"]
}

/// What was accepted and does not stand nevertheless: somebody changes what is written on its way.
fn lost(sent: &Value, stands: &Value) -> Option<String> {
    let stands = &stands["status"];
    let conditions = sent["status"]["conditions"].as_array()?;
    let found = |type_: &Value| stands["conditions"].as_array()?.iter().find(|found| found["type"] == *type_);
    let lost = conditions.iter().find(|condition| {
        found(&condition["type"]).is_none_or(|found| found["status"] != condition["status"])
    })?;
    Some(format!("the condition {} was accepted, and another one stands", lost["type"]))
}

fn in_words(error: &kube::Error) -> String {
    match error {
        kube::Error::Api(status) => status.message.clone(),
        other => other.to_string(),
    }
}

fn dns_endpoint() -> ApiResource {
    ApiResource {
        group: "externaldns.k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "externaldns.k8s.io/v1alpha1".to_owned(),
        kind: "DNSEndpoint".to_owned(),
        plural: "dnsendpoints".to_owned(),
    }
}

/// The watches of the hub itself: one task each, ended when they are dropped.
struct Watches {
    client: Client,
    kinds: Kinds,
    sender: mpsc::Sender<Event>,
    seen: mpsc::Receiver<Event>,
    fixed: JoinSet<()>,
    objects: BTreeMap<TopicId, JoinSet<()>>,
}

impl Watches {
    fn new(client: Client) -> Self {
        let (sender, seen) = mpsc::channel(1024);
        let mut watches = Self {
            client,
            kinds: Kinds::default(),
            sender,
            seen,
            fixed: JoinSet::new(),
            objects: BTreeMap::new(),
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
        watches
    }

    /// Watches what the hub needs, and no more.
    fn follow(&mut self, topics: &BTreeMap<TopicId, Topic>) {
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
        let found = watching::discovered(client.clone(), topic.api_version.clone(), topic.kind.clone());
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
    let known = std::collections::BTreeSet::new();
    let listing: Option<std::collections::BTreeSet<ObjectName>> = None;
    let events = watching::events(api, only);
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
                    *listing = Some(std::collections::BTreeSet::new());
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
