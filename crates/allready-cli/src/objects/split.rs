//! The places of the objects of a stream.

use std::{io::Read, sync::Arc};

use super::{Batch, ListOf, Place, Stop, window::Window};

/// A stream of objects, as JSON or YAML: one after another, in documents, or as the items of lists.
pub(crate) struct Splitter<R> {
    pub(super) window: Window<R>,
    pub(super) state: State,
    /// The number of objects that have been found.
    pub(super) count: u64,
    /// Set if there was anything at all, such as a list without items.
    has_content: bool,
}

/// The position in a stream: the thing that may follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// A document, in JSON or YAML.
    Document,
    /// Another JSON value, or the beginning of a document.
    AfterValue,
    /// An item of a list in JSON, or its end.
    JsonItem { list: Option<Arc<ListOf>>, is_bare: bool },
    /// Another field of a list in JSON, or its end.
    JsonTail,
    /// An item of a list in YAML, or its end.
    YamlItem { list: Option<Arc<ListOf>>, indent: Option<usize> },
    /// The fields behind the items of a list in YAML.
    YamlTail,
    /// Nothing any more.
    End,
}

impl<R: Read> Splitter<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { window: Window::new(reader), state: State::Document, count: 0, has_content: false }
    }

    /// Returns true if anything was in the stream, if only a list without items.
    pub(crate) fn has_content(&self) -> bool {
        self.has_content
    }

    /// Adds the next object, or what is there instead of it. False at the end.
    pub(crate) fn next(&mut self, batch: &mut Batch) -> bool {
        let before = batch.pieces().len();
        while batch.pieces().len() == before {
            if self.state == State::End {
                return false;
            }
            if let Err(stop) = self.step(batch) {
                self.stop(&stop, batch);
            }
        }
        true
    }

    fn step(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        match self.state.clone() {
            State::Document => self.document(batch),
            State::AfterValue => self.after_value(batch),
            State::JsonItem { list, is_bare } => self.json_item(list, is_bare, batch),
            State::JsonTail => self.json_fields(batch),
            State::YamlItem { list, indent } => self.yaml_item(list, indent, batch),
            State::YamlTail => self.yaml_tail(batch),
            State::End => Ok(()),
        }
    }

    /// Ends the stream where it cannot be read on, unless only one line among others was cut off.
    fn stop(&mut self, stop: &Stop, batch: &mut Batch) {
        let place = self.place();
        batch.fault(place, stop);
        match stop {
            Stop::Broken(at) if matches!(self.state, State::Document | State::AfterValue) => {
                self.window.consume(at + 1);
                self.state = State::AfterValue;
            }
            _ => self.state = State::End,
        }
    }

    /// A new object begins here.
    pub(super) fn place(&mut self) -> Place {
        self.count += 1;
        Place { number: self.count, offset: self.window.offset(), line: self.window.line() }
    }

    /// The beginning of a document.
    fn document(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        if self.window.offset() == 0
            && self.window.peek(2)?.is_some()
            && self.window.bytes().starts_with(b"\xef\xbb\xbf")
        {
            self.window.consume(3);
        }
        // Whole lines only: the white space before the first word of YAML means something.
        let first = self.window.skip_space(0)?;
        let Some(byte) = self.window.peek(first)? else {
            self.state = State::End;
            return Ok(());
        };
        let second = self.window.skip_space(first + 1)?;
        let next = self.window.peek(second)?;
        let is_json = match byte {
            b'{' => matches!(next, Some(b'"' | b'}') | None),
            b'[' => matches!(next, Some(b'{' | b'[' | b']' | b'"') | None),
            _ => false,
        };
        if is_json {
            self.window.consume(first);
            return self.json_value(batch);
        }
        let blank =
            self.window.bytes()[..first].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        self.window.consume(blank);
        self.yaml_document(batch)
    }

    /// Goes on behind a JSON value.
    fn after_value(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        let first = self.window.skip_space(0)?;
        self.window.consume(first);
        match self.window.peek(0)? {
            None => self.state = State::End,
            Some(b'{' | b'[') => return self.json_value(batch),
            Some(b'-') if self.window.peek(2)?.is_some() && self.window.bytes().starts_with(b"---") => {
                self.window.consume(3);
                self.state = State::Document;
            }
            Some(_) => {
                let place = self.place();
                batch.fault(place, "this is no JSON object");
                let end = self.window.line_end(0)?;
                self.window.consume(end);
            }
        }
        Ok(())
    }

    /// Something was there.
    pub(super) fn found(&mut self) {
        self.has_content = true;
    }
}
