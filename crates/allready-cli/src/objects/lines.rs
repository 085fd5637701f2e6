//! The lines on which things stand in a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use serde_saphyr::granit_parser::{Event, Parser};

/// The place of an object, or of something in it; shown as `file.yaml:12`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The name of the file; `-` for standard input.
    pub(crate) file: Arc<str>,
    /// The line, from one.
    pub(crate) line: u64,
}

impl Origin {
    /// The place of something, by the line on which it stands in the text that begins here.
    pub(crate) fn within(&self, line: Option<u64>) -> Self {
        Self { file: Arc::clone(&self.file), line: self.line + line.unwrap_or(1) - 1 }
    }

    /// The name of the file, which standard input has not.
    pub(crate) fn path(&self) -> Option<&str> {
        Some(&*self.file).filter(|file| *file != "-")
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Longer texts are not searched for lines: the object is enough.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The lines on which JSON pointers stand in a text, which may be JSON or YAML; of what is not there, the nearest thing
/// around it.
pub(crate) fn find(text: &str, pointers: &BTreeSet<&str>) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    if text.len() > MOST_BYTES || pointers.is_empty() {
        return found;
    }
    let mut walk = Walk::default();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    // What would be looked up: every pointer, and everything around it.
    let wanted: BTreeSet<&str> = pointers.iter().flat_map(|pointer| around(pointer)).collect();
    for event in Parser::new_from_str(text) {
        // What is behind a mistake has no line.
        let Ok((event, span)) = event else { break };
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        if let Some(pointer) = walk.take(&event)
            && wanted.contains(pointer.as_str())
        {
            lines.entry(pointer).or_insert(span.start.line() as u64);
        }
    }
    for pointer in pointers {
        let line = around(pointer).find_map(|pointer| lines.get(pointer).copied());
        found.extend(line.map(|line| ((*pointer).to_owned(), line)));
    }
    found
}

/// A pointer, and everything around it, the nearest first.
fn around(pointer: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(pointer), |here| here.rfind('/').map(|end| &here[..end]))
}

/// The place in a document that the next event is about.
#[derive(Default)]
struct Walk {
    open: Vec<Frame>,
}

enum Frame {
    List { pointer: String, index: usize },
    Map { pointer: String, key: Option<String> },
}

impl Walk {
    /// Takes an event in, and gives the pointer of what begins with it: of a field, its key.
    fn take(&mut self, event: &Event<'_>) -> Option<String> {
        match event {
            Event::Scalar(word, ..) => {
                if let Some(Frame::Map { pointer, key: key @ None }) = self.open.last_mut() {
                    let name = word.replace('~', "~0").replace('/', "~1");
                    let field = format!("{pointer}/{name}");
                    *key = Some(name);
                    return Some(field);
                }
                Some(self.value())
            }
            Event::Alias(..) => Some(self.value()),
            Event::SequenceStart(..) => {
                let pointer = self.here();
                self.open.push(Frame::List { pointer: pointer.clone(), index: 0 });
                Some(pointer)
            }
            Event::MappingStart(..) => {
                let pointer = self.here();
                self.open.push(Frame::Map { pointer: pointer.clone(), key: None });
                Some(pointer)
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.open.pop();
                self.value();
                None
            }
            _ => None,
        }
    }

    fn here(&self) -> String {
        match self.open.last() {
            None => String::new(),
            Some(Frame::List { pointer, index }) => format!("{pointer}/{index}"),
            Some(Frame::Map { pointer, key }) => format!("{pointer}/{}", key.as_deref().unwrap_or_default()),
        }
    }

    /// A value is complete: the next one stands elsewhere.
    fn value(&mut self) -> String {
        let here = self.here();
        match self.open.last_mut() {
            Some(Frame::List { index, .. }) => *index += 1,
            Some(Frame::Map { key, .. }) => *key = None,
            None => {}
        }
        here
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const YAML: &str = "kind: Widget\nstatus:\n  conditions:\n  - type: Ready\n    reason: \"\"\n  - {type: Synced,\n     status: x}\n";

    fn lines(text: &str, pointers: &[&str]) -> Vec<u64> {
        let found = find(text, &pointers.iter().copied().collect());
        pointers.iter().map(|pointer| found[*pointer]).collect()
    }

    #[test]
    fn a_field_is_on_the_line_of_its_key_and_what_is_missing_on_that_of_what_is_around_it() {
        let pointers = [
            "/status",
            "/status/conditions/0/reason",
            "/status/conditions/1/status",
            "/status/conditions/1/message",
        ];
        assert_eq!(lines(YAML, &pointers), [2, 5, 7, 6]);
        assert_eq!(lines(YAML, &["/spec/x"]), [1]);
    }

    #[test]
    fn json_has_lines_too_and_an_item_is_found_below_its_dash() {
        let json =
            serde_json::to_string_pretty(&serde_json::json!({ "a": { "b/c": [1, { "d": 2 }] } })).unwrap();
        assert_eq!(lines(&json, &["/a", "/a/b~1c/1/d"]), [2, 6]);
        assert_eq!(lines("- kind: Pod\n  status: {}\n", &["/0/status"]), [2]);
    }

    #[test]
    fn what_is_no_yaml_has_no_lines_beyond_the_mistake() {
        assert_eq!(find("a: 1\nb: [}\nc: 2\n", &["/c"].into()), [("/c".to_owned(), 1)].into());
    }
}
