//! `allready watch`: a live table of what is not healthy and of its causes, in the terminal.
//!
//! The parts are apart: `allready_inspect::live` follows the cluster and judges its objects in view of each other as `check` does, and
//! `terminal` says what keys are pressed; `update` makes the next state of it, and `view` draws the state. Only the first two touch
//! the world.

pub(crate) mod command;
mod keys;
mod model;
mod shell;
mod terminal;
mod update;
mod view;

#[cfg(test)]
mod tests;

use std::{fmt::Write as _, io::IsTerminal as _, process::ExitCode};

use allready_core::Time;
use allready_inspect::live::{Chosen, Discovered};
use allready_kube::resources::{Catalog, Resource};
use clap::Args;

#[cfg(test)]
pub(crate) use self::tests::{Change, said, said_together};
use self::{
    model::Model,
    shell::{Asking, Shell},
};
use crate::{
    cluster::{ClusterArgs, Patience},
    declared::DeclaredArgs,
    failure::Failure,
    output::text::is_ascii_locale,
    printer::{is_dumb, tame},
    target::{self, ScopeArgs, SelectorArgs},
};

/// Options of `allready watch`.
#[derive(Debug, Args)]
#[command(after_help = "\
It needs a terminal, of any size, with or without colours. It watches every kind that
can be listed and watched, except events; with TYPE only those. Kinds that cannot be
read are counted and named: the screen does not say healthy while something is not
seen. Objects are judged in view of each other, as `allready check` does, and what
is not well is shown by its causes. It needs the permission to list and watch, and
get for what explains a cause, and changes nothing.

Keys:
  j k or arrows select, Enter opens: a cause its objects, an object its details,
  and from there the objects behind it; Esc goes back
  c switches between causes and objects, / filters, t shows transitions,
  a shows healthy objects too, s sorts, w shows what is watched, ? helps, q ends

Exit codes:
  0 ended by a key or a signal
  64 wrong usage or no terminal, 66 no kubeconfig, 69 the API server does not
  answer, 74 the terminal cannot be written, 77 no permission

Examples:
  allready watch                      everything in the namespace
  allready watch -A                   everything in the cluster
  allready watch pods,deploy -n shop
  NO_COLOR=1 allready watch -A -l app=web")]
pub(crate) struct WatchArgs {
    /// Kinds to watch: `pods`, `deploy,svc`, `gateways.gateway.networking.k8s.io` [default: everything].
    #[arg(value_name = "TYPE")]
    types: Vec<String>,

    #[command(flatten)]
    scope: ScopeArgs,

    #[command(flatten)]
    selector: SelectorArgs,

    #[command(flatten)]
    declared: DeclaredArgs,

    #[command(flatten)]
    cluster: ClusterArgs,
}

pub(crate) fn run(args: &WatchArgs, now: Time) -> Result<ExitCode, Failure> {
    if !std::io::stdout().is_terminal() || !std::io::stdin().is_terminal() {
        return Err(Failure::usage(
            "watch draws on a terminal, and there is none here: use `allready check`",
        ));
    }
    if is_dumb() {
        return Err(Failure::usage(
            "watch draws on a terminal, and this one cannot be drawn on (TERM=dumb): use `allready check`",
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
    let files = args.declared.read()?;
    let cluster = args.cluster.connect(Patience::Command).await?;
    let catalog = target::discover(&cluster).await?;
    let first = wanted(args, &catalog, &cluster.namespace)?;
    let namespace = args.scope.namespace(&cluster.namespace);
    let has_namespaces = namespace.is_none();
    let mut scope = namespace
        .map_or_else(|| "all namespaces".to_owned(), |namespace| format!("namespace {}", tame(&namespace)));
    if let Some(context) = &args.cluster.context {
        let _ = write!(scope, " of {}", tame(context));
    }
    // A watch is quiet for longer than a command is patient.
    let client = args.cluster.connect(Patience::Service).await?.client;
    let mut model = Model::new(scope, has_namespaces, now);
    model.is_ascii = is_ascii_locale();
    model.flags = command::flags(&args.cluster);
    let mut shell = Shell::new(client, model);
    let known = Discovered::of(&cluster.client, catalog, &files).await;
    shell.learn(first.clone(), known);
    let chosen = |catalog: &Catalog| {
        // Where types are named, nothing new is looked for but what is declared of them.
        if args.types.is_empty() {
            wanted(args, catalog, &cluster.namespace).ok()
        } else {
            Some(first.clone())
        }
    };
    shell.run(Asking { cluster: &cluster, chosen: &chosen, files: &files }).await
}

/// The resources to watch, of everything that is served.
fn wanted(args: &WatchArgs, catalog: &Catalog, default_namespace: &str) -> Result<Chosen, Failure> {
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
    let resources = wanted.map(|asked| (asked.resource, asked.selection)).collect();
    // With types that are named, a group of which nothing is known is not missed.
    let blind = if targets.is_empty() { catalog.problems.clone() } else { Vec::new() };
    Ok(Chosen { resources, blind, is_everything: targets.is_empty() })
}
