//! Which event is to be written next, and what its answer means: everything about writing events but the writing.
//!
//! Records and answers come in with the time at which they came; requests go out one at a time. All waiting is measured in the
//! time since the start, which only moves forward; the time of the clock, which may be set back, is for people to read in events.

mod entry;
mod limits;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Duration,
};

use allready_core::transition::{EventNote, EventSeverity};
use jiff::Timestamp;
use k8s_openapi::api::{core::v1::ObjectReference, events::v1::Event};

use super::{
    EventMetrics, Origin,
    bucket::{Bucket, Buckets},
};
use crate::{backoff::Backoff, refusal::Refusal};
use entry::{Entry, Key, Subject};
pub use limits::EventLimits;

/// How many events that are not waiting are remembered beside those that are, and how many objects' rates.
const REMEMBERED: usize = 4096;

/// Events on their way.
pub(super) struct Outbox {
    limits: EventLimits,
    backoff: Backoff,
    origin: Origin,
    metrics: EventMetrics,
    entries: HashMap<u64, Entry>,
    ids: HashMap<Arc<Key>, u64>,
    due: BTreeSet<(Duration, u64)>,
    /// Those that wait, by severity; a smaller number is an older event.
    normals: BTreeSet<u64>,
    warnings: BTreeSet<u64>,
    objects: Buckets<Subject>,
    pace: Bucket,
    sent: Option<Sent>,
    failures: u32,
    not_before: Duration,
    hurry: bool,
    complained: bool,
    next_id: u64,
}

/// The request that waits for its answer.
#[derive(Clone, Copy)]
struct Sent {
    id: u64,
    count: i32,
    created: bool,
}

/// What to do now.
#[derive(Debug)]
pub(super) enum Next {
    /// Send this, and say what came of it.
    Send(Request),
    /// Ask again so long after the start, or when something was recorded.
    At(Duration),
    /// Ask again when something was recorded.
    Idle,
}

/// One request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) body: Body,
}

/// What is sent.
#[derive(Debug)]
pub(super) enum Body {
    Create(Box<Event>),
    /// A merge patch.
    Patch(serde_json::Value),
}

/// What an answer came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It is there.
    Written,
    /// It will be sent again.
    Again,
    /// It will not. `first` says that this has not been so since the last success: worth a line in the log.
    GivenUp { first: bool },
}

impl Outbox {
    pub(super) fn new(limits: EventLimits, backoff: Backoff, origin: Origin, metrics: EventMetrics) -> Self {
        Self {
            objects: Buckets::new(limits.per_object, REMEMBERED),
            limits,
            backoff,
            origin,
            metrics,
            entries: HashMap::new(),
            ids: HashMap::new(),
            due: BTreeSet::new(),
            normals: BTreeSet::new(),
            warnings: BTreeSet::new(),
            pace: Bucket::full(),
            sent: None,
            failures: 0,
            not_before: Duration::ZERO,
            hurry: false,
            complained: false,
            next_id: 0,
        }
    }

    /// Takes a note in. `wall` is the time that people read, and `unique` a number that nobody else draws.
    pub(super) fn record(
        &mut self,
        regarding: &ObjectReference,
        note: &EventNote,
        wall: Timestamp,
        now: Duration,
        unique: u64,
    ) {
        let key = Key::of(regarding, note);
        if let Some(&id) = self.ids.get(&key) {
            if self.repeat(id, wall, now) {
                return;
            }
            self.forget(id);
        }
        let kept = if note.severity == EventSeverity::Normal { self.limits.per_object.burst / 5 } else { 0 };
        if !self.objects.take(key.subject.clone(), kept, now) {
            self.metrics.limited.inc();
            return;
        }
        if self.entries.len() >= self.limits.waiting.saturating_add(REMEMBERED) {
            self.forget_old(now);
        }
        let (id, key) = (self.next_id, Arc::new(key));
        self.next_id += 1;
        self.ids.insert(Arc::clone(&key), id);
        self.entries.insert(id, Entry::new(regarding, key, wall, now, unique));
        self.wait(id, now);
    }

    /// Whether this is one more of a series that goes on.
    fn repeat(&mut self, id: u64, wall: Timestamp, now: Duration) -> bool {
        let underway = self.sent.is_some_and(|sent| sent.id == id);
        let Some(entry) = self.entries.get_mut(&id) else { return false };
        let over = entry.seen.saturating_add(self.limits.series) < now;
        if over && entry.due.is_none() && !underway {
            return false;
        }
        entry.count = entry.count.saturating_add(1);
        entry.last = entry.last.max(wall);
        entry.seen = now;
        if entry.due.is_none() && !underway {
            let due =
                entry.written.map_or(now, |written| written.saturating_add(self.limits.spacing).max(now));
            self.wait(id, due);
        }
        true
    }

    /// What to do now.
    pub(super) fn next(&mut self, now: Duration) -> Next {
        let Some(&(due, id)) = self.due.first() else { return Next::Idle };
        if self.sent.is_some() {
            return Next::Idle;
        }
        if now < self.not_before {
            return Next::At(self.not_before);
        }
        if !self.hurry {
            if now < due {
                return Next::At(due);
            }
            if let Err(ready) = self.pace.take(self.limits.overall, 0, now) {
                return Next::At(ready);
            }
        }
        self.stop_waiting(id);
        let Some(entry) = self.entries.get(&id) else { return Next::At(now) };
        self.sent = Some(Sent { id, count: entry.count, created: !entry.exists });
        let body = if entry.exists {
            Body::Patch(entry.patch())
        } else {
            Body::Create(Box::new(entry.event(&self.origin)))
        };
        Next::Send(Request { namespace: entry.namespace().to_owned(), name: entry.name.clone(), body })
    }

    /// What came of the request that was sent. `chance` spreads out the waits.
    pub(super) fn answered(&mut self, answer: Result<(), Refusal>, now: Duration, chance: f64) -> Outcome {
        let Some(sent) = self.sent.take() else { return Outcome::Written };
        match answer {
            Ok(()) => {
                let counter = if sent.created { &self.metrics.created } else { &self.metrics.repeated };
                counter.inc();
                self.written(sent, sent.count, now)
            }
            // Nobody else draws this name: an earlier try arrived, and its answer was lost. It may have told fewer repeats.
            Err(Refusal::AlreadyExists) if sent.created => {
                self.metrics.created.inc();
                self.written(sent, 1, now)
            }
            // Events expire.
            Err(Refusal::NotFound) if !sent.created => {
                if let Some(entry) = self.entries.get_mut(&sent.id) {
                    entry.exists = false;
                }
                self.again(sent, now)
            }
            Err(refusal) if refusal.may_pass() => {
                let asked = match refusal {
                    Refusal::Busy { after } => after,
                    _ => None,
                };
                let wait = self.backoff.delay(self.failures, chance);
                self.not_before = now.saturating_add(asked.map_or(wait, |asked| asked.max(wait)));
                self.failures = self.failures.saturating_add(1);
                self.again(sent, now)
            }
            Err(_) => self.give_up(sent),
        }
    }

    fn written(&mut self, sent: Sent, told: i32, now: Duration) -> Outcome {
        (self.failures, self.complained) = (0, false);
        if let Some(entry) = self.entries.get_mut(&sent.id) {
            (entry.exists, entry.written, entry.failures) = (true, Some(now), 0);
            if entry.count > told {
                self.wait(sent.id, now.saturating_add(self.limits.spacing));
            }
        }
        Outcome::Written
    }

    fn again(&mut self, sent: Sent, now: Duration) -> Outcome {
        let Some(entry) = self.entries.get_mut(&sent.id) else { return Outcome::Again };
        entry.failures += 1;
        if entry.failures >= self.limits.tries {
            return self.give_up(sent);
        }
        self.metrics.retried.inc();
        // Behind those that wait already: one that always fails does not hold up the others.
        self.wait(sent.id, now);
        Outcome::Again
    }

    fn give_up(&mut self, sent: Sent) -> Outcome {
        self.metrics.failed.inc();
        self.forget(sent.id);
        Outcome::GivenUp { first: !std::mem::replace(&mut self.complained, true) }
    }

    /// Whether everything has been written or given up.
    pub(super) fn is_done(&self) -> bool {
        self.due.is_empty() && self.sent.is_none()
    }

    /// How many events have not been written, or not with all their repeats.
    pub(super) fn unsent(&self) -> usize {
        self.due.len() + usize::from(self.sent.is_some())
    }

    /// Whether to write what waits without keeping to the pace. The server's own wishes are kept to.
    pub(super) fn hurry(&mut self, hurry: bool) {
        self.hurry = hurry;
    }

    pub(super) fn metrics(&self) -> &EventMetrics {
        &self.metrics
    }

    fn wait(&mut self, id: u64, due: Duration) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        entry.due = Some(due);
        self.due.insert((due, id));
        match entry.key.severity {
            EventSeverity::Normal => self.normals.insert(id),
            EventSeverity::Warning => self.warnings.insert(id),
        };
        self.shed();
    }

    fn stop_waiting(&mut self, id: u64) {
        self.normals.remove(&id);
        self.warnings.remove(&id);
        if let Some(due) = self.entries.get_mut(&id).and_then(|entry| entry.due.take()) {
            self.due.remove(&(due, id));
        }
    }

    /// Drops what is over the limit: the oldest `Normal`, else the oldest `Warning`.
    fn shed(&mut self) {
        while self.due.len() > self.limits.waiting.max(1) {
            let Some(&id) = self.normals.first().or_else(|| self.warnings.first()) else { return };
            self.metrics.overflowed.inc();
            self.stop_waiting(id);
            // Of an event that is there, only the news of its repeats is lost until the next one.
            if self.entries.get(&id).is_some_and(|entry| !entry.exists) {
                self.forget(id);
            }
        }
    }

    fn forget(&mut self, id: u64) {
        self.stop_waiting(id);
        if let Some(entry) = self.entries.remove(&id) {
            self.ids.remove(&entry.key);
        }
    }

    /// Forgets series that are over, and if that does not help the older half of those that go on.
    fn forget_old(&mut self, now: Duration) {
        let underway = self.sent.map(|sent| sent.id);
        let resting = |(id, entry): (&u64, &Entry)| {
            (entry.due.is_none() && Some(*id) != underway).then_some((entry.seen, *id))
        };
        let mut resting: Vec<_> = self.entries.iter().filter_map(resting).collect();
        resting.sort_unstable();
        let over = resting.partition_point(|(seen, _)| now.saturating_sub(*seen) > self.limits.series);
        let over = if over == 0 { resting.len().div_ceil(2) } else { over };
        for (_, id) in resting.into_iter().take(over) {
            self.forget(id);
        }
    }
}
