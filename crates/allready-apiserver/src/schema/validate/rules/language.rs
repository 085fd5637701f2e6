//! The language that rules are written in: its syntax as Kubernetes has it switched on, and its functions.

use std::sync::Arc;

use kube_cel::{
    KubeCelExt,
    cel::{
        Context, ExecutionError, Value as Cel,
        extractors::This,
        parser::{Expression, Parser},
    },
};

use super::{bounds, cost};

/// An expression, read.
pub(crate) struct Program {
    expression: Expression,
    /// What it costs without its loops; `None` for what cannot be run.
    cost: Option<u64>,
    depth: usize,
}

impl Program {
    /// Reads an expression, with the syntax for optional fields (`self.?a`).
    pub(crate) fn compile(source: &str) -> Result<Self, String> {
        Self::compile_with(source, |_| ())
    }

    /// As [`Program::compile`], with a change of what was read.
    pub(crate) fn compile_with(source: &str, change: impl FnOnce(&mut Expression)) -> Result<Self, String> {
        let (depth, plain) = bounds::measure(source)?;
        let read = || {
            let parser = Parser::new().enable_optional_syntax(true).max_recursion_depth(2 * bounds::DEEPEST);
            let mut expression = parser.parse(&plain).map_err(|errors| errors.to_string())?;
            change(&mut expression);
            let cost = cost::watch(&mut expression);
            Ok(Self { expression, cost, depth })
        };
        bounds::roomy(depth, read)
    }

    /// How deep it nests.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// What it comes to, and what that cost.
    pub(crate) fn execute(&self, context: &Context<'_>) -> (Result<Cel, ExecutionError>, u64) {
        match self.cost {
            Some(cost) => cost::counted(cost, || Cel::resolve(&self.expression, context)),
            None => (Err(ExecutionError::NoSuchOverload), 0),
        }
    }

    /// The expression itself.
    pub(super) fn expression(&self) -> &Expression {
        &self.expression
    }

    /// Whether it speaks of a variable.
    pub(crate) fn uses(&self, variable: &str) -> bool {
        bounds::roomy(self.depth, || self.expression.references().has_variable(variable))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let expression = std::mem::take(&mut self.expression);
        bounds::roomy(self.depth, move || drop(expression));
    }
}

thread_local! {
    /// Every function that rules may call. Not to be shared between threads, so every thread has its own.
    static FUNCTIONS: Context<'static> = functions();
}

/// Runs something with the functions of Kubernetes.
pub(super) fn with_functions<T>(run: impl FnOnce(&Context<'static>) -> T) -> T {
    FUNCTIONS.with(run)
}

/// The functions of `kube-cel`, and those that it lacks or has otherwise than cel-go.
pub(crate) fn functions() -> Context<'static> {
    let mut context = Context::default().with_all();
    // Types are values in the language, which the crate does not know: their names do as well.
    context.add_function("type", |value: Cel| type_of(&value).to_owned());
    for name in TYPES {
        context.add_variable_from_value(name, name.to_owned());
    }
    context.add_function(cost::REPORT, cost::report);
    context.add_function("dyn", dynamic);
    context.add_function("size", size);
    context.add_function("string", string);
    context
}

const TYPES: [&str; 9] = ["bool", "bytes", "double", "int", "list", "map", "null_type", "string", "uint"];

fn type_of(value: &Cel) -> &'static str {
    match value {
        Cel::List(_) => "list",
        Cel::Map(_) => "map",
        Cel::Int(_) => "int",
        Cel::UInt(_) => "uint",
        Cel::Float(_) => "double",
        Cel::String(_) => "string",
        Cel::Bytes(_) => "bytes",
        Cel::Bool(_) => "bool",
        Cel::Null => "null_type",
        _ => "type",
    }
}

/// Without a type checker there is nothing to hide a type from.
#[expect(clippy::unnecessary_wraps, reason = "functions of the language return results")]
fn dynamic(value: Cel) -> Result<Cel, ExecutionError> {
    Ok(value)
}

/// Texts are counted in characters.
fn size(This(this): This<Cel>) -> Result<i64, ExecutionError> {
    let size = match &this {
        Cel::List(items) => items.len(),
        Cel::Map(fields) => fields.map.len(),
        Cel::String(text) => text.chars().count(),
        Cel::Bytes(bytes) => bytes.len(),
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    Ok(i64::try_from(size).unwrap_or(i64::MAX))
}

/// Times and durations are written as cel-go writes them.
fn string(This(this): This<Cel>) -> Result<Cel, ExecutionError> {
    let text = match &this {
        Cel::String(text) => text.to_string(),
        Cel::Int(number) => number.to_string(),
        Cel::UInt(number) => number.to_string(),
        Cel::Float(number) => number.to_string(),
        Cel::Bool(truth) => truth.to_string(),
        Cel::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Cel::Timestamp(time) => time.to_rfc3339().replace("+00:00", "Z"),
        Cel::Duration(duration) => {
            let nanoseconds = i64::from(duration.subsec_nanos()).unsigned_abs();
            let sign = if duration.num_seconds() < 0 || duration.subsec_nanos() < 0 { "-" } else { "" };
            let whole = format!("{sign}{}", duration.num_seconds().unsigned_abs());
            let fraction = format!(".{nanoseconds:09}");
            format!("{whole}{}s", fraction.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => return Err(ExecutionError::NoSuchOverload),
    };
    Ok(Cel::String(Arc::new(text)))
}
