//! Expressions of policies: compiled once, run with the variables of admission.
//!
//! Follows `pkg/admission/plugin/cel` (`compile.go`, `composition.go`, `activation.go`). The interpreter of
//! [`crate::schema::validate::rules`] runs them, after these changes of what was read:
//!
//! - `a.b` becomes `a["b"]`, which fails where `a` is no map; the interpreter takes it for `false` there.
//! - `a.?b` becomes `a[?"b"]`, which is none where there is no `b`; the interpreter nests or fails there.
//! - `==` of optional values is a function that compares them; to the interpreter no two of them are equal.
//! - `variables.x` and `authorizer.requestResource` become names of their own. A variable is computed when the first
//!   expression that names it runs, and what went wrong with it is told only to who uses it.
//! - `Object{…}` and `JSONPatch{…}` become maps.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use kube_cel::cel::{
    Context, ExecutionError, Value as Cel,
    common::ast::{
        CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue, MapEntryExpr,
        MapExpr, operators,
    },
    objects::{Key, Map},
};
use serde_json::Value;

use super::authorizer::{self, Authorizer};
use crate::schema::validate::rules::{OUT_OF_BUDGET, PER_OBJECT, Program, error_text, functions, roomy};

const VARIABLES: &str = "variables";
/// The comparison of optional values. No expression can name it.
const EQUAL: &str = "@equal";
const REQUEST_RESOURCE: &str = "authorizer.requestResource";

/// One expression of a policy.
pub(super) struct Expression {
    pub(super) source: String,
    program: Result<Program, String>,
    /// The variables of the policy that it names.
    uses: Vec<String>,
}

impl Expression {
    pub(super) fn compile(source: &str) -> Self {
        let mut uses = BTreeSet::new();
        let program = Program::compile_with(source, |expression| rewrite(expression, &mut uses));
        Self { source: source.to_owned(), program, uses: uses.into_iter().collect() }
    }

    fn depth(&self) -> usize {
        self.program.as_ref().map_or(0, Program::depth)
    }
}

/// The variables of a policy, in order.
#[derive(Default)]
pub(super) struct Variables(Vec<(String, Expression)>);

impl Variables {
    pub(super) fn read(list: &Value) -> Self {
        let text = |entry: &Value, field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        let list = list.as_array().into_iter().flatten();
        Self(list.map(|it| (text(it, "name"), Expression::compile(&text(it, "expression")))).collect())
    }

    /// The depth of the deepest expression, of these and of others.
    pub(super) fn depth_with<'e>(&self, others: impl Iterator<Item = &'e Expression>) -> usize {
        let own = self.0.iter().map(|(_, expression)| expression.depth());
        own.chain(others.map(Expression::depth)).max().unwrap_or_default()
    }
}

/// The variables of expressions.
pub(super) struct Inputs<'a> {
    pub(super) object: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
    pub(super) request: &'a Value,
    pub(super) params: Option<&'a Value>,
    pub(super) namespace: Option<&'a Value>,
    pub(super) authorizer: &'a Authorizer,
    pub(super) request_resource: &'a Authorizer,
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Trouble {
    /// This expression failed.
    Failed(String),
    /// Nothing more may be run.
    OutOfBudget,
}

impl Trouble {
    pub(super) fn into_text(self) -> String {
        match self {
            Self::Failed(text) => text,
            Self::OutOfBudget => OUT_OF_BUDGET.to_owned(),
        }
    }
}

/// Expressions of one policy on their way through one request.
pub(super) struct Evaluation<'a> {
    scope: Context<'a>,
    variables: &'a Variables,
    /// The variables that were computed, with what went wrong.
    computed: HashMap<usize, Option<String>>,
    /// The variables that are absent from this request.
    absent: Vec<&'static str>,
    spent: u64,
}

thread_local! {
    /// The functions of rules, and those of the authorizer.
    static FUNCTIONS: Context<'static> = {
        let mut context = functions();
        authorizer::add_functions(&mut context);
        context.add_function(EQUAL, |one: Cel, other: Cel| one == other);
        context
    };
}

/// Runs expressions of a policy that nest as deep as `depth`.
pub(super) fn evaluate<T>(
    depth: usize,
    variables: &Variables,
    inputs: &Inputs<'_>,
    run: impl FnOnce(&mut Evaluation<'_>) -> T,
) -> T {
    roomy(depth, || FUNCTIONS.with(|functions| run(&mut Evaluation::new(functions, variables, inputs))))
}

impl<'a> Evaluation<'a> {
    fn new(functions: &'a Context<'static>, variables: &'a Variables, inputs: &Inputs<'_>) -> Self {
        let mut scope = functions.new_inner_scope();
        let mut absent = Vec::new();
        let values = [
            ("object", inputs.object),
            ("oldObject", inputs.old),
            ("params", inputs.params),
            ("namespaceObject", inputs.namespace),
            ("request", Some(inputs.request)),
        ];
        for (name, value) in values {
            if value.is_none() {
                absent.push(name);
            }
            scope.add_variable_from_value(name, value.map_or(Cel::Null, to_cel));
        }
        scope.add_variable_from_value("authorizer", inputs.authorizer.clone().into_value());
        scope.add_variable_from_value(REQUEST_RESOURCE, inputs.request_resource.clone().into_value());
        Self { scope, variables, computed: HashMap::new(), absent, spent: 0 }
    }

    /// The value of an expression.
    pub(super) fn run(&mut self, expression: &Expression) -> Result<Cel, Trouble> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(error) => {
                return Err(Trouble::Failed(format!("compilation error: compilation failed: {error}")));
            }
        };
        self.prepare(&expression.uses, usize::MAX)?;
        let (outcome, spent) = program.execute(&self.scope);
        self.spend(spent)?;
        outcome.map_err(|error| {
            let text = self.text(&error, expression);
            Trouble::Failed(format!("expression '{}' resulted in error: {text}", expression.source))
        })
    }

    fn spend(&mut self, spent: u64) -> Result<(), Trouble> {
        self.spent = self.spent.saturating_add(spent);
        if self.spent > PER_OBJECT { Err(Trouble::OutOfBudget) } else { Ok(()) }
    }

    /// Computes variables that are named, among those before `end`.
    fn prepare(&mut self, names: &[String], end: usize) -> Result<(), Trouble> {
        let variables = self.variables;
        for name in names {
            let found = variables.0.iter().take(end).rposition(|(known, _)| known == name);
            let Some(index) = found.filter(|index| !self.computed.contains_key(index)) else { continue };
            let Some((_, expression)) = variables.0.get(index) else { continue };
            let problem = self.compute(name, index, expression)?;
            self.computed.insert(index, problem);
        }
        Ok(())
    }

    fn compute(
        &mut self,
        name: &str,
        index: usize,
        expression: &Expression,
    ) -> Result<Option<String>, Trouble> {
        let program = match &expression.program {
            Ok(program) => program,
            Err(error) => {
                return Ok(Some(format!(
                    "composited variable \"{name}\" fails to compile: compilation failed: {error}"
                )));
            }
        };
        self.prepare(&expression.uses, index)?;
        let (outcome, spent) = program.execute(&self.scope);
        self.spend(spent)?;
        Ok(match outcome {
            Ok(value) => {
                self.scope.add_variable_from_value(format!("{VARIABLES}.{name}"), value);
                None
            }
            Err(error) => {
                let text = self.text(&error, expression);
                Some(format!("composited variable \"{name}\" fails to evaluate: {text}"))
            }
        })
    }

    /// An error in the words of cel-go.
    fn text(&self, error: &ExecutionError, expression: &Expression) -> String {
        if let ExecutionError::UndeclaredReference(name) = error
            && let Some(variable) = name.strip_prefix("variables.")
        {
            let index = self.variables.0.iter().rposition(|(known, _)| known == variable);
            let problem = index.and_then(|index| self.computed.get(&index)?.clone());
            return problem.unwrap_or_else(|| format!("no such key: {variable}"));
        }
        if let Some(text) = error_text(error) {
            return text;
        }
        let field = self.absent.iter().find_map(|name| field_of(&expression.source, name));
        field.map_or_else(|| "no such overload".to_owned(), |field| format!("no such key: {field}"))
    }
}

/// The field that an expression selects of a variable first.
fn field_of<'s>(source: &'s str, variable: &str) -> Option<&'s str> {
    let at = source.match_indices(variable).find(|(at, _)| {
        let before = source.get(..*at).and_then(|before| before.chars().next_back());
        !before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == '.')
    })?;
    let rest = source.get(at.0 + variable.len()..)?.trim_start().strip_prefix('.')?.trim_start();
    let end = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
    rest.get(..end).filter(|field| !field.is_empty())
}

/// JSON as expressions see it: nothing is known of its types.
pub(super) fn to_cel(value: &Value) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(truth) => Cel::Bool(*truth),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Cel::Int(whole),
            None => Cel::Float(number.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(text) => Cel::String(Arc::new(text.clone())),
        Value::Array(items) => Cel::List(Arc::new(items.iter().map(to_cel).collect())),
        Value::Object(fields) => {
            let fields = fields.iter();
            let map =
                fields.map(|(name, value)| (Key::String(Arc::new(name.clone())), to_cel(value))).collect();
            Cel::Map(Map { map: Arc::new(map) })
        }
    }
}

fn text(id: u64, text: &str) -> IdedExpr {
    IdedExpr { id, expr: Expr::Literal(LiteralValue::String(text.into())) }
}

/// Makes the changes that the head of this file tells of.
fn rewrite(node: &mut IdedExpr, uses: &mut BTreeSet<String>) {
    let id = node.id;
    match &mut node.expr {
        Expr::Unspecified | Expr::Ident(_) | Expr::Literal(_) => {}
        Expr::Select(select) => {
            let root = match &select.operand.expr {
                Expr::Ident(name) => name.as_str(),
                _ => "",
            };
            if root == VARIABLES {
                uses.insert(select.field.clone());
                // Every variable is there; whether it has a value shows when it is used.
                node.expr = if select.test {
                    Expr::Literal(LiteralValue::Boolean(true.into()))
                } else {
                    Expr::Ident(format!("{VARIABLES}.{}", select.field))
                };
                return;
            }
            if root == "authorizer" && select.field == "requestResource" {
                node.expr = Expr::Ident(REQUEST_RESOURCE.to_owned());
                return;
            }
            rewrite(&mut select.operand, uses);
            if !select.test {
                let operand = std::mem::take(&mut *select.operand);
                let args = vec![operand, text(id, &select.field)];
                node.expr =
                    Expr::Call(CallExpr { func_name: operators::INDEX.to_owned(), target: None, args });
            }
        }
        Expr::Call(call) => {
            call.target.iter_mut().for_each(|target| rewrite(target, uses));
            call.args.iter_mut().for_each(|argument| rewrite(argument, uses));
            if call.func_name == operators::OPT_SELECT {
                operators::OPT_INDEX.clone_into(&mut call.func_name);
            }
            if call.args.iter().any(is_optional) {
                match call.func_name.as_str() {
                    operators::EQUALS => EQUAL.clone_into(&mut call.func_name),
                    operators::NOT_EQUALS => {
                        EQUAL.clone_into(&mut call.func_name);
                        let equal = IdedExpr { id, expr: Expr::Call(std::mem::take(call)) };
                        let func_name = operators::LOGICAL_NOT.to_owned();
                        node.expr = Expr::Call(CallExpr { func_name, target: None, args: vec![equal] });
                    }
                    _ => {}
                }
            }
        }
        Expr::List(list) => list.elements.iter_mut().for_each(|element| rewrite(element, uses)),
        Expr::Map(map) => map.entries.iter_mut().for_each(|entry| entry_values(entry, uses)),
        Expr::Struct(made) => {
            made.entries.iter_mut().for_each(|entry| entry_values(entry, uses));
            let entries = std::mem::take(&mut made.entries).into_iter().map(map_entry).collect();
            node.expr = Expr::Map(MapExpr { entries });
        }
        Expr::Comprehension(loops) => {
            let ComprehensionExpr { iter_range, accu_init, loop_cond, loop_step, result, .. } =
                loops.as_mut();
            for part in [iter_range, accu_init, loop_cond, loop_step, result] {
                rewrite(part, uses);
            }
        }
    }
}

/// Tells whether an expression clearly comes to an optional value, which the interpreter cannot compare.
fn is_optional(node: &IdedExpr) -> bool {
    let Expr::Call(call) = &node.expr else { return false };
    let target = call.target.as_ref().map(|target| &target.expr);
    call.func_name == operators::OPT_INDEX || target == Some(&Expr::Ident("optional".to_owned()))
}

fn entry_values(entry: &mut IdedEntryExpr, uses: &mut BTreeSet<String>) {
    match &mut entry.expr {
        EntryExpr::StructField(field) => rewrite(&mut field.value, uses),
        EntryExpr::MapEntry(entry) => {
            rewrite(&mut entry.key, uses);
            rewrite(&mut entry.value, uses);
        }
    }
}

fn map_entry(entry: IdedEntryExpr) -> IdedEntryExpr {
    let expr = match entry.expr {
        EntryExpr::StructField(field) => EntryExpr::MapEntry(MapEntryExpr {
            key: text(entry.id, &field.field),
            value: field.value,
            optional: field.optional,
        }),
        other @ EntryExpr::MapEntry(_) => other,
    };
    IdedEntryExpr { id: entry.id, expr }
}
