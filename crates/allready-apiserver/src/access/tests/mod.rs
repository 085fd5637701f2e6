//! Facts from the real server about rules, bindings and what they come to.

mod covering;
mod deciding;
mod keeping;

use std::sync::Arc;

use serde_json::{Value, json};

use super::policy::{Binding, Policy, Role};

/// A policy of roles (`namespace/name` or `name`, rules) and bindings (key, role reference, subjects).
fn policy(roles: &[(&str, Value)], bindings: &[(&str, Value, Value)]) -> Policy {
    let mut policy = Policy::default();
    for (key, rules) in roles {
        let shelf = if key.contains('/') { &mut policy.roles } else { &mut policy.cluster_roles };
        shelf.insert((*key).into(), Arc::new(Role::read(&json!({ "rules": rules }))));
    }
    for (key, role, subjects) in bindings {
        let shelf = if key.contains('/') { &mut policy.bindings } else { &mut policy.cluster_bindings };
        let name = key.rsplit('/').next();
        let binding = json!({ "metadata": { "name": name }, "roleRef": role, "subjects": subjects });
        shelf.insert((*key).into(), Arc::new(Binding::read(&binding)));
    }
    policy
}

fn role(kind: &str, name: &str) -> Value {
    json!({ "apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name })
}
