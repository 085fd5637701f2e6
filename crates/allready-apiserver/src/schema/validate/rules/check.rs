//! What can be said against a rule before it ever runs.

use std::fmt::Write as _;

use kube_cel::cel::common::ast::{Expr, IdedExpr, LiteralValue};

use super::{language::Program, values::escape};
use crate::schema::{Schema, Shape};

/// What is wrong with a rule or a message expression, in the words of the real server.
pub(crate) fn problems(source: &str, schema: &Schema, root: bool, wants: Wants) -> Option<String> {
    let prefix = match wants {
        Wants::Truth => "compilation failed: ",
        Wants::Text => "messageExpression compilation failed: ",
    };
    let program = match Program::compile(source) {
        Ok(program) => program,
        Err(errors) => return Some(format!("{prefix}{errors}").replace("\n| ", "\n | ")),
    };
    let mut whole = None;
    for chain in chains(source) {
        match resolve(&chain, schema, root) {
            Resolved::Undefined { at, name } => {
                let told = told_at(source, at, &format!("undefined field '{name}'"));
                return Some(format!("{prefix}{told}"));
            }
            Resolved::Shape(shape) if chain.start == 0 && chain.end == source.trim_end().len() => {
                whole = Some(shape);
            }
            _ => {}
        }
    }
    let never = never(program.expression(), wants, 0);
    match wants {
        Wants::Truth
            if never || whole.is_some_and(|shape| *shape != Shape::Boolean && !is_dynamic(shape)) =>
        {
            Some("cel expression must evaluate to a bool".into())
        }
        Wants::Text if never || whole.is_some_and(|shape| *shape != Shape::String && !is_dynamic(shape)) => {
            Some("messageExpression must evaluate to a string".into())
        }
        _ => None,
    }
}

/// What an expression has to come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wants {
    /// A rule.
    Truth,
    /// A message expression.
    Text,
}

/// Whether an expression clearly comes to something else than what is wanted.
fn never(expression: &IdedExpr, wants: Wants, depth: usize) -> bool {
    let truth = wants == Wants::Truth;
    match &expression.expr {
        Expr::Literal(LiteralValue::Boolean(_)) => !truth,
        Expr::Literal(LiteralValue::String(_)) => truth,
        Expr::Literal(_) | Expr::List(_) | Expr::Map(_) => true,
        Expr::Select(select) => select.test && !truth,
        Expr::Call(call) => match (call.func_name.as_str(), call.args.as_slice()) {
            ("_?_:_", [_, one, other]) if depth < 64 => {
                never(one, wants, depth + 1) && never(other, wants, depth + 1)
            }
            ("_-_" | "_*_" | "_/_" | "_%_" | "-_" | "size" | "int" | "uint" | "double" | "bytes", _) => true,
            ("_+_" | "string", _) => truth,
            ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_" | "_&&_" | "_||_" | "!_" | "@in", _) => !truth,
            _ => false,
        },
        _ => false,
    }
}

fn is_dynamic(shape: &Shape) -> bool {
    matches!(shape, Shape::Any | Shape::IntOrString)
}

pub(super) fn told_at(source: &str, at: usize, problem: &str) -> String {
    let before = source.get(..at).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    let text = source.lines().nth(line - 1).unwrap_or_default();
    format!("ERROR: <input>:{line}:{}: {problem}\n | {text}\n | {}^", column + 1, ".".repeat(column))
}

/// `self.a.b`: where it stands, and its fields with the place of the dot before each.
struct Chain<'a> {
    start: usize,
    end: usize,
    fields: Vec<(usize, &'a str)>,
    /// Where the parenthesis of a `has(` around it stands: the real server points there.
    has: Option<usize>,
}

/// Every selection that starts at `self` or `oldSelf`, outside of text in quotes.
fn chains(source: &str) -> Vec<Chain<'_>> {
    let bytes = source.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut out = Vec::new();
    let mut at = 0;
    let mut before = b' ';
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\'' {
            at = end_of_text(bytes, at);
            before = byte;
            continue;
        }
        let end = word_end(bytes, at, word);
        if end == at {
            before = if byte.is_ascii_whitespace() { before } else { byte };
            at += 1;
            continue;
        }
        let name = source.get(at..end).unwrap_or_default();
        if before != b'.' && matches!(name, "self" | "oldSelf") {
            let mut chain = Chain { start: at, end, fields: Vec::new(), has: None };
            while bytes.get(chain.end) == Some(&b'.') {
                let start = chain.end + 1;
                let end = word_end(bytes, start, word);
                if end == start || bytes.get(end) == Some(&b'(') {
                    break;
                }
                chain.fields.push((chain.end, source.get(start..end).unwrap_or_default()));
                chain.end = end;
            }
            let inside = source.get(..at).is_some_and(|before| before.ends_with("has("));
            chain.has = (inside && bytes.get(chain.end) == Some(&b')')).then(|| at - 1);
            at = chain.end;
            out.push(chain);
        } else {
            at = end;
        }
        before = b'a';
    }
    out
}

pub(super) fn word_end(bytes: &[u8], from: usize, word: impl Fn(u8) -> bool) -> usize {
    from + bytes.iter().skip(from).take_while(|byte| word(**byte)).count()
}

pub(super) fn end_of_text(bytes: &[u8], from: usize) -> usize {
    let quote = bytes.get(from);
    let mut at = from + 1;
    while let Some(byte) = bytes.get(at) {
        if *byte == b'\\' {
            at += 1;
        } else if Some(byte) == quote {
            return at + 1;
        }
        at += 1;
    }
    at
}

enum Resolved<'a> {
    Undefined { at: usize, name: String },
    Shape(&'a Shape),
    Unknown,
}

fn resolve<'a>(chain: &Chain<'_>, schema: &'a Schema, root: bool) -> Resolved<'a> {
    let mut here = schema;
    let mut root = root;
    for (index, (at, name)) in chain.fields.iter().enumerate() {
        let Shape::Object(object) = &here.shape else { return Resolved::Unknown };
        if object.additional.is_some() || here.untyped {
            return Resolved::Unknown;
        }
        let known = object.properties.iter().find(|(key, _)| escape(key).as_deref() == Some(*name));
        if root && matches!(*name, "metadata" | "apiVersion" | "kind") {
            return Resolved::Unknown;
        }
        if let Some((_, inner)) = known {
            here = inner;
        } else {
            let last = index + 1 == chain.fields.len();
            let at = chain.has.filter(|_| last).unwrap_or(*at);
            return Resolved::Undefined { at, name: (*name).to_owned() };
        }
        root = here.embedded;
    }
    if here.untyped || here.nullable { Resolved::Unknown } else { Resolved::Shape(&here.shape) }
}

/// A `fieldPath` (`.a.b['c']`) as the path that errors name, if the schema has it, and the schema there.
pub(crate) fn field_path(path: &str, schema: &Schema) -> Result<String, String> {
    walk_path(path, schema, true).map(|(path, _)| path)
}

/// Like [`field_path`], with the schema at its end. `brackets` is whether `['c']` is allowed.
pub(crate) fn walk_path<'a>(
    path: &str,
    schema: &'a Schema,
    brackets: bool,
) -> Result<(String, &'a Schema), String> {
    let mut out = String::new();
    let mut here = schema;
    let mut rest = path;
    while !rest.is_empty() {
        let (name, after) = if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[', ']']).unwrap_or(after.len());
            if end == 0 && after.is_empty() {
                return Err("unexpected end of JSON path".into());
            }
            let end = end.max(usize::from(end == 0));
            after.split_at_checked(end).ok_or("unexpected end of JSON path")?
        } else if let Some(after) = rest.strip_prefix('[') {
            if !brackets {
                return Err("array notation is not allowed".into());
            }
            let inside = after.strip_prefix('\'').ok_or_else(|| {
                let end = after.find(['.', '[', ']']).unwrap_or(after.len());
                format!("expected single quoted string but got {}", after.get(..end).unwrap_or_default())
            })?;
            inside.split_once("']").ok_or("unexpected end of JSON path")?
        } else {
            let end = rest.find(['.', '[', ']']).unwrap_or(rest.len()).max(1);
            return Err(format!("expected [ or . but got: {}", rest.get(..end).unwrap_or(rest)));
        };
        let Shape::Object(object) = &here.shape else { return Err("does not refer to a valid field".into()) };
        here = if object.properties.is_empty() {
            let _ = write!(out, "[{name}]");
            object.additional.as_deref().ok_or("does not refer to a valid field")?
        } else {
            if !out.is_empty() {
                out.push('.');
            }
            out.push_str(name);
            object.properties.get(name).ok_or("does not refer to a valid field")?
        };
        rest = after;
    }
    Ok((out, here))
}
