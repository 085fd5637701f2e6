//! The sink that writes to an API server.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use allready_core::transition::EventNote;
use k8s_openapi::api::core::v1::ObjectReference;
use kube::Client;
use tokio::{sync::Notify, time::Instant};

use super::{EventLimits, EventMetrics, EventSink, Origin, outbox::Outbox, writer};
use crate::{backoff::Backoff, clock::Clock};

/// How long the task goes on writing when nobody waits for it.
const GRACE: Duration = Duration::from_secs(10);

/// Writes events to `events.k8s.io/v1`, in the background. Clones write through the same queue.
///
/// - Recording takes a lock and returns. What waits is [bounded](EventLimits::waiting): `Normal`s are dropped before
///   `Warning`s, older ones before newer ones, and what is dropped is [counted](EventMetrics).
/// - The same event again is no new one: `series.count` and `series.lastObservedTime` of the first are brought up to date.
///   The same means the same text too. A condition that flips back and forth becomes two series, and no text is lost.
/// - A flood of different events about one object is [cut short](EventLimits::per_object), and all requests together are
///   [paced](EventLimits::overall).
/// - Requests are tried again when the server is busy, fails or cannot be reached. What it refuses is given up: one line in
///   the log until something succeeds again, and a count.
/// - Names, reasons, actions and notes are made to fit the limits of the API.
/// - Events about objects without a namespace are in `default`, where `kubectl describe` looks for them.
///
/// Let [`shutdown`](Self::shutdown) write what still waits before the process ends. When the last clone is dropped, the
/// task writes what it can within ten seconds, and ends.
///
/// # RBAC
/// ```yaml
/// - apiGroups: [events.k8s.io]
///   resources: [events]
///   verbs: [create, patch]
/// ```
/// In the namespaces of the objects, and in `default` for objects without one.
///
/// ```
/// use std::time::Duration;
/// use allready_core::transition::{EventNote, EventSeverity};
/// use allready_kube::events::{ApiSink, EventSink, Origin, regarding};
/// use k8s_openapi::api::{core::v1::Namespace, events::v1::Event};
/// use kube::Api;
///
/// # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
/// # let client = kube::Client::new(allready_apiserver::ApiServer::new().service(), "default");
/// let sink = ApiSink::start(client.clone(), Origin::new("example.dev/pool-controller", "pool-controller-x2k"));
///
/// let namespace = Api::<Namespace>::all(client.clone()).get("default").await.unwrap();
/// let note = "Condition 'Ready' changed from 'True' to 'False'".to_owned();
/// let (reason, action) = (EventNote::REASON.into(), EventNote::ACTION);
/// sink.record(&regarding(&namespace), EventNote { severity: EventSeverity::Warning, reason, action, note });
/// sink.shutdown(Duration::from_secs(5)).await.unwrap();
///
/// let events = Api::<Event>::namespaced(client, "default").list(&Default::default()).await.unwrap();
/// assert_eq!(events.items[0].note.as_deref(), Some("Condition 'Ready' changed from 'True' to 'False'"));
/// # });
/// ```
#[derive(Clone)]
pub struct ApiSink {
    shared: Arc<Shared>,
    // Gone with the last clone; the task does not hold one.
    _open: Arc<Open>,
}

/// How an [`ApiSink`] goes about it.
#[derive(Clone, Debug, Default)]
pub struct ApiSinkOptions {
    /// How much is too much.
    pub limits: EventLimits,
    /// How long to wait after failures.
    pub backoff: Backoff,
    /// Where the time in events comes from. It decides nothing about when they are written.
    pub clock: Clock,
    /// Where it is counted what became of events.
    pub metrics: EventMetrics,
}

/// Events that were not written in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{count} events were not written in time: look whether the API server can be reached, or wait longer"
)]
pub struct Unsent {
    /// How many.
    pub count: usize,
}

impl ApiSink {
    /// Starts a task that writes events with this client.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start(client: Client, origin: Origin) -> Self {
        Self::start_with(client, origin, ApiSinkOptions::default())
    }

    /// Starts a task that writes events as told.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn start_with(client: Client, origin: Origin, options: ApiSinkOptions) -> Self {
        let ApiSinkOptions { limits, backoff, clock, metrics } = options;
        let outbox = Outbox::new(limits, backoff, origin, metrics);
        let shared = Arc::new(Shared {
            state: Mutex::new(State { outbox, closed: None }),
            recorded: Notify::new(),
            closing: Notify::new(),
            done: Notify::new(),
            clock,
            start: Instant::now(),
        });
        tokio::spawn(writer::run(Arc::clone(&shared), client));
        Self { _open: Arc::new(Open(Arc::clone(&shared))), shared }
    }

    /// What became of the events so far.
    pub fn metrics(&self) -> EventMetrics {
        self.shared.lock().outbox.metrics().clone()
    }

    /// Waits until everything recorded so far has been written or given up, without keeping to the pace.
    pub async fn flush(&self, patience: Duration) -> Result<(), Unsent> {
        self.shared.lock().outbox.hurry(true);
        let flushed = self.drained(patience).await;
        self.shared.lock().outbox.hurry(false);
        flushed
    }

    /// Writes what waits, and stops. What is recorded after this is dropped, and counted as such.
    pub async fn shutdown(&self, patience: Duration) -> Result<(), Unsent> {
        self.shared.close(patience);
        self.drained(patience).await
    }

    async fn drained(&self, patience: Duration) -> Result<(), Unsent> {
        self.shared.recorded.notify_one();
        let drained = async {
            loop {
                let done = self.shared.done.notified();
                if self.shared.lock().outbox.is_done() {
                    return;
                }
                done.await;
            }
        };
        match tokio::time::timeout(patience, drained).await {
            Ok(()) => Ok(()),
            Err(_) => Err(Unsent { count: self.shared.lock().outbox.unsent() }),
        }
    }
}

impl EventSink for ApiSink {
    fn record(&self, regarding: &ObjectReference, note: EventNote) {
        let (wall, now) = (self.shared.clock.instant(), self.shared.start.elapsed());
        let unique = fastrand::u64(..);
        {
            let mut state = self.shared.lock();
            if state.closed.is_some() {
                state.outbox.metrics().overflowed.inc();
                return;
            }
            state.outbox.record(regarding, &note, wall, now, unique);
        }
        self.shared.recorded.notify_one();
    }
}

impl fmt::Debug for ApiSink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiSink").field("unsent", &self.shared.lock().outbox.unsent()).finish_non_exhaustive()
    }
}

/// What the sinks and the task share.
pub(super) struct Shared {
    state: Mutex<State>,
    /// Something was recorded, or is wanted sooner.
    pub(super) recorded: Notify,
    /// Nothing more is taken in.
    pub(super) closing: Notify,
    /// Everything was written.
    pub(super) done: Notify,
    pub(super) clock: Clock,
    /// What all waiting is measured from.
    pub(super) start: Instant,
}

pub(super) struct State {
    pub(super) outbox: Outbox,
    /// For how long to go on writing, once nothing more is taken in.
    pub(super) closed: Option<Duration>,
}

impl Shared {
    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self, grace: Duration) {
        let mut state = self.lock();
        if state.closed.is_some() {
            return;
        }
        state.closed = Some(grace);
        state.outbox.hurry(true);
        drop(state);
        self.closing.notify_one();
        self.recorded.notify_one();
    }
}

struct Open(Arc<Shared>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.close(GRACE);
    }
}
