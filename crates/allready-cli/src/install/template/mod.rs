//! Go templates (text/template), as far as the chart uses them, with the functions of Helm and of Sprig that are in
//! [`functions`]. Values are those of JSON: an integer is Go's int, and every number of values.yaml a float64, as in Helm. What
//! is not known is an error with file and line, never another result.

mod functions;
mod parse;
#[cfg(test)]
mod tests;

use std::{cell::Cell, collections::BTreeMap, fmt};

use serde_json::{Map, Value};

use self::{
    functions::{call, is_true, kind, shown},
    parse::{Action, Node, Token, parse},
};

/// The text that an action prints for nil. Helm takes it away from what a file of the chart renders to, and not before: a
/// template that is included may be true by it.
pub(super) const NO_VALUE: &str = "<no value>";
/// More templates within each other than this are one that includes itself.
const DEEPEST: usize = 100;

/// A mistake in a template, or a value that it refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    message: String,
    is_placed: bool,
}

impl Problem {
    /// The same with its file and line, unless it has them: the innermost place is where the mistake is.
    fn at(self, file: &str, line: usize) -> Self {
        if self.is_placed {
            return self;
        }
        Self { message: format!("{file}:{line}: {}", self.message), is_placed: true }
    }
}

impl<T: Into<String>> From<T> for Problem {
    fn from(message: T) -> Self {
        Self { message: message.into(), is_placed: false }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// The templates of a chart.
#[derive(Default)]
pub(super) struct Templates {
    /// By name, the file and what it consists of.
    defined: BTreeMap<String, (String, Vec<Node>)>,
    /// The files that `.Files.Get` reads.
    pub(super) files: BTreeMap<String, String>,
    depth: Cell<usize>,
}

impl Templates {
    /// Adds a file, which can be executed by its name.
    pub(super) fn add(&mut self, file: &str, text: &str) -> Result<(), Problem> {
        for (name, nodes) in parse(file, text)? {
            self.defined.insert(name, (file.to_owned(), nodes));
        }
        Ok(())
    }

    /// Returns the text that a template comes to for these data.
    pub(super) fn execute(&self, name: &str, data: &Value) -> Result<String, Problem> {
        self.run(name, &floats(data))
    }

    fn run(&self, name: &str, data: &Value) -> Result<String, Problem> {
        let (file, nodes) = self.defined.get(name).ok_or_else(|| format!("there is no template {name:?}"))?;
        if self.depth.get() >= DEEPEST {
            return Err(format!("more than {DEEPEST} templates include each other").into());
        }
        self.depth.set(self.depth.get() + 1);
        let variables = vec![(String::new(), data.clone())];
        let mut scope = Scope { templates: self, file, variables, out: String::new() };
        let done = scope.nodes(nodes, data);
        self.depth.set(self.depth.get() - 1);
        done.map(|_| scope.out)
    }
}

/// The same value, with every number a float64.
fn floats(value: &Value) -> Value {
    match value {
        Value::Number(number) => number.as_f64().into(),
        Value::Array(items) => items.iter().map(floats).collect(),
        Value::Object(map) => {
            map.iter().map(|(key, value)| (key.clone(), floats(value))).collect::<Map<_, _>>().into()
        }
        other => other.clone(),
    }
}

/// The way in which nodes go on after one of them.
#[derive(PartialEq, Eq)]
enum Flow {
    Next,
    Break,
    Continue,
}

/// One execution of a template.
struct Scope<'a> {
    templates: &'a Templates,
    file: &'a str,
    /// The variables by name, the innermost last; the first, without a name, is `$`.
    variables: Vec<(String, Value)>,
    out: String,
}

impl Scope<'_> {
    /// Executes nodes, whose variables end with them.
    fn nodes(&mut self, nodes: &[Node], dot: &Value) -> Result<Flow, Problem> {
        let outside = self.variables.len();
        let mut flow = Flow::Next;
        for node in nodes {
            let inside = self.variables.len();
            flow = match node {
                Node::Text(text) => {
                    self.out.push_str(text);
                    Flow::Next
                }
                Node::Action(action) => {
                    let done = self.action(action, dot);
                    done.map_err(|problem| problem.at(self.file, action.line))?
                }
                Node::Block(action, then, otherwise) => {
                    let flow = self.block(action, then, otherwise, dot);
                    self.variables.truncate(inside);
                    flow.map_err(|problem| problem.at(self.file, action.line))?
                }
            };
            if flow != Flow::Next {
                break;
            }
        }
        self.variables.truncate(outside);
        Ok(flow)
    }

    fn action(&mut self, action: &Action, dot: &Value) -> Result<Flow, Problem> {
        match (&*action.keyword, &action.tokens[..]) {
            ("break", []) => return Ok(Flow::Break),
            ("continue", []) => return Ok(Flow::Continue),
            ("template", [Token::Literal(Value::String(name)), data @ ..]) => {
                let data = if data.is_empty() { Value::Null } else { self.pipe(data, dot)? };
                let text = self.templates.run(name, &data)?;
                self.out.push_str(&text);
            }
            ("", tokens) => {
                let value = self.pipe(tokens, dot)?;
                match &action.variables[..] {
                    [] if value.is_null() => self.out.push_str(NO_VALUE),
                    [] => self.out.push_str(&shown(&value)),
                    [name, ..] => self.assign(name, value, action.is_assignment)?,
                }
            }
            (keyword, _) => return Err(format!("`{keyword}` is not understood").into()),
        }
        Ok(Flow::Next)
    }

    fn block(
        &mut self,
        action: &Action,
        then: &[Node],
        otherwise: &[Node],
        dot: &Value,
    ) -> Result<Flow, Problem> {
        let value = self.pipe(&action.tokens, dot)?;
        if action.keyword == "range" {
            return self.range(action, value, then, otherwise, dot);
        }
        if let Some(name) = action.variables.first() {
            self.assign(name, value.clone(), action.is_assignment)?;
        }
        match is_true(&value) {
            true if action.keyword == "with" => self.nodes(then, &value),
            true => self.nodes(then, dot),
            false => self.nodes(otherwise, dot),
        }
    }

    fn range(
        &mut self,
        action: &Action,
        over: Value,
        then: &[Node],
        otherwise: &[Node],
        dot: &Value,
    ) -> Result<Flow, Problem> {
        let items: Vec<(Value, Value)> = match over {
            Value::Null => Vec::new(),
            Value::Array(items) => {
                items.into_iter().enumerate().map(|(at, item)| (at.into(), item)).collect()
            }
            Value::Object(map) => map.into_iter().map(|(key, value)| (key.into(), value)).collect(),
            other => return Err(format!("range cannot go over a {}", kind(&other)).into()),
        };
        if items.is_empty() {
            return self.nodes(otherwise, dot);
        }
        let outside = self.variables.len();
        for (key, item) in items {
            match &action.variables[..] {
                [] => {}
                [name] => self.assign(name, item.clone(), action.is_assignment)?,
                [first, second, ..] => {
                    self.assign(first, key, action.is_assignment)?;
                    self.assign(second, item.clone(), action.is_assignment)?;
                }
            }
            let flow = self.nodes(then, &item)?;
            self.variables.truncate(outside);
            if flow == Flow::Break {
                break;
            }
        }
        Ok(Flow::Next)
    }

    fn assign(&mut self, name: &str, value: Value, is_assignment: bool) -> Result<(), Problem> {
        if is_assignment {
            *self.variable(name)? = value;
        } else {
            self.variables.push((name.to_owned(), value));
        }
        Ok(())
    }

    fn variable(&mut self, name: &str) -> Result<&mut Value, Problem> {
        let found = self.variables.iter_mut().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value).ok_or_else(|| format!("there is no variable ${name}").into())
    }

    /// The value of commands, each of which has the value of the one before as its last argument.
    fn pipe(&mut self, tokens: &[Token], dot: &Value) -> Result<Value, Problem> {
        let mut last = None;
        for command in tokens.split(|token| *token == Token::Sign("|")) {
            last = Some(self.command(command, last, dot)?);
        }
        last.ok_or_else(|| "a command is missing".into())
    }

    fn command(&mut self, command: &[Token], last: Option<Value>, dot: &Value) -> Result<Value, Problem> {
        let (first, rest) = command.split_first().ok_or("a command is missing")?;
        let mut arguments: Vec<_> = rest.iter().map(|operand| self.operand(operand, dot)).collect();
        arguments.extend(last.map(Ok));
        let name = match first {
            Token::Word(name) => name,
            Token::Field(names) | Token::Variable(_, names)
                if names.ends_with(&["Files".into(), "Get".into()]) =>
            {
                return self.file(&arguments);
            }
            _ if arguments.is_empty() => return self.operand(first, dot),
            _ => return Err("a value that is no function has arguments".into()),
        };
        if let "and" | "or" = &**name {
            // They look no further than they must: what is behind that may not even have a value.
            let decides = |value: &Result<Value, Problem>| {
                value.as_ref().map_or(true, |it| is_true(it) == (name == "or"))
            };
            let decisive = arguments.iter().position(decides).unwrap_or(arguments.len().saturating_sub(1));
            return arguments.into_iter().nth(decisive).ok_or("`and` and `or` need arguments")?;
        }
        let arguments = arguments.into_iter().collect::<Result<Vec<_>, _>>()?;
        if name == "include" {
            let [Value::String(name), data] = &arguments[..] else {
                return Err("`include` needs the name of a template and data".into());
            };
            return self.templates.run(name, data).map(Value::String);
        }
        let value = call(name, &arguments)?;
        // These two change the map that they are given.
        if let ("set" | "merge", Some(Token::Variable(name, fields))) = (&**name, rest.first())
            && fields.is_empty()
        {
            *self.variable(name)? = value.clone();
        }
        Ok(value)
    }

    /// `.Files.Get PATH`. Helm gives an empty text for no file, with which a chart would install less than it says.
    fn file(&self, arguments: &[Result<Value, Problem>]) -> Result<Value, Problem> {
        let [Ok(Value::String(path))] = arguments else { return Err("`.Files.Get` needs a path".into()) };
        let text = self.templates.files.get(path).ok_or_else(|| format!("the chart has no file {path:?}"))?;
        Ok(text.as_str().into())
    }

    fn operand(&mut self, operand: &Token, dot: &Value) -> Result<Value, Problem> {
        match operand {
            Token::Literal(value) => Ok(value.clone()),
            Token::Field(names) => fields(dot, names),
            Token::Variable(name, names) => fields(self.variable(name)?, names),
            Token::Word(name) => call(name, &[]),
            Token::Group(tokens, names) => fields(&self.pipe(tokens, dot)?, names),
            Token::Sign(sign) => Err(format!("`{sign}` is not understood here").into()),
        }
    }
}

/// The value behind `.a.b`. A key that a map does not have is nil, and nil has no fields.
fn fields(value: &Value, names: &[String]) -> Result<Value, Problem> {
    let mut value = value;
    for name in names {
        value = match value {
            Value::Object(map) => match map.get(name) {
                None if ["Capabilities", "Subcharts"].contains(&&**name) => {
                    return Err(format!("`.{name}` is not known without Helm").into());
                }
                found => found.unwrap_or(&Value::Null),
            },
            Value::Null => {
                return Err(
                    format!("nil pointer evaluating .{name}: what it is a field of is not set").into()
                );
            }
            other => return Err(format!("a {} has no field .{name}", kind(other)).into()),
        };
    }
    Ok(value.clone())
}
