//! Notes on what cannot be published.

use std::collections::BTreeSet;

/// The most notes that are told.
pub(super) const MAX_NOTES: usize = 20;

/// Longest text of somebody else's that is repeated.
const MAX_QUOTED_CHARS: usize = 80;

/// Notes as they come up.
#[derive(Debug, Default)]
pub(super) struct Notes(BTreeSet<String>);

impl Notes {
    pub(super) fn add(&mut self, note: String) {
        self.0.insert(note);
    }

    /// The notes in order: the first ones, and how many there are besides.
    pub(super) fn told(self) -> Vec<String> {
        let more = self.0.len().saturating_sub(MAX_NOTES);
        let mut told: Vec<_> = self.0.into_iter().take(MAX_NOTES).collect();
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        told
    }
}

/// Somebody else's text, cut and harmless.
pub(in crate::hub) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{:?}…", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_sorted_told_once_and_counted_past_twenty() {
        let mut notes = Notes::default();
        for number in (10..33).rev().chain(10..33) {
            notes.add(format!("note {number}"));
        }
        let told = notes.told();
        assert_eq!(told.len(), 21);
        assert_eq!((&*told[0], &*told[19], &*told[20]), ("note 10", "note 29", "and 3 more"));
    }

    #[test]
    fn what_others_wrote_is_cut_and_cannot_break_a_line() {
        assert_eq!(quoted("a\nb"), "\"a\\nb\"");
        assert_eq!(quoted(&"é".repeat(81)), format!("\"{}\"…", "é".repeat(80)));
    }
}
