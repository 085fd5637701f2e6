//! Go templates (text/template), as far as Helm charts use them: a lexer, a parser and an evaluator, with the functions of
//! Helm and of Sprig that are in [`functions`]. What is not known is an error with file and line, never another result.

mod evaluate;
mod functions;
mod lex;
mod parse;
#[cfg(test)]
mod tests;
mod value;

use std::fmt;

pub(super) use evaluate::Templates;
pub(super) use value::{NO_VALUE, Value};

/// A mistake in a template, or a value that it refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Problem {
    /// The file and the line; empty until it is known.
    place: Option<(String, usize)>,
    message: String,
}

impl Problem {
    fn new(message: impl fmt::Display) -> Self {
        Self { place: None, message: message.to_string() }
    }

    /// The same at this place, unless it has one: the innermost place is where the mistake is.
    fn at(mut self, file: &str, line: usize) -> Self {
        self.place.get_or_insert_with(|| (file.to_owned(), line));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((file, line)) => write!(f, "{file}:{line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}
