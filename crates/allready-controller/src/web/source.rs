//! One cluster that is followed: the only part that holds a client.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready_core::Time;
use allready_inspect::{
    cluster::{Budget, follow},
    explain::Bounds,
    graph::{ObjectId, Reference},
    live::{Chosen, Details, Discovered, Event, Follower, Kind, State, learn_more, whole},
};
use allready_kube::resources::Catalog;
use kube::Client;
use tokio::{
    sync::{Semaphore, watch},
    task::AbortHandle,
    time::{MissedTickBehavior, interval, sleep, timeout},
};

use super::{
    Wanted,
    facts::facts,
    object::{self, ObjectPage, Rows},
    page::Page,
    timeline::{Named, Timeline},
};

/// The pause before a cluster that did not answer is asked again.
const AGAIN: Duration = Duration::from_secs(2);
/// The most that is asked to explain an object, and by how many at a time: the page asks again while the object changes.
const BUDGET: Budget = Budget { requests: 60, time: Duration::from_secs(10) };
const EXPLAINED: usize = 2;
/// The time in which an object is to be read.
const ANSWER: Duration = Duration::from_secs(10);

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
    task: Mutex<Option<AbortHandle>>,
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
    pub(super) fn page(&self) -> Arc<Page> {
        let mut known = self.known();
        if let Some((_, page)) = known.page.as_ref().filter(|(revision, _)| *revision == known.revision) {
            return Arc::clone(page);
        }
        let changes = known.timeline.shown(|_: &Named| true);
        let page = Arc::new(Page::of(&known.state, &changes, &everything));
        known.page = Some((known.revision, Arc::clone(&page)));
        page
    }

    /// The objects that a filter asks for.
    pub(super) fn rows(&self, filter: &str) -> Rows {
        object::rows(&self.known().state, filter, &everything)
    }

    /// One object, and what is behind how it is. Nothing where the kind is not served.
    pub(super) async fn object(&self, id: ObjectId) -> Option<ObjectPage> {
        let (discovered, changes) = {
            let known = self.known();
            (known.discovered.clone(), known.timeline.of_object(&id))
        };
        let (catalog, registry, now) = (&discovered.catalog, &discovered.registry, now());
        let resource =
            catalog.resources.iter().find(|found| found.kind == id.kind && found.group == id.group)?;
        let _turn = self.explaining.acquire().await.ok()?;
        let namespace = Some(&*id.namespace).filter(|namespace| !namespace.is_empty());
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
        Some(object::page(id, &resource.plural, details, &explanation, changes))
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

fn everything(_kind: &Kind, _namespace: &str) -> bool {
    true
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
