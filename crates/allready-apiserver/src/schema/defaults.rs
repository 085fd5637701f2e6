//! Defaulting: what was not given is filled in.
//!
//! Follows `pkg/apiserver/schema/defaulting` of `k8s.io/apiextensions-apiserver`.

use serde_json::Value;

use super::{Schema, Shape, prune::DEEPEST_OBJECT};

/// Fills in the defaults of a schema: fields that are absent, and `null` where the schema does not allow it, get their
/// default; `null` where neither is possible is dropped. Nothing is made for the sake of a default below it.
pub(crate) fn default(schema: &Schema, object: &mut Value) {
    drop_nulls(schema, object);
    fill(schema, object, 0);
}

/// Drops `null` where the schema neither allows it nor has something to put in its place.
pub(crate) fn drop_nulls(schema: &Schema, object: &mut Value) {
    drop_nulls_below(schema, object, 0);
}

/// As [`default`], but `null` stays where nothing can take its place: an apply may have put it there, and is told so.
pub(crate) fn default_keeping_nulls(schema: &Schema, object: &mut Value) {
    fill(schema, object, 0);
}

/// `default: null` is no default.
pub(super) fn given(schema: &Schema) -> Option<&Value> {
    schema.default.as_ref().filter(|value| !value.is_null())
}

fn drop_nulls_below(schema: &Schema, value: &mut Value, depth: usize) {
    if depth > DEEPEST_OBJECT {
        return;
    }
    match value {
        Value::Object(fields) => {
            fields.retain(|name, value| match schema.field(name) {
                Some(inner) => !value.is_null() || inner.nullable || given(inner).is_some(),
                None => true,
            });
            for (name, value) in fields.iter_mut() {
                if let Some(inner) = schema.field(name) {
                    drop_nulls_below(inner, value, depth + 1);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.items() {
                for item in items {
                    drop_nulls_below(inner, item, depth + 1);
                }
            }
        }
        _ => {}
    }
}

fn fill(schema: &Schema, value: &mut Value, depth: usize) {
    if depth > DEEPEST_OBJECT {
        return;
    }
    match value {
        Value::Object(fields) => {
            if let Shape::Object(object) = &schema.shape {
                for (name, inner) in &object.properties {
                    if let Some(default) = given(inner)
                        && !fields.get(name).is_some_and(|value| inner.nullable || !value.is_null())
                    {
                        fields.insert(name.clone(), default.clone());
                    }
                }
            }
            for (name, value) in fields.iter_mut() {
                if let Some(inner) = schema.field(name) {
                    fill_one(inner, value, depth);
                }
            }
        }
        Value::Array(items) => {
            if let Some(inner) = schema.items() {
                for item in items {
                    fill_one(inner, item, depth);
                }
            }
        }
        _ => {}
    }
}

fn fill_one(schema: &Schema, value: &mut Value, depth: usize) {
    if value.is_null()
        && !schema.nullable
        && let Some(default) = given(schema)
    {
        *value = default.clone();
    }
    fill(schema, value, depth + 1);
}
