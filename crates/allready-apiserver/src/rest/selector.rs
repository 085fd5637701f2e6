//! Label and field selectors.
//!
//! Follows `k8s.io/apimachinery/pkg/labels` and `pkg/fields`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::names;

/// A label selector: what it asks of each key. An object costs as much as it has labels, however long the selector is.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Labels {
    keys: BTreeMap<String, Asked>,
    /// How many keys must be there.
    required: usize,
}

/// What a selector asks of one key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Asked {
    present: bool,
    absent: bool,
    one_of: Option<BTreeSet<String>>,
    none_of: BTreeSet<String>,
    above: Option<i64>,
    below: Option<i64>,
}

impl Asked {
    fn add(&mut self, requirement: Requirement) {
        let limit = requirement.values.first().and_then(|limit| limit.parse::<i64>().ok());
        self.present |= !matches!(requirement.operator, Operator::Absent | Operator::NotIn);
        match requirement.operator {
            Operator::Exists => {}
            Operator::Absent => self.absent = true,
            Operator::In => {
                self.one_of = Some(match self.one_of.take() {
                    Some(known) => known.intersection(&requirement.values).cloned().collect(),
                    None => requirement.values,
                });
            }
            Operator::NotIn => self.none_of.extend(requirement.values),
            Operator::Greater => self.above = self.above.max(limit),
            Operator::Less => {
                self.below = Some(self.below.unwrap_or(i64::MAX).min(limit.unwrap_or(i64::MIN)));
            }
        }
    }

    fn takes(&self, value: &str) -> bool {
        let number = || value.parse::<i64>().ok();
        !self.absent
            && self.one_of.as_ref().is_none_or(|values| values.contains(value))
            && !self.none_of.contains(value)
            && self.above.is_none_or(|limit| number().is_some_and(|number| number > limit))
            && self.below.is_none_or(|limit| number().is_some_and(|number| number < limit))
    }
}

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
        let mut labels = Self::default();
        loop {
            match parser.peek() {
                Token::End => break,
                Token::Word(_) | Token::Symbol("!") => {
                    let found = parser.requirement();
                    let found = found.map_err(|why| format!("unable to parse requirement: {why}"))?;
                    labels.keys.entry(found.key.clone()).or_default().add(found);
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
        labels.required = labels.keys.values().filter(|asked| asked.present).count();
        Ok(labels)
    }

    /// Whether everything matches.
    pub(crate) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether labels match. No key may be among them twice.
    pub(crate) fn matches<'a>(&self, labels: impl Iterator<Item = (&'a str, &'a str)>) -> bool {
        let mut found = 0;
        for (key, value) in labels {
            if let Some(asked) = self.keys.get(key) {
                if !asked.takes(value) {
                    return false;
                }
                found += usize::from(asked.present);
            }
        }
        found == self.required
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

/// A field selector: what it asks of each field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Fields(BTreeMap<String, Term>);

/// What a field selector asks of one field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Term {
    /// What it must be.
    equals: BTreeSet<String>,
    /// What it must not be.
    differs: BTreeSet<String>,
}

impl Term {
    /// Whether a value is what is asked for.
    pub(crate) fn takes(&self, value: &str) -> bool {
        self.equals.iter().all(|wanted| wanted == value) && !self.differs.contains(value)
    }

    /// Whether it asks for one value and nothing else.
    pub(crate) fn is_exact(&self) -> bool {
        self.equals.len() == 1 && self.differs.is_empty()
    }
}

impl Fields {
    /// Reads a selector, or says what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = split_terms(text);
        parts.sort_unstable();
        let mut fields: BTreeMap<String, Term> = BTreeMap::new();
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
            let term = fields.entry(field.to_owned()).or_default();
            if operator == "!=" { &mut term.differs } else { &mut term.equals }.insert(value);
        }
        Ok(Self(fields))
    }

    /// The value that a field must have, when one term asks for exactly one.
    pub(crate) fn exact(&self, field: &str) -> Option<&str> {
        self.0.get(field)?.equals.first().map(String::as_str)
    }

    /// Every field with what is asked of it.
    pub(crate) fn terms(&self) -> impl Iterator<Item = (&str, &Term)> {
        self.0.iter().map(|(field, term)| (field.as_str(), term))
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
