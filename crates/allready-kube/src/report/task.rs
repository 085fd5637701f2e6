//! The task that writes.

use std::{
    convert::Infallible,
    pin::pin,
    sync::{Arc, PoisonError, atomic::Ordering},
    time::Duration,
};

use futures::{
    StreamExt,
    future::{BoxFuture, Either, select},
    stream::{self, BoxStream},
};
use kube::{
    Api, ResourceExt,
    core::{DynamicObject, metadata::PartialObjectMeta},
    runtime::{WatchStreamExt, watcher},
};
use tokio::{sync::oneshot, task::JoinHandle, time::Instant};

use super::{
    Identity, Trouble,
    book::{Answer, Ask, Step},
    heartbeat::Heartbeat,
    reporter::Shared,
    wire::Wire,
};

/// The object to watch, and its name.
type Presence = (Api<PartialObjectMeta<DynamicObject>>, String);

/// Writes what is reported, for as long as it runs.
#[must_use = "nothing is written unless it runs"]
pub struct ReporterTask {
    shared: Arc<Shared>,
    wire: Wire,
    presence: Option<Presence>,
    /// Boxed, because most reporters give no sign of life.
    heartbeat: Option<Box<Heartbeat>>,
    identity: Identity,
    flush: Duration,
    start: Instant,
}

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// How many reported conditions are not known to be stored.
    pub unwritten: usize,
}

impl ReporterTask {
    pub(super) fn new(
        shared: Arc<Shared>,
        wire: Wire,
        (presence, heartbeat): (Option<Presence>, Option<Box<Heartbeat>>),
        identity: Identity,
        flush: Duration,
    ) -> Self {
        Self { shared, wire, presence, heartbeat, identity, flush, start: Instant::now() }
    }

    /// Runs until the last handle is dropped, and then writes what is left.
    pub async fn run(self) -> Ended {
        self.run_until(std::future::pending()).await
    }

    /// Runs until told to stop or until the last handle is dropped, and then writes what is left.
    pub async fn run_until(self, stop: impl Future<Output = ()>) -> Ended {
        let flush = self.flush;
        self.work_until(async {
            stop.await;
            flush
        })
        .await
    }

    /// Runs in the background of this tokio runtime.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn spawn(self) -> Running {
        let (stop, stopped) = oneshot::channel();
        let shared = Arc::clone(&self.shared);
        let task = tokio::spawn(self.work_until(async {
            match stopped.await {
                Ok(within) => within,
                // Nobody can stop it any more, but it can still be reported to.
                Err(_) => std::future::pending().await,
            }
        }));
        Running { shared, stop, task }
    }

    async fn work_until(mut self, stop: impl Future<Output = Duration>) -> Ended {
        self.start = Instant::now();
        let shared = Arc::clone(&self.shared);
        let flush = self.flush;
        // Boxed, because a task that mostly waits should be small.
        let mut work = Box::pin(async {
            match select(pin!(self.work()), self.beats()).await {
                Either::Left(((), _)) => {}
                Either::Right((never, _)) => match never {},
            }
        });
        let mut end = pin!(async {
            tokio::select! {
                within = stop => within,
                () = shared.closed.notified() => flush,
            }
        });
        if let Either::Right((within, work)) = select(&mut work, &mut end).await {
            shared.book().close();
            shared.wake.notify_one();
            // What is not written by then is counted below.
            let _ = tokio::time::timeout(within, work).await;
        }
        let unwritten = shared.book().unwritten();
        shared.metrics.writes.failed.inc_by(unwritten as u64);
        if shared.book().trouble().is_some() {
            shared.metrics.troubled.dec();
        }
        shared.has_ended.store(true, Ordering::Release);
        shared.settled.notify_waiters();
        Ended { unwritten }
    }

    /// Does what the book says, until it is closed and everything is written.
    async fn work(&self) {
        let mut losses = self.losses();
        loop {
            let step = self.shared.book().next(self.start.elapsed(), fastrand::f64());
            match step {
                Step::Send(ask) => self.send(&ask).await,
                Step::End => return,
                Step::Wait(until) => {
                    if self.shared.book().unwritten() == 0 {
                        self.shared.settled.notify_waiters();
                    }
                    let sleep = async {
                        match until {
                            Some(until) => tokio::time::sleep_until(self.start + until).await,
                            None => std::future::pending().await,
                        }
                    };
                    tokio::select! {
                        () = self.shared.wake.notified() => {}
                        () = sleep => {}
                        Some(()) = losses.next() => self.shared.book().lost(),
                    }
                }
            }
        }
    }

    async fn send(&self, ask: &Ask) {
        let (before, is_retry) = {
            let book = self.shared.book();
            (book.trouble(), book.is_retrying())
        };
        let writes = &self.shared.metrics.writes;
        if is_retry && *ask != Ask::Read {
            writes.retried.inc();
        }
        let (answer, error) = self.wire.ask(ask, self.shared.clock.now()).await;
        if matches!((ask, &answer), (Ask::Write(_), Answer::Done)) {
            writes.sent.inc();
        }
        let after = {
            let mut book = self.shared.book();
            book.answered(answer, self.start.elapsed(), fastrand::f64());
            book.trouble()
        };
        if before != after {
            self.say(before, after, error);
        }
    }

    /// One line for each change between working and not, and between one trouble and another.
    fn say(&self, before: Option<Trouble>, after: Option<Trouble>, cause: Option<String>) {
        let (reporter, object) = (&self.identity, self.wire.object());
        let troubled = &self.shared.metrics.troubled;
        let Some(trouble) = after else {
            troubled.dec();
            tracing::info!(%reporter, object, "reporting works again");
            return;
        };
        if before.is_none() {
            troubled.inc();
        }
        let cause = cause.unwrap_or_default();
        *self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(cause.clone());
        tracing::warn!(%reporter, object, cause, "cannot report, and will go on trying: {trouble}");
    }

    /// Gives signs of life beside the work.
    fn beats(&self) -> BoxFuture<'_, Infallible> {
        match &self.heartbeat {
            Some(heartbeat) => Box::pin(heartbeat.run(&self.shared)),
            None => Box::pin(std::future::pending()),
        }
    }

    /// Says when the object is not the one any more that was there.
    fn losses(&self) -> BoxStream<'static, ()> {
        let Some((api, name)) = self.presence.clone() else { return stream::pending().boxed() };
        let mut last: Option<Option<String>> = None;
        watcher::watch_object(api, &name)
            .default_backoff()
            .filter_map(move |seen| {
                let uid = seen.ok().map(|object| object.and_then(|object| object.uid()));
                let is_lost = uid.is_some_and(|uid| {
                    let before = last.replace(uid.clone());
                    // Of the first look, only that it is not there is news.
                    before.map_or(uid.is_none(), |before| before != uid)
                });
                std::future::ready(is_lost.then_some(()))
            })
            .boxed()
    }
}

/// A reporter's task that runs in the background. Dropping this lets it run on.
#[must_use = "stop it before the process ends, or the last reports may be lost"]
pub struct Running {
    shared: Arc<Shared>,
    stop: oneshot::Sender<Duration>,
    task: JoinHandle<Ended>,
}

impl Running {
    /// Writes what is left, within this time, and ends the task.
    pub async fn stop(self, within: Duration) -> Ended {
        // It has ended already if nobody receives this.
        let _ = self.stop.send(within);
        match self.task.await {
            Ok(ended) => ended,
            // The runtime is shutting down.
            Err(_) => Ended { unwritten: self.shared.book().unwritten() },
        }
    }
}
