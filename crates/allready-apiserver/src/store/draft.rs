//! An object on its way into the store: written once, with a gap where its resourceVersion will stand.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::status::Failure;

/// JSON of an object whose `metadata.resourceVersion` is still open, because only the store knows it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    bytes: Vec<u8>,
    gap: usize,
    owners: Box<[Box<str>]>,
    finalizers: Box<[Box<str>]>,
    marked: bool,
    written: Option<Arc<Value>>,
    index: Option<Arc<Index>>,
}

/// The labels and fields that selectors ask of an object, so that they need not read it.
#[derive(Debug, Default)]
struct Index {
    labels: Box<[(Box<str>, Box<str>)]>,
    /// Selectable fields by their names, as far as they are known.
    fields: Vec<(Box<str>, Box<str>)>,
}

/// An object as it is stored: its JSON, and where in it the resourceVersion stands.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// The whole object as JSON.
    pub(crate) bytes: Bytes,
    /// Its resourceVersion.
    pub(crate) version: u64,
    gap: u32,
    marked: bool,
    written: Option<Arc<Value>>,
    index: Option<Arc<Index>>,
}

impl Draft {
    /// Writes an object. Whatever resourceVersion it has is left out.
    pub(crate) fn new(object: &Value) -> Self {
        let mut bytes = Vec::with_capacity(1024);
        let mut gap = 0;
        let empty = Map::new();
        let fields = object.as_object().unwrap_or(&empty);
        let mut first = true;
        bytes.push(b'{');
        let mut seen = false;
        for (key, value) in fields {
            separate(&mut bytes, &mut first);
            write(&mut bytes, key);
            bytes.push(b':');
            match (key.as_str(), value) {
                ("metadata", Value::Object(metadata)) => {
                    gap = write_metadata(&mut bytes, metadata);
                    seen = true;
                }
                _ => write(&mut bytes, value),
            }
        }
        if !seen {
            separate(&mut bytes, &mut first);
            bytes.extend_from_slice(b"\"metadata\":");
            gap = write_metadata(&mut bytes, &empty);
        }
        bytes.push(b'}');
        let metadata = object.get("metadata");
        let marked = metadata
            .and_then(|metadata| metadata.get("deletionTimestamp"))
            .is_some_and(|stamp| !stamp.is_null());
        let labels = labels(object);
        let index = (!labels.is_empty()).then(|| Arc::new(Index { labels, fields: Vec::new() }));
        let (owners, finalizers) = (owners(object), finalizers(object));
        Self { bytes, gap, owners, finalizers, marked, written: None, index }
    }

    /// Notes what selectable fields come to.
    pub(crate) fn with_fields(mut self, fields: Vec<(Box<str>, Box<str>)>) -> Self {
        if !fields.is_empty() {
            // Nobody else has seen it yet.
            let labels = self.index.take().and_then(Arc::into_inner).unwrap_or_default().labels;
            self.index = Some(Arc::new(Index { labels, fields }));
        }
        self
    }

    /// Says that the object is what is read from something else that was written.
    pub(crate) fn written_as(mut self, written: Value) -> Self {
        self.written = Some(Arc::new(written));
        self
    }

    /// The uids of the owners that the object names.
    pub(crate) fn owners(&self) -> &[Box<str>] {
        &self.owners
    }

    /// The finalizers that the object waits for.
    pub(crate) fn finalizers(&self) -> &[Box<str>] {
        &self.finalizers
    }

    /// Closes the gap.
    pub(crate) fn seal(&self, version: u64) -> Stored {
        Stored {
            bytes: splice(&self.bytes, self.gap, self.gap, version),
            version,
            gap: u32::try_from(self.gap).unwrap_or(u32::MAX),
            marked: self.marked,
            written: self.written.clone(),
            index: self.index.clone(),
        }
    }
}

impl Stored {
    /// The same object under another resourceVersion: what a deletion shows.
    pub(crate) fn at_version(&self, version: u64) -> Bytes {
        let gap = self.gap as usize;
        splice(&self.bytes, gap, gap + self.version.to_string().len(), version)
    }

    /// Whether the object is being deleted.
    pub(crate) fn is_marked(&self) -> bool {
        self.marked
    }

    /// Its labels.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        let labels = self.index.iter().flat_map(|index| &index.labels);
        labels.map(|(key, value)| (key.as_ref(), value.as_ref()))
    }

    /// The value of a selectable field when it was written, where that was noted.
    pub(crate) fn field(&self, name: &str) -> Option<&str> {
        let fields = &self.index.as_ref()?.fields;
        fields.iter().find(|(known, _)| **known == *name).map(|(_, value)| value.as_ref())
    }

    /// What was written, where reading it gives something else. A write that writes the same again changes nothing.
    pub(crate) fn written(&self) -> Option<&Value> {
        self.written.as_deref()
    }

    /// The object as a value.
    pub(crate) fn value(&self) -> Result<Value, Failure> {
        read(&self.bytes)
    }
}

/// Stored bytes, read. They are JSON of a bounded depth: where they cannot be read, the server is at fault and says so.
pub(crate) fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, Failure> {
    #[cfg(test)]
    counted::READS.with(|reads| reads.set(reads.get() + 1));
    serde_json::from_slice(bytes).map_err(|error| {
        tracing::error!(%error, "a stored object cannot be read");
        Failure::internal(format!("a stored object cannot be read: {error}"))
    })
}

fn splice(bytes: &[u8], from: usize, to: usize, version: u64) -> Bytes {
    let digits = version.to_string();
    let mut out = Vec::with_capacity(bytes.len() + digits.len());
    out.extend_from_slice(bytes.get(..from).unwrap_or_default());
    out.extend_from_slice(digits.as_bytes());
    out.extend_from_slice(bytes.get(to..).unwrap_or_default());
    Bytes::from(out.into_boxed_slice())
}

/// Writes metadata with an empty resourceVersion in its alphabetical place, and says where it stands.
fn write_metadata(bytes: &mut Vec<u8>, metadata: &Map<String, Value>) -> usize {
    let mut gap = None;
    let mut first = true;
    bytes.push(b'{');
    for (key, value) in metadata {
        if key == "resourceVersion" {
            continue;
        }
        if gap.is_none() && key.as_str() > "resourceVersion" {
            gap = Some(write_gap(bytes, &mut first));
        }
        separate(bytes, &mut first);
        write(bytes, key);
        bytes.push(b':');
        write(bytes, value);
    }
    let gap = gap.unwrap_or_else(|| write_gap(bytes, &mut first));
    bytes.push(b'}');
    gap
}

fn write_gap(bytes: &mut Vec<u8>, first: &mut bool) -> usize {
    separate(bytes, first);
    bytes.extend_from_slice(b"\"resourceVersion\":\"");
    let gap = bytes.len();
    bytes.push(b'"');
    gap
}

fn separate(bytes: &mut Vec<u8>, first: &mut bool) {
    if !std::mem::take(first) {
        bytes.push(b',');
    }
}

fn write<T: Serialize + ?Sized>(bytes: &mut Vec<u8>, value: &T) {
    // Writing a JSON value into memory has no way to fail.
    let _ = serde_json::to_writer(bytes, value);
}

fn owners(object: &Value) -> Box<[Box<str>]> {
    let references = object.pointer("/metadata/ownerReferences").and_then(Value::as_array);
    references.into_iter().flatten().filter_map(|owner| owner["uid"].as_str()).map(Into::into).collect()
}

fn labels(object: &Value) -> Box<[(Box<str>, Box<str>)]> {
    let labels = object.pointer("/metadata/labels").and_then(Value::as_object);
    let texts = labels.into_iter().flatten().filter_map(|(key, value)| Some((key, value.as_str()?)));
    texts.map(|(key, value)| (key.as_str().into(), value.into())).collect()
}

fn finalizers(object: &Value) -> Box<[Box<str>]> {
    let names = object.pointer("/metadata/finalizers").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str).map(Into::into).collect()
}

/// What a test may count of the work that is done on its own thread.
#[cfg(test)]
pub(crate) mod counted {
    use std::cell::Cell;

    thread_local! {
        /// How many objects were read from their bytes.
        pub(crate) static READS: Cell<usize> = const { Cell::new(0) };
    }

    /// How many objects some work reads from their bytes.
    pub(crate) fn reads(work: impl FnOnce()) -> usize {
        let before = READS.get();
        work();
        READS.get() - before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_an_error_of_the_server_and_no_empty_value() {
        let failure = read::<Value>(b"{\"metadata\":").unwrap_err();
        assert_eq!((failure.code, failure.reason), (500, "InternalError"));
        assert!(failure.message.contains("a stored object cannot be read: EOF"), "{}", failure.message);
    }
}
