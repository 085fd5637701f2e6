//! Foreign text in the room that there is: harmless, cut and wrapped by what a terminal shows, not by characters.

use ratatui::text::Span;

use crate::printer::tame;

/// How many columns a text takes.
pub(super) fn width(text: &str) -> usize {
    Span::raw(text).width()
}

/// As much of a text as fits on one line.
pub(super) fn cut(text: &str, columns: usize) -> String {
    let text = tame(text);
    if width(&text) <= columns {
        return text;
    }
    let (mut head, _) = split(&text, columns.saturating_sub(1));
    if columns > 0 {
        head.push('…');
    }
    head
}

/// The same, filled up with spaces.
pub(super) fn cell(text: &str, columns: usize) -> String {
    let mut cell = cut(text, columns);
    let filled = width(&cell);
    cell.extend(std::iter::repeat_n(' ', columns.saturating_sub(filled)));
    cell
}

/// A text in lines of so many columns: broken between words, and within one only where it is longer than a line.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut lines = Vec::new();
    // Line breaks are where the writer wanted them; everything else that a terminal obeys is shown.
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in tame(paragraph).split(' ').filter(|word| !word.is_empty()) {
            let mut word = word.to_owned();
            if !line.is_empty() && width(&line) + 1 + width(&word) > columns {
                lines.push(std::mem::take(&mut line));
            }
            while width(&word) > columns {
                let (head, rest) = split(&word, columns);
                if head.is_empty() {
                    // A wide character in a single column: nothing can be shown.
                    word.clear();
                    break;
                }
                lines.push(head);
                word = rest;
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line += &word;
        }
        lines.push(line);
    }
    lines
}

/// The first so many columns of a text, and the rest.
fn split(text: &str, columns: usize) -> (String, String) {
    let (mut end, mut filled) = (0, 0);
    for (at, c) in text.char_indices() {
        filled += width(c.encode_utf8(&mut [0; 4]));
        if filled > columns {
            break;
        }
        end = at + c.len_utf8();
    }
    // Some characters are wider together than one by one.
    let mut head = text[..end].to_owned();
    while width(&head) > columns {
        head.pop();
    }
    let rest = text[head.len()..].to_owned();
    (head, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_cut_by_columns_and_never_in_the_middle_of_a_wide_character() {
        assert_eq!(cut("abcdef", 6), "abcdef");
        assert_eq!(cut("abcdef", 5), "abcd…");
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!((cut("abc", 1), cut("abc", 0)), ("…".to_owned(), String::new()));
        assert_eq!(cell("日本語", 4), "日… ");
        assert_eq!(cut("a\u{1b}[31m", 20), "a\\u{1b}[31m");
    }

    #[test]
    fn long_text_is_wrapped_at_words_where_it_can_be() {
        assert_eq!(wrap("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap("a\nb\u{202e}", 20), ["a", "b\\u{202e}"]);
        assert_eq!(wrap("x abcdefghij yz", 4), ["x", "abcd", "efgh", "ij", "yz"]);
        assert_eq!(wrap("日本語", 1), [""]);
        assert_eq!(wrap("", 5), [] as [&str; 0]);
        for line in wrap(&"é 日本語 ".repeat(50), 7) {
            assert!(width(&line) <= 7, "{line}");
        }
    }
}
