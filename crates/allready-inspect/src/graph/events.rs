//! The events about an object that say why it is as it is.

use serde_json::Value;

use super::{
    id::{ObjectId, text},
    known::Known,
};
use crate::writers::Writer;
use allready_core::Time;

/// The most kinds of events of an object that are told.
const MAX_EVENTS: usize = 3;

/// Reasons of Normal events that say what an object waits for.
const WAITS: [&str; 8] = [
    "ExternalProvisioning",
    "FailedBinding",
    "NotTriggerScaleUp",
    "Provisioning",
    "TriggeredScaleUp",
    "WaitForFirstConsumer",
    "WaitForPodScheduled",
    "WaitingForPodsToTerminate",
];

/// An event, or several of one reason.
pub(crate) struct Told {
    pub(crate) reason: String,
    /// The message of the latest.
    pub(crate) message: String,
    /// The time of the latest.
    pub(crate) time: Option<Time>,
    pub(crate) writer: Option<Writer>,
    /// The number of times that it happened.
    pub(crate) count: i64,
}

/// The latest events about an object that explain how it is, one for each reason: warnings, and what it waits for. What its
/// state contradicts is left out: a pod that has a node was scheduled in the end.
pub(crate) fn of_object(known: &Known, id: &ObjectId) -> Vec<Told> {
    let object = known.object(id).unwrap_or(&Value::Null);
    let explains = |event: &&Value| {
        let reason = text(event, "reason");
        text(event, "type") == "Warning" || WAITS.contains(&reason)
    };
    let mut events: Vec<(Option<Time>, &Value)> =
        known.events_of(id).filter(explains).map(|event| (time(event), event)).collect();
    events.retain(|(time, event)| !is_over(text(event, "reason"), *time, object));
    events.sort_by_key(|(time, event)| (std::cmp::Reverse(*time), text(event, "reason").to_owned()));
    let mut all: Vec<Told> = Vec::new();
    for (time, event) in events {
        let reason = text(event, "reason");
        let times = [&event["series"]["count"], &event["count"], &event["deprecatedCount"]];
        let count = times.into_iter().find_map(Value::as_i64).unwrap_or(1).max(1);
        if let Some(told) = all.iter_mut().find(|told| told.reason == reason) {
            told.count = told.count.saturating_add(count);
        } else if all.len() < MAX_EVENTS {
            let message = if event["message"].is_string() { "message" } else { "note" };
            let (reason, message) = (reason.to_owned(), text(event, message).to_owned());
            all.push(Told { reason, message, time, writer: writer(event), count });
        }
    }
    all
}

/// Tells whether an event is of a probe for which the kubelet kills a container.
///
/// ```
/// use allready_inspect::graph::is_killing_probe;
///
/// assert!(is_killing_probe("Liveness probe failed: HTTP probe failed with statuscode: 500"));
/// assert!(!is_killing_probe("Readiness probe failed: HTTP probe failed with statuscode: 500"));
/// ```
pub fn is_killing_probe(message: &str) -> bool {
    ["Liveness probe failed", "Startup probe failed"].iter().any(|begin| message.starts_with(begin))
}

fn time(event: &Value) -> Option<Time> {
    let fields = [
        &event["series"]["lastObservedTime"],
        &event["lastTimestamp"],
        &event["eventTime"],
        &event["firstTimestamp"],
        &event["deprecatedLastTimestamp"],
        &event["metadata"]["creationTimestamp"],
    ];
    fields.into_iter().find_map(|field| field.as_str()?.parse::<Time>().ok())
}

fn writer(event: &Value) -> Option<Writer> {
    let teller = ["reportingComponent", "reportingController"].map(|field| text(event, field));
    let teller = teller
        .into_iter()
        .chain([text(&event["source"], "component"), text(&event["deprecatedSource"], "component")]);
    let teller = teller.into_iter().find(|teller| !teller.is_empty());
    teller.map(|teller| Writer { manager: teller.to_owned(), time: None })
}

/// Tells whether the state of an object shows that an event of this reason is over.
fn is_over(reason: &str, time: Option<Time>, object: &Value) -> bool {
    let status = &object["status"];
    match reason {
        "FailedScheduling" | "NotTriggerScaleUp" | "TriggeredScaleUp" => {
            !text(&object["spec"], "nodeName").is_empty()
        }
        "FailedBinding"
        | "ProvisioningFailed"
        | "Provisioning"
        | "ExternalProvisioning"
        | "WaitForFirstConsumer"
        | "WaitForPodScheduled" => text(status, "phase") == "Bound",
        "FailedMount"
        | "FailedAttachVolume"
        | "FailedCreatePodSandBox"
        | "NetworkNotReady"
        | "Failed"
        | "BackOff"
        | "Unhealthy" => {
            let started =
                status["containerStatuses"].as_array().into_iter().flatten().filter_map(|container| {
                    let is_ready = container["ready"] == Value::Bool(true);
                    let since = text(&container["state"]["running"], "startedAt").parse::<Time>().ok();
                    since.filter(|_| is_ready || reason.starts_with("Failed"))
                });
            started.max().is_some_and(|started| time.is_none_or(|time| time <= started))
        }
        _ => false,
    }
}
