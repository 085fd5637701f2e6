//! Bounds on an expression: before anything that recurses reads its text, and on its tree.

use kube_cel::cel::common::ast::{CallExpr, EntryExpr, Expr, IdedExpr, LiteralValue};

use super::MAX_CHARACTERS;

/// The most brackets that may be opened, and conditions (`a ? b : c`) begun.
const MAX_BRACKETS: usize = 64;
/// The most levels of a tree.
const MAX_HEIGHT: usize = 64;

/// The function that loops report to. No expression can name it.
pub(super) const REPORT: &str = "@report";

/// Operators that do not take `3` and `3.0` for one number, and the functions that do. No expression can name those.
pub(super) const OPERATORS: [(&str, &str); 3] =
    [("_==_", "@equal"), ("_!=_", "@unequal"), ("@in", "@within")];

/// Functions whose result can be much larger than what they are given.
const REFUSED: [&str; 4] = ["format", "join", "range", "replace"];

/// Checks that a text may be given to the parser. Brackets are counted wherever they stand, in quotes too: so nothing that is
/// misread here can nest deeper there.
pub(super) fn check_text(source: &str) -> Result<(), String> {
    let characters = source.chars().count();
    if characters > MAX_CHARACTERS {
        return Err(format!("has {characters} characters: at most {MAX_CHARACTERS} are read"));
    }
    if source.trim().is_empty() {
        return Err("is empty: leave it away, or make it give true or false".into());
    }
    let brackets = source.bytes().filter(|byte| b"([{?".contains(byte)).count();
    if brackets > MAX_BRACKETS {
        return Err(format!("has {brackets} brackets and conditions: at most {MAX_BRACKETS} are read"));
    }
    match repeated_sign(source) {
        Some(sign) => Err(format!("has `{sign}{sign}`, which is not understood: leave both away")),
        None => Ok(()),
    }
}

/// The parser takes `!!a` for `!a`, and `--a` for `-a`.
fn repeated_sign(source: &str) -> Option<char> {
    // Where texts may end elsewhere than at the next quote, none is passed over.
    let plain = !source.contains(['\\']) && !source.contains("\"\"\"") && !source.contains("'''");
    let mut before = ' ';
    let mut rest = source.chars();
    while let Some(letter) = rest.next() {
        match letter {
            '"' | '\'' if plain => {
                rest.by_ref().find(|end| *end == letter);
            }
            '/' if rest.as_str().starts_with('/') => {
                rest.by_ref().find(|end| *end == '\n');
                continue;
            }
            '!' | '-' if letter == before => return Some(letter),
            blank if blank.is_whitespace() => continue,
            _ => {}
        }
        before = letter;
    }
    None
}

/// Makes every loop of a tree report its turns, gives it our operators, and says how high it is, or why it is refused.
pub(super) fn prepare(tree: &mut IdedExpr) -> Result<usize, String> {
    let mut highest = 0;
    node(tree, 1, &mut highest)?;
    Ok(highest)
}

/// Prepares a node, and counts it and those below it.
fn node(expression: &mut IdedExpr, height: usize, highest: &mut usize) -> Result<u64, String> {
    *highest = height.max(*highest);
    if height > MAX_HEIGHT {
        return Err(format!("nests too deeply: at most {MAX_HEIGHT} levels are read"));
    }
    let below: Vec<&mut IdedExpr> = match &mut expression.expr {
        Expr::Unspecified | Expr::Struct(_) => {
            return Err("makes an object of a type: there are no types here".into());
        }
        Expr::Literal(_) | Expr::Ident(_) => Vec::new(),
        Expr::Select(select) => vec![&mut select.operand],
        Expr::Call(call) => {
            let name = call.func_name.rsplit('.').next().unwrap_or_default();
            if REFUSED.contains(&name) {
                return Err(format!("calls {name}(), which is refused here: do without it"));
            }
            if let Some((_, ours)) = OPERATORS.iter().find(|(theirs, _)| *theirs == call.func_name) {
                call.func_name = (*ours).to_owned();
            }
            call.target.as_deref_mut().into_iter().chain(&mut call.args).collect()
        }
        Expr::List(list) => list.elements.iter_mut().collect(),
        Expr::Map(map) => map.entries.iter_mut().flat_map(|entry| entry_parts(&mut entry.expr)).collect(),
        Expr::Comprehension(each) => {
            let once = [&mut each.iter_range, &mut each.accu_init, &mut each.result];
            let mut nodes = 1;
            for part in once {
                nodes += node(part, height + 1, highest)?;
            }
            // The condition goes below the report.
            let condition = node(&mut each.loop_cond, height + 2, highest)?;
            let turn = condition + node(&mut each.loop_step, height + 1, highest)?;
            let condition = std::mem::take(&mut each.loop_cond);
            each.loop_cond = reporting(turn, condition);
            return Ok(nodes + turn);
        }
    };
    let mut nodes = 1;
    for part in below {
        nodes += node(part, height + 1, highest)?;
    }
    Ok(nodes)
}

fn entry_parts(entry: &mut EntryExpr) -> Vec<&mut IdedExpr> {
    match entry {
        EntryExpr::MapEntry(entry) => vec![&mut entry.key, &mut entry.value],
        EntryExpr::StructField(field) => vec![&mut field.value],
    }
}

/// `@report(nodes) ? condition : false`: unlike `&&`, this cannot lose the error of a report.
fn reporting(nodes: u64, condition: IdedExpr) -> IdedExpr {
    let id = condition.id;
    let bare = |expr| IdedExpr { id, expr };
    let call = |name: &str, args| bare(Expr::Call(CallExpr { func_name: name.into(), target: None, args }));
    let nodes = i64::try_from(nodes).unwrap_or(i64::MAX);
    let report = call(REPORT, vec![bare(Expr::Literal(LiteralValue::Int(nodes.into())))]);
    let never = bare(Expr::Literal(LiteralValue::Boolean(false.into())));
    call("_?_:_", vec![report, condition, never])
}
