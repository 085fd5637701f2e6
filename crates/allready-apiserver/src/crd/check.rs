//! What is refused in a definition, in the order in which the real server looks.
//!
//! Follows `pkg/apis/apiextensions/validation` of `k8s.io/apiextensions-apiserver`.

use serde_json::{Map, Value};

use super::{
    names::{label_problems, subdomain_problems},
    raw::{self, flag, list, object, text},
    versions::{each, shared, versions},
};
use crate::{
    schema::validate::path,
    status::{FieldError, quote},
    webhook::{service_problems, url_problems},
};

/// What is wrong with a definition; with the one it replaces, if there is one.
pub(super) fn check(new: &Value, old: Option<&Value>) -> Vec<FieldError> {
    let none = Map::new();
    let spec = new.get("spec").and_then(Value::as_object).unwrap_or(&none);
    let mut errors = Vec::new();
    if old.is_none() {
        name(new, spec, &mut errors);
    }
    group_and_scope(spec, &mut errors);
    versions(spec, &mut errors);
    names(spec, &mut errors);
    shared(spec, &mut errors);
    conversion(spec, &mut errors);
    if let Some(old) = old.and_then(|old| old.get("spec")).and_then(Value::as_object) {
        immutable(spec, old, established(new), &mut errors);
    }
    stored_versions(new, spec, &mut errors);
    approval(new, spec, old, &mut errors);
    if flag(spec, "preserveUnknownFields") {
        let detail = "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema \
                      instead";
        errors.push(FieldError::invalid("spec.preserveUnknownFields", true, detail));
    }
    errors
}

fn name(new: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let name = new.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default();
    let plural = object(spec, "names").map(|names| text(names, "plural")).unwrap_or_default();
    if name != format!("{plural}.{}", text(spec, "group")) {
        let detail = r#"must be spec.names.plural+"."+spec.group"#;
        errors.push(FieldError::invalid("metadata.name", name, detail));
    }
}

fn group_and_scope(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let group = text(spec, "group");
    let problems = subdomain_problems(group);
    if group.is_empty() {
        errors.push(FieldError::required("spec.group", ""));
    } else if !problems.is_empty() {
        errors.push(FieldError::invalid("spec.group", group, problems.join(",")));
    } else if !group.contains('.') {
        errors.push(FieldError::invalid("spec.group", group, "should be a domain with at least one dot"));
    }
    one_of("spec.scope", text(spec, "scope"), &["Cluster", "Namespaced"], errors);
}

fn one_of(field: &str, value: &str, allowed: &[&str], errors: &mut Vec<FieldError>) {
    if value.is_empty() {
        errors.push(FieldError::required(field, ""));
    } else if !allowed.contains(&value) {
        errors.push(FieldError::not_supported(field, value, allowed));
    }
}

fn names(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let none = Map::new();
    let names = object(spec, "names").unwrap_or(&none);
    for word in ["plural", "singular", "kind", "listKind"] {
        if text(names, word).is_empty() {
            errors.push(FieldError::required(format!("spec.names.{word}"), ""));
        }
    }
    for word in ["plural", "singular", "kind", "listKind"] {
        let name = text(names, word);
        let mixed = matches!(word, "kind" | "listKind");
        let problems = if mixed { label_problems(&name.to_lowercase()) } else { label_problems(name) };
        if !name.is_empty() && !problems.is_empty() {
            let prefix = if mixed { "may have mixed case, but should otherwise match: " } else { "" };
            let detail = format!("{prefix}{}", problems.join(","));
            errors.push(FieldError::invalid(format!("spec.names.{word}"), name, detail));
        }
    }
    lists_of_names(names, "shortNames", errors);
    let kind = text(names, "kind");
    if !kind.is_empty() && kind == text(names, "listKind") {
        let detail = "kind and listKind may not be the same";
        errors.push(FieldError::invalid("spec.names.listKind", kind, detail));
    }
    lists_of_names(names, "categories", errors);
}

fn lists_of_names(names: &Map<String, Value>, word: &str, errors: &mut Vec<FieldError>) {
    for (index, name) in raw::texts(names, word).into_iter().enumerate() {
        let problems = label_problems(&name);
        if !problems.is_empty() {
            let field = path::index(&format!("spec.names.{word}"), index);
            errors.push(FieldError::invalid(field, name, problems.join(",")));
        }
    }
}

fn conversion(spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = object(spec, "conversion") else { return };
    let strategy = text(conversion, "strategy");
    one_of("spec.conversion.strategy", strategy, &["None", "Webhook"], errors);
    let webhook = object(conversion, "webhook");
    if strategy == "Webhook" {
        webhook_conversion(webhook, errors);
    } else if let Some(webhook) = webhook {
        let detail = "should not be set when strategy is not set to Webhook";
        if raw::given(webhook, "clientConfig").is_some() {
            errors.push(FieldError::forbidden("spec.conversion.webhookClientConfig", detail));
        }
        if !list(webhook, "conversionReviewVersions").is_empty() {
            errors.push(FieldError::forbidden("spec.conversion.conversionReviewVersions", detail));
        }
    }
}

fn webhook_conversion(webhook: Option<&Map<String, Value>>, errors: &mut Vec<FieldError>) {
    let field = "spec.conversion.webhookClientConfig";
    match webhook.and_then(|webhook| object(webhook, "clientConfig")) {
        None => errors.push(FieldError::required(field, "required when strategy is set to Webhook")),
        Some(client) => match (raw::given(client, "url"), raw::given(client, "service")) {
            (Some(url), None) => {
                errors.extend(url_problems(&format!("{field}.url"), url.as_str().unwrap_or_default()));
            }
            (None, Some(service)) => errors.extend(service_problems(&format!("{field}.service"), service)),
            _ => errors.push(FieldError::required(field, "exactly one of url or service is required")),
        },
    }
    let field = "spec.conversion.conversionReviewVersions";
    let versions = webhook.map(|webhook| raw::texts(webhook, "conversionReviewVersions")).unwrap_or_default();
    if versions.is_empty() {
        errors.push(FieldError::required(field, ""));
    } else if !versions.iter().any(|version| version == "v1" || version == "v1beta1") {
        errors.push(FieldError::invalid(field, versions, "must include at least one of v1, v1beta1"));
    }
}

fn established(crd: &Value) -> bool {
    super::accept::has_condition(crd, "Established")
}

fn immutable(
    new: &Map<String, Value>,
    old: &Map<String, Value>,
    established: bool,
    errors: &mut Vec<FieldError>,
) {
    let empty = Map::new();
    let names = |spec: &'_ Map<String, Value>, word: &str| {
        text(object(spec, "names").unwrap_or(&empty), word).to_owned()
    };
    let mut same = |field: &str, new: &str, old: &str| {
        if new != old {
            errors.push(FieldError::invalid(field, new, "field is immutable"));
        }
    };
    if established {
        same("spec.scope", text(new, "scope"), text(old, "scope"));
        same("spec.names.kind", &names(new, "kind"), &names(old, "kind"));
    }
    same("spec.group", text(new, "group"), text(old, "group"));
    same("spec.names.plural", &names(new, "plural"), &names(old, "plural"));
}

fn stored_versions(new: &Value, spec: &Map<String, Value>, errors: &mut Vec<FieldError>) {
    let field = "status.storedVersions";
    let none = Map::new();
    let status = new.get("status").and_then(Value::as_object).unwrap_or(&none);
    let stored = raw::texts(status, "storedVersions");
    if stored.is_empty() {
        errors.push(FieldError::invalid(field, Value::Null, "must have at least one stored version"));
        return;
    }
    for version in each(spec).filter(|version| flag(version, "storage")) {
        let name = text(version, "name");
        if !stored.iter().any(|stored| stored == name) {
            let detail = format!("must have the storage version {name}");
            errors.push(FieldError::invalid(field, stored.clone(), detail));
        }
    }
    for (index, name) in stored.iter().enumerate() {
        if !each(spec).any(|version| text(version, "name") == name) {
            let detail = format!(
                "missing from spec.versions; {name} was previously a storage version, and must remain in spec.versions until a \
                 storage migration ensures no data remains persisted in {name} and removes {name} from \
                 status.storedVersions"
            );
            errors.push(FieldError::invalid(path::index(field, index), name.as_str(), detail));
        }
    }
}

/// Groups of the project itself need the approval of its people.
fn approval(new: &Value, spec: &Map<String, Value>, old: Option<&Value>, errors: &mut Vec<FieldError>) {
    const ANNOTATION: &str = "api-approved.kubernetes.io";
    let group = text(spec, "group");
    let ours = |end: &str| group == end || group.ends_with(&format!(".{end}"));
    let annotation =
        new.pointer("/metadata/annotations").and_then(|all| all.get(ANNOTATION)).and_then(Value::as_str);
    if !(ours("k8s.io") || ours("kubernetes.io")) || old.is_some() {
        return;
    }
    let field = path::key("metadata.annotations", ANNOTATION);
    match annotation {
        None | Some("") => {
            let detail = format!(
                "protected groups must have approval annotation {}, see https://github.com/kubernetes/enhancements/pull/1111",
                quote(ANNOTATION)
            );
            errors.push(FieldError::required(field, detail));
        }
        Some(text) if text.starts_with("unapproved") || text.contains("://") => {}
        Some(text) => {
            let detail = format!(
                "protected groups must have approval annotation {} with either a URL or a reason starting with \
                 \"unapproved\", see https://github.com/kubernetes/enhancements/pull/1111",
                quote(ANNOTATION)
            );
            errors.push(FieldError::invalid(field, text, detail));
        }
    }
}
