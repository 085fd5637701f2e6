//! What a page shows, compared with what was printed.
//!
//! On both sides these are taken as equal, because they differ from run to run: ages and durations (`4s`, `2m3s`, `12ms`), times as in RFC 3339,
//! ports on loopback, digests, and the blanks that fill a column. On the page `…` stands for any text within a line, and a line that is `...`
//! or `…` alone for any number of lines.

use std::sync::LazyLock;

use anyhow::{Context as _, Result, bail, ensure};
use regex::Regex;
use serde_json::Value;

static VOLATILE: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let patterns = [
        (r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)", "<time>"),
        (r"\bsha256:[0-9a-f]{64}\b", "<digest>"),
        (r"\b127\.0\.0\.1:\d+\b", "127.0.0.1:<port>"),
        (r"\b(?:\d+(?:\.\d+)?(?:ms|[smhdy])){1,2}\b", "<age>"),
        // Not the indentation.
        (r"(\S) {2,}", "$1 "),
    ];
    patterns.into_iter().filter_map(|(pattern, masked)| Some((Regex::new(pattern).ok()?, masked))).collect()
});

fn masked(text: &str) -> String {
    let text = text.trim_end().to_owned();
    VOLATILE.iter().fold(text, |text, (pattern, masked)| pattern.replace_all(&text, *masked).into_owned())
}

/// Fails, with both as a small diff, unless these lines were printed.
pub(super) fn lines(expected: &[String], printed: &str) -> Result<()> {
    let seen: Vec<_> = printed.trim_end().lines().collect();
    let mut expected: Vec<_> = expected.iter().map(String::as_str).collect();
    while expected.last().is_some_and(|line| line.trim().is_empty()) {
        expected.pop();
    }
    if matches(&expected, &seen) {
        return Ok(());
    }
    let known = |line: &&str| is_gap(line) || seen.iter().any(|seen| line_matches(line, seen));
    let shown = |line: &&str| expected.iter().any(|expected| line_matches(expected, line));
    let on_the_page =
        expected.iter().map(|line| format!("\n  {} {line}", if known(line) { ' ' } else { '-' }));
    let was_printed = seen.iter().map(|line| format!("\n  {} {line}", if shown(line) { ' ' } else { '+' }));
    bail!(
        "the page and the output differ{}\n  printed:{}",
        on_the_page.collect::<String>(),
        was_printed.collect::<String>()
    )
}

fn is_gap(line: &str) -> bool {
    matches!(line.trim(), "..." | "…")
}

fn matches(expected: &[&str], seen: &[&str]) -> bool {
    match expected.split_first() {
        None => seen.is_empty(),
        Some((line, rest)) if is_gap(line) => (0..=seen.len()).any(|skipped| matches(rest, &seen[skipped..])),
        Some((line, rest)) => seen
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && matches(rest, others)),
    }
}

/// A line of a page and one that was printed.
fn line_matches(expected: &str, seen: &str) -> bool {
    let (expected, seen) = (masked(expected), masked(seen));
    let mut parts = expected.split('…');
    let Some(mut rest) = parts.next().and_then(|first| seen.strip_prefix(first)) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Fails unless what was printed is YAML that has this in it: all fields of objects, all items of lists.
pub(super) fn part(expected: &Value, printed: &str) -> Result<()> {
    let seen: Value = serde_saphyr::from_str(printed).with_context(|| format!("not YAML: {printed}"))?;
    contains("", expected, &seen)
}

fn contains(path: &str, expected: &Value, seen: &Value) -> Result<()> {
    match (expected, seen) {
        (Value::Object(fields), Value::Object(_)) => fields
            .iter()
            .try_for_each(|(name, field)| contains(&format!("{path}.{name}"), field, &seen[name])),
        (Value::Array(items), Value::Array(found)) => {
            ensure!(
                items.len() == found.len(),
                "{path} has {} items on the page, and {}: {seen}",
                items.len(),
                found.len()
            );
            let mut pairs = items.iter().zip(found).enumerate();
            pairs.try_for_each(|(index, (item, found))| contains(&format!("{path}[{index}]"), item, found))
        }
        (Value::String(text), Value::String(found)) if line_matches(text, found) => Ok(()),
        _ if expected == seen => Ok(()),
        _ => bail!("{path} is {expected} on the page, and {seen}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(expected: &str, printed: &str) -> bool {
        let expected: Vec<_> = expected.lines().map(str::to_owned).collect();
        lines(&expected, printed).is_ok()
    }

    #[test]
    fn ages_times_ports_and_the_width_of_columns_do_not_count() {
        assert!(compared("NAME   AGE\nweb    4m", "NAME   AGE\nweb    2m3s\n"));
        assert!(compared("since 2026-01-01T00:00:00Z", "since 2026-11-16T18:00:01.25Z"));
        assert!(compared("https://127.0.0.1:6443", "https://127.0.0.1:40001"));
        assert!(compared("1   12ms", "1 3ms"));
    }

    #[test]
    fn words_numbers_order_and_indentation_count() {
        assert!(!compared("web 1/2", "web 2/2"));
        assert!(!compared("a\nb", "b\na"));
        assert!(!compared("a", "a\nb"));
        assert!(!compared("a\nb", "a"));
        assert!(!compared("  a: 1", "    a: 1"));
        assert!(!compared("gateway v1", "gateway v1.2"));
    }

    #[test]
    fn an_ellipsis_stands_for_text_in_a_line_and_for_lines() {
        assert!(compared("token … is good…", "token abc is good, and new"));
        assert!(!compared("token … is bad", "token abc is good"));
        assert!(compared("a\n...\nd", "a\nb\nc\nd"));
        assert!(compared("a\n…", "a"));
        assert!(!compared("a\n...\nd", "a\nb"));
    }

    #[test]
    fn a_difference_is_shown_with_both_sides() {
        let error = lines(&["a".to_owned(), "b".to_owned()], "a\nc\n").unwrap_err().to_string();
        assert!(error.ends_with("    a\n  - b\n  printed:\n    a\n  + c"), "{error}");
    }

    #[test]
    fn a_part_has_some_fields_and_every_item() {
        let seen = "a: { b: 1, c: [{ d: x, e: y }] }\n";
        let is_part = |text: &str| part(&serde_saphyr::from_str(text).unwrap(), seen);
        assert!(is_part("a: { c: [{ d: x }] }").is_ok());
        assert!(is_part("a: { c: [] }").is_err());
        let error = is_part("a: { c: [{ d: z }] }").unwrap_err().to_string();
        assert_eq!(error, r#".a.c[0].d is "z" on the page, and "x""#);
    }
}
