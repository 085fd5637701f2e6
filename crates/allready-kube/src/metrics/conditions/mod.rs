//! The conditions of objects as metrics.

mod label;
mod store;
#[cfg(test)]
mod tests;

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use kube::{Resource, runtime::watcher};
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
    registry::Registry,
};
use serde::Serialize;

use crate::clock::Clock;
pub use label::MetricLabel;
use store::Store;

/// The conditions of objects: which status they have and since when, worked out when somebody looks, and how often they
/// changed. Clones are the same.
///
/// | metric | value |
/// |---|---|
/// | `condition_status` | how many conditions have this `type` and `status` and the [other labels](MetricLabel); 1 with the name among the labels |
/// | `condition_status_seconds` | how long the condition has had this status; of several, the longest |
/// | `condition_transitions_total` | how often conditions took this status |
/// | `condition_series_omitted` | series left out because there are more than [allowed](ConditionMetricsOptions::max_series) |
/// | `condition_transitions_uncounted_total` | transitions not counted for the same reason |
///
/// A status that nothing has any more has no series. When an object goes, its series go, and with the name among the labels
/// so do its counters.
///
/// # What is a transition
/// - On an object that is known: a condition that appears, or has another status than when it was last seen. A status that
///   changed twice between two looks is not seen.
/// - On one that is not: a condition whose `lastTransitionTime` is after the second in which this process started. Everything
///   older has been counted by whoever ran before; so a restart, and each new look at everything, counts nothing twice. A
///   condition without that time is not counted at the first look.
///
/// ```
/// use allready_kube::{clock::Clock, metrics::{ConditionMetrics, ConditionMetricsOptions, MetricLabel}};
/// use prometheus_client::{encoding::text::encode, registry::Registry};
/// use serde_json::json;
///
/// let metrics = ConditionMetrics::new(ConditionMetricsOptions {
///     labels: vec![MetricLabel::Namespace, MetricLabel::Name],
///     clock: Clock::new(|| "2026-03-01T10:01:00Z".parse().unwrap()),
///     ..ConditionMetricsOptions::default()
/// });
/// let mut registry = Registry::default();
/// metrics.register(registry.sub_registry_with_prefix("pools"));
///
/// let pools = metrics.feed();
/// pools.apply(&json!({ "metadata": { "namespace": "shop", "name": "a" }, "status": { "conditions": [
///     { "type": "Ready", "status": "True", "lastTransitionTime": "2026-03-01T10:00:00Z" },
/// ] } }));
///
/// let mut text = String::new();
/// encode(&mut text, &registry).unwrap();
/// let labels = r#"{namespace="shop",name="a",type="Ready",status="True"}"#;
/// assert!(text.contains(&format!("pools_condition_status{labels} 1\n")), "{text}");
/// assert!(text.contains(&format!("pools_condition_status_seconds{labels} 60\n")), "{text}");
/// ```
#[derive(Clone)]
pub struct ConditionMetrics(Arc<Inner>);

struct Inner {
    clock: Clock,
    store: Mutex<Store>,
    feeds: AtomicU64,
}

/// What to tell of conditions, and how much.
#[derive(Clone, Debug)]
pub struct ConditionMetricsOptions {
    /// What tells one series from another, beside type and status.
    pub labels: Vec<MetricLabel>,
    /// Only conditions of these types; all if it is empty.
    pub types: Vec<String>,
    /// How many series there may be of each metric. The first in order are told, so that the same ones are every time.
    pub max_series: usize,
    /// Where the time comes from.
    pub clock: Clock,
}

impl Default for ConditionMetricsOptions {
    /// Kind, namespace and name; all types; ten thousand series.
    fn default() -> Self {
        Self {
            labels: vec![MetricLabel::Kind, MetricLabel::Namespace, MetricLabel::Name],
            types: Vec::new(),
            max_series: 10_000,
            clock: Clock::system(),
        }
    }
}

impl ConditionMetrics {
    /// Metrics of no conditions yet. Make them when the process starts: transitions are counted from now on.
    pub fn new(options: ConditionMetricsOptions) -> Self {
        let clock = options.clock.clone();
        let store = Mutex::new(Store::new(options, clock.now()));
        Self(Arc::new(Inner { clock, store, feeds: AtomicU64::new(0) }))
    }

    /// Makes the metrics visible under the prefix of this registry.
    pub fn register(&self, registry: &mut Registry) {
        registry.register_collector(Box::new(self.clone()));
    }

    /// A way in for the objects of one watch. Objects of different feeds never stand for each other.
    pub fn feed(&self) -> ConditionFeed {
        let id = self.0.feeds.fetch_add(1, Ordering::Relaxed);
        ConditionFeed { metrics: self.clone(), id }
    }

    fn lock(&self) -> MutexGuard<'_, Store> {
        self.0.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for ConditionMetrics {
    fn default() -> Self {
        Self::new(ConditionMetricsOptions::default())
    }
}

impl fmt::Debug for ConditionMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ConditionMetrics")
    }
}

/// The objects of one watch, on their way into [`ConditionMetrics`].
///
/// ```no_run
/// use allready_kube::metrics::ConditionMetrics;
/// use futures::TryStreamExt;
/// use k8s_openapi::api::core::v1::Node;
/// use kube::{Api, runtime::watcher};
///
/// # fn start(client: kube::Client, metrics: &ConditionMetrics) {
/// let feed = metrics.feed();
/// let nodes = watcher(Api::<Node>::all(client), watcher::Config::default())
///     .inspect_ok(move |event| feed.observe(event));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct ConditionFeed {
    metrics: ConditionMetrics,
    id: u64,
}

impl ConditionFeed {
    /// An object as it is now. One that cannot be written as JSON is left as it was.
    pub fn apply<K: Serialize>(&self, object: &K) {
        if let Ok(value) = serde_json::to_value(object) {
            let now = self.metrics.0.clock.now();
            self.metrics.lock().apply(self.id, &value, now);
        }
    }

    /// An object that is gone; the namespace is empty for one without.
    pub fn delete(&self, namespace: &str, name: &str) {
        self.metrics.lock().delete(self.id, namespace, name);
    }

    /// Whatever a watch tells. Objects that went while the watch was interrupted go with the next list.
    pub fn observe<K: Resource + Serialize>(&self, event: &watcher::Event<K>) {
        match event {
            watcher::Event::Apply(object) | watcher::Event::InitApply(object) => self.apply(object),
            watcher::Event::Delete(object) => {
                let meta = object.meta();
                let namespace = meta.namespace.as_deref().unwrap_or_default();
                self.delete(namespace, meta.name.as_deref().unwrap_or_default());
            }
            watcher::Event::Init => self.metrics.lock().list_begins(self.id),
            watcher::Event::InitDone => self.metrics.lock().list_ends(self.id),
        }
    }
}

impl Collector for ConditionMetrics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let now = self.0.clock.now();
        let store = self.lock();
        let names = store.label_names();
        let labelled = |values: &[String]| -> Vec<(String, String)> {
            names.iter().cloned().zip(values.iter().cloned()).collect()
        };
        let (series, omitted) = store.series(now);
        let (transitions, uncounted) = store.transitions();

        let help = "How many conditions have this status";
        let mut family = encoder.encode_descriptor("condition_status", help, None, MetricType::Gauge)?;
        for (labels, series) in &series {
            family.encode_family(&labelled(labels))?.encode_gauge(&series.count)?;
        }
        let help = "Seconds that conditions have had this status, the longest of them";
        let mut family =
            encoder.encode_descriptor("condition_status_seconds", help, None, MetricType::Gauge)?;
        for (labels, series) in &series {
            family.encode_family(&labelled(labels))?.encode_gauge(&series.seconds)?;
        }
        let help = "How often conditions took this status";
        let mut family =
            encoder.encode_descriptor("condition_transitions", help, None, MetricType::Counter)?;
        for (labels, count) in transitions {
            let labels = labelled(labels);
            ConstCounter::new(*count).encode(family.encode_family(&labels)?)?;
        }
        let omitted = ConstGauge::new(i64::try_from(omitted).unwrap_or(i64::MAX));
        let help = "Series left out because there are too many";
        omitted.encode(encoder.encode_descriptor(
            "condition_series_omitted",
            help,
            None,
            omitted.metric_type(),
        )?)?;
        let uncounted = ConstCounter::new(uncounted);
        let (name, help) = ("condition_transitions_uncounted", "Transitions not counted, too many series");
        uncounted.encode(encoder.encode_descriptor(name, help, None, uncounted.metric_type())?)
    }
}
