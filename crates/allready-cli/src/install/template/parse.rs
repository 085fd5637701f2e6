//! Templates from text: what lex.go and parse.go of text/template/parse do.

use std::{sync::LazyLock, vec::IntoIter};

use regex::{Captures, Regex};
use serde_json::Value;

use super::Problem;

/// A part of a template.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Action(Action),
    /// `if`, `with` or `range`, what is within it, and what is behind `else`.
    Block(Action, Vec<Node>, Vec<Node>),
}

/// Everything between two pairs of braces.
#[derive(Clone, Debug, Default)]
pub(super) struct Action {
    pub(super) line: usize,
    /// `if`, `end`, …; empty for one that prints or declares.
    pub(super) keyword: String,
    /// The variables that take the value, without their dollars.
    pub(super) variables: Vec<String>,
    /// Set if the variables are there already.
    pub(super) is_assignment: bool,
    pub(super) tokens: Vec<Token>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Literal(Value),
    /// The name of a function.
    Word(String),
    /// `.a.b`, as its names; `.` has none.
    Field(Vec<String>),
    /// `$name.a.b`, as its name without the dollar and the names behind it.
    Variable(String, Vec<String>),
    /// Tokens in parentheses, and the fields of their value.
    Group(Vec<Token>, Vec<String>),
    /// One of `| , := =`.
    Sign(&'static str),
}

const KEYWORDS: [&str; 10] =
    ["if", "with", "range", "else", "end", "define", "template", "break", "continue", "block"];

/// Reads a file: what it defines by name, and what it is itself, under its own name.
pub(super) fn parse(file: &str, text: &str) -> Result<Vec<(String, Vec<Node>)>, Problem> {
    let mut parser = Parser { file, parts: split(file, text)?.into_iter(), defined: Vec::new() };
    let (nodes, end) = parser.nodes(false)?;
    if let Some(end) = end {
        return Err(Problem::from("`end` or `else` without a beginning").at(file, end.line));
    }
    parser.defined.push((file.to_owned(), nodes));
    Ok(parser.defined)
}

/// A regular expression that is part of this program.
macro_rules! regex {
    ($text:literal) => {
        LazyLock::new(|| Regex::new($text).unwrap_or_else(|error| unreachable!("it is tested: {error}")))
    };
}

static ACTION: LazyLock<Regex> = regex!(
    r#"(?sx) \{\{ (?<before>-\s)? (?<body>(?: /\*.*?\*/ | "(?:[^"\\\n]|\\.)*" | `[^`]*` | [^"`] )*?) (?<after>\s-)? \}\}"#
);

static TOKEN: LazyLock<Regex> = regex!(
    r#"(?x)^ (?: (?<text>"(?:[^"\\\n]|\\.)*") | `(?<raw>[^`]*)` | (?<number>[-+]?[0-9][0-9.]*) | (?<open>\()
        | (?<close>\))(?<of>(?:\.\w+)*) | \$(?<variable>\w*)(?<in>(?:\.\w+)*) | (?<field>(?:\.\w+)+|\.)
        | (?<sign>:=|[=|,]) | (?<word>\w+) )"#
);

/// Splits a template into texts and actions, with the blanks taken away that `{{-` and `-}}` ask for. Comments are left out.
fn split(file: &str, text: &str) -> Result<Vec<Node>, Problem> {
    let (mut parts, mut end, mut trims) = (Vec::new(), 0, false);
    let trimmed = |text: &str, trims: bool| if trims { text.trim_start() } else { text }.to_owned();
    for found in ACTION.captures_iter(text) {
        let whole = found.get_match();
        let mut before = trimmed(&text[end..whole.start()], trims);
        if found.name("before").is_some() {
            before.truncate(before.trim_end().len());
        }
        parts.push(Node::Text(before));
        (end, trims) = (whole.end(), found.name("after").is_some());
        let line = text[..whole.start()].matches('\n').count() + 1;
        let body = found["body"].trim();
        if !body.starts_with("/*") {
            parts.push(Node::Action(action(body, line).map_err(|problem| problem.at(file, line))?));
        }
    }
    if let Some(open) = text[end..].find("{{") {
        let line = text[..end + open].matches('\n').count() + 1;
        return Err(Problem::from("an action has no end: `}}` is missing").at(file, line));
    }
    parts.push(Node::Text(trimmed(&text[end..], trims)));
    Ok(parts)
}

fn action(body: &str, line: usize) -> Result<Action, Problem> {
    let mut action = Action { line, tokens: tokens(body)?, ..Action::default() };
    if let Some(Token::Word(word)) = action.tokens.first().filter(|first| is_keyword(first)) {
        action.keyword.clone_from(word);
        action.tokens.remove(0);
    }
    let (names, sign) = match &action.tokens[..] {
        [Token::Variable(name, _), Token::Sign(sign @ (":=" | "=")), ..] => (vec![name.clone()], *sign),
        [Token::Variable(key, _), Token::Sign(","), Token::Variable(name, _), Token::Sign(sign), ..]
            if action.keyword == "range" =>
        {
            (vec![key.clone(), name.clone()], *sign)
        }
        _ => return Ok(action),
    };
    action.tokens.drain(..names.len() * 2);
    (action.variables, action.is_assignment) = (names, sign == "=");
    Ok(action)
}

fn is_keyword(token: &Token) -> bool {
    matches!(token, Token::Word(word) if KEYWORDS.contains(&&**word))
}

fn tokens(body: &str) -> Result<Vec<Token>, Problem> {
    let mut open = vec![Vec::new()];
    let mut rest = body.trim_start();
    while !rest.is_empty() {
        let found = TOKEN.captures(rest).ok_or_else(|| format!("{rest:?} is not understood in an action"))?;
        rest = rest[found.get_match().end()..].trim_start();
        let token = if found.name("open").is_some() {
            open.push(Vec::new());
            continue;
        } else if found.name("close").is_some() {
            let within = open.pop().filter(|_| !open.is_empty());
            Token::Group(within.ok_or("`)` without a beginning")?, names(&found, "of"))
        } else {
            token(&found)?
        };
        open.last_mut().ok_or("`)` without a beginning")?.push(token);
    }
    match (open.pop(), &open[..]) {
        (Some(tokens), []) => Ok(tokens),
        _ => Err("a parenthesis has no end: `)` is missing".into()),
    }
}

fn token(found: &Captures<'_>) -> Result<Token, Problem> {
    let text = |name: &str| found.name(name).map(|found| found.as_str());
    // Go and JSON share the escapes.
    if let Some(literal) = text("text").or_else(|| text("number")) {
        let value = serde_json::from_str(literal.trim_start_matches('+'));
        return value.map(Token::Literal).map_err(|_| format!("{literal} is no text and no number").into());
    }
    Ok(match (text("raw"), text("variable"), text("word"), text("sign")) {
        (Some(raw), ..) => Token::Literal(raw.into()),
        (_, Some(name), ..) => Token::Variable(name.to_owned(), names(found, "in")),
        (_, _, Some("true"), _) => Token::Literal(true.into()),
        (_, _, Some("false"), _) => Token::Literal(false.into()),
        (_, _, Some("nil"), _) => Token::Literal(Value::Null),
        (_, _, Some(word), _) => Token::Word(word.to_owned()),
        (.., Some(sign)) => {
            Token::Sign([":=", "=", "|"].into_iter().find(|known| *known == sign).unwrap_or(","))
        }
        _ => Token::Field(names(found, "field")),
    })
}

/// The names of `.a.b`.
fn names(found: &Captures<'_>, group: &str) -> Vec<String> {
    let path = found.name(group).map_or("", |found| found.as_str());
    path.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

struct Parser<'a> {
    file: &'a str,
    parts: IntoIter<Node>,
    defined: Vec<(String, Vec<Node>)>,
}

impl Parser<'_> {
    /// Nodes up to an `end` or `else`, with that, or up to the end of the file.
    fn nodes(&mut self, is_loop: bool) -> Result<(Vec<Node>, Option<Action>), Problem> {
        let mut nodes = Vec::new();
        while let Some(part) = self.parts.next() {
            let Node::Action(action) = part else {
                nodes.push(part);
                continue;
            };
            let line = action.line;
            match (&*action.keyword, &action.tokens[..]) {
                ("end" | "else", _) => return Ok((nodes, Some(action))),
                ("if" | "with" | "range", _) => nodes.push(self.block(action, is_loop)?),
                ("define", [Token::Literal(Value::String(name))]) => {
                    let nodes = self.until_end("define", line, false)?;
                    self.defined.push((name.clone(), nodes));
                }
                ("break" | "continue", _) if !is_loop => {
                    let problem = Problem::from(format!("`{}` outside of range", action.keyword));
                    return Err(problem.at(self.file, line));
                }
                _ => nodes.push(Node::Action(action)),
            }
        }
        Ok((nodes, None))
    }

    fn until_end(&mut self, keyword: &str, line: usize, is_loop: bool) -> Result<Vec<Node>, Problem> {
        match self.nodes(is_loop)? {
            (nodes, Some(end)) if end.keyword == "end" => Ok(nodes),
            _ => Err(Problem::from(format!("`{keyword}` has no end")).at(self.file, line)),
        }
    }

    fn block(&mut self, action: Action, is_loop: bool) -> Result<Node, Problem> {
        let (keyword, line) = (action.keyword.clone(), action.line);
        let (then, end) = self.nodes(is_loop || keyword == "range")?;
        let otherwise = match end {
            Some(end) if end.keyword == "end" => Vec::new(),
            Some(end) if end.tokens.is_empty() => self.until_end(&keyword, line, is_loop)?,
            // `else if` and `else with` share the end.
            Some(mut end) if keyword != "range" && end.tokens[0] == Token::Word(keyword.clone()) => {
                end.tokens.remove(0);
                vec![self.block(Action { keyword, ..end }, is_loop)?]
            }
            Some(end) => {
                let problem = format!("`else` of `{keyword}` is followed by something else");
                return Err(Problem::from(problem).at(self.file, end.line));
            }
            None => return Err(Problem::from(format!("`{keyword}` has no end")).at(self.file, line)),
        };
        Ok(Node::Block(action, then, otherwise))
    }
}
