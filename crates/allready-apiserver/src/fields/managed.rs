//! `metadata.managedFields`: who owns what, as it is written.

use std::{borrow::Cow, fmt::Write as _};

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::{codec::has_large_numbers, set::FieldSet};
use crate::status::json_text;

/// One manager, and what it owns.
#[derive(Debug, Clone)]
pub(crate) struct Entry<'a> {
    pub(crate) manager: Cow<'a, str>,
    /// Through apply rather than through the other writes.
    pub(crate) applied: bool,
    pub(crate) api_version: Cow<'a, str>,
    pub(crate) subresource: Cow<'a, str>,
    /// Seconds since 1970.
    pub(crate) time: Option<i64>,
    pub(crate) set: FieldSet<'a>,
    /// The entry as it was written, as long as it has not changed.
    pub(crate) written: Option<&'a Value>,
    /// The set as it was written, as long as it has not changed.
    pub(crate) fields: Option<&'a Value>,
}

impl<'a> Entry<'a> {
    /// Whether two entries are of one manager. An applier is one manager in all versions.
    pub(crate) fn is_same_manager(&self, other: &Entry<'_>) -> bool {
        self.applied == other.applied
            && self.manager == other.manager
            && self.subresource == other.subresource
            && (self.applied || self.api_version == other.api_version)
    }

    /// The text that the real server sorts managers by.
    pub(crate) fn identifier(&self) -> String {
        let mut out = String::from("{");
        let fields = [
            ("manager", self.manager.as_ref()),
            ("operation", self.operation()),
            ("apiVersion", if self.applied { "" } else { &self.api_version }),
            ("subresource", &self.subresource),
        ];
        for (name, text) in fields.into_iter().filter(|(_, text)| !text.is_empty()) {
            let comma = if out.len() > 1 { "," } else { "" };
            let _ = write!(out, "{comma}\"{name}\":{}", json_text(&text.into()));
        }
        out.push('}');
        out
    }

    /// Another set for the same manager.
    pub(crate) fn replace(&mut self, set: FieldSet<'a>) {
        self.set = set;
        self.set_changed();
    }

    /// What was written no longer says what the set is.
    pub(crate) fn set_changed(&mut self) {
        (self.written, self.fields) = (None, None);
    }

    fn operation(&self) -> &'static str {
        if self.applied { "Apply" } else { "Update" }
    }

    fn decode(index: usize, entry: &'a Value) -> Result<Self, String> {
        let text = |name| match entry.get(name) {
            None | Some(Value::Null) => Ok(""),
            Some(Value::String(text)) => Ok(text.as_str()),
            Some(_) => Err(format!("{name} must be a text in managed fields entry {index}")),
        };
        let applied = match text("operation")? {
            "Apply" => true,
            "Update" => false,
            _ => return Err("operation must be `Apply` or `Update`".into()),
        };
        let api_version = text("apiVersion")?;
        if api_version.is_empty() {
            return Err("apiVersion must not be empty".into());
        }
        match text("fieldsType")? {
            "FieldsV1" => {}
            "" => return Err(format!("missing fieldsType in managed fields entry {index}")),
            other => return Err(format!("invalid fieldsType {other:?} in managed fields entry {index}")),
        }
        let time = match text("time")? {
            "" => None,
            time => Some(time.parse::<Timestamp>().map_err(|error| error.to_string())?.as_second()),
        };
        let fields = entry.get("fieldsV1");
        let set = fields.map_or_else(|| Ok(FieldSet::default()), FieldSet::from_json)?;
        let (manager, subresource) = (Cow::Borrowed(text("manager")?), Cow::Borrowed(text("subresource")?));
        let api_version = Cow::Borrowed(api_version);
        let mut decoded =
            Self { manager, applied, api_version, subresource, time, set, written: Some(entry), fields };
        if fields.is_some_and(|fields| has_large_numbers(fields, 0)) {
            decoded.set_changed();
        }
        Ok(decoded)
    }

    fn encode(&self) -> Value {
        if let Some(written) = self.written {
            return written.clone();
        }
        let mut out = Map::new();
        out.insert("apiVersion".into(), self.api_version.as_ref().into());
        out.insert("fieldsType".into(), "FieldsV1".into());
        out.insert("fieldsV1".into(), self.fields.map_or_else(|| self.set.to_json(), Value::clone));
        if !self.manager.is_empty() {
            out.insert("manager".into(), self.manager.as_ref().into());
        }
        out.insert("operation".into(), self.operation().into());
        if !self.subresource.is_empty() {
            out.insert("subresource".into(), self.subresource.as_ref().into());
        }
        if let Some(time) = self.time.and_then(|seconds| Timestamp::from_second(seconds).ok()) {
            out.insert("time".into(), time.to_string().into());
        }
        Value::Object(out)
    }
}

/// The `metadata.managedFields` of an object, where it has some.
pub(crate) fn of(object: &Value) -> Option<&Value> {
    object.get("metadata")?.get("managedFields").filter(|managed| !managed.is_null())
}

/// Reads all entries; of two for one manager the later one holds.
pub(crate) fn decode(managed: Option<&Value>) -> Result<Vec<Entry<'_>>, String> {
    let Some(managed) = managed else { return Ok(Vec::new()) };
    let list = managed.as_array().ok_or("managedFields must be a list")?;
    let mut entries: Vec<Entry<'_>> = Vec::with_capacity(list.len() + 1);
    for (index, entry) in list.iter().enumerate() {
        let entry = Entry::decode(index, entry)?;
        match entries.iter_mut().find(|other| other.is_same_manager(&entry)) {
            Some(earlier) => *earlier = entry,
            None => entries.push(entry),
        }
    }
    Ok(entries)
}

/// Writes all entries in the order of the real server: appliers first, then by time and name.
pub(crate) fn encode(entries: &mut [Entry<'_>]) -> Vec<Value> {
    entries.sort_by(|left, right| {
        let time = |entry: &Entry<'_>| entry.time.unwrap_or(0);
        (right.applied.cmp(&left.applied))
            .then_with(|| time(left).cmp(&time(right)))
            .then_with(|| left.manager.cmp(&right.manager))
            .then_with(|| left.api_version.cmp(&right.api_version))
            .then_with(|| left.subresource.cmp(&right.subresource))
    });
    entries.iter().map(Entry::encode).collect()
}

/// Puts the entries into an object, or takes them out when there are none.
pub(crate) fn store(object: &mut Value, encoded: Vec<Value>) {
    let Some(object) = object.as_object_mut() else { return };
    if encoded.is_empty() {
        if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        return;
    }
    let metadata = object.entry("metadata").or_insert_with(|| Value::Object(Map::new()));
    if let Some(metadata) = metadata.as_object_mut() {
        metadata.insert("managedFields".into(), Value::Array(encoded));
    }
}

/// How many managers may write through updates before the oldest become one.
const MOST_UPDATERS: usize = 10;

/// Joins the oldest updaters into one, so that a name that changes with every process cannot fill an object.
pub(crate) fn cap(entries: &mut Vec<Entry<'_>>) {
    let mut updaters: Vec<(i64, String, usize)> = entries
        .iter()
        .enumerate()
        .filter(|(_, entry)| !entry.applied)
        .map(|(index, entry)| (entry.time.unwrap_or(0), entry.identifier(), index))
        .collect();
    let mut count = updaters.len();
    if count <= MOST_UPDATERS {
        return;
    }
    updaters.sort();
    // One bucket a version: where the first of its updaters stands.
    let mut firsts: Vec<(String, usize)> = Vec::new();
    let mut gone = vec![false; entries.len()];
    for (_, _, index) in updaters {
        if count <= MOST_UPDATERS {
            break;
        }
        let Some(entry) = entries.get(index).cloned() else { continue };
        let Some(first) =
            firsts.iter().find(|(version, _)| *version == entry.api_version).map(|(_, first)| *first)
        else {
            firsts.push((entry.api_version.into_owned(), index));
            continue;
        };
        let is_bucket = |other: &Entry<'_>| {
            !other.applied
                && other.manager == "ancient-changes"
                && other.subresource.is_empty()
                && other.api_version == entry.api_version
        };
        let place =
            entries.iter().zip(&gone).position(|(other, gone)| !gone && is_bucket(other)).unwrap_or(first);
        let Some(bucket) = entries.get_mut(place) else { continue };
        bucket.manager = Cow::Borrowed("ancient-changes");
        bucket.subresource = Cow::Borrowed("");
        bucket.replace(entry.set.union(&bucket.set));
        bucket.time = entry.time;
        if let Some(gone) = gone.get_mut(index) {
            *gone = true;
        }
        count -= 1;
    }
    let mut gone = gone.into_iter();
    entries.retain(|_| gone.next() != Some(true));
}
