//! Webhooks of admission. Follows `pkg/apis/admissionregistration/validation`.

use serde_json::Value;

use super::{Errors, policy, selector, spot::Spot};
use crate::{
    names,
    webhook::{service_problems, url_problems},
};

/// The webhooks of a configuration.
pub(super) fn check(new: &Value, errors: &mut Errors) {
    let mut seen: Vec<&str> = Vec::new();
    for hook in Spot::root(new).child("webhooks").items() {
        one(&hook, errors);
        versions(&hook.child("admissionReviewVersions"), errors);
        let name = hook.child("name");
        if seen.contains(&name.text()) {
            name.duplicate(errors);
        }
        seen.push(name.text());
    }
}

fn one(hook: &Spot<'_>, errors: &mut Errors) {
    let name = hook.child("name");
    if name.is_empty() {
        name.required("", errors);
    } else {
        let problems = names::dns_subdomain(name.text());
        if problems.is_empty() && name.text().split('.').count() < 3 {
            name.invalid("should be a domain with at least three segments separated by dots", errors);
        }
        name.problems(problems, errors);
    }
    for rule in hook.child("rules").items() {
        self::rule(&rule, errors);
    }
    hook.child("failurePolicy").one_of_if_any(&["Fail", "Ignore"], errors);
    hook.child("matchPolicy").one_of_if_any(&["Equivalent", "Exact"], errors);
    let effects = hook.child("sideEffects");
    if effects.exists() {
        effects.one_of(&["None", "NoneOnDryRun"], errors);
    } else {
        effects.required("must specify one of None, NoneOnDryRun", errors);
    }
    let timeout = hook.child("timeoutSeconds");
    if timeout.number().is_some_and(|seconds| !(1..=30).contains(&seconds)) {
        timeout.invalid("the timeout value must be between 1 and 30 seconds", errors);
    }
    for field in ["namespaceSelector", "objectSelector"] {
        selector::check(&hook.child(field), errors);
    }
    hook.child("reinvocationPolicy").one_of_if_any(&["IfNeeded", "Never"], errors);
    let client = hook.child("clientConfig");
    match (client.has("url"), client.has("service")) {
        (true, false) => {
            let url = client.child("url");
            errors.extend(url_problems(&url.place, url.text()));
        }
        (false, true) => {
            let service = client.child("service");
            errors.extend(service_problems(&service.place, service.value));
        }
        _ => client.required("exactly one of url or service is required", errors),
    }
    policy::match_conditions(&hook.child("matchConditions"), false, errors);
}

fn versions(versions: &Spot<'_>, errors: &mut Errors) {
    if versions.is_empty() {
        return versions.required("must specify one of v1, v1beta1", errors);
    }
    let mut seen: Vec<&str> = Vec::new();
    for version in versions.items() {
        version.problems(names::dns1035_label(version.text()), errors);
        if seen.contains(&version.text()) {
            version.duplicate(errors);
        }
        seen.push(version.text());
    }
    if !seen.iter().any(|version| matches!(*version, "v1" | "v1beta1")) {
        versions.invalid("must include at least one of v1, v1beta1", errors);
    }
}

/// The requests that a webhook or a policy is asked about.
pub(super) fn rule(rule: &Spot<'_>, errors: &mut Errors) {
    let operations = rule.child("operations");
    operations.filled(errors);
    let stars = |list: &Spot<'_>, star: &str, what: &str, errors: &mut Errors| {
        if list.items().count() > 1 && list.items().any(|item| item.text() == star) {
            list.invalid(format!("if '{star}' is present, must not specify other {what}"), errors);
        }
    };
    stars(&operations, "*", "operations", errors);
    for operation in operations.items() {
        operation.one_of(&["*", "CONNECT", "CREATE", "DELETE", "UPDATE"], errors);
    }
    for (field, what) in [("apiGroups", "API groups"), ("apiVersions", "API versions")] {
        let list = rule.child(field);
        list.filled(errors);
        stars(&list, "*", what, errors);
    }
    for version in rule.child("apiVersions").items().filter(Spot::is_empty) {
        version.required("", errors);
    }
    resources(&rule.child("resources"), errors);
    rule.child("scope").one_of_if_any(&["*", "Cluster", "Namespaced"], errors);
}

fn resources(resources: &Spot<'_>, errors: &mut Errors) {
    resources.filled(errors);
    let (mut whole, mut parts): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut plain = false;
    for resource in resources.items() {
        let text = resource.text();
        let Some((name, part)) = text.split_once('/') else {
            if text.is_empty() {
                resource.required("", errors);
            } else {
                plain = text != "*";
            }
            continue;
        };
        if whole.contains(&name) {
            resource.invalid(format!("if '{name}/*' is present, must not specify {text}"), errors);
        }
        if parts.contains(&part) {
            resource.invalid(format!("if '*/{part}' is present, must not specify {text}"), errors);
        }
        if part == "*" {
            whole.push(name);
        }
        if name == "*" {
            parts.push(part);
        }
    }
    let has = |wanted: &str| resources.items().any(|resource| resource.text() == wanted);
    if resources.items().count() > 1 && has("*/*") {
        resources.invalid("if '*/*' is present, must not specify other resources", errors);
    }
    if plain && has("*") {
        let why = "if '*' is present, must not specify other resources without subresources";
        resources.invalid(why, errors);
    }
}
