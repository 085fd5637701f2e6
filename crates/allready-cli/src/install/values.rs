//! Values: those of the chart, of files and of `--set`, laid over each other as Helm does.

use std::path::Path;

use serde_json::{Map, Value};

use super::schema::Problem;
use crate::{failure::Failure, input, printer::tame};

/// The most parts that a key of `--set` may have: as deep as a file of values may be.
const DEEPEST: usize = 64;
/// No list in values is longer than this: an index beyond it is a slip.
const LONGEST: usize = 1000;

/// Values in layers, the last of which wins.
pub(super) struct Values {
    chart: Value,
    /// The values over them, each with its origin.
    layers: Vec<(String, Value)>,
}

impl Values {
    /// Those of the chart alone.
    pub(super) fn new(chart: &Value) -> Self {
        Self { chart: chart.clone(), layers: Vec::new() }
    }

    /// Lays a file over them.
    pub(super) fn add_file(&mut self, path: &Path) -> Result<(), Failure> {
        let name = tame(&path.display().to_string());
        let documents = input::read_all(path)?;
        match &documents[..] {
            // Comments alone.
            [] | [Value::Null] => Ok(()),
            [value @ Value::Object(_)] => {
                self.layers.push((name, value.clone()));
                Ok(())
            }
            [_] => Err(Failure::data(format_args!("{name}: values are a map, such as `replicas: 1`"))),
            many => {
                Err(Failure::data(format_args!("{name} has {} documents: values are one map", many.len())))
            }
        }
    }

    /// Lays `key=value` over them, or several with commas between them.
    pub(super) fn set(&mut self, text: &str) -> Result<(), String> {
        for assignment in split(text, ',') {
            let parts = split(&assignment, '=');
            let Some((key, value)) = parts.split_first().filter(|(_, rest)| !rest.is_empty()) else {
                return Err("there is no `=`: write KEY=VALUE".to_owned());
            };
            let mut layer = Value::Object(Map::new());
            // A list is changed in place, so that its other items stay.
            let path = path(key)?;
            if path.iter().any(|step| matches!(step, Step::Index(_)))
                && let Some(Step::Key(first)) = path.first()
                && let Some(found) = self.merged().get(first)
            {
                layer[first] = found.clone();
            }
            put(&mut layer, &path, typed(&value.join("=")))?;
            self.layers.push((format!("--set {}", unescaped(key)), layer));
        }
        Ok(())
    }

    /// All layers in one; null takes a value of the chart away.
    pub(super) fn merged(&self) -> Value {
        let mut merged = self.chart.clone();
        self.layers.iter().for_each(|(_, layer)| lay(&mut merged, layer));
        merged
    }

    /// A problem with a value, and where that is from.
    pub(super) fn told(&self, problem: &Problem) -> String {
        let pointer = format!("/{}", problem.path.join("/"));
        let layer = self.layers.iter().rev().find(|(_, layer)| layer.pointer(&pointer).is_some());
        let place = layer.map_or("values.yaml of the chart", |(name, _)| name.as_str());
        format!("{place}: {}", tame(&problem.to_string()))
    }
}

fn lay(under: &mut Value, over: &Value) {
    let (Value::Object(under), Value::Object(over)) = (under, over) else { return };
    for (key, value) in over {
        match (under.get_mut(key), value) {
            (Some(before @ Value::Object(_)), Value::Object(_)) => lay(before, value),
            (_, Value::Null) => drop(under.remove(key)),
            _ => drop(under.insert(key.clone(), value.clone())),
        }
    }
}

/// Splits at a character that no backslash is before and no braces are around.
fn split(text: &str, at: char) -> Vec<String> {
    let (mut parts, mut depth, mut is_escaped) = (vec![String::new()], 0_i32, false);
    for letter in text.chars() {
        if letter == at && depth == 0 && !is_escaped {
            parts.push(String::new());
            continue;
        }
        if !is_escaped {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
        }
        is_escaped = letter == '\\' && !is_escaped;
        if let Some(part) = parts.last_mut() {
            part.push(letter);
        }
    }
    parts
}

fn unescaped(text: &str) -> String {
    let mut letters = text.chars();
    let mut plain = String::new();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    plain
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(usize),
}

/// The steps of a key such as `a.b[0].c`.
fn path(key: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for part in split(key, '.') {
        let (name, indices) =
            part.split_once('[').map_or((part.as_str(), None), |(name, rest)| (name, Some(rest)));
        if name.is_empty() {
            return Err(format!("{key:?} is no key"));
        }
        steps.push(Step::Key(unescaped(name)));
        for index in indices.into_iter().flat_map(|rest| rest.split('[')) {
            let index = index.strip_suffix(']').and_then(|index| index.parse().ok());
            let index = index.filter(|index| *index < LONGEST);
            steps.push(Step::Index(index.ok_or_else(|| format!("{key:?} has no index that can be used"))?));
        }
    }
    if steps.len() > DEEPEST {
        return Err(format!("its key has {} parts, and {DEEPEST} are the most", steps.len()));
    }
    Ok(steps)
}

fn put(place: &mut Value, path: &[Step], value: Value) -> Result<(), String> {
    let Some((step, rest)) = path.split_first() else {
        *place = value;
        return Ok(());
    };
    match step {
        Step::Key(key) => {
            if place.is_null() {
                *place = Value::Object(Map::new());
            }
            let map = place
                .as_object_mut()
                .ok_or_else(|| format!("{key} cannot be set: its parent is not a map"))?;
            put(map.entry(key.clone()).or_insert(Value::Null), rest, value)
        }
        Step::Index(at) => {
            if place.is_null() {
                *place = Value::Array(Vec::new());
            }
            let list = place
                .as_array_mut()
                .ok_or_else(|| format!("[{at}] cannot be set: its parent is not a list"))?;
            if list.len() <= *at {
                list.resize(at + 1, Value::Null);
            }
            put(&mut list[*at], rest, value)
        }
    }
}

/// A value as `--set` of Helm reads it: words and whole numbers mean what they say, `{a,b}` is a list.
fn typed(text: &str) -> Value {
    if let Some(items) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let items = if items.is_empty() { Vec::new() } else { split(items, ',') };
        return Value::Array(items.iter().map(|item| typed(item)).collect());
    }
    let is_number = text == "0" || !text.starts_with('0');
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        _ => match text.parse::<i64>() {
            Ok(number) if is_number => number.into(),
            _ => Value::String(unescaped(text)),
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn set(chart: &Value, texts: &[&str]) -> Result<Value, String> {
        let mut values = Values::new(chart);
        texts.iter().try_for_each(|text| values.set(text))?;
        Ok(values.merged())
    }

    #[test]
    fn set_means_what_it_means_to_helm() {
        let chart = json!({ "a": { "b": 1, "c": "kept" }, "list": [{ "x": 1, "y": 2 }], "gone": 1 });
        let made = set(
            &chart,
            &[
                "a.b=2,gone=null",
                "list[0].x=3",
                "new={a,1,true}",
                r"dotted.a\.b/c=x\,y",
                "zip=0123",
                "e=",
                "u=a=b",
            ],
        );
        assert_eq!(
            made.unwrap(),
            json!({ "a": { "b": 2, "c": "kept" }, "list": [{ "x": 3, "y": 2 }], "new": ["a", 1, true],
                "dotted": { "a.b/c": "x,y" }, "zip": "0123", "e": "", "u": "a=b" })
        );
        assert_eq!(set(&chart, &["a"]).unwrap_err(), "there is no `=`: write KEY=VALUE");
        let deep = format!("{}a=1", "a.".repeat(20_000));
        assert_eq!(set(&chart, &[&deep]).unwrap_err(), "its key has 20001 parts, and 64 are the most");
        assert!(set(&chart, &["list[9999]=1"]).unwrap_err().contains("no index"));
        assert!(set(&chart, &["list[0].x.z=1"]).unwrap_err().contains("its parent is not a map"));
    }

    #[test]
    fn a_problem_is_told_with_the_layer_that_it_is_from() {
        let mut values = Values::new(&json!({ "a": 1 }));
        values.set("b.c=1").unwrap();
        let problem = |path: &[&str]| Problem {
            path: path.iter().map(|&step| step.to_owned()).collect(),
            message: "is wrong".to_owned(),
        };
        assert_eq!(values.told(&problem(&["b", "c"])), "--set b.c: b.c is wrong");
        assert_eq!(values.told(&problem(&["a"])), "values.yaml of the chart: a is wrong");
    }
}
