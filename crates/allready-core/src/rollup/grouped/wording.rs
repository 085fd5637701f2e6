//! The sentence of a grouped roll-up: counts that are always right, and as many causes as fit.

use std::fmt::Write as _;

use super::{Cause, Grouped, Share, Tally};
use crate::Standing;

/// What a cause may claim before others are left out for it: the cause, two or three names, and the gist of a message.
const CLAIM: usize = 160;
/// How many bytes of names a cause may have before the rest of them is only counted.
const NAMES_BYTES: usize = 96;
/// `: ` before the first cause and `; ` before every other.
const SEPARATOR: usize = 2;
/// `. ` between what fails and what is unknown.
const STOP: &str = ". ";

/// Words a tally and its causes, which come worst first. Never longer than the limit of the options.
pub(super) fn message<'a>(
    options: &Grouped,
    tally: &Tally,
    causes: impl Iterator<Item = Cause<'a>>,
) -> String {
    let Tally { members, bad, unknown, .. } = *tally;
    if bad.members == 0 && unknown.members == 0 {
        return format!("{members} of {members} ready");
    }
    let sections = [(Standing::Bad, bad, "failing"), (Standing::Unknown, unknown, "unknown")]
        .into_iter()
        .filter(|(_, share, _)| share.members > 0)
        .enumerate()
        .map(|(position, (standing, share, word))| Section {
            standing,
            share,
            // The total is said once.
            head: match position {
                0 => format!("{} of {members} {word}", share.members),
                _ => format!("{} {word}", share.members),
            },
        });
    let sections: Vec<Section> = sections.collect();

    let limit = options.limit();
    let heads: usize = sections.iter().map(|section| section.head.len() + STOP.len()).sum();
    let rests: usize = sections.iter().map(|section| section.share.rest().len()).sum();
    // Numbers have at most 20 digits, so heads and rests together are below the least limit.
    let fitting =
        Fitting::new(causes, options.always_types || tally.types > 1, limit.saturating_sub(heads), rests);
    let level = fitting.level();

    let mut message = String::with_capacity(limit);
    for section in &sections {
        section.write(&fitting, level, &mut message);
    }
    message
}

/// What fails, or what is unknown.
struct Section {
    standing: Standing,
    share: Share,
    head: String,
}

impl Section {
    fn write(&self, fitting: &Fitting, level: usize, message: &mut String) {
        if !message.is_empty() {
            message.push_str(STOP);
        }
        message.push_str(&self.head);
        let mut rest = self.share;
        for (piece, text) in fitting.iter().filter(|(piece, _)| piece.standing == self.standing) {
            message.push_str(if rest.causes == self.share.causes { ": " } else { "; " });
            push_shortened(message, text, level);
            rest.causes = rest.causes.saturating_sub(1);
            rest.places = rest.places.saturating_sub(piece.places);
        }
        // Where no cause of this standing fits, the count alone says it all.
        if (1..self.share.causes).contains(&rest.causes) {
            message.push_str(&rest.rest());
        }
    }
}

impl Share {
    /// What is said for the causes that do not fit. They are counted by place, not by member: a member may be among the
    /// causes that fit as well.
    fn rest(&self) -> String {
        let plural = |number| if number == 1 { "" } else { "s" };
        let (causes, places) = (self.causes, self.places);
        format!("; and {causes} more cause{} in {places} place{}", plural(causes), plural(places))
    }
}

/// One cause, and how much it takes of the words of all of them.
struct Piece {
    standing: Standing,
    places: usize,
    length: usize,
}

/// The causes that are said.
struct Fitting {
    pieces: Vec<Piece>,
    words: String,
    /// What all of them and their separators may take.
    room: usize,
}

impl Fitting {
    /// Takes causes as long as each can have what it claims; the first one always gets a place.
    fn new<'a>(
        causes: impl Iterator<Item = Cause<'a>>,
        several_types: bool,
        room: usize,
        rests: usize,
    ) -> Self {
        let claim = |piece: &Piece| piece.length.min(CLAIM) + SEPARATOR;
        let mut fitting = Self { pieces: Vec::new(), words: String::with_capacity(room), room };
        let mut claimed = 0;
        for cause in causes {
            let start = fitting.words.len();
            push_cause(&mut fitting.words, &cause, several_types, start + room);
            let length = fitting.words.len() - start;
            let piece = Piece { standing: cause.standing, places: cause.count, length };
            claimed += claim(&piece);
            fitting.pieces.push(piece);
            if claimed > room {
                // Not all of them fit, so the number of those that do not has to.
                fitting.room = room.saturating_sub(rests);
                while claimed > fitting.room && fitting.pieces.len() > 1 {
                    claimed -= fitting.pieces.pop().map_or(0, |piece| claim(&piece));
                }
                break;
            }
        }
        fitting
    }

    fn iter(&self) -> impl Iterator<Item = (&Piece, &str)> {
        let mut rest = self.words.as_str();
        self.pieces.iter().map(move |piece| {
            // In bounds and between characters: the length was measured when these words were written.
            let (text, others) = rest.split_at(piece.length);
            rest = others;
            (piece, text)
        })
    }

    /// The most bytes that each text may have so that all fit: what short ones do not use goes to the long ones.
    fn level(&self) -> usize {
        let mut lengths: Vec<usize> = self.pieces.iter().map(|piece| piece.length).collect();
        lengths.sort_unstable();
        let mut room = self.room.saturating_sub(lengths.len() * SEPARATOR);
        for (position, length) in lengths.iter().enumerate() {
            let share = room / (lengths.len() - position);
            if *length > share {
                return share;
            }
            room -= length;
        }
        usize::MAX
    }
}

/// Appends a cause in words. Of texts that go beyond `end` no more is read than shows that they do.
fn push_cause(words: &mut String, cause: &Cause<'_>, several_types: bool, end: usize) {
    push_line(words, if cause.reason.trim().is_empty() { "Unspecified" } else { &cause.reason }, end);
    if several_types && !cause.type_.is_empty() {
        words.push_str(" in ");
        push_line(words, cause.type_, end);
    }
    words.push_str(" on ");
    push_names(words, cause, end);
    let message = cause.message.trim_end_matches(|c: char| c == '.' || is_blank(c));
    if !message.is_empty() {
        words.push_str(": ");
        push_line(words, message, end);
    }
}

fn push_names(words: &mut String, cause: &Cause<'_>, end: usize) {
    if let ([name], 1) = (cause.names.as_slice(), cause.count) {
        push_line(words, name, end);
        return;
    }
    // Writing to a string does not fail.
    let _ = write!(words, "{} (", cause.count);
    let (mut named, mut bytes) = (0, 0);
    for name in &cause.names {
        bytes += name.len();
        if named > 0 && bytes > NAMES_BYTES {
            break;
        }
        if named > 0 {
            words.push_str(", ");
        }
        push_line(words, name, end);
        named += 1;
    }
    if cause.count > named {
        let _ = write!(words, " and {} more", cause.count - named);
    }
    words.push(')');
}

fn is_blank(c: char) -> bool {
    c.is_whitespace() || c.is_control()
}

/// Appends a text as one line: every run of blanks and control characters is one space. Stops soon after `end`, because
/// what goes beyond it is shortened anyway.
fn push_line(words: &mut String, text: &str, end: usize) {
    let room = |words: &String| end.saturating_sub(words.len());
    if text.len() <= room(words) && is_line(text) {
        words.push_str(text);
        return;
    }
    for (position, word) in text.split(is_blank).filter(|word| !word.is_empty()).enumerate() {
        if words.len() > end {
            return;
        }
        if position > 0 {
            words.push(' ');
        }
        // No character has more than four bytes, so a word that is cut here goes beyond the end.
        words.push_str(&word[..word.floor_char_boundary(room(words) + 4)]);
    }
}

/// Whether a text needs no folding. Asked of every text, so it looks at all bytes at once where the machine can.
fn is_line(text: &str) -> bool {
    let is_printable = text.bytes().fold(true, |all, byte| all & matches!(byte, b' '..=b'~'));
    is_printable && !text.contains("  ") && !text.starts_with(' ') && !text.ends_with(' ')
}

/// Appends at most `limit` bytes of a text, on a character boundary, with `…` for what is missing.
fn push_shortened(message: &mut String, text: &str, limit: usize) {
    const MARK: char = '…';
    if text.len() <= limit {
        message.push_str(text);
    } else if let Some(room) = limit.checked_sub(MARK.len_utf8()) {
        message.push_str(text[..text.floor_char_boundary(room)].trim_end());
        message.push(MARK);
    }
}
