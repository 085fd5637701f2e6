//! Events: telling people what changed, once it has.
//!
//! | sink | for |
//! |---|---|
//! | [`ApiSink`] | writing them to the API server, in the background |
//! | [`MemorySink`] | tests |
//!
//! [`regarding`] makes the reference to the object that an event is about.

mod bucket;
mod legal;
mod memory;
mod metrics;
mod origin;
mod outbox;
mod recording;
mod reference;
mod sink;
#[cfg(test)]
mod tests;
mod writer;

pub use allready_core::transition::{EventNote, EventSeverity, Transition, Verbosity};
use k8s_openapi::api::core::v1::ObjectReference;

pub use bucket::Rate;
pub use memory::{MemorySink, Recorded};
pub use metrics::EventMetrics;
pub use origin::Origin;
pub use outbox::EventLimits;
pub use recording::Recording;
pub use reference::{regarding, regarding_with};
pub use sink::{ApiSink, ApiSinkOptions, Unsent};

/// Where events go.
///
/// Recording never waits and never fails: an event is worth less than the work that it is about. Record what the API
/// server has accepted, and nothing else.
///
/// ```
/// use allready_core::transition::{EventNote, EventSeverity};
/// use allready_kube::events::{EventSink, MemorySink};
///
/// let sink = MemorySink::default();
/// let pool = k8s_openapi::api::core::v1::ObjectReference { name: Some("pool-a".to_owned()), ..Default::default() };
/// let note = "The following conditions have changed: Ready".to_owned();
/// let (reason, action) = (EventNote::REASON.into(), EventNote::ACTION);
/// sink.record(&pool, EventNote { severity: EventSeverity::Normal, reason, action, note });
/// assert_eq!(sink.recorded()[0].note.note, "The following conditions have changed: Ready");
/// ```
pub trait EventSink: Send + Sync {
    /// Records a note about an object.
    ///
    /// ```
    /// use allready_core::transition::{EventNote, EventSeverity};
    /// use allready_kube::events::{EventSink, MemorySink};
    ///
    /// let sink = MemorySink::default();
    /// let (reason, action, note) = (EventNote::REASON.into(), EventNote::ACTION, "it is full".to_owned());
    /// sink.record(&Default::default(), EventNote { severity: EventSeverity::Warning, reason, action, note });
    /// assert_eq!(sink.recorded()[0].note.note, "it is full");
    /// ```
    fn record(&self, regarding: &ObjectReference, note: EventNote);
}

impl<S: EventSink + ?Sized> EventSink for std::sync::Arc<S> {
    fn record(&self, regarding: &ObjectReference, note: EventNote) {
        (**self).record(regarding, note);
    }
}
