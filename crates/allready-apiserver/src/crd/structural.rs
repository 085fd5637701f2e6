//! What makes a schema structural: every field has a type outside of `allOf` and its kin, and those only restrict it.
//!
//! Follows `pkg/apiserver/schema` of `k8s.io/apiextensions-apiserver` (`validation.go`).

use serde_json::{Map, Value, json};

use super::raw::{self, flag, items_of, list, object, text};
use crate::{
    schema::{
        DEEPEST,
        validate::{path, pattern},
    },
    status::FieldError,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// Whether the schema has parts that cannot be read as a structural schema at all; these are refused elsewhere.
pub(super) fn is_unreadable(node: &Map<String, Value>, depth: usize) -> bool {
    let words = ["id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"];
    if depth > DEEPEST || words.iter().any(|word| raw::is_set(node, word)) {
        return true;
    }
    if node.get("items").is_some_and(Value::is_array) || text(node, "type") == "null" {
        return true;
    }
    inner(node).any(|inner| is_unreadable(inner, depth + 1))
}

/// Every schema directly below.
fn inner(node: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let single = ["items", "not", "additionalProperties"].into_iter().filter_map(|word| object(node, word));
    let several = ["allOf", "anyOf", "oneOf"].into_iter().flat_map(|word| list(node, word));
    let properties = object(node, "properties").into_iter().flat_map(Map::values);
    single.chain(several.chain(properties).filter_map(Value::as_object))
}

/// Why a schema is not structural, sorted by text as the real server sorts them.
pub(super) fn check(node: &Map<String, Value>, at: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    invariants(node, Level::Root, at, &mut errors);
    completeness(node, Some(node), at, at, &mut errors);
    errors.sort_by_key(ToString::to_string);
    errors
}

fn invariants(node: &Map<String, Value>, level: Level, at: &str, errors: &mut Vec<FieldError>) {
    let child = |name: &str| path::child(at, name);
    let kind = text(node, "type");
    if kind == "array" && items_of(node).is_none() {
        errors.push(FieldError::required(child("items"), "must be specified"));
    }
    if let Some(items) = items_of(node) {
        invariants(items, Level::Item, &child("items"), errors);
    }
    let properties = object(node, "properties");
    for (name, inner) in properties.into_iter().flatten() {
        if let Value::Object(inner) = inner {
            invariants(inner, Level::Field, &path::key(&child("properties"), name), errors);
        }
    }
    let embedded = flag(node, "x-kubernetes-embedded-resource");
    let preserve = flag(node, "x-kubernetes-preserve-unknown-fields");
    let int_or_string = flag(node, "x-kubernetes-int-or-string");
    if let Some(additional) = raw::given(node, "additionalProperties") {
        if level == Level::Root {
            errors.push(FieldError::forbidden(child("additionalProperties"), "must not be used at the root"));
        }
        if embedded {
            let detail = "must not be used if x-kubernetes-embedded-resource is set";
            errors.push(FieldError::forbidden(child("additionalProperties"), detail));
        }
        if let Value::Object(inner) = additional {
            invariants(inner, Level::Field, &child("additionalProperties"), errors);
        }
    }
    if int_or_string {
        for (set, word) in [(preserve, "preserve-unknown-fields"), (embedded, "embedded-resource")] {
            if set {
                let detail = "must be false if x-kubernetes-int-or-string is true";
                errors.push(FieldError::invalid(child(&format!("x-kubernetes-{word}")), true, detail));
            }
        }
    }
    let first_all_of = list(node, "allOf").first().and_then(Value::as_object);
    let skip =
        Skip { any_of: is_int_or_string(node), first_all_of: first_all_of.is_some_and(is_int_or_string) };
    value_validation(node, skip, at, errors);
    types(node, level, at, errors);
    metadata(node, level, at, errors);
    let empty = properties.is_none_or(Map::is_empty);
    if embedded && !preserve && empty {
        let detail = "must not be empty if x-kubernetes-embedded-resource is true without \
                      x-kubernetes-preserve-unknown-fields";
        errors.push(FieldError::required(child("properties"), detail));
    }
}

fn types(node: &Map<String, Value>, level: Level, at: &str, errors: &mut Vec<FieldError>) {
    let kind = text(node, "type");
    let field = path::child(at, "type");
    let untyped =
        flag(node, "x-kubernetes-int-or-string") || flag(node, "x-kubernetes-preserve-unknown-fields");
    if flag(node, "x-kubernetes-embedded-resource") && kind != "object" {
        let detail = "must be object if x-kubernetes-embedded-resource is true";
        errors.push(match kind {
            "" => FieldError::required(field.as_str(), detail),
            kind => FieldError::invalid(field.as_str(), kind, detail),
        });
    } else if kind.is_empty() && !untyped {
        let detail = match level {
            Level::Root => "must not be empty at the root",
            Level::Item => "must not be empty for specified array items",
            Level::Field => "must not be empty for specified object fields",
        };
        errors.push(FieldError::required(field.as_str(), detail));
    }
    if level == Level::Root && !kind.is_empty() && kind != "object" {
        errors.push(FieldError::invalid(field, kind, "must be object at the root"));
    }
}

fn metadata(node: &Map<String, Value>, level: Level, at: &str, errors: &mut Vec<FieldError>) {
    let checked = level == Level::Root || flag(node, "x-kubernetes-embedded-resource");
    let property = |name: &str| object(node, "properties").and_then(|properties| object(properties, name));
    let field = |name: &str| path::key(&path::child(at, "properties"), name);
    for name in ["kind", "apiVersion"] {
        if let Some(kind) =
            property(name).map(|inner| text(inner, "type")).filter(|kind| *kind != "string" && checked)
        {
            errors.push(FieldError::invalid(format!("{}.type", field(name)), kind, "must be string"));
        }
    }
    let Some(metadata) = property("metadata") else { return };
    let kind = text(metadata, "type");
    if checked && kind != "object" {
        errors.push(FieldError::invalid(format!("{}.type", field("metadata")), kind, "must be object"));
    }
    let names_only = object(metadata, "properties").is_none_or(|properties| {
        properties.keys().all(|name| matches!(name.as_str(), "name" | "generateName"))
    });
    let nothing_else = metadata.keys().all(|word| matches!(word.as_str(), "type" | "properties" | "default"));
    if level == Level::Root && !(names_only && nothing_else) {
        let detail = "must not specify anything other than name and generateName, but metadata is implicitly specified";
        errors.push(FieldError::forbidden(field("metadata"), detail));
    }
}

/// The two shapes in which types inside `anyOf` are allowed.
#[derive(Clone, Copy, Default)]
struct Skip {
    any_of: bool,
    first_all_of: bool,
}

fn is_int_or_string(node: &Map<String, Value>) -> bool {
    node.get("anyOf").is_some_and(|any_of| *any_of == json!([{"type": "integer"}, {"type": "string"}]))
}

fn value_validation(node: &Map<String, Value>, skip: Skip, at: &str, errors: &mut Vec<FieldError>) {
    for word in ["anyOf", "allOf", "oneOf"] {
        for (index, inner) in list(node, word).iter().enumerate() {
            let Value::Object(inner) = inner else { continue };
            if word == "anyOf" && skip.any_of {
                continue;
            }
            let any_of = word == "allOf" && skip.first_all_of && index == 0;
            let skip = Skip { any_of, first_all_of: false };
            nested(inner, skip, &path::index(&path::child(at, word), index), errors);
        }
    }
    if let Some(inner) = object(node, "not") {
        nested(inner, Skip::default(), &path::child(at, "not"), errors);
    }
    let pattern = text(node, "pattern");
    if let Err(error) = pattern::compile(pattern) {
        let detail =
            format!("must be a valid regular expression, but isn't: {}", pattern_problem(pattern, &error));
        errors.push(FieldError::invalid(path::child(at, "pattern"), pattern, detail));
    }
}

/// The two mistakes that are made most, in Go's words; others in those of the `regex` crate.
fn pattern_problem(pattern: &str, error: &regex::Error) -> String {
    let perl = ["(?=", "(?!", "(?<=", "(?<!"].into_iter().find(|word| pattern.contains(word));
    if let Some(word) = perl {
        let shown = if word.len() > 3 { word.get(..3).unwrap_or(word) } else { word };
        return format!("error parsing regexp: invalid or unsupported Perl syntax: `{shown}`");
    }
    let text = error.to_string();
    if text.contains("unclosed character class") {
        let from = pattern.rfind('[').and_then(|at| pattern.get(at..)).unwrap_or(pattern);
        return format!("error parsing regexp: missing closing ]: `{from}`");
    }
    if text.contains("unclosed group") {
        return format!("error parsing regexp: missing closing ): `{pattern}`");
    }
    let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
    format!("error parsing regexp: {last}: `{pattern}`")
}

fn nested(node: &Map<String, Value>, skip: Skip, at: &str, errors: &mut Vec<FieldError>) {
    value_validation(node, skip, at, errors);
    if let Some(items) = items_of(node) {
        nested(items, Skip::default(), &path::child(at, "items"), errors);
    }
    for (name, inner) in object(node, "properties").into_iter().flatten() {
        if let Value::Object(inner) = inner {
            nested(inner, Skip::default(), &path::key(&path::child(at, "properties"), name), errors);
        }
    }
    let forbidden = [
        ("type", "must be empty to be structural"),
        ("additionalProperties", "must be undefined to be structural"),
        ("default", "must be undefined to be structural"),
        ("title", "must be empty to be structural"),
        ("description", "must be empty to be structural"),
        ("nullable", "must be false to be structural"),
        ("x-kubernetes-preserve-unknown-fields", "must be false to be structural"),
        ("x-kubernetes-embedded-resource", "must be false to be structural"),
        ("x-kubernetes-int-or-string", "must be false to be structural"),
        ("x-kubernetes-list-map-keys", "must be empty to be structural"),
        ("x-kubernetes-list-type", "must be undefined to be structural"),
        ("x-kubernetes-map-type", "must be undefined to be structural"),
        ("x-kubernetes-validations", "must be empty to be structural"),
    ];
    for (word, detail) in forbidden {
        if raw::is_set(node, word) && node.get(word) != Some(&Value::Bool(false)) {
            errors.push(FieldError::forbidden(path::child(at, word), detail));
        }
    }
    if object(node, "properties").is_some_and(|properties| properties.contains_key("metadata")) {
        let field = path::key(&path::child(at, "properties"), "metadata");
        errors.push(FieldError::forbidden(field, "must not be specified in a nested context"));
    }
}

/// What `allOf` and its kin speak of must be there outside of them.
fn completeness(
    value: &Map<String, Value>,
    shape: Option<&Map<String, Value>>,
    shape_at: &str,
    value_at: &str,
    errors: &mut Vec<FieldError>,
) {
    let Some(shape) = shape else {
        errors.push(FieldError::required(shape_at, format!("because it is defined in {value_at}")));
        return;
    };
    if let Some(not) = object(value, "not") {
        nested_completeness(not, shape, shape_at, &path::child(value_at, "not"), errors);
    }
    for word in ["allOf", "anyOf", "oneOf"] {
        for (index, inner) in list(value, word).iter().enumerate() {
            if let Value::Object(inner) = inner {
                let at = path::index(&path::child(value_at, word), index);
                nested_completeness(inner, shape, shape_at, &at, errors);
            }
        }
    }
}

fn nested_completeness(
    value: &Map<String, Value>,
    shape: &Map<String, Value>,
    shape_at: &str,
    value_at: &str,
    errors: &mut Vec<FieldError>,
) {
    completeness(value, Some(shape), shape_at, value_at, errors);
    if let Some(items) = items_of(value) {
        let (shape_at, value_at) = (path::child(shape_at, "items"), path::child(value_at, "items"));
        match items_of(shape) {
            Some(shape) => nested_completeness(items, shape, &shape_at, &value_at, errors),
            None => {
                errors.push(FieldError::required(shape_at, format!("because it is defined in {value_at}")));
            }
        }
    }
    for (name, inner) in object(value, "properties").into_iter().flatten() {
        let Value::Object(inner) = inner else { continue };
        let shape_at = path::key(&path::child(shape_at, "properties"), name);
        let value_at = path::key(&path::child(value_at, "properties"), name);
        match object(shape, "properties").and_then(|properties| object(properties, name)) {
            Some(shape) => nested_completeness(inner, shape, &shape_at, &value_at, errors),
            None => {
                errors.push(FieldError::required(shape_at, format!("because it is defined in {value_at}")));
            }
        }
    }
}
