//! `${name}` in paths and bodies.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value};

/// What the variables of one run stand for.
#[derive(Clone, Debug)]
pub struct Variables(BTreeMap<String, Value>);

impl Variables {
    /// The variables that every script starts with.
    pub fn new(script: &str, run: &str) -> Self {
        let script = script.replace('_', "-");
        let mut variables = Self(BTreeMap::new());
        variables.set("run", run.into());
        variables.set("name", "x".into());
        variables.set("ns", format!("{script}-{run}").into());
        variables.set("group", format!("{script}.{run}.example.com").into());
        variables
    }

    /// Sets one.
    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    /// A text with its variables replaced. An unknown one is replaced by a word that no server knows, so that a script goes
    /// on, and the difference shows, when one server did not give what was to be captured.
    pub fn expand(&self, text: &str) -> Result<String> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, behind) =
                after.split_once('}').with_context(|| format!("{text:?} has an open ${{"))?;
            expanded.push_str(before);
            match self.0.get(name) {
                Some(Value::String(value)) => expanded.push_str(value),
                Some(value) => expanded.push_str(&value.to_string()),
                None => expanded.push_str("unset"),
            }
            rest = behind;
        }
        expanded.push_str(rest);
        Ok(expanded)
    }

    /// A document with its variables replaced; a text that is nothing but one variable becomes what was captured.
    pub fn expand_value(&self, value: &Value) -> Result<Value> {
        self.expand_bounded(value, 0)
    }

    fn expand_bounded(&self, value: &Value, depth: usize) -> Result<Value> {
        if depth > 100 {
            bail!("a body is nested too deeply for a script; write it as `raw`");
        }
        Ok(match value {
            Value::String(text) => match text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
                Some(name) if self.0.contains_key(name) => self.0[name].clone(),
                _ => self.expand(text)?.into(),
            },
            Value::Array(items) => items
                .iter()
                .map(|item| self.expand_bounded(item, depth + 1))
                .collect::<Result<Vec<_>>>()?
                .into(),
            Value::Object(fields) => match fields.get("$from").and_then(Value::as_str) {
                Some(name) => {
                    let mut base = self.0.get(name).cloned().unwrap_or_default();
                    let patch =
                        self.expand_bounded(fields.get("$merge").unwrap_or(&Value::Null), depth + 1)?;
                    if !patch.is_null() {
                        merge(&mut base, &patch);
                    }
                    base
                }
                None => fields
                    .iter()
                    .map(|(name, field)| Ok((self.expand(name)?, self.expand_bounded(field, depth + 1)?)))
                    .collect::<Result<Map<_, _>>>()?
                    .into(),
            },
            other => other.clone(),
        })
    }
}

/// A JSON merge patch, as a client edits an object.
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(fields) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Map::new().into();
    }
    let Value::Object(object) = target else { return };
    for (name, field) in fields {
        if field.is_null() {
            object.remove(name);
        } else {
            merge(object.entry(name.clone()).or_insert(Value::Null), field);
        }
    }
}
