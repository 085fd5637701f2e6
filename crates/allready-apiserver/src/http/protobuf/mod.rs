//! Protobuf, as typed clients send the built-in kinds: turned into the JSON that everything else reads.
//!
//! `messages.json` has the fields of every message by number: their JSON name (empty where it is inlined) and their Go type in
//! short: `s` text, `i` whole number, `t` truth, `f` number, `b` bytes, `[` list, `{` map by text, `*` pointer, `~` a
//! message that is a list, `@` a type with a form of its own. `cargo xtask shapes`
//! makes it.
//!
//! Follows `k8s.io/apimachinery/pkg/runtime/serializer/protobuf`: a prefix, and an object within `runtime.Unknown`.

mod wire;

#[cfg(test)]
mod tests;

use std::{collections::HashMap, sync::LazyLock};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use wire::{Field, Fields, Held};

const MAGIC: &[u8] = b"k8s\0";
/// No legal object is nested this deep.
const DEPTH: usize = 64;

#[derive(Deserialize, Default)]
struct Messages {
    roots: HashMap<String, String>,
    messages: HashMap<String, HashMap<u32, (String, String)>>,
}

static MESSAGES: LazyLock<Messages> =
    LazyLock::new(|| serde_json::from_str(include_str!("messages.json")).unwrap_or_default());

/// Why bytes are no object, in the words of the real server where it has some.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    Magic,
    #[error("unexpected EOF")]
    Broken,
    #[error("no kind {kind:?} is registered for version {version:?}")]
    Unknown { version: String, kind: String },
}

/// The object in a body, with its `apiVersion` and `kind`.
pub(crate) fn to_json(body: &[u8]) -> Result<Value, Unreadable> {
    let envelope = body.strip_prefix(MAGIC).ok_or(Unreadable::Magic)?;
    let (mut version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Fields::new(envelope) {
        match field? {
            Field { number: 1, held: Held::Bytes(meta) } => {
                for field in Fields::new(meta) {
                    match field? {
                        Field { number: 1, held } => version = held.text(),
                        Field { number: 2, held } => kind = held.text(),
                        _ => {}
                    }
                }
            }
            Field { number: 2, held: Held::Bytes(bytes) } => raw = bytes,
            _ => {}
        }
    }
    let roots = &MESSAGES.roots;
    let message = roots.get(&format!("{version}/{kind}")).or_else(|| roots.get(&format!("*/{kind}")));
    let message =
        message.ok_or_else(|| Unreadable::Unknown { version: version.clone(), kind: kind.clone() })?;
    let mut object = read_message(message, raw, DEPTH)?;
    object.insert("apiVersion".into(), version.into());
    object.insert("kind".into(), kind.into());
    Ok(Value::Object(object))
}

fn read_message(message: &str, bytes: &[u8], depth: usize) -> Result<Map<String, Value>, Unreadable> {
    let depth = depth.checked_sub(1).ok_or(Unreadable::Broken)?;
    let mut object = Map::new();
    let Some(fields) = MESSAGES.messages.get(message) else { return Ok(object) };
    for field in Fields::new(bytes) {
        let Field { number, held } = field?;
        let Some((name, kind)) = fields.get(&number) else { continue };
        if let Some(items) = kind.strip_prefix('[') {
            let item = read_value(items, &held, depth)?;
            if let Value::Array(list) = object.entry(name.as_str()).or_insert_with(|| json!([])) {
                list.push(item);
            }
        } else if let Some(values) = kind.strip_prefix('{') {
            let (key, value) = read_entry(values, &held, depth)?;
            if let Value::Object(map) = object.entry(name.as_str()).or_insert_with(|| json!({})) {
                map.insert(key, value);
            }
        } else if let Some(pointed) = kind.strip_prefix('*') {
            object.insert(name.clone(), read_value(pointed, &held, depth)?);
        } else {
            let value = read_value(kind, &held, depth)?;
            match value {
                Value::Object(inner) if name.is_empty() => object.extend(inner),
                // What is no pointer is always sent: nothing was said where nothing stands.
                value if is_zero(&value) => {}
                value => {
                    object.insert(name.clone(), value);
                }
            }
        }
    }
    Ok(object)
}

fn read_entry(kind: &str, held: &Held<'_>, depth: usize) -> Result<(String, Value), Unreadable> {
    let Held::Bytes(bytes) = held else { return Err(Unreadable::Broken) };
    let (mut key, mut value) = (String::new(), read_value(kind, &Held::Bytes(&[]), depth)?);
    for field in Fields::new(bytes) {
        match field? {
            Field { number: 1, held } => key = held.text(),
            Field { number: 2, held } => value = read_value(kind, &held, depth)?,
            _ => {}
        }
    }
    Ok((key, value))
}

fn read_value(kind: &str, held: &Held<'_>, depth: usize) -> Result<Value, Unreadable> {
    let bytes = match held {
        Held::Bytes(bytes) => *bytes,
        Held::Number(_) => &[],
    };
    Ok(match kind {
        "s" => held.text().into(),
        "i" => held.number().into(),
        "t" => (held.number() != 0).into(),
        "f" => f64::from_bits(held.number().cast_unsigned()).into(),
        "b" => STANDARD.encode(bytes).into(),
        "@quantity" => first(bytes)?.map_or(Value::Null, |held| held.text().into()),
        "@raw" => match first(bytes)? {
            Some(Held::Bytes(raw)) => serde_json::from_slice(raw).map_err(|_| Unreadable::Broken)?,
            _ => Value::Null,
        },
        "@time" => read_time(bytes, 0)?,
        "@micro" => read_time(bytes, 6)?,
        "@intstr" => read_int_or_string(bytes)?,
        _ => match kind.strip_prefix("~[") {
            Some(items) => {
                let fields = Fields::new(bytes).map(|field| read_value(items, &field?.held, depth));
                Value::Array(fields.collect::<Result<_, _>>()?)
            }
            None => Value::Object(read_message(kind, bytes, depth)?),
        },
    })
}

/// The first field of a message that has only one.
fn first(bytes: &[u8]) -> Result<Option<Held<'_>>, Unreadable> {
    let found = Fields::new(bytes).find(|field| field.as_ref().map_or(true, |field| field.number == 1));
    Ok(found.transpose()?.map(|field| field.held))
}

fn read_time(bytes: &[u8], digits: usize) -> Result<Value, Unreadable> {
    let (mut seconds, mut nanoseconds) = (None, 0);
    for field in Fields::new(bytes) {
        match field? {
            Field { number: 1, held } => seconds = Some(held.number()),
            Field { number: 2, held } => nanoseconds = i32::try_from(held.number()).unwrap_or(0),
            _ => {}
        }
    }
    // No time is an empty message.
    let Some(seconds) = seconds else { return Ok(Value::Null) };
    let time = Timestamp::new(seconds, nanoseconds).map_err(|_| Unreadable::Broken)?;
    Ok(if digits == 0 { format!("{time:.0}") } else { format!("{time:.6}") }.into())
}

fn read_int_or_string(bytes: &[u8]) -> Result<Value, Unreadable> {
    let (mut is_text, mut number, mut text) = (false, 0, String::new());
    for field in Fields::new(bytes) {
        match field? {
            Field { number: 1, held } => is_text = held.number() == 1,
            Field { number: 2, held } => number = held.number(),
            Field { number: 3, held } => text = held.text(),
            _ => {}
        }
    }
    Ok(if is_text { text.into() } else { number.into() })
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(truth) => !truth,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}
