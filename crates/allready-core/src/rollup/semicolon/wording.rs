//! The line of a `semicolon` roll-up: each member in its words, and as many of them as fit.

use std::borrow::Cow;

use super::{Semicolon, Strictness, Tells};
use crate::{
    Generation, Message, Standing,
    condition::cut,
    rollup::{Freshness, Input},
};

const SEPARATOR: &str = "; ";

impl Semicolon {
    /// As many members as fit into the message together with the number of those that do not.
    pub(super) fn line<'a>(
        &self,
        count: usize,
        told: impl Iterator<Item = Input<'a>>,
        generation: Generation,
    ) -> String {
        let limit = self.limit.clamp(Self::MIN_BYTES, Message::MAX_BYTES);
        let mut line = String::new();
        let mut separator = "";
        for (position, input) in told.enumerate() {
            let before = line.len();
            line.push_str(separator);
            let start = line.len();
            self.push_fragment(&mut line, &input, generation);
            let rest = count.saturating_sub(position + 1);
            let end = limit.saturating_sub(and_more_bytes(rest));
            if line.len() > end && before > 0 {
                line.truncate(before);
                line.push_str(&and_more(rest + 1));
                break;
            }
            if line.len() > end {
                // Only the first may be too long even so.
                let short = cut(&line[start..], end.saturating_sub(start)).into_owned();
                line.truncate(start);
                line.push_str(&short);
            }
            separator = SEPARATOR;
        }
        line
    }

    /// Appends a member and what is told of it.
    fn push_fragment(&self, line: &mut String, input: &Input<'_>, generation: Generation) {
        let is_unknown = input.standing() == Standing::Unknown;
        let is_strict = self.strictness == Strictness::Strict;
        let text = match self.tells {
            Tells::Everything => self.account(input, generation),
            // What an outdated member says is no account of why it is unknown.
            Tells::Deciding if input.freshness != Freshness::Fresh => Cow::Borrowed(""),
            Tells::Deciding if is_unknown && is_strict => Cow::Borrowed(""),
            Tells::Deciding => self.words(input),
        };
        line.push_str(input.name());
        if is_unknown && (is_strict || self.tells == Tells::Everything || text.is_empty()) {
            line.push_str(" (unknown)");
        }
        if !text.is_empty() {
            line.push(' ');
            line.push_str(&text);
        }
    }

    /// What an input says, or why it cannot be taken at its word.
    pub(crate) fn account<'a>(&self, input: &'a Input<'_>, generation: Generation) -> Cow<'a, str> {
        match input.shortcoming(generation) {
            Some((_, words)) => Cow::Owned(self.bounded(&words).into_owned()),
            None => self.words(input),
        }
    }

    /// The message of an input, or failing that its reason, as it is told. To word what was worded changes nothing.
    pub(crate) fn words<'a>(&self, input: &'a Input<'_>) -> Cow<'a, str> {
        self.bounded(if input.message.is_empty() { &input.reason } else { &input.message })
    }

    fn bounded<'a>(&self, text: &'a str) -> Cow<'a, str> {
        match one_line(text) {
            Cow::Borrowed(line) => cut(line, self.each),
            Cow::Owned(line) if line.len() > self.each => Cow::Owned(cut(&line, self.each).into_owned()),
            line @ Cow::Owned(_) => line,
        }
    }
}

/// A text without line breaks and without the separator.
fn one_line(text: &str) -> Cow<'_, str> {
    if !text.contains(['\n', '\r']) && !text.contains(SEPARATOR) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("\r\n", " ").replace(['\n', '\r'], " ").replace(SEPARATOR, ", "))
}

fn and_more(count: usize) -> String {
    format!("; and {count} more")
}

/// How long that is, without writing it; none are not told.
fn and_more_bytes(count: usize) -> usize {
    const WORDS: usize = "; and ".len() + " more".len();
    count.checked_ilog10().map_or(0, |log| WORDS + 1 + log as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_for_the_number_of_the_rest_is_what_it_takes() {
        assert_eq!(and_more_bytes(0), 0, "nothing is said of none");
        for count in [1, 9, 10, 99, 100, 12_345, usize::MAX] {
            assert_eq!(and_more_bytes(count), and_more(count).len(), "{count}");
        }
        assert!(2 * and_more(usize::MAX).len() < Semicolon::MIN_BYTES, "the first has the greater part");
    }
}
