//! Events have two forms, `v1` and `events.k8s.io/v1`. They are stored in the older one.

use serde_json::Value;

use super::{normal, path::text_at};

/// `(new, old)` names of the fields that differ.
const NAMES: &[(&str, &str)] = &[
    ("note", "message"),
    ("regarding", "involvedObject"),
    ("deprecatedSource", "source"),
    ("deprecatedFirstTimestamp", "firstTimestamp"),
    ("deprecatedLastTimestamp", "lastTimestamp"),
    ("deprecatedCount", "count"),
    ("reportingController", "reportingComponent"),
];

/// From `events.k8s.io/v1` to `v1`.
pub(crate) fn to_stored(object: &mut Value) {
    rename(object, NAMES.iter().copied());
    if text_at(object, &["apiVersion"]) == "v1" {
        normal::normalise("core.v1.Event", object);
    }
}

/// From `v1` to `events.k8s.io/v1`.
pub(crate) fn to_new(object: &mut Value) {
    rename(object, NAMES.iter().map(|(new, old)| (*old, *new)));
    normal::normalise("events.v1.Event", object);
}

fn rename<'a>(object: &mut Value, names: impl Iterator<Item = (&'a str, &'a str)>) {
    let Some(map) = object.as_object_mut() else { return };
    for (from, to) in names {
        if let Some(value) = map.remove(from) {
            map.insert(to.to_owned(), value);
        }
    }
}
