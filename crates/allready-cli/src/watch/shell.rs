//! The shell of `watch`: tasks that watch the cluster, the keyboard and the screen, around a pure state.

#[cfg(test)]
mod tests;

use std::{process::ExitCode, sync::Arc, time::Duration};

use allready_core::Time;
use allready_inspect::registry::Registry;
use allready_kube::resources::{Catalog, Resource, Selection};
use anstream::{AutoStream, ColorChoice};
use kube::Client;
use tokio::{
    sync::{mpsc, watch},
    task::{AbortHandle, JoinSet},
    time::{Interval, MissedTickBehavior, interval},
};

use super::{
    feed::{Feed, Wanted},
    graph::{self, Followed, Scope},
    model::Model,
    terminal::{self, Terminal},
    update::{Effect, Event, update},
    view::Palette,
};
use crate::{
    cluster::Cluster,
    declared::{Declared, Heard, are_custom},
    failure::Failure,
    signal::stopped,
};

/// The number of events that may wait to be taken in.
const MAX_WAITING: usize = 2048;
/// The time by which the screen may lag behind.
const FRAME: Duration = Duration::from_millis(50);
/// The interval at which new kinds and declarations are looked for.
const NEWS: Duration = Duration::from_secs(30);

/// The state, and the tasks that feed it.
pub(super) struct Shell {
    model: Model,
    feed: Feed,
    events: mpsc::Receiver<Event>,
    looker: watch::Sender<Option<Wanted>>,
    scope: watch::Sender<Scope>,
    tasks: JoinSet<()>,
    /// The watched resources, by the index of their kind; without a task where one is not served any more.
    followed: Vec<(Resource, Option<AbortHandle>)>,
    known: Known,
}

/// The kinds of a cluster, and the meaning of their conditions.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) catalog: Arc<Catalog>,
    pub(super) registry: Arc<Registry>,
    declared: Declared,
    heard: Heard,
}

impl Known {
    /// Reads the declarations of the cluster's definitions, beside those of files.
    pub(super) async fn of(cluster: &Cluster, catalog: Catalog, files: &Declared) -> Self {
        let mut declared = files.clone();
        let heard = declared.ask(cluster, &catalog).await;
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
#[derive(Clone, Default)]
pub(super) struct Chosen {
    pub(super) resources: Vec<(Resource, Selection)>,
    /// Groups of the API that would be watched too, and of which nothing is known.
    pub(super) blind: Vec<String>,
    /// Set where every kind is meant.
    pub(super) is_everything: bool,
}

/// Chooses the resources to watch from everything that is served.
pub(super) type Choice<'a> = dyn Fn(&Catalog) -> Option<Chosen> + Sync + 'a;

/// The way to learn of new kinds and declarations.
pub(super) struct Asking<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) chosen: &'a Choice<'a>,
    /// The declarations of files.
    pub(super) files: &'a Declared,
}

impl Shell {
    pub(super) fn new(client: Client, model: Model) -> Self {
        let (sender, heard) = mpsc::channel(MAX_WAITING);
        let (screen, events) = mpsc::channel(MAX_WAITING);
        let feed = Feed::new(client.clone(), sender, clock);
        let (looker, wanted) = watch::channel(None);
        let (scope, followed) = watch::channel(Scope::default());
        let mut tasks = JoinSet::new();
        tasks.spawn(graph::run(client, clock, followed, heard, screen));
        tasks.spawn(feed.clone().look(wanted));
        tasks.spawn(feed.clone().listen());
        Self { model, feed, events, looker, scope, tasks, followed: Vec::new(), known: Known::default() }
    }

    /// Watches new kinds, and no longer those that are not served any more.
    pub(super) fn learn(&mut self, chosen: Chosen, known: Known) {
        let Chosen { resources: wanted, blind, is_everything } = chosen;
        let known = known.after(&self.known);
        let is_same_declared = self.known.declared.definitions() == known.declared.definitions();
        self.known = known;
        let mut scope = self.scope.borrow().clone();
        let mut heard = self.known.heard.clone();
        // Of what is Kubernetes' own, no definition is missed.
        heard.gap = heard.gap.filter(|_| are_custom(wanted.iter().map(|(resource, _)| resource)));
        update(&mut self.model, Event::Heard(heard));
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
                update(&mut self.model, Event::Retired(index));
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
            update(&mut self.model, Event::Kind { group, kind, plural: resource.plural.clone() });
            scope.kinds.push(Followed::new(&resource, &selection));
            let task = self.follow(self.followed.len(), &resource, selection);
            self.followed.push((resource, Some(task)));
        }
        update(&mut self.model, Event::Blind(blind));
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

    /// Draws the state and obeys keys, until somebody ends it.
    pub(super) async fn run(mut self, asking: Asking<'_>) -> Result<ExitCode, Failure> {
        let stopped = stopped()?;
        tokio::pin!(stopped);
        let colours = AutoStream::choice(&std::io::stdout());
        let palette = if colours == ColorChoice::Never { Palette::Plain } else { Palette::Coloured };
        let mut terminal = Terminal::take(palette)?;
        let mut keys = terminal::read_keys();
        update(&mut self.model, terminal.size()?);
        let (mut second, mut frame) = (every(Duration::from_secs(1)), every(FRAME));
        let news = learn_more(&asking);
        tokio::pin!(news);
        let mut waiting = Vec::new();
        let mut is_behind = true;
        loop {
            let event = tokio::select! {
                biased;
                () = &mut stopped => return Ok(ExitCode::SUCCESS),
                key = keys.recv() => match key {
                    Some(key) => key,
                    None => return Err(Failure::unavailable("the terminal cannot be read any more")),
                },
                // Before anything is drawn: a panic has given the terminal back already.
                Some(Err(error)) = self.tasks.join_next() => {
                    if error.is_panic() {
                        return Err(Failure::unavailable(format_args!("a watch ended by itself: {error}")));
                    }
                    continue;
                }
                _ = second.tick() => Event::Tick(clock()),
                _ = frame.tick(), if is_behind => {
                    terminal.draw(&mut self.model)?;
                    is_behind = false;
                    continue;
                }
                (chosen, known) = &mut news => {
                    self.learn(chosen, known);
                    news.set(learn_more(&asking));
                    is_behind = true;
                    continue;
                }
                _ = self.events.recv_many(&mut waiting, MAX_WAITING) => {
                    for event in waiting.drain(..) {
                        let effect = update(&mut self.model, event);
                        self.perform(effect);
                    }
                    is_behind = true;
                    continue;
                }
            };
            let effect = update(&mut self.model, event);
            if effect == Some(Effect::Quit) {
                return Ok(ExitCode::SUCCESS);
            }
            self.perform(effect);
            is_behind = true;
        }
    }

    fn perform(&self, effect: Option<Effect>) {
        if let Some(Effect::Look(key)) = effect
            && let Some((resource, _)) = self.followed.get(key.kind)
        {
            let (resource, Known { catalog, registry, .. }) = (resource.clone(), self.known.clone());
            self.looker.send_replace(Some(Wanted { key, resource, catalog, registry }));
        }
    }
}

/// Asks for the kinds and declarations until there is an answer.
async fn learn_more(asking: &Asking<'_>) -> (Chosen, Known) {
    loop {
        tokio::time::sleep(NEWS).await;
        // That the server does not answer is said by the watches.
        let Ok(catalog) = Catalog::discover(&asking.cluster.client).await else { continue };
        if let Some(chosen) = (asking.chosen)(&catalog) {
            return (chosen, Known::of(asking.cluster, catalog, asking.files).await);
        }
    }
}

fn every(period: Duration) -> Interval {
    let mut interval = interval(period);
    interval.set_missed_tick_behavior(MissedTickBehavior::Skip);
    interval
}

fn clock() -> Time {
    Time::new(jiff::Timestamp::now())
}
