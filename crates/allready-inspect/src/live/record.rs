//! The records of objects and of causes.

use std::sync::Arc;

use allready_core::Time;
use serde_json::Value;

use crate::{causes::Cause, graph::ObjectId, health::Health, judge::Verdict, writers::Writer};

/// The longest reason and message that are remembered of an object; its details are read anew when they are wanted.
const MAX_REASON: usize = 120;
const MAX_MESSAGE: usize = 600;

/// The place of an object within its kind.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The namespace; empty for what is in none.
    pub namespace: Box<str>,
    /// The name.
    pub name: Box<str>,
}

/// An object: the index of its kind, and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// The index of its kind in [`State::kinds`](super::State::kinds).
    pub kind: usize,
    /// Shared by everything that speaks of the object: rows are made anew many times a second.
    pub place: Arc<Place>,
}

impl Key {
    /// The object of this kind, namespace and name.
    pub fn new(kind: usize, namespace: &str, name: &str) -> Self {
        Self { kind, place: Arc::new(Place { namespace: namespace.into(), name: name.into() }) }
    }
}

/// The last state seen of an object. Most objects of a cluster are healthy, and of those hardly anything is kept.
#[derive(Clone, Debug)]
pub struct Record {
    /// The identity of the object.
    pub uid: Box<str>,
    /// Its health.
    pub health: Health,
    /// Since when, if the object says so.
    pub since: Option<Time>,
    /// Since when it was seen like this.
    pub seen: Time,
    /// Set if it became like this while it was watched, so that this is since when.
    pub is_witnessed: bool,
    /// The source of the verdict, unless it is healthy.
    pub told: Option<Box<Told>>,
    /// The facts that the follower wants of objects of its kind.
    pub facts: Option<Arc<Value>>,
}

impl Record {
    /// Since when it is like this, if that is known: by what it says itself, or because it was seen to change.
    pub fn begin(&self) -> Option<Time> {
        self.since.or(self.is_witnessed.then_some(self.seen))
    }

    /// Why, in one word; empty for what is healthy.
    pub fn reason(&self) -> &str {
        self.told.as_ref().map_or("", |told| &told.reason)
    }

    /// Why, in full; empty for what is healthy.
    pub fn message(&self) -> &str {
        self.told.as_ref().map_or("", |told| &told.message)
    }
}

/// The part of a verdict that is remembered.
#[derive(Clone, Debug)]
pub struct Told {
    /// Why, in one word.
    pub reason: String,
    /// Why, in full.
    pub message: String,
    /// The writer, where that is recorded.
    pub writer: Option<Writer>,
    /// Set if it was found in view of other objects, which the message may name.
    pub is_related: bool,
}

impl Told {
    /// The part of a verdict that is worth remembering.
    pub(super) fn of(verdict: Verdict) -> Option<Box<Self>> {
        let reason = head(verdict.reason, MAX_REASON);
        let message = head(verdict.message, MAX_MESSAGE);
        let is_worth = verdict.health != Health::Healthy;
        let is_related = verdict.rule.is_related();
        is_worth.then(|| Box::new(Self { reason, message, writer: verdict.writer, is_related }))
    }
}

/// So many characters of a text at most.
fn head(mut text: String, length: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(length) {
        text.truncate(end);
        text.push('…');
        text.shrink_to_fit();
    }
    text
}

/// A cause, and the objects that are not well because of it.
#[derive(Clone, Debug)]
pub struct Group {
    /// The worst health of what is affected.
    pub health: Health,
    /// Says what is wrong, in one line.
    pub text: String,
    /// The object that the cause was found at; one of them where there are several.
    pub object: ObjectId,
    /// The namespaces of what is affected.
    pub namespaces: Vec<String>,
    /// The earliest time since when.
    pub since: Option<Time>,
    /// The field manager that says so, where that is recorded.
    pub writer: Option<String>,
    /// The affected objects, in words.
    pub affects: String,
    /// The affected objects.
    pub objects: Vec<Key>,
    /// The object to look at next.
    pub next: Option<Key>,
}

impl Group {
    pub(super) fn of(cause: &Cause, affects: String, objects: Vec<Key>, next: Option<Key>) -> Self {
        Self {
            health: cause.health,
            text: head(cause.text.clone(), MAX_MESSAGE),
            object: cause.object.clone(),
            namespaces: cause.namespaces.iter().cloned().collect(),
            since: cause.since,
            writer: cause.writer.as_ref().map(|writer| writer.manager.clone()),
            affects: head(affects, MAX_MESSAGE),
            objects,
            next,
        }
    }
}
