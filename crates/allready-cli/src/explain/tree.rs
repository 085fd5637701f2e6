//! An explanation as a tree for a terminal.

use std::fmt::Write as _;

use allready_core::Time;
use allready_inspect::{
    explain::{Explanation, Node},
    health::Health,
};
use anstyle::Style;

use super::words;
use crate::{
    output::text::{Signs, cut, width, wrap},
    printer::{BOLD, DIM, UNKNOWN, health_style, tame},
};

/// The least that is shown of a message.
const LEAST: usize = 12;

/// The whole tree, and the first cause. Without a width nothing is cut.
pub(super) fn text(explanation: &Explanation, now: Time, width: Option<usize>, is_ascii: bool) -> String {
    let room = width.unwrap_or(usize::MAX);
    let mut drawing = Drawing { explanation, now, room, signs: Signs::of(is_ascii), text: String::new() };
    drawing.branch(0, "", "");
    drawing.text.push('\n');
    for line in words::verdict(explanation, now).lines() {
        let line = if is_ascii { ascii(line) } else { line.to_owned() };
        for line in if width.is_some() { wrap(&line, room) } else { vec![line] } {
            let _ = writeln!(drawing.text, "{BOLD}{line}{BOLD:#}");
        }
    }
    drawing.text
}

struct Drawing<'a> {
    explanation: &'a Explanation,
    now: Time,
    room: usize,
    signs: &'static Signs,
    text: String,
}

impl Drawing<'_> {
    /// A line and everything below it. The depth of an explanation is bounded.
    fn branch(&mut self, index: usize, own: &str, below: &str) {
        let Some(node) = self.explanation.nodes.get(index) else { return };
        self.line(node, own, below);
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
            let (own, deeper) = self.signs.branch(below, number + 1 == count);
            self.branch(child, &own, &deeper);
        }
        for (number, text) in rest.iter().enumerate() {
            let (own, _) = self.signs.branch(below, node.children.len() + number + 1 == count);
            let text = self.fit(text, self.room.saturating_sub(width(&own)));
            let _ = writeln!(self.text, "{DIM}{own}{DIM:#}{text}");
        }
    }

    /// One line. Where it is too long, the writer gives way first, then the lag, the message, and the age; a reason that has
    /// no room beside the name has a line of its own.
    fn line(&mut self, node: &Node, prefix: &str, below: &str) {
        let relation = match node.relation.as_str() {
            "" => String::new(),
            relation => format!("{relation} "),
        };
        let is_ascii = self.signs.is_ascii();
        let (symbol, style) = symbol(node, is_ascii);
        let word = words::health(node);
        let before = [prefix, &relation, symbol, word].iter().map(|text| width(text)).sum::<usize>() + 2;
        let label = self.fit(&tame(&node.label), self.room.saturating_sub(before).max(LEAST));
        let room = self.room.saturating_sub(before + width(&label));
        let (reason, message) = words::reason_and_message(node);
        let (reason, message) = if reason.is_empty() { (message, reason) } else { (reason, message) };
        let (reason, message) = (self.fit(&reason, usize::MAX), self.fit(&message, usize::MAX));
        let mut facts = words::facts(node, self.now);
        let needs = |facts: &[String], why: usize| {
            let facts = facts.iter().map(|fact| width(fact) + 2).sum::<usize>();
            facts + if why == 0 { 0 } else { why + 2 }
        };
        let all = width(&reason) + if message.is_empty() { 0 } else { width(&message) + 2 };
        // The age comes first of the facts, and goes last.
        while facts.len() > 1 && needs(&facts, all) > room {
            facts.pop();
        }
        let least = if node.reason.is_empty() { width(&reason).min(LEAST * 2) } else { width(&reason) };
        if needs(&facts, least) > room {
            facts.clear();
        }
        let left = room.saturating_sub(needs(&facts, 0) + 2);
        let (beside, under) = if width(&reason) <= left {
            let left = left.saturating_sub(width(&reason) + 2);
            let is_short = message.is_empty() || (left < LEAST && left < width(&message));
            let why = if is_short { reason } else { format!("{reason}: {}", self.fit(&message, left)) };
            (why, String::new())
        } else if node.reason.is_empty() && left >= LEAST {
            (self.fit(&reason, left), String::new())
        } else {
            (String::new(), reason)
        };
        let facts = facts.iter().fold(String::new(), |all, fact| all + "  " + &self.fit(fact, usize::MAX));
        let gap = if beside.is_empty() { "" } else { "  " };
        let _ = writeln!(
            self.text,
            "{DIM}{prefix}{DIM:#}{relation}{style}{symbol} {word}{style:#} {label}{DIM}{facts}{DIM:#}{gap}{beside}"
        );
        if !under.is_empty() {
            let bar = if node.children.is_empty() { self.signs.gap } else { self.signs.bar };
            let indent = format!("{below}{bar}  ");
            let why = self.fit(&under, self.room.saturating_sub(width(&indent)).max(LEAST));
            let _ = writeln!(self.text, "{DIM}{indent}{DIM:#}{why}");
        }
    }

    /// A text that fits, of signs that can be shown.
    fn fit(&self, text: &str, room: usize) -> String {
        if self.signs.is_ascii() {
            let text = ascii(text);
            if text.len() <= room { text } else { format!("{}...", &text[..room.saturating_sub(3)]) }
        } else {
            cut(text, room)
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
    let (lines, ascii) = match node.health {
        None => ("!", "!"),
        Some(_) if !node.is_seen => ("?", "?"),
        Some(Health::Healthy) => ("✓", "+"),
        Some(Health::Suspended) => ("‖", "="),
        Some(Health::Progressing) => ("…", "~"),
        Some(Health::Unknown) => ("?", "?"),
        Some(Health::Missing) => ("∅", "o"),
        Some(Health::Degraded) => ("✗", "x"),
    };
    let style = node.health.filter(|_| node.is_seen).map_or(UNKNOWN, health_style);
    (if is_ascii { ascii } else { lines }, style)
}
