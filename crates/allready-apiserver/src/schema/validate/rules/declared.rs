//! Expressions outside of schemas: whether every name in them is declared, and what type they clearly come to.
//!
//! There is no type checker: of types, only those of literals, operators and plain fields of variables without a type are known.
//! What is not known is accepted.

use kube_cel::cel::common::ast::{EntryExpr, Expr, IdedExpr, LiteralValue};

use super::{
    check::{end_of_text, told_at, word_end},
    language::Program,
};

/// The names that an expression may use beside its functions.
#[derive(Clone, Default)]
pub(crate) struct Declared<'a> {
    /// Variables whose type is known when they run.
    pub(crate) dynamic: Vec<&'a str>,
    /// Variables of a type of their own.
    pub(crate) typed: Vec<&'a str>,
    /// The fields of `variables`; `None` where there is no such variable.
    pub(crate) variables: Option<Vec<&'a str>>,
}

/// The names of types and of the libraries whose functions are called by them.
const LIBRARIES: [&str; 18] = [
    "Object",
    "JSONPatch",
    "base64",
    "bool",
    "bytes",
    "double",
    "google",
    "int",
    "jsonpatch",
    "list",
    "map",
    "math",
    "null_type",
    "optional",
    "sets",
    "string",
    "strings",
    "uint",
];

/// How deep an expression is looked into.
const DEEPEST: usize = 4000;

/// What is wrong with an expression that has to come to `wanted`, in the words of the real server.
pub(crate) fn problem(source: &str, declared: &Declared<'_>, wanted: &Wanted) -> Option<String> {
    let program = match Program::compile(source) {
        Ok(program) => program,
        Err(errors) => return Some(format!("compilation failed: {errors}").replace("\n| ", "\n | ")),
    };
    let (undeclared, found) = super::roomy(program.depth(), || {
        let mut free = Vec::new();
        names(program.expression(), &mut Vec::new(), &mut free, 0);
        free.retain(|name| !declared.has(name));
        let told = undeclared(source, declared, &free);
        (told, type_of(program.expression(), declared))
    });
    if !undeclared.is_empty() {
        return Some(format!("compilation failed: {}", undeclared.join("\n")));
    }
    let found = found.filter(|found| !wanted.types.iter().any(|wanted| wanted == found))?;
    (!wanted.types.is_empty()).then(|| (wanted.refusal)(&wanted.types, &found))
}

/// The types that an expression may come to; any where there are none.
pub(crate) struct Wanted {
    pub(crate) types: Vec<&'static str>,
    /// The sentence about a type that is none of them.
    pub(crate) refusal: fn(&[&'static str], &str) -> String,
}

impl Declared<'_> {
    fn has(&self, name: &str) -> bool {
        self.dynamic.contains(&name)
            || self.typed.contains(&name)
            || LIBRARIES.contains(&name)
            || name == "variables" && self.variables.is_some()
    }
}

/// Every name that is not bound by a macro.
fn names(node: &IdedExpr, bound: &mut Vec<String>, free: &mut Vec<String>, depth: usize) {
    if depth > DEEPEST {
        return;
    }
    let mut inner = |nodes: &mut dyn Iterator<Item = &IdedExpr>, bound: &mut Vec<String>| {
        nodes.for_each(|node| names(node, bound, free, depth + 1));
    };
    match &node.expr {
        Expr::Unspecified | Expr::Literal(_) => {}
        Expr::Ident(name) => {
            if !bound.contains(name) && !name.starts_with('@') {
                free.push(name.clone());
            }
        }
        Expr::Select(select) => inner(&mut std::iter::once(&*select.operand), bound),
        Expr::Call(call) => inner(&mut call.target.as_deref().into_iter().chain(&call.args), bound),
        Expr::List(list) => inner(&mut list.elements.iter(), bound),
        Expr::Map(_) | Expr::Struct(_) => {
            let entries = match &node.expr {
                Expr::Map(map) => &map.entries,
                Expr::Struct(made) => &made.entries,
                _ => return,
            };
            for entry in entries {
                match &entry.expr {
                    EntryExpr::MapEntry(entry) => inner(&mut [&entry.key, &entry.value].into_iter(), bound),
                    EntryExpr::StructField(field) => inner(&mut std::iter::once(&field.value), bound),
                }
            }
        }
        Expr::Comprehension(looped) => {
            inner(&mut [&looped.iter_range, &looped.accu_init].into_iter(), bound);
            let before = bound.len();
            bound.extend([looped.iter_var.clone(), looped.accu_var.clone()]);
            bound.extend(looped.iter_var2.clone());
            inner(&mut [&looped.loop_cond, &looped.loop_step, &looped.result].into_iter(), bound);
            bound.truncate(before);
        }
    }
}

/// The sentences about names that are not declared, in the order of the text.
fn undeclared(source: &str, declared: &Declared<'_>, free: &[String]) -> Vec<String> {
    let bytes = source.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut told = Vec::new();
    let (mut at, mut before) = (0, b' ');
    while let Some(&byte) = bytes.get(at) {
        let end = word_end(bytes, at, word);
        if end == at {
            let text = matches!(byte, b'"' | b'\'');
            before = if byte.is_ascii_whitespace() { before } else { byte };
            at = if text { end_of_text(bytes, at) } else { at + 1 };
            continue;
        }
        let name = source.get(at..end).unwrap_or_default();
        let after = bytes.get(end).copied().unwrap_or_default();
        if before != b'.' && after != b'(' && free.iter().any(|free| free == name) {
            told.push(told_at(source, at, &format!("undeclared reference to '{name}' (in container '')")));
        }
        if name == "variables"
            && before != b'.'
            && after == b'.'
            && let Some(known) = &declared.variables
        {
            let field = source.get(end + 1..word_end(bytes, end + 1, word)).unwrap_or_default();
            if !known.contains(&field) {
                told.push(told_at(source, end, &format!("undefined field '{field}'")));
            }
        }
        (at, before) = (end, b'a');
    }
    told
}

/// The type that an expression clearly has.
fn type_of(node: &IdedExpr, declared: &Declared<'_>) -> Option<String> {
    let simple = |name: &str| Some(name.to_owned());
    match &node.expr {
        Expr::Literal(literal) => simple(match literal {
            LiteralValue::Boolean(_) => "bool",
            LiteralValue::Bytes(_) => "bytes",
            LiteralValue::Double(_) => "double",
            LiteralValue::Int(_) => "int",
            LiteralValue::Null => "null_type",
            LiteralValue::String(_) => "string",
            LiteralValue::UInt(_) => "uint",
        }),
        Expr::Ident(name) => {
            let dynamic = declared.dynamic.contains(&name.as_str());
            dynamic.then(|| "dyn".to_owned())
        }
        Expr::Select(select) if select.test => simple("bool"),
        Expr::Select(select) => type_of(&select.operand, declared).filter(|found| found == "dyn"),
        Expr::Call(call) => match (call.func_name.as_str(), call.args.as_slice()) {
            ("_==_" | "_!=_" | "_<_" | "_<=_" | "_>_" | "_>=_" | "_&&_" | "_||_" | "!_" | "@in", _) => {
                simple("bool")
            }
            ("string", _) => simple("string"),
            ("size", _) => simple("int"),
            ("_[_]", [list, _]) => type_of(list, declared).filter(|found| found == "dyn"),
            ("_+_" | "_-_" | "_*_" | "_/_", [one, other]) => {
                let (one, other) = (type_of(one, declared)?, type_of(other, declared)?);
                let same = one == other;
                same.then_some(one)
            }
            _ => None,
        },
        Expr::List(list) => {
            let types = list.elements.iter().map(|item| type_of(item, declared));
            let types: Vec<String> = types.collect::<Option<_>>()?;
            let first = types.first().map_or("dyn", String::as_str);
            types.iter().all(|one| one == first).then(|| format!("list({first})"))
        }
        Expr::Map(map) => {
            let types = map.entries.iter().map(|entry| match &entry.expr {
                EntryExpr::MapEntry(entry) => {
                    Some(format!("{}, {}", type_of(&entry.key, declared)?, type_of(&entry.value, declared)?))
                }
                EntryExpr::StructField(_) => None,
            });
            let types: Vec<String> = types.collect::<Option<_>>()?;
            let first = types.first()?;
            types.iter().all(|one| one == first).then(|| format!("map({first})"))
        }
        _ => None,
    }
}
