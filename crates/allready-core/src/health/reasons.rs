//! What the reason of a condition says of its type, beyond the words in it.

use super::Health::{self, Progressing, Suspended};
use super::lexicon::word;
use super::tokens::{Flat, tokens};

/// Whether a part is bad because nobody wants it.
pub(super) fn is_unwanted(reason: &str) -> bool {
    matches!(
        Flat::of(reason).as_str(),
        "disabled"
            | "notenabled"
            | "notapplicable"
            | "notrequired"
            | "notneeded"
            | "notrequested"
            | "notused"
            | "removed"
            | "unmanaged"
    )
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

/// Whether a reason is but the type denied: `NotReady` of `Ready` or of `PodsReady`, `Unsynced`.
pub(super) fn denies(reason: &str, type_: &str) -> bool {
    let (reason, type_) = (Flat::of(reason), Flat::of(type_));
    let rest = ["not", "un"].iter().find_map(|no| reason.as_str().strip_prefix(no));
    rest.is_some_and(|rest| rest.len() > 3 && type_.as_str().ends_with(rest))
}

/// Reasons that no single word tells: a part that is missing or not there yet, or nothing that anybody wants.
pub(super) fn under_way_or_at_rest(reason: &str, type_: &str) -> Option<Health> {
    let flat = Flat::of(reason);
    let flat = flat.as_str();
    if matches!(flat, "disabled" | "scaledtozero") {
        return Some(Suspended);
    }
    let (mut first, mut last, mut count) = (None, None, 0);
    for token in tokens(reason) {
        first.get_or_insert(token);
        last = Some(token);
        count += 1;
    }
    let (first, last) = (first?, last?);
    let (first, last) = (first.as_str(), last.as_str());
    // NotInitialized, NotBound; what only denies the type says nothing.
    let is_not_yet = count == 2 && first == "not" && word(last).is_awaited() && !denies(reason, type_);
    // MinimumReplicasUnavailable, NotEnoughReadyReplicas.
    let lacks_replicas = flat.ends_with("replicasunavailable")
        || flat.ends_with("replicas") && (flat.contains("ready") || flat.contains("available"));
    let is_partly = first.starts_with("partial");
    let is_under_way = is_not_yet
        || lacks_replicas
        || is_partly
        || matches!(last, "running" | "unavailable")
        || flat == "noendpoints";
    is_under_way.then_some(Progressing)
}
