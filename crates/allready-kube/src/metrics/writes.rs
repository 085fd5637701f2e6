//! What writing costs.

use prometheus_client::{metrics::counter::Counter, registry::Registry};

/// How many writes of one kind were sent, spared, tried again and given up. Clones count into the same place.
///
/// ```
/// use allready_kube::metrics::WriteMetrics;
/// use prometheus_client::{encoding::text::encode, registry::Registry};
///
/// let mut registry = Registry::default();
/// let writes = WriteMetrics::default();
/// writes.register(registry.sub_registry_with_prefix("allready_status"));
/// writes.sent.inc();
///
/// let mut text = String::new();
/// encode(&mut text, &registry).unwrap();
/// assert!(text.contains("allready_status_writes_total 1"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct WriteMetrics {
    /// Writes that the API server accepted.
    pub sent: Counter,
    /// Writes that were not sent, because nothing had changed.
    pub unchanged: Counter,
    /// Writes that were sent again after a failure.
    pub retried: Counter,
    /// Writes that were given up.
    pub failed: Counter,
}

impl WriteMetrics {
    /// Makes the counters visible under the prefix of this registry.
    pub fn register(&self, registry: &mut Registry) {
        registry.register("writes", "Writes that the API server accepted", self.sent.clone());
        registry.register(
            "writes_unchanged",
            "Writes spared because nothing had changed",
            self.unchanged.clone(),
        );
        registry.register("writes_retried", "Writes sent again after a failure", self.retried.clone());
        registry.register("writes_failed", "Writes given up", self.failed.clone());
    }
}
