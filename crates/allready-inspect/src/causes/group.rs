//! Equal causes, put together.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Cause, Causes, alike::alike, search::First};
use crate::{
    graph::{ObjectId, text as text_of},
    health::Health,
};

/// The causes that have been found so far.
#[derive(Debug, Default)]
pub(super) struct Groups {
    by_text: HashMap<(String, String), usize>,
    causes: Vec<Cause>,
}

impl Groups {
    /// Adds an object that is not well, and the first cause of that.
    pub(super) fn add(&mut self, causes: &Causes, id: &ObjectId, health: Health, first: &First) {
        let names = names(causes, &first.object);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let message = plain(&first.message);
        let said = if first.is_missing { message.to_owned() } else { alike(message, &names) };
        let key = (first.reason.clone(), said);
        let index = *self.by_text.entry(key).or_insert_with(|| {
            self.causes.push(Cause {
                health,
                text: text(first),
                reason: first.reason.clone(),
                object: first.object.clone(),
                namespaces: BTreeSet::new(),
                since: first.since,
                writer: first.writer.clone(),
                affected: Vec::new(),
                next: id.clone(),
            });
            self.causes.len() - 1
        });
        let cause = &mut self.causes[index];
        cause.health = cause.health.max(health);
        cause.since = match (cause.since, first.since) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        if !id.namespace.is_empty() {
            cause.namespaces.insert(id.namespace.clone());
        }
        cause.affected.push(id.clone());
    }

    /// The causes, worst first, and of those that are equally bad the one that affects most.
    pub(super) fn sorted(mut self, causes: &Causes) -> Vec<Cause> {
        for cause in &mut self.causes {
            cause.next = next(causes, cause);
        }
        self.causes.sort_by(|one, other| {
            let order =
                |cause: &Cause| (std::cmp::Reverse(cause.health), std::cmp::Reverse(cause.affected.len()));
            let since = |cause: &Cause| (cause.since.is_none(), cause.since);
            let names = |cause: &Cause| (cause.next.clone(), cause.text.clone());
            order(one)
                .cmp(&order(other))
                .then_with(|| since(one).cmp(&since(other)))
                .then_with(|| names(one).cmp(&names(other)))
        });
        self.causes
    }
}

/// The names that are specific to an object: its own, its namespace's, its node's, and those of what controls it.
fn names(causes: &Causes, id: &ObjectId) -> Vec<String> {
    let mut names = vec![id.name.clone()];
    let mut object = id.clone();
    for _ in 0..4 {
        let Some(owner) = causes.known.controller(&object) else { break };
        names.push(owner.name.clone());
        object = owner;
    }
    names.push(id.namespace.clone());
    names.extend(causes.known.object(id).map(|object| text_of(&object["spec"], "nodeName").to_owned()));
    names
}

/// A message without what stands before every message of its kind, and says nothing.
fn plain(message: &str) -> &str {
    let message = message.strip_prefix("(combined from similar events): ").unwrap_or(message);
    let message = message.strip_prefix("Error creating: ").unwrap_or(message);
    // `pods "web-7d4b9-x2x9z" is forbidden: exceeded quota: …`
    match message.split_once("\" is forbidden: ") {
        Some((before, rest)) if before.starts_with("pods \"") => rest,
        _ => message,
    }
}

/// `ImagePullBackOff: Back-off pulling image "web:2"`.
fn text(first: &First) -> String {
    let message = plain(&first.message).split_whitespace().collect::<Vec<_>>().join(" ");
    match (first.reason.as_str(), message) {
        (reason, message) if message.is_empty() => reason.to_owned(),
        (_, message) if first.is_missing => message,
        ("", message) => message,
        (reason, message) if message.starts_with(reason) => message,
        (reason, message) => format!("{reason}: {message}"),
    }
}

/// The object to look at next: one that nothing else controls, of the worst.
pub(super) fn next(causes: &Causes, cause: &Cause) -> ObjectId {
    let affected: HashSet<&ObjectId> = cause.affected.iter().collect();
    let is_top = |id: &&ObjectId| causes.known.controller(id).is_none_or(|owner| !affected.contains(&owner));
    let tops = cause.affected.iter().filter(is_top);
    // A workload says more than what leads to it.
    tops.min_by_key(|id| (rank(id), (*id).clone())).unwrap_or(&cause.next).clone()
}

fn rank(id: &ObjectId) -> u8 {
    match (id.group.as_str(), id.kind.as_str()) {
        ("apps" | "batch", _) => 0,
        ("", "Pod") => 2,
        ("discovery.k8s.io", _) => 3,
        _ => 1,
    }
}
