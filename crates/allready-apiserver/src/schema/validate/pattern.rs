//! Patterns in Go's dialect of regular expressions, which the `regex` crate nearly speaks.

use std::collections::HashMap;

use regex::Regex;

use crate::schema::Schema;

/// Every pattern of a schema, compiled once.
#[derive(Default)]
pub(super) struct Patterns(HashMap<String, Option<Regex>>);

impl Patterns {
    pub(super) fn of(schema: &Schema) -> Self {
        let mut patterns = Self::default();
        schema.visit(&mut |node| {
            if let Some(pattern) = node.checks.as_ref().and_then(|checks| checks.pattern.as_ref())
                && !patterns.0.contains_key(pattern)
            {
                patterns.0.insert(pattern.clone(), compile(pattern).ok());
            }
        });
        patterns
    }

    /// Whether a text matches; a pattern that is none matches nothing.
    pub(super) fn matches(&self, pattern: &str, text: &str) -> bool {
        self.0.get(pattern).and_then(Option::as_ref).is_some_and(|regex| regex.is_match(text))
    }
}

/// Compiles a pattern written for Go.
pub(crate) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    Regex::new(&translate(pattern))
}

/// Go's classes are ASCII, a bracket inside a class is a letter like any other, and a brace that repeats nothing is one too.
fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 8);
    let mut letters = pattern.char_indices().peekable();
    let mut class = false;
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => {
                let next = letters.next().map(|(_, next)| next);
                match (next, class) {
                    (Some('d'), false) => out.push_str("[0-9]"),
                    (Some('D'), false) => out.push_str("[^0-9]"),
                    (Some('w'), false) => out.push_str("[0-9A-Za-z_]"),
                    (Some('W'), false) => out.push_str("[^0-9A-Za-z_]"),
                    (Some('s'), false) => out.push_str(r"[\t\n\f\r ]"),
                    (Some('S'), false) => out.push_str(r"[^\t\n\f\r ]"),
                    (Some('b'), false) => out.push_str(r"(?-u:\b)"),
                    (Some('d'), true) => out.push_str("0-9"),
                    (Some('w'), true) => out.push_str("0-9A-Za-z_"),
                    (Some('s'), true) => out.push_str(r"\t\n\f\r "),
                    (Some(next), _) => out.extend(['\\', next]),
                    (None, _) => out.push('\\'),
                }
            }
            '[' if !class => {
                class = true;
                out.push('[');
                if letters.next_if(|(_, next)| *next == '^').is_some() {
                    out.push('^');
                }
                if letters.next_if(|(_, next)| *next == ']').is_some() {
                    out.push_str(r"\]");
                }
            }
            '[' if pattern[at..].starts_with("[:")
                && let Some(end) = pattern[at..].find(":]") =>
            {
                let whole = &pattern[at..at + end + 2];
                out.push_str(whole);
                while letters.next_if(|(next, _)| *next < at + whole.len()).is_some() {}
            }
            '[' | '&' | '~' if class => out.extend(['\\', letter]),
            ']' if class => {
                class = false;
                out.push(']');
            }
            '{' if !class && !repeats(&pattern[at..]) => out.push_str(r"\{"),
            letter => out.push(letter),
        }
    }
    out
}

fn repeats(from: &str) -> bool {
    let Some((inside, _)) = from.strip_prefix('{').and_then(|rest| rest.split_once('}')) else {
        return false;
    };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}
