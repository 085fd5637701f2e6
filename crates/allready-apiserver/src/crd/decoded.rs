//! A schema as it comes out of the type that the real server decodes it into: what the type does not know is gone, and so is
//! what is as good as absent.

use serde_json::{Map, Value};

use crate::schema::DEEPEST;

/// Every word of a schema, and what of it is kept when it says nothing.
const WORDS: [(&str, Empty); 44] = [
    ("$ref", Empty::Kept),
    ("$schema", Empty::Dropped),
    ("additionalItems", Empty::Kept),
    ("additionalProperties", Empty::Kept),
    ("allOf", Empty::Dropped),
    ("anyOf", Empty::Dropped),
    ("default", Empty::Kept),
    ("definitions", Empty::Dropped),
    ("dependencies", Empty::Dropped),
    ("description", Empty::Dropped),
    ("enum", Empty::Dropped),
    ("example", Empty::Kept),
    ("exclusiveMaximum", Empty::Dropped),
    ("exclusiveMinimum", Empty::Dropped),
    ("externalDocs", Empty::Kept),
    ("format", Empty::Dropped),
    ("id", Empty::Dropped),
    ("items", Empty::Kept),
    ("maxItems", Empty::Kept),
    ("maxLength", Empty::Kept),
    ("maxProperties", Empty::Kept),
    ("maximum", Empty::Kept),
    ("minItems", Empty::Kept),
    ("minLength", Empty::Kept),
    ("minProperties", Empty::Kept),
    ("minimum", Empty::Kept),
    ("multipleOf", Empty::Kept),
    ("not", Empty::Kept),
    ("nullable", Empty::Dropped),
    ("oneOf", Empty::Dropped),
    ("pattern", Empty::Dropped),
    ("patternProperties", Empty::Dropped),
    ("properties", Empty::Dropped),
    ("required", Empty::Dropped),
    ("title", Empty::Dropped),
    ("type", Empty::Dropped),
    ("uniqueItems", Empty::Dropped),
    ("x-kubernetes-embedded-resource", Empty::Dropped),
    ("x-kubernetes-int-or-string", Empty::Dropped),
    ("x-kubernetes-list-map-keys", Empty::Dropped),
    ("x-kubernetes-list-type", Empty::Kept),
    ("x-kubernetes-map-type", Empty::Kept),
    ("x-kubernetes-preserve-unknown-fields", Empty::Kept),
    ("x-kubernetes-validations", Empty::Dropped),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Empty {
    Kept,
    Dropped,
}

/// Tidies the schemas of a definition, and names the unknown words that were in them.
pub(super) fn tidy(crd: &mut Value) -> Vec<String> {
    let mut unknown = Vec::new();
    let versions = crd.pointer_mut("/spec/versions").and_then(Value::as_array_mut);
    for (index, version) in versions.into_iter().flatten().enumerate() {
        if let Some(schema) = version.pointer_mut("/schema/openAPIV3Schema") {
            let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
            node(schema, Some(&path), &mut unknown, 0);
        }
    }
    unknown
}

/// `path` is absent where the type decodes itself: what it does not know is dropped there without a word.
fn node(schema: &mut Value, path: Option<&str>, unknown: &mut Vec<String>, depth: usize) {
    let Value::Object(words) = schema else { return };
    if depth > DEEPEST {
        return;
    }
    words.retain(|word, value| match WORDS.iter().find(|(known, _)| known == word) {
        Some((_, Empty::Kept)) => !value.is_null(),
        Some((_, Empty::Dropped)) => !says_nothing(value),
        None => {
            unknown.extend(path.map(|path| format!("{path}.{word}")));
            false
        }
    });
    for (word, value) in words.iter_mut() {
        let inner = path.map(|path| format!("{path}.{word}"));
        match (word.as_str(), value) {
            ("properties" | "patternProperties" | "definitions", Value::Object(fields)) => {
                named(fields, inner.as_deref(), unknown, depth);
            }
            ("dependencies", Value::Object(fields)) => named(fields, None, unknown, depth),
            ("not", value) => node(value, inner.as_deref(), unknown, depth + 1),
            ("allOf" | "anyOf" | "oneOf", Value::Array(branches)) => {
                for (index, branch) in branches.iter_mut().enumerate() {
                    let inner = inner.as_ref().map(|inner| format!("{inner}[{index}]"));
                    node(branch, inner.as_deref(), unknown, depth + 1);
                }
            }
            ("items" | "additionalProperties" | "additionalItems", value) => {
                node(value, None, unknown, depth + 1);
            }
            _ => {}
        }
    }
}

fn named(fields: &mut Map<String, Value>, path: Option<&str>, unknown: &mut Vec<String>, depth: usize) {
    for (name, value) in fields {
        let inner = path.map(|path| format!("{path}.{name}"));
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        node(value, inner.as_deref(), unknown, depth + 1);
    }
}

fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    }
}
