//! The objects of a watch in view of each other: the same verdicts and causes as `check` finds, kept up to date.
//!
//! A [`Graph`] stands between the feed and the state. Every event passes through it; of objects it keeps what the search for causes
//! needs, and when something has changed it searches, at a pace that leaves most of a processor to others.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use allready_core::Time;
use allready_kube::resources::{Catalog, Resource, Selection};
use kube::Client;
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    task::JoinHandle,
    time::{Instant, sleep_until},
};

use super::{
    record::{Group, Key},
    state::{Event, Seen, Standing},
};
use crate::{
    causes::{Cause, Causes, Digest, Found},
    cluster::{Budget, find_causes},
    graph::{Extent, Gap, ObjectId},
    judge::Verdict,
    registry::Registry,
};

/// The least time between two searches.
const PAUSE: Duration = Duration::from_millis(400);
/// The pause after a search, as a multiple of the time that it took.
const REST: u32 = 3;
/// The interval of searches while nothing changes: time alone makes some objects worse.
const AGAIN: Duration = Duration::from_secs(10);
/// The time for which answers about objects that are not watched are believed.
const BELIEVED: Duration = Duration::from_secs(30);
/// The most that is asked by a search that believes no earlier answer: as much as `check` asks.
const ANEW: Budget = Budget { requests: 60, time: Duration::from_secs(10) };
/// The most that is asked by the searches between.
const BETWEEN: Budget = Budget { requests: 10, time: Duration::from_secs(5) };
/// The number of changes that may wait for the end of a search.
const MAX_WAITING: usize = 10_000;

/// The kinds that are watched, by their index, and what is known of them.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// The kinds, by their index.
    pub kinds: Vec<Followed>,
    /// The kinds that are served.
    pub catalog: Arc<Catalog>,
    /// The meaning of their conditions.
    pub registry: Arc<Registry>,
    /// Set where every kind is watched.
    pub is_everything: bool,
}

/// A kind that is watched.
#[derive(Clone, Debug)]
pub struct Followed {
    group: String,
    kind: String,
    namespace: Option<String>,
    /// Set where all of its objects are watched, and not those with some labels.
    is_whole: bool,
    /// Set where it is not served any more.
    pub is_retired: bool,
}

impl Followed {
    pub fn new(resource: &Resource, selection: &Selection) -> Self {
        Self {
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace: selection.namespace.clone().filter(|_| resource.is_namespaced),
            is_whole: selection.labels.is_none() && selection.fields.is_none(),
            is_retired: false,
        }
    }
}

/// An object that is there.
#[derive(Debug)]
struct Held {
    id: ObjectId,
    uid: String,
    /// The verdict on it alone, where others may change it.
    alone: Option<Verdict>,
    facts: Option<Arc<Value>>,
}

/// The list of a kind, as far as it has come.
#[derive(Debug, Default)]
struct List {
    /// Set once there was an answer.
    is_answered: bool,
    /// The reason why nothing is seen of it.
    failure: Option<String>,
    /// The objects that were there before, and that a list which is under way has not brought yet.
    unlisted: HashSet<Key>,
}

/// A change of the objects.
#[derive(Debug)]
enum Change {
    Add(Box<Digest>),
    Remove(ObjectId),
}

/// The objects that are there, and what others make of them.
#[derive(Debug)]
pub struct Graph {
    /// Away while a search is under way.
    causes: Option<Causes>,
    /// The changes that wait for the end of the search.
    waiting: Vec<Change>,
    objects: HashMap<Key, Held>,
    keys: HashMap<ObjectId, Key>,
    lists: Vec<List>,
    /// The objects that have changed since the last search began, and whose verdict others may change.
    unsettled: BTreeSet<Key>,
    /// Those that the search under way settles.
    settling: BTreeSet<Key>,
    /// The verdicts that others decided.
    related: BTreeMap<ObjectId, Verdict>,
    /// Set if something has changed since the last search began.
    is_changed: bool,
}

/// The outcome of a search: the causes, each with the objects that it affects, in words.
#[derive(Debug)]
pub struct Searched {
    causes: Causes,
    found: Found,
    affects: Vec<String>,
}

impl Searched {
    /// Puts the affected objects in words.
    pub fn new(causes: Causes, found: Found) -> Self {
        let affects = all(&found).map(|cause| causes.affects(cause)).collect();
        Self { causes, found, affects }
    }
}

fn all(found: &Found) -> impl Iterator<Item = &Cause> {
    found.causes.iter().chain(&found.hints)
}

impl Graph {
    /// Nothing is there yet.
    pub fn new(extent: Extent) -> Self {
        Self {
            causes: Some(Causes::new(extent)),
            waiting: Vec::new(),
            objects: HashMap::new(),
            keys: HashMap::new(),
            lists: Vec::new(),
            unsettled: BTreeSet::new(),
            settling: BTreeSet::new(),
            related: BTreeMap::new(),
            is_changed: true,
        }
    }

    /// Takes an event in, on its way to the screen.
    pub fn hear(&mut self, event: &mut Event) {
        match event {
            Event::Listing(index) => {
                let known = self.objects.keys().filter(|key| key.kind == *index).cloned().collect();
                self.list(*index).unlisted = known;
            }
            Event::Seen(seen) => self.see(seen),
            Event::Gone(key) => self.lose(key),
            Event::Listed(index) => {
                let list = self.list(*index);
                (list.is_answered, list.failure) = (true, None);
                for key in std::mem::take(&mut list.unlisted) {
                    self.lose(&key);
                }
                self.is_changed = true;
            }
            Event::Failed(index, why) => {
                let list = self.list(*index);
                (list.is_answered, list.failure) = (true, Some(why.clone()));
                self.is_changed = true;
            }
            _ => {}
        }
    }

    fn list(&mut self, index: usize) -> &mut List {
        if self.lists.len() <= index {
            self.lists.resize_with(index + 1, List::default);
        }
        &mut self.lists[index]
    }

    fn see(&mut self, seen: &mut Seen) {
        let Some(digest) = seen.digest.take() else { return };
        let key = &seen.key;
        self.list(key.kind).unlisted.remove(key);
        let id = digest.id().clone();
        let alone = digest.may_change().then(|| seen.verdict.clone());
        if alone.is_some() {
            self.unsettled.insert(key.clone());
        } else {
            self.unsettled.remove(key);
            self.settling.remove(key);
        }
        self.keys.insert(id.clone(), key.clone());
        self.objects
            .insert(key.clone(), Held { id, uid: seen.uid.clone(), alone, facts: seen.facts.clone() });
        self.change(Change::Add(digest));
    }

    fn lose(&mut self, key: &Key) {
        let Some(held) = self.objects.remove(key) else { return };
        self.unsettled.remove(key);
        self.settling.remove(key);
        // One of the same name may be there under another index, where a kind went away and came back.
        if self.keys.get(&held.id) == Some(key) {
            self.keys.remove(&held.id);
            self.change(Change::Remove(held.id));
        }
    }

    fn change(&mut self, change: Change) {
        self.is_changed = true;
        match &mut self.causes {
            Some(causes) => apply(causes, change),
            None => self.waiting.push(change),
        }
    }

    /// Tells whether there is an answer for every kind, so that what is not there is not merely not listed yet.
    fn is_ready(&self, scope: &Scope) -> bool {
        let is_answered = |index: usize| self.lists.get(index).is_some_and(|list| list.is_answered);
        let mut kinds = scope.kinds.iter().enumerate();
        !scope.kinds.is_empty() && kinds.all(|(index, kind)| kind.is_retired || is_answered(index))
    }

    /// Hands out what is to be searched.
    pub fn begin(&mut self, scope: &Scope) -> Option<Causes> {
        let retired = |key: &&Key| scope.kinds.get(key.kind).is_some_and(|kind| kind.is_retired);
        let gone: Vec<Key> = self.objects.keys().filter(retired).cloned().collect();
        for key in gone {
            self.lose(&key);
        }
        let mut causes = self.causes.take()?;
        for (kind, list) in scope.kinds.iter().zip(&self.lists).filter(|(kind, _)| kind.is_whole) {
            let gap = match &list.failure {
                _ if kind.is_retired => Some(Gap::NotServed),
                Some(why) => Some(Gap::Failed(why.clone())),
                None => None,
            };
            if list.is_answered {
                causes.listed(&kind.group, &kind.kind, kind.namespace.as_deref(), gap);
            }
        }
        if scope.is_everything {
            causes.listed_everything();
        }
        self.settling = std::mem::take(&mut self.unsettled);
        self.is_changed = false;
        Some(causes)
    }

    /// Takes in what a search found: the verdicts that are others now, and the causes.
    pub fn end(&mut self, searched: Searched) -> Vec<Event> {
        let Searched { mut causes, found, affects } = searched;
        let groups = self.groups(&found, affects);
        for change in std::mem::take(&mut self.waiting) {
            apply(&mut causes, change);
        }
        self.causes = Some(causes);
        let before = std::mem::replace(&mut self.related, found.verdicts);
        let mut settled = std::mem::take(&mut self.settling);
        let is_other = |id: &&ObjectId| before.get(*id) != self.related.get(*id);
        let others = before.keys().chain(self.related.keys()).filter(is_other);
        settled.extend(others.filter_map(|id| self.keys.get(id).cloned()));
        let mut events = Vec::new();
        // What has changed meanwhile is settled by the next search.
        for key in settled.into_iter().filter(|key| !self.unsettled.contains(key)) {
            let Some(held) = self.objects.get(&key) else { continue };
            // What became well meanwhile, so that nobody can change it, was said already.
            let Some(alone) = &held.alone else { continue };
            let verdict = self.related.get(&held.id).unwrap_or(alone).clone();
            let (uid, facts) = (held.uid.clone(), held.facts.clone());
            let standing = Standing::Compared;
            events.push(Event::Seen(Box::new(Seen { key, uid, verdict, digest: None, standing, facts })));
        }
        events.push(Event::Causes(groups));
        events
    }

    /// The causes as rows.
    fn groups(&self, found: &Found, affects: Vec<String>) -> Vec<Group> {
        let group = |(cause, affects): (&Cause, String)| {
            let objects = cause.affected.iter().filter_map(|id| self.keys.get(id).cloned()).collect();
            Group::of(cause, affects, objects, self.keys.get(&cause.next).cloned())
        };
        all(found).zip(affects).map(group).collect()
    }

    /// Searches without asking anybody.
    pub fn search(&mut self, scope: &Scope, now: Time) -> Vec<Event> {
        let Some(causes) = self.begin(scope) else { return Vec::new() };
        let found = causes.search(&scope.registry, now);
        self.end(Searched::new(causes, found))
    }
}

fn apply(causes: &mut Causes, change: Change) {
    match change {
        Change::Add(digest) => causes.add(*digest),
        Change::Remove(id) => causes.remove(&id),
    }
}

/// Passes events on, and adds what others make of the objects in them, until nobody listens.
pub(super) async fn run(
    client: Client,
    now: fn() -> Time,
    mut scope: watch::Receiver<Scope>,
    mut events: mpsc::Receiver<Event>,
    screen: mpsc::Sender<Event>,
) {
    let mut graph = Graph::new(Extent::Asked);
    let mut search: Option<JoinHandle<Searched>> = None;
    let (mut began, mut believed, mut next) = (Instant::now(), Instant::now(), Instant::now());
    loop {
        let is_due = search.is_none() && graph.is_ready(&scope.borrow());
        let at = if graph.is_changed { next } else { next.max(began + AGAIN) };
        tokio::select! {
            event = events.recv(), if graph.waiting.len() < MAX_WAITING => {
                let Some(mut event) = event else { return };
                graph.hear(&mut event);
                if screen.send(event).await.is_err() {
                    return;
                }
            }
            changed = scope.changed() => {
                if changed.is_err() {
                    return;
                }
                graph.is_changed = true;
            }
            () = sleep_until(at), if is_due => {
                began = Instant::now();
                let scope = scope.borrow().clone();
                if let Some(mut causes) = graph.begin(&scope) {
                    let is_anew = began >= believed;
                    if is_anew {
                        causes.forget_answers();
                        believed = began + BELIEVED;
                    }
                    let (client, budget) = (client.clone(), if is_anew { ANEW } else { BETWEEN });
                    search = Some(tokio::spawn(async move {
                        let (catalog, registry) = (&scope.catalog, &scope.registry);
                        let found = find_causes(&client, catalog, &mut causes, registry, now(), budget).await;
                        Searched::new(causes, found)
                    }));
                }
            }
            searched = done(&mut search) => {
                search = None;
                next = Instant::now() + PAUSE.max(began.elapsed() * REST);
                for event in graph.end(searched) {
                    if screen.send(event).await.is_err() {
                        return;
                    }
                }
            }
        }
    }
}

/// The end of a search; never, where there is none.
async fn done(search: &mut Option<JoinHandle<Searched>>) -> Searched {
    match search {
        Some(search) => match search.await {
            Ok(searched) => searched,
            // A search that panics is a bug, and ends this task as it would if it were a part of it.
            Err(error) => match error.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => std::future::pending().await,
            },
        },
        None => std::future::pending().await,
    }
}
