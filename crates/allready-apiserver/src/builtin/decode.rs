//! What Go's decoding refuses, in its words.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

use super::{
    quantity, time,
    types::{self, Kind},
};
use crate::json::go_type;

/// What keeps `object` from being decoded into a struct such as `apps.v1.Deployment`.
///
/// A wrong JSON type does not end the decoding, so a later number, time or quantity that cannot be read wins over it.
pub(crate) fn refuse(name: &str, object: &Value) -> Option<String> {
    let mut decoder = Decoder { path: Vec::new(), first: None };
    let Some(map) = object.as_object() else {
        let found = go_type(object);
        return Some(format!("json: cannot unmarshal {found} into Go value of type {}", short(name)));
    };
    decoder.object(name, map).err().or(decoder.first)
}

struct Decoder<'a> {
    path: Vec<&'a str>,
    first: Option<String>,
}

impl<'a> Decoder<'a> {
    fn object(&mut self, name: &str, object: &'a Map<String, Value>) -> Result<(), String> {
        let fields = types::fields(name);
        for (key, value) in object {
            let Some((key, field)) = fields.get_key_value(key) else { continue };
            let depth = self.path.len();
            if !field.embedded.is_empty() {
                self.path.push(&field.embedded);
            }
            self.path.push(key);
            self.value(name, &field.kind, value)?;
            self.path.truncate(depth);
        }
        Ok(())
    }

    fn value(&mut self, owner: &str, kind: &'static Kind, value: &'a Value) -> Result<(), String> {
        match (kind, value) {
            (_, Value::Null)
            | (Kind::Raw, _)
            | (Kind::Text(_) | Kind::IntOrString, Value::String(_))
            | (Kind::Bool, Value::Bool(_)) => {}
            (Kind::Integer("int64"), Value::Number(number)) if number.is_i64() => {}
            (Kind::Integer("int32") | Kind::IntOrString, Value::Number(number))
                if number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()) => {}
            (Kind::Bytes, Value::String(text)) => {
                if let Err(problem) = base64_problem(text) {
                    self.first.get_or_insert(problem);
                }
            }
            (Kind::Quantity, _) => {
                let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                quantity::Quantity::parse(&text).map_err(ToOwned::to_owned)?;
            }
            (Kind::Time | Kind::MicroTime, Value::String(text)) => {
                time::parse(text, matches!(kind, Kind::MicroTime))?;
            }
            (Kind::Time | Kind::MicroTime | Kind::IntOrString, _) => {
                return Err(self.mistyped(owner, kind, value));
            }
            (Kind::List(item), Value::Array(items)) => {
                for value in items {
                    self.value(owner, item, value)?;
                }
            }
            (Kind::Map(_, item), Value::Object(entries)) => {
                for value in entries.values() {
                    self.value(owner, item, value)?;
                }
            }
            (Kind::Struct(name), Value::Object(object)) => self.object(name, object)?,
            _ => {
                let problem = self.mistyped(owner, kind, value);
                self.first.get_or_insert(problem);
            }
        }
        Ok(())
    }

    fn mistyped(&self, owner: &str, kind: &Kind, value: &Value) -> String {
        let found = match (value, kind) {
            (Value::Number(number), Kind::Integer(_) | Kind::IntOrString) => format!("number {number}"),
            _ => go_type(value).to_owned(),
        };
        let owner = owner.rsplit('.').next().unwrap_or_default();
        let path = self.path.join(".");
        format!(
            "json: cannot unmarshal {found} into Go struct field {owner}.{path} of type {}",
            kind.go_name()
        )
    }
}

fn short(name: &str) -> String {
    Kind::Struct(name.to_owned()).go_name()
}

/// Go skips line breaks inside of base64, and names the byte it stumbles over.
pub(crate) fn base64_problem(text: &str) -> Result<(), String> {
    let at = |position: usize| format!("illegal base64 data at input byte {position}");
    if let Some(position) = text.bytes().position(|byte| {
        !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'\n' | b'\r'))
    }) {
        return Err(at(position));
    }
    let bare: String = text.chars().filter(|letter| !matches!(letter, '\n' | '\r')).collect();
    if STANDARD.decode(&bare).is_ok() { Ok(()) } else { Err(at(text.len() / 4 * 4)) }
}
