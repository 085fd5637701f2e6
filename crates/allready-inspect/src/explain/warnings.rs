//! Warnings: the events about an object.

use std::fmt::Write as _;

use serde_json::Value;

use super::{
    id::{ObjectId, text},
    node::{Node, Relation, What},
};
use crate::{health::Health, writers};
use allready_core::Time;

/// The most kinds of warnings of an object that are told.
const MAX_EVENTS: usize = 3;

/// The latest warnings about an object, one for each reason.
pub(super) fn of_object<'a>(id: &ObjectId, events: impl Iterator<Item = &'a Value>) -> Vec<Node> {
    let time = |event: &Value| {
        let fields = [
            &event["series"]["lastObservedTime"],
            &event["lastTimestamp"],
            &event["eventTime"],
            &event["firstTimestamp"],
            &event["deprecatedLastTimestamp"],
            &event["metadata"]["creationTimestamp"],
        ];
        fields.into_iter().find_map(|field| field.as_str()?.parse::<Time>().ok())
    };
    let mut warnings: Vec<(Option<Time>, &Value)> =
        events.filter(|event| text(event, "type") == "Warning").map(|event| (time(event), event)).collect();
    warnings.sort_by_key(|(time, event)| (std::cmp::Reverse(*time), text(event, "reason").to_owned()));
    let mut nodes: Vec<(Node, i64)> = Vec::new();
    for (time, event) in warnings {
        let reason = text(event, "reason");
        let times = [&event["series"]["count"], &event["count"], &event["deprecatedCount"]];
        let count = times.into_iter().find_map(Value::as_i64).unwrap_or(1).max(1);
        if let Some((_, counted)) = nodes.iter_mut().find(|(node, _)| node.reason == reason) {
            *counted = counted.saturating_add(count);
            continue;
        }
        if nodes.len() < MAX_EVENTS {
            let mut node = Node::new(What::Event, id.clone(), String::new(), Health::Healthy);
            node.health = None;
            node.relation = Relation::Told;
            reason.clone_into(&mut node.reason);
            let message = if event["message"].is_string() { "message" } else { "note" };
            text(event, message).clone_into(&mut node.message);
            node.since = time;
            let teller = ["reportingComponent", "reportingController"].map(|field| text(event, field));
            let teller = teller
                .into_iter()
                .chain([text(&event["source"], "component"), text(&event["deprecatedSource"], "component")]);
            let teller = teller.into_iter().find(|teller| !teller.is_empty());
            node.writer = teller.map(|teller| writers::Writer { manager: teller.to_owned(), time: None });
            nodes.push((node, count));
        }
    }
    let labelled = nodes.into_iter().map(|(mut node, count)| {
        node.label = node.reason.clone();
        if count > 1 {
            let _ = write!(node.label, " ×{count}");
        }
        node
    });
    labelled.collect()
}
