//! Defaults in a schema must be values that the schema allows.

use serde_json::Value;

use crate::{
    schema::{DEEPEST, Schema, Shape, Validator, prune, validate::path},
    status::FieldError,
};

/// Which defaults are none.
pub(super) fn check(schema: &Schema, at: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    node(schema, at, false, true, 0, &mut errors);
    errors
}

fn node(schema: &Schema, at: &str, meta: bool, root: bool, depth: usize, errors: &mut Vec<FieldError>) {
    if depth > DEEPEST {
        return;
    }
    if let Some(default) = schema.default.as_ref().filter(|default| !default.is_null()) {
        value(schema, default, &path::child(at, "default"), meta, errors);
    }
    match &schema.shape {
        Shape::Array(array) => node(&array.items, &path::child(at, "items"), meta, false, depth + 1, errors),
        Shape::Object(object) => {
            for (name, inner) in &object.properties {
                let own =
                    (root || schema.embedded) && matches!(name.as_str(), "metadata" | "apiVersion" | "kind");
                let at = path::key(&path::child(at, "properties"), name);
                node(inner, &at, meta || own, false, depth + 1, errors);
            }
        }
        _ => {}
    }
}

fn value(schema: &Schema, default: &Value, at: &str, meta: bool, errors: &mut Vec<FieldError>) {
    if !meta {
        // Pruned as the value of a field, so that nothing at its root is spared as metadata is.
        let holder = holder(schema);
        let mut pruned = serde_json::json!({"default": default});
        prune(&holder, &mut pruned);
        if pruned.get("default") != Some(default) {
            errors.push(FieldError::invalid(at, default.clone(), "must not have unknown fields"));
        }
    }
    let validator = Validator::new(std::sync::Arc::new(schema.clone()));
    errors.extend(validator.validate_below(at, default));
}

fn holder(schema: &Schema) -> Schema {
    let mut object = crate::schema::Object::default();
    object.properties.insert("default".into(), std::sync::Arc::new(schema.clone()));
    Schema { shape: Shape::Object(object), ..Schema::default() }
}
