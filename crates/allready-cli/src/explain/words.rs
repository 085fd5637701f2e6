//! How the lines of an explanation are worded, for people.

use std::fmt::Write as _;

use allready_core::Time;
use allready_inspect::{
    explain::{Cause, Explanation, Folded, Node, What},
    graph::is_killing_probe,
    health::Health,
    words::plural,
};

use crate::{
    age::age,
    output::text::{count, cut},
    printer::tame,
};

/// The word for how something is.
pub(super) fn health(node: &Node) -> &'static str {
    match node.health {
        None => "Warning",
        Some(_) if !node.is_seen => "NotSeen",
        Some(health) => health.as_str(),
    }
}

/// Age, lag and writer, as far as they are known. Errors and warnings have those of the condition above them.
pub(super) fn facts(node: &Node, now: Time) -> Vec<String> {
    let mut facts = Vec::new();
    if matches!(node.what, What::Error | What::Warning) {
        return facts;
    }
    facts.extend(node.since.map(|since| age(since, now)));
    facts.extend(node.lag.map(|lag| format!("gen {}/{}", lag.observed, lag.generation)));
    facts.extend(node.writer.as_ref().map(|writer| format!("by {}", tame(&writer.manager))));
    facts
}

/// The reason and the message, without saying the same twice.
pub(super) fn reason_and_message(node: &Node) -> (String, String) {
    let is_label = matches!(node.what, What::Event | What::Finding);
    (if is_label { String::new() } else { tame(&node.reason) }, tame(&node.message))
}

/// The same in one text.
pub(super) fn why(node: &Node) -> String {
    match reason_and_message(node) {
        (reason, message) if message.is_empty() => reason,
        (reason, message) if reason.is_empty() => message,
        (reason, message) => format!("{reason}: {message}"),
    }
}

/// `137 healthy Pods, 2 missing Secrets`, or `9 more errors, 1 more warning`.
pub(super) fn folded(folded: &[Folded]) -> String {
    let parts = folded.iter().map(|folded| {
        let more = match folded.what {
            What::Error => Some("more error"),
            What::Warning => Some("more warning"),
            _ => None,
        };
        if let Some(more) = more {
            return count(folded.count, more);
        }
        let health = folded.health.as_str().to_lowercase();
        format!("{} {health} {}", folded.count, plural(&tame(&folded.kind), folded.count))
    });
    parts.collect::<Vec<_>>().join(", ")
}

/// The last line: what everything else follows from, and what it is based on.
pub(super) fn verdict(explanation: &Explanation, now: Time) -> String {
    let Some(root) = explanation.root() else { return String::new() };
    let label = tame(&root.label);
    match &explanation.cause {
        None if root.health == Some(Health::Healthy) => format!("{label} is healthy"),
        None if root.health == Some(Health::Suspended) => format!("{label} is suspended: {}", why(root)),
        None => format!("{label} is {}, and no cause was found", health(root).to_lowercase()),
        Some(cause) => {
            let is_well = matches!(root.health, Some(Health::Healthy | Health::Suspended));
            let what = if is_well { "below it, something is not well" } else { "first cause" };
            let seen = if cause.unseen.is_empty() { "" } else { ", as far as can be seen" };
            format!("{what}{seen}: {}{}", line(explanation, cause, now), unseen(cause))
        }
    }
}

/// `Pod web-7 container app: CrashLoopBackOff`: the first cause without what changes while nothing happens.
pub(crate) fn first_cause(explanation: &Explanation) -> Option<String> {
    let node = &explanation.nodes[explanation.cause.as_ref()?.node()];
    let label = tame(&node.label);
    let label =
        if node.what == What::Object { label } else { format!("{} {label}", tame(&node.object.to_string())) };
    let event = event(explanation, node).map(why);
    let said = [Some(why(node)), event].into_iter().flatten().filter(|text| !text.is_empty());
    let said = said.collect::<Vec<_>>().join("; ");
    Some(if said.is_empty() { label } else { format!("{label}: {said}") })
}

/// `Pod web-7 container app: CrashLoopBackOff, since 3m, by kubelet`.
fn line(explanation: &Explanation, cause: &Cause, now: Time) -> String {
    let node = &explanation.nodes[cause.node()];
    let label = tame(&node.label);
    let mut text =
        if node.what == What::Object { label } else { format!("{} {label}", tame(&node.object.to_string())) };
    let why = why(node);
    if !why.is_empty() {
        text.push_str(": ");
        text.push_str(&cut(&why, 300));
    }
    if let Some(since) = node.since {
        let _ = write!(text, ", since {}", age(since, now));
    }
    if let Some(writer) = &node.writer {
        let _ = write!(text, ", by {}", tame(&writer.manager));
    }
    if let Some(warning) = event(explanation, node) {
        let _ = write!(text, "; warning {}: {}", tame(&warning.label), cut(&self::why(warning), 200));
    }
    text
}

/// The event that says more of the first cause. Of a container that is broken a warning tells the same again, but for the probe for which
/// it is killed.
fn event<'e>(explanation: &'e Explanation, node: &'e Node) -> Option<&'e Node> {
    let is_told = node.what == What::Container && node.health == Some(Health::Degraded);
    let beside = if node.what == What::Object { node } else { &explanation.nodes[node.parent?] };
    let mut events = beside.children.iter().map(|&child| &explanation.nodes[child]);
    events.find(|event| event.what == What::Event && (!is_told || is_killing_probe(&event.message)))
}

fn unseen(cause: &Cause) -> String {
    const MAX: usize = 4;
    if cause.unseen.is_empty() {
        return String::new();
    }
    let named = cause.unseen.iter().take(MAX).map(|gap| cut(&tame(gap), 200)).collect::<Vec<_>>();
    let more = match cause.unseen.len().saturating_sub(MAX) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    format!("\nnot seen: {}{more}", named.join("; "))
}
