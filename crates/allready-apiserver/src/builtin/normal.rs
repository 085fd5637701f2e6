//! What an object looks like after it went through its Go type: unknown fields and nulls are gone, fields that are always
//! written are there, empty ones that are not always written are gone, times and amounts are in their canonical form.

use serde_json::{Map, Value, json};

use super::{
    quantity::Quantity,
    time,
    types::{self, Field, Kind, Presence},
};

/// Brings an object into the form its Go type gives it. What cannot be decoded stays as it is.
pub(crate) fn normalise(name: &str, object: &mut Value) {
    if !object.is_object() {
        *object = json!({});
    }
    if let Some(map) = object.as_object_mut() {
        fields(name, map);
    }
}

fn fields(name: &str, object: &mut Map<String, Value>) {
    let known = types::fields(name);
    object.retain(|key, _| known.contains_key(key));
    for (key, field) in known {
        let written = match object.remove(key) {
            None | Some(Value::Null) => absent(field),
            Some(value) => present(field, value),
        };
        if let Some(value) = written {
            object.insert(key.clone(), value);
        }
    }
}

fn absent(field: &Field) -> Option<Value> {
    let always = field.presence == Presence::Always;
    if field.pointer {
        return always.then_some(Value::Null);
    }
    match &field.kind {
        Kind::Struct(name) => {
            let mut object = json!({});
            normalise(name, &mut object);
            Some(object)
        }
        Kind::Time | Kind::MicroTime => (field.presence != Presence::Nonzero).then_some(Value::Null),
        // A struct in Go, so never empty.
        Kind::IntOrString => Some(json!(0)),
        Kind::Quantity => Some(json!("0")),
        kind => always.then(|| zero(kind)),
    }
}

fn present(field: &Field, value: Value) -> Option<Value> {
    let value = canonical(&field.kind, value, false);
    if field.pointer {
        return Some(value);
    }
    let empty = match &value {
        Value::String(text) => text.is_empty() && !matches!(field.kind, Kind::IntOrString),
        Value::Number(number) => number.as_i64() == Some(0) && !matches!(field.kind, Kind::IntOrString),
        Value::Bool(flag) => !flag,
        Value::Array(items) => items.is_empty() && !matches!(field.kind, Kind::Raw),
        Value::Object(entries) => entries.is_empty() && !matches!(field.kind, Kind::Struct(_) | Kind::Raw),
        Value::Null => false,
    };
    if !empty {
        return Some(value);
    }
    (field.presence == Presence::Always).then(|| zero(&field.kind))
}

/// What Go writes for a value that was never set.
fn zero(kind: &Kind) -> Value {
    match kind {
        Kind::Text(_) => json!(""),
        Kind::Integer(_) | Kind::IntOrString => json!(0),
        Kind::Bool => json!(false),
        Kind::Quantity => json!("0"),
        Kind::Struct(name) => {
            let mut object = json!({});
            normalise(name, &mut object);
            object
        }
        _ => Value::Null,
    }
}

fn canonical(kind: &Kind, value: Value, in_map: bool) -> Value {
    match (kind, value) {
        (Kind::Struct(name), mut value) => {
            normalise(name, &mut value);
            value
        }
        // An empty list of bytes, once it was stored.
        (Kind::Bytes, Value::Null) => json!(""),
        (Kind::List(_) | Kind::Map(..) | Kind::Time | Kind::MicroTime, Value::Null) => Value::Null,
        (kind, Value::Null) => zero(kind),
        (Kind::List(item), Value::Array(items)) => {
            items.into_iter().map(|value| canonical(item, value, false)).collect()
        }
        (Kind::Map(_, item), Value::Object(entries)) => {
            entries.into_iter().map(|(key, value)| (key, canonical(item, value, true))).collect()
        }
        (Kind::Quantity, value) => {
            let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
            match Quantity::parse(&text) {
                Ok(amount) if in_map => amount.to_millis().to_string().into(),
                Ok(amount) => amount.to_string().into(),
                Err(_) => value,
            }
        }
        (Kind::Time | Kind::MicroTime, Value::String(text)) => {
            let micros = matches!(kind, Kind::MicroTime);
            match time::parse(&text, micros) {
                Ok(at) => time::format(at, micros).into(),
                Err(_) => text.into(),
            }
        }
        (_, value) => value,
    }
}
