//! Objects from files and standard input, one at a time: what is read takes as much memory as its largest object, not as
//! much as all of them.
//!
//! A [`Splitter`] finds where each object begins and ends, and [`read`] makes a value of one. They are apart so that the
//! second, which is most of the work, can be done by many at once.

mod json;
pub(crate) mod lines;
mod read;
mod scan;
mod sources;
mod split;
mod together;
mod window;
mod yaml;

use std::{fmt, ops::Range, sync::Arc};

pub(crate) use read::{Extent, documents, read, read_placed};
pub(crate) use sources::{FileArgs, Source};
pub(crate) use split::Splitter;
pub(crate) use together::{each_batch, read_all, read_pieces};

/// The largest object that is read. The largest that a cluster stores has a few megabytes.
pub(crate) const MAX_OBJECT: usize = 64 * 1024 * 1024;

/// Some objects of a stream, in its order.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
}

/// The place of one object, or why there is none.
#[derive(Debug)]
pub(crate) struct Piece {
    /// Its place in the stream.
    pub(crate) place: Place,
    content: Content,
}

/// A place in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the object, from one.
    pub(crate) number: u64,
    /// The number of bytes before it.
    pub(crate) offset: u64,
    /// The line on which it begins, from one.
    pub(crate) line: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "object {} (at byte {})", self.number, self.offset)
    }
}

#[derive(Debug)]
enum Content {
    Text { range: Range<usize>, form: Form, list: Option<Arc<ListOf>> },
    Fault(String),
}

/// The form in which an object is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Json,
    /// One document.
    Yaml,
    /// An item of a list in a document, with its dash.
    YamlItem,
}

/// The kind that the items of a list have, where they do not say so themselves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ListOf {
    api_version: String,
    kind: String,
}

impl ListOf {
    /// The kind of the items of a list: `PodList` is of `Pod`, and `List` is of anything.
    fn new(api_version: &str, kind: &str) -> Option<Arc<Self>> {
        let kind = kind.strip_suffix("List").filter(|kind| !kind.is_empty())?;
        Some(Arc::new(Self { api_version: api_version.to_owned(), kind: kind.to_owned() }))
    }
}

/// The reason why a stream is not read on.
#[derive(Debug)]
enum Stop {
    Unreadable(std::io::Error),
    TooLarge,
    Truncated,
    /// A line break within a string, this far from the beginning of the value.
    Broken(usize),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "it cannot be read any further: {error}"),
            Self::TooLarge => {
                write!(f, "it is larger than {} MiB: nothing behind it is read", MAX_OBJECT >> 20)
            }
            Self::Truncated => f.write_str("the input ends within it"),
            Self::Broken(_) => {
                f.write_str("a text in it goes over the end of the line: something is cut off")
            }
        }
    }
}

impl Piece {
    /// Returns true if something is left out of it where less than all is read.
    pub(crate) fn has_history(&self) -> bool {
        matches!(self.content, Content::Text { form: Form::Json, .. })
    }
}

impl Batch {
    /// The number of bytes of its text.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// All of its text.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The objects, in their order.
    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The text of a piece.
    pub(crate) fn raw(&self, piece: &Piece) -> Option<&str> {
        let Content::Text { range, .. } = &piece.content else { return None };
        std::str::from_utf8(self.bytes.get(range.clone())?).ok()
    }

    fn text(&mut self, place: Place, text: &[u8], form: Form, list: Option<Arc<ListOf>>) {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text);
        let range = start..self.bytes.len();
        self.pieces.push(Piece { place, content: Content::Text { range, form, list } });
    }

    fn fault(&mut self, place: Place, problem: impl fmt::Display) {
        self.pieces.push(Piece { place, content: Content::Fault(problem.to_string()) });
    }
}

#[cfg(test)]
mod tests;
