//! Custom kinds: the columns that their authors chose.

use std::{fmt::Write as _, sync::LazyLock};

use jiff::Timestamp;
use serde_json::Value;

use super::{
    age,
    headings::{self, definition},
};
use crate::{jsonpath::Path, openapi::prose, resource::Column};

/// The columns of the scale of a custom object.
pub(super) static SCALE: LazyLock<[Column; 3]> = LazyLock::new(|| {
    let column = |name: &str, kind: &str, description: &str, json_path: &str| Column {
        name: name.into(),
        kind: kind.into(),
        description: description.into(),
        json_path: json_path.into(),
        ..Column::default()
    };
    let meta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    let created = prose::field(meta, "creationTimestamp").unwrap_or_default();
    [
        column("Desired", "integer", "Number of desired replicas", ".spec.replicas"),
        column("Available", "integer", "Number of actual replicas", ".status.replicas"),
        column("Age", "date", created, ".metadata.creationTimestamp"),
    ]
});

/// Whether an object is the scale of another.
pub(super) fn is_scale(object: &Value) -> bool {
    object["kind"] == "Scale" && object["apiVersion"] == "autoscaling/v1"
}

/// The columns of a custom kind, with their paths read.
pub(super) struct Columns<'a> {
    columns: Vec<(&'a Column, Path)>,
    by_default: bool,
}

impl<'a> Columns<'a> {
    /// Reads the columns. Those after a path that cannot be read are left out, as is that one.
    pub(super) fn new(columns: &'a [Column]) -> Self {
        let read = columns.iter().map_while(|column| Some((column, Path::parse(&column.json_path).ok()?)));
        Self { columns: read.collect(), by_default: columns.is_empty() }
    }

    /// The column definitions of the table.
    pub(super) fn definitions(&self) -> Vec<Value> {
        let mut all = vec![headings::name()];
        if self.by_default {
            all.push(headings::created("Age"));
        }
        all.extend(self.columns.iter().map(|(column, _)| {
            let words = match column.description.as_str() {
                "" => format!("Custom resource definition column (in JSONPath format): {}", column.json_path),
                words => words.to_owned(),
            };
            definition(&column.name, &column.kind, &column.format, &words, column.priority)
        }));
        all
    }

    /// The cells of an object.
    pub(super) fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let mut cells = vec![object["metadata"]["name"].as_str().unwrap_or_default().into()];
        if self.by_default {
            cells.push(typed("date", &object["metadata"]["creationTimestamp"], now));
        }
        cells.extend(self.columns.iter().map(|(column, path)| match path.first(object) {
            Some(value) if column.kind == "string" => text(&value).into(),
            Some(value) => typed(&column.kind, &value, now),
            None => Value::Null,
        }));
        cells
    }
}

/// A value that is no text in a column of texts.
fn text(value: &Value) -> String {
    match value {
        Value::Null => "<no value>".into(),
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => float(number.as_f64().unwrap_or_default()),
        Value::Array(_) | Value::Object(_) => escape(&value.to_string()),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// A number as short as it reads back the same, with an exponent when it is very large or very small.
fn float(number: f64) -> String {
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    match exponent.parse::<i32>().unwrap_or_default() {
        exponent @ -4..21 if exponent >= -4 => number.to_string(),
        exponent => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
        }
    }
}

/// What the real server's JSON writer never writes as it is.
fn escape(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                // Writing to a text cannot fail.
                let _ = write!(escaped, "\\u{:04x}", u32::from(letter));
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

fn typed(kind: &str, value: &Value, now: Timestamp) -> Value {
    match (kind, value) {
        ("integer", Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => whole.into(),
            (None, Some(float)) => whole(float).into(),
            (None, None) => Value::Null,
        },
        ("number", Value::Number(_)) | ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(text)) if text.is_empty() => age::UNKNOWN.into(),
        ("date", Value::String(text)) if is_written_out(text) && age::instant(value).is_some() => {
            age::since(value, now).into()
        }
        ("date", Value::String(_)) => "<invalid>".into(),
        _ => Value::Null,
    }
}

/// What is left of a number without its fraction; out of bounds it is the least number, as on the real server.
#[expect(clippy::cast_possible_truncation, reason = "the bounds are checked, and the fraction is to go")]
fn whole(float: f64) -> i64 {
    const BOUND: f64 = 9_223_372_036_854_775_808.0;
    if (-BOUND..BOUND).contains(&float) { float as i64 } else { i64::MIN }
}

/// Whether a time has all its parts, from the year to the offset, with the signs that RFC 3339 wants between them.
fn is_written_out(text: &str) -> bool {
    let bytes = text.as_bytes();
    let signs = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    let offset =
        text.ends_with('Z') || bytes.len().checked_sub(3).and_then(|at| bytes.get(at)) == Some(&b':');
    bytes.len() >= 20 && offset && signs.into_iter().all(|(at, sign)| bytes.get(at) == Some(&sign))
}
