//! An explanation as a graph for programs that draw.

use std::{collections::BTreeSet, fmt::Write as _};

use allready_core::Time;
use allready_inspect::{
    explain::{Explanation, Node},
    health::Health,
};

use super::words;
use crate::{output::text::cut, printer::tame};

/// Room for a message in a box.
const MESSAGE: usize = 80;

/// For Graphviz.
pub(super) fn dot(explanation: &Explanation, now: Time) -> String {
    let mut text =
        "digraph explain {\n  rankdir=LR;\n  node [shape=box, fontname=\"sans-serif\"];\n".to_owned();
    let path = path(explanation);
    for (index, node) in explanation.nodes.iter().enumerate() {
        let lines: Vec<String> = lines(node, now).iter().map(|line| dot_escaped(line)).collect();
        let bold = if path.contains(&index) { ", penwidth=2" } else { "" };
        let _ =
            writeln!(text, "  n{index} [label=\"{}\", color=\"{}\"{bold}];", lines.join("\\n"), colour(node));
    }
    for (from, to, relation) in edges(explanation) {
        let bold = if path.contains(&from) && path.contains(&to) { ", penwidth=2" } else { "" };
        let _ = writeln!(text, "  n{from} -> n{to} [label=\"{relation}\"{bold}];");
    }
    text + "}\n"
}

/// For Mermaid, as Markdown on many sites draws it.
pub(super) fn mermaid(explanation: &Explanation, now: Time) -> String {
    let mut text = "flowchart LR\n".to_owned();
    let path = path(explanation);
    for (index, node) in explanation.nodes.iter().enumerate() {
        let lines: Vec<String> = lines(node, now).iter().map(|line| mermaid_escaped(line)).collect();
        let _ = writeln!(
            text,
            "  n{index}[\"{}\"]:::{}",
            lines.join("<br/>"),
            words::health(node).to_lowercase()
        );
    }
    for (from, to, relation) in edges(explanation) {
        let arrow = if path.contains(&from) && path.contains(&to) { "==>" } else { "-->" };
        let _ = writeln!(text, "  n{from} {arrow}|{relation}| n{to}");
    }
    let words: BTreeSet<(String, &str)> =
        explanation.nodes.iter().map(|node| (words::health(node).to_lowercase(), colour(node))).collect();
    for (word, colour) in words {
        let _ = writeln!(text, "  classDef {word} stroke:{colour}");
    }
    text
}

/// The lines of a box: how it is, what it is, the facts, and why.
fn lines(node: &Node, now: Time) -> Vec<String> {
    let mut lines = vec![format!("{} {}", words::health(node), cut(&tame(&node.label), MESSAGE))];
    let facts = words::facts(node, now);
    if !facts.is_empty() {
        lines.push(cut(&facts.join(", "), MESSAGE));
    }
    let why = words::why(node);
    if !why.is_empty() {
        lines.push(cut(&why, MESSAGE));
    }
    if !node.folded.is_empty() {
        lines.push(format!("and {}", cut(&words::folded(&node.folded), MESSAGE)));
    }
    lines
}

/// All relations: from, to, and the word for it.
pub(super) fn edges(explanation: &Explanation) -> Vec<(usize, usize, &'static str)> {
    let mut edges = Vec::new();
    for (index, node) in explanation.nodes.iter().enumerate() {
        edges.extend(
            node.children.iter().map(|&child| (index, child, explanation.nodes[child].relation.as_str())),
        );
        edges.extend(node.elsewhere.iter().map(|&(relation, place)| (index, place, relation.as_str())));
    }
    edges
}

fn path(explanation: &Explanation) -> BTreeSet<usize> {
    explanation.cause.iter().flat_map(|cause| cause.path.iter().copied()).collect()
}

/// Inside of a quoted text of dot, where a backslash begins an escape of its own.
fn dot_escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

/// Inside of a quoted text of Mermaid: entities for everything that it, or the page around it, would take for syntax.
fn mermaid_escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '<' | '>' | '&' | '#' | ';' | '`' | '[' | ']' | '{' | '}' | '|' | '\\' => {
                let _ = write!(escaped, "#{};", u32::from(c));
            }
            c => escaped.push(c),
        }
    }
    escaped
}

fn colour(node: &Node) -> &'static str {
    match node.health {
        Some(_) if !node.is_seen => "gray",
        None | Some(Health::Unknown | Health::Progressing) => "orange",
        Some(Health::Healthy) => "green",
        Some(Health::Suspended) => "blue",
        Some(Health::Missing | Health::Degraded) => "red",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_leave_its_box() {
        assert_eq!(dot_escaped(r#"a"b\n"#), r#"a\"b\\n"#);
        assert_eq!(mermaid_escaped("\"]:::x <b>"), "#34;#93;:::x #60;b#62;");
    }
}
