//! What is written more than once in an expression is written once: the engine refuses expressions that are too long.

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How long something has to be for it to be worth a name.
const LONG: usize = 40;

/// The same expression, in which long texts, and lists of texts, that stand in it several times have a name. A macro over a list of
/// one is the only way to name something.
pub(super) fn shared(expression: &str) -> String {
    let (expression, lists) = named(expression, "lists", '[');
    let (mut expression, texts) = named(&expression, "texts", '\'');
    for (name, values) in [("texts", texts), ("lists", lists)] {
        if !values.is_empty() {
            expression = format!("[[{}]].exists({name}, {expression})", values.join(", "));
        }
    }
    expression
}

/// Names the literals that begin with a letter: texts, or lists of nothing but texts.
fn named(expression: &str, name: &str, first: char) -> (String, Vec<String>) {
    let found = literals(expression, first);
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for &(start, end) in &found {
        *times.entry(&expression[start..end]).or_default() += 1;
    }
    let mut values: Vec<String> = Vec::new();
    let mut told = String::with_capacity(expression.len());
    let mut from = 0;
    for &(start, end) in &found {
        let literal = &expression[start..end];
        if literal.len() < LONG || times.get(literal).is_none_or(|times| *times < 2) {
            continue;
        }
        let known = values.iter().position(|value| value == literal);
        let index = known.unwrap_or_else(|| {
            values.push(literal.to_owned());
            values.len() - 1
        });
        let _ = write!(told, "{}{name}[{index}]", &expression[from..start]);
        from = end;
    }
    told.push_str(&expression[from..]);
    (told, values)
}

/// Where the literals are.
fn literals(expression: &str, first: char) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < expression.len() {
        let rest = &expression[at..];
        let length = match rest.chars().next() {
            Some('[') if first == '[' => list(rest),
            Some('\'') => text(rest),
            Some(c) => {
                at += c.len_utf8();
                continue;
            }
            None => None,
        };
        match length {
            Some(length) => {
                if rest.starts_with(first) {
                    found.push((at, at + length));
                }
                at += length;
            }
            None => at += 1,
        }
    }
    found
}

/// How long the text is that stands at the beginning.
fn text(rest: &str) -> Option<usize> {
    let mut is_escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\'' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// How long the list of nothing but texts is that stands at the beginning.
fn list(rest: &str) -> Option<usize> {
    let mut at = 1;
    loop {
        at += text(rest.get(at..)?.strip_prefix('\'').map(|_| &rest[at..])?)?;
        match rest.get(at..)?.as_bytes() {
            [b']', ..] => return Some(at + 1),
            [b',', b' ', ..] => at += 2,
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_there_twice_is_written_once() {
        let words = format!("['{}', 'b\\']']", "a".repeat(50));
        let pattern = format!("'{}'", "c".repeat(50));
        let told =
            shared(&format!("x in {words} && y in {words} && x.matches({pattern}) && !y.matches({pattern})"));
        let expected = format!(
            "[[{words}]].exists(lists, [[{pattern}]].exists(texts, x in lists[0] && y in lists[0] && x.matches(texts[0]) && !y.matches(texts[0])))"
        );
        assert_eq!(told, expected);
    }

    #[test]
    fn what_is_short_or_alone_stays() {
        let alone = format!("x == 'a' || y == 'a' || x in ['{}']", "a".repeat(50));
        assert_eq!(shared(&alone), alone);
    }
}
