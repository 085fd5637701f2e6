//! Entries in the statuses of routes and policies, among those of other controllers.

use allready_core::{Status, Time, reason, set::At};

use super::{clear, keep_order, mark, mark_findings, marked};
use crate::{
    GROUP, Object, ObjectKey, Support,
    catalog::On,
    object::ParentReference,
    policy::{MAX_ANCESTORS, PolicyOutcome},
    route::RouteOutcome,
    status::{ObjectStatus, PolicyAncestorStatus, PolicyStatus, RouteParentStatus, RouteStatus},
};

/// The status of a route; `None` if the implementation has nothing to say in it, and never had.
pub(crate) fn route(
    object: &Object,
    outcome: &RouteOutcome,
    support: &Support,
    now: Time,
) -> Option<ObjectStatus> {
    let none = Vec::new();
    let stored = match &object.status {
        Some(ObjectStatus::Route(stored)) => &stored.parents,
        _ => &none,
    };
    let is_own = |entry: &&RouteParentStatus| entry.controller_name == support.controller_name;
    if outcome.parents.is_empty() && !stored.iter().any(|entry| is_own(&entry)) {
        return None;
    }
    let mut parents: Vec<_> = stored.iter().filter(|entry| !is_own(entry)).cloned().collect();
    for found in &outcome.parents {
        let previous = stored.iter().filter(is_own).find(|entry| entry.parent_ref == found.parent);
        let before = previous.map(|entry| entry.conditions.clone()).unwrap_or_default();
        let conditions = marked(&before, At::new(object.generation, now), |pass| {
            match &found.attached {
                Ok(_) => mark(pass, "Accepted", Status::True, reason!("Accepted"), ""),
                Err((reason, message)) => mark(pass, "Accepted", Status::False, reason.clone(), message),
            }
            let good = reason!("ResolvedRefs");
            mark_findings(pass, On::RouteParent, "ResolvedRefs", &outcome.resolved, good);
            match &outcome.dropped {
                Some(message) if found.attached.is_ok() => {
                    mark(pass, "PartiallyInvalid", Status::True, reason!("UnsupportedValue"), message);
                }
                _ => clear(pass, "PartiallyInvalid"),
            }
        });
        let controller_name = support.controller_name.clone();
        parents.push(RouteParentStatus { parent_ref: found.parent.clone(), controller_name, conditions });
    }
    keep_order(&mut parents, stored, |a, b| {
        a.parent_ref == b.parent_ref && a.controller_name == b.controller_name
    });
    // The schema has room for as many; those of others are not ours to drop.
    parents.truncate(stored.len().max(32));
    Some(ObjectStatus::Route(RouteStatus { parents }))
}

/// The status of a policy; `None` if the implementation has nothing to say in it, and never had.
pub(crate) fn policy(
    object: &Object,
    outcome: &PolicyOutcome,
    support: &Support,
    now: Time,
) -> Option<ObjectStatus> {
    let none = Vec::new();
    let stored = match &object.status {
        Some(ObjectStatus::Policy(stored)) => &stored.ancestors,
        _ => &none,
    };
    let is_own = |entry: &&PolicyAncestorStatus| entry.controller_name == support.controller_name;
    if outcome.ancestors.is_empty() && !stored.iter().any(|entry| is_own(&entry)) {
        return None;
    }
    let mut ancestors: Vec<_> = stored.iter().filter(|entry| !is_own(entry)).cloned().collect();
    let room = MAX_ANCESTORS.saturating_sub(ancestors.len());
    for gateway in outcome.ancestors.iter().take(room) {
        let ancestor_ref = reference_to(gateway);
        let previous = stored.iter().filter(is_own).find(|entry| entry.ancestor_ref == ancestor_ref);
        let before = previous.map(|entry| entry.conditions.clone()).unwrap_or_default();
        let conditions = marked(&before, At::new(object.generation, now), |pass| {
            mark_findings(pass, On::PolicyAncestor, "Accepted", &outcome.accepted, reason!("Accepted"));
            mark_findings(
                pass,
                On::PolicyAncestor,
                "ResolvedRefs",
                &outcome.resolved,
                reason!("ResolvedRefs"),
            );
        });
        let controller_name = support.controller_name.clone();
        ancestors.push(PolicyAncestorStatus { ancestor_ref, controller_name, conditions });
    }
    keep_order(&mut ancestors, stored, |a, b| {
        a.ancestor_ref == b.ancestor_ref && a.controller_name == b.controller_name
    });
    Some(ObjectStatus::Policy(PolicyStatus { ancestors }))
}

fn reference_to(gateway: &ObjectKey) -> ParentReference {
    ParentReference {
        group: Some(GROUP.to_owned()),
        kind: Some(gateway.kind.as_str().to_owned()),
        namespace: Some(gateway.namespace.to_string()),
        name: gateway.name.to_string(),
        ..ParentReference::default()
    }
}
