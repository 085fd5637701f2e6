//! The writes: one at a time for each target, changes gathered, failures put off.

use std::{collections::BTreeMap, time::Duration};

use allready_core::Status;
use allready_kube::{backoff::Backoff, refusal::Refusal};
use serde_json::Value;

use super::{
    lanes::Lanes,
    pace::{Pace, Pacer},
};

/// A write that is wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct Write {
    /// The object to apply; none where it should be deleted.
    pub body: Option<Value>,
    /// True for bad news, which does not wait for others to join it.
    pub is_urgent: bool,
}

impl Write {
    /// A write that can wait a little for others.
    pub fn calm(body: Option<Value>) -> Self {
        Self { body, is_urgent: false }
    }

    /// A status: leaving True, and turning False, is what somebody must know at once.
    ///
    /// ```
    /// use allready_controller::engine::Write;
    /// use allready_core::Status::{False, True, Unknown};
    ///
    /// let is_urgent = |wanted, stands| Write::status(serde_json::json!({}), wanted, stands).is_urgent;
    /// assert!(is_urgent(Unknown, Some(True)) && is_urgent(False, None));
    /// assert!(!is_urgent(True, Some(False)) && !is_urgent(False, Some(False)));
    /// ```
    pub fn status(body: Value, wanted: Status, stands: Option<Status>) -> Self {
        let is_urgent = stands != Some(wanted) && (stands == Some(Status::True) || wanted == Status::False);
        Self { body: Some(body), is_urgent }
    }
}

/// The writes that wait or are in flight. Time is the duration since any fixed instant.
#[derive(Debug)]
pub struct Queue<T> {
    pace: Pace,
    backoff: Backoff,
    /// Targets of a lower rank go first when many are due.
    rank: fn(&T) -> u8,
    namespace: fn(&T) -> &str,
    entries: BTreeMap<T, Entry>,
    /// The targets to write, by rank.
    due: BTreeMap<u8, Lanes<T>>,
    in_flight: usize,
}

#[derive(Debug, Default)]
struct Entry {
    write: Option<Kept>,
    is_in_flight: bool,
    due: Option<Duration>,
    pacer: Pacer,
    failures: u32,
    /// The number of times in a row that somebody else was faster.
    conflicts: u32,
    not_before: Duration,
    /// Since when something waits to be written.
    waits: Option<Duration>,
}

/// A write while it waits: as text, since ten thousand may wait, and as values they take ten times the memory.
#[derive(Debug)]
struct Kept {
    body: Option<Box<str>>,
    is_urgent: bool,
}

/// The most writes that are in flight at a time.
const MOST_IN_FLIGHT: usize = 32;
/// The longest that somebody may ask to be left alone: a proxy may ask for an hour.
const LONGEST_ASKED: Duration = Duration::from_secs(30);

/// The number of conflicts in a row after which a write does not ask for a version of its object any more. Somebody who writes the object
/// more often than a request takes would keep it from being written for ever.
const MOST_CONFLICTS: u32 = 3;

impl<T: Ord + Clone> Queue<T> {
    /// An empty queue.
    pub fn new(pace: Pace, backoff: Backoff, rank: fn(&T) -> u8) -> Self {
        let (entries, due) = (BTreeMap::new(), BTreeMap::new());
        Self { pace, backoff, rank, namespace: |_| "", entries, due, in_flight: 0 }
    }

    /// Of one rank, writes a target of each namespace in turn when many are due.
    #[must_use]
    pub fn fair(mut self, namespace: fn(&T) -> &str) -> Self {
        self.namespace = namespace;
        self
    }

    /// Says what should be written; none where what stands is right. It takes the place of what waits there.
    pub fn want(&mut self, target: &T, write: Option<Write>, now: Duration) {
        if write.is_none() && !self.entries.contains_key(target) {
            return;
        }
        let entry = self.entries.entry(target.clone()).or_default();
        if write.is_some() {
            entry.pacer.changed(now);
            entry.waits.get_or_insert(now);
        } else {
            entry.pacer.settled();
            entry.waits = None;
        }
        entry.write = write.map(|write| Kept {
            body: write.body.map(|body| body.to_string().into()),
            is_urgent: write.is_urgent,
        });
        self.schedule(target);
        self.tidy(target, now);
    }

    /// Takes the writes that are due, those of the lowest rank first; each is in flight until [`wrote`](Self::wrote).
    pub fn take_due(&mut self, now: Duration) -> Vec<(T, Option<Value>)> {
        self.take_ready(now, |_| true)
    }

    /// The same of those targets alone that are ready: what is wanted for the others is about to be decided anew.
    pub(super) fn take_ready(
        &mut self,
        now: Duration,
        is_ready: impl Fn(&T) -> bool,
    ) -> Vec<(T, Option<Value>)> {
        let room = MOST_IN_FLIGHT.saturating_sub(self.in_flight);
        let mut targets = Vec::new();
        for lanes in self.due.values_mut() {
            let more = room - targets.len();
            targets.extend(lanes.in_turn(now, more, &is_ready).into_iter().map(|(_, target)| target));
        }
        let mut writes = Vec::with_capacity(targets.len());
        for target in targets {
            let Some(entry) = self.entries.get_mut(&target) else { continue };
            let Some(write) = entry.write.take() else { continue };
            entry.is_in_flight = true;
            let is_starving = entry.conflicts >= MOST_CONFLICTS;
            entry.pacer.wrote(&self.pace, now);
            self.in_flight += 1;
            self.schedule(&target);
            // It was made from a value.
            let mut body: Option<Value> =
                write.body.map(|text| serde_json::from_str(&text).unwrap_or_default());
            if is_starving {
                let metadata = body.as_mut().and_then(|body| body.get_mut("metadata")?.as_object_mut());
                metadata.map(|metadata| metadata.remove("resourceVersion"));
            }
            writes.push((target, body));
        }
        writes
    }

    /// Takes how a write went. After one that failed, the next has to wait, by its own backoff or as long as the server asks.
    pub fn wrote(&mut self, target: &T, result: Result<(), Refusal>, chance: f64, now: Duration) {
        let Some(entry) = self.entries.get_mut(target).filter(|entry| entry.is_in_flight) else { return };
        entry.is_in_flight = false;
        entry.waits = entry.write.as_ref().map(|_| now);
        self.in_flight -= 1;
        match result {
            Ok(()) => (entry.failures, entry.conflicts, entry.not_before) = (0, 0, Duration::ZERO),
            Err(refusal) => {
                let asked = match refusal {
                    Refusal::Busy { after } => after.unwrap_or_default(),
                    _ => Duration::ZERO,
                };
                // That somebody else was faster says nothing about the server: what is newer is decided on, and written soon.
                let is_conflict = refusal == Refusal::Conflict;
                let growth = if is_conflict && entry.conflicts < MOST_CONFLICTS { 0 } else { entry.failures };
                entry.conflicts = entry.conflicts.saturating_add(u32::from(is_conflict));
                let wait = self.backoff.delay(growth, chance).max(asked.min(LONGEST_ASKED));
                entry.failures = entry.failures.saturating_add(1);
                entry.not_before = now + wait;
            }
        }
        self.schedule(target);
        self.tidy(target, now);
    }

    /// Counts the writes there that have failed in a row.
    pub fn failures(&self, target: &T) -> u32 {
        self.entries.get(target).map_or(0, |entry| entry.failures)
    }

    /// Returns true while a write is in flight there.
    pub fn is_in_flight(&self, target: &T) -> bool {
        self.entries.get(target).is_some_and(|entry| entry.is_in_flight)
    }

    /// The time at which the next write is due; none while there is no room for one more in flight.
    pub fn next_due(&self) -> Option<Duration> {
        if self.in_flight >= MOST_IN_FLIGHT {
            return None;
        }
        self.due.values().filter_map(Lanes::first).min()
    }

    /// The number of writes that wait.
    pub fn waiting(&self) -> usize {
        self.due.values().map(Lanes::len).sum()
    }

    /// The number of writes in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Since when the write waits that waits longest. Looks at all of them.
    pub fn oldest(&self) -> Option<Duration> {
        self.entries.values().filter_map(|entry| entry.waits).min()
    }

    /// Forgets the pace of targets where nothing has been written for a while.
    pub fn forget_idle(&mut self, now: Duration) {
        let pace = self.pace;
        self.entries.retain(|_, entry| !entry.is_idle(&pace, now));
    }

    fn tidy(&mut self, target: &T, now: Duration) {
        if self.entries.get(target).is_some_and(|entry| entry.is_idle(&self.pace, now)) {
            self.entries.remove(target);
        }
    }

    fn schedule(&mut self, target: &T) {
        let Some(entry) = self.entries.get_mut(target) else { return };
        let waiting = self.due.entry((self.rank)(target)).or_default();
        let namespace = (self.namespace)(target);
        if let Some(due) = entry.due.take() {
            waiting.remove(namespace, due, target);
        }
        let Some(write) = entry.write.as_ref().filter(|_| !entry.is_in_flight) else { return };
        let due = entry.pacer.due(&self.pace, write.is_urgent).max(entry.not_before);
        entry.due = Some(due);
        waiting.insert(namespace, due, target.clone());
    }
}

impl Entry {
    fn is_idle(&self, pace: &Pace, now: Duration) -> bool {
        let is_empty = self.write.is_none() && !self.is_in_flight;
        is_empty && self.failures == 0 && self.not_before <= now && self.pacer.is_rested(pace, now)
    }
}
