//! Statuses of Gateways, ListenerSets and listeners.

use allready_core::{
    Conditions, Reason, Status, Time,
    findings::{Findings, Fold, Severity, Subject},
    reason,
    set::{At, Pass},
};

use super::{Attached, clear, fit, mark, mark_findings, marked};
use crate::{
    Kind, Object,
    catalog::{self, On},
    gateway::{Group, Tree, subject},
    listener::ListenerState,
    status::{GatewayStatus, ListenerConditions, ListenerSetStatus, ListenerStatus, ObjectStatus},
};

/// The status of a Gateway.
pub(crate) fn gateway(object: &Object, tree: &Tree, attached: &Attached, now: Time) -> ObjectStatus {
    let mut status = match &object.status {
        Some(ObjectStatus::Gateway(stored)) => stored.clone(),
        _ => GatewayStatus::default(),
    };
    let at = At::new(object.generation, now);
    status.addresses = tree.addresses.clone().unwrap_or_default();
    let sets = tree.groups.get(1..).unwrap_or_default();
    let attached_sets = sets.iter().filter(|group| tree.refused.is_none() && group.is_accepted()).count();
    status.attached_listener_sets = u32::try_from(attached_sets).ok().filter(|_| !sets.is_empty());
    if let Some(own) = tree.groups.first() {
        status.listeners = listeners(&status.listeners, tree, own, attached, at);
    }
    status.conditions = marked(&status.conditions, at, |pass| {
        mark_gateway(pass, tree);
        if tree.is_insecure {
            let message = "clients without a valid certificate are let in on some ports";
            mark(
                pass,
                "InsecureFrontendValidationMode",
                Status::True,
                reason!("ConfigurationChanged"),
                message,
            );
        } else {
            clear(pass, "InsecureFrontendValidationMode");
        }
        match references(tree) {
            Some(findings) => {
                mark_findings(pass, On::Gateway, "ResolvedRefs", &findings, reason!("ResolvedRefs"));
            }
            None => clear(pass, "ResolvedRefs"),
        }
    });
    ObjectStatus::Gateway(status)
}

/// The references of the Gateway itself, and in their absence of trouble those of its listeners, which tell the details; `None` if there is
/// nothing to say.
fn references(tree: &Tree) -> Option<Findings> {
    if tree.resolved.as_ref().is_some_and(|own| own.errors().next().is_some()) {
        return tree.resolved.clone();
    }
    let listeners = tree.groups.first().map_or(&[][..], |group| &group.listeners);
    let mut findings = Findings::new();
    for listener in listeners.iter().filter(|listener| listener.resolved.errors().next().is_some()) {
        let message = "a reference of the listener is not resolved";
        findings.error(Subject::listener(&listener.attach.name), reason!("ListenersNotResolved"), message);
    }
    (tree.resolved.is_some() || findings.errors().next().is_some()).then_some(findings)
}

fn mark_gateway(pass: &mut Pass<'_>, tree: &Tree) {
    if let Some((reason, message)) = &tree.refused {
        let status = if tree.is_pending { Status::Unknown } else { Status::False };
        let programmed = if tree.is_pending { reason!("Pending") } else { reason!("Invalid") };
        mark(pass, "Accepted", status, reason.clone(), message);
        return mark(pass, "Programmed", status, programmed, message);
    }
    let own = tree.groups.first().map_or(&[][..], |group| &group.listeners);
    let problems = problems(tree.groups.iter()).fold(&Fold::new(reason!("Accepted"))).message;
    let mut in_force =
        tree.groups.iter().filter(|group| group.refused.is_none()).flat_map(|group| &group.listeners);
    let is_any_accepted = own.is_empty() || in_force.any(ListenerState::is_accepted);
    let reason = if own.iter().all(ListenerState::is_good) {
        reason!("Accepted")
    } else {
        reason!("ListenersNotValid")
    };
    mark(pass, "Accepted", is_any_accepted.into(), reason, problems.as_str());
    let is_any_good = tree.groups.iter().any(Group::is_accepted);
    match &tree.addresses {
        _ if !is_any_good && problems.is_empty() => {
            mark(pass, "Programmed", Status::False, reason!("Invalid"), "there is no listener");
        }
        _ if !is_any_good => mark(pass, "Programmed", Status::False, reason!("Invalid"), problems.as_str()),
        Err((reason, message)) => mark(pass, "Programmed", Status::False, reason.clone(), message),
        Ok(_) => mark(pass, "Programmed", Status::True, reason!("Programmed"), problems.as_str()),
    }
}

/// Everything that is wrong with listeners, each named; a ListenerSet that is refused is a warning to the Gateway.
fn problems<'a>(groups: impl Iterator<Item = &'a Group>) -> Findings {
    let mut findings = Findings::new();
    for group in groups {
        if let (Some((reason, message)), Kind::ListenerSet) = (&group.refused, group.owner.kind) {
            let set = Subject::namespaced("ListenerSet", &*group.owner.namespace, &*group.owner.name);
            findings.warning(set, reason.clone(), message.clone());
            continue;
        }
        for listener in &group.listeners {
            for found in listener.accepted.iter().chain(&listener.resolved) {
                let mut found = found.clone();
                found.subject = subject(group, listener);
                if group.owner.kind == Kind::ListenerSet {
                    found.severity = Severity::Warning;
                }
                findings.extend([found]);
            }
        }
    }
    findings
}

/// The status of a ListenerSet.
pub(crate) fn listener_set(
    object: &Object,
    tree: &Tree,
    group: &Group,
    attached: &Attached,
    now: Time,
) -> ObjectStatus {
    let mut status = match &object.status {
        Some(ObjectStatus::ListenerSet(stored)) => stored.clone(),
        _ => ListenerSetStatus::default(),
    };
    let at = At::new(object.generation, now);
    status.listeners = if group.refused.is_some() {
        Vec::new()
    } else {
        listeners(&status.listeners, tree, group, attached, at)
    };
    let mut own = Findings::new();
    for listener in &group.listeners {
        for found in listener.accepted.iter().chain(&listener.resolved) {
            let mut found = found.clone();
            found.subject = Subject::listener(&listener.attach.name);
            own.extend([found]);
        }
    }
    let problems = own.fold(&Fold::new(reason!("Accepted"))).message;
    status.conditions = marked(&status.conditions, at, |pass| {
        let mut both = |accepted: (Status, Reason, &str), programmed: (Status, Reason, &str)| {
            mark(pass, "Accepted", accepted.0, accepted.1, accepted.2);
            mark(pass, "Programmed", programmed.0, programmed.1, programmed.2);
        };
        let is_good = group.listeners.iter().all(ListenerState::is_good);
        if let Some((reason, message)) = &group.refused {
            both((Status::False, reason.clone(), message), (Status::False, reason.clone(), message));
        } else if let Some((_, message)) = &tree.refused {
            both(
                (Status::False, reason!("ParentNotAccepted"), message),
                (Status::False, reason!("ParentNotProgrammed"), message),
            );
        } else if !group.is_accepted() {
            let message = if problems.is_empty() { "there is no listener" } else { problems.as_str() };
            let bad = || (Status::False, reason!("ListenersNotValid"), message);
            both(bad(), bad());
        } else {
            let reason = if is_good { reason!("Accepted") } else { reason!("ListenersNotValid") };
            let accepted = (Status::True, reason, problems.as_str());
            match &tree.addresses {
                Ok(_) => both(accepted, (Status::True, reason!("Programmed"), problems.as_str())),
                Err((_, message)) => both(accepted, (Status::False, reason!("ParentNotProgrammed"), message)),
            }
        }
    });
    ObjectStatus::ListenerSet(status)
}

fn listeners(
    stored: &[ListenerStatus],
    tree: &Tree,
    group: &Group,
    attached: &Attached,
    at: At,
) -> Vec<ListenerStatus> {
    let one = |state: &ListenerState| {
        let name = &state.attach.name;
        let routes = attached.get(&(group.owner.clone(), name.clone()));
        let found = stored.iter().find(|stored| stored.name == *name);
        let mut conditions = found.map(|stored| stored.conditions.clone()).unwrap_or_default();
        mark_listener(&mut conditions, tree, state, at);
        ListenerStatus {
            name: name.clone(),
            attached_routes: routes.map_or(0, |routes| u32::try_from(routes.len()).unwrap_or(u32::MAX)),
            supported_kinds: if state.is_supported() { state.attach.kinds.clone() } else { Vec::new() },
            conditions,
        }
    };
    group.listeners.iter().map(one).collect()
}

fn mark_listener(
    conditions: &mut Conditions<ListenerConditions>,
    tree: &Tree,
    state: &ListenerState,
    at: At,
) {
    let mut pass = conditions.pass(at);
    let fold = |type_, good| Fold { precedence: catalog::precedence(On::Listener, type_), ..Fold::new(good) };
    match &tree.refused {
        Some((_, message)) if state.is_accepted() => {
            let message = format!("the Gateway is not accepted: {message}");
            pass.mark_unknown(ListenerConditions::Accepted, reason!("Pending"), message);
        }
        _ => {
            let how = fold("Accepted", reason!("Accepted"));
            pass.mark_findings_with(ListenerConditions::Accepted, &state.accepted, &how);
        }
    }
    let how = fold("ResolvedRefs", reason!("ResolvedRefs"));
    pass.mark_findings_with(ListenerConditions::ResolvedRefs, &state.resolved, &how);
    // Only dependents cannot be cleared, and these two are informational.
    match &state.conflict {
        Some((reason, message)) => {
            pass.mark_true(ListenerConditions::Conflicted, reason.clone(), message);
        }
        None => drop(pass.clear(ListenerConditions::Conflicted)),
    }
    match &state.overlaps {
        Some(message) => {
            let reason = reason!("OverlappingHostnames");
            pass.mark_true(ListenerConditions::OverlappingTlsConfig, reason, message);
        }
        None => drop(pass.clear(ListenerConditions::OverlappingTlsConfig)),
    }
    pass.finish();
    // The roll-up gives the reason of the cause; the Gateway API has a closed list.
    if let Some(programmed) = conditions.as_mut_vec().iter_mut().find(|one| one.type_ == *"Programmed")
        && !catalog::is_known(On::Listener, "Programmed", programmed.status, programmed.reason.as_str())
    {
        programmed.reason = match programmed.status {
            Status::False => reason!("Invalid"),
            Status::True => reason!("Programmed"),
            Status::Unknown => reason!("Pending"),
        };
    }
    fit(conditions.as_mut_vec());
}
