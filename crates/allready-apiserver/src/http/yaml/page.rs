//! Text in lines: where they begin, and where long ones are folded.

use std::fmt::Write as _;

use super::scalar::{self, Style};

/// Where long lines are folded.
const WIDTH: usize = 80;

/// What is written so far.
pub(super) struct Page {
    out: String,
    column: usize,
    /// Whether the last character separates: no space is needed before the next word.
    spaced: bool,
    /// Whether nothing but indentation and indicators stand on the line, so that a block may begin on it.
    indentation: bool,
}

impl Default for Page {
    fn default() -> Self {
        Self { out: String::new(), column: 0, spaced: true, indentation: true }
    }
}

impl Page {
    pub(super) fn finish(mut self) -> String {
        self.start_line(0);
        self.out
    }

    pub(super) fn in_indentation(&self) -> bool {
        self.indentation
    }

    fn put(&mut self, letter: char) {
        self.out.push(letter);
        self.column += 1;
    }

    fn end_line(&mut self) {
        self.out.push('\n');
        self.column = 0;
    }

    pub(super) fn start_line(&mut self, indent: usize) {
        if !self.indentation || self.column > indent || (self.column == indent && !self.spaced) {
            self.end_line();
        }
        while self.column < indent {
            self.put(' ');
        }
        self.spaced = true;
        self.indentation = true;
    }

    fn separate(&mut self) {
        if !self.spaced {
            self.put(' ');
        }
    }

    /// `-`, `?` or `:` at the start of a line.
    pub(super) fn indicator(&mut self, mark: &str) {
        self.separate();
        mark.chars().for_each(|letter| self.put(letter));
        self.spaced = false;
    }

    /// The colon behind a key.
    pub(super) fn colon(&mut self) {
        self.put(':');
        self.spaced = false;
        self.indentation = false;
    }

    /// What needs no quotes and is never folded.
    pub(super) fn word(&mut self, text: &str) {
        self.separate();
        text.chars().for_each(|letter| self.put(letter));
        self.spaced = false;
        self.indentation = false;
    }

    pub(super) fn text(&mut self, text: &str, indent: usize, style: Style, folds: bool) {
        self.separate();
        match style {
            Style::Plain => self.letters(text, indent, folds, false),
            Style::Single => {
                self.put('\'');
                self.indentation = false;
                self.letters(text, indent, folds, true);
                self.put('\'');
            }
            Style::Double => self.double(text, indent, folds),
            Style::Literal => return self.literal(text, indent),
        }
        self.spaced = false;
        self.indentation = false;
    }

    /// The letters of a plain or single-quoted text, folded at spaces.
    fn letters(&mut self, text: &str, indent: usize, folds: bool, quoted: bool) {
        let mut after_space = false;
        let mut after_break = false;
        let mut letters = text.char_indices().peekable();
        while let Some((place, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            if letter == ' ' {
                let inside = !quoted || place > 0 && next.is_some();
                if folds && !after_space && self.column > WIDTH && inside && next != Some(' ') {
                    self.start_line(indent);
                } else {
                    self.put(' ');
                }
                after_space = true;
            } else if scalar::is_break(letter) {
                if !after_break && letter == '\n' {
                    self.end_line();
                }
                self.line_break(letter);
                self.indentation = true;
                after_break = true;
            } else {
                if after_break {
                    self.start_line(indent);
                }
                if quoted && letter == '\'' {
                    self.put('\'');
                }
                self.put(letter);
                self.indentation = false;
                (after_space, after_break) = (false, false);
            }
        }
    }

    fn line_break(&mut self, letter: char) {
        if letter == '\n' {
            self.end_line();
        } else {
            self.out.push(letter);
            self.column = 0;
        }
    }

    fn double(&mut self, text: &str, indent: usize, folds: bool) {
        self.put('"');
        self.indentation = false;
        let marked = text.starts_with('\u{feff}');
        let mut after_space = false;
        let mut letters = text.char_indices().peekable();
        while let Some((place, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            let special = !scalar::is_printable(letter) || marked || scalar::is_break(letter);
            if special || matches!(letter, '"' | '\\') {
                self.escape(letter);
                after_space = false;
            } else if letter == ' ' {
                if folds && !after_space && self.column > WIDTH && place > 0 && next.is_some() {
                    self.start_line(indent);
                    if next == Some(' ') {
                        self.put('\\');
                    }
                } else {
                    self.put(' ');
                }
                after_space = true;
            } else {
                self.put(letter);
                after_space = false;
            }
        }
        self.put('"');
    }

    fn escape(&mut self, letter: char) {
        let before = self.out.len();
        self.out.push('\\');
        match letter {
            '\0' => self.out.push('0'),
            '\u{7}' => self.out.push('a'),
            '\u{8}' => self.out.push('b'),
            '\t' => self.out.push('t'),
            '\n' => self.out.push('n'),
            '\u{b}' => self.out.push('v'),
            '\u{c}' => self.out.push('f'),
            '\r' => self.out.push('r'),
            '\u{1b}' => self.out.push('e'),
            '"' | '\\' => self.out.push(letter),
            '\u{85}' => self.out.push('N'),
            '\u{a0}' => self.out.push('_'),
            '\u{2028}' => self.out.push('L'),
            '\u{2029}' => self.out.push('P'),
            other => {
                let code = u32::from(other);
                // Writing into a string has no way to fail.
                let _ = match code {
                    0..=0xff => write!(self.out, "x{code:02X}"),
                    0x100..=0xffff => write!(self.out, "u{code:04X}"),
                    _ => write!(self.out, "U{code:08X}"),
                };
            }
        }
        // Everything that is written here is ASCII.
        self.column += self.out.len() - before;
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.put('|');
        if text.starts_with(|letter| letter == ' ' || scalar::is_break(letter)) {
            self.put('2');
        }
        let mut backwards = text.chars().rev();
        match (backwards.next().is_some_and(scalar::is_break), backwards.next()) {
            (false, _) => self.put('-'),
            (true, before) if before.is_none_or(scalar::is_break) => self.put('+'),
            _ => {}
        }
        self.end_line();
        self.indentation = true;
        self.spaced = true;
        let mut after_break = true;
        for letter in text.chars() {
            if scalar::is_break(letter) {
                self.line_break(letter);
                self.indentation = true;
                after_break = true;
            } else {
                if after_break {
                    self.start_line(indent);
                }
                self.put(letter);
                self.indentation = false;
                after_break = false;
            }
        }
    }
}
