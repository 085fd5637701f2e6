//! Documents of YAML, and the items of lists in them.

use std::{io::Read, sync::Arc};

use serde_json::{Map, Value};

use super::{
    Batch, Form, ListOf, Stop,
    split::{Splitter, State},
};

impl<R: Read> Splitter<R> {
    /// A document, beginning here: up to the next marker, or up to the items if it is a list.
    pub(super) fn yaml_document(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        let mut at = 0;
        loop {
            let end = self.window.line_end(at)?;
            let line = &self.window.bytes()[at..end];
            let is_marker = is_marker(line);
            if is_items(line)
                && let Ok(list) = list_of(&self.window.bytes()[..at])
            {
                self.found();
                self.window.consume(end);
                self.state = State::YamlItem { list, indent: None };
                return Ok(());
            }
            if is_marker || at == end {
                let text = &self.window.bytes()[..at];
                if !is_empty(text) {
                    self.found();
                    let place = self.place();
                    batch.text(place, &self.window.bytes()[..at], Form::Yaml, None);
                }
                self.window.consume(at);
                self.marker()?;
                return Ok(());
            }
            at = end;
        }
    }

    /// Passes over what ends a document here.
    fn marker(&mut self) -> Result<(), Stop> {
        self.state = match self.window.peek(0)? {
            None => State::End,
            Some(b'.') => {
                let end = self.window.line_end(0)?;
                self.window.consume(end);
                State::Document
            }
            Some(_) => {
                self.window.consume(3);
                State::Document
            }
        };
        Ok(())
    }

    /// An item, with its dash, or the end of the list.
    pub(super) fn yaml_item(
        &mut self,
        list: Option<Arc<ListOf>>,
        indent: Option<usize>,
        batch: &mut Batch,
    ) -> Result<(), Stop> {
        let (mut at, mut indent) = (0, indent);
        let mut has_item = false;
        loop {
            let end = self.window.line_end(at)?;
            let line = &self.window.bytes()[at..end];
            if at < end && !is_marker(line) && is_empty(line) {
                at = end;
                continue;
            }
            let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
            let is_dash = line.get(spaces) == Some(&b'-')
                && matches!(line.get(spaces + 1), None | Some(b' ' | b'\n' | b'\r' | b'\t'));
            let is_deeper = indent.is_some_and(|indent| spaces > indent);
            if has_item && at < end && is_deeper {
                at = end;
                continue;
            }
            if has_item {
                let place = self.place();
                batch.text(place, &self.window.bytes()[..at], Form::YamlItem, list.clone());
                self.window.consume(at);
                self.state = State::YamlItem { list, indent };
                return Ok(());
            }
            if at == end || !is_dash || is_marker(line) || indent.is_some_and(|indent| indent != spaces) {
                self.window.consume(at);
                self.state = State::YamlTail;
                return Ok(());
            }
            indent = Some(spaces);
            has_item = true;
            at = end;
        }
    }

    /// Reads on behind the items of a list: what is no YAML there may be items that were not seen.
    pub(super) fn yaml_tail(&mut self, batch: &mut Batch) -> Result<(), Stop> {
        let mut at = 0;
        loop {
            let end = self.window.line_end(at)?;
            if at == end || is_marker(&self.window.bytes()[at..end]) {
                break;
            }
            at = end;
        }
        let tail = &self.window.bytes()[..at];
        let fields = fields(tail);
        if !is_empty(tail) && fields.is_none_or(|fields| fields.contains_key("items")) {
            let place = self.place();
            batch.fault(place, "behind the items of a list there is something that is no field of it");
        }
        self.window.consume(at);
        self.marker()
    }
}

/// Returns true if a line ends a document.
fn is_marker(line: &[u8]) -> bool {
    let is_marker = line.starts_with(b"---") || line.starts_with(b"...");
    is_marker && matches!(line.get(3), None | Some(b' ' | b'\n' | b'\r' | b'\t'))
}

/// Returns true if items follow this line.
fn is_items(line: &[u8]) -> bool {
    let Some(rest) = line.strip_prefix(b"items:") else { return false };
    let rest = rest.trim_ascii();
    rest.is_empty() || rest.starts_with(b"#")
}

/// Returns true if there is nothing but white space, comments and directives.
fn is_empty(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').all(|line| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#") || line.starts_with(b"%")
    })
}

/// The kind of the items, where it is known, if a document that begins like this can be a list.
fn list_of(head: &[u8]) -> Result<Option<Arc<ListOf>>, ()> {
    let fields = if is_empty(head) { Map::new() } else { fields(head).ok_or(())? };
    let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default();
    let kind = text("kind");
    if kind.is_empty() || kind.ends_with("List") {
        Ok(ListOf::new(text("apiVersion"), kind))
    } else {
        Err(())
    }
}

fn fields(text: &[u8]) -> Option<Map<String, Value>> {
    serde_saphyr::from_str(std::str::from_utf8(text).ok()?).ok()
}
