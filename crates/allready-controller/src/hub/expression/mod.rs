//! Conditions that an expression makes, for kinds that do not have them.
//!
//! The language is CEL with the functions of Kubernetes, over one variable, `object`. The interpreter does not count what it
//! does, so what it is given is bounded instead:
//!
//! - An expression has at most 1,024 characters and 64 brackets, and its tree is at most 64 levels high ([`tree`]).
//! - The object has at most 256 KiB of names and values, and no list or map in it has more than 1,024 entries ([`value`]).
//!   `metadata.managedFields` is not shown.
//! - Loops report every turn, and all turns together may evaluate 50,000 nodes of the tree ([`tree`]).
//! - The functions `format`, `join`, `replace` and `lists.range` are refused: each can make much of little.
//!
//! So an expression that was written in good faith stays cheap whatever a cluster sends. It is no sandbox for its author: one
//! that doubles a value a few dozen times can be written, and who may write a `StatusAggregation` is trusted not to.
//!
//! Optional fields (`object.?status`) are not read: the interpreter takes an absent one for null, and an answer that is wrong
//! without a word is worse than none. Ask with `has(object.status)`.
//!
//! There is no type checker. What gives no truth value without an object is refused when it is read; what gives one for some
//! objects alone is found out when it runs.

mod tree;
mod value;

use std::{cell::Cell, fmt, panic, sync::Arc, thread};

use allready_core::condition::cut;
use kube_cel::{
    KubeCelExt,
    cel::{Context, ExecutionError, IdedExpr, Value as Cel, parser::Parser},
};
use serde_json::json;

pub use value::Shown;

/// The most characters of an expression.
const MAX_CHARACTERS: usize = 1024;
/// The most nodes of the tree that all turns of all loops may evaluate.
const STEPS: u64 = 50_000;
/// Room for the parser, which takes much of it for every bracket. Only what is used is taken from the machine.
const ROOM_TO_READ: usize = 256 << 20;
/// Room for the highest tree to run.
const ROOM_TO_RUN: usize = 16 << 20;
/// Up to this height a tree runs on any stack: a level takes 40 KiB of it where nothing is optimised.
const LOW: usize = 16;

/// An expression that can be evaluated: CEL with the functions of Kubernetes, without optional fields (`object.?status`).
///
/// The interpreter counts nothing, so what it is given is bounded: 1,024 characters and 64 brackets of an expression, 256 KiB
/// and lists of 1,024 entries of an object, 50,000 nodes of the tree in all turns of loops together. What goes beyond fails.
/// That keeps clusters from making it costly, not the author of the expression, who is trusted.
///
/// ```
/// use allready_controller::hub::{Expression, Outcome, Shown};
/// use serde_json::json;
///
/// let all_there = Expression::compile("object.status.readyReplicas == object.spec.replicas").unwrap();
/// let on = |object| all_there.evaluate(&Shown::of(&object).unwrap());
/// assert_eq!(on(json!({"spec": {"replicas": 2}, "status": {"readyReplicas": 2}})), Outcome::Truth(true));
/// assert_eq!(on(json!({"spec": {"replicas": 2}, "status": {"readyReplicas": 1}})), Outcome::Truth(false));
/// assert_eq!(
///     on(json!({"spec": {"replicas": 2}})),
///     Outcome::Failed("there is no field \"status\": ask with has() first".into())
/// );
/// assert_eq!(
///     Expression::compile("1 + 1").unwrap_err().to_string(),
///     "expression \"1 + 1\" gives a number: make it give true or false"
/// );
/// ```
#[derive(Clone)]
pub struct Expression {
    source: Arc<str>,
    tree: Arc<IdedExpr>,
    height: usize,
}

/// An expression that cannot be evaluated on any object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expression {source_text:?} {why}")]
pub struct InvalidExpression {
    /// The expression, shortened.
    pub source_text: String,
    /// Why not, as the second half of a sentence.
    pub why: String,
}

/// The result of an expression on one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It holds, or it does not.
    Truth(bool),
    /// It gives something else than a truth value, or speaks of what there is on no object: it is wrong itself.
    Invalid(String),
    /// It cannot be evaluated on this object, and why.
    Failed(String),
}

impl Expression {
    /// Reads an expression.
    pub fn compile(source: &str) -> Result<Self, InvalidExpression> {
        let invalid = |why: String| InvalidExpression {
            source_text: cut(source, 256).into_owned(),
            why: one_line(&why),
        };
        tree::check_text(source).map_err(invalid)?;
        let read = || {
            let mut tree = Parser::new().enable_optional_syntax(false).parse(source).map_err(|errors| {
                let first = errors.errors.first().map(|error| error.msg.clone()).unwrap_or_default();
                format!("cannot be read: {first}")
            })?;
            let height = tree::prepare(&mut tree)?;
            Ok((tree, height))
        };
        let read = roomy(ROOM_TO_READ, read).unwrap_or_else(|| Err("cannot be read".into()));
        let (tree, height) = read.map_err(invalid)?;
        let expression = Self { source: source.into(), tree: Arc::new(tree), height };
        // Names and functions that there are not, and what can never be a truth value, show on any object.
        match Shown::of(&json!({})).map(|nothing| expression.evaluate(&nothing)) {
            Ok(Outcome::Invalid(why)) => Err(invalid(why)),
            _ => Ok(expression),
        }
    }

    /// The expression as it was written.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Evaluates it on an object.
    pub fn evaluate(&self, object: &Shown) -> Outcome {
        let run = || self.run(object);
        // The interpreter is somebody else's: its mistakes should cost one answer, not the controller.
        let outcome = if self.height <= LOW {
            panic::catch_unwind(panic::AssertUnwindSafe(run)).ok()
        } else {
            roomy(ROOM_TO_RUN, run)
        };
        outcome.unwrap_or_else(|| Outcome::Failed("the interpreter failed".into()))
    }

    fn run(&self, object: &Shown) -> Outcome {
        SPENT.set(0);
        let result = FUNCTIONS.with(|functions| {
            let mut scope = functions.new_inner_scope();
            scope.add_variable_from_value("object", object.value());
            Cel::resolve(&self.tree, &scope)
        });
        if SPENT.get() > STEPS {
            return Outcome::Failed(OUT_OF_STEPS.into());
        }
        match result {
            Ok(Cel::Bool(truth)) => Outcome::Truth(truth),
            Ok(other) => {
                Outcome::Invalid(format!("gives {}: make it give true or false", value::describe(&other)))
            }
            Err(ExecutionError::UndeclaredReference(name)) => Outcome::Invalid(format!(
                "speaks of {:?}, which is not known: there are `object` and the functions of Kubernetes",
                cut(&name, 64)
            )),
            Err(error) => Outcome::Failed(one_line(&words(&error))),
        }
    }
}

/// Does something on a stack of this size; none where there is none to be had, or where it panics.
fn roomy<T: Send>(room: usize, run: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| thread::Builder::new().stack_size(room).spawn_scoped(scope, run).ok()?.join().ok())
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.source).finish()
    }
}

const OUT_OF_STEPS: &str = "its loops take too many turns on this object";

thread_local! {
    /// The costs that the loops of the running expression have reported.
    static SPENT: Cell<u64> = const { Cell::new(0) };
    /// Every function that an expression may call. It is not made to be shared by threads.
    static FUNCTIONS: Context<'static> = functions();
}

fn functions() -> Context<'static> {
    let mut context = Context::default().with_all();
    context.add_function(tree::REPORT, report);
    let [(_, equal), (_, unequal), (_, within)] = tree::OPERATORS;
    context.add_function(equal, |one: Cel, other: Cel| one == other);
    context.add_function(unequal, |one: Cel, other: Cel| one != other);
    context.add_function(within, value::is_within);
    context
}

/// One turn of a loop, which evaluates this many nodes.
fn report(nodes: i64) -> Result<bool, ExecutionError> {
    let spent = SPENT.get().saturating_add(nodes.unsigned_abs());
    SPENT.set(spent);
    if spent > STEPS {
        return Err(ExecutionError::function_error("loop", OUT_OF_STEPS));
    }
    Ok(true)
}

/// Why an evaluation failed. The values that took part are not told: they are not for everybody who may read a status.
fn words(error: &ExecutionError) -> String {
    match error {
        ExecutionError::NoSuchKey(key) => {
            format!("there is no field {:?}: ask with has() first", cut(key, 64))
        }
        ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => "division by zero".into(),
        ExecutionError::Overflow(..) => "a number is too large".into(),
        ExecutionError::IndexOutOfBounds(_) => "the list is shorter than that".into(),
        ExecutionError::FunctionError { function, .. } => {
            format!("the function {} cannot be used on this", cut(function, 64))
        }
        _ => "the values do not fit the operator or function".into(),
    }
}

fn one_line(text: &str) -> String {
    cut(&text.split_whitespace().collect::<Vec<_>>().join(" "), 512).into_owned()
}

#[cfg(test)]
mod tests;
