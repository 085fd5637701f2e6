//! The reason of a condition against its type, beyond the words in it.

use super::case::Case;
use crate::health::Health::{self, Degraded, Progressing, Suspended};
use crate::words::{Flat, List, Reading, Token, awaits_a_person, classify, tokens, word};

/// Tells whether a part is bad because nobody wants it.
pub(super) fn is_unwanted(reason: &str) -> bool {
    List::Unwanted.has(Flat::of(reason).as_str())
}

/// A message that begins with a failure tells of one, whatever the reason calls it.
pub(super) fn begins_with_failure(message: &str) -> bool {
    let first = tokens(message).next();
    first.is_some_and(|first| matches!(first.as_str(), "failed" | "error" | "failure"))
}

/// A message that something was done with success: what it is about does not move any more.
pub(super) fn tells_of_success(message: &str) -> bool {
    let mut is_success = false;
    for token in tokens(message) {
        if matches!(token.as_str(), "not" | "yet" | "until" | "waiting" | "before") {
            return false;
        }
        is_success |= token.as_str() == "successfully";
    }
    is_success
}

/// Tells whether a reason is but the type denied: `NotReady` of `Ready` or of `PodsReady`, `Unsynced`.
pub(super) fn denies(reason: &str, type_: &str) -> bool {
    let (reason, type_) = (Flat::of(reason), Flat::of(type_));
    let rest = ["not", "un"].iter().find_map(|no| reason.as_str().strip_prefix(no));
    rest.is_some_and(|rest| rest.len() > 3 && type_.as_str().ends_with(rest))
}

/// Reasons that no single word tells: a part that is missing or not there yet, or nothing that anybody wants.
fn under_way_or_at_rest(reason: &str) -> Option<Health> {
    let flat = Flat::of(reason);
    let flat = flat.as_str();
    if matches!(flat, "disabled" | "scaledtozero") {
        return Some(Suspended);
    }
    let (first, last) = (tokens(reason).next()?, tokens(reason).last()?);
    let (first, last) = (first.as_str(), last.as_str());
    // MinimumReplicasUnavailable, NotEnoughReadyReplicas.
    let lacks_replicas = flat.ends_with("replicasunavailable")
        || flat.ends_with("replicas") && (flat.contains("ready") || flat.contains("available"));
    let is_partly = first.starts_with("partial");
    let is_under_way =
        lacks_replicas || is_partly || matches!(last, "running" | "unavailable") || flat == "noendpoints";
    is_under_way.then_some(Progressing)
}

/// `NotProvisioned` of something that is to be `Ready`: another step that is to come. What only denies the type says nothing.
fn is_not_yet(reason: &str, type_: &str) -> bool {
    let mut words = tokens(reason);
    let (first, step) = (words.next(), words.next());
    words.next().is_none()
        && first.is_some_and(|first| first.as_str() == "not")
        && step.is_some_and(|step| List::Awaited.has(step.as_str()))
        && !denies(reason, type_)
}

/// A reason that is one known state of rest or of waiting: `ScaledToZero`, `NotStarted`.
pub(super) fn whole_reason(reason: &str) -> Option<Health> {
    let flat = Flat::of(reason);
    let is_vague = matches!(flat.as_str(), "notready" | "unready" | "inactive" | "idle" | "off" | "outdated");
    let of_a_person = || awaits_a_person(reason).then_some(Suspended);
    let known = word(flat.as_str()).means().or_else(of_a_person);
    known.filter(|health| !is_vague && matches!(health, Suspended | Progressing))
}

/// Tells whether somebody who reported has gone silent: `NodeStatusUnknown`, `LeaseUpdateStopped`, "stopped posting status".
pub(super) fn has_lost_contact(reason: &str, message: &str) -> bool {
    let flat = Flat::of(reason);
    let is_cut_off =
        flat.as_str().ends_with("statusunknown") || flat.as_str().ends_with("leaseupdatestopped");
    let (mut before, mut has_stopped) = (None, false);
    for token in tokens(message).take(40) {
        let is_stopped = before.is_some_and(|before: Token| before.as_str() == "stopped");
        has_stopped |= is_stopped && matches!(token.as_str(), "posting" | "updating" | "reporting");
        before = Some(token);
    }
    is_cut_off || has_stopped
}

/// The meaning of `False` on a type of which it is bad: the reason tells, else the message.
pub(super) fn clue(case: &Case<'_>, reason: &str, message: &str, type_: &str) -> Option<Health> {
    let reason = if repeats(reason, type_) { "" } else { reason };
    if tokens(message).nth(2).is_none() && classify(message, Reading::Text) == Some(Degraded) {
        return Some(Degraded);
    }
    if begins_with_failure(message) {
        return Some(Degraded);
    }
    if let Some(health) = whole_reason(reason) {
        return Some(health);
    }
    classify(reason, Reading::Text).or_else(|| {
        let is_awaited = (awaits_a_child(reason) || is_not_yet(reason, type_))
            && classify(message, Reading::Hard) != Some(Degraded);
        if is_awaited {
            return Some(Progressing);
        }
        let of_a_child = || awaits_a_child(message) && !names(message, case.name);
        under_way_or_at_rest(reason)
            .or_else(|| classify(message, Reading::Text))
            .or_else(|| of_a_child().then_some(Progressing))
    })
}

/// Tells whether a reason is but the type once more.
pub(super) fn repeats(reason: &str, type_: &str) -> bool {
    let (reason, type_) = (Flat::of(reason), Flat::of(type_));
    let rest = reason.as_str().strip_prefix(type_.as_str());
    matches!(rest, Some("" | "reason"))
}

/// `StatefulSetNotReady`, `NotAllPodsReady`, `NoEndpointsAvailable`: a child that is not there yet. The reason of
/// Kubernetes' own Deployments is often handed on as it is.
fn awaits_a_child(reason: &str) -> bool {
    if reason == "MinimumReplicasUnavailable" {
        return true;
    }
    let (mut count, mut has_not, mut is_is_not, mut is_awaited) = (0, false, true, false);
    for token in tokens(reason) {
        let text = token.as_str();
        has_not |= matches!(text, "not" | "no");
        is_is_not &= match count {
            0 => text == "is",
            1 => text == "not",
            _ => true,
        };
        is_awaited = List::Awaited.has(text);
        count += 1;
    }
    count > 2 && has_not && is_awaited && !is_is_not
}

/// Tells whether a text speaks of the kind itself.
fn names(text: &str, kind: &str) -> bool {
    text.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(kind))
}
