//! The causes behind everything that is not well: many objects, few causes.
//!
//! Objects are added one at a time as a [`Digest`], so that a whole cluster takes little memory. [`Causes::search`] then judges
//! each in view of the others, follows what is not well to its first cause as [`explain`](crate::explain) does, and puts equal
//! causes together.
//!
//! ```
//! use allready_core::Time;
//! use allready_inspect::{causes::{Causes, Digest}, graph::Extent, health::Health, judge::judge, registry::Registry};
//! use serde_json::json;
//!
//! let registry = Registry::builtin();
//! let mut causes = Causes::new(Extent::Everything);
//! for name in ["a", "b"] {
//!     let object = json!({ "apiVersion": "example.com/v1", "kind": "Widget", "metadata": { "name": name, "namespace": "shop" },
//!         "status": { "conditions": [{ "type": "Ready", "status": "False", "reason": "NoPassword" }] } });
//!     let verdict = judge(&object, registry, Time::EPOCH);
//!     causes.add(Digest::of(object, verdict, registry, Time::EPOCH).unwrap());
//! }
//! let found = causes.search(registry, Time::EPOCH);
//! assert_eq!(found.causes.len(), 1);
//! assert_eq!((found.causes[0].text.as_str(), found.causes[0].affected.len()), ("NoPassword", 2));
//! ```

mod alike;
mod digest;
mod group;
mod search;
#[cfg(test)]
mod tests;
mod webhooks;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::{
    explain::Node,
    graph::{Answer, Extent, Gap, Known, ObjectId, Request, assess::MAX_STEPS},
    health::Health,
    judge::{Hint, Verdict, judge},
    registry::Registry,
    words::plural,
    writers::Writer,
};
use allready_core::Time;
use serde_json::Value;

pub use digest::Digest;

/// The most objects of which everything is kept: enough to tell causes apart, and little enough to hold.
const MAX_KEPT: usize = 2_000;
/// The most hints.
const MAX_HINTS: usize = 10_000;

/// Objects whose causes are to be found.
#[derive(Debug)]
pub struct Causes {
    known: Known,
    /// The part of an object that says most, where it is not well.
    parts: HashMap<ObjectId, Node>,
    /// The objects that were asked about; others are there to explain them.
    asked: BTreeSet<ObjectId>,
    kept: usize,
    /// The same of objects that came with answers.
    answered: usize,
    hints: BTreeMap<ObjectId, Vec<Hint>>,
    hinted: usize,
}

/// One cause, and what it affects.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    /// The worst health of what is affected.
    pub health: Health,
    /// Says what is wrong, in one line.
    pub text: String,
    /// The reason, in one word.
    pub reason: String,
    /// The object that the cause was found at; one of them where there are several.
    pub object: ObjectId,
    /// The namespaces of what is affected.
    pub namespaces: BTreeSet<String>,
    /// The earliest time since when.
    pub since: Option<Time>,
    /// The writer that says so, where that is recorded.
    pub writer: Option<Writer>,
    /// The objects that are not well because of it.
    pub affected: Vec<ObjectId>,
    /// The object to look at next: the one nearest to what somebody asked for.
    pub next: ObjectId,
}

/// The verdicts and causes that were found.
#[derive(Debug)]
pub struct Found {
    /// The causes, worst first.
    pub causes: Vec<Cause>,
    /// What is not wrong yet, and will be: put together as causes are.
    pub hints: Vec<Cause>,
    /// The verdicts that others than the objects themselves decided.
    pub verdicts: BTreeMap<ObjectId, Verdict>,
    /// The requests that would help to know more.
    pub wanted: Vec<Request>,
}

impl Causes {
    /// Nothing yet.
    pub fn new(extent: Extent) -> Self {
        Self {
            known: Known::new(extent),
            parts: HashMap::new(),
            asked: BTreeSet::new(),
            kept: 0,
            answered: 0,
            hints: BTreeMap::new(),
            hinted: 0,
        }
    }

    /// Adds an object that was asked about, in place of what was known of it before.
    pub fn add(&mut self, digest: Digest) {
        self.remove(&digest.id);
        self.asked.insert(digest.id.clone());
        let is_numerous = digest::is_numerous(&digest.id);
        let is_kept = digest.object.is_some() && (self.kept < MAX_KEPT || !is_numerous);
        let room = MAX_HINTS.saturating_sub(self.hinted);
        let hints: Vec<Hint> = digest.hints.into_iter().take(room).collect();
        if !hints.is_empty() {
            self.hinted += hints.len();
            self.hints.insert(digest.id.clone(), hints);
        }
        self.kept += usize::from(is_kept && is_numerous);
        self.parts.extend(digest.part.map(|part| (digest.id.clone(), *part)));
        self.known.add_kept(digest.id, digest.kept, digest.object.filter(|_| is_kept));
    }

    /// Takes an object away that is not there any more.
    pub fn remove(&mut self, id: &ObjectId) {
        if !self.asked.remove(id) {
            return;
        }
        let was_kept = digest::is_numerous(id) && self.known.object(id).is_some();
        self.kept -= usize::from(was_kept);
        self.hinted -= self.hints.remove(id).map_or(0, |hints| hints.len());
        self.parts.remove(id);
        self.known.remove(id);
    }

    /// Forgets the answers to requests, so that a search asks for them again: a cluster changes, and only what is added is followed.
    pub fn forget_answers(&mut self) {
        self.answered = 0;
        let asked = &self.asked;
        self.known.forget_answers(|id| asked.contains(id));
    }

    /// Notes that all objects of a kind have been added: those of one namespace, or of all; or why they have not.
    pub fn listed(&mut self, group: &str, kind: &str, namespace: Option<&str>, gap: Option<Gap>) {
        self.known.listed(group, kind, namespace, gap);
    }

    /// Notes that objects of all kinds have been added.
    pub fn listed_everything(&mut self) {
        self.known.listed_everything();
    }

    /// Takes the answer to a request in. What is in it explains others, and was not asked about; of what there are many of, and
    /// that is well, little is kept.
    pub fn answer(&mut self, request: Request, mut answer: Answer, registry: &Registry, now: Time) {
        if let Answer::Objects(objects) | Answer::Some(objects, _) = &mut answer {
            let is_numerous =
                |object: &mut Value| ObjectId::of(object).is_some_and(|id| digest::is_numerous(&id));
            for object in objects.extract_if(.., is_numerous) {
                let verdict = judge(&object, registry, now);
                let Some(digest) = Digest::of(object, verdict, registry, now) else { continue };
                if !self.known.has(&digest.id) {
                    let is_kept = self.answered < MAX_KEPT;
                    self.answered += usize::from(is_kept && digest.object.is_some());
                    self.known.add_kept(digest.id, digest.kept, digest.object.filter(|_| is_kept));
                }
            }
        }
        self.known.answer(request, answer);
    }

    /// Tells whether this was asked, however it was answered.
    #[cfg(feature = "kube")]
    pub(crate) fn has_asked(&self, request: &Request) -> bool {
        self.known.has_asked(request)
    }

    /// Judges every object in view of the others, and finds the causes of what is not well.
    pub fn search(&self, registry: &Registry, now: Time) -> Found {
        search::search(self, registry, now)
    }

    /// The part of a cause that affects these objects: as bad, and as old, as they are.
    pub fn part(&self, found: &Found, cause: &Cause, affected: Vec<ObjectId>) -> Cause {
        let namespaces = affected.iter().map(|id| id.namespace.clone()).filter(|name| !name.is_empty());
        let namespaces = namespaces.collect();
        let mut part = Cause { namespaces, affected, ..cause.clone() };
        let verdicts = part.affected.iter().map(|id| (found.verdicts.get(id), self.known.verdict(id)));
        let (mut health, mut since) = (None, None);
        for (related, alone) in verdicts {
            health = health.max(related.or(alone).map(|verdict| verdict.health));
            let times = [related, alone].map(|verdict| verdict.and_then(|verdict| verdict.since));
            since = [since, times[0].or(times[1])].into_iter().flatten().min();
        }
        // A hint is about objects that are well, and has a time of its own.
        if part.health != Health::Healthy {
            part.health = health.unwrap_or(cause.health);
            part.since = since.or(cause.since);
        }
        part.next = group::next(self, &part);
        part
    }

    /// The application that an object is a part of, by the labels that everybody uses, or by what controls it.
    pub fn application(&self, id: &ObjectId) -> Option<String> {
        let labels = [
            "app.kubernetes.io/part-of",
            "app.kubernetes.io/instance",
            "app.kubernetes.io/name",
            "app",
            "k8s-app",
        ];
        let mut object = id.clone();
        for _ in 0..MAX_STEPS {
            if let Some(name) = labels.iter().find_map(|label| self.known.label(&object, label)) {
                return Some(name.to_owned());
            }
            object = self.known.controller(&object)?;
        }
        None
    }

    /// The object at the top of the chain of those that control this one.
    pub fn top(&self, id: &ObjectId) -> ObjectId {
        let mut top = id.clone();
        for _ in 0..MAX_STEPS {
            match self.known.controller(&top).filter(|owner| self.known.has(owner)) {
                Some(owner) => top = owner,
                None => break,
            }
        }
        top
    }

    /// The objects that a cause affects, in words, such as `Deployment/web, 12 Pods`: what nothing else controls first; what is between a workload and its pods is left out.
    pub fn affects(&self, cause: &Cause) -> String {
        let affected: BTreeSet<&ObjectId> = cause.affected.iter().collect();
        let mut kinds: BTreeMap<(bool, &str), Vec<&ObjectId>> = BTreeMap::new();
        for id in &cause.affected {
            let is_between = matches!(id.kind.as_str(), "ReplicaSet" | "EndpointSlice");
            let top = self.top(id);
            let is_part = top != *id && affected.contains(&top);
            if !(is_between && (is_part || id.kind == "EndpointSlice")) {
                kinds.entry((is_part, &id.kind)).or_default().push(id);
            }
        }
        let kinds = kinds.into_iter().map(|((is_part, kind), ids)| match ids.as_slice() {
            [one] if kind.is_empty() => one.name.clone(),
            [one] if !is_part => format!("{kind}/{}", one.name),
            many if kind.is_empty() => format!("{} objects", many.len()),
            many => format!("{} {}", many.len(), plural(kind, many.len())),
        });
        kinds.collect::<Vec<_>>().join(", ")
    }
}
