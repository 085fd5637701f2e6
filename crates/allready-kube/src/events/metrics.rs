//! What became of events.

use prometheus_client::{metrics::counter::Counter, registry::Registry};

/// How many events were written, repeated, dropped and given up. Clones count into the same place.
///
/// ```
/// use allready_kube::events::EventMetrics;
/// use prometheus_client::{encoding::text::encode, registry::Registry};
///
/// let mut registry = Registry::default();
/// let events = EventMetrics::default();
/// events.register(registry.sub_registry_with_prefix("allready"));
/// events.overflowed.inc();
///
/// let mut text = String::new();
/// encode(&mut text, &registry).unwrap();
/// assert!(text.contains("allready_events_overflowed_total 1"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct EventMetrics {
    /// Events that the API server accepted.
    pub created: Counter,
    /// Series that the API server brought up to date.
    pub repeated: Counter,
    /// Requests that were sent again after a failure.
    pub retried: Counter,
    /// Events dropped because there were too many about one object.
    pub limited: Counter,
    /// Events, or news of repeats, dropped because too many were waiting.
    pub overflowed: Counter,
    /// Events given up: refused, or failed too often.
    pub failed: Counter,
}

impl EventMetrics {
    /// Makes the counters visible under the prefix of this registry.
    pub fn register(&self, registry: &mut Registry) {
        for (name, help, counter) in [
            ("events_created", "Events that the API server accepted", &self.created),
            ("events_repeated", "Series of events that the API server brought up to date", &self.repeated),
            ("events_retried", "Requests about events sent again after a failure", &self.retried),
            ("events_limited", "Events dropped, too many about one object", &self.limited),
            ("events_overflowed", "Events dropped, too many were waiting", &self.overflowed),
            ("events_failed", "Events given up", &self.failed),
        ] {
            registry.register(name, help, counter.clone());
        }
    }
}
