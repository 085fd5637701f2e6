//! What reporting costs, and whether it works.

use prometheus_client::{metrics::gauge::Gauge, registry::Registry};

use crate::metrics::WriteMetrics;

/// The writes of reporters, and how many reporters cannot write at the moment. Clones count into the same place.
///
/// ```
/// use allready_kube::report::ReportMetrics;
/// use prometheus_client::{encoding::text::encode, registry::Registry};
///
/// let mut registry = Registry::default();
/// ReportMetrics::default().register(registry.sub_registry_with_prefix("allready_report"));
///
/// let mut text = String::new();
/// encode(&mut text, &registry).unwrap();
/// assert!(text.contains("allready_report_troubled 0"), "{text}");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ReportMetrics {
    /// Writes sent, spared, tried again and given up.
    pub writes: WriteMetrics,
    /// Reporters that cannot write: no definition, no permission, no answer.
    pub troubled: Gauge,
}

impl ReportMetrics {
    /// Makes the metrics visible under the prefix of this registry.
    pub fn register(&self, registry: &mut Registry) {
        self.writes.register(registry);
        registry.register("troubled", "Reporters that cannot write at the moment", self.troubled.clone());
    }
}
