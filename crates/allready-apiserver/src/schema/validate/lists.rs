//! Lists of type set and map: no item twice.

use std::{collections::HashMap, fmt::Write as _};

use serde_json::{Map, Value};

use crate::{
    schema::{List, Schema, Shape, prune::DEEPEST_OBJECT},
    status::FieldError,
};

use super::path;

/// So many items are sooner compared with each other than written down.
const FEW: usize = 16;

/// What is there twice, anywhere in an object.
pub(super) fn check(schema: &Schema, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    node(schema, object, &mut String::new(), 0, &mut errors);
    errors
}

fn node(schema: &Schema, value: &Value, at: &mut String, depth: usize, errors: &mut Vec<FieldError>) {
    if depth > DEEPEST_OBJECT {
        return;
    }
    let length = at.len();
    match (value, &schema.shape) {
        (Value::Object(fields), Shape::Object(object)) => {
            for (name, value) in fields {
                if let Some(inner) = &object.additional {
                    at.extend(["[", name, "]"]);
                    node(inner, value, at, depth + 1, errors);
                    at.truncate(length);
                }
                if let Some(inner) = object.properties.get(name) {
                    at.extend([if length == 0 { "" } else { "." }, name]);
                    node(inner, value, at, depth + 1, errors);
                    at.truncate(length);
                }
            }
        }
        (Value::Array(items), Shape::Array(array)) => {
            match &array.list {
                List::Atomic => {}
                List::Set => {
                    let twice = repeated(items.iter().map(ToString::to_string));
                    errors.extend(twice.into_iter().filter_map(|index| {
                        Some(FieldError::duplicate(path::index(at, index), items.get(index)?.clone()))
                    }));
                }
                List::Map(keys) => map(keys, items, at, errors),
            }
            // Texts and numbers have no lists inside.
            if matches!(array.items.shape, Shape::Object(_) | Shape::Array(_)) {
                for (index, item) in items.iter().enumerate() {
                    let _ = write!(at, "[{index}]");
                    node(&array.items, item, at, depth + 1, errors);
                    at.truncate(length);
                }
            }
        }
        _ => {}
    }
}

fn map(keys: &[String], items: &[Value], at: &str, errors: &mut Vec<FieldError>) {
    if let Some((index, item)) =
        items.iter().enumerate().find(|(_, item)| !item.is_object() && !item.is_null())
    {
        let detail = "must be an object for an array of list-type map";
        errors.push(FieldError::invalid(path::index(at, index), item.clone(), detail));
        return;
    }
    let same = |one: &Value, other: &Value| keys.iter().all(|key| one.get(key) == other.get(key));
    if items.len() <= FEW {
        let mut rest = items;
        while let Some((first, others)) = rest.split_first() {
            if others.iter().any(|other| same(first, other)) {
                break;
            }
            rest = others;
        }
        if rest.is_empty() {
            return;
        }
    }
    let identities: Vec<Value> = items
        .iter()
        .map(|item| {
            let fields = keys.iter().filter_map(|key| Some((key.clone(), item.get(key)?.clone())));
            Value::Object(fields.collect::<Map<_, _>>())
        })
        .collect();
    for index in repeated(identities.iter().map(ToString::to_string)) {
        if let Some(identity) = identities.get(index) {
            errors.push(FieldError::duplicate(path::index(at, index), identity.clone()));
        }
    }
}

/// The index of the second of every value that comes more than once.
fn repeated(values: impl Iterator<Item = String>) -> Vec<usize> {
    let mut times: HashMap<String, usize> = HashMap::new();
    let mut out = Vec::new();
    for (index, value) in values.enumerate() {
        let times = times.entry(value).or_default();
        *times += 1;
        if *times == 2 {
            out.push(index);
        }
    }
    out
}
