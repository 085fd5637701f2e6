//! From JSON to what a rule sees: field names escaped, numbers of the declared type, times and durations as such.

use std::{cell::RefCell, collections::HashMap, sync::Arc};

use kube_cel::cel::{
    Value as Cel,
    objects::{Key, Map},
};
use serde_json::{Number, Value};

use super::language::{Program, with_functions};
use crate::schema::{Schema, Shape};

/// Converts a value. At the root of an object, `metadata` shows only its name, as rules see it.
pub(super) fn convert(schema: &Schema, value: &Value, root: bool) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(truth) => Cel::Bool(*truth),
        Value::Number(number) => number_of(schema, number),
        Value::String(text) => string_of(schema, text),
        Value::Array(items) => {
            let none = Schema::default();
            let inner = schema.items().unwrap_or(&none);
            Cel::List(Arc::new(items.iter().map(|item| convert(inner, item, inner.embedded)).collect()))
        }
        Value::Object(fields) => object_of(schema, fields, root),
    }
}

/// What a rule that looks at it stumbles over: a whole number that is written as a fraction, and `null` where it cannot
/// stand. With the name of its field.
pub(super) fn misfit<'a>(
    schema: &Schema,
    value: &'a Value,
    name: &'a str,
) -> Option<(&'a str, &'static str)> {
    match value {
        Value::Null => {
            let text = "invalid data, got null for schema with nullable=false";
            (!schema.nullable && !schema.untyped).then_some((name, text))
        }
        Value::Number(number) => {
            let text = "invalid data, expected int, got float64";
            (schema.shape == Shape::Integer && !number.is_i64()).then_some((name, text))
        }
        Value::Array(items) => {
            let inner = schema.items()?;
            items.iter().find_map(|item| misfit(inner, item, name))
        }
        Value::Object(fields) => {
            // A property that is `null` is as good as absent.
            let absent = |name: &str, value: &Value| value.is_null() && schema.property(name).is_some();
            let present = fields.iter().filter(|(name, value)| !absent(name, value));
            present.into_iter().find_map(|(name, value)| misfit(schema.field(name)?, value, name))
        }
        _ => None,
    }
}

fn number_of(schema: &Schema, number: &Number) -> Cel {
    match (&schema.shape, number.as_i64()) {
        (Shape::Number, _) | (_, None) => match (&schema.shape, number.as_f64()) {
            (Shape::Integer, Some(float)) if float.trunc().total_cmp(&float).is_eq() =>
            {
                #[expect(clippy::cast_possible_truncation, reason = "it is whole")]
                Cel::Int(float as i64)
            }
            (_, float) => Cel::Float(float.unwrap_or(f64::NAN)),
        },
        (_, Some(whole)) => Cel::Int(whole),
    }
}

fn string_of(schema: &Schema, text: &str) -> Cel {
    let plain = || Cel::String(Arc::new(text.to_owned()));
    let format = schema.checks.as_ref().and_then(|checks| checks.format.as_deref());
    let converted = match (&schema.shape, format) {
        (Shape::String, Some("date-time" | "datetime")) => call("timestamp(it)", text.to_owned()),
        (Shape::String, Some("date")) => call("timestamp(it)", format!("{text}T00:00:00Z")),
        (Shape::String, Some("duration")) => call("duration(it)", text.to_owned()),
        (Shape::String, Some("byte")) => call("base64.decode(it)", text.to_owned()),
        _ => None,
    };
    converted.unwrap_or_else(plain)
}

thread_local! {
    static CONVERSIONS: RefCell<HashMap<&'static str, Option<Arc<Program>>>> = RefCell::default();
}

fn call(conversion: &'static str, text: String) -> Option<Cel> {
    let program = CONVERSIONS.with_borrow_mut(|known| {
        let entry = known.entry(conversion);
        entry.or_insert_with(|| Program::compile(conversion).ok().map(Arc::new)).clone()
    })?;
    with_functions(|functions| {
        let mut scope = functions.new_inner_scope();
        scope.add_variable_from_value("it", text);
        program.execute(&scope).0.ok()
    })
}

fn object_of(schema: &Schema, fields: &serde_json::Map<String, Value>, root: bool) -> Cel {
    let mut map = HashMap::with_capacity(fields.len());
    let any = Schema { preserve_unknown: true, ..Schema::default() };
    let text = Schema { shape: Shape::String, ..Schema::default() };
    for (name, value) in fields {
        if root && name == "metadata" {
            let shown = value.as_object().into_iter().flatten();
            let shown = shown.filter(|(name, _)| matches!(name.as_str(), "name" | "generateName"));
            let shown = shown.map(|(name, value)| (key(name), convert(&text, value, false))).collect();
            map.insert(key("metadata"), Cel::Map(Map { map: Arc::new(shown) }));
            continue;
        }
        let Shape::Object(object) = &schema.shape else {
            map.insert(key(name), convert(&any, value, false));
            continue;
        };
        if let Some(inner) = object.properties.get(name) {
            // `null` is as good as absent to `has`.
            if !value.is_null()
                && let Some(escaped) = escape(name)
            {
                map.insert(key(&escaped), convert(inner, value, inner.embedded));
            }
        } else if let Some(inner) = &object.additional {
            map.insert(key(name), convert(inner, value, inner.embedded));
        } else if root && matches!(name.as_str(), "apiVersion" | "kind") {
            map.insert(key(name), convert(&text, value, false));
        }
    }
    Cel::Map(Map { map: Arc::new(map) })
}

fn key(name: &str) -> Key {
    Key::String(Arc::new(name.to_owned()))
}

const RESERVED: [&str; 21] = [
    "true",
    "false",
    "null",
    "in",
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// A property name as a rule writes it; `None` for one that no rule can.
pub(crate) fn escape(name: &str) -> Option<String> {
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    let first = name.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_');
    let rest = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.-/".contains(&byte));
    (first && rest).then(|| {
        let marked = name.replace("__", "__underscores__");
        marked.replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__")
    })
}
