//! Where in a file something stands.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::Read as _,
    sync::Arc,
};

use serde_saphyr::granit_parser::{Event, Parser};

/// Where an object, or something in it, comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The name of the file.
    pub(crate) file: Arc<str>,
    /// How many bytes are before the object.
    pub(crate) offset: u64,
    /// The line within the text of the object, from one; in the end the line within the file.
    pub(crate) line: Option<u64>,
}

/// Longer texts are not searched for lines: the object is enough.
const MOST_BYTES: usize = 8 * 1024 * 1024;

/// The lines on which JSON pointers stand in a text, which may be JSON or YAML; of what is not there, the nearest thing
/// around it.
pub(crate) fn find(text: &str, prefix: &str, pointers: &BTreeSet<&str>) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    if text.len() > MOST_BYTES || pointers.is_empty() {
        return found;
    }
    let mut walk = Walk::default();
    let mut lines: BTreeMap<String, u64> = BTreeMap::new();
    // What would be looked up: every pointer, and everything around it.
    let wanted: BTreeSet<String> =
        pointers.iter().flat_map(|pointer| around(&format!("{prefix}{pointer}"))).collect();
    for event in Parser::new_from_str(text) {
        // What is behind a mistake has no line.
        let Ok((event, span)) = event else { break };
        if matches!(event, Event::DocumentEnd) {
            break;
        }
        if let Some(pointer) = walk.take(&event)
            && wanted.contains(&pointer)
        {
            lines.entry(pointer).or_insert(span.start.line() as u64);
        }
    }
    for pointer in pointers {
        let line = around(&format!("{prefix}{pointer}")).find_map(|pointer| lines.get(&pointer).copied());
        found.extend(line.map(|line| ((*pointer).to_owned(), line)));
    }
    found
}

/// A pointer, and everything around it, the nearest first.
fn around(pointer: &str) -> impl Iterator<Item = String> + use<> {
    let mut next = Some(pointer.to_owned());
    std::iter::from_fn(move || {
        let here = next.take()?;
        next = here.rfind('/').map(|end| here[..end].to_owned());
        Some(here)
    })
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

/// Makes the lines within objects lines within files.
pub(crate) fn settle(origins: &mut [&mut Origin]) {
    let mut offsets: BTreeMap<Arc<str>, BTreeMap<u64, u64>> = BTreeMap::new();
    for origin in origins.iter() {
        offsets.entry(Arc::clone(&origin.file)).or_default().insert(origin.offset, 0);
    }
    for (file, offsets) in &mut offsets {
        count(file, offsets);
    }
    for origin in origins {
        let before = offsets.get(&origin.file).and_then(|offsets| offsets.get(&origin.offset));
        // What was standard input, or is gone by now, has no lines.
        origin.line = match before {
            Some(before) if *before != u64::MAX => Some(before + origin.line.unwrap_or(1)),
            _ => None,
        };
    }
}

/// How many line breaks are before each offset of a file; none where it cannot be read again.
fn count(file: &str, offsets: &mut BTreeMap<u64, u64>) {
    let Ok(mut reader) = File::open(file) else {
        for lines in offsets.values_mut() {
            *lines = u64::MAX;
        }
        return;
    };
    let mut wanted = offsets.iter_mut().peekable();
    let (mut at, mut lines, mut buffer) = (0_u64, 0_u64, vec![0; 64 * 1024]);
    loop {
        let read = reader.read(&mut buffer).unwrap_or_default();
        let mut rest = buffer.get(..read).unwrap_or_default();
        while let Some((offset, before)) = wanted.next_if(|(offset, _)| **offset <= at + rest.len() as u64) {
            let upto = usize::try_from(*offset - at).unwrap_or(rest.len());
            let (passed, left) = rest.split_at(upto.min(rest.len()));
            lines += breaks(passed);
            at += passed.len() as u64;
            rest = left;
            *before = lines;
        }
        lines += breaks(rest);
        at += rest.len() as u64;
        if read == 0 || wanted.peek().is_none() {
            break;
        }
    }
}

#[expect(clippy::naive_bytecount, reason = "a file is read once more, and that takes longer than counting")]
fn breaks(text: &[u8]) -> u64 {
    text.iter().filter(|byte| **byte == b'\n').count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const YAML: &str = "kind: Widget\nstatus:\n  conditions:\n  - type: Ready\n    reason: \"\"\n  - {type: Synced,\n     status: x}\n";

    fn lines(text: &str, prefix: &str, pointers: &[&str]) -> Vec<u64> {
        let found = find(text, prefix, &pointers.iter().copied().collect());
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
        assert_eq!(lines(YAML, "", &pointers), [2, 5, 7, 6]);
        assert_eq!(lines(YAML, "", &["/spec/x"]), [1]);
    }

    #[test]
    fn json_has_lines_too_and_an_item_is_found_below_its_dash() {
        let json =
            serde_json::to_string_pretty(&serde_json::json!({ "a": { "b/c": [1, { "d": 2 }] } })).unwrap();
        assert_eq!(lines(&json, "", &["/a", "/a/b~1c/1/d"]), [2, 6]);
        assert_eq!(lines("- kind: Pod\n  status: {}\n", "/0", &["/status"]), [2]);
    }

    #[test]
    fn what_is_no_yaml_has_no_lines_beyond_the_mistake() {
        assert_eq!(find("a: 1\nb: [}\nc: 2\n", "", &["/c"].into()), [("/c".to_owned(), 1)].into());
    }

    #[test]
    fn lines_are_counted_up_to_each_offset() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("many.yaml");
        std::fs::write(&path, "a\n".repeat(100_000)).unwrap();
        let mut offsets: BTreeMap<u64, u64> =
            [0, 1, 2, 65_536, 65_537, 65_538, 199_999, 200_000, 900_000].map(|at| (at, 0)).into();
        count(path.to_str().unwrap(), &mut offsets);
        let counted: Vec<u64> = offsets.into_values().collect();
        assert_eq!(counted, [0, 0, 1, 32_768, 32_768, 32_769, 99_999, 100_000, 0]);
    }
}
