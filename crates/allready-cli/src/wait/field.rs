//! A field that is waited for, as kubectl's `jsonpath=` has it.

#[cfg(test)]
mod tests;

use allready_apiserver::jsonpath::{Malformed, Mismatch, Path};
use allready_core::condition::cut;
use serde_json::Value;

/// So much of a value is told.
const SHOWN: usize = 100;

/// A field that has to be there, or to have a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    /// As it was written, in braces.
    text: String,
    path: Path,
    /// The value; whichever where there is none.
    value: Option<String>,
    /// Whether the status has to say that it is about the current generation.
    is_current: bool,
}

/// How a field is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// As wished.
    Met(String),
    /// Not yet.
    Waiting(String),
    /// The path does not fit the object, and will not unless the object becomes another.
    Unfit(String),
}

impl Field {
    /// What is behind `jsonpath=`: a path, in braces or not, and a value behind `=`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (path, value) = split(text);
        let path = unquoted(path.trim());
        let (inside, before) = match path.strip_prefix('{') {
            Some(rest) => (rest.strip_suffix('}').ok_or("a brace is opened and not closed")?, 1),
            None => (path, 0),
        };
        if inside.trim().is_empty() {
            return Err("there is no path: write jsonpath='{.status.phase}'=Running".to_owned());
        }
        if let Some(at) = inside.find(['{', '}']) {
            return Err(wrong(path, before + at, "only one path is allowed, not a template"));
        }
        // kubectl takes `status.phase` too.
        let is_relaxed = !inside.starts_with(['.', '[', '$', '@', ' ']);
        let whole = if is_relaxed { format!(".{inside}") } else { inside.to_owned() };
        let place = |at: usize| before + at.saturating_sub(usize::from(is_relaxed));
        let read = Path::parse(&whole).map_err(|Malformed { problem, at }| {
            let hint = match problem.strip_prefix("invalid array index ") {
                Some(name) if name.starts_with(char::is_alphabetic) => {
                    format!("; an entry is found by what it has: [?(@.type==\"{name}\")]")
                }
                _ => String::new(),
            };
            wrong(path, place(at), &problem) + &hint
        })?;
        if inside.ends_with('.') {
            return Err(wrong(path, before + inside.len(), "a name is missing"));
        }
        let value = value.map(|value| match value.trim_matches(['\'', '"']) {
            "" => Err("a value is missing after =; leave = out to accept any value".to_owned()),
            value if value.starts_with('=') => Err("use one =, not two".to_owned()),
            value => Ok(value.trim().to_owned()),
        });
        let text = format!("{{{}}}", whole.trim());
        Ok(Self { text, path: read, value: value.transpose()?, is_current: false })
    }

    /// The same, of a status that says that it is about the current generation.
    pub(super) fn current(self) -> Self {
        Self { is_current: true, ..self }
    }

    pub(super) fn judge(&self, object: &Value) -> Seen {
        let path = &self.text;
        let found = match self.path.find(object) {
            Ok(found) => found,
            // Lists grow.
            Err(mismatch @ Mismatch::OutOfBounds) => {
                return Seen::Waiting(format!("{path} is not there: {mismatch}"));
            }
            Err(mismatch) => return Seen::Unfit(format!("{path} does not fit the object: {mismatch}")),
        };
        let value = match found.as_slice() {
            [] => return Seen::Waiting(format!("{path} is not there")),
            [value] => value.as_ref(),
            several => {
                let count = several.len();
                return Seen::Unfit(format!("{path} leads to {count} values, and has to lead to one"));
            }
        };
        let is = match &self.value {
            None if is_empty(value) => return Seen::Waiting(format!("{path} is there, but empty")),
            None => format!("{path} is there"),
            Some(wanted) => {
                let Some(found) = printed(value) else {
                    let what = if value.is_array() { "a list" } else { "an object" };
                    return Seen::Unfit(format!("{path} is {what}, and no value to compare with {wanted}"));
                };
                if found.trim() != wanted {
                    return Seen::Waiting(format!("{path} is {}, not {wanted}", shown(object, &found)));
                }
                format!("{path} is {wanted}")
            }
        };
        match self.doubt(object) {
            Some(doubt) => Seen::Waiting(format!("{is}, but {doubt}")),
            None => Seen::Met(is),
        }
    }

    /// Whether something on the way is about an older generation of the object.
    fn doubt(&self, object: &Value) -> Option<String> {
        let generation = object["metadata"]["generation"].as_i64().filter(|generation| *generation > 0)?;
        let way = self.path.way(object).unwrap_or_default();
        let observed = |value: &Value| whole(value.get("observedGeneration")?);
        let oldest = way.iter().filter_map(|value| observed(value)).min();
        match oldest {
            Some(observed) if observed < generation => {
                Some(format!("about generation {observed}, and the object is at {generation}"))
            }
            // What is not in the status is wished, not observed.
            None if self.is_current && way.iter().any(|value| **value == object["status"]) => {
                Some(format!("does not say whether that is about generation {generation}"))
            }
            _ => None,
        }
    }
}

/// The path, and what is behind the first `=` that is in no bracket and no quotes.
fn split(text: &str) -> (&str, Option<&str>) {
    let (mut depth, mut quote, mut before) = (0_usize, None, ' ');
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if letter == open && before != '\\' => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.saturating_sub(1),
            // Whatever was not closed before it ends with the brace.
            (None, '}') => depth = 0,
            (None, '=') if depth == 0 => {
                let (path, value) = text.split_at(at);
                return (path, value.get(1..));
            }
            _ => {}
        }
        before = letter;
    }
    (text, None)
}

/// Without the quotes that no shell has taken away.
fn unquoted(path: &str) -> &str {
    let inside = |quote| path.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    inside('\'').or_else(|| inside('"')).unwrap_or(path)
}

/// What is wrong, with the place.
fn wrong(path: &str, at: usize, problem: &str) -> String {
    let rest = path.get(at..).unwrap_or_default();
    let place = path.get(..at).unwrap_or(path).chars().count() + 1;
    if rest.is_empty() {
        return format!("{problem}, at the end of {path}");
    }
    format!("{problem}, at character {place} of {path}: {}", cut(rest, 20))
}

/// Nothing that anybody could use.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A value as kubectl compares it; nothing for what is no single value.
fn printed(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(is) => Some(is.to_string()),
        Value::Number(number) => Some(match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => go_float(float),
            _ => number.to_string(),
        }),
        Value::Null => Some("null".to_owned()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A fraction as Go prints it: with an exponent where it is large or small.
fn go_float(float: f64) -> String {
    if float == 0.0 || (1e-4..1e21).contains(&float.abs()) {
        return float.to_string();
    }
    let text = format!("{float:e}");
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |rest| ('-', rest));
            format!("{digits}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// A generation, which some write as a text.
fn whole(value: &Value) -> Option<i64> {
    value.as_i64().or_else(|| value.as_str()?.parse().ok())
}

/// A value in words. What is in a secret is not told.
fn shown(object: &Value, found: &str) -> String {
    match found {
        _ if object["kind"] == "Secret" => "something else".to_owned(),
        "" => "empty".to_owned(),
        found => cut(found, SHOWN).into_owned(),
    }
}
