//! CEL rules (`x-kubernetes-validations`).
//!
//! The language and the functions of Kubernetes come from `kube-cel`. Its own pipeline knows neither the schema model used
//! here nor ratcheting nor the texts of the server, so rules are compiled, walked and told here. What it cannot do:
//!
//! - It has no type checker. A rule that does not parse, or selects a field of `self` that the schema does not have, or
//!   clearly gives no truth value, is refused when the definition is created; other type errors show only when the rule
//!   runs.
//! - The estimate of costs at creation is not made: a rule that could become too costly is accepted. What it costs when it
//!   runs is counted roughly, and limited ([`cost`]).
//! - Lists of type set and map compare and add as plain lists.
//! - A chain of optional fields whose last one is absent (`self.?a.?b`) has the value `null` instead of none.
//! - Two-variable comprehensions (`all(i, v, …)`, `transformList`) and `sortBy` are unknown to it: a rule with one fails when
//!   it runs.

mod bounds;
mod check;
mod cost;
pub(crate) mod declared;
mod language;
#[cfg(test)]
mod tests;
mod values;

use std::{collections::BTreeMap, sync::Arc};

use kube_cel::cel::{ExecutionError, Value as Cel, objects::OptionalValue};
use serde_json::{Map, Value};

use super::{
    correlate::{Pair, follow},
    path,
};
use crate::{
    schema::{Rule, Schema, Shape, prune::DEEPEST_OBJECT},
    status::{FieldError, Mistake},
};

pub(crate) use bounds::roomy;
pub(crate) use check::{Wants, field_path, problems, walk_path};
pub(crate) use cost::{OUT_OF_BUDGET, PER_OBJECT};
pub(crate) use language::{Program, functions};

/// The rules of a schema, compiled; nodes without any are left out.
pub(super) struct Node {
    schema: Arc<Schema>,
    rules: Vec<Compiled>,
    root: bool,
    properties: BTreeMap<String, Node>,
    additional: Option<Box<Node>>,
    items: Option<Box<Node>>,
    /// How deep the deepest rule nests, here and below.
    depth: usize,
}

struct Compiled {
    rule: Rule,
    program: Result<Program, String>,
    message: Option<Program>,
    uses_old: bool,
}

impl Compiled {
    fn of(rule: &Rule) -> Self {
        let program = Program::compile(&rule.rule);
        let uses_old = program.as_ref().is_ok_and(|program| program.uses("oldSelf"));
        let message = rule.message_expression.as_deref().and_then(|source| Program::compile(source).ok());
        Self { rule: rule.clone(), program, message, uses_old }
    }

    fn depth(&self) -> usize {
        let programs = self.program.iter().chain(&self.message);
        programs.map(Program::depth).max().unwrap_or_default()
    }
}

impl Node {
    /// Compiles what is below a schema; `None` when there is no rule.
    pub(super) fn of(schema: &Arc<Schema>) -> Option<Self> {
        Self::compile(schema, true)
    }

    fn compile(schema: &Arc<Schema>, root: bool) -> Option<Self> {
        let rules = schema.checks.as_deref().map(|checks| checks.rules.as_slice()).unwrap_or_default();
        let mut node = Self {
            schema: schema.clone(),
            rules: rules.iter().map(Compiled::of).collect(),
            root,
            properties: BTreeMap::new(),
            additional: None,
            items: None,
            depth: 0,
        };
        match &schema.shape {
            Shape::Object(object) => {
                for (name, inner) in &object.properties {
                    if let Some(child) = Self::compile(inner, inner.embedded) {
                        node.properties.insert(name.clone(), child);
                    }
                }
                let additional = object.additional.as_ref();
                node.additional =
                    additional.and_then(|inner| Self::compile(inner, inner.embedded)).map(Box::new);
            }
            Shape::Array(array) => {
                node.items = Self::compile(&array.items, array.items.embedded).map(Box::new);
            }
            _ => {}
        }
        let empty = node.rules.is_empty()
            && node.properties.is_empty()
            && node.additional.is_none()
            && node.items.is_none();
        let rules = node.rules.iter().map(Compiled::depth);
        let below = node.properties.values().chain(node.additional.as_deref()).chain(node.items.as_deref());
        node.depth = rules.chain(below.map(|child| child.depth)).max().unwrap_or_default();
        (!empty).then_some(node)
    }

    /// Which rules fail, and what would have failed but has not changed: errors and warnings.
    pub(super) fn check(
        &self,
        at: &str,
        new: &Value,
        old: Option<&Value>,
        pair: Option<Pair<'_>>,
    ) -> Failures {
        bounds::roomy(self.depth, || {
            let mut failures = Failures::default();
            self.node(new, old, Ratchet { pair, nearest: None }, at, 0, &mut failures);
            failures
        })
    }

    fn node(
        &self,
        new: &Value,
        old: Option<&Value>,
        ratchet: Ratchet<'_>,
        at: &str,
        depth: usize,
        failures: &mut Failures,
    ) {
        if new.is_null() || depth > DEEPEST_OBJECT || failures.over {
            return;
        }
        let old = old.filter(|old| !old.is_null());
        if !self.rules.is_empty() {
            self.rules(new, old, ratchet, at, failures);
        }
        match new {
            Value::Object(fields) => {
                let old = old.and_then(Value::as_object);
                self.fields(fields, old, ratchet, at, depth, failures);
            }
            Value::Array(items) => {
                let Some(inner) = &self.items else { return };
                let old = old.and_then(Value::as_array);
                for (index, item) in items.iter().enumerate() {
                    let old = old.and_then(|old| follow(&self.schema, old, item));
                    inner.node(item, old, ratchet.index(index), &path::index(at, index), depth + 1, failures);
                }
            }
            _ => {}
        }
    }

    fn fields(
        &self,
        fields: &Map<String, Value>,
        old: Option<&Map<String, Value>>,
        ratchet: Ratchet<'_>,
        at: &str,
        depth: usize,
        failures: &mut Failures,
    ) {
        for (name, value) in fields {
            let old = old.and_then(|old| old.get(name));
            if let Some(inner) = &self.additional {
                inner.node(value, old, ratchet.key(name), &path::key(at, name), depth + 1, failures);
            }
            if let Some(inner) = self.properties.get(name) {
                inner.node(value, old, ratchet.key(name), &path::child(at, name), depth + 1, failures);
            }
        }
    }

    fn rules(
        &self,
        new: &Value,
        old: Option<&Value>,
        ratchet: Ratchet<'_>,
        at: &str,
        failures: &mut Failures,
    ) {
        let this = values::convert(&self.schema, new, self.root);
        let before = old
            .filter(|_| self.rules.iter().any(|compiled| compiled.uses_old))
            .map(|old| values::convert(&self.schema, old, self.root));
        for compiled in &self.rules {
            if compiled.uses_old && before.is_none() && !compiled.rule.optional_old_self {
                continue;
            }
            let before = match (&before, compiled.rule.optional_old_self) {
                (Some(before), true) => Some(Cel::Opaque(Arc::new(OptionalValue::of(before.clone())))),
                (None, true) => Some(Cel::Opaque(Arc::new(OptionalValue::none()))),
                (before, false) => before.clone(),
            };
            let (error, spent) = self.one(compiled, new, &this, before.as_ref(), at);
            failures.spent = failures.spent.saturating_add(spent);
            let broke = failures.spent > cost::PER_OBJECT;
            if spent > cost::PER_CALL || broke {
                failures.over = true;
                let out = FieldError::invalid(path::or_nil(at), type_name(&self.schema), cost::OUT_OF_BUDGET);
                failures.errors.extend(match error {
                    Some(Failed::Broken(error)) if !broke => Some(error),
                    _ => Some(out),
                });
                return;
            }
            let Some(error) = error else { continue };
            // A rule that could not be evaluated is told even about what has not changed.
            let failed = matches!(error, Failed::False(_));
            let error = match error {
                Failed::False(error) | Failed::Broken(error) => error,
            };
            if failed && !compiled.uses_old && ratchet.unchanged() {
                failures.warnings.push(error.to_string());
            } else {
                failures.errors.push(error);
            }
        }
    }

    fn one(
        &self,
        compiled: &Compiled,
        new: &Value,
        this: &Cel,
        before: Option<&Cel>,
        at: &str,
    ) -> (Option<Failed>, u64) {
        let rule = &compiled.rule;
        let told = rule.message.as_deref().unwrap_or(&rule.rule).trim();
        let broken = |detail: String| {
            Some(Failed::Broken(FieldError::invalid(path::or_nil(at), type_name(&self.schema), detail)))
        };
        let program = match &compiled.program {
            Ok(program) => program,
            Err(error) => return (broken(format!("rule compile error: {error}")), 0),
        };
        // It is looked at only where its name is.
        let misfit = values::misfit(&self.schema, new, "");
        if let Some((_, text)) = misfit.filter(|(name, _)| rule.rule.contains(name)) {
            return (broken(format!("{text} evaluating rule: {told}")), 0);
        }
        let (outcome, spent) = run(program, this, before);
        match outcome {
            Ok(Cel::Bool(true)) => return (None, spent),
            Ok(_) => {}
            Err(ExecutionError::FunctionError { message, .. }) if message == cost::EXCEEDED => {
                let what = "no further validation rules will be run due to call cost exceeds limit for rule";
                return (broken(format!("'{message}': {what}: {told}")), cost::PER_CALL + 1);
            }
            Err(error) => {
                let error = broken(match error_text(&error) {
                    None => format!(
                        "'no such overload': call arguments did not match a supported operator, function or macro \
                         signature for rule: {told}"
                    ),
                    Some(text) => format!("{text} evaluating rule: {told}"),
                });
                return (error, spent);
            }
        }
        let said = compiled.message.as_ref().and_then(|program| message(program, this, before));
        let detail = said.unwrap_or_else(|| match &rule.message {
            Some(message) => message.trim().to_owned(),
            None => format!("failed rule: {told}"),
        });
        let field = match rule.field_path.as_deref().and_then(|path| field_path(path, &self.schema).ok()) {
            Some(below) => path::child(at, &below),
            None => path::or_nil(at),
        };
        let mistake = match rule.reason.as_deref() {
            Some("FieldValueForbidden") => Mistake::Forbidden,
            Some("FieldValueRequired") => Mistake::Required,
            Some("FieldValueDuplicate") => Mistake::Duplicate,
            _ => Mistake::Invalid,
        };
        let detail = if mistake == Mistake::Duplicate { String::new() } else { detail };
        let error = FieldError::new(mistake, field, new.clone(), detail);
        let compound =
            matches!(self.schema.shape, Shape::Object(_) | Shape::Array(_)) && !self.schema.untyped;
        (Some(Failed::False(if compound { error.without_value() } else { error })), spent)
    }
}

enum Failed {
    /// The rule said no.
    False(FieldError),
    /// The rule could not be asked.
    Broken(FieldError),
}

/// What rules came to.
#[derive(Default)]
pub(super) struct Failures {
    pub(super) errors: Vec<FieldError>,
    pub(super) warnings: Vec<String>,
    /// What the rules have cost so far.
    spent: u64,
    /// Whether no further rule is run.
    over: bool,
}

/// What decides whether a failure is forgiven: this node, or the nearest above it that has a predecessor.
#[derive(Clone, Copy)]
struct Ratchet<'a> {
    pair: Option<Pair<'a>>,
    nearest: Option<Pair<'a>>,
}

impl Ratchet<'_> {
    fn unchanged(self) -> bool {
        self.pair.or(self.nearest).is_some_and(Pair::unchanged)
    }

    fn key(self, name: &str) -> Self {
        match self.pair {
            None => self,
            Some(_) if self.nearest.is_none() && matches!(name, "apiVersion" | "kind") => {
                Self { pair: None, nearest: None }
            }
            Some(pair) => Self { pair: pair.key(name), nearest: Some(pair) },
        }
    }

    fn index(self, index: usize) -> Self {
        match self.pair {
            None => self,
            Some(pair) => Self { pair: pair.index(index), nearest: Some(pair) },
        }
    }
}

fn run(program: &Program, this: &Cel, before: Option<&Cel>) -> (Result<Cel, ExecutionError>, u64) {
    language::with_functions(|functions| {
        let mut scope = functions.new_inner_scope();
        scope.add_variable_from_value("self", this.clone());
        if let Some(before) = before {
            scope.add_variable_from_value("oldSelf", before.clone());
        }
        program.execute(&scope)
    })
}

/// What a message expression says; nothing when it says nothing sensible.
fn message(program: &Program, this: &Cel, before: Option<&Cel>) -> Option<String> {
    let (Ok(Cel::String(text)), _) = run(program, this, before) else { return None };
    let text = text.trim();
    (!text.is_empty() && text.len() <= 5 * 1024 && !text.contains('\n')).then(|| text.to_owned())
}

/// An error in the words of cel-go; `None` for arguments that nothing is defined for.
pub(crate) fn error_text(error: &ExecutionError) -> Option<String> {
    Some(match error {
        ExecutionError::NoSuchKey(key) => format!("no such key: {key}"),
        ExecutionError::DivisionByZero(_) => "division by zero".into(),
        ExecutionError::RemainderByZero(_) => "modulus by zero".into(),
        ExecutionError::Overflow(..) => "integer overflow".into(),
        ExecutionError::IndexOutOfBounds(Cel::Int(index)) => format!("index out of bounds: {index}"),
        ExecutionError::FunctionError { function, .. } if function == "quantity" => {
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
                .into()
        }
        ExecutionError::FunctionError { message, .. } => message.clone(),
        ExecutionError::NoSuchOverload
        | ExecutionError::UnsupportedBinaryOperator(..)
        | ExecutionError::UnsupportedUnaryOperator(..)
        | ExecutionError::ValuesNotComparable(..) => return None,
        other => other.to_string(),
    })
}

/// How the schema names its type.
fn type_name(schema: &Schema) -> &'static str {
    match schema.shape {
        _ if schema.untyped => "",
        Shape::Any | Shape::IntOrString => "",
        Shape::Object(_) => "object",
        Shape::Array(_) => "array",
        Shape::String => "string",
        Shape::Integer => "integer",
        Shape::Number => "number",
        Shape::Boolean => "boolean",
    }
}
