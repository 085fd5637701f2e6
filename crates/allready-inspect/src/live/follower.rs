//! Whoever follows a cluster: the watches of every kind, and what is looked for among their objects.

use std::{sync::Arc, time::Duration};

use allready_core::Time;
use allready_kube::resources::{Catalog, Resource, Selection};
use kube::Client;
use serde_json::Value;
use tokio::{
    sync::{mpsc, watch},
    task::{AbortHandle, JoinSet},
};

use super::{
    feed::{Feed, Wanted},
    graph::{self, Followed, Scope},
    record::Key,
    state::{Event, State},
};
use crate::{
    declared::{Declared, Heard, are_custom},
    registry::Registry,
};

/// The number of events that may wait to be taken in.
const MAX_WAITING: usize = 2048;
/// The interval at which new kinds and declarations are looked for.
const NEWS: Duration = Duration::from_secs(30);

/// The watches of a cluster.
pub struct Follower {
    feed: Feed,
    events: mpsc::Receiver<Event>,
    looker: watch::Sender<Option<Wanted>>,
    scope: watch::Sender<Scope>,
    tasks: JoinSet<()>,
    /// The watched resources, by the index of their kind; without a task where one is not served any more.
    followed: Vec<(Resource, Option<AbortHandle>)>,
    known: Discovered,
}

impl std::fmt::Debug for Follower {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Follower").field("followed", &self.followed.len()).finish_non_exhaustive()
    }
}

/// The kinds of a cluster, and the meaning of their conditions.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    /// The kinds.
    pub catalog: Arc<Catalog>,
    /// The meaning of their conditions.
    pub registry: Arc<Registry>,
    declared: Declared,
    heard: Heard,
}

impl Discovered {
    /// Reads the declarations of the cluster's definitions, beside those of files.
    ///
    /// # RBAC
    /// `list` on `customresourcedefinitions.apiextensions.k8s.io`; who may not does without, and the state says so.
    pub async fn of(client: &Client, catalog: Catalog, files: &Declared) -> Self {
        let mut declared = files.clone();
        let heard = declared.ask(client, &catalog).await;
        Self { catalog: Arc::new(catalog), registry: Arc::new(declared.registry()), declared, heard }
    }

    /// Keeps earlier declarations until everything that is declared now is known: a list of definitions that failed looks
    /// like one of fewer declarations, and nothing may turn green for that.
    fn after(mut self, before: &Self) -> Self {
        if self.heard.gap.is_some() || !self.catalog.problems.is_empty() {
            self.declared.keep(&before.declared);
            self.registry = Arc::new(self.declared.registry());
        }
        self
    }
}

/// The resources to watch.
#[derive(Clone, Debug, Default)]
pub struct Chosen {
    /// The resources, and which of their objects.
    pub resources: Vec<(Resource, Selection)>,
    /// Groups of the API that would be watched too, and of which nothing is known.
    pub blind: Vec<String>,
    /// Set where every kind is meant.
    pub is_everything: bool,
}

impl Chosen {
    /// Every kind that can be listed and watched: of one namespace, or of the whole cluster. Events tell of what happens to others,
    /// and are no worse or better themselves.
    pub fn everything(catalog: &Catalog, namespace: Option<&str>) -> Self {
        let is_wanted = |resource: &&Resource| {
            resource.can("watch")
                && resource.plural != "events"
                && (namespace.is_none() || resource.is_namespaced)
        };
        let selection = Selection { namespace: namespace.map(str::to_owned), ..Selection::default() };
        let wanted = catalog.listable().filter(is_wanted);
        let resources = wanted.map(|resource| (resource.clone(), selection.clone())).collect();
        Self { resources, blind: catalog.problems.clone(), is_everything: true }
    }
}

/// A watch ended by itself, which is a bug: why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a watch ended by itself: {0}")]
pub struct Ended(String);

impl Follower {
    /// Follows nothing yet. The facts are what is remembered of an object beside its health.
    pub fn new(client: Client, now: fn() -> Time, facts: fn(&Value) -> Option<Value>) -> Self {
        let (sender, heard) = mpsc::channel(MAX_WAITING);
        let (screen, events) = mpsc::channel(MAX_WAITING);
        let feed = Feed::new(client.clone(), sender, now, facts);
        let (looker, wanted) = watch::channel(None);
        let (scope, followed) = watch::channel(Scope::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(graph::run(client, now, followed, heard, screen));
        tasks.spawn(feed.clone().look(wanted));
        tasks.spawn(feed.clone().listen());
        Self { feed, events, looker, scope, tasks, followed: Vec::new(), known: Discovered::default() }
    }

    /// Remembers no more objects than fit into so many bytes, as estimated. Of a kind with more the state says that not all of it is shown, so
    /// that nothing is called healthy for want of memory.
    #[must_use]
    pub fn within(mut self, bytes: usize) -> Self {
        self.feed.limit(bytes);
        self
    }

    /// Watches new kinds, and no longer those that are not served any more.
    pub fn learn(&mut self, chosen: Chosen, known: Discovered, state: &mut State) {
        let Chosen { resources: wanted, blind, is_everything } = chosen;
        let known = known.after(&self.known);
        let is_same_declared = self.known.declared.definitions() == known.declared.definitions();
        self.known = known;
        let mut scope = self.scope.borrow().clone();
        let mut heard = self.known.heard.clone();
        // Of what is Kubernetes' own, no definition is missed.
        heard.gap = heard.gap.filter(|_| are_custom(wanted.iter().map(|(resource, _)| resource)));
        state.update(Event::Heard(heard));
        let is_same = |a: &Resource, b: &Resource| a.group == b.group && a.plural == b.plural;
        for (index, (resource, task)) in self.followed.iter_mut().enumerate() {
            // What cannot be asked for may be there all the same.
            let is_served = wanted.iter().any(|(other, _)| is_same(other, resource));
            if !is_served
                && blind.is_empty()
                && let Some(task) = task.take()
            {
                task.abort();
                if let Some(kind) = scope.kinds.get_mut(index) {
                    kind.is_retired = true;
                }
                state.update(Event::Retired(index));
            }
        }
        for (resource, selection) in wanted {
            let is_known =
                |(known, task): &(Resource, Option<AbortHandle>)| task.is_some() && is_same(known, &resource);
            if let Some(index) = self.followed.iter().position(is_known) {
                // Kinds that are built in have no definition that could say something else.
                if !is_same_declared && resource.group.contains('.') {
                    let task = self.follow(index, &resource, selection);
                    if let Some(before) = self.followed.get_mut(index).and_then(|(_, old)| old.replace(task))
                    {
                        before.abort();
                    }
                }
                continue;
            }
            let (group, kind) = (resource.group.clone(), resource.kind.clone());
            state.update(Event::Kind { group, kind, plural: resource.plural.clone() });
            scope.kinds.push(Followed::new(&resource, &selection));
            let task = self.follow(self.followed.len(), &resource, selection);
            self.followed.push((resource, Some(task)));
        }
        state.update(Event::Blind(blind));
        scope.catalog = Arc::clone(&self.known.catalog);
        scope.registry = Arc::clone(&self.known.registry);
        scope.is_everything = is_everything;
        self.scope.send_replace(scope);
    }

    /// Lists and watches a kind, by what is known now.
    fn follow(&mut self, index: usize, resource: &Resource, selection: Selection) -> AbortHandle {
        let registry = Arc::clone(&self.known.registry);
        self.tasks.spawn(self.feed.clone().follow(index, resource.clone(), selection, registry))
    }

    /// The watch that has ended by itself, if one has.
    pub fn ended(&mut self) -> Option<Ended> {
        while let Some(joined) = self.tasks.try_join_next() {
            if let Err(error) = joined
                && error.is_panic()
            {
                return Some(Ended(error.to_string()));
            }
        }
        None
    }

    /// Waits for events, and adds them to these. Whoever stops waiting misses none.
    pub async fn hear(&mut self, waiting: &mut Vec<Event>) -> Result<(), Ended> {
        loop {
            tokio::select! {
                biased;
                Some(Err(error)) = self.tasks.join_next() => {
                    if error.is_panic() {
                        return Err(Ended(error.to_string()));
                    }
                }
                _ = self.events.recv_many(waiting, MAX_WAITING) => return Ok(()),
            }
        }
    }

    /// Reads an object and explains it, in place of the one before: [`Event::Looked`] and [`Event::Explained`] are the answers.
    pub fn look(&self, key: Key) {
        if let Some((resource, _)) = self.followed.get(key.kind) {
            let (resource, Discovered { catalog, registry, .. }) = (resource.clone(), self.known.clone());
            self.looker.send_replace(Some(Wanted { key, resource, catalog, registry }));
        }
    }

    /// The kinds of the cluster, and the meaning of their conditions.
    pub fn discovered(&self) -> &Discovered {
        &self.known
    }
}

/// Asks for the kinds and declarations, after a while, until there is an answer.
pub async fn learn_more(
    client: &Client,
    files: &Declared,
    chosen: impl Fn(&Catalog) -> Option<Chosen>,
) -> (Chosen, Discovered) {
    loop {
        tokio::time::sleep(NEWS).await;
        // That the server does not answer is said by the watches.
        let Ok(catalog) = Catalog::discover(client).await else { continue };
        if let Some(chosen) = chosen(&catalog) {
            return (chosen, Discovered::of(client, catalog, files).await);
        }
    }
}
