//! Looking on: what happens to objects over time.

use std::{pin::pin, time::Duration};

use allready_core::Time;
use allready_kube::resources::Resource;
use futures::{StreamExt as _, stream};
use kube::{
    api::DynamicObject,
    runtime::{
        WatchStreamExt as _,
        watcher::{self, Event},
    },
};
use serde_json::Value;

use super::{
    args::LintArgs,
    output::one_line,
    session::{Session, Told},
};
use crate::{
    cluster::{Cluster, broken},
    failure::Failure,
    printer::Printer,
    signal,
    target::{self, Asked},
};

/// So many kinds are watched at most: each takes a connection's share for as long as it lasts.
const MOST_KINDS: usize = 200;
/// A watch ends before a client takes a silent server for a dead one.
const WATCH_SECONDS: u32 = 25;
/// How often is looked for what makes no events.
const TICK: Duration = Duration::from_secs(10);

/// Watches everything that is asked for, and tells what is found as it comes, until the time is over or somebody stops it.
pub(super) async fn run(
    args: &LintArgs,
    cluster: &Cluster,
    asked: Vec<Asked>,
    session: &mut Session<'_>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Some(span) = args.watch.and_then(|span| Duration::try_from(span).ok()) else {
        return Ok(());
    };
    let (watched, left): (Vec<Asked>, Vec<Asked>) =
        asked.into_iter().partition(|asked| asked.resource.can("watch"));
    for asked in left.iter().filter(|_| !args.targets.is_empty()) {
        session.problem(format!("{} cannot be watched", asked.resource.full_name()));
    }
    if watched.len() > MOST_KINDS {
        session.problem(format!(
            "{} kinds are too many to watch: only the first {MOST_KINDS} are",
            watched.len()
        ));
    }
    let streams = watched.iter().take(MOST_KINDS).map(|asked| watch(cluster, asked).boxed());
    let mut events = stream::select_all(streams);
    let mut over = pin!(tokio::time::sleep(span));
    let mut ticks = tokio::time::interval(TICK);
    let mut stopped = pin!(signal::stopped()?);
    printer
        .error_text(&format!("Looking on for {:#}; Ctrl-C ends it early.\n", args.watch.unwrap_or_default()));
    let (mut has_seen, mut refusal) = (false, None);
    loop {
        let event = tokio::select! {
            () = &mut over => break,
            () = &mut stopped => break,
            _ = ticks.tick() => {
                session.now = Time::new(jiff::Timestamp::now());
                tell(session.overdue(), args, printer)?;
                continue;
            }
            event = events.next() => event,
        };
        let Some(event) = event else { break };
        // To begin is not to see.
        has_seen |= event.as_ref().is_ok_and(|event| !matches!(event, Event::Init));
        session.now = Time::new(jiff::Timestamp::now());
        match event {
            Ok(Event::InitApply(object) | Event::Apply(object)) => seen(object, args, session, printer)?,
            Ok(Event::Delete(object)) => {
                if let Ok(object) = serde_json::to_value(object) {
                    session.forget(&object);
                }
            }
            Ok(Event::Init | Event::InitDone) => {}
            Err(failure) => {
                session.problem(failure.to_string());
                refusal.get_or_insert(failure);
            }
        }
    }
    // Where nothing at all could be seen, that is the answer.
    if let Some(refusal) = refusal.filter(|_| !has_seen) {
        return Err(refusal);
    }
    session.now = Time::new(jiff::Timestamp::now());
    tell(session.overdue(), args, printer)?;
    let related = session.relate();
    tell(&related, args, printer)?;
    for told in related {
        session.keep(told);
    }
    Ok(())
}

/// Tells findings as they come, where a person reads them.
fn tell(told: &[Told], args: &LintArgs, printer: &mut Printer) -> Result<(), Failure> {
    let is_told = |told: &&Told| args.output.is_none() && told.finding.severity >= args.severity;
    let text: String = told.iter().filter(is_told).map(one_line).collect();
    if text.is_empty() { Ok(()) } else { printer.text(&text) }
}

fn watch(
    cluster: &Cluster,
    asked: &Asked,
) -> impl futures::Stream<Item = Result<Event<DynamicObject>, Failure>> + Send + use<> {
    let api = asked.resource.api(cluster.client.clone(), asked.selection.namespace.as_deref());
    let mut config = watcher::Config::default().timeout(WATCH_SECONDS);
    config.label_selector.clone_from(&asked.selection.labels);
    config.field_selector.clone_from(&asked.selection.fields);
    if let [name] = asked.names.as_slice() {
        config = config.fields(&format!("metadata.name={name}"));
    }
    let (resource, namespace) = (asked.resource.clone(), asked.selection.namespace.clone());
    let names = asked.names.clone();
    let is_meant = move |object: &DynamicObject| {
        names.is_empty() || object.metadata.name.as_ref().is_some_and(|name| names.contains(name))
    };
    kube::runtime::watcher(api, config).default_backoff().filter_map(move |event| {
        let is_wanted = match &event {
            Ok(Event::InitApply(object) | Event::Apply(object) | Event::Delete(object)) => is_meant(object),
            _ => true,
        };
        let event = match event {
            Ok(event) => Some(Ok(event)),
            Err(error) => broken(error).map(|error| Err(refused(&resource, namespace.as_deref(), &error))),
        };
        futures::future::ready(event.filter(|_| is_wanted))
    })
}

/// Why a kind cannot be watched.
fn refused(resource: &Resource, namespace: Option<&str>, error: &kube::Error) -> Failure {
    target::refused_to("list and watch", resource, namespace, None, error)
}

/// An object, or another version of it.
fn seen(
    object: DynamicObject,
    args: &LintArgs,
    session: &mut Session<'_>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Ok(object): Result<Value, _> = serde_json::to_value(object) else { return Ok(()) };
    // A watch that begins anew lists what was seen already.
    if !session.knows(&object) {
        tell(session.look(&object, None, None), args, printer)?;
    }
    tell(session.step(&object), args, printer)
}
