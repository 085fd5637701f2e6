//! Nobody gives more than they have: what a role or a binding would grant must be held already by whoever writes it.
//!
//! Follows `pkg/registry/rbac` of Kubernetes (`escalation_check.go`) and
//! `k8s.io/component-helpers/auth/rbac/validation`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    Attempt, GROUP, Policy, is_master,
    policy::Reference,
    rule::{Rule, has, path_covers, quoted},
};
use crate::{
    resource::User,
    status::{Failure, quote},
};

/// Refuses to write a role or a binding that grants what its writer does not have. `name` is that of the request.
pub(crate) fn refuse_escalation(
    policy: &Policy,
    user: &User,
    (plural, namespace, name): (&str, &str, &str),
    object: &Value,
    old: Option<&Value>,
) -> Result<(), Failure> {
    if is_master(user) || old.is_some_and(|old| only_collected(object, old)) {
        return Ok(());
    }
    let resource = format!("{plural}.{GROUP}");
    let object_name = object["metadata"]["name"].as_str().unwrap_or_default();
    let refused = |why: &str| Err(Failure::forbidden(&resource, object_name, why));
    let allowed = |attempt: Attempt<'_>| policy.decide(user, &attempt).allowed;
    if plural.ends_with("bindings") {
        let role = Reference::read(object);
        let plural = if role.kind == "Role" { "roles" } else { "clusterroles" };
        let bind = Attempt {
            verb: "bind",
            group: &role.group,
            resource: plural,
            namespace,
            name: &role.name,
            ..Attempt::default()
        };
        if matches!(role.kind.as_str(), "Role" | "ClusterRole") && allowed(bind) {
            return Ok(());
        }
        let rules = policy.referred(&role, namespace).map_err(|missing| {
            // The role's name, but the binding's kind: the real server says it so.
            let is_role = matches!(role.kind.as_str(), "Role" | "ClusterRole");
            if is_role { Failure::not_found(&resource, &role.name) } else { Failure::new(500, "", missing) }
        })?;
        return missing(policy, user, namespace, rules).map_or(Ok(()), |why| refused(&why));
    }
    let escalate =
        Attempt { verb: "escalate", group: GROUP, resource: plural, namespace, name, ..Attempt::default() };
    if allowed(escalate) {
        return Ok(());
    }
    if let Some(why) = missing(policy, user, namespace, &Rule::all(object)) {
        return refused(&why);
    }
    if (aggregates(object) || old.is_some_and(aggregates))
        && missing(policy, user, namespace, &everything()).is_some()
    {
        return refused("must have cluster-admin privileges to use the aggregationRule");
    }
    Ok(())
}

fn aggregates(role: &Value) -> bool {
    role["aggregationRule"]["clusterRoleSelectors"].as_array().is_some_and(|selectors| !selectors.is_empty())
}

fn everything() -> [Rule; 2] {
    let all = || vec!["*".to_owned()];
    [
        Rule { verbs: all(), groups: all(), resources: all(), ..Rule::default() },
        Rule { verbs: all(), paths: all(), ..Rule::default() },
    ]
}

/// Whether nothing changes but what the garbage collector changes.
fn only_collected(object: &Value, old: &Value) -> bool {
    let bare = |object: &Value| {
        let mut object = object.clone();
        if let Some(metadata) = object["metadata"].as_object_mut() {
            for field in ["ownerReferences", "finalizers", "selfLink", "managedFields"] {
                metadata.remove(field);
            }
        }
        object
    };
    bare(object) == bare(old)
}

/// What is to be granted and not held, in a sentence.
fn missing(policy: &Policy, user: &User, namespace: &str, granted: &[Rule]) -> Option<String> {
    let (held, unresolved) = policy.rules(user, namespace);
    let missing: Vec<_> = granted
        .iter()
        .flat_map(pieces)
        .filter(|piece| !held.iter().any(|rule| covers(rule, piece)))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let shown: Vec<_> = together(missing).into_iter().collect();
    let mut message = format!(
        "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
        quote(&user.name),
        quoted(&user.groups),
        shown.join("\n")
    );
    if !unresolved.is_empty() {
        message = format!("{message}; resolution errors: [{unresolved}]");
    }
    Some(message)
}

/// A rule as rules of one verb and one thing each.
fn pieces(rule: &Rule) -> Vec<Rule> {
    let mut pieces = Vec::new();
    let names: Vec<Vec<String>> = if rule.names.is_empty() {
        vec![Vec::new()]
    } else {
        rule.names.iter().map(|name| vec![name.clone()]).collect()
    };
    for group in &rule.groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                pieces.extend(names.iter().map(|names| Rule {
                    verbs: vec![verb.clone()],
                    groups: vec![group.clone()],
                    resources: vec![resource.clone()],
                    names: names.clone(),
                    paths: Vec::new(),
                }));
            }
        }
    }
    for path in &rule.paths {
        pieces.extend(rule.verbs.iter().map(|verb| Rule {
            verbs: vec![verb.clone()],
            paths: vec![path.clone()],
            ..Rule::default()
        }));
    }
    pieces
}

fn covers(rule: &Rule, piece: &Rule) -> bool {
    let resource = |wanted: &String| {
        has(&rule.resources, wanted)
            || wanted
                .split_once('/')
                .is_some_and(|(_, subresource)| rule.resources.contains(&format!("*/{subresource}")))
    };
    piece.verbs.iter().all(|verb| has(&rule.verbs, verb))
        && piece.groups.iter().all(|group| has(&rule.groups, group))
        && piece.resources.iter().all(resource)
        && piece.paths.iter().all(|path| rule.paths.iter().any(|known| path_covers(known, path)))
        && (rule.names.is_empty()
            || !piece.names.is_empty() && piece.names.iter().all(|name| rule.names.contains(name)))
}

/// The pieces in lines: those about the same thing in one.
fn together(pieces: Vec<Rule>) -> BTreeSet<String> {
    let mut simple: BTreeMap<[Vec<String>; 3], Rule> = BTreeMap::new();
    let mut lines = BTreeSet::new();
    for piece in pieces {
        if piece.paths.is_empty() {
            let key = [piece.groups.clone(), piece.resources.clone(), piece.names.clone()];
            match simple.get_mut(&key) {
                Some(rule) => rule.verbs.extend(piece.verbs),
                None => drop(simple.insert(key, piece)),
            }
        } else {
            lines.insert(piece.to_text());
        }
    }
    lines.extend(simple.values().map(Rule::to_text));
    lines
}
