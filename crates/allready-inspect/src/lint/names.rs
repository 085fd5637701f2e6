//! What the names of types and reasons give away.

use std::sync::LazyLock;

use crate::registry::{ConditionRole, Registry};
use allready_core::Polarity;

/// The words of a CamelCase name: `TLSConfigNotFound` is `TLS`, `Config`, `Not`, `Found`.
pub(super) fn words(name: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let bytes = name.as_bytes();
    let mut start = 0;
    for at in 1..bytes.len() {
        let (before, here) = (bytes[at - 1], bytes[at]);
        let after = bytes.get(at + 1).copied().unwrap_or(b'A');
        let is_break = !before.is_ascii_alphanumeric()
            || (here.is_ascii_uppercase() && !before.is_ascii_uppercase())
            || (here.is_ascii_uppercase() && before.is_ascii_uppercase() && after.is_ascii_lowercase());
        // Names are not always ASCII, and no character may be split.
        if is_break && name.is_char_boundary(at) {
            words.extend(name.get(start..at));
            start = at;
        }
    }
    words.extend(name.get(start..));
    words.retain(|word| !word.is_empty());
    words
}

/// The name behind the prefix.
pub(super) fn base(type_: &str) -> &str {
    type_.rsplit('/').next().unwrap_or(type_)
}

/// Whether a name is in Pascal case: it begins with a capital, and has letters and digits alone.
pub(super) fn is_pascal(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// What names alone say, whatever is declared of them.
static NAMES: LazyLock<Registry> = LazyLock::new(Registry::empty);

/// Which status of a type is good, where its name shows it.
pub(super) fn polarity(type_: &str) -> Option<Polarity> {
    let shown = NAMES.condition("", "", type_);
    matches!(shown.role, ConditionRole::Summary | ConditionRole::Dependent).then_some(shown.polarity)
}

/// Whether a name is the negation of something: `NotReady`, `NoConflicts`, `ListenersNotValid`.
pub(super) fn is_negated(type_: &str) -> bool {
    let words = words(base(type_));
    let negates = |word: &str| matches!(word, "Not" | "No" | "Non" | "Isnt" | "Without");
    words.len() > 1 && words.iter().any(|word| negates(word))
}

/// Verbs for something that takes a while: as types they are in order (`Deploying`).
pub(super) fn is_imperative(type_: &str) -> bool {
    const VERBS: &[&str] = &[
        "Deploy",
        "Install",
        "Create",
        "Delete",
        "Apply",
        "Sync",
        "Validate",
        "Reconcile",
        "Provision",
        "Initialize",
        "Configure",
        "Schedule",
        "Start",
        "Stop",
        "Run",
        "Fetch",
        "Resolve",
        "Accept",
        "Program",
        "Upgrade",
        "Check",
    ];
    matches!(words(base(type_)).as_slice(), [only] if VERBS.contains(only))
}

/// Whether a reason tells of failure.
pub(super) fn is_error_like(reason: &str) -> bool {
    const FAILURES: &[&str] = &[
        "Failed",
        "Failure",
        "Failing",
        "Error",
        "Errors",
        "Invalid",
        "Timeout",
        "Denied",
        "Forbidden",
        "Unauthorized",
        "Crashed",
        "Rejected",
        "Unreachable",
        "Exceeded",
    ];
    // Words that take the failure back, or make it one of the past.
    const TAKEN_BACK: &[&str] = &[
        "No",
        "Not",
        "Without",
        "Zero",
        "None",
        "Non",
        "Resolved",
        "Recovered",
        "Cleared",
        "Ignored",
        "Handled",
        "Fixed",
        "Tolerated",
        "Retry",
        "Previously",
        "Never",
        "Allowed",
        "Within",
        "Below",
    ];
    let words = words(reason);
    if let [.., "Not", "Found"] = words.as_slice() {
        return true;
    }
    if let [.., "Timed", "Out"] = words.as_slice() {
        return true;
    }
    words.iter().any(|word| FAILURES.contains(word)) && !words.iter().any(|word| TAKEN_BACK.contains(word))
}

/// Whether a reason tells of success and of nothing else.
pub(super) fn is_success_like(reason: &str) -> bool {
    const SUCCESSES: &[&str] = &[
        "Ready",
        "AllReady",
        "Succeeded",
        "Success",
        "Successful",
        "AllGood",
        "Healthy",
        "ReconcileSucceeded",
        "ReconciliationSucceeded",
        "ReconcileSuccess",
        "AllConditionsReady",
        "InstallSucceeded",
        "UpgradeSucceeded",
    ];
    SUCCESSES.contains(&reason)
}

/// Whether a type is about something that goes away, so that failing to find it is success.
pub(super) fn is_about_absence(type_: &str) -> bool {
    let words = words(base(type_));
    words.iter().any(|word| {
        matches!(
            *word,
            "Deleted"
                | "Removed"
                | "Absent"
                | "Finalized"
                | "Cleaned"
                | "Terminated"
                | "Deleting"
                | "Released"
        )
    })
}

/// Whether the types of a group are those of Kubernetes itself: most of them are older than the standard condition, and
/// nobody who runs a cluster can change them.
pub(super) fn is_builtin(group: &str) -> bool {
    const GROUPS: &[&str] = &[
        "",
        "apps",
        "batch",
        "autoscaling",
        "policy",
        "extensions",
        "apiextensions.k8s.io",
        "apiregistration.k8s.io",
        "networking.k8s.io",
        "certificates.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "storage.k8s.io",
        "node.k8s.io",
        "scheduling.k8s.io",
        "resource.k8s.io",
        "admissionregistration.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "rbac.authorization.k8s.io",
        "coordination.k8s.io",
        "discovery.k8s.io",
        "events.k8s.io",
        "internal.apiserver.k8s.io",
        "storagemigration.k8s.io",
    ];
    GROUPS.contains(&group)
}
