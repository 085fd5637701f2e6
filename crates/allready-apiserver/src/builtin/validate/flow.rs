//! Flow schemas. Follows `pkg/apis/flowcontrol/validation`.

use serde_json::{Value, json};

use super::{Errors, spot::Spot};
use crate::{names, status::FieldError};

const VERBS: [&str; 9] =
    ["create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"];

/// The users of a level of priority.
pub(super) fn schema(new: &Value, errors: &mut Errors) {
    let root = Spot::root(new);
    let spec = root.child("spec");
    let precedence = spec.child("matchingPrecedence");
    match precedence.number() {
        Some(number) if number <= 0 => precedence.invalid("must be a positive value", errors),
        Some(number) if number > 10_000 => precedence.invalid("must not be greater than 10000", errors),
        Some(1) if root.at("metadata.name").text() != "exempt" => {
            precedence.invalid("only the schema named 'exempt' may have matchingPrecedence 1", errors);
        }
        _ => {}
    }
    let method = spec.child("distinguisherMethod");
    let kind = method.child("type");
    if method.exists() && !matches!(kind.text(), "ByUser" | "ByNamespace") {
        let shown = json!({"Type": kind.text()});
        errors.push(FieldError::not_supported(kind.place.as_str(), shown, &["ByNamespace", "ByUser"]));
    }
    let level = spec.at("priorityLevelConfiguration.name");
    if level.is_empty() {
        level.required("must reference a priority level", errors);
    } else {
        level.problems(names::dns_subdomain(level.text()), errors);
    }
    for rule in spec.child("rules").items() {
        self::rule(&rule, errors);
    }
}

fn rule(rule: &Spot<'_>, errors: &mut Errors) {
    let [subjects, resources, others] =
        ["subjects", "resourceRules", "nonResourceRules"].map(|field| rule.child(field));
    if subjects.is_empty() {
        subjects.required("subjects must contain at least one value", errors);
    }
    for subject in subjects.items() {
        self::subject(&subject, errors);
    }
    if resources.is_empty() && others.is_empty() {
        let why = "at least one of resourceRules and nonResourceRules has to be non-empty";
        rule.required(why, errors);
    }
    for rule in resources.items() {
        verbs(&rule, errors);
        for (field, one, many) in
            [("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")]
        {
            let list = rule.child(field);
            if list.is_empty() {
                list.required(&format!("resource rules must supply at least one {one}"), errors);
            } else {
                alone(&list, many, errors);
            }
        }
        let namespaces = rule.child("namespaces");
        if namespaces.is_empty() && !rule.child("clusterScope").flag() {
            let why = "resource rules that are not cluster scoped must supply at least one namespace";
            namespaces.required(why, errors);
        } else if !alone(&namespaces, "namespaces", errors) {
            for namespace in namespaces.items() {
                let problems = names::dns_label(namespace.text()).into_iter();
                let told = "each member of this list must be '*' or a DNS-1123 label; ";
                namespace.problems(problems.map(|problem| format!("{told}{problem}")), errors);
            }
        }
    }
    for rule in others.items() {
        verbs(&rule, errors);
        let urls = rule.child("nonResourceURLs");
        if urls.is_empty() {
            urls.required("nonResourceURLs must contain at least one value", errors);
        } else if !alone(&urls, "non-resource URLs", errors) {
            for url in urls.items() {
                self::url(&url, errors);
            }
        }
    }
}

fn url(url: &Spot<'_>, errors: &mut Errors) {
    let path = url.text();
    if path.is_empty() {
        return url.invalid("must not be empty", errors);
    }
    if path == "/" {
        return;
    }
    if !path.starts_with('/') {
        url.invalid("must start with slash", errors);
    } else if path.contains(' ') {
        url.invalid("must not contain white-space", errors);
    } else if path.contains("//") {
        url.invalid("must not contain double slash", errors);
    } else if path.strip_suffix("/*").unwrap_or(path).contains('*') {
        url.invalid("wildcard can only do suffix matching", errors);
    }
}

/// Tells whether a list has the star, which stands alone.
fn alone(list: &Spot<'_>, others: &str, errors: &mut Errors) -> bool {
    let star = list.items().any(|item| item.text() == "*");
    if star && list.items().count() > 1 {
        list.invalid(format!("if '*' is present, must not specify other {others}"), errors);
    }
    star
}

fn verbs(rule: &Spot<'_>, errors: &mut Errors) {
    let verbs = rule.child("verbs");
    if verbs.is_empty() {
        verbs.required("verbs must contain at least one value", errors);
    } else if !alone(&verbs, "verbs", errors) && !verbs.items().all(|verb| VERBS.contains(&verb.text())) {
        errors.push(FieldError::not_supported(verbs.place.as_str(), verbs.value.clone(), &VERBS));
    }
}

fn subject(subject: &Spot<'_>, errors: &mut Errors) {
    const KINDS: [(&str, &str); 3] =
        [("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")];
    let kind = subject.child("kind");
    let Some((_, own)) = KINDS.iter().find(|(name, _)| *name == kind.text()) else {
        return kind.one_of(&["Group", "ServiceAccount", "User"], errors);
    };
    let named = subject.child(own);
    let name = named.child("name");
    if !named.exists() {
        named.required(&format!("{own} is required when subject kind is '{}'", kind.text()), errors);
    } else if name.is_empty() {
        name.required("", errors);
    } else if kind.text() == "ServiceAccount" && name.text() != "*" {
        name.problems(names::dns_subdomain(name.text()), errors);
    }
    if kind.text() == "ServiceAccount" && named.exists() {
        let namespace = named.child("namespace");
        if namespace.is_empty() {
            namespace.required("must specify namespace for service account", errors);
        } else {
            namespace.problems(names::dns_label(namespace.text()), errors);
        }
    }
    for (other, field) in KINDS.iter().filter(|(name, field)| *name != kind.text() && subject.has(field)) {
        let why = format!("{field} is forbidden when subject kind is not '{other}'");
        subject.child(field).forbidden(&why, errors);
    }
}
