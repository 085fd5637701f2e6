//! Label and field selectors.

use std::collections::BTreeSet;

use serde_json::Value;

use super::names;

/// A label selector.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Labels(Vec<Requirement>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    operator: Operator,
    values: BTreeSet<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exists,
    Absent,
    In,
    NotIn,
    Greater,
    Less,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Symbol(&'static str),
    End,
}

impl Token {
    fn literal(&self) -> &str {
        match self {
            Self::Word(word) => word,
            Self::Symbol(symbol) => symbol,
            Self::End => "",
        }
    }
}

impl Labels {
    /// Reads a selector, or says what is wrong with it as the real server does.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser { tokens: tokens(text), at: 0 };
        let mut requirements = Vec::new();
        loop {
            match parser.peek() {
                Token::End => break,
                Token::Word(_) | Token::Symbol("!") => {
                    let found = parser.requirement();
                    requirements.push(found.map_err(|why| format!("unable to parse requirement: {why}"))?);
                    match parser.take() {
                        Token::End => break,
                        Token::Symbol(",") => match parser.peek() {
                            Token::Word(_) | Token::Symbol("!") => {}
                            other => {
                                return Err(format!(
                                    "found '{}', expected: identifier after ','",
                                    other.literal()
                                ));
                            }
                        },
                        other => {
                            let literal = other.literal();
                            return Err(format!("found '{literal}', expected: ',' or 'end of string'"));
                        }
                    }
                }
                Token::Symbol(literal) => {
                    return Err(format!("found '{literal}', expected: !, identifier, or 'end of string'"));
                }
            }
        }
        Ok(Self(requirements))
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether labels match; they are given by a lookup.
    pub(crate) fn matches<'a>(&self, lookup: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| requirement.matches(lookup(&requirement.key)))
    }
}

impl Requirement {
    fn matches(&self, value: Option<&str>) -> bool {
        match self.operator {
            Operator::Exists => value.is_some(),
            Operator::Absent => value.is_none(),
            Operator::In => value.is_some_and(|value| self.values.contains(value)),
            Operator::NotIn => value.is_none_or(|value| !self.values.contains(value)),
            Operator::Greater | Operator::Less => {
                let number = value.and_then(|value| value.parse::<i64>().ok());
                let limit = self.values.first().and_then(|limit| limit.parse::<i64>().ok());
                match (number, limit) {
                    (Some(number), Some(limit)) if self.operator == Operator::Greater => number > limit,
                    (Some(number), Some(limit)) => number < limit,
                    _ => false,
                }
            }
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Token {
        self.tokens.get(self.at).cloned().unwrap_or(Token::End)
    }

    fn take(&mut self) -> Token {
        let token = self.peek();
        self.at += 1;
        token
    }

    fn requirement(&mut self) -> Result<Requirement, String> {
        let mut token = self.take();
        let absent = token == Token::Symbol("!");
        if absent {
            token = self.take();
        }
        let Token::Word(key) = token else {
            return Err(format!("found '{}', expected: identifier", token.literal()));
        };
        let problems = names::qualified(&key);
        if !problems.is_empty() {
            return Err(format!("<nil>: Invalid value: {}: {}", quoted(&key), problems.join("; ")));
        }
        let ends = matches!(self.peek(), Token::End | Token::Symbol(","));
        if absent || ends {
            let operator = if absent { Operator::Absent } else { Operator::Exists };
            return Ok(Requirement { key, operator, values: BTreeSet::new() });
        }
        let token = self.take();
        let (operator, values) = match token.literal() {
            "in" => (Operator::In, self.values()?),
            "notin" => (Operator::NotIn, self.values()?),
            "=" | "==" => (Operator::In, self.exact()?),
            "!=" => (Operator::NotIn, self.exact()?),
            ">" => (Operator::Greater, self.exact()?),
            "<" => (Operator::Less, self.exact()?),
            other => return Err(format!("found '{other}', expected: in, notin, =, ==, !=, gt, lt")),
        };
        let errors = value_errors(&key, operator, &values);
        match errors.as_slice() {
            [] => Ok(Requirement { key, operator, values }),
            [one] => Err(one.clone()),
            many => Err(format!("[{}]", many.join(", "))),
        }
    }

    fn values(&mut self) -> Result<BTreeSet<String>, String> {
        let open = self.take();
        if open != Token::Symbol("(") {
            return Err(format!("found '{}' expected: '('", open.literal()));
        }
        let mut values = BTreeSet::new();
        match self.peek() {
            Token::Symbol(")") => {
                self.take();
                return Ok(BTreeSet::from([String::new()]));
            }
            Token::Word(_) | Token::Symbol(",") => {}
            other => return Err(format!("found '{}', expected: ',', ')' or identifier", other.literal())),
        }
        loop {
            match self.take() {
                Token::Word(word) => {
                    values.insert(word);
                    match self.peek() {
                        Token::Symbol(",") => {}
                        Token::Symbol(")") => break,
                        other => return Err(format!("found '{}', expected: ',' or ')'", other.literal())),
                    }
                }
                Token::Symbol(",") => {
                    if values.is_empty() {
                        values.insert(String::new());
                    }
                    match self.peek() {
                        Token::Symbol(")") => {
                            values.insert(String::new());
                            break;
                        }
                        Token::Symbol(",") => {
                            values.insert(String::new());
                        }
                        _ => {}
                    }
                }
                other => return Err(format!("found '{}', expected: ',', or identifier", other.literal())),
            }
        }
        self.take();
        Ok(values)
    }

    fn exact(&mut self) -> Result<BTreeSet<String>, String> {
        if matches!(self.peek(), Token::End | Token::Symbol(",")) {
            return Ok(BTreeSet::from([String::new()]));
        }
        match self.take() {
            Token::Word(word) => Ok(BTreeSet::from([word])),
            other => Err(format!("found '{}', expected: identifier", other.literal())),
        }
    }
}

fn value_errors(key: &str, operator: Operator, values: &BTreeSet<String>) -> Vec<String> {
    let mut errors = Vec::new();
    if matches!(operator, Operator::Greater | Operator::Less) {
        for (index, value) in values.iter().enumerate().filter(|(_, value)| value.parse::<i64>().is_err()) {
            let why = "for 'Gt', 'Lt' operators, the value must be an integer";
            errors.push(format!("values[{index}]: Invalid value: {}: {why}", quoted(value)));
        }
    }
    for (index, value) in values.iter().enumerate() {
        let problems = names::label_value(value);
        if !problems.is_empty() {
            let why = problems.join("; ");
            errors.push(format!("values[{index}][{key}]: Invalid value: {}: {why}", quoted(value)));
        }
    }
    errors
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let Some(first) = rest.chars().next() else { return tokens };
        let symbols = ["==", "!=", "=", "!", "(", ")", ",", ">", "<"];
        // The real lexer reads as many symbols as form a known one.
        if let Some(symbol) = symbols.into_iter().find(|symbol| rest.starts_with(symbol)) {
            tokens.push(Token::Symbol(symbol));
            rest = rest.get(symbol.len()..).unwrap_or_default();
            continue;
        }
        let end = |c: char| "=!(),<> \t\r\n".contains(c);
        let length = rest.find(end).unwrap_or(rest.len()).max(first.len_utf8());
        tokens.push(Token::Word(rest.get(..length).unwrap_or_default().to_owned()));
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// A field selector: every term must hold.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fields(pub(crate) Vec<Term>);

/// One term of a field selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Term {
    /// `metadata.name`.
    pub(crate) field: String,
    /// What it is compared with.
    pub(crate) value: String,
    /// Whether it must differ.
    pub(crate) differs: bool,
}

impl Fields {
    /// Reads a selector, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = split_terms(text);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let found = part.char_indices().find_map(|(at, _)| {
                let (field, rest) = part.split_at_checked(at)?;
                let operator = ["!=", "==", "="].into_iter().find(|operator| rest.starts_with(operator))?;
                Some((field, operator, rest.get(operator.len()..)?))
            });
            let Some((field, operator, value)) = found else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            let value = unescape(value)?;
            terms.push(Term { field: field.into(), value, differs: operator == "!=" });
        }
        Ok(Self(terms))
    }

    /// The value that a field must have, when one term asks for exactly one.
    pub(crate) fn exact(&self, field: &str) -> Option<&str> {
        let term = self.0.iter().find(|term| term.field == field && !term.differs)?;
        Some(&term.value)
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The one name that a field selector allows, where it is one that a path could have.
pub(crate) fn exact_name(selector: &str) -> Option<String> {
    let name = Fields::parse(selector).ok()?.exact("metadata.name")?.to_owned();
    let legal = !matches!(name.as_str(), "." | "..") && !name.contains(['/', '%']);
    legal.then_some(name)
}

fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let mut start = 0;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == ',' {
            terms.push(text.get(start..at).unwrap_or_default());
            start = at + 1;
        }
    }
    terms.push(text.get(start..).unwrap_or_default());
    terms
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some(next @ ('\\' | ',' | '=')) => out.push(next),
                Some(next) => {
                    return Err(format!("invalid field selector: invalid escape sequence: \\{next}"));
                }
                None => return Err("invalid field selector: invalid escape sequence: \\".into()),
            },
            ',' | '=' => {
                let code = u32::from(character);
                return Err(format!("invalid field selector: unescaped character in value: {code}"));
            }
            other => out.push(other),
        }
    }
    Ok(out)
}
