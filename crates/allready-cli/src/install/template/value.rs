//! Values of templates: those of JSON, with numbers as Go tells them apart, and maps that `set` changes in place.

use std::{cell::RefCell, collections::BTreeMap, fmt::Write as _, rc::Rc};

use serde_json::{Number, Value as Json};

/// The text that an action prints for nil. Helm takes it away from what a file of the chart renders to, and not before: a
/// template that is included may be true by it.
pub(in super::super) const NO_VALUE: &str = "<no value>";

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) enum Value {
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<Value>),
    Map(Rc<RefCell<BTreeMap<String, Value>>>),
    /// `.Files`: the files of the chart by their paths.
    Files(Rc<BTreeMap<String, String>>),
    /// Something that Helm has, and a chart without a cluster and a release cannot have.
    Absent(&'static str),
}

impl Value {
    pub(in super::super) fn map(entries: impl IntoIterator<Item = (String, Self)>) -> Self {
        Self::Map(Rc::new(RefCell::new(entries.into_iter().collect())))
    }

    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// The kind, as `kindOf` of Sprig says it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Nil => "invalid",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float64",
            Self::Text(_) => "string",
            Self::List(_) => "slice",
            Self::Map(_) | Self::Files(_) | Self::Absent(_) => "map",
        }
    }

    /// Returns true if it counts as true: not zero and not empty.
    pub(super) fn is_true(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(value) => *value,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Text(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(entries) => !entries.borrow().is_empty(),
            Self::Files(_) | Self::Absent(_) => true,
        }
    }

    /// The text that an action prints: `%v` of Go, but for nil.
    pub(super) fn printed(&self) -> String {
        match self {
            Self::Nil => NO_VALUE.to_owned(),
            _ => self.shown(),
        }
    }

    /// `%v` of Go.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Nil => "<nil>".to_owned(),
            Self::Bool(value) => value.to_string(),
            Self::Int(number) => number.to_string(),
            Self::Float(number) => go_float(*number),
            Self::Text(text) => text.clone(),
            Self::List(items) => {
                format!("[{}]", items.iter().map(Self::shown).collect::<Vec<_>>().join(" "))
            }
            Self::Map(entries) => {
                let entries = entries.borrow();
                let shown = entries.iter().map(|(key, value)| format!("{key}:{}", value.shown()));
                format!("map[{}]", shown.collect::<Vec<_>>().join(" "))
            }
            Self::Files(_) | Self::Absent(_) => String::new(),
        }
    }

    /// The same, with all maps its own.
    pub(super) fn copied(&self) -> Self {
        Self::from(&Json::from(self))
    }
}

/// `%v` of a float64: with an exponent from a million on, as Helm prints numbers of values.
fn go_float(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-4..1e21).contains(&size) || size >= 1e6 {
        let text = format!("{number:e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (sign, exponent) = match exponent.strip_prefix('-') {
            Some(exponent) => ('-', exponent),
            None => ('+', exponent),
        };
        return format!("{digits}e{sign}{exponent:0>2}");
    }
    number.to_string()
}

/// All numbers of values are float64 to Go.
impl From<&Json> for Value {
    fn from(json: &Json) -> Self {
        match json {
            Json::Null => Self::Nil,
            Json::Bool(value) => Self::Bool(*value),
            Json::Number(number) => Self::Float(number.as_f64().unwrap_or_default()),
            Json::String(text) => Self::Text(text.clone()),
            Json::Array(items) => Self::List(items.iter().map(Self::from).collect()),
            Json::Object(entries) => {
                Self::map(entries.iter().map(|(key, value)| (key.clone(), Self::from(value))))
            }
        }
    }
}

impl From<&Value> for Json {
    fn from(value: &Value) -> Self {
        match value {
            Value::Nil | Value::Files(_) | Value::Absent(_) => Self::Null,
            Value::Bool(value) => Self::Bool(*value),
            Value::Int(number) => Self::Number((*number).into()),
            #[expect(clippy::cast_possible_truncation, reason = "a whole number below 2^53 is an i64")]
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                Self::Number((*number as i64).into())
            }
            Value::Float(number) => Number::from_f64(*number).map_or(Self::Null, Self::Number),
            Value::Text(text) => Self::String(text.clone()),
            Value::List(items) => Self::Array(items.iter().map(Self::from).collect()),
            Value::Map(entries) => Self::Object(
                entries.borrow().iter().map(|(key, value)| (key.clone(), value.into())).collect(),
            ),
        }
    }
}

/// YAML in blocks, with every text in quotes that some reader of YAML could take for something else.
pub(super) fn yaml(value: &Json) -> String {
    let mut out = String::new();
    write_yaml(value, 0, &mut out);
    out.trim_matches('\n').to_owned()
}

/// Writes a value behind a key or a dash: blocks begin on the next line.
fn write_yaml(value: &Json, depth: usize, out: &mut String) {
    let margin = "  ".repeat(depth);
    match value {
        Json::Object(entries) if !entries.is_empty() => {
            for (key, value) in entries {
                let _ = write!(out, "\n{margin}{}:", scalar(key));
                write_yaml(value, depth + 1, out);
            }
        }
        Json::Array(items) if !items.is_empty() => {
            for item in items {
                let mut inner = String::new();
                write_yaml(item, depth + 1, &mut inner);
                // The first line of a block stands beside the dash.
                let _ = write!(out, "\n{margin}- {}", inner.trim_start());
            }
        }
        Json::String(text) => {
            let _ = write!(out, " {}", scalar(text));
        }
        other => {
            let _ = write!(out, " {other}");
        }
    }
    if depth == 0 && !out.starts_with('\n') {
        *out = out.trim_start().to_owned();
    }
}

/// A text as YAML: plain where it is a word that means itself in YAML 1.1 as in 1.2, otherwise as JSON writes it.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 10] = ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/'))
        && !WORDS.contains(&text.to_ascii_lowercase().as_str());
    if is_plain { text.to_owned() } else { Json::from(text).to_string() }
}
