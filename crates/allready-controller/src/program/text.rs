//! Foreign text, made harmless.

/// Foreign text on one line, with what a terminal would obey shown instead of sent.
pub fn tame(text: &str) -> String {
    let mut tame = String::with_capacity(text.len());
    for c in text.chars() {
        if is_obeyed(c) {
            tame.extend(c.escape_default());
        } else {
            tame.push(c);
        }
    }
    tame
}

/// Returns true if a terminal acts on a character. Bidirectional controls are not control characters to Unicode, yet they reorder
/// what a person reads.
pub fn is_obeyed(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_speak_to_the_terminal() {
        assert_eq!(tame("a\u{1b}[31mb\nc\u{202e}d é"), "a\\u{1b}[31mb\\nc\\u{202e}d é");
    }
}
