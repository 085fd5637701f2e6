//! The meaning of the names of types and reasons.

use std::sync::LazyLock;

use crate::registry::{ConditionRole, Registry};
use crate::words::{Flat, List, tokens};
use allready_core::Polarity;

/// The name behind the prefix.
pub(super) fn base(type_: &str) -> &str {
    type_.rsplit('/').next().unwrap_or(type_)
}

/// Tells whether a name is in Pascal case: it begins with a capital, and has letters and digits alone.
pub(super) fn is_pascal(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// The meaning of names alone, whatever is declared of them.
static NAMES: LazyLock<Registry> = LazyLock::new(Registry::empty);

/// The good status of a type, where its name shows it.
pub(super) fn polarity(type_: &str) -> Option<Polarity> {
    let shown = NAMES.condition("", "", type_);
    matches!(shown.role, ConditionRole::Summary | ConditionRole::Dependent).then_some(shown.polarity)
}

/// Tells whether a name is the negation of something: `NotReady`, `NoConflicts`, `ListenersNotValid`.
pub(super) fn is_negated(type_: &str) -> bool {
    tokens(base(type_)).nth(1).is_some() && has(base(type_), List::NegatedName)
}

/// Verbs for something that takes a while: as types they are in order (`Deploying`).
pub(super) fn is_imperative(type_: &str) -> bool {
    List::ImperativeName.has(Flat::of(base(type_)).as_str())
}

/// Tells whether a reason tells of success and of nothing else.
pub(super) fn is_success_like(reason: &str) -> bool {
    List::SuccessReason.has(Flat::of(reason).as_str())
}

/// Tells whether a type is about something that goes away, so that failing to find it is success.
pub(super) fn is_about_absence(type_: &str) -> bool {
    has(base(type_), List::AbsenceName)
}

/// Tells whether a reason says that somebody is awaited.
pub(super) fn is_pending(reason: &str) -> bool {
    has(reason, List::Waits)
}

fn has(text: &str, list: List) -> bool {
    tokens(text).any(|token| list.has(token.as_str()))
}

/// Tells whether the types of a group are those of Kubernetes itself: most of them are older than the standard condition, and
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
