//! Objects that are being deleted, and what they wait for.

use std::borrow::Cow;

use serde_json::Value;

use super::Rule;
use super::builtin::namespace_remains;
use super::case::Case;
use super::order::decide;
use super::signal::Signal;
use super::silence::is_silent;
use crate::health::Health::{Degraded, Progressing};
use crate::registry::Builtin;

/// The seconds that a deletion may take. The `deletionTimestamp` of a Pod is at the end of its grace period.
const LEAVING: i64 = 300;
/// The finalizers that are named.
const MAX_NAMES: usize = 20;
/// The finalizer by which the garbage collector waits for the dependents of an object. One that hangs says so itself.
const FOREGROUND: &str = "foregroundDeletion";

/// The verdict on an object that somebody deletes: whatever the status still says, it is leaving.
pub(super) fn judge<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    let since = case.deleted?.as_str();
    let finalizers = finalizers(case);
    let waits = || {
        let signal = Signal::at(Progressing, Rule::Deleting, "metadata.deletionTimestamp");
        signal.message(awaited(case, &finalizers))
    };
    let remains = namespace_remains(case);
    let is_held = remains.is_some() || is_held(case, &finalizers);
    let leaving = remains.unwrap_or_else(waits).reason("Terminating").since(since);
    if !case.has_lasted(since, LEAVING) {
        return Some(leaving);
    }
    let stuck = broken(case).or_else(|| is_held.then(|| leaving.clone()));
    Some(stuck.map_or(leaving, |stuck| Signal {
        health: Degraded,
        rule: Rule::DeletionStuck,
        since,
        ..stuck
    }))
}

fn finalizers<'a>(case: &Case<'a>) -> Vec<&'a str> {
    // A namespace is emptied for those in its spec.
    let of_namespace = case.spec.filter(|_| case.kind.builtin() == Some(Builtin::Namespace));
    let lists = [case.metadata, of_namespace].into_iter().flatten().filter_map(|part| part.get("finalizers"));
    lists.filter_map(Value::as_array).flatten().filter_map(Value::as_str).collect()
}

/// The sentence on what it waits for.
fn awaited<'a>(case: &Case<'a>, finalizers: &[&str]) -> Cow<'a, str> {
    match finalizers {
        [] => node(case).map_or(Cow::Borrowed(""), |node| format!("waits for the kubelet of {node}").into()),
        [FOREGROUND] => "waits until the objects that it owns are deleted (foregroundDeletion)".into(),
        [one] => format!("waits for the finalizer {one}").into(),
        [first, ..] => {
            let others = &finalizers[1..finalizers.len().min(MAX_NAMES)];
            let names = others.iter().fold((*first).to_owned(), |names, name| names + ", " + name);
            format!("waits for the finalizers {names}").into()
        }
    }
}

/// The node of a Pod, whose kubelet ends it.
fn node<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.spec("nodeName").filter(|_| case.kind.builtin() == Some(Builtin::Pod))?.as_str()
}

/// Tells whether something keeps it in the cluster; a manifest is in none.
fn is_held(case: &Case<'_>, finalizers: &[&str]) -> bool {
    let is_in_cluster = case.is_stored() || !is_silent(case);
    is_in_cluster && (finalizers.iter().any(|name| *name != FOREGROUND) || node(case).is_some())
}

/// The broken thing that its status names: that is not how things look while they are taken away. A Pod that does not end waits for its
/// node, however its containers were.
fn broken<'a>(case: &Case<'a>) -> Option<Signal<'a>> {
    if case.kind.builtin() == Some(Builtin::Pod) {
        return None;
    }
    // The deletion itself is a new generation, which few controllers note down.
    let mut staying = Case::new(case.view.clone(), case.kind, case.now);
    (staying.generation, staying.deleted) = (None, None);
    Some(decide(&staying)).filter(|broken| broken.health == Degraded && !broken.is_weak)
}
