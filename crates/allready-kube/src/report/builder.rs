//! How a reporter is built and started.

use std::{
    sync::{Arc, Mutex, atomic::AtomicBool},
    time::Duration,
};

use kube::Client;
use tokio::sync::Notify;

use super::{
    Identity, Layout, ReportMetrics, Reporter, ReporterTask, Running,
    book::{Book, Pace, Shape},
    heartbeat::Heartbeat,
    reporter::Shared,
    wire::Wire,
};
use crate::{backoff::Backoff, clock::Clock};

/// How a reporter is built.
#[must_use = "nothing happens until it is built or spawned"]
pub struct Builder {
    client: Client,
    identity: Identity,
    layout: Layout,
    backoff: Backoff,
    refresh: Option<Duration>,
    timeout: Duration,
    flush: Duration,
    is_watching: bool,
    heartbeat: Option<Duration>,
    clock: Clock,
    metrics: ReportMetrics,
}

impl Reporter {
    /// A reporter for one component instance, into the object of a layout.
    pub fn builder(client: Client, identity: Identity, layout: Layout) -> Builder {
        Builder {
            client,
            identity,
            layout,
            backoff: Backoff::default(),
            refresh: Some(Duration::from_mins(10)),
            timeout: Duration::from_secs(30),
            flush: Duration::from_secs(5),
            is_watching: false,
            heartbeat: None,
            clock: Clock::system(),
            metrics: ReportMetrics::default(),
        }
    }
}

impl Builder {
    /// How long to wait after failures. Where only somebody else can help, because a definition or a permission is
    /// missing, the longest wait is four times as long.
    pub fn backoff(self, backoff: Backoff) -> Self {
        Self { backoff, ..self }
    }

    /// How often to write again what should be there already, and at least half of that; every ten minutes when nothing
    /// is said. The API server answers such a write without storing anything; it brings back what was deleted or
    /// overwritten, and needs no further permission. `None` for never.
    pub fn refresh(self, every: Option<Duration>) -> Self {
        Self { refresh: every, ..self }
    }

    /// Watches whether the object is deleted, to report again at once instead of with the next
    /// [refresh](Self::refresh). For an object of the reporter's own; one that many share would send every change to
    /// every one of them. Needs the verbs `list` and `watch`.
    pub fn watch(self) -> Self {
        Self { is_watching: true, ..self }
    }

    /// Renews a Lease that has the name of the report, about so often and once a second at most, so that it can be told
    /// how old the report is: see [`HeartbeatTimeout`](crate::kinds::HeartbeatTimeout),
    /// which should be some times as long. Off when nothing is said.
    ///
    /// For a report of the reporter's own; in an object that many share nothing comes of it. The report owns the Lease. It
    /// is not renewed before the report is there, nor while reports do not get through: what is stored then is not what was
    /// said last. That it cannot be renewed holds up no report, and is one line in the log. It says that the
    /// process is there and can write, not that its reconcilers get anything done. Needs the verbs `create` and `patch` on
    /// leases.
    pub fn heartbeat(self, every: Duration) -> Self {
        Self { heartbeat: Some(every), ..self }
    }

    /// How long a request may take; half a minute when nothing is said.
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// How long the task may take for what is left when it is to end; five seconds when nothing is said.
    pub fn flush(self, within: Duration) -> Self {
        Self { flush: within, ..self }
    }

    /// Where the time of transitions comes from; the clock of the machine when nothing is said.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// Where to count.
    pub fn metrics(self, metrics: ReportMetrics) -> Self {
        Self { metrics, ..self }
    }

    /// The handle, and the task that has to run for anything to be written.
    pub fn build(self) -> (Reporter, ReporterTask) {
        let shape = match &self.layout {
            Layout::Singleton { .. } => Shape::Shared,
            Layout::Sharded { owners, .. } => Shape::Own { renew: !owners.is_empty() },
        };
        let pace = Pace { backoff: self.backoff, refresh: self.refresh };
        let mut wire = Wire::new(self.client.clone(), &self.identity, &self.layout, self.timeout);
        let heartbeat = self.heartbeat.and_then(|every| {
            let pace = (every, self.backoff, self.timeout);
            Heartbeat::new(self.client, &self.identity, &self.layout, pace, wire.telling())
        });
        let presence =
            self.is_watching.then(|| (wire.metadata(&self.layout), self.layout.object_name(&self.identity)));
        let shared = Arc::new(Shared {
            book: Mutex::new(Book::new(self.identity.clone(), shape, pace)),
            clock: self.clock,
            metrics: self.metrics,
            refusal: Mutex::default(),
            wake: Notify::new(),
            settled: Notify::new(),
            closed: Notify::new(),
            has_ended: AtomicBool::new(false),
        });
        let beside = (presence, heartbeat.map(Box::new));
        let task = ReporterTask::new(Arc::clone(&shared), wire, beside, self.identity.clone(), self.flush);
        (Reporter::new(shared, self.identity), task)
    }

    /// The handle, with its task running in the background of this tokio runtime.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn(self) -> (Reporter, Running) {
        let (reporter, task) = self.build();
        (reporter, task.spawn())
    }
}
