//! Types, bounds, required fields and the like: what OpenAPI itself can say about a value.
//!
//! Follows `k8s.io/kube-openapi/pkg/validation/validate`.

use std::{fmt::Write as _, sync::LazyLock};

use serde_json::{Map, Value};

use super::{
    composite,
    correlate::Pair,
    formats,
    numbers::{self, Figure},
    outcome::{Outcome, Problem},
    pattern::Patterns,
};
use crate::{
    schema::{Checks, Schema, Shape, prune::DEEPEST_OBJECT},
    status::{FieldError, Mistake, display, json_text, quote},
};

static UNCHECKED: LazyLock<Checks> = LazyLock::new(Checks::default);

/// One walk over a value.
pub(super) struct Walk<'a> {
    patterns: &'a Patterns,
    /// What stands before every field: `status` when only that is checked.
    prefix: &'a str,
    /// Where the walk is, below the prefix.
    path: String,
    depth: usize,
}

/// Checks a value; errors name fields below `prefix`.
pub(super) fn check(
    schema: &Schema,
    patterns: &Patterns,
    prefix: &str,
    value: &Value,
    pair: Option<Pair<'_>>,
) -> Vec<FieldError> {
    let mut walk = Walk { patterns, prefix, path: String::new(), depth: 0 };
    let outcome = walk.node(schema, value, pair);
    outcome.problems.into_iter().map(|problem| problem.error).collect()
}

impl Walk<'_> {
    /// Checks a value, and forgives it what its predecessor had wrong as well.
    fn node(&mut self, schema: &Schema, value: &Value, pair: Option<Pair<'_>>) -> Outcome {
        let outcome = self.checked(schema, value, pair);
        if !outcome.is_valid() && pair.is_some_and(Pair::unchanged) { outcome.forgive() } else { outcome }
    }

    /// Checks a value without forgiving it anything itself.
    pub(super) fn checked(&mut self, schema: &Schema, value: &Value, pair: Option<Pair<'_>>) -> Outcome {
        let mut outcome = Outcome::default();
        if self.depth > DEEPEST_OBJECT {
            outcome.add(self.plain("nested too deep".into()));
            return outcome;
        }
        self.depth += 1;
        let checks = schema.checks.as_deref().unwrap_or(&UNCHECKED);
        let format = formats::effective(schema);
        let typed = !types(schema).is_empty() || format.is_some();
        if value.is_null() {
            outcome.merge(self.type_of_null(schema));
            outcome.merge(self.allowed(checks, value));
            self.depth -= 1;
            return outcome;
        }
        if typed {
            outcome.merge(self.type_of(schema, format, value));
            outcome.matched();
        }
        outcome.merge(composite::check(self, checks, value, pair));
        outcome.matched();
        match value {
            Value::String(text) => self.string(checks, format, text, &mut outcome),
            Value::Number(number) => {
                outcome.merge(numbers::check(self, schema, checks, format, Figure::of(number)));
                outcome.matched();
            }
            Value::Array(items) => {
                outcome.merge(self.list(schema, checks, items, pair));
                outcome.matched();
            }
            _ => {}
        }
        outcome.merge(self.allowed(checks, value));
        outcome.matched();
        if let Value::Object(fields) = value {
            outcome.merge(self.object(schema, checks, fields, pair));
            outcome.matched();
        }
        outcome.matched();
        self.depth -= 1;
        outcome
    }

    fn type_of_null(&self, schema: &Schema) -> Outcome {
        let mut outcome = Outcome::default();
        let types = types(schema);
        if types.is_empty() || schema.nullable {
            outcome.matched();
        } else {
            outcome.add(self.wrong_type(&types.join(","), "null"));
        }
        outcome
    }

    fn type_of(&self, schema: &Schema, format: Option<&str>, value: &Value) -> Outcome {
        let types = types(schema);
        let (name, own_format) = match value {
            Value::Bool(_) => ("boolean", ""),
            Value::String(_) => ("string", ""),
            Value::Number(number) if number.is_i64() => ("integer", "int64"),
            Value::Number(_) => ("number", "float64"),
            Value::Array(_) => ("array", ""),
            _ => ("object", ""),
        };
        let has = |name: &str| types.contains(&name);
        let whole = name == "number" && has("integer") && value.as_f64().is_some_and(numbers::is_whole);
        let fits = has(name) || whole || (name == "integer" && has("number"));
        let text_like = matches!(name, "string" | "array");
        let mut outcome = Outcome::default();
        outcome.matched();
        let wrong = match format {
            Some(format) if !text_like && !fits && own_format != format => {
                Some((format.to_owned(), own_format))
            }
            Some(_) if text_like && !has("number") && !has("integer") => None,
            _ if !fits => Some((types.join(","), name)),
            _ => None,
        };
        if let Some((expected, found)) = wrong {
            outcome = Outcome::default();
            outcome.add(self.wrong_type(&expected, found));
        }
        outcome
    }

    fn string(&self, checks: &Checks, format: Option<&str>, text: &str, outcome: &mut Outcome) {
        let length = || text.chars().count() as u64;
        let path = &self.path;
        if let Some(most) = checks.max_length.filter(|most| length() > *most) {
            let text = format!("{path} in body should be at most {most} chars long");
            let error = FieldError::too_long(self.field(path), most);
            outcome.add(Problem { error, text });
        } else if let Some(least) = checks.min_length.filter(|least| length() < *least) {
            let detail = format!("{path} in body should be at least {least} chars long");
            outcome.add(self.invalid(text, detail));
        } else if let Some(pattern) = checks.pattern.as_deref().filter(|it| !self.patterns.matches(it, text))
        {
            outcome.add(self.invalid(text, format!("{path} in body should match '{pattern}'")));
        }
        outcome.matched();
        if let Some(format) = format {
            if !formats::matches(format, text) {
                outcome.add(self.wrong_type(format, text));
            }
            outcome.matched();
        }
    }

    fn list(&mut self, schema: &Schema, checks: &Checks, items: &[Value], pair: Option<Pair<'_>>) -> Outcome {
        let mut outcome = Outcome::default();
        let length = self.path.len();
        if let Some(inner) = schema.items() {
            for (index, item) in items.iter().enumerate() {
                let _ = write!(self.path, "[{index}]");
                outcome.merge(self.node(inner, item, pair.and_then(|pair| pair.index(index))));
                self.path.truncate(length);
            }
        }
        let (path, size) = (&self.path, items.len() as u64);
        if let Some(least) = checks.min_items.filter(|least| size < *least) {
            outcome.add(self.invalid(size, format!("{path} in body should have at least {least} items")));
        }
        if let Some(most) = checks.max_items.filter(|most| size > *most) {
            let text = format!("{path} in body should have at most {most} items");
            outcome.add(Problem { error: FieldError::too_many(self.field(path), size, most), text });
        }
        if checks.unique_items && has_twins(items) {
            outcome.add(self.invalid("", format!("{path} in body shouldn't contain duplicates")));
        }
        outcome.matched();
        outcome
    }

    fn object(
        &mut self,
        schema: &Schema,
        checks: &Checks,
        fields: &Map<String, Value>,
        pair: Option<Pair<'_>>,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let size = fields.len() as u64;
        if let Some(least) = checks.min_properties.filter(|least| size < *least) {
            let path = &self.path;
            outcome
                .add(self.invalid(size, format!("{path} in body should have at least {least} properties")));
        }
        if let Some(most) = checks.max_properties.filter(|most| size > *most) {
            let text = format!("{} in body should have at most {most} properties", self.path);
            outcome.add(Problem { error: FieldError::too_many(self.field(&self.path), size, most), text });
        }
        let Shape::Object(object) = &schema.shape else { return outcome };
        let at_root = self.path.is_empty();
        let pair_of = |name: &str| match pair {
            // Old and new are brought to one version before, so a change of these cannot be seen.
            Some(_) if at_root && matches!(name, "apiVersion" | "kind") => None,
            pair => pair.and_then(|pair| pair.key(name)),
        };
        let length = self.path.len();
        if let Some(inner) = &object.additional {
            for (name, value) in fields.iter().filter(|(name, _)| !object.properties.contains_key(*name)) {
                self.path.extend([".", name]);
                outcome.merge(self.node(inner, value, pair_of(name)));
                self.path.truncate(length);
            }
        }
        for (name, inner) in &object.properties {
            if let Some(value) = fields.get(name) {
                if !at_root {
                    self.path.push('.');
                }
                self.path.push_str(name);
                outcome.merge(self.node(inner, value, pair_of(name)));
                self.path.truncate(length);
            }
        }
        for name in object.required.iter().filter(|name| !fields.contains_key(*name)) {
            let at = format!("{}.{name}", self.path);
            let text = format!("{at} in body is required");
            outcome.add(Problem { error: FieldError::required(self.field(&at), ""), text });
        }
        outcome
    }

    fn allowed(&self, checks: &Checks, value: &Value) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(allowed) = checks.allowed.as_ref().filter(|allowed| !allowed.is_empty()) else {
            return outcome;
        };
        if allowed.iter().any(|allowed| same(value, allowed)) {
            return outcome;
        }
        let words: Vec<String> = allowed
            .iter()
            .map(|allowed| allowed.as_str().map_or_else(|| json_text(allowed), str::to_owned))
            .collect();
        let quoted: Vec<_> = words.iter().map(|word| quote(word)).collect();
        let text = format!("{} in body should be one of [{}]", self.path, words.join(" "));
        let detail = format!("supported values: {}", quoted.join(", "));
        let error = FieldError::new(Mistake::NotSupported, self.field(&self.path), value.clone(), detail);
        outcome.add(Problem { error, text });
        outcome
    }

    fn wrong_type(&self, expected: &str, found: &str) -> Problem {
        let text = format!("{} in body must be of type {expected}: {}", self.path, quote(found));
        Problem { error: FieldError::type_invalid(self.field(&self.path), found, text.clone()), text }
    }

    pub(super) fn invalid(&self, value: impl Into<Value>, text: String) -> Problem {
        Problem { error: FieldError::invalid(self.field(&self.path), value, text.clone()), text }
    }

    /// A problem that the real server tells without a field.
    pub(super) fn plain(&self, text: String) -> Problem {
        Problem { error: FieldError::invalid(self.field(""), "", text.clone()), text }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    fn field(&self, path: &str) -> String {
        let path = path.strip_prefix('.').unwrap_or(path);
        match (self.prefix.is_empty(), path.is_empty()) {
            (true, true) => "<nil>".into(),
            (true, false) => path.into(),
            (false, true) => self.prefix.into(),
            (false, false) => format!("{}.{path}", self.prefix),
        }
    }
}

fn types(schema: &Schema) -> &'static [&'static str] {
    match schema.shape {
        _ if schema.untyped => &[],
        Shape::Any => &[],
        Shape::Object(_) => &["object"],
        Shape::Array(_) => &["array"],
        Shape::String => &["string"],
        Shape::Integer => &["integer"],
        Shape::Number => &["number"],
        Shape::Boolean => &["boolean"],
        Shape::IntOrString => &["integer", "string"],
    }
}

fn has_twins(items: &[Value]) -> bool {
    let mut seen = std::collections::HashSet::new();
    // Whole and broken numbers print differently here, as they are different there.
    items.iter().any(|item| !seen.insert(item.to_string()))
}

/// Whether a value is one of the allowed, after Go's conversion to the allowed one's type.
fn same(value: &Value, allowed: &Value) -> bool {
    match (value, allowed) {
        (Value::Number(value), Value::Number(allowed)) => match (Figure::of(value), Figure::of(allowed)) {
            (Figure::Float(value), Figure::Whole(allowed)) => numbers::truncate(value) == allowed,
            (value, allowed) => value.float().total_cmp(&allowed.float()).is_eq(),
        },
        (Value::Null, _) | (_, Value::Null) => false,
        (value, allowed) => value == allowed || display(value) == display(allowed),
    }
}
