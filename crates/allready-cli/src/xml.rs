//! Text in XML.

use crate::printer::tame;

/// Text that cannot end an attribute or an element, nor speak to a terminal, and that XML allows; so many characters of it.
pub(crate) fn escape(text: &str, most: usize) -> String {
    let mut escaped = String::with_capacity(text.len().min(most));
    let cut: String = text.chars().take(most).collect();
    for c in tame(&cut).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    if cut.len() < text.len() {
        escaped.push('…');
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_end_what_it_stands_in() {
        assert_eq!(escape("a<b>\"&\u{1b}\u{ffff}", 100), "a&lt;b&gt;&quot;&amp;\\u{1b}\u{fffd}");
        assert_eq!(escape("ééé", 2), "éé…");
    }
}
