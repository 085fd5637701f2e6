//! Executing templates: what text/template/exec.go does.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    rc::Rc,
};

use super::{
    Problem, Value,
    functions::call,
    parse::{Node, Operand, Pipe, Template, parse},
};

/// More templates within each other than this are one that includes itself.
const DEEPEST: usize = 100;

/// The templates of a chart.
#[derive(Default)]
pub(in super::super) struct Templates {
    defined: RefCell<BTreeMap<String, Rc<Template>>>,
    depth: Cell<usize>,
}

impl Templates {
    /// Adds a file, which can be executed by its name.
    pub(in super::super) fn add(&mut self, file: &str, text: &str) -> Result<(), Problem> {
        let defined = self.defined.get_mut();
        let template = parse(file, text, defined)?;
        defined.insert(file.to_owned(), template);
        Ok(())
    }

    /// The text that a template comes to for these data.
    pub(in super::super) fn execute(&self, name: &str, data: &Value) -> Result<String, Problem> {
        let template = self.defined.borrow().get(name).cloned();
        let template = template.ok_or_else(|| Problem::new(format_args!("there is no template {name:?}")))?;
        self.run(&template, data)
    }

    fn run(&self, template: &Template, data: &Value) -> Result<String, Problem> {
        if self.depth.get() >= DEEPEST {
            return Err(Problem::new(format_args!("more than {DEEPEST} templates include each other")));
        }
        self.depth.set(self.depth.get() + 1);
        let mut scope =
            Scope { templates: self, file: &template.file, variables: Vec::new(), out: String::new() };
        scope.variables.push((String::new(), data.clone()));
        let done = scope.nodes(&template.nodes, data);
        self.depth.set(self.depth.get() - 1);
        done.map(|_| scope.out)
    }
}

/// What happens after a node.
#[derive(Clone, Copy, PartialEq, Eq)]
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
    /// Executes nodes in a scope of their own.
    fn nodes(&mut self, nodes: &[Node], dot: &Value) -> Result<Flow, Problem> {
        let outside = self.variables.len();
        for node in nodes {
            let flow = self.node(node, dot)?;
            if flow != Flow::Next {
                self.variables.truncate(outside);
                return Ok(flow);
            }
        }
        self.variables.truncate(outside);
        Ok(Flow::Next)
    }

    fn node(&mut self, node: &Node, dot: &Value) -> Result<Flow, Problem> {
        match node {
            Node::Text(text) => self.out.push_str(text),
            Node::Action(pipe) => {
                let value = self.pipe(pipe, dot)?;
                if pipe.variables.is_empty() {
                    self.out.push_str(&value.printed());
                }
            }
            Node::If(pipe, then, otherwise) => {
                let outside = self.variables.len();
                let nodes = if self.pipe(pipe, dot)?.is_true() { then } else { otherwise };
                let flow = self.nodes(nodes, dot)?;
                self.variables.truncate(outside);
                return Ok(flow);
            }
            Node::With(pipe, then, otherwise) => {
                let outside = self.variables.len();
                let value = self.pipe(pipe, dot)?;
                let flow =
                    if value.is_true() { self.nodes(then, &value)? } else { self.nodes(otherwise, dot)? };
                self.variables.truncate(outside);
                return Ok(flow);
            }
            Node::Range(pipe, then, otherwise) => return self.range(pipe, then, otherwise, dot),
            Node::Template(name, pipe, line) => {
                let data = pipe.as_ref().map_or(Ok(Value::Nil), |pipe| self.pipe(pipe, dot))?;
                let text = self.templates.execute(name, &data);
                self.out.push_str(&text.map_err(|problem| problem.at(self.file, *line))?);
            }
            Node::Break => return Ok(Flow::Break),
            Node::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::Next)
    }

    fn range(
        &mut self,
        pipe: &Pipe,
        then: &[Node],
        otherwise: &[Node],
        dot: &Value,
    ) -> Result<Flow, Problem> {
        let bare = Pipe { variables: Vec::new(), ..pipe.clone() };
        #[expect(clippy::cast_possible_wrap, reason = "no list is that long")]
        let items: Vec<(Value, Value)> = match self.pipe(&bare, dot)? {
            Value::Nil => Vec::new(),
            Value::List(items) => {
                items.into_iter().enumerate().map(|(at, item)| (Value::Int(at as i64), item)).collect()
            }
            Value::Map(entries) => {
                entries.borrow().iter().map(|(key, value)| (Value::text(key), value.clone())).collect()
            }
            other => {
                let problem = Problem::new(format_args!("range cannot go over a {}", other.kind()));
                return Err(problem.at(self.file, pipe.line));
            }
        };
        if items.is_empty() {
            return self.nodes(otherwise, dot);
        }
        let outside = self.variables.len();
        for (key, item) in items {
            let values = match pipe.variables.len() {
                2 => vec![key, item.clone()],
                1 => vec![item.clone()],
                _ => Vec::new(),
            };
            for (name, value) in pipe.variables.iter().zip(values) {
                self.assign(name, value, pipe.is_assignment).map_err(|it| it.at(self.file, pipe.line))?;
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
        if !is_assignment {
            self.variables.push((name.to_owned(), value));
            return Ok(());
        }
        let variable = self.variables.iter_mut().rev().find(|(known, _)| known == name);
        let (_, variable) = variable.ok_or_else(|| undefined(name))?;
        *variable = value;
        Ok(())
    }

    fn pipe(&mut self, pipe: &Pipe, dot: &Value) -> Result<Value, Problem> {
        let value = self.value(pipe, dot).map_err(|problem| problem.at(self.file, pipe.line))?;
        if let [name] = &pipe.variables[..] {
            self.assign(name, value.clone(), pipe.is_assignment)
                .map_err(|problem| problem.at(self.file, pipe.line))?;
        }
        Ok(value)
    }

    fn value(&mut self, pipe: &Pipe, dot: &Value) -> Result<Value, Problem> {
        let mut last = None;
        for command in &pipe.commands {
            last = Some(self.command(command, dot, last)?);
        }
        last.ok_or_else(|| Problem::new("a command is missing"))
    }

    fn command(&mut self, command: &[Operand], dot: &Value, last: Option<Value>) -> Result<Value, Problem> {
        let Some((first, rest)) = command.split_first() else {
            return Err(Problem::new("a command is missing"));
        };
        if let Operand::Function(name) = first {
            if let Some(stops_at) = match name.as_str() {
                "and" => Some(false),
                "or" => Some(true),
                _ => None,
            } {
                return self.junction(rest, dot, last, stops_at);
            }
            let mut arguments =
                rest.iter().map(|operand| self.operand(operand, dot)).collect::<Result<Vec<_>, _>>()?;
            arguments.extend(last);
            return call(self.templates, name, &arguments);
        }
        if let Operand::Field(names) = first
            && let Some((method, path)) = names.split_last()
            && let Value::Files(files) = fields(dot.clone(), path)?
        {
            return self.file(&files, method, rest, dot, last);
        }
        if let Operand::Variable(name, names) = first
            && let Some((method, path)) = names.split_last()
            && let Value::Files(files) = fields(self.variable(name)?, path)?
        {
            return self.file(&files, method, rest, dot, last);
        }
        if !rest.is_empty() || last.is_some() {
            return Err(Problem::new("a value that is no function has arguments"));
        }
        self.operand(first, dot)
    }

    /// `and` and `or`, which look no further than they must.
    fn junction(
        &mut self,
        operands: &[Operand],
        dot: &Value,
        last: Option<Value>,
        stops_at: bool,
    ) -> Result<Value, Problem> {
        let mut value = None;
        for operand in operands {
            let found = self.operand(operand, dot)?;
            if found.is_true() == stops_at {
                return Ok(found);
            }
            value = Some(found);
        }
        last.or(value).ok_or_else(|| Problem::new("`and` and `or` need arguments"))
    }

    fn file(
        &mut self,
        files: &BTreeMap<String, String>,
        method: &str,
        rest: &[Operand],
        dot: &Value,
        last: Option<Value>,
    ) -> Result<Value, Problem> {
        let mut arguments =
            rest.iter().map(|operand| self.operand(operand, dot)).collect::<Result<Vec<_>, _>>()?;
        arguments.extend(last);
        match (method, &arguments[..]) {
            ("Get", [Value::Text(path)]) => {
                // Helm gives an empty text, with which a chart would install less than it says.
                let text = files.get(path);
                text.map(Value::text)
                    .ok_or_else(|| Problem::new(format_args!("the chart has no file {path:?}")))
            }
            _ => {
                Err(Problem::new(format_args!("`.Files.{method}` is not supported, only `.Files.Get PATH`")))
            }
        }
    }

    fn variable(&self, name: &str) -> Result<Value, Problem> {
        let found = self.variables.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.clone()).ok_or_else(|| undefined(name))
    }

    fn operand(&mut self, operand: &Operand, dot: &Value) -> Result<Value, Problem> {
        Ok(match operand {
            Operand::Dot => dot.clone(),
            Operand::Nil => Value::Nil,
            Operand::Bool(value) => Value::Bool(*value),
            Operand::Int(number) => Value::Int(*number),
            Operand::Float(number) => Value::Float(*number),
            Operand::Text(text) => Value::text(text),
            Operand::Field(names) => fields(dot.clone(), names)?,
            Operand::Variable(name, names) => fields(self.variable(name)?, names)?,
            Operand::Function(name) => call(self.templates, name, &[])?,
            Operand::Pipe(pipe, names) => {
                let outside = self.variables.len();
                let value = self.pipe(pipe, dot)?;
                self.variables.truncate(outside);
                fields(value, names)?
            }
        })
    }
}

fn undefined(name: &str) -> Problem {
    Problem::new(format_args!("there is no variable ${name}"))
}

/// The value behind `.a.b`. A key that a map does not have is nil, and nil has no fields.
fn fields(mut value: Value, names: &[String]) -> Result<Value, Problem> {
    for name in names {
        value = match value {
            Value::Map(entries) => entries.borrow().get(name).cloned().unwrap_or(Value::Nil),
            Value::Nil => {
                return Err(Problem::new(format_args!(
                    "nil pointer evaluating .{name}: what it is a field of is not set"
                )));
            }
            Value::Files(_) => return Err(Problem::new(format_args!("`.Files.{name}` needs a path"))),
            Value::Absent(what) => {
                return Err(Problem::new(format_args!("`.{what}` is not known without Helm")));
            }
            other => return Err(Problem::new(format_args!("a {} has no field .{name}", other.kind()))),
        };
    }
    Ok(value)
}
