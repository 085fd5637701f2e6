//! The body of a watch, in pieces of any size: every line is an event, a failure or not complete, only a whole one is an event, and one
//! that is too long is a failure before it fills the memory.

use allready_kube::list_watch::{WatchError, events};
use futures::{
    StreamExt as _,
    executor::block_on,
    io::{BufReader, Cursor},
};
use kube::api::{DynamicObject, WatchEvent};
use serde_json::Value;

/// Few enough bytes of an event that inputs near the seeds have more, too.
const MOST: usize = 600;

/// Reads one body, and panics where a line is taken for what it is not.
pub fn run(bytes: &[u8]) {
    let mut events = read(bytes, 4096).into_iter();
    let told = |events: Vec<Result<_, _>>| format!("{events:?}");
    assert_eq!(told(read(bytes, 3)), told(read(bytes, 4096)), "how it comes in pieces changes nothing");
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let json = serde_json::from_slice::<Value>(line);
        if line.trim_ascii().is_empty() && line.len() <= MOST {
            continue;
        }
        match events.next() {
            Some(Ok(event)) => {
                assert!(line.len() <= MOST, "no event is too long");
                // Fields that nobody reads may hold anything.
                _ = json.map(|json| check(&event, &json));
            }
            Some(Err(why)) => {
                // A refusal is told in its own words, which may be none.
                let has_words = json.is_err() || !why.to_string().is_empty();
                assert!(
                    has_words || json.is_ok_and(|json| json["code"].is_number()),
                    "a failure is told in words"
                );
                break;
            }
            None => {
                assert!(line.len() <= MOST, "a line that is too long is told");
                assert!(json.is_err(), "a line that is complete is not taken for one that is cut off");
                break;
            }
        }
    }
    assert!(events.next().is_none(), "nothing follows the end, or a failure");
}

/// The events of a body that comes in pieces of so many bytes.
fn read(bytes: &[u8], piece: usize) -> Vec<Result<WatchEvent<DynamicObject>, WatchError>> {
    let body = BufReader::with_capacity(piece, Cursor::new(bytes.to_owned()));
    block_on(events(body, MOST).collect())
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
