//! The first cause: the end of the worst branch.

use std::cmp::Reverse;

use serde::Serialize;

use super::node::{Node, What};
use crate::{graph::Relation, health::Health, judge::Rule};
use allready_core::Time;

/// The line that everything else follows from, as far as can be seen.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cause {
    /// The lines from the top to it.
    pub path: Vec<usize>,
    /// The things that could not be looked at beside this path, as sentences: while there is any, the cause may lie there.
    pub unseen: Vec<String>,
}

impl Cause {
    /// The line itself.
    pub fn node(&self) -> usize {
        self.path.last().copied().unwrap_or(0)
    }
}

/// The end of the worst branch of a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct End {
    step: u8,
    is_missing: bool,
    /// Set for what is found in a part: it says more than a condition about the whole.
    is_concrete: bool,
    depth: usize,
    /// The earliest is the first; what has no time comes last.
    since: Option<Reverse<Time>>,
    index: Reverse<usize>,
}

/// The first cause, if anything is not well.
pub(super) fn first(nodes: &[Node]) -> Option<Cause> {
    let mut ends: Vec<Option<End>> = vec![None; nodes.len()];
    let mut next: Vec<Option<usize>> = vec![None; nodes.len()];
    for index in (0..nodes.len()).rev() {
        let node = &nodes[index];
        let best = |choice: &dyn Fn(&Node) -> bool| {
            let children = node.children.iter().copied().filter(|&child| choice(&nodes[child]));
            let ends = children.filter_map(|child| Some((ends[child]?, child)));
            ends.max_by_key(|&(end, child)| (end.step, nodes[child].weight, end, Reverse(child)))
        };
        // A status that is computed from reports is as it is because of them, whatever else the object names.
        let is_report = |child: &Node| matches!(child.relation, Relation::ReportedBy | Relation::FromCluster);
        let objects = best(&|child| is_report(child) && explains(child, node))
            .or_else(|| best(&|child| child.what == What::Object && explains(child, node)));
        // An object that is not well explains more than what the one above says of itself.
        let is_part = |child: &Node| match child.what {
            What::Object | What::Event | What::Warning => false,
            What::Finding => true,
            What::Condition | What::Error | What::Container => !node.rule.is_some_and(Rule::is_related),
        };
        let chosen = objects.or_else(|| best(&is_part));
        if let Some((end, child)) = chosen {
            ends[index] = Some(End { depth: end.depth + 1, ..end });
            next[index] = Some(child);
        } else if node.step() > 0 {
            ends[index] = Some(End {
                step: node.step(),
                is_missing: node.health == Some(Health::Missing),
                is_concrete: matches!(node.what, What::Container | What::Finding | What::Error)
                    || node.rule.is_some_and(Rule::is_related),
                depth: 0,
                since: node.since.map(Reverse),
                index: Reverse(index),
            });
        }
    }
    ends.first().copied().flatten()?;
    let mut path = vec![0];
    while let Some(child) = path.last().and_then(|&last| next[last]) {
        path.push(child);
    }
    let unseen = unseen(nodes, &path);
    Some(Cause { path, unseen })
}

/// Tells whether what is wrong with one object can be why another is not well.
fn explains(child: &Node, parent: &Node) -> bool {
    let found = child.worst.step();
    match child.relation {
        // What is replaced is on its way out.
        Relation::Replaces => false,
        // What is served does not make the server fail.
        Relation::Attached => parent.step() == 0 && found > 0,
        // A gateway may be in trouble with something else.
        Relation::ServedBy => found >= parent.step() && parent.step() > 0,
        // What is named matters as much as the trouble it could make.
        Relation::RefersTo => found > 0 && found >= parent.step(),
        _ => found > 0,
    }
}

fn unseen(nodes: &[Node], path: &[usize]) -> Vec<String> {
    let mut unseen = Vec::new();
    for &index in path {
        unseen.extend(nodes[index].gaps.iter().cloned());
        let hidden = nodes[index].children.iter().map(|&child| &nodes[child]).filter(|child| !child.is_seen);
        unseen.extend(hidden.map(|child| format!("{}: {}", child.label, child.message)));
    }
    unseen.dedup();
    unseen
}
