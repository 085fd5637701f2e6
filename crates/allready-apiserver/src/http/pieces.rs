//! The pieces in which a watch goes out: many small lines in one, a large one in many, which are not copied.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};

use crate::store::Line;

/// How much goes out in one piece. A connection whose client does not read holds a few of them, however large an object is.
const PIECE: usize = 64 * 1024;

/// Lines that are ready to go out.
#[derive(Debug, Default)]
pub(super) struct Pieces {
    ready: VecDeque<Bytes>,
    /// One line that may go out as it is, if it stays alone.
    single: Bytes,
    /// Several, copied together.
    several: BytesMut,
    length: usize,
}

impl Pieces {
    /// Adds a line.
    pub(super) fn add(&mut self, line: Line) {
        match line {
            Line::Whole(line) => self.append(line),
            Line::Parts(parts) => parts.into_iter().for_each(|part| self.append(part)),
        }
    }

    fn append(&mut self, part: Bytes) {
        self.length += part.len();
        if part.len() >= PIECE {
            self.close();
            let mut rest = part;
            while !rest.is_empty() {
                self.ready.push_back(rest.split_to(rest.len().min(PIECE)));
            }
        } else if self.single.is_empty() && self.several.is_empty() {
            self.single = part;
        } else {
            let first = std::mem::take(&mut self.single);
            self.several.extend_from_slice(&first);
            self.several.extend_from_slice(&part);
        }
    }

    /// Whether there is nothing to send.
    pub(super) fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Whether there is enough to send.
    pub(super) fn is_full(&self) -> bool {
        self.length >= PIECE
    }

    /// The pieces, in order.
    pub(super) fn finish(mut self) -> VecDeque<Bytes> {
        self.close();
        self.ready
    }

    fn close(&mut self) {
        let piece = match std::mem::take(&mut self.single) {
            single if single.is_empty() => self.several.split().freeze(),
            single => single,
        };
        if !piece.is_empty() {
            self.ready.push_back(piece);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(text: &'static str) -> Line {
        Line::Whole(text.into())
    }

    #[test]
    fn a_line_alone_is_not_copied_and_several_go_out_together() {
        let line = Bytes::from_static(b"one\n");
        let mut pieces = Pieces::default();
        pieces.add(Line::Whole(line.clone()));
        assert_eq!(pieces.finish()[0].as_ptr(), line.as_ptr());
        let mut pieces = Pieces::default();
        for line in ["one\n", "two\n", "three\n"] {
            pieces.add(small(line));
        }
        assert_eq!(pieces.finish(), ["one\ntwo\nthree\n"]);
    }

    #[test]
    fn a_large_object_goes_out_in_pieces_of_itself_and_in_its_place() {
        let object = Bytes::from(vec![b'x'; 2 * PIECE + 10]);
        let mut pieces = Pieces::default();
        pieces.add(small("before\n"));
        pieces.add(Line::Parts(["<".into(), object.clone(), ">".into()]));
        pieces.add(small("after\n"));
        assert!(pieces.is_full());
        let out = pieces.finish();
        assert_eq!(out.iter().map(Bytes::len).collect::<Vec<_>>(), [8, PIECE, PIECE, 10, 7]);
        assert_eq!(out[1].as_ptr(), object.as_ptr());
        let whole: Vec<u8> = out.into_iter().flatten().collect();
        assert_eq!(whole, [b"before\n<", object.as_ref(), b">after\n"].concat());
    }
}
