//! The loop around an engine: watches in, writes out.

use std::{collections::BTreeMap, fmt, future::Future, panic::AssertUnwindSafe, time::Duration};

use allready_kube::{clock::Clock, list_watch::NO_ANSWER, metrics::WriteMetrics, refusal::Refusal};
use futures::FutureExt as _;
use serde_json::Value;
use tokio::{
    task::JoinSet,
    time::{Instant, sleep, timeout},
};

use super::{Engine, Leader, Now, Reconciler, Written};
use crate::{health::Health, metrics::ControllerMetrics};

/// The I/O of a controller.
pub trait Shell<R: Reconciler>: Send {
    /// Watches what the state needs, and no more. Called before each step, so it has to be cheap where nothing changed.
    fn follow(&mut self, reconciler: &mut R);

    /// The next events. Nothing is lost if the future is dropped before it is ready.
    fn events(&mut self) -> impl Future<Output = Vec<R::Event>> + Send;

    /// Writes to a target; without a body, the object goes. What it is called with does not change what it may take: the caller
    /// limits the time.
    fn write(&self, target: R::Target, body: Option<Value>)
    -> impl Future<Output = Written> + Send + 'static;
}

/// Everything besides decisions and I/O that the loop needs.
#[derive(Clone, Debug)]
pub struct Running {
    /// Leadership: the right to write.
    pub leader: Leader,
    /// The time of day.
    pub clock: Clock,
    /// Counts the writes.
    pub writes: WriteMetrics,
    /// Counts everything else.
    pub metrics: ControllerMetrics,
    /// Hears that the loop runs, and what it can see.
    pub health: Health,
}

impl Default for Running {
    /// The only replica, with the time of the machine.
    fn default() -> Self {
        Self {
            leader: Leader::always(),
            clock: Clock::system(),
            writes: WriteMetrics::default(),
            metrics: ControllerMetrics::default(),
            health: Health::default(),
        }
    }
}

/// The time in which a write has to be answered: less than a lease lasts. A write never takes longer than the term it was decided
/// under has left.
const WRITE_TIMEOUT: Duration = Duration::from_secs(4);
/// The longest time after which the loop looks whether it leads.
const TICK: Duration = Duration::from_secs(1);

/// Runs until the future is dropped; everything that it began ends with it.
pub async fn run<R: Reconciler>(mut engine: Engine<R>, mut shell: impl Shell<R>, running: Running) {
    let start = Instant::now();
    let mut in_flight: JoinSet<(R::Target, Written)> = JoinSet::new();
    let mut refusals = Refusals(BTreeMap::new());
    let mut watches = Watches { told: BTreeMap::new(), due: start };
    loop {
        watches.tell(&engine, &running, start);
        shell.follow(&mut engine.reconciler);
        let term = running.leader.term(Instant::now());
        let now = || Now {
            elapsed: start.elapsed(),
            time: running.clock.now(),
            term: term.and_then(|term| term.number),
        };
        for (target, body) in engine.step(term.is_some(), now()) {
            let remaining = term.map_or(Duration::ZERO, |term| term.remaining);
            let write = timeout(WRITE_TIMEOUT.min(remaining), shell.write(target.clone(), body));
            in_flight.spawn(async move {
                let written = match AssertUnwindSafe(write).catch_unwind().await {
                    Ok(Ok(written)) => written,
                    Ok(Err(_)) => Err((Refusal::Unanswered, NO_ANSWER.to_owned())),
                    // Whatever happens, it is told: nothing else is written there before.
                    Err(_) => Err((Refusal::Unanswered, "the controller failed on it".to_owned())),
                };
                (target, written)
            });
        }
        let due =
            engine.next_due(term.is_some()).map_or(TICK, |due| due.saturating_sub(start.elapsed()).min(TICK));
        tokio::select! {
            biased;
            Some(Ok((target, written))) = in_flight.join_next() => {
                refusals.note(&running.writes, &target, &written);
                if written.is_ok() {
                    running.metrics.wrote(Instant::now());
                }
                engine.written(&target, written, fastrand::f64(), now());
            }
            events = shell.events() => {
                running.metrics.received(events.len() as u64);
                for event in events {
                    engine.observe(event, now());
                }
            }
            () = sleep(due) => engine.forget_idle(start.elapsed()),
        }
    }
}

/// Tells once a second what can be seen and what waits, and logs when that changes.
struct Watches {
    told: BTreeMap<String, Result<(), String>>,
    due: Instant,
}

impl Watches {
    fn tell<R: Reconciler>(&mut self, engine: &Engine<R>, running: &Running, start: Instant) {
        running.health.beat();
        if Instant::now() < self.due {
            return;
        }
        self.due = Instant::now() + TICK;
        let queue = engine.queue();
        running.metrics.set_queue(queue.waiting(), queue.oldest().map(|since| start + since));
        running.metrics.set_in_flight(queue.in_flight());
        running.metrics.set_reconciles(engine.reconciles());
        let watches = engine.reconciler.watches();
        for name in self.told.keys().filter(|name| !watches.contains_key(*name)) {
            running.health.remove_watch(name);
        }
        for (name, seen) in &watches {
            if self.told.get(name) == Some(seen) {
                continue;
            }
            running.health.set_watch(name, seen.clone());
            match (seen, self.told.get(name)) {
                (Ok(()), Some(Err(_))) => tracing::info!("{name} can be seen"),
                (Err(why), Some(_)) => {
                    tracing::warn!(
                        why,
                        "{name} cannot be seen at present: is the CustomResourceDefinition installed, and may this controller look?"
                    );
                }
                _ => {}
            }
        }
        self.told = watches;
    }
}

/// Counts writes, and says once what keeps refusing them.
struct Refusals<T>(BTreeMap<T, (Refusal, u32)>);

/// The number of failures in a row after which one that may pass by itself is logged.
const LASTING: u32 = 5;

impl<T: Ord + Clone + fmt::Display> Refusals<T> {
    fn note(&mut self, metrics: &WriteMetrics, target: &T, written: &Written) {
        match written {
            Ok(_) => {
                metrics.sent.inc();
                if self.0.remove(target).is_some_and(|(refusal, _)| !refusal.may_pass()) {
                    tracing::info!(%target, "written again");
                }
            }
            Err((refusal, why)) => {
                metrics.retried.inc();
                let (last, times) = self.0.entry(target.clone()).or_insert((*refusal, 0));
                *times = if last == refusal { times.saturating_add(1) } else { 1 };
                *last = *refusal;
                if !refusal.may_pass() {
                    metrics.failed.inc();
                }
                if *times == if refusal.may_pass() { LASTING } else { 1 } {
                    tracing::warn!(%target, why, "cannot write, and will try again: may this controller do so?");
                }
            }
        }
    }
}
