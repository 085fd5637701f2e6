//! From what is known to a tree: breadth first, every object once, within bounds.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;

use super::{
    Bounds, Explanation, cause,
    node::{Folded, Node, What},
    parts,
    settle::settle,
};
use crate::{
    graph::{
        Firmness, Gap, Known, ObjectId, Reference, Relation, Request,
        assess::{Assessor, is_passage},
        events, relate,
    },
    health::Health,
    judge::{Rule, Verdict},
    registry::Registry,
};
use allready_core::Time;

/// Explains an object, as far as is known.
pub(super) fn build(
    known: &Known,
    root: &Reference,
    registry: &Registry,
    now: Time,
    bounds: &Bounds,
) -> Explanation {
    let builder = Builder {
        known,
        bounds,
        assessor: Assessor::new(known, registry, now),
        nodes: Vec::new(),
        places: HashMap::new(),
        queue: VecDeque::new(),
    };
    builder.run(root)
}

struct Builder<'a> {
    known: &'a Known,
    bounds: &'a Bounds,
    assessor: Assessor<'a>,
    nodes: Vec<Node>,
    places: HashMap<ObjectId, usize>,
    queue: VecDeque<(usize, usize)>,
}

/// The end of a reference.
enum Met {
    Object(ObjectId, Verdict),
    /// It should be there and is not.
    Missing(ObjectId, String),
    /// It may be there, and cannot be seen.
    Unseen(ObjectId, String),
    /// Nothing that needs to be told.
    Nothing,
}

impl Met {
    fn health(&self) -> Health {
        match self {
            Self::Object(_, verdict) => verdict.health,
            Self::Missing(..) => Health::Missing,
            Self::Unseen(..) => Health::Unknown,
            Self::Nothing => Health::Healthy,
        }
    }

    /// The order of lines: what is broken, then what is on its way, then what cannot be seen.
    fn rank(&self) -> (u8, Health) {
        match self {
            Self::Unseen(..) => (0, Health::Unknown),
            other => (other.health().step(), other.health()),
        }
    }

    fn id(&self) -> Option<&ObjectId> {
        match self {
            Self::Object(id, _) | Self::Missing(id, _) | Self::Unseen(id, _) => Some(id),
            Self::Nothing => None,
        }
    }
}

impl Builder<'_> {
    fn run(mut self, root: &Reference) -> Explanation {
        let met = self.meet(root);
        self.place(met, None, Relation::Root, 0);
        while let Some((index, depth)) = self.queue.pop_front() {
            self.expand(index, depth);
        }
        let nodes = settle(self.nodes, self.bounds.all);
        let cause = cause::first(&nodes);
        let hopeless = self.known.find(root).and_then(|root| self.assessor.hopeless(&root));
        let has_failed_once = hopeless.as_ref().is_some_and(|hopeless| !hopeless.is_settled);
        let hopeless = hopeless.filter(|hopeless| hopeless.is_settled).map(|hopeless| hopeless.why);
        let wanted = self.assessor.wanted.into_iter().collect();
        Explanation { nodes, cause, hopeless, has_failed_once, wanted }
    }

    /// Follows a reference, with a request where that is not known yet.
    fn meet(&mut self, reference: &Reference) -> Met {
        if let Some(id) = self.known.find(reference) {
            let verdict = self.assessor.alone(&id);
            return verdict.map_or(Met::Nothing, |verdict| Met::Object(id, verdict));
        }
        let request = Request::Get(reference.clone());
        let (id, is_needed) = (reference.id(), reference.firmness == Firmness::Needed);
        if !self.known.is_answered(&request) {
            self.assessor.wanted.insert(request);
            return if is_needed {
                Met::Unseen(id, "it has not been looked at yet".to_owned())
            } else {
                Met::Nothing
            };
        }
        match self.known.gap(&request) {
            _ if !is_needed => Met::Nothing,
            None => Met::Missing(id, "it is not there".to_owned()),
            Some(Gap::NotServed) => {
                let message = format!("the API server does not serve the kind {}", id.kind);
                Met::Missing(id, message)
            }
            Some(gap) => {
                let why = gap.why("it").unwrap_or_else(|| "it is not in the input".to_owned());
                Met::Unseen(id, why)
            }
        }
    }

    /// Gives what was met its line, with the verdict in view of others.
    fn place(&mut self, met: Met, parent: Option<usize>, relation: Relation, depth: usize) -> Option<usize> {
        let met = match met {
            Met::Object(id, alone) => {
                let verdict = self.assessor.assess(&id).unwrap_or(alone);
                Met::Object(id, verdict)
            }
            other => other,
        };
        let id = met.id()?.clone();
        let mut node = Node::new(What::Object, id.clone(), id.to_string(), met.health());
        (node.relation, node.parent) = (relation, parent);
        match &met {
            Met::Object(_, verdict) => {
                node.rule = Some(verdict.rule);
                node.field.clone_from(&verdict.field);
                node.reason.clone_from(&verdict.reason);
                node.message.clone_from(&verdict.message);
                node.since = verdict.since;
                node.writer.clone_from(&verdict.writer);
                node.lag = verdict.lag;
            }
            Met::Missing(_, message) => {
                "NotFound".clone_into(&mut node.reason);
                node.message.clone_from(message);
            }
            Met::Unseen(_, message) => {
                node.is_seen = false;
                "NotSeen".clone_into(&mut node.reason);
                node.message.clone_from(message);
            }
            Met::Nothing => {}
        }
        let index = self.push(node);
        self.places.insert(id.clone(), index);
        if let Met::Object(id, verdict) = &met {
            self.add_parts(index, id, verdict);
            self.queue.push_back((index, depth));
        }
        Some(index)
    }

    fn push(&mut self, node: Node) -> usize {
        let index = self.nodes.len();
        if let Some(parent) = node.parent {
            self.nodes[parent].children.push(index);
        }
        self.nodes.push(node);
        index
    }

    fn add_parts(&mut self, index: usize, id: &ObjectId, verdict: &Verdict) {
        let Some(object) = self.known.object(id) else { return };
        let mut placed: Vec<usize> = Vec::new();
        let mut is_top = false;
        for part in
            parts::of_object(id, object, verdict, (self.assessor.registry, self.assessor.now), self.bounds)
        {
            is_top = part.is_top;
            let mut node = part.node;
            node.parent = Some(part.below.and_then(|below| placed.get(below).copied()).unwrap_or(index));
            placed.push(self.push(node));
        }
        if index != 0 && is_top && !self.bounds.all {
            self.drop_echo(index, &placed);
        }
    }

    /// A single condition that says the same as the object says nothing, but for who wrote it.
    fn drop_echo(&mut self, index: usize, placed: &[usize]) {
        let &[only] = placed else { return };
        let (whole, part) = (&self.nodes[index], &self.nodes[only]);
        let is_echo = part.reason == whole.reason && part.message == whole.message;
        if is_echo && only + 1 == self.nodes.len() {
            let writer = self.nodes.pop().and_then(|echo| echo.writer);
            self.nodes[index].children.retain(|&child| child != only);
            self.nodes[index].writer = self.nodes[index].writer.take().or(writer);
        }
    }

    /// Looks around an object.
    fn expand(&mut self, index: usize, depth: usize) {
        let id = self.nodes[index].object.clone();
        let health = self.nodes[index].health.unwrap_or(Health::Unknown);
        let is_root = index == 0;
        if !is_root && !self.bounds.all && health == Health::Healthy && !is_passage(&id) {
            return;
        }
        if !matches!(health, Health::Healthy | Health::Suspended) {
            self.add_events(index, &id);
        }
        let related = relate::of_object(self.known, &id, is_root);
        let is_only = related.findings.len() == 1;
        for finding in related.findings {
            let mut node = Node::new(What::Finding, id.clone(), finding.reason.to_owned(), finding.health);
            (node.relation, node.parent) = (Relation::Has, Some(index));
            finding.reason.clone_into(&mut node.reason);
            (node.message, node.weight) = (finding.message, u8::MAX);
            // One that the line of the object tells needs no line of its own.
            let is_told = self.nodes[index].rule.is_some_and(Rule::is_related)
                && self.nodes[index].message == node.message;
            if !(is_told && is_only) {
                self.push(node);
            }
        }
        for request in related.requests {
            if !self.known.is_answered(&request) {
                self.assessor.wanted.insert(request);
            } else if let Some(gap) = self.known.gap(&request).and_then(|gap| gap_of_many(&gap, &request)) {
                self.nodes[index].gaps.push(gap);
            }
        }
        self.add_links(index, depth, related.links);
    }

    fn add_events(&mut self, index: usize, id: &ObjectId) {
        let request = Request::Events(id.clone());
        if !self.known.is_answered(&request) {
            self.assessor.wanted.insert(request);
        } else if self.known.gap(&request) == Some(Gap::Forbidden) {
            self.nodes[index].gaps.push("not allowed to read events".to_owned());
        }
        for told in events::of_object(self.known, id) {
            let mut node = Node::new(What::Event, id.clone(), told.reason.clone(), Health::Healthy);
            (node.health, node.relation, node.parent) = (None, Relation::Told, Some(index));
            if told.count > 1 {
                let _ = write!(node.label, " ×{}", told.count);
            }
            (node.reason, node.message) = (told.reason, told.message);
            (node.since, node.writer) = (told.time, told.writer);
            self.push(node);
        }
    }

    fn add_links(&mut self, index: usize, depth: usize, links: Vec<relate::Link>) {
        let is_too_deep = depth >= self.bounds.depth;
        let mut folded: BTreeMap<(Health, String), usize> = BTreeMap::new();
        let mut met: Vec<(Relation, Met)> = Vec::new();
        let mut taken: BTreeSet<ObjectId> = BTreeSet::new();
        for link in links {
            let known = self.known.find(&link.to);
            if let Some(&place) = known.as_ref().and_then(|id| self.places.get(id)) {
                self.nodes[index].elsewhere.push((link.relation, place));
                continue;
            }
            let found = self.meet(&link.to);
            let Some(id) = found.id().filter(|&id| taken.insert(id.clone())) else { continue };
            let is_folded = found.health() == Health::Healthy && !is_passage(id) && !self.bounds.all;
            if is_folded || is_too_deep {
                *folded.entry((found.health(), id.kind.clone())).or_default() += 1;
            } else {
                met.push((link.relation, found));
            }
        }
        if is_too_deep && !folded.is_empty() {
            self.nodes[index]
                .gaps
                .push(format!("more than {} steps from the top nothing is followed", self.bounds.depth));
        }
        met.sort_by(|(one_relation, one), (other_relation, other)| {
            other
                .rank()
                .cmp(&one.rank())
                .then(one_relation.cmp(other_relation))
                .then(one.id().cmp(&other.id()))
        });
        for (count, (relation, met)) in met.into_iter().enumerate() {
            let is_placed = count < self.bounds.children && self.nodes.len() < self.bounds.nodes;
            if is_placed {
                self.place(met, Some(index), relation, depth + 1);
            } else if let Some(id) = met.id() {
                *folded.entry((met.health(), id.kind.clone())).or_default() += 1;
            }
        }
        let what = What::Object;
        let folded =
            folded.into_iter().rev().map(|((health, kind), count)| Folded { health, what, kind, count });
        self.nodes[index].folded.extend(folded);
    }
}

/// The sentence for a list that is not all there is; nothing where that does not matter.
fn gap_of_many(gap: &Gap, request: &Request) -> Option<String> {
    let what = match request {
        Request::List { kind, namespace, .. } if namespace.is_empty() => format!("{kind} objects"),
        Request::List { kind, namespace, .. } => format!("{kind} objects in the namespace {namespace}"),
        Request::Owned { .. } => "what it owns".to_owned(),
        Request::Events(_) => "events".to_owned(),
        Request::Get(_) => return None,
    };
    gap.why(&what)
}
