//! An object on its way into the store: written once, with a gap where its resourceVersion will stand.

use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value};

/// JSON of an object whose `metadata.resourceVersion` is still open, because only the store knows it.
#[derive(Debug, Clone)]
pub(crate) struct Draft {
    bytes: Vec<u8>,
    gap: usize,
    owners: Box<[Box<str>]>,
    written: Option<Arc<Value>>,
}

/// An object as it is stored: its JSON, and where in it the resourceVersion stands.
#[derive(Debug, Clone)]
pub(crate) struct Stored {
    /// The whole object as JSON.
    pub(crate) bytes: Bytes,
    /// Its resourceVersion.
    pub(crate) version: u64,
    gap: u32,
    written: Option<Arc<Value>>,
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
        Self { bytes, gap, owners: owners(object), written: None }
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

    /// Closes the gap.
    pub(crate) fn seal(&self, version: u64) -> Stored {
        Stored {
            bytes: splice(&self.bytes, self.gap, self.gap, version),
            version,
            gap: u32::try_from(self.gap).unwrap_or(u32::MAX),
            written: self.written.clone(),
        }
    }
}

impl Stored {
    /// The same object under another resourceVersion: what a deletion shows.
    pub(crate) fn at_version(&self, version: u64) -> Bytes {
        let gap = self.gap as usize;
        splice(&self.bytes, gap, gap + self.version.to_string().len(), version)
    }

    /// What was written, where reading it gives something else. A write that writes the same again changes nothing.
    pub(crate) fn written(&self) -> Option<&Value> {
        self.written.as_deref()
    }

    /// The object as a value. Stored bytes are always JSON.
    pub(crate) fn value(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or_default()
    }
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
