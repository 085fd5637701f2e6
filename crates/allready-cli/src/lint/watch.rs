//! `allready lint --watch`: changes of objects over time.

use std::{future::ready, pin::pin, time::Duration};

use allready_core::Time;
use allready_kube::list_watch::{Store, WatchError, WatchEvent, list_watch_opened};
use futures::{StreamExt as _, stream};
use kube::{
    ResourceExt as _,
    api::DynamicObject,
    runtime::watcher::{self, Event},
};
use serde_json::{Value, json};

use super::{
    args::LintArgs,
    output::one_line,
    session::{Session, Told},
};
use crate::{
    cluster::{Cluster, shown},
    failure::Failure,
    output::Format,
    printer::Printer,
    signal,
    target::{self, Asked},
};

/// The number of kinds that are watched at most: each takes its share of a connection.
const MOST_KINDS: usize = 200;
/// The interval at which objects are checked that make no events.
const TICK: Duration = Duration::from_secs(10);

/// Watches everything that is asked for, and tells what is found as it comes, until the time is over or somebody stops it.
pub(super) async fn run(
    args: &LintArgs,
    cluster: &Cluster,
    asked: Vec<Asked>,
    session: &mut Session<'_>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Some(span) = args.watch else {
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
    printer.error_text(&format!("Watching for {}; Ctrl-C ends it early.\n", shown(span)));
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
        has_seen |= !matches!(event, Seen::Failed(_));
        session.now = Time::new(jiff::Timestamp::now());
        match event {
            Seen::There(object) => seen(&object, args, session, printer)?,
            Seen::Gone(object) => session.forget(&object),
            Seen::Listed => {}
            Seen::Failed(failure) => {
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
    let is_told = |told: &&Told| args.output == Format::Table && told.finding.severity >= args.severity;
    let text: String = told.iter().filter(is_told).map(one_line).collect();
    if text.is_empty() { Ok(()) } else { printer.text(&text) }
}

/// An object that is seen, or is gone, or why nothing is seen of a kind.
enum Seen {
    There(Box<Value>),
    Gone(Box<Value>),
    Listed,
    Failed(Failure),
}

fn watch(cluster: &Cluster, asked: &Asked) -> impl futures::Stream<Item = Seen> + Send + use<> {
    let api = asked.resource.api(cluster.client.clone(), asked.selection.namespace.as_deref());
    let mut only = watcher::Config::default();
    only.label_selector.clone_from(&asked.selection.labels);
    only.field_selector.clone_from(&asked.selection.fields);
    if let [name] = asked.names.as_slice() {
        only = only.fields(&format!("metadata.name={name}"));
    }
    let (resource, namespace) = (asked.resource.clone(), asked.selection.namespace.clone());
    let names = asked.names.clone();
    let mut store: Store<(Option<String>, String), ()> = Store::new(Duration::ZERO);
    let seen = move |event: Result<Event<DynamicObject>, WatchError>| {
        let key = |object: &DynamicObject| (object.namespace(), object.name_any());
        let mut there = None;
        let event = match event {
            Ok(Event::Init) => WatchEvent::Init,
            Ok(Event::InitApply(object) | Event::Apply(object)) => {
                if !names.is_empty() && !names.contains(&object.name_any()) {
                    return stream::iter(Vec::new());
                }
                let key = key(&object);
                there = serde_json::to_value(object).ok();
                WatchEvent::Apply(key, ())
            }
            Ok(Event::Delete(object)) => WatchEvent::Delete(key(&object)),
            Ok(Event::InitDone) => WatchEvent::InitDone,
            Err(error) => {
                store.apply(WatchEvent::Failed(error.to_string().into()), Duration::ZERO);
                let failure = target::unwatched(&resource, namespace.as_deref(), &error);
                return stream::iter(vec![Seen::Failed(failure)]);
            }
        };
        let is_listed = event == WatchEvent::InitDone;
        let changed = store.apply(event, Duration::ZERO);
        let gone = changed.into_iter().filter(|key| store.get(key).is_none());
        let gone = gone.map(|(namespace, name)| {
            Seen::Gone(Box::new(json!({ "apiVersion": resource.api_version(), "kind": resource.kind,
                "metadata": { "namespace": namespace, "name": name } })))
        });
        let there = there.map(|object| Seen::There(Box::new(object)));
        stream::iter(
            there.into_iter().chain(gone).chain(is_listed.then_some(Seen::Listed)).collect::<Vec<_>>(),
        )
    };
    let events = list_watch_opened(api, only).filter_map(|event| ready(event.transpose()));
    events.map(seen).flatten()
}

/// An object, or another version of it.
fn seen(
    object: &Value,
    args: &LintArgs,
    session: &mut Session<'_>,
    printer: &mut Printer,
) -> Result<(), Failure> {
    // A watch that begins anew lists what was seen already.
    if !session.knows(object) {
        tell(session.look(object, None, None), args, printer)?;
    }
    tell(session.step(object), args, printer)
}
