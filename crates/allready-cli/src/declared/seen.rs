//! The kinds that have been judged, for streams in which a definition may come too late.

use std::collections::HashMap;

/// The number of kinds that are remembered: a stream may name any number.
const MAX_KINDS: usize = 10_000;

/// By group and kind, the number of the first batch, or object, of it.
#[derive(Debug, Default)]
pub(crate) struct Seen(HashMap<String, HashMap<String, u64>>);

impl Seen {
    /// There is an object of this kind.
    pub(crate) fn note(&mut self, group: &str, kind: &str, number: u64) {
        let is_known = self.first(group, kind).is_some();
        if is_known || self.0.values().map(HashMap::len).sum::<usize>() >= MAX_KINDS {
            return;
        }
        self.0.entry(group.to_owned()).or_default().insert(kind.to_owned(), number);
    }

    /// The number of the first.
    pub(crate) fn first(&self, group: &str, kind: &str) -> Option<u64> {
        self.0.get(group)?.get(kind).copied()
    }
}

/// The message where objects were judged before their definition was read.
pub(crate) fn too_late(group: &str, kind: &str) -> String {
    format!(
        "the CRD of {kind}.{group} comes after objects of that kind, which were checked without its declarations: \
         put it before them, or pass a file in place of standard input"
    )
}
