//! The functions of templates: those of Go, of Helm and of Sprig that charts like ours use. Each does what its documentation
//! says, and refuses arguments of which that says nothing.

use std::{cmp::Ordering, fmt::Write as _};

use regex::Regex;
use serde_json::Value as Json;

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
    let known = known.or_else(|| of_maps(name, &arguments)).or_else(|| of_numbers(name, &arguments));
    known.unwrap_or_else(|| Err(Problem::new(format_args!("the function `{name}` is not supported"))))
}

/// The functions of text/template.
fn of_go(name: &str, args: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "not" => args.one().map(|value| Value::Bool(!value.is_true())),
        "eq" => equal(args).map(Value::Bool),
        "ne" => args.two().and_then(|(a, b)| same(a, b)).map(|is_same| Value::Bool(!is_same)),
        "lt" => ordered(args, |order| order == Ordering::Less),
        "le" => ordered(args, |order| order != Ordering::Greater),
        "gt" => ordered(args, |order| order == Ordering::Greater),
        "ge" => ordered(args, |order| order != Ordering::Less),
        "len" => args.one().and_then(|value| match value {
            Value::Text(text) => Ok(count(text.len())),
            Value::List(items) => Ok(count(items.len())),
            Value::Map(entries) => Ok(count(entries.borrow().len())),
            other => Err(args.wrong(other)),
        }),
        "index" => index(args),
        "print" => Ok(Value::Text(args.given.iter().map(Value::shown).collect())),
        "printf" => printf(args).map(Value::Text),
        _ => return None,
    })
}

/// The functions of Helm, and those with which a chart fails on purpose.
fn of_helm(templates: &Templates, name: &str, args: &Arguments<'_>) -> Option<Answer> {
    Some(match name {
        "include" => {
            args.two().and_then(|(name, data)| templates.execute(args.as_text(name)?, data).map(Value::Text))
        }
        "tpl" => args
            .two()
            .and_then(|(text, data)| templates.execute_text(args.as_text(text)?, data).map(Value::Text)),
        "toYaml" => args.one().map(|value| Value::Text(yaml(&Json::from(value)))),
        "toJson" => args.one().map(|value| Value::Text(Json::from(value).to_string())),
        "fromYaml" => args.text(0).and_then(|text| {
            let value: Json = serde_saphyr::from_str(text).map_err(Problem::new)?;
            Ok(Value::from(&value))
        }),
        "fromJson" | "fromJsonArray" => args.text(0).and_then(|text| {
            let value: Json = serde_json::from_str(text).map_err(Problem::new)?;
            Ok(Value::from(&value))
        }),
        "fail" => args.text(0).and_then(|message| Err(Problem::new(message))),
        "required" => args.two().and_then(|(message, value)| match value {
            Value::Nil => Err(Problem::new(args.as_text(message)?)),
            Value::Text(text) if text.is_empty() => Err(Problem::new(args.as_text(message)?)),
            value => Ok(value.clone()),
        }),
        // Without a cluster there is nothing to find, as with `helm template`.
        "lookup" => Ok(Value::map([])),
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
        "quote" => text(Ok(args.joined(|value| go_quoted(&value.shown())))),
        "squote" => text(Ok(args.joined(|value| format!("'{}'", value.shown())))),
        "toString" => text(args.one().map(Value::shown)),
        "indent" => text(args.number(0).and_then(|by| Ok(indented(by, args.text(1)?)))),
        "nindent" => text(args.number(0).and_then(|by| Ok(format!("\n{}", indented(by, args.text(1)?))))),
        "trim" => text(args.text(0).map(|text| text.trim().to_owned())),
        "upper" => text(args.text(0).map(str::to_uppercase)),
        "lower" => text(args.text(0).map(str::to_lowercase)),
        "trimSuffix" => two(|end, text| text.strip_suffix(end).unwrap_or(text).to_owned()),
        "trimPrefix" => two(|start, text| text.strip_prefix(start).unwrap_or(text).to_owned()),
        "trimAll" => two(|set, text| text.trim_matches(|c| set.contains(c)).to_owned()),
        "contains" => asks(|part, text| text.contains(part)),
        "hasPrefix" => asks(|start, text| text.starts_with(start)),
        "hasSuffix" => asks(|end, text| text.ends_with(end)),
        "replace" => text(args.text(0).and_then(|old| Ok(args.text(2)?.replace(old, args.text(1)?)))),
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
        "rest" => args.list(0).map(|items| Value::List(items.iter().skip(1).cloned().collect())),
        "initial" => args
            .list(0)
            .map(|items| Value::List(items.iter().take(items.len().saturating_sub(1)).cloned().collect())),
        "append" => args
            .list(0)
            .and_then(|items| Ok(Value::List(items.iter().chain([args.at(1)?]).cloned().collect()))),
        "prepend" => args
            .list(0)
            .and_then(|items| Ok(Value::List([args.at(1)?].into_iter().chain(items).cloned().collect()))),
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
        "without" => args.list(0).map(|items| {
            let stays = |item: &&Value| !args.given[1..].contains(item);
            Value::List(items.iter().filter(stays).cloned().collect())
        }),
        "sortAlpha" => args.list(0).map(|items| {
            let mut texts: Vec<String> = items.iter().map(Value::shown).collect();
            texts.sort_unstable();
            Value::List(texts.into_iter().map(Value::Text).collect())
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
        "unset" => args.entries(0).and_then(|entries| {
            entries.borrow_mut().remove(args.text(1)?);
            Ok(args.at(0)?.clone())
        }),
        // Sprig gives the keys in any order, so that charts sort them.
        "keys" => {
            args.entries(0).map(|entries| Value::List(entries.borrow().keys().map(Value::text).collect()))
        }
        "deepCopy" => args.one().map(Value::copied),
        "merge" | "mergeOverwrite" => merged(args, name == "mergeOverwrite"),
        "omit" | "pick" => args.entries(0).and_then(|entries| {
            let names =
                args.given[1..].iter().map(|name| args.as_text(name)).collect::<Result<Vec<_>, _>>()?;
            let entries = entries.borrow();
            let kept = entries.iter().filter(|(key, _)| names.contains(&key.as_str()) == (name == "pick"));
            Ok(Value::map(kept.map(|(key, value)| (key.clone(), value.clone()))))
        }),
        "default" => args.two().map(|(other, value)| if value.is_true() { value } else { other }.clone()),
        "empty" => args.one().map(|value| Value::Bool(!value.is_true())),
        "coalesce" => Ok(args.given.iter().find(|value| value.is_true()).cloned().unwrap_or(Value::Nil)),
        "ternary" => match args.given {
            [yes, no, Value::Bool(which)] => Ok(if *which { yes } else { no }.clone()),
            _ => Err(Problem::new("`ternary` needs two values and a boolean")),
        },
        "kindOf" => args.one().map(|value| Value::text(value.kind())),
        "kindIs" => args.two().and_then(|(kind, value)| Ok(Value::Bool(args.as_text(kind)? == value.kind()))),
        _ => return None,
    })
}

fn of_numbers(name: &str, args: &Arguments<'_>) -> Option<Answer> {
    let folded = |start: i64, fold: fn(i64, i64) -> Option<i64>| {
        let numbers = (0..args.given.len()).map(|at| args.whole(at)).collect::<Result<Vec<_>, _>>();
        numbers.and_then(|numbers| {
            let folded = numbers.into_iter().try_fold(start, fold);
            folded.map(Value::Int).ok_or_else(|| Problem::new(format_args!("`{name}` overflows")))
        })
    };
    let of_two = |make: fn(i64, i64) -> Option<i64>| {
        let (first, second) = (args.whole(0)?, args.whole(1)?);
        make(first, second)
            .map(Value::Int)
            .ok_or_else(|| Problem::new(format_args!("`{name}` of {first} and {second} is no number")))
    };
    Some(match name {
        "int" | "int64" => args.whole(0).map(Value::Int),
        "add" => folded(0, i64::checked_add),
        "mul" => folded(1, i64::checked_mul),
        "sub" => of_two(i64::checked_sub),
        "div" => of_two(i64::checked_div),
        "mod" => of_two(i64::checked_rem),
        "max" => folded(i64::MIN, |a, b| Some(a.max(b))),
        "min" => folded(i64::MAX, |a, b| Some(a.min(b))),
        "until" => args.whole(0).map(|end| Value::List((0..end.clamp(0, 10_000)).map(Value::Int).collect())),
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

fn count(length: usize) -> Value {
    Value::Int(i64::try_from(length).unwrap_or(i64::MAX))
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

fn ordered(args: &Arguments<'_>, holds: fn(Ordering) -> bool) -> Answer {
    let order = match args.two()? {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Text(a), Value::Text(b)) => Some(a.cmp(b)),
        _ => None,
    };
    let order = order.ok_or_else(|| Problem::new(format_args!("`{}`: incompatible types", args.name)))?;
    Ok(Value::Bool(holds(order)))
}

fn index(args: &Arguments<'_>) -> Answer {
    let mut value = args.at(0)?.clone();
    for key in &args.given[1..] {
        value = match (&value, key) {
            (Value::Map(entries), Value::Text(key)) => {
                entries.borrow().get(key).cloned().unwrap_or(Value::Nil)
            }
            (Value::List(items), Value::Int(at)) => {
                let item = usize::try_from(*at).ok().and_then(|at| items.get(at));
                item.cloned().ok_or_else(|| Problem::new(format_args!("index out of range: {at}")))?
            }
            (other, _) => return Err(args.wrong(other)),
        };
    }
    Ok(value)
}

fn merged(args: &Arguments<'_>, overwrites: bool) -> Answer {
    fn lay(under: &Value, over: &Value, overwrites: bool) {
        let (Value::Map(under), Value::Map(over)) = (under, over) else { return };
        for (key, value) in over.borrow().iter() {
            let before = under.borrow().get(key).cloned();
            match before {
                Some(before @ Value::Map(_)) if matches!(value, Value::Map(_)) => {
                    lay(&before, value, overwrites);
                }
                Some(before) if before.is_true() && !overwrites => {}
                _ => drop(under.borrow_mut().insert(key.clone(), value.copied())),
            }
        }
    }
    let first = args.at(0)?;
    for at in 0..args.given.len() {
        args.entries(at)?;
        if at > 0 {
            lay(first, args.at(at)?, overwrites);
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
