//! Line breaks that only YAML 1.1 knows: one is as good as a newline, the two others stay what they are.

use std::borrow::Cow;

use granit_parser::Marker;

/// A break that is read as a newline.
const NEXT_LINE: char = '\u{85}';
/// Breaks that stay in a text; the blanks around them do not.
const STAYING: [char; 2] = ['\u{2028}', '\u{2029}'];

/// Whether there are such breaks in a text.
pub(super) fn any(text: &str) -> bool {
    text.contains([NEXT_LINE, STAYING[0], STAYING[1]])
}

/// A text with newlines for breaks that are as good as one.
pub(super) fn normal(text: &str) -> Cow<'_, str> {
    if text.contains(NEXT_LINE) { text.replace(NEXT_LINE, "\n").into() } else { text.into() }
}

/// The line of a place, from 1.
pub(super) fn line(text: &str, place: &Marker) -> usize {
    place.line() + text.chars().take(place.index()).filter(|letter| STAYING.contains(letter)).count()
}

/// What a word means that stands in the source like this.
pub(super) fn folded<'a>(word: Cow<'a, str>, source: &str) -> Cow<'a, str> {
    if !source.contains(STAYING) {
        return word;
    }
    let blank = [' ', '\t'];
    let mut out = String::with_capacity(word.len());
    for part in word.split_inclusive(STAYING) {
        let part = if out.ends_with(STAYING) { part.trim_start_matches(blank) } else { part };
        match part.strip_suffix(STAYING) {
            Some(text) => {
                out.push_str(text.trim_end_matches(blank));
                out.extend(part.chars().next_back());
            }
            None => out.push_str(part),
        }
    }
    out.into()
}
