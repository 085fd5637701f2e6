//! The functions of templates: those of Go, of Helm and of Sprig that the chart uses. Each does what its documentation says, and refuses
//! arguments of which that says nothing.

use std::fmt::Write as _;

use regex::Regex;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};

use super::{Problem, Templates, Value, value::yaml};

type Answer = Result<Value, Problem>;

/// Calls a function by name.
pub(super) fn call(templates: &Templates, name: &str, given: &[Value]) -> Answer {
    let arguments = Arguments { name, given };
    if let Some(answer) = of_go(name, &arguments) {
        return answer;
    }
    if let Some(answer) = of_helm(templates, name, &arguments) {
        return answer;
    }
    let known = of_texts(name, &arguments).or_else(|| of_lists(name, &arguments));
    let known = known.or_else(|| of_maps(name, &arguments));
    known.unwrap_or_else(|| Err(Problem::new(format_args!("the function `{name}` is not supported"))))
}

/// The functions of text/template, and numbers.
fn of_go(name: &str, args: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "not" => args.one().map(|value| Value::Bool(!value.is_true())),
        "eq" => equal(args).map(Value::Bool),
        "gt" => greater(args).map(Value::Bool),
        "printf" => printf(args).map(Value::Text),
        "int" => args.whole(0).map(Value::Int),
        _ => return None,
    })
}

/// The functions of Helm, and those with which a chart fails on purpose.
fn of_helm(templates: &Templates, name: &str, args: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "include" => {
            args.two().and_then(|(name, data)| templates.execute(args.as_text(name)?, data).map(Value::Text))
        }
        "toYaml" => args.one().map(|value| Value::Text(yaml(&Json::from(value)))),
        "toJson" => args.one().map(|value| Value::Text(go_json(value))),
        "fromYaml" => args.text(0).and_then(|text| {
            let value: Json = serde_saphyr::from_str(text).map_err(Problem::new)?;
            Ok(Value::from(&value))
        }),
        "fromJson" => args.text(0).and_then(|text| {
            let value: Json = serde_json::from_str(text).map_err(Problem::new)?;
            Ok(Value::from(&value))
        }),
        "fail" => args.text(0).and_then(|message| Err(Problem::new(message))),
        _ => return None,
    })
}

fn of_texts(name: &str, args: &Arguments<'_>) -> Option<Answer> {
    let text = |made: Result<String, Problem>| Some(made.map(Value::Text));
    let two = |make: fn(&str, &str) -> String| {
        Some(args.two_texts().map(|(first, second)| Value::Text(make(first, second))))
    };
    let asks = |ask: fn(&str, &str) -> bool| {
        Some(args.two_texts().map(|(first, second)| Value::Bool(ask(first, second))))
    };
    match name {
        "sha256sum" => text(args.text(0).map(sha256)),
        "quote" => text(Ok(args.joined(|value| go_quoted(&value.shown())))),
        "nindent" => text(args.number(0).and_then(|by| Ok(format!("\n{}", indented(by, args.text(1)?))))),
        "trimSuffix" => two(|end, text| text.strip_suffix(end).unwrap_or(text).to_owned()),
        "contains" => asks(|part, text| text.contains(part)),
        "hasPrefix" => asks(|start, text| text.starts_with(start)),
        "trunc" => text(args.number(0).and_then(|most| truncated(most, args.text(1)?))),
        "splitList" => {
            Some(args.two_texts().map(|(by, text)| Value::List(text.split(by).map(Value::text).collect())))
        }
        "splitn" => Some(args.text(0).and_then(|by| {
            let most = usize::try_from(args.number(1)?).unwrap_or_default();
            let parts = args.text(2)?.splitn(most, by).map(Value::text);
            Ok(Value::map(parts.enumerate().map(|(at, part)| (format!("_{at}"), part))))
        })),
        "regexMatch" => {
            Some(args.two_texts().and_then(|(pattern, text)| Ok(Value::Bool(regex(pattern)?.is_match(text)))))
        }
        "regexReplaceAll" => {
            text(args.text(0).and_then(|pattern| {
                Ok(regex(pattern)?.replace_all(args.text(1)?, args.text(2)?).into_owned())
            }))
        }
        _ => None,
    }
}

fn of_lists(name: &str, args: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "list" => Ok(Value::List(args.given.to_vec())),
        "first" => args.list(0).map(|items| items.first().cloned().unwrap_or(Value::Nil)),
        "last" => args.list(0).map(|items| items.last().cloned().unwrap_or(Value::Nil)),
        "append" => args
            .list(0)
            .and_then(|items| Ok(Value::List(items.iter().chain([args.at(1)?]).cloned().collect()))),
        "concat" => {
            let lists = (0..args.given.len()).map(|at| args.list(at)).collect::<Result<Vec<_>, _>>();
            lists.map(|lists| Value::List(lists.into_iter().flatten().cloned().collect()))
        }
        "uniq" => args.list(0).map(|items| {
            let mut once: Vec<Value> = Vec::new();
            for item in items {
                if !once.contains(item) {
                    once.push(item.clone());
                }
            }
            Value::List(once)
        }),
        "has" => args.two().and_then(|(wanted, _)| match args.at(1)? {
            Value::Nil => Ok(Value::Bool(false)),
            _ => Ok(Value::Bool(args.list(1)?.contains(wanted))),
        }),
        "join" => args.text(0).and_then(|by| match args.at(1)? {
            Value::List(items) => {
                let texts: Vec<String> =
                    items.iter().filter(|item| **item != Value::Nil).map(Value::shown).collect();
                Ok(Value::Text(texts.join(by)))
            }
            Value::Nil => Ok(Value::text("")),
            other => Ok(Value::Text(other.shown())),
        }),
        _ => return None,
    })
}

fn of_maps(name: &str, args: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "dict" => {
            let (pairs, rest) = args.given.as_chunks::<2>();
            if !rest.is_empty() {
                return Some(Err(Problem::new("`dict` needs a value for each key")));
            }
            let entries = pairs.iter().map(|[key, value]| Ok((args.as_text(key)?.to_owned(), value.clone())));
            entries.collect::<Result<Vec<_>, Problem>>().map(Value::map)
        }
        "get" => args
            .entries(0)
            .and_then(|entries| Ok(entries.borrow().get(args.text(1)?).cloned().unwrap_or(Value::text("")))),
        "hasKey" => {
            args.entries(0).and_then(|entries| Ok(Value::Bool(entries.borrow().contains_key(args.text(1)?))))
        }
        "set" => args.entries(0).and_then(|entries| {
            entries.borrow_mut().insert(args.text(1)?.to_owned(), args.at(2)?.clone());
            Ok(args.at(0)?.clone())
        }),
        "merge" => merged(args),
        "default" => args.two().map(|(other, value)| if value.is_true() { value } else { other }.clone()),
        "empty" => args.one().map(|value| Value::Bool(!value.is_true())),
        "ternary" => match args.given {
            [yes, no, Value::Bool(which)] => Ok(if *which { yes } else { no }.clone()),
            _ => Err(Problem::new("`ternary` needs two values and a boolean")),
        },
        _ => return None,
    })
}

/// The arguments of a call.
struct Arguments<'a> {
    name: &'a str,
    given: &'a [Value],
}

impl<'a> Arguments<'a> {
    fn at(&self, at: usize) -> Result<&'a Value, Problem> {
        self.given
            .get(at)
            .ok_or_else(|| Problem::new(format_args!("`{}` needs {} or more arguments", self.name, at + 1)))
    }

    fn one(&self) -> Result<&'a Value, Problem> {
        self.exactly(1)?;
        self.at(0)
    }

    fn two(&self) -> Result<(&'a Value, &'a Value), Problem> {
        self.exactly(2)?;
        Ok((self.at(0)?, self.at(1)?))
    }

    fn exactly(&self, count: usize) -> Result<(), Problem> {
        match self.given.len() {
            found if found == count => Ok(()),
            found => {
                Err(Problem::new(format_args!("`{}` needs {count} arguments, and has {found}", self.name)))
            }
        }
    }

    fn wrong(&self, found: &Value) -> Problem {
        Problem::new(format_args!("`{}` cannot take a {}: {}", self.name, found.kind(), found.shown()))
    }

    fn as_text(&self, value: &'a Value) -> Result<&'a str, Problem> {
        match value {
            Value::Text(text) => Ok(text),
            other => Err(self.wrong(other)),
        }
    }

    fn text(&self, at: usize) -> Result<&'a str, Problem> {
        self.as_text(self.at(at)?)
    }

    fn two_texts(&self) -> Result<(&'a str, &'a str), Problem> {
        let (first, second) = self.two()?;
        Ok((self.as_text(first)?, self.as_text(second)?))
    }

    fn list(&self, at: usize) -> Result<&'a [Value], Problem> {
        match self.at(at)? {
            Value::List(items) => Ok(items),
            other => Err(self.wrong(other)),
        }
    }

    fn entries(
        &self,
        at: usize,
    ) -> Result<&'a std::cell::RefCell<std::collections::BTreeMap<String, Value>>, Problem> {
        match self.at(at)? {
            Value::Map(entries) => Ok(entries),
            other => Err(self.wrong(other)),
        }
    }

    /// A whole number that stands there as one.
    fn number(&self, at: usize) -> Result<i64, Problem> {
        match self.at(at)? {
            Value::Int(number) => Ok(*number),
            other => Err(self.wrong(other)),
        }
    }

    /// A whole number, as `int` of Sprig makes one.
    fn whole(&self, at: usize) -> Result<i64, Problem> {
        match self.at(at)? {
            Value::Nil => Ok(0),
            Value::Bool(value) => Ok(i64::from(*value)),
            Value::Int(number) => Ok(*number),
            #[expect(clippy::cast_possible_truncation, reason = "this is what Go's conversion does")]
            Value::Float(number) => Ok(*number as i64),
            Value::Text(text) => {
                text.parse().map_err(|_| self.wrong(self.given.get(at).unwrap_or(&Value::Nil)))
            }
            other => Err(self.wrong(other)),
        }
    }

    /// All arguments but nil, each made a text.
    fn joined(&self, make: impl Fn(&Value) -> String) -> String {
        let texts: Vec<String> = self.given.iter().filter(|value| **value != Value::Nil).map(make).collect();
        texts.join(" ")
    }
}

/// JSON as Go writes it: also without what a browser would read as HTML.
fn go_json(value: &Value) -> String {
    let escaped = |letter: char| match letter {
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    Json::from(value).to_string().chars().map(escaped).collect()
}

/// SHA-256 in hexadecimal digits.
fn sha256(text: &str) -> String {
    Sha256::digest(text).iter().fold(String::new(), |mut digits, byte| {
        let _ = write!(digits, "{byte:02x}");
        digits
    })
}

fn regex(pattern: &str) -> Result<Regex, Problem> {
    Regex::new(pattern).map_err(|_| Problem::new(format_args!("{pattern:?} is no regular expression")))
}

/// Compares as `eq` does: values of different kinds are a mistake, and nil is equal to nil alone.
fn same(first: &Value, second: &Value) -> Result<bool, Problem> {
    match (first, second) {
        (Value::Nil, _) | (_, Value::Nil) => Ok(first == second),
        (Value::List(_) | Value::Map(_), _) | (_, Value::List(_) | Value::Map(_)) => {
            Err(Problem::new("lists and maps cannot be compared"))
        }
        _ if first.kind() == second.kind() => Ok(first == second),
        _ => Err(Problem::new(format_args!(
            "a {} cannot be compared with a {}: incompatible types",
            first.kind(),
            second.kind()
        ))),
    }
}

fn equal(args: &Arguments<'_>) -> Result<bool, Problem> {
    let first = args.at(0)?;
    args.at(1)?;
    for other in &args.given[1..] {
        if same(first, other)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn greater(args: &Arguments<'_>) -> Result<bool, Problem> {
    match args.two()? {
        (Value::Int(a), Value::Int(b)) => Ok(a > b),
        (Value::Float(a), Value::Float(b)) => Ok(a > b),
        (Value::Text(a), Value::Text(b)) => Ok(a > b),
        _ => Err(Problem::new(format_args!("`{}`: incompatible types", args.name))),
    }
}

fn merged(args: &Arguments<'_>) -> Answer {
    fn lay(under: &Value, over: &Value) {
        let (Value::Map(under), Value::Map(over)) = (under, over) else { return };
        for (key, value) in over.borrow().iter() {
            let before = under.borrow().get(key).cloned();
            match before {
                Some(before @ Value::Map(_)) if matches!(value, Value::Map(_)) => lay(&before, value),
                Some(before) if before.is_true() => {}
                _ => drop(under.borrow_mut().insert(key.clone(), value.copied())),
            }
        }
    }
    let first = args.at(0)?;
    for at in 0..args.given.len() {
        args.entries(at)?;
        if at > 0 {
            lay(first, args.at(at)?);
        }
    }
    Ok(first.clone())
}

fn printf(args: &Arguments<'_>) -> Result<String, Problem> {
    let format = args.text(0)?;
    let mut given = args.given[1..].iter();
    let (mut text, mut letters) = (String::new(), format.chars());
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let verb = letters.next().unwrap_or_default();
        if verb == '%' {
            text.push('%');
            continue;
        }
        let missing = || Problem::new(format_args!("printf {format:?} has too few arguments"));
        let value = given.next().ok_or_else(missing)?;
        match (verb, value) {
            ('v', value) => text.push_str(&value.shown()),
            ('s', Value::Text(value)) => text.push_str(value),
            ('d', Value::Int(number)) => text.push_str(&number.to_string()),
            ('q', Value::Text(value)) => text.push_str(&go_quoted(value)),
            ('t', Value::Bool(value)) => text.push_str(&value.to_string()),
            _ => {
                let kind = value.kind();
                return Err(Problem::new(format_args!("printf {format:?}: %{verb} cannot take a {kind}")));
            }
        }
    }
    match given.next() {
        None => Ok(text),
        Some(_) => Err(Problem::new(format_args!("printf {format:?} has too many arguments"))),
    }
}

fn indented(by: i64, text: &str) -> String {
    let margin = " ".repeat(usize::try_from(by).unwrap_or_default());
    format!("{margin}{}", text.replace('\n', &format!("\n{margin}")))
}

/// The first so many bytes; with a negative number, the last.
fn truncated(most: i64, text: &str) -> Result<String, Problem> {
    let size = usize::try_from(most.unsigned_abs()).unwrap_or(usize::MAX);
    if text.len() <= size {
        return Ok(text.to_owned());
    }
    let part = if most < 0 { text.get(text.len() - size..) } else { text.get(..size) };
    part.map(str::to_owned)
        .ok_or_else(|| Problem::new(format_args!("`trunc` would cut a letter of {text:?}")))
}

/// `%q` of Go.
fn go_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\u{:04x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
