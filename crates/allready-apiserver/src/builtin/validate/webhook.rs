//! Webhooks of admission. Follows `pkg/apis/admissionregistration/validation`.

use serde_json::Value;

use super::{Errors, selector, spot::Spot};
use crate::{names, status::FieldError};

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
        (true, false) => url(&client.child("url"), errors),
        (false, true) => service(&client.child("service"), errors),
        _ => client.required("exactly one of url or service is required", errors),
    }
    let mut known: Vec<&str> = Vec::new();
    for condition in hook.child("matchConditions").items() {
        let name = condition.child("name");
        name.named(names::qualified, errors);
        condition.child("expression").filled(errors);
        if known.contains(&name.text()) {
            name.duplicate(errors);
        }
        known.push(name.text());
    }
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
fn rule(rule: &Spot<'_>, errors: &mut Errors) {
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
    let resources = rule.child("resources");
    resources.filled(errors);
    stars(&resources, "*/*", "resources", errors);
    for resource in resources.items().filter(Spot::is_empty) {
        resource.required("", errors);
    }
    rule.child("scope").one_of_if_any(&["*", "Cluster", "Namespaced"], errors);
}

fn url(url: &Spot<'_>, errors: &mut Errors) {
    const FORM: &str = "desired format: https://host[/path]";
    let refuse = |value: &str, why: String, errors: &mut Errors| {
        errors.push(FieldError::invalid(url.place.as_str(), value, why));
    };
    let (scheme, rest) = url.text().split_once("://").unwrap_or(("", url.text()));
    if scheme != "https" {
        refuse(scheme, format!("'https' is the only allowed URL scheme; {FORM}"), errors);
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() {
        refuse(host, format!("host must be specified; {FORM}"), errors);
    }
    if let Some((user, _)) = host.split_once('@') {
        refuse(user, "user information is not permitted in the URL".to_owned(), errors);
    }
    if let Some((_, fragment)) = rest.split_once('#') {
        refuse(fragment, "fragments are not permitted in the URL".to_owned(), errors);
    }
    if let Some((_, query)) = rest.split_once('?') {
        refuse(query, "query parameters are not permitted in the URL".to_owned(), errors);
    }
}

fn service(service: &Spot<'_>, errors: &mut Errors) {
    // The real server tells each of the other.
    for (field, told) in [("namespace", "name"), ("name", "namespace")] {
        if service.child(field).is_empty() {
            service.child(told).required("", errors);
        }
    }
    let port = service.child("port");
    if port.number().is_some_and(|port| !(1..=65535).contains(&port)) {
        port.invalid("port is not valid: must be between 1 and 65535, inclusive", errors);
    }
    let path = service.child("path");
    if matches!(path.text(), "" | "/") {
        return;
    }
    if !path.text().starts_with('/') {
        path.invalid("must start with a '/'", errors);
    }
    let inner = path.text().get(1..).unwrap_or_default();
    for (index, step) in inner.strip_suffix('/').unwrap_or(inner).split('/').enumerate() {
        if step.is_empty() {
            path.invalid(format!("segment[{index}] may not be empty"), errors);
        } else {
            for problem in names::dns_subdomain(step) {
                path.invalid(format!("segment[{index}]: {problem}"), errors);
            }
        }
    }
}
