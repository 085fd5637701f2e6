//! One cluster that is followed: the only part that holds a client.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready_core::Time;
use allready_inspect::{
    cluster::{Budget, follow},
    explain::{Bounds, Node},
    graph::{ObjectId, Reference},
    live::{Chosen, Details, Discovered, Event, Follower, State, learn_more, whole},
};
use allready_kube::resources::{Catalog, Resource};
use kube::Client;
use tokio::{
    sync::{Semaphore, watch},
    task::AbortHandle,
    time::{Instant, MissedTickBehavior, interval, sleep, timeout},
};

use super::{
    Wanted,
    access::{Question, Rights, Viewer},
    facts::facts,
    guard::{Eyes, reviews},
    object::{self, ObjectPage, Rows},
    page::{Page, Sight},
    timeline::{Change, Named, Timeline},
};

/// The pause before a cluster that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(2);
/// The most that is asked to explain an object, and by how many at a time: the page asks again while the object changes.
const BUDGET: Budget = Budget { requests: 60, time: Duration::from_secs(10) };
const EXPLAINED: usize = 2;
/// The time in which an object is to be read.
const ANSWER: Duration = Duration::from_secs(10);
/// The most people of whom it is remembered what they may see.
const MAX_SEATS: usize = 256;

/// A cluster that is followed.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) title: String,
    /// `namespace shop`.
    pub(super) scope: String,
    client: Client,
    known: Mutex<Known>,
    changed: watch::Sender<u64>,
    explaining: Semaphore,
    /// The memory of each viewer, and since when nobody asked for it.
    seats: Mutex<HashMap<Arc<Viewer>, (SharedSeat, Instant)>>,
    task: Mutex<Option<AbortHandle>>,
}

type SharedSeat = Arc<tokio::sync::Mutex<Seat>>;

/// The rights of a viewer, and the page that was last made for them.
#[derive(Default)]
struct Seat {
    rights: Rights,
    page: Option<((u64, u64), Arc<Page>)>,
}

/// The state of the cluster, and the page that was last made of it.
struct Known {
    state: State,
    timeline: Timeline,
    discovered: Discovered,
    revision: u64,
    page: Option<(u64, Arc<Page>)>,
}

impl Source {
    /// Follows a cluster until the end.
    pub(super) fn follow(client: Client, wanted: Wanted, memory: usize) -> std::io::Result<Arc<Self>> {
        let timeline = Timeline::open(wanted.history.as_deref())?;
        let discovered = Discovered::default();
        let known = Known { state: State::new(now()), timeline, discovered, revision: 0, page: None };
        let scope = wanted
            .namespace
            .as_ref()
            .map_or_else(|| "all namespaces".to_owned(), |name| format!("namespace {name}"));
        let source = Arc::new(Self {
            name: wanted.name.clone(),
            title: wanted.title.clone(),
            scope,
            client: client.clone(),
            known: Mutex::new(known),
            changed: watch::channel(0).0,
            explaining: Semaphore::new(EXPLAINED),
            seats: Mutex::default(),
            task: Mutex::new(None),
        });
        let task = tokio::spawn(run(Arc::clone(&source), client, wanted, memory));
        *source.task.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.abort_handle());
        Ok(source)
    }

    /// Watches nothing any more.
    pub(super) fn end(&self) {
        if let Some(task) = self.task.lock().unwrap_or_else(PoisonError::into_inner).take() {
            task.abort();
        }
        self.changed.send_modify(|revision| *revision = u64::MAX);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of changes; `u64::MAX` is the end.
    pub(super) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Everything at once, as it is now. Whoever asks while nothing changes is given the same page.
    pub(super) async fn page(&self, eyes: &Eyes) -> Arc<Page> {
        let Eyes::Viewer(viewer, believed) = eyes else { return self.whole_page() };
        let seat = self.seat(viewer);
        let mut seat = seat.lock().await;
        self.refresh(&mut seat.rights, viewer, *believed).await;
        let known = self.known();
        let versions = (known.revision, seat.rights.version);
        if let Some((_, page)) = seat.page.as_ref().filter(|(made, _)| *made == versions) {
            return Arc::clone(page);
        }
        let sees = |group: &str, kind: &str, namespace: &str| seat.rights.may(group, kind, namespace);
        let sight = sight(&seat.rights, &known.state, &sees);
        let mut changes = known.timeline.shown(|named| sees(&named.group, &named.kind, &named.namespace));
        if !sight.is_whole {
            changes.iter_mut().for_each(wordless);
        }
        let page = Arc::new(Page::of(&known.state, &changes, sight));
        drop(known);
        seat.page = Some((versions, Arc::clone(&page)));
        page
    }

    fn whole_page(&self) -> Arc<Page> {
        let mut known = self.known();
        if let Some((_, page)) = known.page.as_ref().filter(|(revision, _)| *revision == known.revision) {
            return Arc::clone(page);
        }
        let changes = known.timeline.shown(|_: &Named| true);
        let page = Arc::new(Page::of(&known.state, &changes, Sight::EVERYTHING));
        known.page = Some((known.revision, Arc::clone(&page)));
        page
    }

    /// The objects that a filter asks for.
    pub(super) async fn rows(&self, filter: &str, eyes: &Eyes) -> Rows {
        let Eyes::Viewer(viewer, believed) = eyes else {
            return object::rows(&self.known().state, filter, Sight::EVERYTHING);
        };
        let seat = self.seat(viewer);
        let mut seat = seat.lock().await;
        self.refresh(&mut seat.rights, viewer, *believed).await;
        let known = self.known();
        let sees = |group: &str, kind: &str, namespace: &str| seat.rights.may(group, kind, namespace);
        object::rows(&known.state, filter, sight(&seat.rights, &known.state, &sees))
    }

    /// One object, and what is behind how it is. Nothing where the kind is not served, or the object may not be seen: neither says
    /// whether there is one.
    pub(super) async fn object(&self, id: ObjectId, eyes: &Eyes) -> Option<ObjectPage> {
        let (discovered, changes) = {
            let known = self.known();
            (known.discovered.clone(), known.timeline.of_object(&id))
        };
        let (catalog, registry, now) = (&discovered.catalog, &discovered.registry, now());
        let resource =
            catalog.resources.iter().find(|found| found.kind == id.kind && found.group == id.group)?;
        // An object in no namespace is in none, whatever the address says.
        let namespace = Some(&*id.namespace).filter(|namespace| !namespace.is_empty());
        if namespace.is_some() != resource.is_namespaced || !self.may_see(&[&id], catalog, eyes).await {
            return None;
        }
        let _turn = self.explaining.acquire().await.ok()?;
        let details = if is_name(&id.name) && is_name_or_none(&id.namespace) {
            let api = resource.api(self.client.clone(), namespace);
            match timeout(ANSWER, api.get_opt(&id.name)).await {
                Ok(Ok(Some(object))) => Ok(Details::of(&whole(resource, &object), registry, now)),
                Ok(Ok(None)) => Err("it is not there".to_owned()),
                Ok(Err(kube::Error::Api(status))) => Err(status.message.clone()),
                Ok(Err(_)) | Err(_) => Err("the API server does not answer".to_owned()),
            }
        } else {
            Err("it is not there".to_owned())
        };
        let (root, bounds) = (Reference::to(&id), Bounds::default());
        let explanation = follow(&self.client, catalog, &root, registry, now, &bounds, BUDGET).await;
        let Eyes::Viewer(viewer, _) = eyes else {
            let sight = Sight::EVERYTHING;
            return Some(object::page(id, &resource.plural, details, &explanation, changes, sight));
        };
        let event = |node: &Node| ObjectId::new("", "Event", &node.object.namespace, "");
        let events: Vec<ObjectId> = explanation.nodes.iter().map(event).collect();
        let named: Vec<&ObjectId> =
            explanation.nodes.iter().map(|node| &node.object).chain(&events).chain([&id]).collect();
        // What was permitted before the object was read may have been taken back since.
        if !self.may_see(&named, catalog, eyes).await {
            return None;
        }
        let seat = self.seat(viewer);
        let seat = seat.lock().await;
        let sees = |group: &str, kind: &str, namespace: &str| seat.rights.may(group, kind, namespace);
        let sight = sight(&seat.rights, &self.known().state, &sees);
        let mut changes = changes;
        if !sight.is_whole {
            changes.iter_mut().for_each(wordless);
        }
        let explanation = object::shown(explanation, sight);
        Some(object::page(id, &resource.plural, details, &explanation, changes, sight))
    }

    /// The memory of a viewer.
    fn seat(&self, viewer: &Arc<Viewer>) -> SharedSeat {
        let mut seats = self.seats.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if !seats.contains_key(viewer) && seats.len() >= MAX_SEATS {
            let oldest =
                seats.iter().min_by_key(|(_, (_, used))| *used).map(|(viewer, _)| Arc::clone(viewer));
            oldest.map(|oldest| seats.remove(&oldest));
        }
        let (seat, used) = seats.entry(Arc::clone(viewer)).or_insert_with(|| (Arc::default(), now));
        *used = now;
        Arc::clone(seat)
    }

    /// Asks what somebody may see of everything.
    async fn refresh(&self, rights: &mut Rights, viewer: &Viewer, believed: Duration) {
        let now = Instant::now();
        rights.forget(now);
        // About all namespaces first, and then about single ones.
        for _ in 0..2 {
            let questions = {
                let known = self.known();
                let changes = known.timeline.shown(|_: &Named| true);
                rights.unanswered_of(&known.state, changes.iter().map(|change| &change.object))
            };
            self.ask(rights, viewer, questions, now, believed).await;
        }
    }

    async fn ask(
        &self,
        rights: &mut Rights,
        viewer: &Viewer,
        questions: Vec<Question>,
        now: Instant,
        believed: Duration,
    ) {
        if questions.is_empty() {
            return;
        }
        for (question, may) in reviews(&self.client, viewer, questions).await {
            // The answer is as old as the question.
            rights.learn(&question, may, now, believed);
        }
    }

    /// Finds out what may be seen of these objects. Tells whether the last may.
    async fn may_see(&self, ids: &[&ObjectId], catalog: &Catalog, eyes: &Eyes) -> bool {
        let Eyes::Viewer(viewer, believed) = eyes else { return true };
        let seat = self.seat(viewer);
        let mut seat = seat.lock().await;
        let now = Instant::now();
        seat.rights.forget(now);
        for _ in 0..2 {
            let wanted = ids.iter().filter_map(|id| {
                let served = |kind: &&Resource| kind.kind == id.kind && kind.group == id.group;
                let resource = catalog.resources.iter().find(served)?;
                Some((&*id.group, &*id.kind, &*resource.plural, &*id.namespace))
            });
            let questions = seat.rights.unanswered(wanted);
            self.ask(&mut seat.rights, viewer, questions, now, *believed).await;
        }
        ids.last().is_some_and(|id| seat.rights.may(&id.group, &id.kind, &id.namespace))
    }

    /// Takes in what was heard.
    fn take(&self, change: impl FnOnce(&mut Known)) {
        let revision = {
            let mut known = self.known();
            change(&mut known);
            let Known { state, timeline, revision, .. } = &mut *known;
            timeline.take(state);
            *revision += 1;
            *revision
        };
        // The end is the last change.
        self.changed.send_if_modified(|told| {
            let is_followed = *told != u64::MAX;
            if is_followed {
                *told = revision;
            }
            is_followed
        });
    }
}

fn sight<'a>(rights: &Rights, state: &State, sees: &'a dyn Fn(&str, &str, &str) -> bool) -> Sight<'a> {
    Sight { sees, is_whole: rights.is_whole(state), is_unsure: rights.is_unsure() }
}

/// Takes the reason away, which may be that of another object.
fn wordless(change: &mut Change) {
    change.reason.clear();
}

/// Tells whether this can be the name of an object, and no other part of an address.
fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_graphic() && !"/?#%\\".contains(c);
    !name.is_empty() && name != "." && name != ".." && name.len() <= 253 && name.chars().all(is_part)
}

fn is_name_or_none(name: &str) -> bool {
    name.is_empty() || is_name(name)
}

/// Follows a cluster: what happens there changes what is known of it.
async fn run(source: Arc<Source>, client: Client, wanted: Wanted, memory: usize) {
    let Wanted { namespace, declared, .. } = wanted;
    let catalog = loop {
        match Catalog::discover(&client).await {
            Ok(catalog) => break catalog,
            Err(error) => {
                let why = super::text(&error.to_string(), 400);
                source.take(|known| drop(known.state.update(Event::Silent(Some((why, now()))))));
                sleep(AGAIN).await;
            }
        }
    };
    let first = Chosen::everything(&catalog, namespace.as_deref());
    let discovered = Discovered::of(&client, catalog, &declared).await;
    let mut follower = Follower::new(client.clone(), now, facts).within(memory);
    source.take(|known| {
        known.state.update(Event::Silent(None));
        follower.learn(first, discovered, &mut known.state);
        known.discovered = follower.discovered().clone();
    });
    let mut second = interval(Duration::from_secs(1));
    second.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let again = || {
        let namespace = namespace.as_deref();
        learn_more(&client, &declared, move |catalog| Some(Chosen::everything(catalog, namespace)))
    };
    let news = again();
    tokio::pin!(news);
    let mut waiting = Vec::new();
    loop {
        tokio::select! {
            biased;
            _ = second.tick() => {
                let now = now();
                let is_told = {
                    let mut known = source.known();
                    known.state.tick(now);
                    known.state.silence.is_some()
                };
                // For how long nothing was heard is a part of the page.
                if is_told {
                    source.take(|_| {});
                }
            }
            (chosen, discovered) = &mut news => {
                source.take(|known| {
                    follower.learn(chosen, discovered, &mut known.state);
                    known.discovered = follower.discovered().clone();
                });
                news.set(again());
            }
            heard = follower.hear(&mut waiting) => {
                if let Err(ended) = heard {
                    tracing::error!("the live view of {} stops: {ended}", source.name);
                    let why = ended.to_string();
                    source.take(|known| drop(known.state.update(Event::Silent(Some((why, now()))))));
                    return;
                }
                source.take(|known| {
                    for event in waiting.drain(..) {
                        known.state.update(event);
                    }
                });
            }
        }
    }
}

fn now() -> Time {
    Time::new(jiff::Timestamp::now())
}
