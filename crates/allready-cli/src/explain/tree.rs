//! An explanation as a tree for a terminal.

use std::fmt::Write as _;

use allready_core::Time;
use allready_inspect::{
    explain::{Explanation, Node},
    health::Health,
};
use anstyle::Style;

use super::words;
use crate::printer::{BAD, BOLD, DIM, GOOD, UNKNOWN, tame};

/// How a tree is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Look {
    /// With nothing but ASCII.
    pub(super) is_ascii: bool,
    /// How many columns a line may have.
    pub(super) width: usize,
}

/// The signs that a tree is drawn with.
pub(crate) struct Signs {
    pub(crate) fork: &'static str,
    pub(crate) last: &'static str,
    pub(crate) bar: &'static str,
    pub(crate) gap: &'static str,
    pub(crate) dots: &'static str,
}

pub(super) const LINES: Signs =
    Signs { fork: "├─ ", last: "└─ ", bar: "│  ", gap: "   ", dots: "…" };
pub(super) const ASCII: Signs = Signs { fork: "|- ", last: "`- ", bar: "|  ", gap: "   ", dots: "..." };

/// The whole tree, and the first cause.
pub(super) fn text(explanation: &Explanation, now: Time, look: Look) -> String {
    let signs = if look.is_ascii { &ASCII } else { &LINES };
    let mut drawing = Drawing { explanation, now, look, signs, text: String::new() };
    drawing.branch(0, "", "");
    let verdict = words::verdict(explanation, now);
    let verdict = if look.is_ascii { ascii(&verdict) } else { verdict };
    let _ = writeln!(drawing.text, "\n{BOLD}{verdict}{BOLD:#}");
    drawing.text
}

struct Drawing<'a> {
    explanation: &'a Explanation,
    now: Time,
    look: Look,
    signs: &'static Signs,
    text: String,
}

impl Drawing<'_> {
    /// A line and everything below it. The depth of an explanation is bounded.
    fn branch(&mut self, index: usize, own: &str, below: &str) {
        let Some(node) = self.explanation.nodes.get(index) else { return };
        self.line(node, own);
        let mut rest: Vec<String> = Vec::new();
        for &(relation, place) in &node.elsewhere {
            let Some(other) = self.explanation.nodes.get(place) else { continue };
            let side = if place < index { "above" } else { "below" };
            rest.push(format!("{relation} {} (see {side})", tame(&other.label)));
        }
        if !node.folded.is_empty() {
            rest.push(format!("{} and {}", self.signs.dots, words::folded(&node.folded)));
        }
        rest.extend(node.gaps.iter().map(|gap| tame(gap)));
        let count = node.children.len() + rest.len();
        for (number, &child) in node.children.iter().enumerate() {
            let (own, deeper) = self.prefixes(below, number + 1 == count);
            self.branch(child, &own, &deeper);
        }
        for (number, text) in rest.iter().enumerate() {
            let (own, _) = self.prefixes(below, node.children.len() + number + 1 == count);
            let room = self.look.width.saturating_sub(own.chars().count());
            let text = self.fit(text, room);
            let _ = writeln!(self.text, "{DIM}{own}{DIM:#}{text}");
        }
    }

    fn prefixes(&self, below: &str, is_last: bool) -> (String, String) {
        let (own, deeper) =
            if is_last { (self.signs.last, self.signs.gap) } else { (self.signs.fork, self.signs.bar) };
        (format!("{below}{own}"), format!("{below}{deeper}"))
    }

    fn line(&mut self, node: &Node, prefix: &str) {
        let relation = match node.relation.as_str() {
            "" => String::new(),
            relation => format!("{relation} "),
        };
        let (symbol, style) = symbol(node, self.look.is_ascii);
        let word = words::health(node);
        let label = tame(&node.label);
        let facts =
            words::facts(node, self.now).into_iter().fold(String::new(), |facts, fact| facts + "  " + &fact);
        let why = words::why(node);
        // The message gives way first: everything else is short, but for names that somebody made long.
        let width = self.look.width;
        let taken = [prefix, &relation, symbol, word, &label, &facts]
            .iter()
            .map(|text| text.chars().count())
            .sum::<usize>()
            + 2;
        let (label, room) = match width.checked_sub(taken + 2) {
            Some(room) => (self.fit(&label, usize::MAX), room),
            None => (self.fit(&label, (label.chars().count() + width).saturating_sub(taken).max(12)), 0),
        };
        let why =
            if why.is_empty() || room < 8 { String::new() } else { format!("  {}", self.fit(&why, room)) };
        let facts = self.fit(&facts, usize::MAX);
        let _ = writeln!(
            self.text,
            "{DIM}{prefix}{DIM:#}{relation}{style}{symbol} {word}{style:#} {label}{DIM}{facts}{DIM:#}{why}"
        );
    }

    /// A text that fits, of signs that can be shown.
    fn fit(&self, text: &str, width: usize) -> String {
        if self.look.is_ascii {
            let text = ascii(text);
            if text.len() <= width { text } else { format!("{}...", &text[..width.saturating_sub(3)]) }
        } else {
            words::cut(text, width)
        }
    }
}

/// The same with nothing but ASCII.
fn ascii(text: &str) -> String {
    let mut ascii = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '…' => ascii.push_str("..."),
            '×' => ascii.push('x'),
            c if c.is_ascii() => ascii.push(c),
            c => ascii.extend(c.escape_default()),
        }
    }
    ascii
}

/// A sign that says the same as the colour, for whoever sees only one of them.
fn symbol(node: &Node, is_ascii: bool) -> (&'static str, Style) {
    let (lines, ascii, style) = match node.health {
        None => ("!", "!", UNKNOWN),
        Some(_) if !node.is_seen => ("?", "?", UNKNOWN),
        Some(Health::Healthy) => ("✓", "+", GOOD),
        Some(Health::Suspended) => ("‖", "=", DIM),
        Some(Health::Progressing) => ("…", "~", UNKNOWN),
        Some(Health::Unknown) => ("?", "?", UNKNOWN),
        Some(Health::Missing) => ("∅", "o", BAD),
        Some(Health::Degraded) => ("✗", "x", BAD),
    };
    (if is_ascii { ascii } else { lines }, style)
}
