//! What a rule costs to run, and where it ends.
//!
//! cel-go counts a unit for a name, a field and a call, more for a literal list or map, and stops a rule that has used up a
//! million. The interpreter here does not count, but its loops are the only thing in the language that can take long: every
//! one of them is made to report, before each turn, what that turn will cost. The length of texts is not counted.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use kube_cel::cel::{
    ExecutionError,
    common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedExpr, LiteralValue},
};

/// What one rule may cost.
pub(super) const PER_CALL: u64 = 1_000_000;
/// What all rules of an object may cost together.
pub(crate) const PER_OBJECT: u64 = 10_000_000;
/// The message of the real server when that is used up.
pub(crate) const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";
/// Whatever was counted: nobody waits longer than this for one rule. What is counted is the limit on any machine; this one is for texts
/// of megabytes, and must not be met by a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
/// How deep an expression may nest. What is read is never deeper, even though a macro stands for several levels.
const DEEPEST: usize = 4000;

/// The function that loops report to. No rule can name it.
pub(super) const REPORT: &str = "@report";
/// What cel-go says when the limit is reached.
pub(super) const EXCEEDED: &str = "operation cancelled: actual cost limit exceeded";

thread_local! {
    static SPENT: Cell<(u64, Option<Instant>)> = const { Cell::new((0, None)) };
}

/// Runs something that may report what it costs, and says what it cost.
pub(super) fn counted<T>(base: u64, run: impl FnOnce() -> T) -> (T, u64) {
    SPENT.set((base, None));
    let result = run();
    (result, SPENT.get().0)
}

/// One turn of a loop.
pub(super) fn report(cost: i64) -> Result<bool, ExecutionError> {
    let (spent, began) = SPENT.get();
    let spent = spent.saturating_add(cost.unsigned_abs());
    let began = began.unwrap_or_else(Instant::now);
    SPENT.set((spent, Some(began)));
    if spent > PER_CALL || spent % 64 == 0 && began.elapsed() > PATIENCE {
        return Err(ExecutionError::FunctionError { function: REPORT.into(), message: EXCEEDED.into() });
    }
    Ok(true)
}

/// Makes every loop of an expression report, and returns what the expression costs without its loops; `None` for one that
/// the interpreter cannot run.
pub(super) fn watch(expression: &mut IdedExpr) -> Option<u64> {
    node(expression, 0)
}

fn node(expression: &mut IdedExpr, depth: usize) -> Option<u64> {
    if depth > DEEPEST {
        return None;
    }
    let inner = |expressions: &mut dyn Iterator<Item = &mut IdedExpr>| {
        let mut sum = 0_u64;
        for expression in expressions {
            sum = sum.saturating_add(node(expression, depth + 1)?);
        }
        Some(sum)
    };
    Some(match &mut expression.expr {
        // There are no types whose literals could be written.
        Expr::Unspecified | Expr::Struct(_) => return None,
        Expr::Literal(_) => 0,
        Expr::Ident(_) => 1,
        Expr::Select(select) => 1 + node(&mut select.operand, depth + 1)?,
        Expr::Call(call) => {
            let mut costs = Vec::new();
            for expression in call.target.as_deref_mut().into_iter().chain(&mut call.args) {
                costs.push(node(expression, depth + 1)?);
            }
            call_cost(call, &costs)
        }
        Expr::List(list) => 10 + inner(&mut list.elements.iter_mut())?,
        Expr::Map(map) => {
            let mut cost = 30_u64;
            for entry in &mut map.entries {
                let EntryExpr::MapEntry(entry) = &mut entry.expr else { return None };
                cost = cost.saturating_add(inner(&mut [&mut entry.key, &mut entry.value].into_iter())?);
            }
            cost
        }
        Expr::Comprehension(loops) => {
            let ComprehensionExpr { iter_range, accu_init, loop_cond, loop_step, result, .. } =
                loops.as_mut();
            let once = inner(&mut [iter_range, accu_init, result].into_iter())?;
            let turn = inner(&mut [&mut *loop_cond, loop_step].into_iter())?;
            let condition = std::mem::take(loop_cond);
            *loop_cond = reporting(turn, condition);
            once
        }
    })
}

/// What a call costs with its arguments. Of what may be skipped, the cheaper way is counted: a rule is rather let through
/// than stopped too early.
fn call_cost(call: &CallExpr, arguments: &[u64]) -> u64 {
    let first = arguments.first().copied().unwrap_or_default();
    let loops = call
        .args
        .first()
        .is_some_and(|first| matches!(&first.expr, Expr::Ident(name) if name.starts_with('@')));
    match (call.func_name.as_str(), arguments) {
        ("_&&_" | "_||_", _) if !loops => first,
        ("_?_:_", [condition, one, other]) => condition.saturating_add(*one.min(other)),
        ("_&&_" | "_||_" | "!_" | "@not_strictly_false", _) => sum(arguments),
        _ => sum(arguments).saturating_add(1),
    }
}

fn sum(costs: &[u64]) -> u64 {
    costs.iter().fold(0, |sum, cost| sum.saturating_add(*cost))
}

/// `@report(cost) ? condition : false`.
fn reporting(cost: u64, condition: IdedExpr) -> IdedExpr {
    let bare = |expr| IdedExpr { id: condition.id, expr };
    let cost = i64::try_from(cost.max(1)).unwrap_or(i64::MAX);
    let report = bare(Expr::Call(CallExpr {
        func_name: REPORT.into(),
        target: None,
        args: vec![bare(Expr::Literal(LiteralValue::Int(cost.into())))],
    }));
    let never = bare(Expr::Literal(LiteralValue::Boolean(false.into())));
    let id = condition.id;
    let args = vec![report, condition, never];
    IdedExpr { id, expr: Expr::Call(CallExpr { func_name: "_?_:_".into(), target: None, args }) }
}
