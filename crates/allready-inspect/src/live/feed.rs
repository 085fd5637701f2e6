//! What happens in a cluster, as events: each kind is listed and then watched, for as long as anybody wants to know.

use std::{pin::pin, sync::Arc, time::Duration};

use allready_core::Time;
use allready_kube::{
    backoff::Backoff,
    list_watch::{NO_ANSWER, Room, WatchError, list_watch_opened},
    refusal::innermost,
    resources::{Catalog, Resource, Selection},
};
use futures::StreamExt as _;
use kube::{Client, api::DynamicObject, runtime::watcher};
use serde_json::Value;
use tokio::{
    sync::{Notify, Semaphore, SemaphorePermit, mpsc, watch},
    time::{Instant, interval, sleep, timeout},
};

use super::{
    aging::Aging,
    details::Details,
    record::Key,
    room::{Fit, NO_ROOM, Share, weight},
    state::{Event, Seen, Standing},
};
use crate::{
    causes::Digest,
    cluster::{Budget, follow},
    explain::Bounds,
    graph::{ObjectId, Reference},
    health::Health,
    judge::{self, Verdict},
    registry::Registry,
};

/// How many kinds are listed at the same time.
const MAX_LISTS: usize = 6;
/// How long the answer for one object may take.
const ANSWER: Duration = Duration::from_secs(30);
/// How often the server is asked whether it is there, and how long it may take to say so.
const PULSE: Duration = Duration::from_secs(2);
const PULSE_ANSWER: Duration = Duration::from_secs(4);
/// The wait between two attempts.
const PATIENCE: Backoff = Backoff { min: Duration::from_millis(500), max: Duration::from_secs(15) };
/// How often objects are judged again whose verdict may change by itself.
const AGAIN: Duration = Duration::from_secs(5);
/// The interval at which a kind is listed again when not all of its objects had room.
const ROOM_AGAIN: Duration = Duration::from_mins(5);
/// How much may be asked to explain an object while somebody looks at it.
const BUDGET: Budget = Budget { requests: 60, time: Duration::from_secs(10) };
/// How long the object that somebody looks at is left alone after it was read: to explain it takes many requests.
const LOOK: Duration = Duration::from_secs(1);

/// What all watches have in common.
#[derive(Clone)]
pub struct Feed {
    client: Client,
    permits: Arc<Semaphore>,
    events: mpsc::Sender<Event>,
    now: fn() -> Time,
    facts: fn(&Value) -> Option<Value>,
    /// The server is back: what waits to try again does so at once.
    back: Arc<Notify>,
    /// The memory for all objects.
    room: Arc<Room>,
}

/// An object that somebody looks at.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The object.
    pub key: Key,
    /// Its kind.
    pub resource: Resource,
    /// The kinds of the cluster.
    pub catalog: Arc<Catalog>,
    /// The meaning of their conditions.
    pub registry: Arc<Registry>,
}

/// Nobody listens any more.
struct Unheard;

impl Feed {
    /// Sends events, with facts of objects.
    pub fn new(
        client: Client,
        events: mpsc::Sender<Event>,
        now: fn() -> Time,
        facts: fn(&Value) -> Option<Value>,
    ) -> Self {
        let (permits, back) = (Arc::new(Semaphore::new(MAX_LISTS)), Arc::default());
        Self { client, permits, events, now, facts, back, room: Room::of(usize::MAX) }
    }

    /// Remembers no more objects than fit into so many bytes, as estimated.
    pub(super) fn limit(&mut self, bytes: usize) {
        self.room = Room::of(bytes);
    }

    /// Says everything that happens to objects of a resource, until nobody listens.
    pub async fn follow(
        self,
        index: usize,
        resource: Resource,
        selection: Selection,
        registry: Arc<Registry>,
    ) {
        let api = resource.api(self.client.clone(), selection.namespace.as_deref());
        let mut only = watcher::Config::default();
        (only.label_selector, only.field_selector) = (selection.labels, selection.fields);
        let mut events = pin!(list_watch_opened(api.clone(), only.clone()));
        let aging = aging(Arc::clone(&registry));
        let resource = &resource;
        let (share, listing, listed) = (Share::new(Arc::clone(&self.room)), None, Instant::now());
        let mut kind =
            Followed { feed: &self, resource, index, registry, aging, share, listing, listed, failures: 0 };
        let mut again = interval(AGAIN);
        loop {
            let heard = tokio::select! {
                Some(event) = events.next() => kind.hear(event).await,
                _ = again.tick(), if kind.listing.is_none() => {
                    if kind.share.is_over && kind.listed.elapsed() >= ROOM_AGAIN {
                        events.set(list_watch_opened(api.clone(), only.clone()));
                    }
                    kind.judge_again().await
                }
            };
            if heard.is_err() {
                return;
            }
        }
    }

    /// Asks the server again and again for next to nothing. A connection that is dead says nothing, like one on which
    /// nothing happens, and each watch by itself would take half a minute to notice.
    pub async fn listen(self) {
        let (mut was_heard, mut last) = (true, (self.now)());
        loop {
            sleep(PULSE).await;
            let silence = match timeout(PULSE_ANSWER, self.client.apiserver_version()).await {
                // Whoever refuses is there.
                Ok(Ok(_) | Err(kube::Error::Api(_))) => None,
                Ok(Err(error)) => Some(in_words(&error)),
                Err(_) => Some(NO_ANSWER.to_owned()),
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
    pub async fn look(self, mut wanted: watch::Receiver<Option<Wanted>>) {
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
            Err(_) => Err(NO_ANSWER.to_owned()),
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
    resource: &'a Resource,
    index: usize,
    registry: Arc<Registry>,
    aging: Aging,
    share: Share,
    /// The permission to list, while a list is under way.
    listing: Option<SemaphorePermit<'a>>,
    /// The end of the last list.
    listed: Instant,
    /// How many times in a row no watch was opened.
    failures: u32,
}

impl Followed<'_> {
    /// Says what an event of the list-watch means.
    async fn hear(
        &mut self,
        event: Result<Option<watcher::Event<DynamicObject>>, WatchError>,
    ) -> Result<(), Unheard> {
        use watcher::Event::{Apply, Delete, Init, InitApply, InitDone};
        let index = self.index;
        match event {
            Ok(Some(Init)) => {
                self.feed.send(Event::Listing(index)).await?;
                // The list is asked for when the next event is.
                self.listing = Some(self.feed.permits.acquire().await.map_err(|_| Unheard)?);
                self.aging.clear();
                self.share.listing();
                Ok(())
            }
            Ok(Some(InitApply(object) | Apply(object))) => {
                let (key, object, now) =
                    (self.key(&object), whole(self.resource, &object), (self.feed.now)());
                let verdict = self.aging.judge(&key, &object, now);
                self.see(key, object, verdict, now).await
            }
            Ok(Some(Delete(object))) => {
                let key = self.key(&object);
                self.aging.forget(&key);
                if !self.share.forget(&key.place) {
                    return Ok(());
                }
                self.feed.send(Event::Gone(key)).await
            }
            Ok(Some(InitDone)) => {
                (self.listing, self.listed) = (None, Instant::now());
                self.share.listed();
                self.feed.send(Event::Listed(index)).await
            }
            Ok(None) => {
                self.failures = 0;
                let watching = Event::Watching(index);
                let is_over = self.share.is_over;
                self.feed
                    .send(if is_over { Event::Failed(index, NO_ROOM.to_owned()) } else { watching })
                    .await
            }
            Err(why) => {
                self.listing = None;
                self.feed.send(Event::Failed(index, unseen(&why))).await?;
                // Of the kinds of a cluster many may be refused: they are asked for less and less often.
                tokio::select! {
                    () = sleep(PATIENCE.delay(self.failures, 0.5)) => {}
                    () = self.feed.back.notified() => {}
                }
                self.failures = self.failures.saturating_add(1);
                Ok(())
            }
        }
    }

    /// Says of which objects time alone has changed what they come to.
    async fn judge_again(&mut self) -> Result<(), Unheard> {
        let now = (self.feed.now)();
        for (key, object, verdict) in self.aging.changed(now) {
            self.see(key, object, verdict, now).await?;
        }
        Ok(())
    }

    /// Says how an object is, as far as there is room to remember it.
    async fn see(&mut self, key: Key, object: Value, verdict: Verdict, now: Time) -> Result<(), Unheard> {
        let was_over = self.share.is_over;
        let size = weight(&object);
        let mut seen = seen_of(key, object, verdict, &self.registry, now, self.feed.facts);
        let is_related = seen.digest.as_ref().is_some_and(|digest| digest.may_change());
        let copies = usize::from(is_related) + usize::from(self.aging.keeps(&seen.key));
        let facts = seen.facts.as_deref().map_or(0, weight);
        let told = match seen.verdict.health {
            Health::Healthy => 0,
            _ => 1_000 + 4 * (seen.verdict.reason.len() + seen.verdict.message.len()),
        };
        let fit = self.share.fit(&seen.key.place, copies * size + facts + told);
        if fit != Fit::Whole {
            self.aging.forget(&seen.key);
        }
        if fit == Fit::Brief {
            in_brief(&mut seen);
        }
        if fit != Fit::No {
            self.feed.send(Event::Seen(Box::new(seen))).await?;
        }
        // What a list leaves out is said at its end.
        if self.share.is_over && !was_over && self.listing.is_none() {
            self.feed.send(Event::Failed(self.index, NO_ROOM.to_owned())).await?;
        }
        Ok(())
    }

    fn key(&self, object: &DynamicObject) -> Key {
        let metadata = &object.metadata;
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        Key::new(self.index, &text(&metadata.namespace), &text(&metadata.name))
    }
}

/// Leaves of an object that it is red, or else that nobody knows.
fn in_brief(seen: &mut Seen) {
    let Verdict { health, reason, message, .. } = &mut seen.verdict;
    if *health < Health::Unknown {
        (*health, *reason) = (Health::Unknown, "NoRoom".to_owned());
    }
    reason.truncate(reason.char_indices().nth(60).map_or(reason.len(), |(end, _)| end));
    NO_ROOM.clone_into(message);
    let verdict = seen.verdict.clone();
    seen.digest = seen.digest.take().map(|digest| Box::new(Digest::of_verdict(digest.id().clone(), verdict)));
    (seen.standing, seen.facts) = (Standing::Final, None);
}

/// An object, with what the search for causes needs of it.
pub fn seen(
    key: Key,
    object: Value,
    verdict: Verdict,
    registry: &Registry,
    now: Time,
    facts: fn(&Value) -> Option<Value>,
) -> Event {
    Event::Seen(Box::new(seen_of(key, object, verdict, registry, now, facts)))
}

fn seen_of(
    key: Key,
    object: Value,
    verdict: Verdict,
    registry: &Registry,
    now: Time,
    facts: fn(&Value) -> Option<Value>,
) -> Seen {
    let uid = object["metadata"]["uid"].as_str().unwrap_or_default().to_owned();
    let facts = facts(&object).map(Arc::new);
    let digest = Digest::of(object, verdict.clone(), registry, now).map(Box::new);
    let may_change = digest.as_ref().is_some_and(|digest| digest.may_change());
    let standing = if may_change { Standing::Alone } else { Standing::Final };
    Seen { key, uid, verdict, digest, standing, facts }
}

/// Remembers nothing of an object beside its health.
pub fn no_facts(_object: &Value) -> Option<Value> {
    None
}

/// The judge of the objects of a kind.
pub(super) fn aging(registry: Arc<Registry>) -> Aging {
    Aging::new(move |object, now| judge::judge(object, &registry, now))
}

/// An object with its kind, which the entries of a list do not have.
pub fn whole(resource: &Resource, object: &DynamicObject) -> Value {
    let mut whole = serde_json::to_value(object).unwrap_or_default();
    if let Value::Object(fields) = &mut whole {
        fields.insert("apiVersion".to_owned(), resource.api_version().into());
        fields.insert("kind".to_owned(), resource.kind.clone().into());
    }
    whole
}

/// Why nothing can be seen of a kind, in short.
fn unseen(why: &WatchError) -> String {
    match why {
        WatchError::Request(error) => in_words(error),
        other => other.to_string(),
    }
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
