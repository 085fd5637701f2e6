//! Embedded objects: they must say what they are, and their metadata is checked as that of any object.

use serde_json::{Map, Value, json};

use super::path;
use crate::{
    meta,
    schema::{Schema, Shape, malformed::problem, meta::tidy, prune::DEEPEST_OBJECT},
    status::FieldError,
};

pub(super) fn check(schema: &Schema, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    node(schema, object, "", 0, &mut |fields, at| resource(fields, at, &mut errors));
    errors
}

/// The first embedded object that cannot even be decoded.
pub(crate) fn malformed(schema: &Schema, object: &Value) -> Option<FieldError> {
    let mut found = None;
    if !schema.has_embedded() {
        return None;
    }
    node(schema, object, "", 0, &mut |fields, at| {
        let texts = ["apiVersion", "kind"].into_iter().find_map(|name| {
            let value = fields.get(name).filter(|value| !value.is_string())?;
            Some(FieldError::invalid(path::child(at, name), value.clone(), "must be a string"))
        });
        let inner = fields.get("metadata").and_then(|value| {
            Some(FieldError::invalid(path::child(at, "metadata"), value.clone(), problem(value)?))
        });
        found = found.take().or(texts).or(inner);
    });
    found
}

/// Shows every embedded object to a visitor, with its place.
fn node(
    schema: &Schema,
    value: &Value,
    at: &str,
    depth: usize,
    visitor: &mut dyn FnMut(&Map<String, Value>, &str),
) {
    if depth > DEEPEST_OBJECT {
        return;
    }
    match (value, &schema.shape) {
        (Value::Object(fields), shape) => {
            if schema.embedded {
                visitor(fields, at);
            }
            let Shape::Object(object) = shape else { return };
            for (name, value) in fields {
                if let Some(inner) = object.properties.get(name) {
                    node(inner, value, &path::child(at, name), depth + 1, visitor);
                } else if let Some(inner) = &object.additional {
                    node(inner, value, &path::key(at, name), depth + 1, visitor);
                }
            }
        }
        (Value::Array(items), Shape::Array(array)) => {
            for (index, item) in items.iter().enumerate() {
                node(&array.items, item, &path::index(at, index), depth + 1, visitor);
            }
        }
        _ => {}
    }
}

fn resource(fields: &Map<String, Value>, at: &str, errors: &mut Vec<FieldError>) {
    let absent = ["apiVersion", "kind"].into_iter().filter(|name| !fields.contains_key(*name));
    errors.extend(absent.map(|name| FieldError::required(path::child(at, name), "")));
    for name in ["apiVersion", "kind"] {
        let Some(value) = fields.get(name) else { continue };
        let problem = match value.as_str() {
            None => Some("must be a string".to_owned()),
            Some("") => Some("must not be empty".to_owned()),
            Some(text) if name == "apiVersion" => {
                (text.matches('/').count() > 1).then(|| format!("unexpected GroupVersion string: {text}"))
            }
            Some(text) => kind_problem(text),
        };
        errors.extend(
            problem.map(|problem| FieldError::invalid(path::child(at, name), value.clone(), problem)),
        );
    }
    if let Some(value) = fields.get("metadata") {
        errors.extend(metadata(value, at));
    }
}

fn metadata(value: &Value, at: &str) -> Vec<FieldError> {
    if let Some(problem) = problem(value) {
        return vec![FieldError::invalid(path::child(at, "metadata"), value.clone(), problem)];
    }
    let mut tidied = value.clone();
    tidy(&mut tidied);
    let mut object = json!({ "metadata": tidied });
    // It need not have a name, nor a namespace.
    if meta::text(&object, "name").is_empty() {
        meta::set(&mut object, "name", Some("fakename".into()));
    }
    let namespaced = !meta::text(&object, "namespace").is_empty();
    let mut errors = meta::problems(&object, namespaced, &meta::any_name);
    for error in &mut errors {
        error.field = path::child(at, &error.field);
    }
    errors
}

fn kind_problem(kind: &str) -> Option<String> {
    let lower = kind.to_lowercase();
    let mut problems = Vec::new();
    if lower.len() > 63 {
        problems.push("must be no more than 63 bytes".to_owned());
    }
    let first = lower.starts_with(|letter: char| letter.is_ascii_lowercase());
    let last = lower.ends_with(|letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    let inner = lower.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !(first && last && inner) {
        problems.push(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, \
             and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is \
             '[a-z]([-a-z0-9]*[a-z0-9])?')"
                .to_owned(),
        );
    }
    let told = problems.join(",");
    (!told.is_empty()).then(|| format!("may have mixed case, but should otherwise match: {told}"))
}
