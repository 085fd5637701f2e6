//! One event, from its first record to the end of its series.

use std::{sync::Arc, time::Duration};

use allready_core::transition::{EventNote, EventSeverity};
use jiff::Timestamp;
use k8s_openapi::{
    api::{
        core::v1::ObjectReference,
        events::v1::{Event, EventSeries},
    },
    apimachinery::pkg::apis::meta::v1::{MicroTime, ObjectMeta},
};
use serde_json::json;

use crate::events::{Origin, legal};

/// Which object an event is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subject([Option<String>; 6]);

impl Subject {
    pub(super) fn of(regarding: &ObjectReference) -> Self {
        let ObjectReference { api_version, kind, namespace, name, uid, field_path, .. } = regarding;
        Self([api_version, kind, namespace, name, uid, field_path].map(Clone::clone))
    }
}

/// What makes two records the same event: everything that people read. Another note is another event.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) subject: Subject,
    pub(super) severity: EventSeverity,
    pub(super) reason: String,
    pub(super) action: String,
    pub(super) note: String,
}

impl Key {
    pub(super) fn of(regarding: &ObjectReference, note: &EventNote) -> Self {
        Self {
            subject: Subject::of(regarding),
            severity: note.severity,
            reason: legal::word(&note.reason, "Unspecified"),
            action: legal::word(note.action, "Unspecified"),
            note: legal::note(&note.note),
        }
    }
}

/// One event and its repeats.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) key: Arc<Key>,
    pub(super) regarding: ObjectReference,
    pub(super) name: String,
    pub(super) first: Timestamp,
    pub(super) last: Timestamp,
    /// When it was last recorded, by the time since the start.
    pub(super) seen: Duration,
    /// How often it was recorded.
    pub(super) count: i32,
    /// Whether the API server has it, as far as is known.
    pub(super) exists: bool,
    /// When it was last written.
    pub(super) written: Option<Duration>,
    /// How often writing it has failed in a row.
    pub(super) failures: u32,
    /// When it is to be written, if it is waiting.
    pub(super) due: Option<Duration>,
}

impl Entry {
    pub(super) fn new(
        regarding: &ObjectReference,
        key: Arc<Key>,
        wall: Timestamp,
        now: Duration,
        unique: u64,
    ) -> Self {
        Self {
            key,
            regarding: ObjectReference { resource_version: None, ..regarding.clone() },
            name: legal::event_name(regarding.name.as_deref().unwrap_or_default(), unique),
            first: wall,
            last: wall,
            seen: now,
            count: 1,
            exists: false,
            written: None,
            failures: 0,
            due: None,
        }
    }

    /// The object's namespace, or `default` for an object without one.
    pub(super) fn namespace(&self) -> &str {
        self.regarding.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or("default")
    }

    /// The event as it is created. One that is created again, because it expired, takes its series along.
    pub(super) fn event(&self, origin: &Origin) -> Event {
        Event {
            metadata: ObjectMeta {
                namespace: Some(self.namespace().to_owned()),
                name: Some(self.name.clone()),
                ..ObjectMeta::default()
            },
            event_time: Some(MicroTime(self.first)),
            series: (self.count > 1)
                .then_some(EventSeries { count: self.count, last_observed_time: MicroTime(self.last) }),
            reporting_controller: Some(origin.controller().to_owned()),
            reporting_instance: Some(origin.instance().to_owned()),
            action: Some(self.key.action.clone()),
            reason: Some(self.key.reason.clone()),
            regarding: Some(self.regarding.clone()),
            note: Some(self.key.note.clone()),
            type_: Some(self.key.severity.as_str().to_owned()),
            ..Event::default()
        }
    }

    /// The patch that brings the series up to date. It is absolute: sent twice, it does the same.
    pub(super) fn patch(&self) -> serde_json::Value {
        json!({ "series": { "count": self.count, "lastObservedTime": MicroTime(self.last) } })
    }
}
