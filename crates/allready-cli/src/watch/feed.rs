//! What happens in a cluster, as events: each kind is listed and then watched, for as long as anybody wants to know.

use std::{sync::Arc, time::Duration};

use allready_core::{
    Time,
    explain::{Bounds, ObjectId, Reference},
    health,
    registry::Registry,
};
use allready_kube::{
    backoff::Backoff,
    follow::{Budget, follow},
    refusal::innermost,
    resources::{Catalog, Resource, Selection},
};
use futures::StreamExt as _;
use kube::{
    Api, Client,
    api::{DynamicObject, ListParams, WatchEvent, WatchParams},
};
use serde_json::Value;
use tokio::{
    sync::{Notify, Semaphore, mpsc, watch},
    time::{Instant, interval, sleep, timeout, timeout_at},
};

use super::{
    aging::Aging,
    details::Details,
    model::Key,
    update::{Event, Seen},
};

/// How many kinds are listed at the same time.
const MAX_LISTS: usize = 6;
/// How many objects are asked for at once.
const PAGE: u32 = 500;
/// How long an answer may take.
const ANSWER: Duration = Duration::from_secs(30);
/// How long one watch lasts, in seconds. One that is dead without a word is noticed when it should have ended.
const WATCH_SECONDS: u32 = 60;
/// How often the server is asked whether it is there, and how long it may take to say so.
const PULSE: Duration = Duration::from_secs(2);
const PULSE_ANSWER: Duration = Duration::from_secs(4);
/// How long to wait between two attempts.
const PATIENCE: Backoff = Backoff { min: Duration::from_millis(500), max: Duration::from_secs(15) };
/// How often objects are judged again whose verdict may change by itself.
const AGAIN: Duration = Duration::from_secs(5);
/// How long a watch has to go well for its failures to be forgotten.
const STEADY: Duration = Duration::from_secs(10);
/// How much may be asked to explain an object while somebody looks at it.
const BUDGET: Budget = Budget { requests: 60, time: Duration::from_secs(10) };
/// How long the object that somebody looks at is left alone after it was read: to explain it takes many requests.
const LOOK: Duration = Duration::from_secs(1);

/// What all watches have in common.
#[derive(Clone)]
pub(super) struct Feed {
    client: Client,
    permits: Arc<Semaphore>,
    events: mpsc::Sender<Event>,
    now: fn() -> Time,
    /// The server is back: what waits to try again does so at once.
    back: Arc<Notify>,
}

/// An object that somebody looks at.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) key: Key,
    pub(super) resource: Resource,
    pub(super) catalog: Arc<Catalog>,
    pub(super) registry: Arc<Registry>,
}

/// Nobody listens any more.
struct Unheard;

/// Why a watch, or a list, is over.
enum End {
    /// The server ends each watch after a while.
    Closed,
    /// The server does not remember so far back, or the connection broke: what there is has to be listed again.
    Lost,
    /// It does not work, for this reason.
    Failed(String),
    Unheard,
}

impl From<Unheard> for End {
    fn from(_: Unheard) -> Self {
        Self::Unheard
    }
}

impl Feed {
    pub(super) fn new(client: Client, events: mpsc::Sender<Event>, now: fn() -> Time) -> Self {
        let (permits, back) = (Arc::new(Semaphore::new(MAX_LISTS)), Arc::default());
        Self { client, permits, events, now, back }
    }

    /// Says everything that happens to objects of a resource, until nobody listens.
    ///
    /// kube's own watcher does not say when a watch works again after it failed, and a watch that works must not be
    /// called failing, nor one that fails be silent; so this lists and watches by itself.
    pub(super) async fn follow(
        self,
        index: usize,
        resource: Resource,
        selection: Selection,
        registry: Arc<Registry>,
    ) {
        let api = resource.api(self.client.clone(), selection.namespace.as_deref());
        let aging = Aging::new(move |object, now| health::judge(object, &registry, now));
        let mut kind =
            Followed { feed: &self, api, resource: &resource, selection: &selection, index, aging };
        let mut failures = 0;
        loop {
            let began = Instant::now();
            let event = match kind.round().await {
                End::Unheard => return,
                End::Failed(why) => Event::Failed(index, why),
                // From now on it is not known what there is.
                End::Closed | End::Lost => Event::Listing(index),
            };
            if self.send(event).await.is_err() {
                return;
            }
            if began.elapsed() > STEADY {
                failures = 0;
            }
            tokio::select! {
                () = sleep(PATIENCE.delay(failures, 0.5)) => {}
                () = self.back.notified() => {}
            }
            failures = failures.saturating_add(1);
        }
    }

    /// Asks the server again and again for next to nothing. A connection that is dead says nothing, like one on which
    /// nothing happens, and each watch by itself would take a minute to notice.
    pub(super) async fn listen(self) {
        let (mut was_heard, mut last) = (true, (self.now)());
        loop {
            sleep(PULSE).await;
            let silence = match timeout(PULSE_ANSWER, self.client.apiserver_version()).await {
                // Whoever refuses is there.
                Ok(Ok(_) | Err(kube::Error::Api(_))) => None,
                Ok(Err(error)) => Some(in_words(&error)),
                Err(_) => Some("the API server does not answer".to_owned()),
            };
            let is_heard = silence.is_none();
            if is_heard {
                last = (self.now)();
            }
            if is_heard == was_heard {
                continue;
            }
            was_heard = is_heard;
            if self.send(Event::Silent(silence.map(|why| (why, last)))).await.is_err() {
                return;
            }
            if is_heard {
                self.back.notify_waiters();
            }
        }
    }

    /// Reads the object that somebody looks at, each time it is asked for.
    pub(super) async fn look(self, mut wanted: watch::Receiver<Option<Wanted>>) {
        while wanted.changed().await.is_ok() {
            let Some(Wanted { key, resource, catalog, registry }) = wanted.borrow_and_update().clone() else {
                continue;
            };
            let now = (self.now)();
            let read = self.read(&resource, &key).await;
            let details = read.map(|object| Box::new(Details::of(&object, &registry, now)));
            let is_read = details.is_ok();
            if self.send(Event::Looked(key.clone(), details)).await.is_err() {
                return;
            }
            if is_read {
                let (namespace, name) = (&key.place.namespace, &key.place.name);
                let id = ObjectId::new(&resource.group, &resource.kind, namespace, name);
                let (root, bounds) = (Reference::to(&id), Bounds::default());
                let explained = follow(&self.client, &catalog, &root, &registry, now, &bounds, BUDGET);
                let explanation = tokio::select! {
                    explanation = explained => explanation,
                    // Whoever looks at something else by now does not wait for this.
                    () = another(wanted.clone(), &key) => continue,
                };
                if self.send(Event::Explained(key, Box::new(explanation))).await.is_err() {
                    return;
                }
            }
            sleep(LOOK).await;
        }
    }

    async fn read(&self, resource: &Resource, key: &Key) -> Result<Value, String> {
        let namespace = Some(&*key.place.namespace).filter(|namespace| !namespace.is_empty());
        let api = resource.api(self.client.clone(), namespace);
        match timeout(ANSWER, api.get(&key.place.name)).await {
            Ok(Ok(object)) => Ok(whole(resource, &object)),
            Ok(Err(error)) => Err(in_words(&error)),
            Err(_) => Err("the API server does not answer".to_owned()),
        }
    }

    async fn send(&self, event: Event) -> Result<(), Unheard> {
        self.events.send(event).await.map_err(|_| Unheard)
    }
}

/// Waits until somebody looks at another object, or at none any more.
async fn another(mut wanted: watch::Receiver<Option<Wanted>>, key: &Key) {
    let is_another = |wanted: &Option<Wanted>| wanted.as_ref().is_some_and(|wanted| wanted.key != *key);
    let _ = wanted.wait_for(is_another).await;
}

/// One resource, while it is followed.
struct Followed<'a> {
    feed: &'a Feed,
    api: Api<DynamicObject>,
    resource: &'a Resource,
    selection: &'a Selection,
    index: usize,
    aging: Aging,
}

impl Followed<'_> {
    /// Lists everything, then watches for as long as that goes well.
    async fn round(&mut self) -> End {
        let mut version = match self.list().await {
            Ok(version) => version,
            Err(end) => return end,
        };
        loop {
            let began = Instant::now();
            match self.watch(&mut version).await {
                // A server that ends its watches at once is treated as one that fails.
                Ok(End::Closed) if began.elapsed() > Duration::from_secs(1) => {}
                Ok(end) | Err(end) => return end,
            }
        }
    }

    /// Says what there is, and gives the version of it.
    async fn list(&mut self) -> Result<String, End> {
        self.feed.send(Event::Listing(self.index)).await?;
        let Ok(_permit) = self.feed.permits.acquire().await else { return Err(End::Unheard) };
        self.aging.clear();
        let mut params = ListParams { limit: Some(PAGE), ..ListParams::default() };
        params.label_selector.clone_from(&self.selection.labels);
        params.field_selector.clone_from(&self.selection.fields);
        loop {
            let page = answered(self.api.list(&params)).await?;
            for object in &page.items {
                let seen = self.seen(object);
                self.feed.send(seen).await?;
            }
            params.continue_token = page.metadata.continue_.filter(|token| !token.is_empty());
            if params.continue_token.is_none() {
                self.feed.send(Event::Listed(self.index)).await?;
                return Ok(page.metadata.resource_version.unwrap_or_default());
            }
        }
    }

    /// Says what happens from a version on, which becomes the one that was seen last.
    async fn watch(&mut self, version: &mut String) -> Result<End, End> {
        let mut params = WatchParams { timeout: Some(WATCH_SECONDS), ..WatchParams::default() };
        params.label_selector.clone_from(&self.selection.labels);
        params.field_selector.clone_from(&self.selection.fields);
        let mut stream = answered(self.api.watch(&params, version)).await?.boxed();
        self.feed.send(Event::Watching(self.index)).await?;
        let longest = Duration::from_secs(u64::from(WATCH_SECONDS) + 5);
        let (mut again, mut last) = (interval(AGAIN), Instant::now());
        loop {
            let next = tokio::select! {
                next = timeout_at(last + longest, stream.next()) => next,
                _ = again.tick() => {
                    self.judge_again().await?;
                    continue;
                }
            };
            let event = match next {
                Ok(Some(Ok(event))) => event,
                Ok(None) => return Ok(End::Closed),
                Ok(Some(Err(_))) | Err(_) => return Ok(End::Lost),
            };
            last = Instant::now();
            match event {
                WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                    let seen = self.seen(&object);
                    self.feed.send(seen).await?;
                    *version = object.metadata.resource_version.unwrap_or_default();
                }
                WatchEvent::Deleted(object) => {
                    let key = self.key(&object);
                    self.aging.forget(&key);
                    self.feed.send(Event::Gone(key)).await?;
                    *version = object.metadata.resource_version.unwrap_or_default();
                }
                WatchEvent::Bookmark(mark) => *version = mark.metadata.resource_version,
                WatchEvent::Error(status) if matches!(status.code, 410 | 504) => return Ok(End::Lost),
                WatchEvent::Error(status) => return Ok(End::Failed(status.message)),
            }
        }
    }

    /// Says of which objects time alone has changed what they come to.
    async fn judge_again(&mut self) -> Result<(), Unheard> {
        for (key, uid, verdict) in self.aging.changed((self.feed.now)()) {
            self.feed.send(Event::Seen(Box::new(Seen { key, uid, verdict }))).await?;
        }
        Ok(())
    }

    fn seen(&mut self, object: &DynamicObject) -> Event {
        let key = self.key(object);
        let verdict = self.aging.judge(&key, whole(self.resource, object), (self.feed.now)());
        let uid = object.metadata.uid.clone().unwrap_or_default();
        Event::Seen(Box::new(Seen { key, uid, verdict }))
    }

    fn key(&self, object: &DynamicObject) -> Key {
        let metadata = &object.metadata;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Key::new(self.index, &text(&metadata.namespace), &text(&metadata.name))
    }
}

/// The answer to a request, if it comes in time and is one.
async fn answered<T>(request: impl Future<Output = kube::Result<T>>) -> Result<T, End> {
    match timeout(ANSWER, request).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(kube::Error::Api(status))) if status.code == 410 => Err(End::Lost),
        Ok(Err(error)) => Err(End::Failed(in_words(&error))),
        Err(_) => Err(End::Failed("the API server does not answer".to_owned())),
    }
}

/// An object with its kind, which the entries of a list do not have.
fn whole(resource: &Resource, object: &DynamicObject) -> Value {
    let mut whole = serde_json::to_value(object).unwrap_or_default();
    if let Value::Object(fields) = &mut whole {
        fields.insert("apiVersion".to_owned(), resource.api_version().into());
        fields.insert("kind".to_owned(), resource.kind.clone().into());
    }
    whole
}

/// Why the API server did not do what it was asked, in short: of what went wrong with a connection, the innermost says most.
fn in_words(error: &kube::Error) -> String {
    if let kube::Error::Api(status) = error {
        // Who is refused reads the name of the kind before this already.
        let refusal = status.message.split_once(" is forbidden: ").filter(|_| status.code == 403);
        return refusal.map_or_else(|| status.message.clone(), |(_, why)| format!("forbidden: {why}"));
    }
    format!("the API server does not answer: {}", innermost(error))
}
