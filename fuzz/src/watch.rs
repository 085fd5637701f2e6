//! The lines of a watch: every one is an event, a failure or not complete, and only a whole one is an event.

use allready_kube::list_watch::decode;
use kube::api::{DynamicObject, WatchEvent};
use serde_json::Value;

/// Decodes one body, and panics where a line is taken for what it is not.
pub fn run(bytes: &[u8]) {
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let json = serde_json::from_slice::<Value>(line);
        match decode::<DynamicObject>(line) {
            // Fields that nobody reads may hold anything.
            Some(Some(Ok(event))) => _ = json.map(|json| check(&event, &json)),
            Some(Some(Err(why))) => {
                // A refusal is told in its own words, which may be none.
                let has_words = json.is_err() || !why.to_string().is_empty();
                assert!(
                    has_words || json.is_ok_and(|json| json["code"].is_number()),
                    "a failure is told in words"
                );
            }
            Some(None) => assert!(line.trim_ascii().is_empty(), "nothing is left out"),
            None => assert!(json.is_err(), "a line that is complete is not taken for one that is cut off"),
        }
    }
}

fn check(event: &WatchEvent<DynamicObject>, json: &Value) {
    let (type_, version) = match event {
        WatchEvent::Added(object) => ("ADDED", object.metadata.resource_version.clone()),
        WatchEvent::Modified(object) => ("MODIFIED", object.metadata.resource_version.clone()),
        WatchEvent::Deleted(object) => ("DELETED", object.metadata.resource_version.clone()),
        WatchEvent::Bookmark(bookmark) => ("BOOKMARK", Some(bookmark.metadata.resource_version.clone())),
        WatchEvent::Error(status) => {
            assert_eq!(json["object"]["code"].as_u64().unwrap_or_default(), u64::from(status.code));
            return;
        }
    };
    assert_eq!(json["type"], type_);
    if let Some(version) = version {
        assert_eq!(
            json["object"]["metadata"]["resourceVersion"], version,
            "the version is the one that was sent"
        );
    }
}
