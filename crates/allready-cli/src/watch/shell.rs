//! What runs: the watches, the keyboard and the screen, around a state that none of them touches.

use std::{process::ExitCode, sync::Arc, time::Duration};

use allready::{
    Time,
    registry::Registry,
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
use crate::{failure::Failure, signal::stopped};

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
    catalog: Arc<Catalog>,
}

/// What is to be watched of what there is.
pub(super) type Choice<'a> = dyn Fn(&Catalog) -> Option<Vec<(Resource, Selection)>> + Sync + 'a;

/// How to learn what else there is to watch.
pub(super) struct Asking<'a> {
    pub(super) client: Client,
    pub(super) wanted: &'a Choice<'a>,
}

impl Shell {
    pub(super) fn new(client: Client, model: Model, registry: Registry) -> Self {
        let (sender, events) = mpsc::channel(MAX_WAITING);
        let feed = Feed::new(client, sender, clock, Arc::new(registry));
        let (looker, wanted) = watch::channel(None);
        let mut tasks = JoinSet::new();
        tasks.spawn(feed.clone().look(wanted));
        tasks.spawn(feed.clone().listen());
        Self { model, feed, events, looker, tasks, followed: Vec::new(), catalog: Arc::default() }
    }

    /// Watches what is new, and no longer what is not served any more.
    pub(super) fn learn(&mut self, wanted: Vec<(Resource, Selection)>, blind: Vec<String>, catalog: Catalog) {
        self.catalog = Arc::new(catalog);
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
            if self.followed.iter().any(is_known) {
                continue;
            }
            let (group, kind) = (resource.group.clone(), resource.kind.clone());
            update(&mut self.model, Event::Kind { group, kind, plural: resource.plural.clone() });
            let follow = self.feed.clone().follow(self.followed.len(), resource.clone(), selection);
            self.followed.push((resource, Some(self.tasks.spawn(follow))));
        }
        update(&mut self.model, Event::Blind(blind));
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
                _ = second.tick() => Event::Tick(clock()),
                _ = frame.tick(), if is_behind => {
                    terminal.draw(&mut self.model)?;
                    is_behind = false;
                    continue;
                }
                (wanted, catalog) = &mut news => {
                    self.learn(wanted, catalog.problems.clone(), catalog);
                    news.set(learn_more(asking.as_ref()));
                    is_behind = true;
                    continue;
                }
                Some(Err(error)) = self.tasks.join_next() => {
                    if error.is_panic() {
                        return Err(Failure::unavailable(format_args!("a watch ended by itself: {error}")));
                    }
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
            let catalog = Arc::clone(&self.catalog);
            self.looker.send_replace(Some(Wanted { key, resource: resource.clone(), catalog }));
        }
    }
}

/// What there is to watch, and everything else there is; asked for until there is an answer.
async fn learn_more(asking: Option<&Asking<'_>>) -> (Vec<(Resource, Selection)>, Catalog) {
    let Some(asking) = asking else { return std::future::pending().await };
    loop {
        tokio::time::sleep(NEWS).await;
        // That the server does not answer is said by the watches.
        let Ok(catalog) = Catalog::discover(&asking.client).await else { continue };
        if let Some(wanted) = (asking.wanted)(&catalog) {
            return (wanted, catalog);
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
