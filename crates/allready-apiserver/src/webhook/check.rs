//! Refusals of the `clientConfig` of a webhook, of admission and of conversion alike.
//!
//! Follows `k8s.io/apiserver/pkg/util/webhook/validation.go`.

use serde_json::Value;

use crate::{names, status::FieldError};

/// The problems with a `url` at a place.
pub(crate) fn url_problems(place: &str, url: &str) -> Vec<FieldError> {
    const FORM: &str = "desired format: https://host[/path]";
    let mut errors = Vec::new();
    let mut refuse = |value: &str, why: String| errors.push(FieldError::invalid(place, value, why));
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    if scheme != "https" {
        refuse(scheme, format!("'https' is the only allowed URL scheme; {FORM}"));
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if host.is_empty() {
        refuse(host, format!("host must be specified; {FORM}"));
    }
    if let Some((user, _)) = host.split_once('@') {
        refuse(user, "user information is not permitted in the URL".to_owned());
    }
    if let Some((_, fragment)) = rest.split_once('#') {
        refuse(fragment, "fragments are not permitted in the URL".to_owned());
    }
    if let Some((_, query)) = rest.split_once('?') {
        refuse(query, "query parameters are not permitted in the URL".to_owned());
    }
    errors
}

/// The problems with a `service` at a place.
pub(crate) fn service_problems(place: &str, service: &Value) -> Vec<FieldError> {
    let text = |field: &str| service[field].as_str().unwrap_or_default();
    let mut errors = Vec::new();
    // The real server tells each of the other.
    for (field, told) in [("namespace", "name"), ("name", "namespace")] {
        if text(field).is_empty() {
            errors.push(FieldError::required(format!("{place}.{told}"), ""));
        }
    }
    if service["port"].as_i64().is_some_and(|port| !(1..=65535).contains(&port)) {
        let why = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(format!("{place}.port"), service["port"].clone(), why));
    }
    let path = text("path");
    if matches!(path, "" | "/") {
        return errors;
    }
    let mut refuse = |why: String| errors.push(FieldError::invalid(format!("{place}.path"), path, why));
    if !path.starts_with('/') {
        refuse("must start with a '/'".to_owned());
    }
    let inner = path.get(1..).unwrap_or_default();
    for (index, step) in inner.strip_suffix('/').unwrap_or(inner).split('/').enumerate() {
        if step.is_empty() {
            refuse(format!("segment[{index}] may not be empty"));
        } else {
            for problem in names::dns_subdomain(step) {
                refuse(format!("segment[{index}]: {problem}"));
            }
        }
    }
    errors
}
