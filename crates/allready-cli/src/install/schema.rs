//! The schema of values, `values.schema.json`: the part of JSON Schema that charts use. A keyword that is not known makes a
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

/// Keywords that say nothing about which values are good.
const NOTES: [&str; 11] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "format",
    "deprecated",
];

/// Checks values by a schema.
pub(super) fn check(schema: &Value, values: &Value) -> Vec<Problem> {
    let mut check = Check { root: schema, path: Vec::new(), problems: Vec::new(), depth: 0 };
    check.value(schema, values);
    check.problems
}

struct Check<'a> {
    root: &'a Value,
    path: Vec<String>,
    problems: Vec<Problem>,
    depth: usize,
}

impl<'a> Check<'a> {
    fn refuse(&mut self, message: impl fmt::Display) {
        self.problems.push(Problem { path: self.path.clone(), message: message.to_string() });
    }

    fn value(&mut self, schema: &'a Value, value: &Value) {
        let keywords = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return self.refuse("is not allowed"),
            Value::Object(keywords) => keywords,
            _ => return self.refuse("has a schema that is none"),
        };
        self.depth += 1;
        if self.depth > 64 {
            return self.refuse("has a schema that refers to itself");
        }
        for (keyword, wanted) in keywords {
            self.keyword(keyword, wanted, schema, value);
        }
        self.depth -= 1;
    }

    fn keyword(&mut self, keyword: &str, wanted: &'a Value, schema: &'a Value, value: &Value) {
        match (keyword, value) {
            ("required", Value::Object(map)) => {
                for name in wanted.as_array().into_iter().flatten().filter_map(Value::as_str) {
                    if !map.contains_key(name) {
                        self.refuse(format_args!("needs {name}"));
                    }
                }
            }
            ("items", Value::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.within(&at.to_string(), wanted, item);
                }
            }
            ("properties", Value::Object(map)) => {
                for (name, schema) in wanted.as_object().into_iter().flatten() {
                    if let Some(value) = map.get(name) {
                        self.within(name, schema, value);
                    }
                }
            }
            ("additionalProperties", Value::Object(map)) => {
                let known = schema["properties"].as_object();
                let is_known = |name: &String| known.is_some_and(|known| known.contains_key(name));
                for (name, value) in map.iter().filter(|(name, _)| !is_known(name)) {
                    if wanted == false {
                        self.path.push(name.clone());
                        self.refuse(unknown(name, known.into_iter().flat_map(|known| known.keys())));
                        self.path.pop();
                    } else {
                        self.within(name, wanted, value);
                    }
                }
            }
            ("propertyNames", Value::Object(map)) => {
                for name in map.keys() {
                    self.within(name, wanted, &Value::from(name.as_str()));
                }
            }
            ("$ref", _) => {
                let target = wanted.as_str().and_then(|text| text.strip_prefix('#'));
                match target.and_then(|pointer| self.root.pointer(pointer)) {
                    Some(target) => self.value(target, value),
                    None => {
                        self.refuse(format_args!("has a schema that refers to {wanted}, which is not there"));
                    }
                }
            }
            ("allOf", _) => {
                for schema in wanted.as_array().into_iter().flatten() {
                    self.value(schema, value);
                }
            }
            ("anyOf" | "oneOf", _) => self.choice(keyword, wanted, value),
            ("not", _) => {
                if self.holds(wanted, value) {
                    self.refuse(format_args!("cannot be {}", shown(value)));
                }
            }
            ("if", _) => {
                let branch = if self.holds(wanted, value) { "then" } else { "else" };
                if let Some(branch) = schema.get(branch) {
                    self.value(branch, value);
                }
            }
            // They are about values of another type, or belong to another keyword.
            (
                "required"
                | "items"
                | "properties"
                | "additionalProperties"
                | "propertyNames"
                | "then"
                | "else",
                _,
            ) => {}
            (note, _) if NOTES.contains(&note) => {}
            (keyword, _) => match simple(keyword, wanted, value) {
                Some(Ok(())) => {}
                Some(Err(message)) => self.refuse(message),
                None => self.refuse(format_args!(
                    "cannot be checked: the keyword {keyword} of its schema is not supported"
                )),
            },
        }
    }

    fn within(&mut self, name: &str, schema: &'a Value, value: &Value) {
        self.path.push(name.to_owned());
        self.value(schema, value);
        self.path.pop();
    }

    fn holds(&self, schema: &'a Value, value: &Value) -> bool {
        let mut check = Check { root: self.root, path: Vec::new(), problems: Vec::new(), depth: self.depth };
        check.value(schema, value);
        check.problems.is_empty()
    }

    fn choice(&mut self, keyword: &str, branches: &'a Value, value: &Value) {
        let branches: Vec<&Value> = branches.as_array().into_iter().flatten().collect();
        let holding = branches.iter().filter(|branch| self.holds(branch, value)).count();
        if holding == 0 {
            self.refuse(format_args!(
                "is {}, and none of the {} forms that it can have",
                shown(value),
                branches.len()
            ));
        } else if keyword == "oneOf" && holding > 1 {
            self.refuse(format_args!("has {holding} forms at once, and may have one"));
        }
    }
}

/// Checks a keyword that needs nothing but the value. None is a keyword that is not known.
fn simple(keyword: &str, wanted: &Value, value: &Value) -> Option<Result<(), String>> {
    let size = |found: usize| u64::try_from(found).unwrap_or(u64::MAX);
    let limit = wanted.as_u64().unwrap_or_default();
    let (number, bound) = (value.as_f64(), wanted.as_f64());
    let letters = value.as_str().map(|text| size(text.chars().count()));
    let items = value.as_array().map(|items| size(items.len()));
    let keys = value.as_object().map(|map| size(map.len()));
    let is = shown(value);
    let (holds, message) = match keyword {
        "type" => (is_of(wanted, value), format!("is {is}, and has to be {}", types(wanted))),
        "enum" => {
            let all = wanted.as_array().map(Vec::as_slice).unwrap_or_default();
            let names: Vec<String> = all.iter().map(shown).collect();
            (all.contains(value), format!("is {is}, and has to be one of {}", names.join(", ")))
        }
        "const" => (wanted == value, format!("is {is}, and has to be {}", shown(wanted))),
        "pattern" => {
            let pattern = wanted.as_str().unwrap_or_default();
            match (Regex::new(pattern), value.as_str()) {
                (Ok(regex), text) => (
                    text.is_none_or(|text| regex.is_match(text)),
                    format!("is {is}, and does not match {pattern}"),
                ),
                (Err(_), _) => (false, format!("has a pattern in its schema that is none: {pattern}")),
            }
        }
        "minimum" => {
            (number.is_none() || number >= bound, format!("is {is}, and has to be at least {wanted}"))
        }
        "maximum" => {
            (number.is_none() || number <= bound, format!("is {is}, and has to be at most {wanted}"))
        }
        "minLength" => {
            (letters.is_none_or(|found| found >= limit), format!("has fewer than {wanted} letters"))
        }
        "maxLength" => {
            (letters.is_none_or(|found| found <= limit), format!("has more than {wanted} letters"))
        }
        "minItems" => (items.is_none_or(|found| found >= limit), format!("has fewer than {wanted} items")),
        "maxItems" => (items.is_none_or(|found| found <= limit), format!("has more than {wanted} items")),
        "minProperties" => (keys.is_none_or(|found| found >= limit), format!("has fewer than {wanted} keys")),
        "uniqueItems" => {
            let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
            let twice = items.iter().enumerate().find(|(at, item)| items[..*at].contains(item));
            let told = twice.map(|(_, item)| format!("has {} twice", shown(item)));
            (wanted != true || twice.is_none(), told.unwrap_or_default())
        }
        _ => return None,
    };
    Some(if holds { Ok(()) } else { Err(message) })
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
            (json!({ "const": 1 }), json!(1), json!(2)),
            (json!({ "pattern": "^a+$" }), json!("aa"), json!("ab")),
            (json!({ "minimum": 1, "maximum": 3 }), json!(3), json!(4)),
            (json!({ "minLength": 2, "maxLength": 3 }), json!("ab"), json!("a")),
            (json!({ "minItems": 1, "uniqueItems": true }), json!([1, 2]), json!([1, 1])),
            (json!({ "required": ["a"] }), json!({ "a": 1 }), json!({})),
            (json!({ "items": { "type": "string" } }), json!(["a"]), json!([1])),
            (json!({ "additionalProperties": { "type": "string" } }), json!({ "a": "b" }), json!({ "a": 1 })),
            (json!({ "propertyNames": { "pattern": "^a" } }), json!({ "ab": 1 }), json!({ "b": 1 })),
            (json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "string" } } }), json!("a"), json!(1)),
            (json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }), json!("a"), json!(1)),
            (json!({ "oneOf": [{ "type": "integer" }, { "minimum": 5 }] }), json!(1), json!(6)),
            (json!({ "allOf": [{ "minimum": 1 }, { "maximum": 2 }] }), json!(2), json!(3)),
            (json!({ "not": { "const": "" } }), json!("a"), json!("")),
            (json!({ "if": { "const": 1 }, "then": false, "else": true }), json!(2), json!(1)),
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
