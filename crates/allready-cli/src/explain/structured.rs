//! An explanation for programs.

use allready_inspect::explain::Explanation;
use serde_json::{Value, json};

use super::{graph, words};

/// Lines, relations between them, and the first cause with the path to it. The ids are numbers of lines.
pub(super) fn value(explanation: &Explanation, now: allready_core::Time) -> Value {
    let nodes: Vec<Value> = explanation
        .nodes
        .iter()
        .enumerate()
        .map(|(index, node)| {
            let mut value = serde_json::to_value(node).unwrap_or_default();
            value["id"] = json!(index);
            value
        })
        .collect();
    let edges: Vec<Value> = graph::edges(explanation)
        .into_iter()
        .map(|(from, to, relation)| json!({ "from": from, "to": to, "relation": relation }))
        .collect();
    let cause = explanation.cause.as_ref().map(|cause| {
        json!({
            "id": cause.node(),
            "path": cause.path,
            "unseen": cause.unseen,
            "text": words::verdict(explanation, now),
        })
    });
    json!({ "health": explanation.health(), "nodes": nodes, "edges": edges, "firstCause": cause })
}
