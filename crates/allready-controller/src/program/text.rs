//! Foreign text, made harmless.

use std::ops::RangeInclusive;

/// Foreign text on one line, with what a terminal would obey or not show written as an escape.
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

/// The characters besides control characters that reorder, hide or fake what a person reads, by Unicode's names for them.
const DECEPTIVE: &[RangeInclusive<char>] = &[
    '\u{ad}'..='\u{ad}',       // soft hyphen
    '\u{34f}'..='\u{34f}',     // combining grapheme joiner
    '\u{61c}'..='\u{61c}',     // Arabic letter mark
    '\u{115f}'..='\u{1160}',   // Hangul fillers
    '\u{17b4}'..='\u{17b5}',   // Khmer inherent vowels
    '\u{180b}'..='\u{180f}',   // Mongolian variation selectors and vowel separator
    '\u{200b}'..='\u{200f}',   // zero width space, joiners, directional marks
    '\u{2028}'..='\u{202e}',   // line and paragraph separators, embeddings and overrides
    '\u{2060}'..='\u{206f}',   // word joiner, invisible operators, isolates, deprecated format characters
    '\u{2800}'..='\u{2800}',   // Braille pattern blank
    '\u{3164}'..='\u{3164}',   // Hangul filler
    '\u{fe00}'..='\u{fe0f}',   // variation selectors
    '\u{feff}'..='\u{feff}',   // zero width no-break space
    '\u{ffa0}'..='\u{ffa0}',   // halfwidth Hangul filler
    '\u{fff0}'..='\u{fffb}',   // unassigned and ignorable, interlinear annotation
    '\u{1d173}'..='\u{1d17a}', // musical format characters
    '\u{e0000}'..='\u{e0fff}', // tags, variation selectors supplement, reserved and ignorable
];

/// Returns true if a terminal acts on a character, or if it reorders, hides or fakes what a person reads.
pub fn is_obeyed(c: char) -> bool {
    // Nearly all text is below the first of them.
    c.is_control() || (c >= '\u{ad}' && DECEPTIVE.iter().any(|range| range.contains(&c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_speak_to_the_terminal() {
        assert_eq!(tame("a\u{1b}[31mb\nc\u{202e}d é"), "a\\u{1b}[31mb\\nc\\u{202e}d é");
    }

    #[test]
    fn no_character_reorders_hides_or_fakes_text() {
        let deceptive = [
            ('\u{0}', '\u{1f}'),
            ('\u{7f}', '\u{9f}'),
            ('\u{ad}', '\u{ad}'),
            ('\u{34f}', '\u{34f}'),
            ('\u{61c}', '\u{61c}'),
            ('\u{115f}', '\u{1160}'),
            ('\u{180b}', '\u{180e}'),
            ('\u{200b}', '\u{200f}'),
            ('\u{2028}', '\u{202e}'),
            ('\u{2060}', '\u{2064}'),
            ('\u{2066}', '\u{2069}'),
            ('\u{3164}', '\u{3164}'),
            ('\u{fe00}', '\u{fe0f}'),
            ('\u{feff}', '\u{feff}'),
            ('\u{ffa0}', '\u{ffa0}'),
            ('\u{fff9}', '\u{fffb}'),
            ('\u{e0000}', '\u{e007f}'),
            ('\u{e0100}', '\u{e01ef}'),
        ];
        for c in deceptive.into_iter().flat_map(|(first, last)| first..=last) {
            assert!(tame(&format!("a{c}b")).is_ascii(), "{:x}", u32::from(c));
        }
    }

    #[test]
    fn text_of_any_language_is_left_as_it_is() {
        let text = "naïve Straße Ελλάδα Русский עברית العربية हिन्दी ไทย 日本語 한국어 中文 \u{1f600} ✗ … ├─ \u{e000} \u{301}";
        assert_eq!(tame(text), text);
    }
}
