//! Config maps and secrets: their keys, their sizes, and what a type of secret must hold.
//!
//! Follows `ValidateConfigMap` and `ValidateSecret` of `pkg/apis/core/validation/validation.go` of Kubernetes.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{Errors, spot::Spot, words::data_key};
use crate::{
    builtin::path::{at, flag_at, text_at},
    status::FieldError,
};

const LARGEST: usize = 1 << 20;

pub(super) fn config_map(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if let Some(old) = old {
        frozen(new, old, &["data", "binaryData"], errors);
    }
    let root = Spot::root(new);
    let mut size = 0;
    for field in ["data", "binaryData"] {
        for (key, value) in root.child(field).entries() {
            keys(&value, key, errors);
            if field == "data" && root.child("binaryData").value.get(key).is_some() {
                let why = "duplicate of key present in binaryData";
                errors.push(FieldError::invalid(value.place.as_str(), key.as_str(), why));
            }
            size += if field == "data" { value.text().len() } else { decoded(&value).len() };
        }
    }
    if size > LARGEST {
        errors.push(FieldError::too_long("", LARGEST as u64));
    }
}

pub(super) fn secret(new: &Value, old: Option<&Value>, errors: &mut Errors) {
    if let Some(old) = old {
        if at(new, &["type"]) != at(old, &["type"]) {
            errors.push(FieldError::invalid("type", text_at(new, &["type"]), "field is immutable"));
        }
        frozen(new, old, &["data"], errors);
    }
    let data = Spot::root(new).child("data");
    let mut size = 0;
    for (key, value) in data.entries() {
        keys(&value, key, errors);
        size += decoded(&value).len();
    }
    if size > LARGEST {
        errors.push(FieldError::too_long("data", LARGEST as u64));
    }
    let entry = |key: &str| Spot::new(data.value.get(key), format!("data[{key}]"));
    let missing = |keys: &[&str], errors: &mut Errors| {
        for entry in keys.iter().map(|key| entry(key)).filter(|entry| !entry.exists()) {
            entry.required("", errors);
        }
    };
    match text_at(new, &["type"]) {
        "kubernetes.io/service-account-token" => {
            let name = "kubernetes.io/service-account.name";
            if text_at(new, &["metadata", "annotations", name]).is_empty() {
                errors.push(FieldError::required(format!("metadata.annotations[{name}]"), ""));
            }
        }
        "kubernetes.io/dockercfg" => registry(&entry(".dockercfg"), errors),
        "kubernetes.io/dockerconfigjson" => registry(&entry(".dockerconfigjson"), errors),
        "kubernetes.io/basic-auth" if !entry("username").exists() && !entry("password").exists() => {
            missing(&["username", "password"], errors);
        }
        "kubernetes.io/ssh-auth" => entry("ssh-privatekey").filled(errors),
        "kubernetes.io/tls" => missing(&["tls.crt", "tls.key"], errors),
        _ => {}
    }
}

fn keys(value: &Spot<'_>, key: &str, errors: &mut Errors) {
    for problem in data_key(key) {
        errors.push(FieldError::invalid(value.place.as_str(), key, problem));
    }
}

fn decoded(value: &Spot<'_>) -> Vec<u8> {
    STANDARD.decode(value.text()).unwrap_or_default()
}

/// The credentials of registries are JSON.
fn registry(entry: &Spot<'_>, errors: &mut Errors) {
    if !entry.exists() {
        entry.required("", errors);
        return;
    }
    let bytes = decoded(entry);
    if serde_json::from_slice::<Map<String, Value>>(&bytes).is_ok() || bytes == b"null" {
        return;
    }
    let why = match crate::json::parse(&bytes) {
        Err(why) => why,
        Ok(parsed) => {
            let found = crate::json::go_type(&parsed.value);
            format!("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}")
        }
    };
    errors.push(FieldError::invalid(entry.place.as_str(), "<secret contents redacted>", why));
}

/// What says `immutable` keeps its data, and stays immutable.
fn frozen(new: &Value, old: &Value, fields: &[&str], errors: &mut Errors) {
    if !flag_at(old, &["immutable"]) {
        return;
    }
    let why = "field is immutable when `immutable` is set";
    if !flag_at(new, &["immutable"]) {
        errors.push(FieldError::forbidden("immutable", why));
    }
    for field in fields.iter().filter(|field| at(new, &[field]) != at(old, &[field])) {
        errors.push(FieldError::forbidden(*field, why));
    }
}
