//! Whether coercion and defaulting have anything left to do: a look, where doing both to a copy would cost a copy.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::{
    Schema, Shape,
    defaults::given,
    meta,
    prune::{DEEPEST_OBJECT, object_meta},
};

/// Whether [`super::coerce`] and then [`super::default_keeping_nulls`] would leave a custom object as it is. A `false` may be
/// wrong; it costs the caller no more than doing both.
pub(crate) fn is_settled(schema: &Schema, object: &Value) -> bool {
    let Value::Object(fields) = object else { return false };
    let Some(metadata) = fields.get("metadata").filter(|metadata| meta::is_tidy(metadata)) else {
        return false;
    };
    let common = object_meta();
    // What an author wrote about metadata fills it in as well.
    let own = schema.property("metadata").filter(|own| !std::ptr::eq(*own, Arc::as_ptr(&common)));
    own.is_none_or(|own| node(own, metadata, true, 1))
        && node(&common, metadata, false, 1)
        && object_is_settled(schema, fields, schema.preserve_unknown, 0)
}

/// `keep` is whether what is unknown here stays; it reaches through lists, not through known fields.
fn node(schema: &Schema, value: &Value, keep: bool, depth: usize) -> bool {
    if depth > DEEPEST_OBJECT || schema.embedded {
        return false;
    }
    let keep = keep || schema.preserve_unknown;
    match (value, schema.items()) {
        (Value::Object(fields), _) => object_is_settled(schema, fields, keep, depth),
        (Value::Array(items), Some(inner)) => items.iter().all(|item| {
            let filled = !item.is_null() || inner.nullable || given(inner).is_none();
            filled && node(inner, item, keep, depth + 1)
        }),
        (Value::Array(items), None) => {
            keep || items.iter().all(|item| !matches!(item, Value::Object(_) | Value::Array(_)))
        }
        _ => true,
    }
}

fn object_is_settled(schema: &Schema, fields: &Map<String, Value>, keep: bool, depth: usize) -> bool {
    if let Shape::Object(object) = &schema.shape {
        let filled = |(name, inner): (&String, &Arc<Schema>)| {
            given(inner).is_none() || fields.get(name).is_some_and(|value| inner.nullable || !value.is_null())
        };
        if !object.properties.iter().all(filled) {
            return false;
        }
    }
    fields.iter().all(|(name, value)| match schema.field(name) {
        Some(_) if depth == 0 && name == "metadata" => true,
        Some(inner) => (!value.is_null() || inner.nullable) && node(inner, value, false, depth + 1),
        None => keep || (depth == 0 && matches!(name.as_str(), "apiVersion" | "kind" | "metadata")),
    })
}
