//! Metrics for Prometheus.

mod writes;

pub use writes::WriteMetrics;
