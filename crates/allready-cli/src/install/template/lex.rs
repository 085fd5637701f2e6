//! Text and actions of a template, and the tokens of an action: what text/template/parse/lex.go does.

use super::Problem;

/// A part of a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(String),
    /// The tokens between the braces, and the line of each.
    Action(Vec<Token>),
}

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    /// Returns true if nothing stands between it and the token before.
    pub(super) is_glued: bool,
    pub(super) line: usize,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A name: a keyword, a function, or a word such as `true`.
    Word(String),
    /// `.` alone.
    Dot,
    /// `.a.b`, as its names.
    Field(Vec<String>),
    /// `$name.a.b`, as its name without the dollar and the names behind it.
    Variable(String, Vec<String>),
    Text(String),
    Int(i64),
    Float(f64),
    /// One of `( ) | , := =`.
    Sign(&'static str),
}

const SIGNS: [&str; 6] = [":=", "=", "(", ")", "|", ","];

/// Splits a template into text and actions, with the blanks taken away that `{{-` and `-}}` ask for.
pub(super) fn lex(file: &str, text: &str) -> Result<Vec<Part>, Problem> {
    let mut parts = Vec::new();
    let (mut rest, mut line, mut trims) = (text, 1, false);
    loop {
        let Some(start) = rest.find("{{") else {
            parts.push(Part::Text(begun(rest, trims).to_owned()));
            return Ok(parts);
        };
        let (before, action) = (&rest[..start], &rest[start + 2..]);
        line += lines(before);
        let body = action.strip_prefix('-').filter(|body| body.starts_with(char::is_whitespace));
        let kept = begun(before, trims);
        parts.push(Part::Text(if body.is_some() { kept.trim_end() } else { kept }.to_owned()));
        let body = body.unwrap_or(action);
        let (tokens, length) = action_tokens(body, line).map_err(|problem| problem.at(file, line))?;
        let (inside, after) = body.split_at(length);
        line += lines(inside);
        trims = after.starts_with('-');
        rest = after.trim_start_matches('-').strip_prefix("}}").unwrap_or_default();
        parts.push(Part::Action(tokens));
    }
}

/// The beginning of a text, after an action that may take its blanks away. Lines are counted before.
fn begun(text: &str, trims: bool) -> &str {
    if trims { text.trim_start() } else { text }
}

fn lines(text: &str) -> usize {
    text.matches('\n').count()
}

/// The tokens of an action, and the number of bytes before its end: `}}`, or `-}}` after a blank.
fn action_tokens(body: &str, line: usize) -> Result<(Vec<Token>, usize), Problem> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    loop {
        let blanks = body[at..].len() - body[at..].trim_start().len();
        at += blanks;
        let rest = &body[at..];
        if rest.starts_with("}}") || (rest.starts_with("-}}") && blanks > 0) {
            return Ok((tokens, at));
        }
        if rest.is_empty() {
            return Err(Problem::new("an action has no end: `}}` is missing"));
        }
        if let Some(comment) = rest.strip_prefix("/*").filter(|_| tokens.is_empty()) {
            let end =
                comment.find("*/").ok_or_else(|| Problem::new("a comment has no end: `*/` is missing"))?;
            at += end + 4;
            continue;
        }
        let (kind, length) = token(rest)?;
        tokens.push(Token { kind, is_glued: blanks == 0, line: line + lines(&body[..at]) });
        at += length;
    }
}

fn token(rest: &str) -> Result<(Kind, usize), Problem> {
    if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        return Ok((Kind::Sign(sign), sign.len()));
    }
    let first = rest.chars().next().unwrap_or_default();
    match first {
        '"' => quoted(rest),
        '`' => {
            let end = rest[1..]
                .find('`')
                .ok_or_else(|| Problem::new("a text has no end: a backquote is missing"))?;
            Ok((Kind::Text(rest[1..=end].to_owned()), end + 2))
        }
        '$' => {
            let name = word(&rest[1..]);
            let (fields, length) = fields(&rest[1 + name.len()..]);
            Ok((Kind::Variable(name.to_owned(), fields), 1 + name.len() + length))
        }
        '.' if rest[1..].starts_with(is_letter) => {
            let (fields, length) = fields(rest);
            Ok((Kind::Field(fields), length))
        }
        '.' => Ok((Kind::Dot, 1)),
        first if first.is_ascii_digit() || matches!(first, '-' | '+') => number(rest),
        first if is_letter(first) => {
            let name = word(rest);
            Ok((Kind::Word(name.to_owned()), name.len()))
        }
        other => Err(Problem::new(format_args!("{other:?} is not understood in an action"))),
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn word(text: &str) -> &str {
    let end = text.find(|c: char| !is_letter(c) && !c.is_numeric()).unwrap_or(text.len());
    &text[..end]
}

/// `.a.b` at the beginning of a text, and its length.
fn fields(text: &str) -> (Vec<String>, usize) {
    let (mut names, mut at) = (Vec::new(), 0);
    while let Some(name) = text[at..].strip_prefix('.').map(word).filter(|name| name.starts_with(is_letter)) {
        names.push(name.to_owned());
        at += 1 + name.len();
    }
    (names, at)
}

fn number(rest: &str) -> Result<(Kind, usize), Problem> {
    let end = rest[1..].find(|c: char| !c.is_ascii_digit() && c != '.').map_or(rest.len(), |end| end + 1);
    let text = &rest[..end];
    let kind = text.parse().map(Kind::Int).or_else(|_| text.parse().map(Kind::Float));
    kind.map(|kind| (kind, end)).map_err(|_| Problem::new(format_args!("{text:?} is no number")))
}

/// A text in quotes, with the escapes that Go and JSON share.
fn quoted(rest: &str) -> Result<(Kind, usize), Problem> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => {
                let text = serde_json::from_str(&rest[..=at]);
                let text = text.map_err(|_| Problem::new(format_args!("{} is no text", &rest[..=at])))?;
                return Ok((Kind::Text(text), at + 1));
            }
            '\n' => break,
            _ => {}
        }
    }
    Err(Problem::new("a text has no end: a quote is missing"))
}
