//! The schema of values, `values.schema.json`: the part of JSON Schema that the chart uses. A keyword that is not known makes a
//! problem: a check that is left out would be one that passed.

use std::fmt;

use regex::Regex;
use serde_json::Value;

/// A value that the schema refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    pub(super) path: Vec<String>,
    pub(super) message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the values".to_owned() } else { self.path.join(".") };
        write!(f, "{path} {}", self.message)
    }
}

/// Checks values by a schema.
pub(super) fn check(schema: &Value, values: &Value) -> Vec<Problem> {
    let mut check = Check::default();
    check.value(schema, values);
    check.problems
}

#[derive(Default)]
struct Check {
    path: Vec<String>,
    problems: Vec<Problem>,
}

impl Check {
    fn refuse(&mut self, message: impl Into<String>) {
        self.problems.push(Problem { path: self.path.clone(), message: message.into() });
    }

    fn within(&mut self, name: &str, check: impl FnOnce(&mut Self)) {
        self.path.push(name.to_owned());
        check(self);
        self.path.pop();
    }

    fn value(&mut self, schema: &Value, value: &Value) {
        let Value::Object(keywords) = schema else {
            if schema != true {
                self.refuse("is not allowed");
            }
            return;
        };
        for (keyword, wanted) in keywords {
            if let Err(message) = self.keyword(keyword, wanted, schema, value) {
                self.refuse(message);
            }
        }
    }

    /// Checks a keyword. Of a value of another type than it is about, it says nothing.
    fn keyword(
        &mut self,
        keyword: &str,
        wanted: &Value,
        schema: &Value,
        value: &Value,
    ) -> Result<(), String> {
        let (map, items) = (value.as_object(), value.as_array().map(Vec::as_slice).unwrap_or_default());
        let listed = wanted.as_array().map(Vec::as_slice).unwrap_or_default();
        let letters = value.as_str().map(|text| text.chars().count() as u64);
        let is = shown(value);
        let (is_good, message) = match keyword {
            "title" | "description" | "default" | "$schema" => return Ok(()),
            "properties" => {
                for (name, schema) in wanted.as_object().into_iter().flatten() {
                    if let Some(value) = value.get(name) {
                        self.within(name, |check| check.value(schema, value));
                    }
                }
                return Ok(());
            }
            "additionalProperties" => {
                let known = schema["properties"].as_object();
                let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
                for (name, value) in map.into_iter().flatten().filter(|(name, _)| !is_known(name)) {
                    let known = known.into_iter().flat_map(|known| known.keys());
                    self.within(name, |check| match wanted {
                        Value::Bool(false) => check.refuse(unknown(name, known)),
                        _ => check.value(wanted, value),
                    });
                }
                return Ok(());
            }
            "propertyNames" => {
                for name in map.into_iter().flatten().map(|(name, _)| name) {
                    self.within(name, |check| check.value(wanted, &name.as_str().into()));
                }
                return Ok(());
            }
            "items" => {
                for (at, item) in items.iter().enumerate() {
                    self.within(&at.to_string(), |check| check.value(wanted, item));
                }
                return Ok(());
            }
            "required" => {
                let missing = |name: &&Value| {
                    map.is_some_and(|map| !map.contains_key(name.as_str().unwrap_or_default()))
                };
                let missing: Vec<&str> = listed.iter().filter(missing).filter_map(Value::as_str).collect();
                (missing.is_empty(), format!("needs {}", missing.join(" and ")))
            }
            "not" => (!check(wanted, value).is_empty(), format!("cannot be {is}")),
            "type" => (is_of(wanted, value), format!("is {is}, and has to be {}", types(wanted))),
            "enum" => {
                let names: Vec<String> = listed.iter().map(shown).collect();
                (listed.contains(value), format!("is {is}, and has to be one of {}", names.join(", ")))
            }
            "pattern" => {
                let pattern = wanted.as_str().unwrap_or_default();
                let regex = Regex::new(pattern)
                    .map_err(|_| format!("has a pattern in its schema that is none: {pattern}"))?;
                (
                    value.as_str().is_none_or(|text| regex.is_match(text)),
                    format!("is {is}, and does not match {pattern}"),
                )
            }
            "minimum" | "maximum" => {
                let far = value.as_f64().zip(wanted.as_f64()).map(|(value, bound)| value - bound);
                let (side, most) = if keyword == "minimum" { (1.0, "least") } else { (-1.0, "most") };
                (
                    far.is_none_or(|far| far * side >= 0.0),
                    format!("is {is}, and has to be at {most} {wanted}"),
                )
            }
            "minLength" => {
                (letters >= letters.and(wanted.as_u64()), format!("has fewer than {wanted} letters"))
            }
            "maxLength" => {
                (letters <= letters.and(wanted.as_u64()), format!("has more than {wanted} letters"))
            }
            "uniqueItems" => {
                let twice = items.iter().enumerate().find(|(at, item)| items[..*at].contains(item));
                let told = twice.map(|(_, item)| format!("has {} twice", shown(item)));
                (wanted != true || twice.is_none(), told.unwrap_or_default())
            }
            _ => (false, format!("cannot be checked: the keyword {keyword} of its schema is not supported")),
        };
        if is_good { Ok(()) } else { Err(message) }
    }
}

/// A key that is not known, and the one that was perhaps meant.
fn unknown<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> String {
    let near =
        known.map(|known| (strsim::damerau_levenshtein(&name.to_lowercase(), &known.to_lowercase()), known));
    let limit = (name.chars().count() / 3).clamp(1, 3);
    match near.filter(|(far, _)| *far <= limit).min() {
        Some((_, near)) => format!("is not known; did you mean {near}?"),
        None => "is not known".to_owned(),
    }
}

fn is_of(wanted: &Value, value: &Value) -> bool {
    match wanted {
        Value::Array(types) => types.iter().any(|wanted| is_of(wanted, value)),
        _ => match (wanted.as_str().unwrap_or_default(), value) {
            ("integer", Value::Number(number)) => number.as_f64().is_some_and(|number| number.fract() == 0.0),
            (wanted, _) => wanted == type_of(value),
        },
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn types(wanted: &Value) -> String {
    let all = wanted.as_array().map_or_else(|| vec![wanted], |all| all.iter().collect());
    let all: Vec<&str> = all.into_iter().filter_map(Value::as_str).collect();
    format!("of type {}", all.join(" or "))
}

/// A value in a sentence: what is long is named by its type.
fn shown(value: &Value) -> String {
    match value.to_string() {
        text if text.len() <= 60 => text,
        _ => format!("an {}", type_of(value)).replace("an string", "a long text"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(schema: &Value, values: &Value) -> Vec<String> {
        check(schema, values).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_misspelt_key_is_told_with_its_path_and_the_one_that_was_meant() {
        let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
            "hub": { "type": "object", "additionalProperties": false, "properties": { "enabled": { "type": "boolean" } } } } });
        assert_eq!(
            refused(&schema, &json!({ "hub": { "enabeld": true }, "other": 1 })),
            ["other is not known", "hub.enabeld is not known; did you mean enabled?"]
        );
        assert_eq!(
            refused(&schema, &json!({ "hub": { "enabled": "yes" } })),
            [r#"hub.enabled is "yes", and has to be of type boolean"#]
        );
    }

    #[test]
    fn each_keyword_refuses_what_it_should_and_nothing_else() {
        for (schema, good, bad) in [
            (json!({ "type": ["string", "null"] }), json!(null), json!(1)),
            (json!({ "type": "integer" }), json!(2.0), json!(2.5)),
            (json!({ "enum": ["a", "b"] }), json!("a"), json!("c")),
            (json!({ "pattern": "^a+$" }), json!("aa"), json!("ab")),
            (json!({ "minimum": 1, "maximum": 3 }), json!(3), json!(4)),
            (json!({ "minLength": 2, "maxLength": 3 }), json!("ab"), json!("a")),
            (json!({ "uniqueItems": true }), json!([1, 2]), json!([1, 1])),
            (json!({ "required": ["a"] }), json!({ "a": 1 }), json!({})),
            (json!({ "items": { "type": "string" } }), json!(["a"]), json!([1])),
            (json!({ "additionalProperties": { "type": "string" } }), json!({ "a": "b" }), json!({ "a": 1 })),
            (json!({ "propertyNames": { "pattern": "^a" } }), json!({ "ab": 1 }), json!({ "b": 1 })),
            (json!({ "not": { "enum": [""] } }), json!("a"), json!("")),
        ] {
            assert_eq!(refused(&schema, &good), [""; 0], "{schema}");
            assert_eq!(refused(&schema, &bad).len(), 1, "{schema}");
        }
    }

    #[test]
    fn a_keyword_that_is_not_known_is_no_check_that_passed() {
        assert_eq!(
            refused(&json!({ "dependentRequired": {} }), &json!({})),
            ["the values cannot be checked: the keyword dependentRequired of its schema is not supported"]
        );
    }
}
