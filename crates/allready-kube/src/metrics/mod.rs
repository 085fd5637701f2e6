//! Metrics for Prometheus.
//!
//! | metrics | of what |
//! |---|---|
//! | [`ConditionMetrics`] | the conditions of objects: which status, for how long, how often it changed |
//! | [`WriteMetrics`] | what writing statuses costs |
//! | [`EventMetrics`](crate::events::EventMetrics) | what became of events |

mod conditions;
mod writes;

pub use conditions::{ConditionFeed, ConditionMetrics, ConditionMetricsOptions, MetricLabel};
pub use writes::WriteMetrics;
