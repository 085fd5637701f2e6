//! Reading YAML from clients as the real server does: YAML 1.1 words, the first document alone, every duplicate key
//! remembered.

use std::collections::HashMap;

use granit_parser::{Event, Parser, Span};
use serde_json::{Map, Value};

use super::json::{self, Duplicate, Parsed};
use crate::depth::{self, DEEPEST};

mod breaks;
mod mistake;
mod scalar;
#[cfg(test)]
mod tests;

use scalar::{Key, Scalar};

/// How many bytes aliases may add to a document.
const COPIED: usize = 4 << 20;
/// How many bytes may be kept for aliases: anchors inside anchors are kept several times.
const KEPT: usize = 32 << 20;

/// Reads YAML, or says what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Parsed, String> {
    // Most YAML that clients send is JSON.
    if is_plain(bytes)
        && let Ok(mut parsed) = json::parse(bytes)
    {
        json::whole_numbers(&mut parsed.value);
        return Ok(parsed);
    }
    let text = std::str::from_utf8(bytes).map_err(|error| mistake::not_text(bytes, &error))?;
    let text = &*breaks::normal(text);
    mistake::check_characters(text)?;
    let options = granit_parser::options! { emit_unresolved_aliases: true, emit_comments: false };
    let mut reader = Reader::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| mistake::describe(text, &error))?;
        if reader.take(text, event, span)? {
            break;
        }
    }
    Ok(Parsed { value: reader.root, duplicates: reader.duplicates })
}

/// Whether what is JSON means the same as YAML: there are characters that YAML has other ideas of, inside of texts too.
fn is_plain(bytes: &[u8]) -> bool {
    let usual = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~');
    bytes.iter().all(usual)
        || std::str::from_utf8(bytes).is_ok_and(|text| {
            mistake::check_characters(text).is_ok() && !breaks::any(text) && !text.contains('\u{feff}')
        })
}

#[derive(Default)]
struct Reader {
    open: Vec<Frame>,
    anchors: HashMap<usize, Value>,
    copied: usize,
    kept: usize,
    /// Nodes of the document, and how many of them stand where an alias stood.
    nodes: usize,
    aliased: usize,
    root: Value,
    duplicates: Vec<Duplicate>,
}

/// A list or a map that is not complete yet.
enum Frame {
    List { items: Vec<Value>, anchor: usize },
    Map { fields: Map<String, Value>, key: Option<Key>, anchor: usize },
}

impl Frame {
    fn anchor(&self) -> usize {
        match self {
            Self::List { anchor, .. } | Self::Map { anchor, .. } => *anchor,
        }
    }
}

impl Reader {
    /// Takes an event in; true at the end of the first document.
    fn take(&mut self, text: &str, event: Event<'_>, span: Span) -> Result<bool, String> {
        let node = matches!(
            event,
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(..)
        );
        self.nodes += usize::from(node);
        match event {
            Event::DocumentEnd | Event::StreamEnd => return Ok(true),
            Event::Scalar(word, style, anchor, tag) => {
                let word = breaks::folded(word, span.slice(text).unwrap_or_default());
                let read = scalar::read(&word, style, tag.as_deref())?;
                if anchor != 0 {
                    self.anchors.insert(anchor, read.clone().value()?);
                }
                self.scalar(read, || breaks::line(text, &span.start))?;
            }
            Event::SequenceStart(_, anchor, _) => {
                self.begin(Frame::List { items: Vec::new(), anchor })?;
            }
            Event::MappingStart(_, anchor, _) => {
                self.begin(Frame::Map { fields: Map::new(), key: None, anchor })?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end()?,
            Event::Alias(anchor) => {
                let value = self.copy(text, anchor, &span)?;
                match value {
                    Value::String(word) => {
                        self.scalar(Scalar::Text(word), || breaks::line(text, &span.start))?;
                    }
                    value => self.place(value)?,
                }
            }
            Event::UnresolvedAlias(name) => {
                return Err(format!("yaml: unknown anchor '{name}' referenced"));
            }
            _ => {}
        }
        Ok(false)
    }

    fn copy(&mut self, text: &str, anchor: usize, span: &Span) -> Result<Value, String> {
        let Some(value) = self.anchors.get(&anchor) else {
            let name = span.slice(text).unwrap_or_default().trim_start_matches('*');
            return Err(format!("yaml: anchor '{name}' value contains itself"));
        };
        self.copied += weight(value);
        let nodes = count(value);
        self.nodes += nodes;
        self.aliased += nodes;
        if self.copied > COPIED || is_excessive(self.aliased, self.nodes) {
            return Err("yaml: document contains excessive aliasing".into());
        }
        if depth::exceeds(value, DEEPEST.saturating_sub(self.open.len())) {
            return Err("yaml: exceeded max depth".into());
        }
        Ok(value.clone())
    }

    fn begin(&mut self, frame: Frame) -> Result<(), String> {
        if self.open.len() >= DEEPEST {
            return Err("yaml: exceeded max depth".into());
        }
        self.open.push(frame);
        Ok(())
    }

    fn end(&mut self) -> Result<(), String> {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        let anchor = frame.anchor();
        let value = match frame {
            Frame::List { items, .. } => Value::Array(items),
            Frame::Map { fields, .. } => Value::Object(fields),
        };
        if anchor != 0 {
            self.kept += weight(&value);
            if self.kept > KEPT {
                return Err("yaml: document contains excessive aliasing".into());
            }
            self.anchors.insert(anchor, value.clone());
        }
        self.place(value)
    }

    fn scalar(&mut self, read: Scalar, line: impl FnOnce() -> usize) -> Result<(), String> {
        let Some(Frame::Map { fields, key: key @ None, .. }) = self.open.last_mut() else {
            return self.place(read.value()?);
        };
        let name = read.key()?;
        if fields.contains_key(name.text()) && self.duplicates.len() < 100 {
            let duplicate = Duplicate { path: String::new(), key: name.text().to_owned(), line: line() };
            self.duplicates.push(duplicate);
        }
        *key = Some(name);
        Ok(())
    }

    fn place(&mut self, value: Value) -> Result<(), String> {
        match self.open.last_mut() {
            None => self.root = value,
            Some(Frame::List { items, .. }) => items.push(value),
            Some(Frame::Map { fields, key, .. }) => match key.take() {
                Some(Key::Merge) => merge(fields, value)?,
                Some(key) => {
                    fields.insert(key.into_text(), value);
                }
                None => return Err(format!("yaml: invalid map key: {}", scalar::go_value(&value))),
            },
        }
        Ok(())
    }
}

/// `<<`: the fields of another map, or of several.
fn merge(fields: &mut Map<String, Value>, value: Value) -> Result<(), String> {
    match value {
        Value::Object(more) => fields.extend(more),
        // The first of several counts most.
        Value::Array(items) if items.iter().all(Value::is_object) => {
            for item in items.into_iter().rev() {
                merge(fields, item)?;
            }
        }
        _ => return Err("yaml: map merge requires map or sequence of maps as the value".into()),
    }
    Ok(())
}

/// Whether aliases make up too much of a document: nearly all of a small one, a tenth of a huge one.
fn is_excessive(aliased: usize, nodes: usize) -> bool {
    const SMALL: usize = 400_000;
    const HUGE: usize = 4_000_000;
    if aliased <= 100 || nodes <= 1000 {
        return false;
    }
    // In hundredths, so that no precision is lost: from 99 down to 10.
    let allowed = 99 - 89 * (nodes.clamp(SMALL, HUGE) - SMALL) / (HUGE - SMALL);
    aliased * 100 > nodes * allowed
}

/// How many nodes a value has.
fn count(value: &Value) -> usize {
    1 + match value {
        Value::Array(items) => items.iter().map(count).sum(),
        Value::Object(fields) => fields.values().map(|value| 1 + count(value)).sum(),
        _ => 0,
    }
}

/// About how many bytes a value takes.
fn weight(value: &Value) -> usize {
    // The depth is bounded by the reader.
    match value {
        Value::String(text) => text.len() + 16,
        Value::Array(items) => 16 + items.iter().map(weight).sum::<usize>(),
        Value::Object(fields) => {
            16 + fields.iter().map(|(key, value)| key.len() + 16 + weight(value)).sum::<usize>()
        }
        _ => 16,
    }
}
