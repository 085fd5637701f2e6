//! The tree: class, Gateway, listener, routes, backends.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use allready_core::{Condition, Status};
use allready_gateway::{Kind, ListenerStatus, ObjectKey, ObjectStatus, object::Spec};
use allready_inspect::lint::Severity;

use super::{
    problem::{Part, Problem, Problems},
    reference::{Role, references},
    world::{Answer, World},
};
use crate::{
    output::text::{Signs, width, wrap},
    printer::{BAD, BOLD, DIM, UNKNOWN, tame},
};

/// A line of the tree, and what is below it.
#[derive(Debug, Default)]
pub(super) struct Node<'a> {
    label: String,
    state: String,
    problems: Vec<&'a Problem>,
    below: Vec<Node<'a>>,
}

/// Everything that is shown below an object, in order: Gateways below their class; ListenerSets, routes and policies below their
/// Gateways. With the number of the reference.
type Below<'a> = BTreeMap<ObjectKey, BTreeSet<(&'a ObjectKey, usize)>>;

/// Everything that a tree is made of.
pub(super) struct Model<'a> {
    pub(super) world: &'a World,
    pub(super) answer: &'a Answer,
    pub(super) problems: &'a Problems,
    /// The objects to show, if not all of them.
    pub(super) shown: Option<BTreeSet<ObjectKey>>,
    /// Kinds of the cluster that could not be read; nothing without a cluster.
    pub(super) unread: Option<&'a BTreeSet<String>>,
    /// Set if backends are shown, too.
    pub(super) is_wide: bool,
    pub(super) below: Below<'a>,
}

/// Finds what is below what.
pub(super) fn below<'a>(world: &'a World, answer: &'a Answer) -> Below<'a> {
    let mut below = Below::new();
    for (key, given) in &world.given {
        let above = references(given).into_iter();
        let above = above.filter(|one| matches!(one.role, Role::Class | Role::Parent));
        for (number, owner) in above.enumerate().filter_map(|(number, one)| Some((number, one.key()?))) {
            below.entry(owner).or_default().insert((key, number));
        }
    }
    for (key, status) in &answer.statuses {
        let ObjectStatus::Policy(status) = status else { continue };
        for at in status.ancestors.iter().map(|entry| &entry.ancestor_ref) {
            let gateway =
                ObjectKey::new(Kind::Gateway, at.namespace.as_deref().unwrap_or_default(), &at.name);
            below.entry(gateway).or_default().insert((key, 0));
        }
    }
    below
}

impl<'a> Model<'a> {
    fn below(&self, key: &ObjectKey) -> impl Iterator<Item = (&'a ObjectKey, usize)> {
        self.below.get(key).into_iter().flatten().copied()
    }

    /// The roots: classes, Gateways that are not there, and what is attached to nothing.
    pub(super) fn roots(&self) -> Vec<Node<'a>> {
        let mut roots = Vec::new();
        let is_shown = |key: &ObjectKey| self.shown.as_ref().is_none_or(|shown| shown.contains(key));
        let absent = |key: &ObjectKey| match self.unread {
            None => "not among the manifests",
            Some(unread) if unread.contains(key.kind.as_str()) => "could not be read",
            Some(_) => "does not exist",
        };
        let assumed = |kind: Kind| self.world.assumed.keys().filter(move |key| key.kind == kind);
        let given = |kind: Kind| self.world.given.keys().filter(move |key| key.kind == kind);
        let classes: BTreeSet<&ObjectKey> =
            given(Kind::GatewayClass).chain(assumed(Kind::GatewayClass)).collect();
        for class in classes {
            let gateways = self.below(class).map(|(key, _)| key).filter(|key| is_shown(key));
            let gateways: Vec<Node<'_>> = gateways.map(|key| self.gateway(key)).collect();
            let is_given = self.world.given.contains_key(class);
            if (is_given && is_shown(class)) || !gateways.is_empty() {
                let state = if is_given { self.state(class) } else { absent(class).to_owned() };
                roots.push(Node { below: gateways, ..self.node(class, state) });
            }
        }
        for gateway in assumed(Kind::Gateway).filter(|key| is_shown(key)) {
            let mut below = self.sets_of(gateway);
            below.extend(self.routes_at(gateway, None));
            let state = absent(gateway).to_owned();
            if !below.is_empty() {
                roots.push(Node { label: gateway.to_string(), state, below, ..Node::default() });
            }
        }
        roots.extend(
            self.world.given.keys().filter(|key| is_shown(key)).filter_map(|key| self.unattached(key)),
        );
        roots
    }

    fn class_of(&self, gateway: &ObjectKey) -> Option<&ObjectKey> {
        let Spec::Gateway(spec) = &self.world.given.get(gateway)?.object.spec else { return None };
        let key = ObjectKey::new(Kind::GatewayClass, "", &spec.gateway_class_name);
        let given = self.world.given.get_key_value(&key).map(|(key, _)| key);
        given.or_else(|| self.world.assumed.get_key_value(&key).map(|(key, _)| key))
    }

    fn problems(&self, key: &ObjectKey, part: &Part) -> Vec<&'a Problem> {
        self.problems.of(key).filter(|one| one.part == *part).collect()
    }

    fn node(&self, key: &ObjectKey, state: String) -> Node<'a> {
        let problems = self.problems(key, &Part::Whole);
        let is_owner = matches!(key.kind, Kind::Gateway | Kind::ListenerSet);
        // Its listeners say why.
        let is_bare = is_owner && state.is_empty() && problems.is_empty();
        // Nobody answers for a Gateway whose class nobody has.
        let is_nobodys = problems.iter().any(|one| one.reason == "NoSuchGatewayClass");
        let state = match (is_bare, is_nobodys) {
            (true, _) => "not Accepted".to_owned(),
            (_, true) => String::new(),
            _ => state,
        };
        Node { label: key.to_string(), state, problems, below: Vec::new() }
    }

    /// The words for conditions. Those that are False are told by problems, unless these were there before.
    fn words(&self, key: &ObjectKey, conditions: &[Condition]) -> String {
        let is_old = self.shown.is_some() && !self.problems.has(key);
        words(conditions.iter().filter(|one| is_old || one.status != Status::False))
    }

    fn state(&self, key: &ObjectKey) -> String {
        match self.answer.statuses.get(key) {
            Some(ObjectStatus::GatewayClass(status)) => self.words(key, &status.conditions),
            Some(ObjectStatus::Gateway(status)) => self.words(key, &status.conditions),
            Some(ObjectStatus::ListenerSet(status)) => self.words(key, &status.conditions),
            Some(ObjectStatus::Policy(status)) => {
                status.ancestors.first().map(|entry| self.words(key, &entry.conditions)).unwrap_or_default()
            }
            _ => String::new(),
        }
    }

    fn gateway(&self, key: &ObjectKey) -> Node<'a> {
        let state = if self.class_of(key).is_some_and(|class| self.problems.has(class)) {
            "waits for its class".to_owned()
        } else {
            self.state(key)
        };
        let mut node = self.node(key, state);
        if let Some(ObjectStatus::Gateway(status)) = self.answer.statuses.get(key) {
            node.below = self.listeners(key, &status.listeners);
        }
        node.below.extend(self.sets_of(key));
        node.below.extend(self.routes_at(key, None));
        let policies = self.below(key).filter(|(policy, _)| policy.kind == Kind::BackendTLSPolicy);
        node.below.extend(policies.map(|(policy, _)| self.node(policy, self.state(policy))));
        node
    }

    fn sets_of(&self, gateway: &ObjectKey) -> Vec<Node<'a>> {
        let one = |(key, _): (&'a ObjectKey, usize)| {
            let mut node = self.node(key, self.state(key));
            if let Some(ObjectStatus::ListenerSet(status)) = self.answer.statuses.get(key) {
                node.below = self.listeners(key, &status.listeners);
            }
            node.below.extend(self.routes_at(key, None));
            node
        };
        self.below(gateway).filter(|(key, _)| key.kind == Kind::ListenerSet).map(one).collect()
    }

    fn listeners(&self, owner: &ObjectKey, listeners: &[ListenerStatus]) -> Vec<Node<'a>> {
        let named = match self.world.given.get(owner).map(|given| &given.object.spec) {
            Some(Spec::Gateway(gateway)) => &gateway.listeners,
            Some(Spec::ListenerSet(set)) => &set.listeners,
            _ => return Vec::new(),
        };
        let width = listeners.iter().map(|one| one.name.chars().count()).max().unwrap_or_default();
        let one = |status: &ListenerStatus| {
            let found = named.iter().find(|one| one.name == status.name);
            let mut label = format!("listener {:width$}", status.name);
            if let Some(found) = found {
                let _ = write!(label, " {:>5} {:<5}", found.port, found.protocol);
                if let Some(hostname) = &found.hostname {
                    let _ = write!(label, " {hostname}");
                }
            }
            let problems = self.problems(owner, &Part::Listener(status.name.clone()));
            let state = match status.attached_routes {
                0 if !problems.is_empty() => String::new(),
                1 => "1 route".to_owned(),
                count => format!("{count} routes"),
            };
            Node { label, state, problems, below: self.routes_at(owner, Some(&status.name)) }
        };
        listeners.iter().map(one).collect()
    }

    /// The routes at a listener; without one, those that are refused, and name no listener that is shown.
    fn routes_at(&self, owner: &ObjectKey, listener: Option<&str>) -> Vec<Node<'a>> {
        let mut nodes = Vec::new();
        let is_given = self.world.given.contains_key(owner);
        let listeners = match self.answer.statuses.get(owner).filter(|_| is_given) {
            Some(ObjectStatus::Gateway(status)) => status.listeners.as_slice(),
            Some(ObjectStatus::ListenerSet(status)) => &status.listeners,
            _ => &[],
        };
        let has = |name: &str| listeners.iter().any(|one| one.name == name);
        for (key, number) in self.below(owner) {
            let Some(Spec::Route(route)) = self.world.given.get(key).map(|given| &given.object.spec) else {
                continue;
            };
            let section = route.parent_refs.get(number).and_then(|parent| parent.section_name.as_deref());
            let attached = self.answer.attached.get(key).map(Vec::as_slice).unwrap_or_default();
            let mut at = attached.iter().filter(|(of, on, _)| *of == number && on == owner).peekable();
            let is_here = if at.peek().is_some() && is_given {
                at.any(|(_, _, name)| Some(name.as_str()) == listener)
            } else {
                section.filter(|name| has(name)) == listener
            };
            if is_here {
                nodes.push(self.route(key, number));
            }
        }
        nodes
    }

    fn route(&self, key: &ObjectKey, number: usize) -> Node<'a> {
        let conditions = match self.answer.statuses.get(key) {
            Some(ObjectStatus::Route(status)) => self.world.given.get(key).and_then(|given| {
                let Spec::Route(route) = &given.object.spec else { return None };
                let parent = route.parent_refs.get(number)?;
                status.parents.iter().find(|entry| entry.parent_ref == *parent)
            }),
            _ => None,
        };
        let mut node =
            self.node(key, conditions.map(|entry| self.words(key, &entry.conditions)).unwrap_or_default());
        node.problems.splice(0..0, self.problems(key, &Part::Parent(number)));
        if !node.problems.is_empty() {
            node.state.clear();
        }
        let given = self.world.given.get(key).filter(|_| self.is_wide);
        for backend in given.map(references).unwrap_or_default() {
            if backend.role == Role::Backend {
                let port = backend.port.map(|port| format!(":{port}")).unwrap_or_default();
                let label = format!("{}{port}", backend.words());
                let is_bad = |one: &mut &Problem| one.pointer == backend.pointer;
                let problems = node.problems.extract_if(.., is_bad).collect();
                node.below.push(Node { label, problems, ..Node::default() });
            }
        }
        node
    }

    /// An object that has no place in the tree otherwise.
    fn unattached(&self, key: &ObjectKey) -> Option<Node<'a>> {
        let given = self.world.given.get(key)?;
        let parents: Vec<_> = references(given).into_iter().filter(|one| one.role == Role::Parent).collect();
        let is_there =
            |key: &ObjectKey| self.world.given.contains_key(key) || self.world.assumed.contains_key(key);
        let mut node = self.node(key, String::new());
        let is_gateway = |of: Option<ObjectKey>| of.is_some_and(|key| key.kind == Kind::Gateway);
        match key.kind {
            // It names something that is no Gateway.
            Kind::ListenerSet if !parents.iter().any(|one| is_gateway(one.key())) => {
                node.below = self.routes_at(key, None);
            }
            kind if kind.is_route() || kind == Kind::ListenerSet => {
                let homeless: Vec<usize> = parents
                    .iter()
                    .enumerate()
                    .filter(|(_, one)| one.key().is_none_or(|key| !is_there(&key)))
                    .map(|(number, _)| number)
                    .collect();
                if parents.is_empty() {
                    node.state.push_str("names no parent");
                } else if homeless.is_empty() {
                    return None;
                } else {
                    let others = homeless.iter().filter_map(|number| parents.get(*number));
                    let others: Vec<String> = others
                        .filter(|one| !matches!(one.key(), Some(key) if matches!(key.kind, Kind::Gateway | Kind::ListenerSet)))
                        .map(|one| format!("{} is not checked", one.words()))
                        .collect();
                    node.state = others.join(", ");
                    let own = homeless.iter().flat_map(|number| self.problems(key, &Part::Parent(*number)));
                    node.problems.splice(0..0, own);
                }
            }
            Kind::BackendTLSPolicy if !self.answer.statuses.contains_key(key) => {
                node.state.push_str("no Gateway reaches its targets");
            }
            // It names no class.
            Kind::Gateway if self.class_of(key).is_none() => return Some(self.gateway(key)),
            Kind::GatewayClass | Kind::Gateway | Kind::BackendTLSPolicy => return None,
            _ if node.problems.is_empty() => return None,
            _ => {}
        }
        Some(node)
    }
}

/// The conditions of a good state, with a reason that says more.
fn words<'a>(conditions: impl Iterator<Item = &'a Condition>) -> String {
    let good = ["Accepted", "Programmed", "ResolvedRefs"];
    let one = |condition: &Condition| {
        let type_ = condition.type_.as_str();
        match condition.status {
            Status::True if condition.reason == *type_ => type_.to_owned(),
            Status::True => format!("{type_} ({})", condition.reason),
            Status::False => format!("not {type_}"),
            Status::Unknown => format!("{type_} unknown ({})", condition.reason),
        }
    };
    let named = conditions.filter(|one| good.iter().any(|good| one.type_ == **good));
    named.map(one).collect::<Vec<_>>().join(", ")
}

/// A line before it is aligned.
struct Line {
    text: String,
    width: usize,
    place: String,
}

/// Draws the tree.
pub(super) fn text(
    roots: &[Node<'_>],
    world: &World,
    signs: &Signs,
    room: Option<usize>,
    place: &dyn Fn(&Problem) -> String,
) -> String {
    let mut drawing = Drawing { world, signs, room, place, lines: Vec::new() };
    drawing.siblings(roots, "", true);
    let column = drawing.lines.iter().filter(|line| !line.place.is_empty()).map(|line| line.width).max();
    let column = column.unwrap_or_default().min(110);
    let mut text = String::new();
    for line in drawing.lines {
        let gap = if line.place.is_empty() { 0 } else { column.saturating_sub(line.width) + 3 };
        let _ = writeln!(text, "{}{}{DIM}{}{DIM:#}", line.text, " ".repeat(gap), line.place);
    }
    text
}

struct Drawing<'a> {
    world: &'a World,
    signs: &'a Signs,
    room: Option<usize>,
    place: &'a dyn Fn(&Problem) -> String,
    lines: Vec<Line>,
}

impl Drawing<'_> {
    fn siblings(&mut self, nodes: &[Node<'_>], prefix: &str, is_root: bool) {
        let label = |node: &Node<'_>| width(&tame(&node.label));
        let widest = if is_root { 0 } else { nodes.iter().map(label).max().unwrap_or_default() };
        for (index, node) in nodes.iter().enumerate() {
            let (own, below) = if is_root {
                (String::new(), String::new())
            } else {
                self.signs.branch(prefix, index + 1 == nodes.len())
            };
            self.node(node, &own, &below, widest.max(label(node)));
            self.siblings(&node.below, &below, false);
        }
    }

    /// A line with its state, and its problems: beside it, or below where there are several or no room.
    fn node(&mut self, node: &Node<'_>, own: &str, below: &str, widest: usize) {
        let (label, state) = (tame(&node.label), tame(&node.state));
        let indent = width(own) + widest;
        let pad = " ".repeat(widest.saturating_sub(width(&label)));
        let mut text = format!("{DIM}{own}{DIM:#}{BOLD}{label}{BOLD:#}{pad}");
        let mut length = indent;
        if !state.is_empty() {
            let _ = write!(text, "  {state}");
            length += 2 + width(&state);
        }
        let mut problems = node.problems.iter().copied().peekable();
        let is_beside = state.is_empty() || node.problems.len() == 1;
        let beside = problems.next_if(|first| {
            let needed = length + 2 + width(&said(first)) + 2;
            is_beside && self.room.is_none_or(|room| needed <= room)
        });
        if let Some(first) = beside {
            let said = said(first);
            let _ = write!(text, "  {}", self.styled(first, &said, true));
            let place = (self.place)(first);
            self.lines.push(Line { text, width: length + 4 + width(&said), place });
        } else {
            let text = text.trim_end().to_owned();
            self.lines.push(Line { text, width: length, place: String::new() });
        }
        for problem in problems {
            self.problem(problem, below, indent);
        }
    }

    /// A problem below its node, broken between words where the terminal is narrow.
    fn problem(&mut self, problem: &Problem, below: &str, indent: usize) {
        debug_assert!(self.world.given.contains_key(&problem.key), "problems are of what is given");
        let wide = indent.saturating_sub(width(below)) + 2;
        let (pad, lines) = match self.room {
            None => (wide, vec![said(problem)]),
            Some(room) if width(below) + wide + 40 <= room => {
                (wide, wrap(&said(problem), room.saturating_sub(width(below) + wide + 2)))
            }
            Some(room) => (2, wrap(&said(problem), room.saturating_sub(width(below) + 4).max(20))),
        };
        for (index, line) in lines.iter().enumerate() {
            let is_last = index + 1 == lines.len();
            let place = if is_last { (self.place)(problem) } else { String::new() };
            let text =
                format!("{DIM}{below}{DIM:#}{}{}", " ".repeat(pad), self.styled(problem, line, index == 0));
            self.lines.push(Line { text, width: width(below) + pad + 2 + width(line), place });
        }
    }

    fn styled(&self, problem: &Problem, text: &str, is_first: bool) -> String {
        let (sign, style) = match (problem.severity, self.signs.is_ascii()) {
            (Severity::Error, false) => ("✗", BAD),
            (Severity::Error, true) => ("x", BAD),
            _ => ("!", UNKNOWN),
        };
        let sign = if is_first { sign } else { " " };
        format!("{style}{sign} {text}{style:#}")
    }
}

fn said(problem: &Problem) -> String {
    tame(&format!("{}: {}", problem.reason, problem.message))
}
