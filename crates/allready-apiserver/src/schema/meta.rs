//! Metadata as its type gives it back: a custom object is plain JSON, but its metadata goes through a type whenever it is
//! read, and what the type leaves out when it is empty is gone afterwards.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// Brings metadata into the form that its type gives back. It has no unknown fields and no values of wrong types; those of
/// wrong types stay as they are.
pub(crate) fn tidy(metadata: &mut Value) {
    if metadata.is_null() {
        *metadata = Value::Object(Map::new());
    }
    let Value::Object(fields) = metadata else { return };
    fields.retain(|name, value| !is_left_out(name, value));
    for (name, value) in fields.iter_mut() {
        match (name.as_str(), value) {
            ("labels" | "annotations", Value::Object(texts)) => texts.values_mut().for_each(text),
            ("finalizers", Value::Array(texts)) => texts.iter_mut().for_each(text),
            ("creationTimestamp" | "deletionTimestamp", value) => time(value),
            ("ownerReferences", Value::Array(owners)) => owners.iter_mut().for_each(owner),
            ("managedFields", Value::Array(entries)) => entries.iter_mut().for_each(entry),
            _ => {}
        }
    }
}

/// Whether [`tidy`] has nothing to do.
pub(crate) fn is_tidy(metadata: &Value) -> bool {
    let Value::Object(fields) = metadata else { return false };
    fields.iter().all(|(name, value)| {
        !is_left_out(name, value)
            && match (name.as_str(), value) {
                ("labels" | "annotations", Value::Object(texts)) => {
                    texts.values().all(|text| !text.is_null())
                }
                ("finalizers", Value::Array(texts)) => texts.iter().all(|text| !text.is_null()),
                ("creationTimestamp" | "deletionTimestamp", Value::String(text)) => is_plain_time(text),
                ("managedFields", Value::Array(entries)) => entries.iter().all(is_tidy_entry),
                ("ownerReferences", Value::Array(owners)) => owners.iter().all(|known| {
                    let mut tidied = known.clone();
                    owner(&mut tidied);
                    tidied == *known
                }),
                _ => true,
            }
    })
}

/// Whether [`entry`] has nothing to do.
fn is_tidy_entry(entry: &Value) -> bool {
    let Value::Object(fields) = entry else { return !entry.is_null() };
    fields.iter().all(|(name, value)| match value {
        Value::Null => false,
        Value::String(text) if name == "time" => is_plain_time(text),
        Value::String(text) => name == "fieldsV1" || !text.is_empty(),
        _ => true,
    })
}

fn is_left_out(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Number(number) => name == "generation" && number.as_i64() == Some(0),
        Value::Bool(_) => false,
    }
}

fn text(value: &mut Value) {
    if value.is_null() {
        *value = "".into();
    }
}

/// Times are kept to the second, in UTC.
fn time(value: &mut Value) {
    let Some(text) = value.as_str().filter(|text| !is_plain_time(text)) else { return };
    let Ok(time) = text.parse::<Timestamp>() else { return };
    // Before 1970 the fraction of a second counts backwards.
    let whole = time.as_second().saturating_sub(i64::from(time.subsec_nanosecond() < 0));
    if let Ok(seconds) = Timestamp::from_second(whole) {
        *value = seconds.to_string().into();
    }
}

fn is_plain_time(text: &str) -> bool {
    text.len() == 20 && text.ends_with('Z')
}

fn owner(owner: &mut Value) {
    text_fields(owner, &["apiVersion", "kind", "name", "uid"]);
}

/// These fields are written even when they are empty; others are not written as `null`.
fn text_fields(value: &mut Value, names: &[&str]) {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    let Value::Object(fields) = value else { return };
    fields.retain(|_, value| !value.is_null());
    for name in names {
        if !fields.contains_key(*name) {
            fields.insert((*name).to_owned(), "".into());
        }
    }
}

fn entry(entry: &mut Value) {
    text_fields(entry, &[]);
    let Value::Object(fields) = entry else { return };
    fields.retain(|name, value| name == "fieldsV1" || value.as_str() != Some(""));
    if let Some(value) = fields.get_mut("time") {
        time(value);
    }
}
