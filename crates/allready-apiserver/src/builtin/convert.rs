//! What becomes of a strategic merge, which the real server turns into its Go type without JSON in between: its refusals have
//! other words than those of [`super::decode`], and numbers that are too large wrap around.

use serde_json::{Value, json};

use super::{
    decode, quantity, time,
    types::{self, Field, Kind},
};
use crate::json::go_type;

/// Turns an object into a struct such as `apps.v1.Deployment`, or says what kept it from being one.
pub(crate) fn object(name: &str, object: &mut Value) -> Result<(), String> {
    let Some(map) = object.as_object_mut() else {
        return Err(format!("cannot restore struct from: {}", reflected(object)));
    };
    let known = types::fields(name);
    let mut ordered: Vec<(&String, &'static Field)> = known.iter().collect();
    // The first mistake is the one that is told.
    ordered.sort_by_key(|(_, field)| field.position);
    for (key, field) in ordered {
        if let Some(found) = map.get_mut(key) {
            value(&field.kind, found)?;
        }
    }
    Ok(())
}

/// Recursion is bounded by the nesting of the types.
fn value(kind: &'static Kind, found: &mut Value) -> Result<(), String> {
    if found.is_null() {
        return Ok(());
    }
    let unrecognized = |kind: &str| Err(format!("unrecognized type: {kind}"));
    match (kind, &mut *found) {
        (Kind::Raw, _)
        | (Kind::Text(_) | Kind::IntOrString, Value::String(_))
        | (Kind::Bool, Value::Bool(_)) => Ok(()),
        (Kind::Text(name), Value::Number(number)) if !number.is_f64() => {
            Err(format!("cannot convert int64 to {name}"))
        }
        (Kind::Text(_), _) => unrecognized("string"),
        (Kind::Bool, _) => unrecognized("bool"),
        (Kind::Integer(name), Value::Number(_)) => integer(name, found),
        (Kind::Integer(name), _) => unrecognized(name),
        (Kind::Bytes, Value::String(text)) => {
            decode::base64_problem(text).map_err(|problem| format!("error decoding from json: {problem}"))
        }
        (Kind::List(item), Value::Array(items)) => items.iter_mut().try_for_each(|found| value(item, found)),
        (Kind::Bytes | Kind::List(_), other) => {
            Err(format!("cannot restore slice from {}", reflected(other)))
        }
        (Kind::Map(_, item), Value::Object(entries)) => {
            entries.values_mut().try_for_each(|found| value(item, found))
        }
        (Kind::Map(..), other) => Err(format!("cannot restore map from {}", reflected(other))),
        (Kind::Struct(name), other) => object(name, other),
        (Kind::Quantity, other) => {
            let text = other.as_str().map_or_else(|| other.to_string(), ToOwned::to_owned);
            quantity::Quantity::parse(&text).map(|_| ()).map_err(ToOwned::to_owned)
        }
        (Kind::Time | Kind::MicroTime, Value::String(text)) => {
            time::parse(text, matches!(kind, Kind::MicroTime)).map(|_| ())
        }
        (Kind::Time | Kind::MicroTime, other) => {
            Err(format!("json: cannot unmarshal {} into Go value of type string", go_type(other)))
        }
        (Kind::IntOrString, Value::Number(number))
            if number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()) =>
        {
            Ok(())
        }
        (Kind::IntOrString, Value::Number(number)) => {
            Err(format!("json: cannot unmarshal number {number} into Go value of type int32"))
        }
        (Kind::IntOrString, other) => {
            Err(format!("json: cannot unmarshal {} into Go value of type int32", go_type(other)))
        }
    }
}

fn integer(name: &str, found: &mut Value) -> Result<(), String> {
    let number = match (found.as_i64(), found.as_f64()) {
        (Some(number), _) => number,
        (None, Some(number)) if number.fract() == 0.0 && number.abs() < 9e18 => {
            #[expect(clippy::cast_possible_truncation, reason = "a whole number within bounds")]
            let whole = number as i64;
            whole
        }
        _ => return Err(format!("cannot convert float64 to {name}")),
    };
    #[expect(clippy::cast_possible_truncation, reason = "as the real server does")]
    let kept = if name == "int32" { i64::from(number as i32) } else { number };
    *found = json!(kept);
    Ok(())
}

/// How Go's reflection names the kind of a decoded value.
fn reflected(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int64",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}
