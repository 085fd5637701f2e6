//! An explanation for programs.

use allready_core::Time;
use allready_inspect::{
    explain::{Explanation, Node},
    health::Health,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::{graph, words};
use crate::output::Document;

/// The lines of an explanation, the relations between them, and the first cause. The ids are numbers of lines.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Structured<'a> {
    health: Health,
    first_cause: Option<FirstCause<'a>>,
    nodes: Vec<Numbered<'a>>,
    edges: Vec<Edge>,
}

impl Document for Structured<'_> {
    const KIND: &'static str = "Explanation";
}

/// The cause that everything else follows from.
#[derive(Serialize, JsonSchema)]
struct FirstCause<'a> {
    id: usize,
    /// The lines from the object to the cause.
    path: &'a [usize],
    /// Sentences on what could not be looked at.
    unseen: &'a [String],
    text: String,
}

/// A line.
#[derive(Serialize, JsonSchema)]
struct Numbered<'a> {
    id: usize,
    #[serde(flatten)]
    node: &'a Node,
}

/// A relation.
#[derive(Serialize, JsonSchema)]
struct Edge {
    from: usize,
    to: usize,
    relation: &'static str,
}

impl<'a> Structured<'a> {
    pub(super) fn of(explanation: &'a Explanation, now: Time) -> Self {
        let edges = graph::edges(explanation).into_iter();
        Self {
            health: explanation.health(),
            first_cause: explanation.cause.as_ref().map(|cause| FirstCause {
                id: cause.node(),
                path: &cause.path,
                unseen: &cause.unseen,
                text: words::verdict(explanation, now),
            }),
            nodes: explanation.nodes.iter().enumerate().map(|(id, node)| Numbered { id, node }).collect(),
            edges: edges.map(|(from, to, relation)| Edge { from, to, relation }).collect(),
        }
    }
}
