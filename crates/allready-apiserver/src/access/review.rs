//! Reviews: questions about rights, answered by the same policy that decides about requests.

use serde_json::{Value, json};

use super::{Attempt, Policy, rule::Rule, rule::texts};
use crate::{resource::User, status::Failure};

/// Writes the answer into a review that `user` asks.
pub(crate) fn answer(policy: &Policy, kind: &str, object: &mut Value, user: &User) -> Result<(), Failure> {
    if kind != "SelfSubjectRulesReview" {
        super::question::check(kind, object)?;
    }
    let spec = object["spec"].clone();
    let status = match kind {
        "SelfSubjectAccessReview" => verdict(policy, user, &spec),
        "SubjectAccessReview" | "LocalSubjectAccessReview" => {
            let name = spec["user"].as_str().unwrap_or_default().to_owned();
            verdict(policy, &User { groups: texts(&spec, "groups"), ..User::new(name) }, &spec)
        }
        "SelfSubjectRulesReview" => {
            let namespace = spec["namespace"].as_str().unwrap_or_default();
            if namespace.is_empty() {
                return Err(Failure::bad_request("no namespace on request"));
            }
            object["spec"] = json!({});
            object["metadata"] = json!({});
            rules(policy, user, namespace)
        }
        _ => return Err(Failure::method_not_allowed()),
    };
    object["status"] = status;
    Ok(())
}

fn verdict(policy: &Policy, user: &User, spec: &Value) -> Value {
    let (resource, path) = (&spec["resourceAttributes"], &spec["nonResourceAttributes"]);
    let text = |field: &str| resource[field].as_str().unwrap_or_default();
    let attempt = if resource.is_object() {
        Attempt {
            verb: text("verb"),
            path: None,
            group: text("group"),
            resource: text("resource"),
            subresource: text("subresource"),
            namespace: text("namespace"),
            name: text("name"),
        }
    } else {
        let text = |field: &str| path[field].as_str().unwrap_or_default();
        Attempt { verb: text("verb"), path: Some(text("path")), ..Attempt::default() }
    };
    let verdict = policy.decide(user, &attempt);
    let mut status = json!({ "allowed": verdict.allowed });
    if !verdict.reason.is_empty() {
        status["reason"] = verdict.reason.into();
    }
    status
}

fn rules(policy: &Policy, user: &User, namespace: &str) -> Value {
    let (rules, missing) = policy.rules(user, namespace);
    let mut status = json!({
        "resourceRules": rules.iter().filter_map(Rule::to_resource_rule).collect::<Vec<_>>(),
        "nonResourceRules": rules.iter().filter_map(Rule::to_path_rule).collect::<Vec<_>>(),
        "incomplete": false,
    });
    if !missing.is_empty() {
        status["evaluationError"] = missing.into();
    }
    status
}
