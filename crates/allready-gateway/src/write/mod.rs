//! Outcomes become statuses: marks over what is stored, so that times move only with a status, foreign conditions and foreign entries stay,
//! and nothing is said over what was said about a newer generation.

mod entries;
mod gateway;

use std::collections::{BTreeSet, HashMap};

use allready_core::{
    Condition, Conditions, Reason, Status, Time, condition,
    findings::{Findings, Fold},
    reason,
    set::{At, Pass},
};

pub(crate) use self::{
    entries::{policy, route},
    gateway::{gateway, listener_set},
};
use crate::{
    Object, ObjectKey, Support,
    catalog::{self, On},
    route::ListenerId,
    status::{Feature, GatewayClassStatus, ObjectStatus},
};

/// The routes attached to each listener.
pub(crate) type Attached = HashMap<ListenerId, BTreeSet<ObjectKey>>;

/// Marks conditions over what is stored; those that are there stay where they are.
pub(super) fn marked(stored: &Conditions, at: At, marks: impl FnOnce(&mut Pass<'_>)) -> Conditions {
    let mut conditions = stored.clone();
    let mut pass = conditions.pass(at);
    marks(&mut pass);
    pass.finish();
    keep_order(conditions.as_mut_vec(), stored, |a, b| a.type_ == b.type_);
    fit(conditions.as_mut_vec());
    conditions
}

/// The most conditions of a list: the API server refuses a status with more.
const MAX_CONDITIONS: usize = 8;

/// Our conditions, the one first that gives way first: those that are optional, and then the details before the whole.
const GIVE_WAY: [&str; 8] = [
    "OverlappingTLSConfig",
    "InsecureFrontendValidationMode",
    "SupportedVersion",
    "PartiallyInvalid",
    "Conflicted",
    "ResolvedRefs",
    "Programmed",
    "Accepted",
];

/// Leaves out conditions of ours where others have filled the list: theirs are not ours to drop. The most important one of ours that stays
/// says which had no room, so that it does not look better than it is.
pub(super) fn fit(conditions: &mut Vec<Condition>) {
    let mut left_out = Vec::new();
    for type_ in GIVE_WAY {
        if conditions.len() <= MAX_CONDITIONS {
            break;
        }
        if let Some(place) = conditions.iter().position(|one| one.type_ == *type_) {
            let one = conditions.remove(place);
            left_out.push(format!("{type_}={} ({})", one.status, one.reason));
        }
    }
    let mut most_important = GIVE_WAY.iter().rev();
    let told = most_important.find_map(|type_| conditions.iter().position(|one| one.type_ == **type_));
    if let Some(told) = told.and_then(|place| conditions.get_mut(place))
        && !left_out.is_empty()
    {
        // Before the message, which may be cut at its end.
        let left_out = left_out.join(", ");
        let note = format!("among {MAX_CONDITIONS} conditions there is no room for {left_out}");
        let parts = [note.as_str(), told.message.as_str()];
        told.message = parts.map(str::trim_end).join("\n").trim_end().to_owned().into();
    }
}

/// Marks a condition of a list without a set.
pub(super) fn mark(pass: &mut Pass<'_>, type_: &str, status: Status, reason: Reason, message: &str) {
    // Such a list refuses illegal types alone, and those of the catalog are legal: a test says so.
    let _ = pass.mark(type_, status, reason, message);
}

/// Marks a condition of a list without a set by findings.
pub(super) fn mark_findings(pass: &mut Pass<'_>, on: On, type_: &str, findings: &Findings, good: Reason) {
    let fold = Fold { precedence: catalog::precedence(on, type_), ..Fold::new(good) };
    // As above.
    let _ = pass.mark_findings_with(type_, findings, &fold);
}

pub(super) fn clear(pass: &mut Pass<'_>, type_: &str) {
    // Only dependents and the top condition cannot be cleared, and a list without a set has none.
    let _ = pass.clear(type_);
}

/// The status of a class of the implementation's own.
pub(crate) fn class(
    object: &Object,
    problem: Option<(Reason, String)>,
    support: &Support,
    now: Time,
) -> ObjectStatus {
    let mut status = match &object.status {
        Some(ObjectStatus::GatewayClass(stored)) => stored.clone(),
        _ => GatewayClassStatus::default(),
    };
    status.conditions = marked(&status.conditions, At::new(object.generation, now), |pass| {
        match problem {
            Some((reason, message)) => mark(pass, "Accepted", Status::False, reason, &message),
            None => mark(pass, "Accepted", Status::True, reason!("Accepted"), ""),
        }
        match &support.bundle_version {
            None => clear(pass, "SupportedVersion"),
            Some(version) if catalog::is_supported_version(version) => {
                mark(pass, "SupportedVersion", Status::True, reason!("SupportedVersion"), version);
            }
            Some(version) => {
                let message =
                    format!("the CRDs are of {version}; this implementation knows {}", catalog::VERSION);
                mark(pass, "SupportedVersion", Status::False, reason!("UnsupportedVersion"), &message);
            }
        }
    });
    // The schema has room for 64.
    let features = support.features.iter().take(64);
    status.supported_features = features.map(|name| Feature { name: name.clone() }).collect();
    ObjectStatus::GatewayClass(status)
}

/// Keeps entries where they stood; new ones come last.
pub(super) fn keep_order<T>(entries: &mut [T], stored: &[T], is_same: impl Fn(&T, &T) -> bool) {
    entries.sort_by_cached_key(|entry| {
        stored.iter().position(|stored| is_same(stored, entry)).unwrap_or(stored.len())
    });
}

/// Tells whether somebody has already said something of the implementation's own about a newer generation: then this copy is old, and
/// nothing is to be written.
pub(crate) fn is_late(object: &Object, support: &Support) -> bool {
    let is_newer = |conditions: &[Condition]| {
        conditions.iter().any(|one| one.observed_generation.is_some_and(|seen| seen > object.generation))
    };
    let of = |conditions: &[Condition], types: &[&str]| {
        types
            .iter()
            .any(|type_| is_newer(condition::find(conditions, type_).map_or(&[], std::slice::from_ref)))
    };
    let own = ["Accepted", "Programmed", "ResolvedRefs"];
    match &object.status {
        None => false,
        Some(ObjectStatus::GatewayClass(status)) => of(&status.conditions, &own),
        Some(ObjectStatus::Gateway(status)) => of(&status.conditions, &own),
        Some(ObjectStatus::ListenerSet(status)) => of(&status.conditions, &own),
        Some(ObjectStatus::Route(status)) => status
            .parents
            .iter()
            .any(|entry| entry.controller_name == support.controller_name && is_newer(&entry.conditions)),
        Some(ObjectStatus::Policy(status)) => status
            .ancestors
            .iter()
            .any(|entry| entry.controller_name == support.controller_name && is_newer(&entry.conditions)),
    }
}
