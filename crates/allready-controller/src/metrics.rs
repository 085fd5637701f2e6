//! Metrics of a controller, for Prometheus.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready_core::Status;
use prometheus_client::{
    metrics::{
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
    },
    registry::Registry,
};
use tokio::time::Instant;

/// The work of one controller: what waits, what is written, what is seen. Clones count into the same place.
///
/// What nobody has set is not shown: a controller without clusters has no cluster metrics. What each metric means is in
/// [docs/metrics.md](https://github.com/allready-dev/allready/blob/main/docs/metrics.md).
///
/// ```
/// use allready_controller::metrics::ControllerMetrics;
/// use prometheus_client::{encoding::text::encode, registry::Registry};
///
/// let (metrics, now) = (ControllerMetrics::default(), tokio::time::Instant::now());
/// metrics.set_queue(3, Some(now));
/// let mut registry = Registry::default();
/// metrics.register(registry.sub_registry_with_prefix("allready_hub"), now + std::time::Duration::from_secs(2));
///
/// let mut text = String::new();
/// encode(&mut text, &registry).unwrap();
/// assert!(text.contains("allready_hub_queue_depth 3.0\n") && text.contains("allready_hub_queue_oldest_seconds 2.0\n"));
/// assert!(!text.contains("events"), "nobody has counted any");
/// ```
#[derive(Clone, Debug, Default)]
pub struct ControllerMetrics(Arc<Mutex<Values>>);

#[derive(Debug, Default)]
struct Values {
    queue: Option<(usize, Option<Instant>)>,
    in_flight: Option<usize>,
    written: Option<Instant>,
    events: Option<u64>,
    reconciles: Option<u64>,
    clusters: Option<(usize, usize)>,
    dangling: Option<usize>,
    lag: BTreeMap<String, Duration>,
    transitions: BTreeMap<String, u64>,
}

type Labels = Vec<(&'static str, String)>;

impl ControllerMetrics {
    /// Sets the number of writes that wait, and since when the one waits that has waited longest.
    pub fn set_queue(&self, depth: usize, oldest: Option<Instant>) {
        self.values().queue = Some((depth, oldest));
    }

    /// Sets the number of writes that are sent and not answered.
    pub fn set_in_flight(&self, writes: usize) {
        self.values().in_flight = Some(writes);
    }

    /// Notes a write that the API server accepted.
    pub fn wrote(&self, now: Instant) {
        self.values().written = Some(now);
    }

    /// Counts events of watches.
    pub fn received(&self, events: u64) {
        *self.values().events.get_or_insert(0) += events;
    }

    /// Sets the number of decisions that were made so far.
    pub fn set_reconciles(&self, reconciles: u64) {
        self.values().reconciles = Some(reconciles);
    }

    /// Sets the number of clusters that are reachable, and of those that are not.
    pub fn set_clusters(&self, reachable: usize, unreachable: usize) {
        self.values().clusters = Some((reachable, unreachable));
    }

    /// Sets the number of references to classes and parents that do not exist.
    pub fn set_dangling(&self, references: usize) {
        self.values().dangling = Some(references);
    }

    /// Sets how long a cluster last took to answer.
    pub fn set_lag(&self, cluster: &str, lag: Duration) {
        self.values().lag.insert(cluster.to_owned(), lag);
    }

    /// Forgets a cluster that is no longer one.
    pub fn remove_cluster(&self, cluster: &str) {
        self.values().lag.remove(cluster);
    }

    /// Counts a `Ready` that was written with another status than before.
    pub fn ready_became(&self, status: Status) {
        *self.values().transitions.entry(status.to_string()).or_insert(0) += 1;
    }

    /// Makes what is set visible under the prefix of this registry, as it is at this instant.
    pub fn register(&self, registry: &mut Registry, now: Instant) {
        let values = self.values();
        let since = |then: Instant| now.saturating_duration_since(then).as_secs_f64();
        let mut gauge = |name: &str, help: &str, value: Option<f64>| {
            if let Some(value) = value {
                registry.register(name, help, ConstGauge::new(value));
            }
        };
        let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
        let oldest = values.queue.map(|(_, oldest)| oldest.map_or(0.0, since));
        gauge("queue_depth", "Writes that wait", values.queue.map(|(depth, _)| number(depth)));
        gauge("queue_oldest_seconds", "Age of the write that has waited longest", oldest);
        gauge("writes_in_flight", "Writes that were sent and not answered", values.in_flight.map(number));
        gauge(
            "last_write_age_seconds",
            "Seconds since the API server last accepted a write",
            values.written.map(since),
        );
        let clusters = values.clusters;
        gauge("clusters_reachable", "Clusters that answer", clusters.map(|it| number(it.0)));
        gauge("clusters_unreachable", "Clusters that do not answer", clusters.map(|it| number(it.1)));
        let help = "References to Gateway API classes and parents that do not exist";
        gauge("dangling_references", help, values.dangling.map(number));
        for (name, help, count) in [
            ("events_received", "Events of watches", values.events),
            ("reconciles", "Objects for which the desired status was computed", values.reconciles),
        ] {
            if let Some(count) = count {
                registry.register(name, help, ConstCounter::new(count));
            }
        }
        if !values.lag.is_empty() {
            let family = Family::<Labels, Gauge<f64, std::sync::atomic::AtomicU64>>::default();
            for (cluster, lag) in &values.lag {
                family.get_or_create(&vec![("cluster", cluster.clone())]).set(lag.as_secs_f64());
            }
            registry.register(
                "cluster_lag_seconds",
                "How far behind a cluster what is known of it is",
                family,
            );
        }
        if !values.transitions.is_empty() {
            let family = Family::<Labels, Counter>::default();
            for (status, count) in &values.transitions {
                family.get_or_create(&vec![("to", status.clone())]).inc_by(*count);
            }
            registry.register("ready_transitions", "Changes of the status of Ready", family);
        }
    }

    fn values(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
