//! From what is not well to the first cause of it, over all objects at once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::{Causes, Found, alike::alike, group::Groups, webhooks};
use crate::{
    explain::{Node, What},
    graph::{
        Firmness, ObjectId, Reference, Relation, Request,
        assess::{Assessor, MAX_STEPS, is_passage},
        events, is_killing_probe,
        relate::{self, Link},
    },
    health::Health,
    judge::{Hint, Verdict},
    registry::Registry,
    writers::Writer,
};
use allready_core::Time;

/// The first cause of how an object is.
#[derive(Clone, Debug)]
pub(super) struct First {
    pub(super) object: ObjectId,
    pub(super) health: Health,
    pub(super) reason: String,
    pub(super) message: String,
    pub(super) since: Option<Time>,
    pub(super) writer: Option<Writer>,
    pub(super) is_missing: bool,
    /// Set for what is found in a part, or in view of others: it says more than a condition about the whole.
    is_concrete: bool,
    depth: usize,
}

impl First {
    pub(super) fn of_hint(id: &ObjectId, hint: &Hint) -> Self {
        Self {
            object: id.clone(),
            health: Health::Healthy,
            reason: hint.reason.clone(),
            message: hint.message.clone(),
            since: hint.since,
            writer: None,
            is_missing: false,
            is_concrete: false,
            depth: 0,
        }
    }

    /// The order of causes of one object: the worst, the most concrete, the furthest away, the earliest.
    fn rank(&self) -> (u8, bool, bool, usize, Option<Reverse<Time>>, Reverse<ObjectId>) {
        let since = self.since.map(Reverse);
        let object = Reverse(self.object.clone());
        (self.health.step(), self.is_missing, self.is_concrete, self.depth, since, object)
    }
}

pub(super) fn search(causes: &Causes, registry: &Registry, now: Time) -> Found {
    let assessor = Assessor::new(&causes.known, registry, now);
    let (first, under_way) = (HashMap::new(), HashSet::new());
    let (told, probes) = (HashMap::new(), HashMap::new());
    let mut search = Search { causes, assessor, first, under_way, told, probes };
    let (mut verdicts, mut groups) = (BTreeMap::new(), Groups::default());
    for id in &causes.asked {
        let Some(verdict) = search.assessor.assess(id) else { continue };
        if verdict.health.step() > 0 {
            let mut first = search.first(id, &verdict);
            // Of what is not there nobody knows since when; but since when it is missed.
            first.since = first.since.or_else(|| search.assessor.alone(id)?.since);
            groups.add(causes, id, verdict.health, &first);
        }
        if verdict.rule.is_related() {
            verdicts.insert(id.clone(), verdict);
        }
    }
    let mut hints = Groups::default();
    for (id, said) in &causes.hints {
        for hint in said {
            hints.add(causes, id, Health::Healthy, &First::of_hint(id, hint));
        }
    }
    webhooks::hints(causes, &mut search.assessor, &mut hints);
    Found {
        causes: groups.sorted(causes),
        hints: hints.sorted(causes),
        verdicts,
        wanted: search.assessor.wanted.into_iter().collect(),
    }
}

struct Search<'a> {
    causes: &'a Causes,
    assessor: Assessor<'a>,
    first: HashMap<ObjectId, First>,
    under_way: HashSet<ObjectId>,
    /// By what controls the objects, and what they say: one is asked about for all.
    told: HashMap<(ObjectId, String), Option<First>>,
    /// The same for the probes for which containers are killed.
    probes: HashMap<(ObjectId, String), Option<String>>,
}

impl Search<'_> {
    /// The first cause of an object that is not well.
    fn first(&mut self, id: &ObjectId, verdict: &Verdict) -> First {
        if let Some(first) = self.first.get(id) {
            return first.clone();
        }
        if self.under_way.len() >= MAX_STEPS || !self.under_way.insert(id.clone()) {
            return self.own(id, verdict);
        }
        let related = relate::of_object(&self.causes.known, id, true);
        self.want(related.requests);
        // A status that is computed from reports is as it is because of them, whatever else the object names.
        let (reports, others): (Vec<Link>, Vec<Link>) = related
            .links
            .into_iter()
            .partition(|link| matches!(link.relation, Relation::ReportedBy | Relation::FromCluster));
        let other = self.worst_of(&reports, verdict).or_else(|| self.worst_of(&others, verdict));
        let first = other.unwrap_or_else(|| self.own(id, verdict));
        self.under_way.remove(id);
        self.first.insert(id.clone(), first.clone());
        first
    }

    fn want(&mut self, requests: Vec<Request>) {
        let known = &self.causes.known;
        for request in requests {
            if !known.is_answered(&request) {
                self.assessor.wanted.insert(request);
            }
        }
    }

    /// The worst of the first causes of other objects that can be why one is not well.
    fn worst_of(&mut self, links: &[Link], verdict: &Verdict) -> Option<First> {
        let mut best: Option<First> = None;
        for link in links {
            let Some(first) = self.behind(link, verdict) else { continue };
            if best.as_ref().is_none_or(|best| first.rank() > best.rank()) {
                best = Some(first);
            }
        }
        best.map(|first| First { depth: first.depth + 1, ..first })
    }

    /// The first cause of another object, if it can be why one is not well.
    fn behind(&mut self, link: &Link, verdict: &Verdict) -> Option<First> {
        let known = &self.causes.known;
        let Some(other) = known.find(&link.to) else {
            return self.missing(&link.to).filter(|_| explains(link.relation, 2, verdict));
        };
        let found = self.assessor.assess(&other)?;
        if found.health.step() == 0 && is_passage(&other) {
            // Passages may lead to each other in a circle.
            if self.under_way.len() >= MAX_STEPS || !self.under_way.insert(other.clone()) {
                return None;
            }
            let links = relate::of_object(known, &other, false).links.into_iter();
            let links: Vec<Link> = links.map(|link| Link { relation: Relation::Selects, ..link }).collect();
            let worst = self.worst_of(&links, verdict);
            self.under_way.remove(&other);
            return worst;
        }
        explains(link.relation, found.health.step(), verdict).then(|| self.first(&other, &found))
    }

    /// An object that another one names and that is not there.
    fn missing(&mut self, reference: &Reference) -> Option<First> {
        if reference.firmness != Firmness::Needed {
            return None;
        }
        match self.causes.known.is_missing(reference) {
            Ok(true) => Some(First {
                object: reference.id(),
                health: Health::Missing,
                reason: "NotFound".to_owned(),
                message: format!("{} {} not found", reference.kind, reference.name),
                since: None,
                writer: None,
                is_missing: true,
                is_concrete: true,
                depth: 0,
            }),
            Ok(false) => None,
            Err(request) => {
                self.assessor.wanted.insert(*request);
                None
            }
        }
    }

    /// An object as its own cause: the part that says most, or an event where no part says why.
    fn own(&mut self, id: &ObjectId, verdict: &Verdict) -> First {
        let alone = First {
            object: id.clone(),
            health: verdict.health,
            reason: verdict.reason.clone(),
            message: verdict.message.clone(),
            since: verdict.since,
            writer: verdict.writer.clone(),
            is_missing: false,
            is_concrete: verdict.rule.is_related(),
            depth: 0,
        };
        if alone.is_concrete {
            return alone;
        }
        let part = self.causes.parts.get(id);
        let says_why = |part: &Node| is_concrete(part) || !part.message.is_empty();
        let is_told = part.is_some_and(|part| says_why(part) && part.worst.step() == 2);
        if !is_told && let Some(told) = self.told(id, verdict) {
            return told;
        }
        let Some(part) = part.filter(|part| says_more(part, verdict)) else { return alone };
        let mut message = match part.message.strip_prefix("it ") {
            // Our own sentence about a container; what others write names what matters.
            Some(rest) if part.what == What::Container => format!("{} {rest}", part.label),
            _ => part.message.clone(),
        };
        if part.what == What::Container
            && part.reason == "CrashLoopBackOff"
            && let Some(probe) = self.killing_probe(id, verdict)
        {
            message = format!("{message}; {probe}");
        }
        First {
            reason: part.reason.clone(),
            message,
            since: part.since.or(verdict.since),
            writer: part.writer.clone().or(alone.writer.clone()),
            is_concrete: is_concrete(part),
            ..alone
        }
    }

    /// The latest event that explains an object. One event speaks for all objects of one controller that say the same.
    fn told(&mut self, id: &ObjectId, verdict: &Verdict) -> Option<First> {
        if !is_told_of(id) {
            return None;
        }
        let controller = self.causes.known.controller(id).unwrap_or_else(|| id.clone());
        let key = (controller, format!("{}: {}", verdict.reason, alike(&verdict.message, &[&id.name])));
        if let Some(told) = self.told.get(&key) {
            return told.clone();
        }
        let told = self.event(id, verdict);
        self.told.insert(key, told.clone());
        told
    }

    /// The probe for which the containers of a pod are killed. One pod speaks for all of its controller.
    fn killing_probe(&mut self, id: &ObjectId, verdict: &Verdict) -> Option<String> {
        let controller = self.causes.known.controller(id).unwrap_or_else(|| id.clone());
        let key = (controller, verdict.reason.clone());
        if let Some(probe) = self.probes.get(&key) {
            return probe.clone();
        }
        let (known, request) = (&self.causes.known, Request::Events(id.clone()));
        let probe = if known.is_answered(&request) {
            let mut told = events::of_object(known, id).into_iter();
            told.find(|told| is_killing_probe(&told.message)).map(|told| told.message)
        } else {
            self.assessor.wanted.insert(request);
            None
        };
        self.probes.insert(key, probe.clone());
        probe
    }

    fn event(&mut self, id: &ObjectId, verdict: &Verdict) -> Option<First> {
        let known = &self.causes.known;
        let request = Request::Events(id.clone());
        if !known.is_answered(&request) {
            self.assessor.wanted.insert(request);
            return None;
        }
        let told = events::of_object(known, id).into_iter().next()?;
        Some(First {
            object: id.clone(),
            health: verdict.health,
            reason: told.reason,
            message: told.message,
            since: verdict.since.or(told.time),
            writer: told.writer,
            is_missing: false,
            is_concrete: true,
            depth: 0,
        })
    }
}

/// Tells whether events say more of objects of this kind than their status.
fn is_told_of(id: &ObjectId) -> bool {
    matches!(
        (id.group.as_str(), id.kind.as_str()),
        ("", "Pod" | "PersistentVolumeClaim" | "Service")
            | ("apps", "StatefulSet" | "DaemonSet" | "ReplicaSet")
            | ("batch", "Job" | "CronJob")
    )
}

fn is_concrete(part: &Node) -> bool {
    matches!(part.what, What::Container | What::Error | What::Finding)
}

/// Tells whether a part says more than the object: a reason or a message that the verdict does not have already.
fn says_more(part: &Node, verdict: &Verdict) -> bool {
    let says_something = !part.message.is_empty() || !part.reason.is_empty();
    says_something && (is_concrete(part) || verdict.message.is_empty() || !part.message.is_empty())
}

/// Tells whether what is wrong with one object can be why another is not well.
fn explains(relation: Relation, found: u8, verdict: &Verdict) -> bool {
    match relation {
        // What is served does not make the server fail, nor does what is on its way out.
        Relation::Attached | Relation::Replaces => false,
        // What is named matters as much as the trouble it could make.
        Relation::ServedBy | Relation::RefersTo => found > 0 && found >= verdict.health.step(),
        _ => found > 0,
    }
}
