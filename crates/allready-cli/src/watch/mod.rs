//! `allready watch`: a live table of what is not healthy, in the terminal.
//!
//! The parts are apart: `feed` says what happens in the cluster and `terminal` what keys are pressed, `update` makes the
//! next state of it, and `view` draws the state. Only the first two touch the world.

mod details;
mod feed;
mod filter;
mod history;
mod keys;
mod kinds;
mod model;
mod terminal;
mod update;
mod view;

#[cfg(test)]
mod tests;

use std::{io::IsTerminal as _, process::ExitCode, time::Duration};

use allready::{
    Time,
    resources::{Catalog, Resource, Selection},
};
use anstream::{AutoStream, ColorChoice};
use clap::Args;
use tokio::{
    sync::{mpsc, watch},
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};

use self::{
    feed::Feed,
    model::Model,
    terminal::Terminal,
    update::{Effect, Event, update},
    view::Palette,
};
use crate::{
    cluster::{ClusterArgs, Patience},
    failure::Failure,
    printer::{Printer, tame},
    signal::stopped,
    target::{self, ScopeArgs, SelectorArgs},
};

/// How many events may wait to be taken in.
const MAX_WAITING: usize = 2048;
/// How long the screen may lag behind.
const FRAME: Duration = Duration::from_millis(50);

/// What to watch.
#[derive(Debug, Args)]
#[command(after_help = "\
It needs a terminal, of any size, with or without colours. Every kind that can be
listed and watched is, except for events; with TYPE only those. Kinds that cannot
be read are counted and named: nothing is called healthy while something is not
seen. It needs the permission to list and watch, and changes nothing.

Keys:
  j k or arrows select, Enter shows details, / filters, t shows transitions,
  a shows healthy objects too, s sorts, w shows what is watched, ? helps, q ends

Exit codes:
  0 somebody ended it
  64 wrong usage or no terminal, 66 no kubeconfig, 69 the API server does not
  answer, 74 the terminal cannot be written, 77 no permission

Examples:
  allready watch                      everything in the namespace
  allready watch -A                   everything in the cluster
  allready watch pods,deploy -n shop
  NO_COLOR=1 allready watch -A -l app=web")]
pub(crate) struct WatchArgs {
    /// What to watch: `pods`, `deploy,svc`, `gateways.gateway.networking.k8s.io` [default: everything].
    #[arg(value_name = "TYPE")]
    types: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    selector: SelectorArgs,

    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) fn run(args: &WatchArgs, now: Time, _printer: &mut Printer) -> Result<ExitCode, Failure> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "watch draws on a terminal, and there is none here: use `allready check`",
        ));
    }
    let runtime = tokio::runtime::Runtime::new()
        .map_err(|error| Failure::unavailable(format_args!("cannot start threads: {error}")))?;
    let done = runtime.block_on(start(args, now));
    // Watches that are still being opened are not waited for.
    runtime.shutdown_background();
    done
}

async fn start(args: &WatchArgs, now: Time) -> Result<ExitCode, Failure> {
    let cluster = args.cluster.connect(Patience::Command).await?;
    let catalog = target::discover(&cluster).await?;
    let wanted = wanted(args, &catalog, &cluster.namespace)?;
    let namespace = args.scope.namespace(&cluster.namespace);
    let has_namespaces = namespace.is_none();
    let scope = namespace
        .map_or_else(|| "all namespaces".to_owned(), |namespace| format!("namespace {}", tame(&namespace)));
    let mut model = Model::new(scope, has_namespaces, now);
    // With types that are named, a group of which nothing is known is not missed.
    let blind = if args.types.is_empty() { catalog.problems } else { Vec::new() };
    update(&mut model, Event::Blind(blind));
    // A watch is quiet for longer than a command is patient.
    let client = args.cluster.connect(Patience::Service).await?.client;
    let (sender, events) = mpsc::channel(MAX_WAITING);
    let feed = Feed::new(client, sender, clock);
    let (looker, looked) = watch::channel(None);
    let mut tasks = JoinSet::new();
    let resources: Vec<Resource> = wanted.iter().map(|(resource, _)| resource.clone()).collect();
    tasks.spawn(feed.clone().look(resources.into(), looked));
    for (index, (resource, selection)) in wanted.into_iter().enumerate() {
        let (group, kind, plural) = (&resource.group, &resource.kind, &resource.plural);
        update(&mut model, Event::Kind { group: group.clone(), kind: kind.clone(), plural: plural.clone() });
        tasks.spawn(feed.clone().follow(index, resource, selection));
    }
    drop(feed);
    Shell { model, events, looker, tasks }.run().await
}

/// What is to be watched of everything that there is.
fn wanted(
    args: &WatchArgs,
    catalog: &Catalog,
    default_namespace: &str,
) -> Result<Vec<(Resource, Selection)>, Failure> {
    let mut targets = Vec::new();
    for argument in &args.types {
        targets.extend(target::parse(std::slice::from_ref(argument)).map_err(Failure::usage)?);
    }
    if let Some(named) = targets.iter().find(|target| target.name.is_some()) {
        return Err(Failure::usage(format_args!(
            "watch takes types, not single objects: give {0}, or use `allready explain {0}/NAME`",
            tame(&named.resource)
        )));
    }
    let asked = target::resolve(&targets, &args.scope, &args.selector, catalog, default_namespace)?;
    if let Some(asked) = asked.iter().find(|asked| !targets.is_empty() && !asked.resource.can("watch")) {
        return Err(Failure::usage(format_args!(
            "{} can be listed, but not watched: use `allready check`",
            tame(&asked.resource.full_name())
        )));
    }
    let is_wanted = |resource: &Resource| {
        // Events tell of what happens to others, and are no worse or better themselves.
        !targets.is_empty() || (resource.can("watch") && resource.plural != "events")
    };
    let wanted = asked.into_iter().filter(|asked| is_wanted(&asked.resource));
    Ok(wanted.map(|asked| (asked.resource, asked.selection)).collect())
}

fn clock() -> Time {
    Time::new(jiff::Timestamp::now())
}

/// Everything that runs.
struct Shell {
    model: Model,
    events: mpsc::Receiver<Event>,
    looker: watch::Sender<Option<model::Key>>,
    tasks: JoinSet<()>,
}

impl Shell {
    async fn run(mut self) -> Result<ExitCode, Failure> {
        let stopped = stopped()?;
        tokio::pin!(stopped);
        let colours = AutoStream::choice(&std::io::stdout());
        let palette = if colours == ColorChoice::Never { Palette::Plain } else { Palette::Coloured };
        let mut terminal = Terminal::take(palette)?;
        let mut keys = terminal::read_keys();
        update(&mut self.model, terminal.size()?);
        let (mut second, mut frame) = (interval(Duration::from_secs(1)), interval(FRAME));
        second.set_missed_tick_behavior(MissedTickBehavior::Skip);
        frame.set_missed_tick_behavior(MissedTickBehavior::Skip);
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
                Some(Err(error)) = self.tasks.join_next() => {
                    return Err(Failure::unavailable(format_args!("a watch ended by itself: {error}")));
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
        if let Some(Effect::Look(key)) = effect {
            self.looker.send_replace(Some(key));
        }
    }
}
