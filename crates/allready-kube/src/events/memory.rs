//! Events that are kept, for tests.

use std::sync::{Arc, Mutex, PoisonError};

use allready_core::transition::EventNote;
use k8s_openapi::api::core::v1::ObjectReference;

use super::EventSink;

/// Keeps every event in memory. Clones keep into the same place.
///
/// ```
/// use allready_core::transition::{EventNote, EventSeverity};
/// use allready_kube::events::{EventSink, MemorySink};
///
/// let sink = MemorySink::default();
/// let (reason, action, note) = (EventNote::REASON.into(), EventNote::ACTION, "it is full".to_owned());
/// sink.clone().record(&Default::default(), EventNote { severity: EventSeverity::Warning, reason, action, note });
/// assert_eq!(sink.recorded().len(), 1, "clones keep into the same place");
/// ```
#[derive(Clone, Debug, Default)]
pub struct MemorySink(Arc<Mutex<Vec<Recorded>>>);

/// One event that was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// What it is about.
    pub regarding: ObjectReference,
    /// What it says.
    pub note: EventNote,
}

impl MemorySink {
    /// Everything recorded so far, oldest first.
    ///
    /// ```
    /// assert_eq!(allready_kube::events::MemorySink::default().recorded(), []);
    /// ```
    pub fn recorded(&self) -> Vec<Recorded> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl EventSink for MemorySink {
    fn record(&self, regarding: &ObjectReference, note: EventNote) {
        let recorded = Recorded { regarding: regarding.clone(), note };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(recorded);
    }
}
