//! One object: its conditions, and what is behind how it is, as a tree.

use allready_core::{Status, Time};
use allready_inspect::{
    explain::{Cause, Explanation, Node, What},
    graph::ObjectId,
    health::Health,
    judge::Rule,
    live::{Details, Filter, State, Subject},
    words::plural,
};
use serde::Serialize;

use super::{
    page::{RELATED, Sight},
    text,
    timeline::Change,
};

/// The most lines of a tree, and rows of a list.
const MAX_LINES: usize = 600;
const MAX_ROWS: usize = 500;
/// The longest message.
const MAX_TEXT: usize = 2000;

/// The page of an object.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ObjectPage {
    pub(super) object: ObjectId,
    pub(super) health: Health,
    /// `first cause: Secret shop/web-env: NotFound: it is not there`.
    pub(super) sentence: String,
    /// Why it will not become healthy by itself.
    pub(super) hopeless: Option<String>,
    /// The command that says the same in a terminal.
    pub(super) command: String,
    pub(super) created: Option<Time>,
    pub(super) is_deleting: bool,
    /// The generation that its status is about, and its own, where they differ.
    pub(super) lag: Option<(i64, i64)>,
    pub(super) conditions: Vec<ConditionRow>,
    pub(super) omitted: usize,
    pub(super) lines: Vec<Line>,
    pub(super) changes: Vec<Change>,
    /// Why it could not be read.
    pub(super) problem: Option<String>,
}

/// A condition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct ConditionRow {
    part: String,
    #[serde(rename = "type")]
    type_: String,
    status: Status,
    reason: String,
    message: String,
    since: Option<Time>,
    writer: String,
}

/// A line of the tree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line {
    /// The line that it stands below.
    parent: Option<usize>,
    relation: &'static str,
    label: String,
    /// The object that it leads to: only objects have pages of their own.
    link: Option<ObjectId>,
    health: Option<Health>,
    is_seen: bool,
    reason: String,
    message: String,
    since: Option<Time>,
    writer: String,
    /// `137 healthy Pods`, that have no lines of their own.
    folded: String,
    gaps: Vec<String>,
    /// Set on the way to the first cause, and at it.
    is_path: bool,
    is_cause: bool,
}

/// The part of an explanation that may be shown. Where that is not all, neither is a word that may tell of the rest.
pub(super) fn shown(mut explanation: Explanation, sight: Sight<'_>) -> Explanation {
    if sight.is_whole {
        return explanation;
    }
    let is_event = |node: &Node| node.what == What::Event;
    let may_be_shown = |node: &Node| {
        let namespace = &node.object.namespace;
        sight.sees_object(&node.object)
            && node.what != What::Finding
            && (!is_event(node) || (sight.sees)("", "Event", namespace))
    };
    let mut places: Vec<Option<usize>> = Vec::with_capacity(explanation.nodes.len());
    let mut nodes: Vec<Node> = Vec::new();
    for mut node in explanation.nodes {
        let parent = node.parent.map(|parent| places.get(parent).copied().flatten());
        let place = (may_be_shown(&node) && parent != Some(None)).then_some(nodes.len());
        places.push(place);
        if place.is_none() {
            continue;
        }
        node.parent = parent.flatten();
        if node.rule.is_some_and(Rule::is_related) {
            (node.reason, node.message) = (String::new(), RELATED.to_owned());
        }
        node.folded.retain(|folded| folded.what != What::Object);
        node.gaps.clear();
        node.children.clear();
        node.elsewhere.clear();
        nodes.push(node);
    }
    explanation.nodes = nodes;
    explanation.hopeless = None;
    explanation.cause = explanation.cause.and_then(|cause| {
        let path: Option<Vec<usize>> =
            cause.path.iter().map(|line| places.get(*line).copied().flatten()).collect();
        let unseen = if cause.unseen.is_empty() { Vec::new() } else { vec![String::new()] };
        Some(Cause { path: path?, unseen })
    });
    explanation
}

/// Puts what was found out about an object together.
pub(super) fn page(
    id: ObjectId,
    plural: &str,
    details: Result<Details, String>,
    explanation: &Explanation,
    changes: Vec<Change>,
    sight: Sight<'_>,
) -> ObjectPage {
    let path: Vec<usize> = explanation.cause.as_ref().map(|cause| cause.path.clone()).unwrap_or_default();
    let cause = path.last().copied();
    let lines = explanation.nodes.iter().enumerate().take(MAX_LINES);
    let lines = lines.map(|(index, node)| Line {
        is_path: path.contains(&index),
        is_cause: cause == Some(index),
        ..Line::of(node)
    });
    let (details, problem) = match details {
        Ok(details) => (Some(details), None),
        Err(problem) => (None, Some(text(&problem, MAX_TEXT))),
    };
    let conditions = details.iter().flat_map(|details| &details.conditions).map(|said| ConditionRow {
        part: text(&said.part, 300),
        type_: text(&said.type_, 320),
        status: said.status,
        reason: text(&said.reason, 300),
        message: text(&said.message, MAX_TEXT),
        since: said.since,
        writer: text(said.writer.as_deref().unwrap_or_default(), 120),
    });
    let generations = details.as_ref().and_then(|details| details.generations);
    ObjectPage {
        health: explanation.health(),
        sentence: sentence(explanation, sight),
        hopeless: explanation.hopeless.as_deref().map(|why| text(why, MAX_TEXT)),
        command: command(&id, plural),
        created: details.as_ref().and_then(|details| details.created),
        is_deleting: details.as_ref().is_some_and(|details| details.is_deleting),
        lag: generations
            .filter(|(current, observed)| current != observed)
            .map(|(current, observed)| (observed, current)),
        conditions: conditions.collect(),
        omitted: details.as_ref().map_or(0, |details| details.omitted),
        lines: lines.collect(),
        changes,
        problem,
        object: id,
    }
}

impl Line {
    fn of(node: &Node) -> Self {
        let is_label = matches!(node.what, What::Event | What::Finding);
        let folded: Vec<String> = node
            .folded
            .iter()
            .map(|folded| {
                let health = folded.health.as_str().to_lowercase();
                let what = match folded.what {
                    What::Error => plural("error", folded.count),
                    What::Warning => plural("warning", folded.count),
                    _ => plural(&folded.kind, folded.count),
                };
                format!("{} {health} {what}", folded.count)
            })
            .collect();
        Self {
            parent: node.parent,
            relation: node.relation.as_str(),
            label: text(&node.label, 400),
            link: (node.what == What::Object).then(|| node.object.clone()),
            health: node.health,
            is_seen: node.is_seen,
            reason: if is_label { String::new() } else { text(&node.reason, 300) },
            message: text(&node.message, MAX_TEXT),
            since: node.since,
            writer: text(node.writer.as_ref().map_or("", |writer| &writer.manager), 120),
            folded: text(&folded.join(", "), 300),
            gaps: node.gaps.iter().take(20).map(|gap| text(gap, 300)).collect(),
            is_path: false,
            is_cause: false,
        }
    }
}

/// The first cause.
fn sentence(explanation: &Explanation, sight: Sight<'_>) -> String {
    let Some(root) = explanation.root() else { return String::new() };
    let why = |node: &Node| match (node.reason.as_str(), node.message.as_str()) {
        (reason, "") => reason.to_owned(),
        ("", message) => message.to_owned(),
        (reason, message) => format!("{reason}: {message}"),
    };
    let said = match &explanation.cause {
        None if matches!(root.health, Some(Health::Healthy)) => format!("{} is healthy", root.label),
        None if matches!(root.health, Some(Health::Suspended)) => {
            format!("{} rests on purpose: {}", root.label, why(root))
        }
        None => {
            let health = root.health.map_or("not seen", Health::as_str).to_lowercase();
            let why = if sight.is_whole { "nothing says why" } else { "nothing that you may see says why" };
            format!("{} is {health}, and {why}", root.label)
        }
        Some(cause) => {
            let node = &explanation.nodes[cause.node()];
            let seen = if cause.unseen.is_empty() { "" } else { ", as far as can be seen" };
            let label = if node.what == What::Object {
                node.label.clone()
            } else {
                format!("{} {}", node.object, node.label)
            };
            format!("first cause{seen}: {label}: {}", why(node))
        }
    };
    text(&said, MAX_TEXT)
}

/// The same in a terminal. A name that a shell would not take as it is has no place in a command.
fn command(id: &ObjectId, plural: &str) -> String {
    let is_plain = |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c));
    if ![&*id.name, &*id.namespace, plural, &*id.group].into_iter().all(is_plain) || plural.is_empty() {
        return String::new();
    }
    let resource = if id.group.is_empty() { plural.to_owned() } else { format!("{plural}.{}", id.group) };
    let namespace = if id.namespace.is_empty() { String::new() } else { format!(" -n {}", id.namespace) };
    format!("allready explain {resource}/{}{namespace}", id.name)
}

/// Rows of objects, worst first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Rows {
    rows: Vec<Row>,
    /// Those that are not shown: there are too many.
    more: usize,
}

/// An object in a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Row {
    object: ObjectId,
    health: Health,
    reason: String,
    message: String,
    since: Option<Time>,
}

/// The objects that a filter asks for; of the healthy ones only where it asks for a health, or for a word.
pub(super) fn rows(state: &State, filter: &str, sight: Sight<'_>) -> Rows {
    let filter = Filter::parse(filter);
    let mut found = Vec::new();
    for kind in &state.kinds {
        for (place, record) in kind.objects.iter() {
            let subject = Subject {
                kind: &kind.name,
                plural: &kind.plural,
                namespace: &place.namespace,
                name: &place.name,
                reason: sight.told(record).0,
                health: record.health,
            };
            let is_asked = record.health > Health::Suspended || !filter.is_empty();
            if is_asked && sight.sees(kind, &place.namespace) && filter.matches(&subject) {
                found.push((kind, place, record));
            }
        }
    }
    found.sort_by(|(a_kind, a_place, a), (b_kind, b_place, b)| {
        let names = (&a_kind.name, a_place).cmp(&(&b_kind.name, b_place));
        b.health.cmp(&a.health).then_with(|| b.begin().cmp(&a.begin())).then(names)
    });
    let more = found.len().saturating_sub(MAX_ROWS);
    let rows = found.into_iter().take(MAX_ROWS).map(|(kind, place, record)| Row {
        object: ObjectId::new(&kind.group, &kind.name, &place.namespace, &place.name),
        health: record.health,
        reason: text(sight.told(record).0, 200),
        message: text(sight.told(record).1, 400),
        since: record.begin(),
    });
    Rows { rows: rows.collect(), more }
}
