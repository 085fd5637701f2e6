//! JSON values one after another, and the items of lists.

use std::{io::Read, sync::Arc};

use super::{
    Batch, Form, ListOf, Stop,
    scan::{Passed, Scan},
    split::{Splitter, State},
};

impl<R: Read> Splitter<R> {
    /// An object, a list or an array, beginning here.
    pub(super) fn json_value(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        self.found();
        if self.window.peek(0)? == Some(b'[') {
            self.window.consume(1);
            self.state = State::JsonItem { list: None, is_bare: true };
            return Ok(());
        }
        let (mut at, mut kind, mut api_version) = (1, String::new(), String::new());
        while let Some((key, value)) = self.key(at)? {
            let is_list = kind.is_empty() || kind.ends_with("List");
            if self.window.bytes()[key.clone()] == *b"items"
                && is_list
                && self.window.peek(value)? == Some(b'[')
            {
                self.window.consume(value + 1);
                let list = ListOf::new(&api_version, &kind);
                self.state = State::JsonItem { list, is_bare: false };
                return Ok(());
            }
            at = self.value_end(value)?;
            let text = &self.window.bytes()[value..at];
            let text = || serde_json::from_slice(text).unwrap_or_default();
            match &self.window.bytes()[key] {
                b"kind" => kind = text(),
                b"apiVersion" => api_version = text(),
                _ => {}
            }
        }
        // The reader says whether it is well-formed: here only its end matters.
        let close = self.window.skip_space(at)?;
        let end = if self.window.peek(close)? == Some(b'}') { close + 1 } else { self.value_end(0)? };
        let place = self.place();
        batch.text(place, &self.window.bytes()[..end], Form::Json, None);
        self.window.consume(end);
        self.state = State::AfterValue;
        Ok(())
    }

    /// The next key of an object: where its text is, and where its value begins. None at the end, and where there is no key.
    fn key(&mut self, at: usize) -> Result<Option<(std::ops::Range<usize>, usize)>, Stop> {
        let mut at = self.window.skip_space(at)?;
        if self.window.peek(at)? == Some(b',') {
            at = self.window.skip_space(at + 1)?;
        }
        if self.window.peek(at)? != Some(b'"') {
            return Ok(None);
        }
        let end = self.value_end(at)?;
        let colon = self.window.skip_space(end)?;
        if self.window.peek(colon)? != Some(b':') {
            return Ok(None);
        }
        Ok(Some((at + 1..end - 1, self.window.skip_space(colon + 1)?)))
    }

    /// The end of the value that begins here.
    fn value_end(&mut self, at: usize) -> Result<usize, Stop> {
        if !matches!(self.window.peek(at)?, Some(b'{' | b'[' | b'"')) {
            return self.scalar_end(at);
        }
        let (mut scan, mut from) = (Scan::default(), at);
        loop {
            let rest = &self.window.bytes()[from..];
            match scan.pass(rest) {
                Passed::Ended(count) => return Ok(from + count),
                Passed::Broken(count) => return Err(Stop::Broken(from + count)),
                Passed::All => from += rest.len(),
            }
            if !self.window.more()? {
                return Err(Stop::Truncated);
            }
        }
    }

    /// A number, a word, or something that is neither.
    fn scalar_end(&mut self, mut at: usize) -> Result<usize, Stop> {
        while let Some(byte) = self.window.peek(at)? {
            if matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') {
                return Ok(at);
            }
            at += 1;
        }
        Err(Stop::Truncated)
    }

    /// An item of a list, or its end.
    pub(super) fn json_item(
        &mut self,
        list: Option<Arc<ListOf>>,
        is_bare: bool,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let mut first = self.window.skip_space(0)?;
        if self.window.peek(first)? == Some(b',') {
            first = self.window.skip_space(first + 1)?;
        }
        self.window.consume(first);
        match self.window.peek(0)? {
            None => return Err(Stop::Truncated),
            Some(b']') => {
                self.window.consume(1);
                self.state = if is_bare { State::AfterValue } else { State::JsonTail };
                return Ok(());
            }
            Some(b'}' | b':') => {
                let place = self.place();
                batch.fault(place, "the list is not closed before its object is: nothing behind it is read");
                self.state = State::End;
                return Ok(());
            }
            Some(_) => {}
        }
        let end = self.value_end(0)?;
        let place = self.place();
        batch.text(place, &self.window.bytes()[..end], Form::Json, list);
        self.window.consume(end);
        Ok(())
    }

    /// The fields of a list behind its items.
    pub(super) fn json_fields(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        while let Some((key, value)) = self.key(0)? {
            if self.window.bytes()[key] == *b"items" && self.window.peek(value)? == Some(b'[') {
                // Some more of them: what is there twice must not hide what is there once.
                self.window.consume(value + 1);
                self.state = State::JsonItem { list: None, is_bare: false };
                return Ok(());
            }
            let end = self.value_end(value)?;
            self.window.consume(end);
        }
        let end = self.window.skip_space(0)?;
        self.window.consume(end);
        match self.window.peek(0)? {
            None => return Err(Stop::Truncated),
            Some(b'}') => {
                self.window.consume(1);
                self.state = State::AfterValue;
            }
            Some(_) => {
                let place = self.place();
                batch.fault(place, "the list does not go on as JSON: nothing behind it is read");
                self.state = State::End;
            }
        }
        Ok(())
    }
}
