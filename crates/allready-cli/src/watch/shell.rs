//! What runs: the watches, the keyboard and the screen, around a state that none of them touches.

use std::{process::ExitCode, sync::Arc, time::Duration};

use allready::{
    Time,
    registry::{Entry, Registry},
    resources::{Catalog, Resource, Selection},
};
use anstream::{AutoStream, ColorChoice};
use kube::Client;
use tokio::{
    sync::{mpsc, watch},
    task::{AbortHandle, JoinSet},
    time::{Interval, MissedTickBehavior, interval},
};

use super::{
    feed::{Feed, Wanted},
    model::Model,
    terminal::{self, Terminal},
    update::{Effect, Event, update},
    view::Palette,
};
use crate::{cluster::Cluster, declared, failure::Failure, signal::stopped};

/// How many events may wait to be taken in.
const MAX_WAITING: usize = 2048;
/// How long the screen may lag behind.
const FRAME: Duration = Duration::from_millis(50);
/// How often a server is asked whether it serves something new.
const NEWS: Duration = Duration::from_secs(30);

/// Everything that runs.
pub(super) struct Shell {
    model: Model,
    feed: Feed,
    events: mpsc::Receiver<Event>,
    looker: watch::Sender<Option<Wanted>>,
    tasks: JoinSet<()>,
    /// What is watched, by the index of its kind; without a watch where it is not served any more.
    followed: Vec<(Resource, Option<AbortHandle>)>,
    known: Known,
}

/// What there is in a cluster, and what its conditions mean.
#[derive(Clone, Default)]
pub(super) struct Known {
    pub(super) catalog: Arc<Catalog>,
    /// What the definitions of the cluster say of their kinds.
    declared: Vec<Entry>,
    pub(super) registry: Arc<Registry>,
}

impl Known {
    /// With what the definitions of the cluster say of their kinds: `check` reads them too, and both have to agree.
    pub(super) async fn of(cluster: &Cluster, catalog: Catalog) -> Self {
        let (declared, _) = declared::of_cluster(cluster, &catalog).await;
        Self::new(Arc::new(catalog), declared)
    }

    fn new(catalog: Arc<Catalog>, declared: Vec<Entry>) -> Self {
        let registry = Arc::new(declared::registry(declared.clone()));
        Self { catalog, declared, registry }
    }

    /// What was declared holds until something else is: a list of definitions that failed looks like one of fewer
    /// declarations, and nothing may turn green for that.
    fn after(self, before: &Self) -> Self {
        let is_of_same = |a: &Entry, b: &Entry| a.groups == b.groups && a.kinds == b.kinds;
        let is_kept = |old: &&Entry| !self.declared.iter().any(|new| is_of_same(new, old));
        let mut declared: Vec<Entry> = before.declared.iter().filter(is_kept).cloned().collect();
        declared.extend(self.declared);
        Self::new(self.catalog, declared)
    }
}

/// What is to be watched of what there is.
pub(super) type Choice<'a> = dyn Fn(&Catalog) -> Option<Vec<(Resource, Selection)>> + Sync + 'a;

/// How to learn what else there is to watch.
pub(super) struct Asking<'a> {
    pub(super) cluster: &'a Cluster,
    pub(super) wanted: &'a Choice<'a>,
}

impl Shell {
    pub(super) fn new(client: Client, model: Model) -> Self {
        let (sender, events) = mpsc::channel(MAX_WAITING);
        let feed = Feed::new(client, sender, clock);
        let (looker, wanted) = watch::channel(None);
        let mut tasks = JoinSet::new();
        tasks.spawn(feed.clone().look(wanted));
        tasks.spawn(feed.clone().listen());
        Self { model, feed, events, looker, tasks, followed: Vec::new(), known: Known::default() }
    }

    /// Watches what is new, and no longer what is not served any more.
    pub(super) fn learn(&mut self, wanted: Vec<(Resource, Selection)>, blind: Vec<String>, known: Known) {
        let known = known.after(&self.known);
        let is_same_declared = self.known.declared == known.declared;
        self.known = known;
        let is_same = |a: &Resource, b: &Resource| a.group == b.group && a.plural == b.plural;
        for (index, (resource, task)) in self.followed.iter_mut().enumerate() {
            // What cannot be asked for may be there all the same.
            let is_served = wanted.iter().any(|(other, _)| is_same(other, resource));
            if !is_served
                && blind.is_empty()
                && let Some(task) = task.take()
            {
                task.abort();
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
            let task = self.follow(self.followed.len(), &resource, selection);
            self.followed.push((resource, Some(task)));
        }
        update(&mut self.model, Event::Blind(blind));
    }

    /// Lists and watches a kind, by what is known now.
    fn follow(&mut self, index: usize, resource: &Resource, selection: Selection) -> AbortHandle {
        let registry = Arc::clone(&self.known.registry);
        self.tasks.spawn(self.feed.clone().follow(index, resource.clone(), selection, registry))
    }

    /// Draws what there is and obeys keys, until somebody has seen enough.
    pub(super) async fn run(mut self, asking: Option<Asking<'_>>) -> Result<ExitCode, Failure> {
        let stopped = stopped()?;
        tokio::pin!(stopped);
        let colours = AutoStream::choice(&std::io::stdout());
        let palette = if colours == ColorChoice::Never { Palette::Plain } else { Palette::Coloured };
        let mut terminal = Terminal::take(palette)?;
        let mut keys = terminal::read_keys();
        update(&mut self.model, terminal.size()?);
        let (mut second, mut frame) = (every(Duration::from_secs(1)), every(FRAME));
        let news = learn_more(asking.as_ref());
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
                (wanted, known) = &mut news => {
                    self.learn(wanted, known.catalog.problems.clone(), known);
                    news.set(learn_more(asking.as_ref()));
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

/// What there is to watch, and everything else there is; asked for until there is an answer.
async fn learn_more(asking: Option<&Asking<'_>>) -> (Vec<(Resource, Selection)>, Known) {
    let Some(asking) = asking else { return std::future::pending().await };
    loop {
        tokio::time::sleep(NEWS).await;
        // That the server does not answer is said by the watches.
        let Ok(catalog) = Catalog::discover(&asking.cluster.client).await else { continue };
        if let Some(wanted) = (asking.wanted)(&catalog) {
            return (wanted, Known::of(asking.cluster, catalog).await);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use allready::health::Health;
    use allready_apiserver::ApiServer;
    use kube::api::{Patch, PatchParams, PostParams};
    use serde_json::{Value, json};

    use super::*;

    fn definition(says: &str) -> Value {
        let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "widgets.lab.example", "annotations": { "allready.dev/conditions": says } },
            "spec": {
                "group": "lab.example", "scope": "Namespaced",
                "names": { "kind": "Widget", "plural": "widgets", "singular": "widget" },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
            },
        })
    }

    #[tokio::test]
    async fn what_a_definition_says_later_counts_from_then_on() {
        let server = ApiServer::new();
        server.define(definition("Ready")).unwrap();
        let client = Client::new(server.service(), "default");
        let cluster = Cluster { client: client.clone(), namespace: "default".to_owned() };
        let condition = |type_: &str| json!({ "type": type_, "status": "True", "reason": "R" });
        let widget = json!({
            "apiVersion": "lab.example/v1", "kind": "Widget", "metadata": { "name": "a" },
            "status": { "conditions": [condition("Ready"), condition("Shiny")] },
        });
        let catalog = Catalog::discover(&client).await.unwrap();
        let widgets = catalog.find("widgets").unwrap().clone();
        let api = widgets.api(client.clone(), Some("default"));
        api.create(&PostParams::default(), &serde_json::from_value(widget).unwrap()).await.unwrap();
        let mut shell = Shell::new(client.clone(), Model::new(String::new(), false, clock()));
        let mut told = Vec::new();
        for (says, health) in [("Ready", Health::Healthy), ("Ready: !Shiny", Health::Degraded)] {
            let patch = json!({ "metadata": { "annotations": { "allready.dev/conditions": says } } });
            let definitions = catalog.find("customresourcedefinitions").unwrap().api(client.clone(), None);
            let patch = Patch::Merge(patch);
            definitions.patch("widgets.lab.example", &PatchParams::default(), &patch).await.unwrap();
            let known = Known::of(&cluster, Catalog::discover(&client).await.unwrap()).await;
            shell.learn(vec![(widgets.clone(), Selection::default())], Vec::new(), known);
            told.push(shell.known.declared.clone());
            let heard = async {
                while shell.model.tally.of(health) == 0 {
                    let event = shell.events.recv().await.unwrap();
                    update(&mut shell.model, event);
                }
            };
            tokio::time::timeout(Duration::from_secs(20), heard).await.expect(says);
        }
        assert_eq!(shell.model.tally.all(), 1, "it is still one object");
        // Nobody may list definitions any more, or the server is in trouble.
        let known = Known::new(Arc::new(catalog), Vec::new());
        shell.learn(vec![(widgets, Selection::default())], Vec::new(), known);
        assert_eq!(shell.known.declared, told[1], "what was heard is not forgotten");
    }
}
