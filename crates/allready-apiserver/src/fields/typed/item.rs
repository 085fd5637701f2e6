//! How an item of a list is told from the others.

use std::borrow::Cow;

use serde_json::Value;

use super::{ListType, MAP, Type};
use crate::{
    fields::path::PathElement,
    schema::{List, Schema},
};

/// The step to an item of a set or of a list with keys, or the sentence that says why it has none.
pub(crate) fn element<'a>(list: ListType<'a>, item: &'a Value) -> Result<PathElement<'a>, String> {
    match list.list {
        List::Atomic => Err("invalid indexing of non-associative list".into()),
        List::Set => set_element(item),
        List::Map(keys) => key_element(keys, list.items, item),
    }
}

fn set_element(item: &Value) -> Result<PathElement<'_>, String> {
    match item {
        Value::Object(_) => Err("associative list without keys has an element that's a map type".into()),
        Value::Array(_) => Err("not supported: associative list with lists as elements".into()),
        Value::Null => Err("associative list without keys has an element that's an explicit null".into()),
        scalar => Ok(PathElement::Value(Cow::Borrowed(scalar))),
    }
}

fn key_element<'a>(keys: &'a [String], items: Type<'a>, item: &'a Value) -> Result<PathElement<'a>, String> {
    let map = match item {
        Value::Object(map) => map,
        Value::Null => return Err("associative list with keys may not have a null element".into()),
        _ => return Err("associative list with keys may not have non-map elements".into()),
    };
    let mut fields: Vec<(Cow<'a, str>, Cow<'a, Value>)> = Vec::with_capacity(keys.len());
    for key in keys {
        let value = match map.get(key) {
            Some(value) => Some(value),
            None => default(items, key)?,
        };
        // A key that is absent and has no default is no part of the item's identity.
        fields.extend(value.map(|value| (Cow::Borrowed(key.as_str()), Cow::Borrowed(value))));
    }
    if fields.is_empty() && !keys.is_empty() {
        let quoted: Vec<_> = keys.iter().map(|key| format!("{key:?}")).collect();
        return Err(format!(
            "associative list with keys has an element that omits all key fields [{}] (and doesn't have default \
             values for any key fields)",
            quoted.join(" ")
        ));
    }
    if fields.len() > 1 {
        fields.sort_by(|left, right| left.0.cmp(&right.0));
    }
    Ok(PathElement::Key(fields))
}

fn default<'a>(items: Type<'a>, key: &str) -> Result<Option<&'a Value>, String> {
    if items.forms() & MAP == 0 {
        return Err(format!(
            "couldn't find default value for {key}: associative list may not have non-map types"
        ));
    }
    match items.map().field(key) {
        (Type::Schema { schema: Schema { default, .. }, .. }, true) => Ok(default.as_ref()),
        _ => Ok(None),
    }
}
