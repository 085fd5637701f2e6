//! A route against each of its parents, and its backends.

use std::collections::BTreeSet;

use allready_core::{
    Reason, Status,
    findings::{Findings, Fold, Subject},
    reason,
};

use crate::{
    Kind, Object, ObjectKey, catalog,
    engine::Outcome,
    gateway::Group,
    hostname,
    listener::Attach,
    object::{Filter, ParentReference, RouteSpec, Spec},
    reference::backend_problem,
    selector::lets_in,
    store::{View, backends, parent_key},
};

/// The most parents of a route.
const MAX_PARENTS: usize = 32;

/// A listener: its Gateway or ListenerSet, and its name.
pub(crate) type ListenerId = (ObjectKey, String);

/// All that is found out about a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RouteOutcome {
    /// The parents that are the implementation's own, in the order of the spec.
    pub(crate) parents: Vec<ParentOutcome>,
    /// Broken backends.
    pub(crate) resolved: Findings,
    /// The message of PartiallyInvalid, if some rules are dropped and others work.
    pub(crate) dropped: Option<String>,
    /// The rules that are dropped.
    pub(crate) dropped_rules: BTreeSet<usize>,
    /// The broken backends: number of the rule, and number in the rule.
    pub(crate) broken: BTreeSet<(usize, usize)>,
}

/// A route against one parent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParentOutcome {
    pub(crate) parent: ParentReference,
    pub(crate) gateway: ObjectKey,
    /// The listeners that it is attached to, or why there is none.
    pub(crate) attached: Result<Vec<ListenerId>, (Reason, String)>,
}

impl RouteOutcome {
    /// Every listener that the route is attached to, once, with its Gateway.
    pub(crate) fn attachments(&self) -> BTreeSet<(&ObjectKey, &ListenerId)> {
        let of = |parent: &'_ ParentOutcome| parent.attached.is_ok();
        self.parents
            .iter()
            .filter(|parent| of(parent))
            .flat_map(|parent| parent.attached.iter().flatten().map(|listener| (&parent.gateway, listener)))
            .collect()
    }
}

/// Judges a route; `None` if it is not there, or its kind is not supported.
pub(crate) fn judge(view: &View<'_>, key: &ObjectKey) -> Option<RouteOutcome> {
    let object = view.get(key)?;
    let Spec::Route(route) = &object.spec else { return None };
    if !view.support.route_kinds.contains(&key.kind) {
        return None;
    }
    let mut resolved = Findings::new();
    let mut broken = BTreeSet::new();
    for (place, backend) in backends(route) {
        if let Some((reason, message)) = backend_problem(view, key, backend) {
            resolved.error(Subject::path(place.to_string()), reason, message);
            broken.extend(place.own());
        }
    }
    let (refused, dropped, dropped_rules) = check_rules(view, object, route);
    let mut parents: Vec<ParentOutcome> = Vec::new();
    for parent in route.parent_refs.iter().take(MAX_PARENTS) {
        if parents.iter().any(|known| known.parent == *parent) {
            continue;
        }
        let Some((gateway, group)) = own_parent(view, key, parent) else { continue };
        let attached = attach(view, key, route, parent, group);
        let attached = match &refused {
            Some(refused) if attached.is_ok() => Err(refused.clone()),
            _ => attached,
        };
        parents.push(ParentOutcome { parent: parent.clone(), gateway, attached });
    }
    Some(RouteOutcome { parents, resolved, dropped, dropped_rules, broken })
}

/// The Gateway and the listeners that a parent stands for, if it is the implementation's own.
fn own_parent<'a>(
    view: &View<'a>,
    route: &ObjectKey,
    parent: &ParentReference,
) -> Option<(ObjectKey, &'a Group)> {
    let key = parent_key(parent, &route.namespace)?;
    let gateway = if key.kind == Kind::ListenerSet {
        let Spec::ListenerSet(set) = &view.get(&key)?.spec else { return None };
        parent_key(&set.parent_ref, &key.namespace)?
    } else {
        key.clone()
    };
    match view.outcome(&gateway)? {
        Outcome::Tree(tree) => Some((gateway, tree.group(&key)?)),
        Outcome::Route(_) => None,
    }
}

fn attach(
    view: &View<'_>,
    key: &ObjectKey,
    route: &RouteSpec,
    parent: &ParentReference,
    group: &Group,
) -> Result<Vec<ListenerId>, (Reason, String)> {
    if let Some((_, message)) = &group.refused {
        return Err((
            reason!("NotAllowedByListeners"),
            format!("{} is not accepted: {message}", group.owner),
        ));
    }
    let is_meant = |one: &&Attach| {
        parent.section_name.as_ref().is_none_or(|name| *name == one.name)
            && parent.port.is_none_or(|port| port == one.port)
    };
    let meant: Vec<&Attach> = group.listeners.iter().map(|state| &state.attach).filter(is_meant).collect();
    if meant.is_empty() {
        let section = parent.section_name.as_ref().map(|name| format!(" called {name}")).unwrap_or_default();
        let port = parent.port.map(|port| format!(" on port {port}")).unwrap_or_default();
        return Err((reason!("NoMatchingParent"), format!("{} has no listener{section}{port}", group.owner)));
    }
    let kind = key.kind.into();
    let lets_in = |one: &&Attach| {
        one.kinds.contains(&kind)
            && lets_in(view, &one.namespaces, "Same", &group.owner.namespace, &key.namespace)
    };
    let allowed: Vec<&Attach> = meant.into_iter().filter(lets_in).collect();
    if allowed.is_empty() {
        let message =
            format!("no listener of {} allows a {} of namespace {}", group.owner, key.kind, key.namespace);
        return Err((reason!("NotAllowedByListeners"), message));
    }
    let serves = |one: &&Attach| hostname::serves(one.hostname.as_deref(), &route.hostnames);
    let attached: Vec<ListenerId> =
        allowed.into_iter().filter(serves).map(|one| (group.owner.clone(), one.name.clone())).collect();
    if attached.is_empty() {
        let message =
            format!("no listener of {} has a hostname of {}", group.owner, route.hostnames.join(", "));
        return Err((reason!("NoMatchingListenerHostname"), message));
    }
    Ok(attached)
}

/// Checks the rules: why the whole route is refused, or which rules are dropped while others work, with the message that says so.
fn check_rules(
    view: &View<'_>,
    object: &Object,
    route: &RouteSpec,
) -> (Option<(Reason, String)>, Option<String>, BTreeSet<usize>) {
    let mut dropped = BTreeSet::new();
    if let Some(malformed) = &object.malformed {
        return (Some((reason!("UnsupportedValue"), malformed.clone())), None, dropped);
    }
    let mut findings = Findings::new();
    for (index, rule) in route.rules.iter().enumerate() {
        let mut check = |path: String, filters: &[Filter]| {
            let has = |type_: &str| filters.iter().any(|filter| filter.type_ == type_);
            if has("RequestRedirect") && has("URLRewrite") {
                let message = "RequestRedirect and URLRewrite exclude each other";
                dropped.insert(index);
                findings.error(Subject::path(&path), reason!("IncompatibleFilters"), message);
            }
            for filter in filters.iter().filter(|filter| !view.support.filters.contains(&filter.type_)) {
                let message = format!("filter {:?} is not supported", filter.type_);
                dropped.insert(index);
                findings.error(Subject::path(&path), reason!("UnsupportedValue"), message);
            }
        };
        check(format!("spec.rules[{index}].filters"), &rule.filters);
        for (number, backend) in rule.backend_refs.iter().enumerate() {
            check(format!("spec.rules[{index}].backendRefs[{number}].filters"), &backend.filters);
        }
        for regex in &rule.regexes {
            if let Err(problem) = (view.support.check_regex)(regex) {
                let message = format!("regular expression {regex:?}: {problem}");
                dropped.insert(index);
                let subject = Subject::path(format!("spec.rules[{index}].matches"));
                findings.error(subject, reason!("UnsupportedValue"), message);
            }
        }
    }
    if findings.is_empty() {
        return (None, None, dropped);
    }
    let parts: Vec<Subject> =
        (0..route.rules.len()).map(|index| Subject::path(format!("spec.rules[{index}]"))).collect();
    let precedence = catalog::precedence(catalog::On::RouteParent, "Accepted");
    let folded = findings.fold_partial(&Fold { precedence, ..Fold::new(reason!("Accepted")) }, &parts);
    if folded.main.status == Status::False {
        return (Some((folded.main.reason, folded.main.message.as_str().to_owned())), None, dropped);
    }
    (None, folded.partial.map(|partial| format!("Dropped Rule: {}", partial.message)), dropped)
}
