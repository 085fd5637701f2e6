//! The functions of templates: those of Go, of Helm and of Sprig that the chart uses. Each does what its documentation says, and
//! refuses arguments of which that says nothing.

use std::fmt::Write as _;

use regex::Regex;
use serde_json::{Map, Number, Value};
use sha2::{Digest as _, Sha256};

use super::{Problem, floats};

/// Calls a function by name.
pub(super) fn call(name: &str, given: &[Value]) -> Result<Value, Problem> {
    use Value::{Array, Bool, Null, Object, String as Text};
    Ok(match (name, given) {
        ("not" | "empty", [value]) => (!is_true(value)).into(),
        ("eq", [first, others @ ..]) if !others.is_empty() => {
            let same = others.iter().map(|other| same(first, other)).collect::<Result<Vec<_>, _>>()?;
            same.contains(&true).into()
        }
        ("gt", [Value::Number(a), Value::Number(b)]) if kind(&given[0]) == kind(&given[1]) => {
            (a.as_f64() > b.as_f64()).into()
        }
        ("printf", [Text(format), given @ ..]) => printf(format, given)?.into(),
        ("int", [value]) => whole(value).ok_or_else(|| wrong(name, given))?.into(),
        ("toYaml", [value]) => yaml(&unfloated(value))?.into(),
        ("toJson", [value]) => go_json(&unfloated(value)).into(),
        ("fromYaml", [Text(text)]) => {
            floats(&serde_saphyr::from_str(text).map_err(|error| error.to_string())?)
        }
        ("fromJson", [Text(text)]) => floats(&serde_json::from_str(text).map_err(|error| error.to_string())?),
        ("fail", [Text(message)]) => return Err(message.as_str().into()),
        ("sha256sum", [Text(text)]) => {
            let digits = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>();
            digits.concat().into()
        }
        ("quote", values) => joined(values, " ", |value| go_quoted(&shown(value))),
        ("nindent", [by, Text(text)]) => {
            let margin = " ".repeat(index(by).ok_or_else(|| wrong(name, given))?);
            format!("\n{margin}{}", text.replace('\n', &format!("\n{margin}"))).into()
        }
        ("trimSuffix", [Text(end), Text(text)]) => text.strip_suffix(end.as_str()).unwrap_or(text).into(),
        ("contains", [Text(part), Text(text)]) => text.contains(part.as_str()).into(),
        ("hasPrefix", [Text(start), Text(text)]) => text.starts_with(start.as_str()).into(),
        ("trunc", [most, Text(text)]) => {
            let most = index(most).ok_or_else(|| wrong(name, given))?.min(text.len());
            text.get(..most).ok_or_else(|| format!("`trunc` would cut a letter of {text:?}"))?.into()
        }
        ("splitList", [Text(by), Text(text)]) => text.split(by.as_str()).collect(),
        ("splitn", [Text(by), most, Text(text)]) => {
            let parts = text.splitn(index(most).ok_or_else(|| wrong(name, given))?, by.as_str());
            parts.enumerate().map(|(at, part)| (format!("_{at}"), part.into())).collect::<Map<_, _>>().into()
        }
        ("regexMatch", [Text(pattern), Text(text)]) => regex(pattern)?.is_match(text).into(),
        ("regexReplaceAll", [Text(pattern), Text(text), Text(with)]) => {
            regex(pattern)?.replace_all(text, with.as_str()).into()
        }
        ("list", items) => items.into(),
        ("first", [Array(items)]) => items.first().cloned().unwrap_or_default(),
        ("last", [Array(items)]) => items.last().cloned().unwrap_or_default(),
        ("append", [Array(items), item]) => items.iter().chain([item]).cloned().collect(),
        ("concat", lists) if lists.iter().all(Value::is_array) => {
            lists.iter().filter_map(Value::as_array).flatten().cloned().collect()
        }
        ("uniq", [Array(items)]) => items
            .iter()
            .enumerate()
            .filter(|(at, item)| !items[..*at].contains(item))
            .map(|(_, it)| it.clone())
            .collect(),
        ("has", [_, Null]) => false.into(),
        ("has", [wanted, Array(items)]) => items.contains(wanted).into(),
        ("join", [Text(by), Array(items)]) => joined(items, by, shown),
        ("join", [Text(by), other]) => joined(std::slice::from_ref(other), by, shown),
        ("dict", pairs) if pairs.len() % 2 == 0 && pairs.iter().step_by(2).all(Value::is_string) => {
            pairs.chunks(2).map(|pair| (shown(&pair[0]), pair[1].clone())).collect::<Map<_, _>>().into()
        }
        ("get", [Object(map), Text(key)]) => map.get(key).cloned().unwrap_or("".into()),
        ("hasKey", [Object(map), Text(key)]) => map.contains_key(key).into(),
        ("set", [Object(map), Text(key), value]) => {
            let mut map = map.clone();
            map.insert(key.clone(), value.clone());
            map.into()
        }
        ("merge", [first, others @ ..]) if given.iter().all(Value::is_object) => {
            let mut first = first.clone();
            for other in others {
                merge(&mut first, other);
            }
            first
        }
        ("default", [other, value]) => if is_true(value) { value } else { other }.clone(),
        ("ternary", [yes, no, Bool(which)]) => if *which { yes } else { no }.clone(),
        _ if FUNCTIONS.split_whitespace().any(|known| known == name) => return Err(wrong(name, given)),
        _ => return Err(format!("the function `{name}` is not supported").into()),
    })
}

/// The functions that there are.
const FUNCTIONS: &str = "append concat contains default dict empty eq fail first fromJson fromYaml get gt has hasKey hasPrefix \
    int join last merge nindent not printf regexMatch regexReplaceAll set sha256sum splitList splitn ternary toJson toYaml \
    trimSuffix trunc";

fn wrong(name: &str, given: &[Value]) -> Problem {
    let given: Vec<String> = given.iter().map(|value| format!("{} {}", kind(value), shown(value))).collect();
    format!("`{name}` cannot take ({})", given.join(", ")).into()
}

/// The kind of a value, as `kindOf` of Sprig says it.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "invalid",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_f64() => "float64",
        Value::Number(_) => "int",
        Value::String(_) => "string",
        Value::Array(_) => "slice",
        Value::Object(_) => "map",
    }
}

/// Returns true if a value counts as true: it is not zero and not empty.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// `%v` of Go.
pub(super) fn shown(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::Number(number) if number.is_f64() => go_float(number.as_f64().unwrap_or_default()),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
        Value::Object(map) => {
            let shown: Vec<String> =
                map.iter().map(|(key, value)| format!("{key}:{}", shown(value))).collect();
            format!("map[{}]", shown.join(" "))
        }
        other => other.to_string(),
    }
}

/// `%v` of a float64: with an exponent from a million on, as Helm prints numbers of values.
fn go_float(number: f64) -> String {
    if number == 0.0 || (1e-4..1e6).contains(&number.abs()) {
        return number.to_string();
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (sign, exponent) = exponent.strip_prefix('-').map_or(('+', exponent), |exponent| ('-', exponent));
    format!("{digits}e{sign}{exponent:0>2}")
}

/// The values but nil, each made a text, with something between them.
fn joined(values: &[Value], by: &str, make: impl Fn(&Value) -> String) -> Value {
    values.iter().filter(|value| !value.is_null()).map(make).collect::<Vec<_>>().join(by).into()
}

/// A whole number that stands there as one.
fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

/// A whole number, as `int` of Sprig makes one.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Null => Some(0),
        Value::Bool(value) => Some((*value).into()),
        #[expect(clippy::cast_possible_truncation, reason = "this is what Go's conversion does")]
        Value::Number(number) => number.as_i64().or_else(|| number.as_f64().map(|number| number as i64)),
        Value::String(text) => text.parse().ok(),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// The same value, with whole numbers without a point, as Go writes them.
fn unfloated(value: &Value) -> Value {
    match value {
        Value::Number(number) if number.as_f64().is_some_and(|it| it.fract() == 0.0 && it.abs() < 9e15) => {
            whole(value).map(Number::from).into()
        }
        Value::Array(items) => items.iter().map(unfloated).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), unfloated(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// YAML in blocks.
pub(super) fn yaml(value: &Value) -> Result<String, Problem> {
    let mut options = serde_saphyr::SerializerOptions::default();
    // What follows in the template moves the lines, and the last line break goes.
    options.prefer_block_scalars = false;
    let text = serde_saphyr::to_string_with_options(value, options).map_err(|error| error.to_string())?;
    Ok(text.trim_end().to_owned())
}

/// JSON as Go writes it: also without what a browser would read as HTML.
fn go_json(value: &Value) -> String {
    let escaped = |letter: char| match letter {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    value.to_string().chars().map(escaped).collect()
}

fn regex(pattern: &str) -> Result<Regex, Problem> {
    Regex::new(pattern).map_err(|_| format!("{pattern:?} is no regular expression").into())
}

/// Compares as `eq` does: values of different kinds are a mistake, and nil is equal to nil alone.
fn same(first: &Value, second: &Value) -> Result<bool, Problem> {
    let (one, other) = (kind(first), kind(second));
    if first.is_null() || second.is_null() {
        return Ok(first == second);
    }
    if ["slice", "map"].iter().any(|kind| [one, other].contains(kind)) {
        return Err("lists and maps cannot be compared".into());
    }
    if one != other {
        return Err(format!("a {one} cannot be compared with a {other}: incompatible types").into());
    }
    Ok(first == second)
}

/// Adds to a map what it does not have, or has empty.
fn merge(into: &mut Value, other: &Value) {
    let (Value::Object(into), Value::Object(other)) = (into, other) else { return };
    for (key, value) in other {
        match into.get_mut(key) {
            Some(before) if before.is_object() && value.is_object() => merge(before, value),
            Some(before) if is_true(before) => {}
            _ => drop(into.insert(key.clone(), value.clone())),
        }
    }
}

fn printf(format: &str, given: &[Value]) -> Result<String, Problem> {
    let mut given = given.iter();
    let (mut text, mut letters) = (String::new(), format.chars());
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let verb = letters.next().unwrap_or_default();
        if verb == '%' {
            text.push('%');
            continue;
        }
        let value = given.next().ok_or_else(|| format!("printf {format:?} has too few arguments"))?;
        text += &match (verb, value) {
            ('v', _) | ('s', Value::String(_)) | ('t', Value::Bool(_)) => shown(value),
            ('d', Value::Number(_)) if kind(value) == "int" => shown(value),
            ('q', Value::String(value)) => go_quoted(value),
            _ => return Err(format!("printf {format:?}: %{verb} cannot take a {}", kind(value)).into()),
        };
    }
    match given.next() {
        None => Ok(text),
        Some(_) => Err(format!("printf {format:?} has too many arguments").into()),
    }
}

/// `%q` of Go.
fn go_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
