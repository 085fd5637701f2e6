//! What a word of YAML means: the rules of YAML 1.1, as the real server's reader has them.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use granit_parser::{ScalarStyle, Tag};
use serde_json::Value;

const CORE: &str = "tag:yaml.org,2002:";

/// A word, understood.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Scalar {
    Null,
    Bool(bool),
    Int(i64),
    Large(u64),
    Float(f64),
    Text(String),
    /// `<<`.
    Merge,
}

/// The key of a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    Text(String),
    Merge,
}

impl Key {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Merge => "<<",
        }
    }

    pub(super) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Merge => "<<".into(),
        }
    }
}

impl Scalar {
    fn tag(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Large(_) => "int",
            Self::Float(_) => "float",
            Self::Text(_) => "str",
            Self::Merge => "merge",
        }
    }

    /// The word as a JSON value. On its way through JSON a whole number loses its fraction.
    pub(super) fn value(self) -> Result<Value, String> {
        Ok(match self {
            Self::Null => Value::Null,
            Self::Bool(value) => value.into(),
            Self::Int(value) => value.into(),
            Self::Large(value) => super::json::number(&value.to_string()),
            Self::Float(value) if value.is_nan() => return Err("json: unsupported value: NaN".into()),
            Self::Float(value) if value.is_infinite() => {
                let sign = if value > 0.0 { '+' } else { '-' };
                return Err(format!("json: unsupported value: {sign}Inf"));
            }
            Self::Float(value) => {
                let mut value = Value::from(value);
                super::json::whole_numbers(&mut value);
                value
            }
            Self::Text(text) => text.into(),
            Self::Merge => "<<".into(),
        })
    }

    /// The word as a key.
    pub(super) fn key(self) -> Result<Key, String> {
        Ok(Key::Text(match self {
            Self::Null => {
                return Err("unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>".into());
            }
            Self::Bool(value) => value.to_string(),
            Self::Int(value) => value.to_string(),
            Self::Large(value) => value.to_string(),
            Self::Float(value) if value.is_nan() => ".nan".into(),
            Self::Float(value) if value.is_infinite() => if value > 0.0 { ".inf" } else { "-.inf" }.into(),
            Self::Float(value) => value.to_string(),
            Self::Text(text) => text,
            Self::Merge => return Ok(Key::Merge),
        }))
    }
}

/// Understands a word, its quotes and its tag.
pub(super) fn read(word: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Scalar, String> {
    let text = || Scalar::Text(word.to_owned());
    let Some(tag) = tag else {
        return Ok(if style == ScalarStyle::Plain { resolve(word) } else { text() });
    };
    let core = tag.core_suffix().or_else(|| (tag.handle() == CORE).then(|| tag.suffix()));
    let found = match core {
        Some("binary") => {
            let packed: String = word.split_whitespace().collect();
            let bytes = STANDARD.decode(packed);
            let bytes = bytes.map_err(|_| "yaml: !!binary value contains invalid base64 data".to_owned())?;
            return Ok(Scalar::Text(String::from_utf8_lossy(&bytes).into_owned()));
        }
        Some(wanted @ ("int" | "float" | "bool" | "null")) => (resolve(word), wanted),
        _ => return Ok(text()),
    };
    match found {
        (Scalar::Int(value), "float") =>
        {
            #[expect(clippy::cast_precision_loss, reason = "this is what the tag asks for")]
            Ok(Scalar::Float(value as f64))
        }
        (scalar, wanted) if scalar.tag() == wanted => Ok(scalar),
        (scalar, wanted) => Err(format!("yaml: cannot decode !!{} `{word}` as a !!{wanted}", scalar.tag())),
    }
}

fn resolve(word: &str) -> Scalar {
    match word {
        "" | "~" | "null" | "Null" | "NULL" => return Scalar::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            return Scalar::Bool(true);
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            return Scalar::Bool(false);
        }
        ".nan" | ".NaN" | ".NAN" => return Scalar::Float(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => return Scalar::Float(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => return Scalar::Float(f64::NEG_INFINITY),
        "<<" => return Scalar::Merge,
        _ => {}
    }
    let number = match word.as_bytes().first() {
        Some(b'.') => word.parse().ok().map(Scalar::Float),
        Some(b'+' | b'-' | b'0'..=b'9') => number(&word.replace('_', "")),
        _ => None,
    };
    number.unwrap_or_else(|| Scalar::Text(word.to_owned()))
}

fn number(word: &str) -> Option<Scalar> {
    let (negative, digits) = match word.as_bytes().first()? {
        b'-' => (true, word.get(1..)?),
        b'+' => (false, word.get(1..)?),
        _ => (false, word),
    };
    let lower = digits.to_ascii_lowercase();
    let (base, figures) = match lower.as_bytes() {
        [b'0', b'x', ..] => (16, lower.get(2..)?),
        [b'0', b'b', ..] => (2, lower.get(2..)?),
        [b'0', b'o', ..] => (8, lower.get(2..)?),
        [b'0', _, ..] => (8, lower.get(1..)?),
        _ => (10, lower.as_str()),
    };
    if !figures.is_empty()
        && figures.bytes().all(|byte| char::from(byte).is_digit(base))
        && let Ok(size) = u64::from_str_radix(figures, base)
    {
        return match (negative, i64::try_from(size)) {
            (false, Ok(value)) => Some(Scalar::Int(value)),
            (true, Ok(value)) => Some(Scalar::Int(-value)),
            (true, Err(_)) if size == i64::MIN.unsigned_abs() => Some(Scalar::Int(i64::MIN)),
            (false, Err(_)) if !word.starts_with('+') => Some(Scalar::Large(size)),
            _ => word.parse().ok().map(Scalar::Float),
        };
    }
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if plain && digits.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return word.parse().ok().map(Scalar::Float);
    }
    None
}

/// A value as Go prints it.
pub(super) fn go_value(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(go_value).collect();
            format!("[]interface {{}}{{{}}}", items.join(", "))
        }
        Value::Object(fields) => {
            let fields: Vec<_> =
                fields.iter().map(|(key, value)| format!("{key:?}:{}", go_value(value))).collect();
            format!("map[interface {{}}]interface {{}}{{{}}}", fields.join(", "))
        }
        Value::Null => "interface {}(nil)".into(),
        other => other.to_string(),
    }
}
