//! Text that comes from elsewhere, within bounds.

use std::sync::Arc;

/// The most bytes of a text that comes from elsewhere.
const MOST: usize = 512;

/// This text within bounds, whatever it is: one line of at most 512 bytes.
pub(crate) fn cut(text: &str) -> Arc<str> {
    let mut short = String::with_capacity(text.len().min(MOST));
    for char in text.chars() {
        // Room for the three dots.
        if short.len() + char.len_utf8() > MOST - 3 {
            short.push('…');
            break;
        }
        short.push(if char.is_control() { ' ' } else { char });
    }
    short.trim().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_a_character_and_stays_on_one_line() {
        assert_eq!(&*cut("a\nb\u{7}"), "a b");
        let long = cut(&"ä".repeat(1000));
        assert!(long.len() <= MOST, "{}", long.len());
        assert!(long.ends_with('…'));
        assert_eq!(&*cut(&"a".repeat(500)), "a".repeat(500));
    }
}
