//! A stretch of a stream, as long as it has to be and no longer.

use std::io::{ErrorKind, Read};

use super::{MAX_OBJECT, Stop};

/// The number of bytes that are read at once.
const CHUNK: usize = 256 * 1024;

/// The part of a stream that has been read and not been used yet.
pub(super) struct Window<R> {
    reader: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The number of bytes of the stream before `bytes`.
    before: u64,
    /// The number of line breaks that are used.
    breaks: u64,
}

impl<R: Read> Window<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, bytes: Vec::new(), start: 0, end: 0, before: 0, breaks: 0 }
    }

    /// The bytes that are there.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// The offset in the stream at which it begins.
    pub(super) fn offset(&self) -> u64 {
        self.before + self.start as u64
    }

    /// The line of the stream on which it begins, from one.
    pub(super) fn line(&self) -> u64 {
        self.breaks + 1
    }

    /// Drops so many bytes.
    pub(super) fn consume(&mut self, count: usize) {
        let end = (self.start + count).min(self.end);
        self.breaks += memchr::memchr_iter(b'\n', &self.bytes[self.start..end]).count() as u64;
        self.start = end;
    }

    /// Reads more behind what is there; false where the stream ends.
    pub(super) fn more(&mut self) -> Result<bool, Stop> {
        if self.end - self.start > MAX_OBJECT {
            return Err(Stop::TooLarge);
        }
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            self.before += self.start as u64;
            self.end -= self.start;
            self.start = 0;
        }
        // A long object doubles the window, so that it is not moved once for each chunk of it.
        if self.bytes.len() - self.end < CHUNK {
            self.bytes.resize((self.bytes.len() * 2).max(self.end + CHUNK), 0);
        } else if self.bytes.len() > 4 * CHUNK && self.end < CHUNK {
            self.bytes.truncate(2 * CHUNK);
            self.bytes.shrink_to_fit();
        }
        loop {
            match self.reader.read(&mut self.bytes[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Stop::Unreadable(error)),
            }
        }
    }

    /// The byte at this distance, where the stream goes that far.
    pub(super) fn peek(&mut self, at: usize) -> Result<Option<u8>, Stop> {
        loop {
            if let Some(&byte) = self.bytes().get(at) {
                return Ok(Some(byte));
            }
            if !self.more()? {
                return Ok(None);
            }
        }
    }

    /// The distance of the first byte from here on that is no white space of JSON.
    pub(super) fn skip_space(&mut self, at: usize) -> Result<usize, Stop> {
        let found = |rest: &[u8]| rest.iter().position(|byte| !matches!(byte, b' ' | b'\n' | b'\r' | b'\t'));
        self.find(at, found).map(|(at, _)| at)
    }

    /// The distance behind the line break that ends the line here, or that of the end of the stream.
    pub(super) fn line_end(&mut self, at: usize) -> Result<usize, Stop> {
        let (at, is_found) = self.find(at, |rest| memchr::memchr(b'\n', rest))?;
        Ok(at + usize::from(is_found))
    }

    /// The distance of what is looked for, or else that of the end of the stream.
    fn find(&mut self, mut at: usize, find: impl Fn(&[u8]) -> Option<usize>) -> Result<(usize, bool), Stop> {
        loop {
            let rest = self.bytes().get(at..).unwrap_or_default();
            match find(rest) {
                Some(count) => return Ok((at + count, true)),
                None => at += rest.len(),
            }
            if !self.more()? {
                return Ok((at, false));
            }
        }
    }
}
