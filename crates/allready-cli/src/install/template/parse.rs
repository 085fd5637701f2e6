//! Templates from tokens: what text/template/parse/parse.go does.

use std::{collections::BTreeMap, rc::Rc, vec::IntoIter};

use super::{
    Problem,
    lex::{Kind, Part, Token, lex},
};

/// A list of nodes, and the file that they are from.
#[derive(Clone, Debug)]
pub(super) struct Template {
    pub(super) file: Rc<str>,
    pub(super) nodes: Vec<Node>,
}

#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipe),
    If(Pipe, Vec<Node>, Vec<Node>),
    With(Pipe, Vec<Node>, Vec<Node>),
    Range(Pipe, Vec<Node>, Vec<Node>),
    Template(String, Option<Pipe>, usize),
    Break,
    Continue,
}

/// Commands, the value of each of which is the last argument of the next.
#[derive(Clone, Debug)]
pub(super) struct Pipe {
    /// The variables that take the value, without their dollars.
    pub(super) variables: Vec<String>,
    /// Returns true if the variables are there already.
    pub(super) is_assignment: bool,
    pub(super) commands: Vec<Vec<Operand>>,
    pub(super) line: usize,
}

#[derive(Clone, Debug)]
pub(super) enum Operand {
    Dot,
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Field(Vec<String>),
    Variable(String, Vec<String>),
    Function(String),
    Pipe(Box<Pipe>, Vec<String>),
}

/// Reads a file: what it defines by name, and what it is itself.
pub(super) fn parse(
    file: &str,
    text: &str,
    defined: &mut BTreeMap<String, Rc<Template>>,
) -> Result<Rc<Template>, Problem> {
    let mut parser = Parser { file: file.into(), parts: lex(file, text)?.into_iter(), defined };
    let (nodes, end) = parser.nodes(0)?;
    match end {
        Ending::File => Ok(Rc::new(Template { file: file.into(), nodes })),
        Ending::End(line) | Ending::Else(_, line) => {
            Err(Problem::new("`end` or `else` without a beginning").at(file, line))
        }
    }
}

struct Parser<'a> {
    file: Rc<str>,
    parts: IntoIter<Part>,
    defined: &'a mut BTreeMap<String, Rc<Template>>,
}

/// The end of a list of nodes.
enum Ending {
    File,
    End(usize),
    /// With what stands behind the `else`, such as `if .a`.
    Else(Tokens, usize),
}

impl Parser<'_> {
    fn nodes(&mut self, loops: usize) -> Result<(Vec<Node>, Ending), Problem> {
        let mut nodes = Vec::new();
        while let Some(part) = self.parts.next() {
            let tokens = match part {
                Part::Text(text) => {
                    if !text.is_empty() {
                        nodes.push(Node::Text(text));
                    }
                    continue;
                }
                Part::Action(tokens) => tokens,
            };
            // A comment.
            let Some(line) = tokens.first().map(|token| token.line) else { continue };
            let file = Rc::clone(&self.file);
            let mut tokens = Tokens(tokens.into_iter().peekable());
            if tokens.take_word("end") {
                return Ok((nodes, Ending::End(line)));
            }
            if tokens.take_word("else") {
                return Ok((nodes, Ending::Else(tokens, line)));
            }
            let node = self.action(tokens, line, loops).map_err(|problem| problem.at(&file, line))?;
            nodes.extend(node);
        }
        Ok((nodes, Ending::File))
    }

    fn action(&mut self, mut tokens: Tokens, line: usize, loops: usize) -> Result<Option<Node>, Problem> {
        for keyword in ["if", "with", "range"] {
            if tokens.take_word(keyword) {
                return self.branch(keyword, tokens, line, loops).map(Some);
            }
        }
        if tokens.take_word("define") {
            let name = tokens.text()?;
            tokens.end()?;
            let (nodes, end) = self.nodes(0)?;
            let Ending::End(_) = end else {
                return Err(Problem::new(format_args!("define {name:?} has no end")));
            };
            let template = Rc::new(Template { file: Rc::clone(&self.file), nodes });
            self.defined.insert(name, template);
            return Ok(None);
        }
        if tokens.take_word("template") {
            let name = tokens.text()?;
            let pipe = if tokens.is_empty() { None } else { Some(tokens.pipe(line, false)?) };
            return Ok(Some(Node::Template(name, pipe, line)));
        }
        for (word, node) in [("break", Node::Break), ("continue", Node::Continue)] {
            if tokens.take_word(word) {
                tokens.end()?;
                let outside = || Problem::new(format_args!("`{word}` outside of range"));
                return if loops > 0 { Ok(Some(node)) } else { Err(outside()) };
            }
        }
        if tokens.take_word("block") {
            return Err(Problem::new("`block` is not supported: use `define` and `include`"));
        }
        let pipe = tokens.pipe(line, false)?;
        Ok(Some(Node::Action(pipe)))
    }

    fn branch(
        &mut self,
        keyword: &str,
        mut tokens: Tokens,
        line: usize,
        loops: usize,
    ) -> Result<Node, Problem> {
        let is_range = keyword == "range";
        let pipe = tokens.pipe(line, is_range)?;
        let (then, end) = self.nodes(loops + usize::from(is_range))?;
        let no_end = || Problem::new(format_args!("`{keyword}` has no end"));
        let otherwise = match end {
            Ending::File => return Err(no_end()),
            Ending::End(_) => Vec::new(),
            Ending::Else(rest, _) if rest.is_empty() => match self.nodes(loops)? {
                (nodes, Ending::End(_)) => nodes,
                _ => return Err(no_end()),
            },
            // `else if` and `else with` share the end.
            Ending::Else(mut rest, line) => {
                let same = if is_range { "" } else { keyword };
                if !rest.take_word(same) {
                    return Err(Problem::new(format_args!(
                        "`else` of `{keyword}` is followed by something else"
                    )));
                }
                vec![self.branch(keyword, rest, line, loops)?]
            }
        };
        Ok(match keyword {
            "if" => Node::If(pipe, then, otherwise),
            "with" => Node::With(pipe, then, otherwise),
            _ => Node::Range(pipe, then, otherwise),
        })
    }
}

/// The tokens of an action that are left.
struct Tokens(std::iter::Peekable<IntoIter<Token>>);

impl Tokens {
    fn is_empty(&self) -> bool {
        self.0.len() == 0
    }

    fn take_word(&mut self, wanted: &str) -> bool {
        self.0.next_if(|token| matches!(&token.kind, Kind::Word(word) if word == wanted)).is_some()
    }

    fn take(&mut self, sign: &str) -> bool {
        self.0.next_if(|token| matches!(&token.kind, Kind::Sign(found) if *found == sign)).is_some()
    }

    fn text(&mut self) -> Result<String, Problem> {
        match self.0.next().map(|token| token.kind) {
            Some(Kind::Text(text)) => Ok(text),
            _ => Err(Problem::new("the name of a template is missing, such as \"a.b\"")),
        }
    }

    fn end(&mut self) -> Result<(), Problem> {
        match self.0.next() {
            None => Ok(()),
            Some(token) => Err(Problem::new(format_args!("{:?} is one thing too many", token.kind))),
        }
    }

    fn pipe(&mut self, line: usize, is_range: bool) -> Result<Pipe, Problem> {
        let pipe = self.commands(line, is_range)?;
        self.end()?;
        Ok(pipe)
    }

    fn commands(&mut self, line: usize, is_range: bool) -> Result<Pipe, Problem> {
        let (variables, is_assignment) = self.declared(is_range)?;
        let mut commands = Vec::new();
        loop {
            let command = self.command(line)?;
            if command.is_empty() {
                return Err(Problem::new("a command is missing"));
            }
            commands.push(command);
            if !self.take("|") {
                return Ok(Pipe { variables, is_assignment, commands, line });
            }
        }
    }

    /// `$a :=`, `$a =`, and in a range `$a, $b :=`.
    fn declared(&mut self, is_range: bool) -> Result<(Vec<String>, bool), Problem> {
        let mut ahead = self.0.clone();
        let mut variables = Vec::new();
        while let Some(Token { kind: Kind::Variable(name, fields), .. }) = ahead.next() {
            if !fields.is_empty() {
                break;
            }
            variables.push(name);
            match ahead.next().map(|token| token.kind) {
                Some(Kind::Sign(",")) if is_range && variables.len() == 1 => {}
                Some(Kind::Sign(sign @ (":=" | "="))) => {
                    self.0 = ahead;
                    return Ok((variables, sign == "="));
                }
                Some(Kind::Sign(",")) => return Err(Problem::new("too many variables")),
                _ => break,
            }
        }
        Ok((Vec::new(), false))
    }

    fn command(&mut self, line: usize) -> Result<Vec<Operand>, Problem> {
        let mut operands = Vec::new();
        while let Some(token) =
            self.0.next_if(|token| !matches!(token.kind, Kind::Sign(")" | "|" | ":=" | "=" | ",")))
        {
            operands.push(match token.kind {
                Kind::Word(word) => match word.as_str() {
                    "true" => Operand::Bool(true),
                    "false" => Operand::Bool(false),
                    "nil" => Operand::Nil,
                    _ => Operand::Function(word),
                },
                Kind::Dot => Operand::Dot,
                Kind::Field(names) => Operand::Field(names),
                Kind::Variable(name, fields) => Operand::Variable(name, fields),
                Kind::Text(text) => Operand::Text(text),
                Kind::Int(number) => Operand::Int(number),
                Kind::Float(number) => Operand::Float(number),
                Kind::Sign(_) => {
                    let pipe = self.commands(line, false)?;
                    if !self.take(")") {
                        return Err(Problem::new("a parenthesis has no end: `)` is missing"));
                    }
                    let fields = self
                        .0
                        .next_if(|token| token.is_glued && matches!(token.kind, Kind::Field(_)))
                        .map(|token| token.kind);
                    let fields = if let Some(Kind::Field(fields)) = fields { fields } else { Vec::new() };
                    Operand::Pipe(Box::new(pipe), fields)
                }
            });
        }
        Ok(operands)
    }
}
