//! From text to steps.

use serde_json::Value;

use super::{DEEPEST, Malformed, Slice, Step};

/// The steps of a text that is in the path behind so many bytes.
pub(super) fn steps(text: &str, at: usize, depth: usize) -> Result<Vec<Step>, Malformed> {
    if depth > DEEPEST {
        return Err(Malformed { problem: "nested too deeply".into(), at });
    }
    let mut reader = Reader { rest: text, end: at + text.len(), depth, steps: Vec::new() };
    reader.read()?;
    Ok(reader.steps)
}

struct Reader<'a> {
    rest: &'a str,
    /// Where in the path the text ends.
    end: usize,
    depth: usize,
    steps: Vec<Step>,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<(), Malformed> {
        while let Some(first) = self.rest.chars().next() {
            if self.rest.starts_with("[?(") {
                self.filter()?;
            } else if let Some(rest) = self.rest.strip_prefix("..") {
                if self.steps.last() == Some(&Step::Recursive) {
                    return Err(self.wrong("invalid multiple recursive descent"));
                }
                self.rest = rest;
                self.steps.push(Step::Recursive);
                if rest.starts_with(is_alphanumeric) {
                    self.field();
                }
            } else {
                match first {
                    ' ' | '@' | '$' => self.skip(1),
                    // In a template the next action would follow; only the first one has a value here.
                    '}' => return Ok(()),
                    '[' => self.brackets()?,
                    '"' | '\'' => self.quoted(first)?,
                    '.' => {
                        self.skip(1);
                        self.field();
                    }
                    '+' | '-' => self.number()?,
                    _ if first.is_numeric() => self.number()?,
                    _ if is_alphanumeric(first) => self.identifier(),
                    '\r' | '\n' => return Err(self.wrong("unclosed action")),
                    _ => {
                        return Err(self.wrong(format!("unrecognized character in action: {first:?}")));
                    }
                }
            }
        }
        Ok(())
    }

    /// How much of the path has been read.
    fn at(&self) -> usize {
        self.end.saturating_sub(self.rest.len())
    }

    /// What is wrong here.
    fn wrong(&self, problem: impl Into<String>) -> Malformed {
        Malformed { problem: problem.into(), at: self.at() }
    }

    fn skip(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or_default();
    }

    /// Takes so many bytes off the front.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (head, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        head
    }

    fn field(&mut self) {
        let mut end = self.rest.len();
        let mut escaped = false;
        for (at, letter) in self.rest.char_indices() {
            if escaped {
                escaped = false;
            } else if letter == '\\' {
                escaped = true;
            } else if is_terminator(letter) {
                end = at;
                break;
            }
        }
        let name = self.take(end);
        self.steps.push(if name == "*" { Step::Wildcard } else { Step::Field(name.replace('\\', "")) });
    }

    fn identifier(&mut self) {
        let end = self.rest.find(is_terminator).unwrap_or(self.rest.len());
        let word = self.take(end);
        self.steps.push(match word {
            "true" => Step::Constant(true.into()),
            "false" => Step::Constant(false.into()),
            _ => Step::Identifier,
        });
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let sign = usize::from(self.rest.starts_with(['+', '-']));
        let digits = self.rest.get(sign..).unwrap_or_default();
        let end =
            sign + digits.find(|letter: char| letter != '.' && !letter.is_numeric()).unwrap_or(digits.len());
        let at = self.at();
        let text = self.take(end);
        let value = match (text.parse::<i64>(), text.parse::<f64>()) {
            (Ok(whole), _) => Value::from(whole),
            (_, Ok(float)) if float.is_finite() => Value::from(float),
            _ => return Err(Malformed { problem: format!("cannot parse number {text}"), at }),
        };
        self.steps.push(Step::Constant(value));
        Ok(())
    }

    fn quoted(&mut self, quote: char) -> Result<(), Malformed> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\n' => break,
                _ if letter == quote => {
                    self.skip(at + 1);
                    self.steps.push(Step::Constant(text.into()));
                    return Ok(());
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, 'r')) => text.push('\r'),
                    Some((_, other)) if other == quote || other == '\\' => text.push(other),
                    _ => return Err(self.wrong("unquote string error invalid syntax")),
                },
                _ => text.push(letter),
            }
        }
        Err(self.wrong("unterminated quoted string"))
    }

    fn brackets(&mut self) -> Result<(), Malformed> {
        let end = match self.rest.find([']', '\n']) {
            Some(end) if self.rest.get(end..).is_some_and(|rest| rest.starts_with(']')) => end,
            _ => return Err(self.wrong("unterminated array")),
        };
        // What is in the brackets begins behind this.
        let at = self.at();
        let inside = self.take(end + 1);
        let inside = inside.get(1..end).unwrap_or_default();
        if inside.contains(',') {
            let parts = inside.split(',').scan(at, |at, part| {
                let found = steps(&format!("[{}]", part.trim_matches(' ')), *at, self.depth + 1);
                *at += part.len() + 1;
                Some(found)
            });
            self.steps.push(Step::Union(parts.collect::<Result<_, _>>()?));
            return Ok(());
        }
        let key = inside.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        if let Some(key) = key.filter(|key| !key.contains('\'')) {
            self.steps.extend(steps(&format!(".{key}"), at + 1, self.depth + 1)?);
            return Ok(());
        }
        self.steps.push(Step::Slice(slice(if inside == "*" { ":" } else { inside }, at + 1)?));
        Ok(())
    }

    fn filter(&mut self) -> Result<(), Malformed> {
        let (mut quote, mut closed, mut before) = (None, false, '(');
        let mut end = None;
        for (at, letter) in self.rest.char_indices().skip(3) {
            match letter {
                '\n' => break,
                '"' | '\'' if quote.is_none() => quote = Some(letter),
                '"' | '\'' if quote == Some(letter) && before != '\\' => closed = true,
                ')' if quote.is_some() == closed => {
                    end = Some(at);
                    break;
                }
                _ => {}
            }
            before = letter;
        }
        let end = end.ok_or_else(|| self.wrong("unterminated filter"))?;
        let at = self.at() + 3;
        let inside = self.take(end).get(3..).unwrap_or_default();
        self.rest = self.rest.strip_prefix(")]").ok_or_else(|| self.wrong("unclosed array expect ]"))?;
        let depth = self.depth + 1;
        let Some((left, operator, right)) = comparison(inside) else {
            self.steps.push(Step::Exists(steps(inside, at, depth)?));
            return Ok(());
        };
        let behind = at + left.len() + operator.len();
        let (left, right) = (steps(left, at, depth)?, steps(right, behind, depth)?);
        self.steps.push(Step::Filter { left, operator: operator.into(), right });
        Ok(())
    }
}

/// `@.a`, `==`, `"b"`; nothing when there is no comparison, only a question for existence.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    const SIGNS: [char; 4] = ['!', '<', '>', '='];
    let start = text.find(SIGNS).filter(|start| *start > 0)?;
    let (left, rest) = text.split_at_checked(start)?;
    // Without anything behind it, the last sign is what to compare with, and that can never be read.
    let length = rest.find(|letter| !SIGNS.contains(&letter)).or_else(|| rest.len().checked_sub(1))?;
    if length == 0 {
        return None;
    }
    let (operator, right) = rest.split_at_checked(length)?;
    Some((left, operator, right))
}

fn slice(text: &str, at: usize) -> Result<Slice, Malformed> {
    let bad = || Malformed { problem: format!("invalid array index {text}"), at };
    let number = |part: Option<&str>| match part {
        None | Some("") => Ok(None),
        Some(part) if part.starts_with('+') => Err(bad()),
        Some(part) => part.parse::<i64>().map(Some).map_err(|_| bad()),
    };
    let mut parts = text.split(':');
    let (start, end, step) = (parts.next(), parts.next(), parts.next());
    if parts.next().is_some() {
        return Err(bad());
    }
    Ok(Slice { start: number(start)?, end: number(end)?, step: number(step)?, single: end.is_none() })
}

fn is_alphanumeric(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

fn is_terminator(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
