//! Roles and bindings.
//!
//! Follows `pkg/apis/rbac/validation` of Kubernetes.

use serde_json::{Value, json};

use super::{Errors, one_of, selector, spot::Spot};
use crate::{
    builtin::{
        path::{at, items, text_at},
        table::Row,
    },
    names,
    status::FieldError,
};

const GROUP: &str = "rbac.authorization.k8s.io";

pub(super) fn check(row: &Row, new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if row.kind.ends_with("Role") {
        for (index, rule) in items(new, &["rules"]).iter().enumerate() {
            self::rule(rule, &format!("rules[{index}]"), row.namespaced, errors);
        }
        let selectors = ["aggregationRule", "clusterRoleSelectors"];
        if at(new, &["aggregationRule"]).is_some() && items(new, &selectors).is_empty() {
            let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
            errors.push(FieldError::required(selectors.join("."), why));
        }
        for selector in Spot::root(new).at("aggregationRule.clusterRoleSelectors").items() {
            let before = errors.len();
            selector::check(&selector, errors);
            if errors.len() > before {
                let why = "invalid label selector.";
                errors.push(FieldError::invalid(selector.place.as_str(), Value::Null, why));
            }
        }
        return;
    }
    one_of("roleRef.apiGroup".into(), text_at(new, &["roleRef", "apiGroup"]), &[GROUP], errors);
    let kinds: &[&str] = if row.namespaced { &["Role", "ClusterRole"] } else { &["ClusterRole"] };
    one_of("roleRef.kind".into(), text_at(new, &["roleRef", "kind"]), kinds, errors);
    if text_at(new, &["roleRef", "name"]).is_empty() {
        errors.push(FieldError::required("roleRef.name", ""));
    }
    for (index, subject) in items(new, &["subjects"]).iter().enumerate() {
        self::subject(subject, &format!("subjects[{index}]"), row.namespaced, errors);
    }
    if let Some(old) = old.filter(|old| at(old, &["roleRef"]) != at(new, &["roleRef"])) {
        let _ = old;
        let part = |field: &str| text_at(new, &["roleRef", field]).to_owned();
        let shown = json!({"APIGroup": part("apiGroup"), "Kind": part("kind"), "Name": part("name")});
        errors.push(FieldError::invalid("roleRef", shown, "cannot change roleRef"));
    }
}

fn rule(rule: &Value, place: &str, namespaced: bool, errors: &mut Errors) {
    if items(rule, &["verbs"]).is_empty() {
        errors.push(FieldError::required(format!("{place}.verbs"), "verbs must contain at least one value"));
    }
    let addresses = items(rule, &["nonResourceURLs"]);
    let (groups, resources) = (items(rule, &["apiGroups"]), items(rule, &["resources"]));
    if !addresses.is_empty() {
        let field = format!("{place}.nonResourceURLs");
        if namespaced {
            let why = "namespaced rules cannot apply to non-resource URLs";
            errors.push(FieldError::invalid(field.clone(), addresses.to_vec(), why));
        }
        if !(groups.is_empty() && resources.is_empty() && items(rule, &["resourceNames"]).is_empty()) {
            let why = "rules cannot apply to both regular resources and non-resource URLs";
            errors.push(FieldError::invalid(field, addresses.to_vec(), why));
        }
        return;
    }
    if groups.is_empty() {
        let why = "resource rules must supply at least one api group";
        errors.push(FieldError::required(format!("{place}.apiGroups"), why));
    }
    if resources.is_empty() {
        let why = "resource rules must supply at least one resource";
        errors.push(FieldError::required(format!("{place}.resources"), why));
    }
}

fn subject(subject: &Value, place: &str, namespaced: bool, errors: &mut Errors) {
    let (kind, name) = (text_at(subject, &["kind"]), text_at(subject, &["name"]));
    if name.is_empty() {
        errors.push(FieldError::required(format!("{place}.name"), ""));
    }
    match kind {
        "ServiceAccount" => {
            if !name.is_empty() {
                for problem in names::dns_subdomain(name) {
                    errors.push(FieldError::invalid(format!("{place}.name"), name, problem));
                }
            }
            one_of(format!("{place}.apiGroup"), text_at(subject, &["apiGroup"]), &[""], errors);
            if !namespaced && text_at(subject, &["namespace"]).is_empty() {
                errors.push(FieldError::required(format!("{place}.namespace"), ""));
            }
        }
        "User" | "Group" => {
            one_of(format!("{place}.apiGroup"), text_at(subject, &["apiGroup"]), &[GROUP], errors);
        }
        _ => one_of(format!("{place}.kind"), kind, &["ServiceAccount", "User", "Group"], errors),
    }
}
