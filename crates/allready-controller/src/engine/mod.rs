//! The engine under the controllers: events in, state, decisions, writes out.
//!
//! It is level-triggered. A [`Reconciler`] keeps the state of a controller. An event changes the state and names the keys it relates
//! to; [`Reconciler::reconcile`] says for one key what should be written, and when to look at it again. Nothing else remembers that
//! work is due, so that a hold, a grace period or a timeout cannot be forgotten: it is a time that was returned.
//!
//! ```text
//! watches ──event──► Reconciler::observe ──keys──► Schedule ──due──► Reconciler::reconcile ──writes──► Queue ──due──► Shell::write
//!                            ▲                        ▲                        │ next time                                │
//!                            │                        └────────────────────────┘                                          │
//!                            └───────────────────────────────── Reconciler::written ◄─────────────────────────────────────┘
//! ```
//!
//! [`Engine`] is all of it without I/O and with time passed in, as tests drive it. [`run`] is the loop around it: a [`Shell`] watches and
//! writes, [`Leader`] says whether this replica may write.

mod inbox;
mod lanes;
mod leader;
mod pace;
mod queue;
mod run;
mod schedule;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    time::Duration,
};

use allready_core::Time;
use allready_kube::refusal::Refusal;
use serde_json::Value;

pub(crate) use self::inbox::{Inbox, Sender, inbox};
pub use self::{
    leader::{Leader, Term},
    pace::{Pace, Pacer},
    queue::{Queue, Write},
    run::{Running, Shell, run},
    schedule::Schedule,
};

/// The present: as a duration since the engine began, by which is decided, and as the time of day, which is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The duration since any fixed instant.
    pub elapsed: Duration,
    /// The time of day.
    pub time: Time,
    /// The fencing number of the lease under which this replica leads; none while it does not, or where nobody is elected.
    pub term: Option<u64>,
}

/// The answer to a write: the object as it is now, none where it is gone; or why it was refused.
pub type Written = Result<Option<Value>, (Refusal, String)>;

/// The writes that are wanted for a key.
#[derive(Debug)]
pub struct Desired<T> {
    /// The writes, each with its target: all of them. A write that was wanted before and is not any more is dropped.
    pub writes: Vec<(T, Write)>,
    /// When to look at the key again if nothing happens.
    pub look_again: Option<Duration>,
}

impl<T> Default for Desired<T> {
    fn default() -> Self {
        Self { writes: Vec::new(), look_again: None }
    }
}

impl<T> Desired<T> {
    /// Adds what should be written somewhere.
    pub fn write(&mut self, target: T, write: Write) {
        self.writes.push((target, write));
    }

    /// Looks again at this time at the latest.
    pub fn look_at(&mut self, when: impl Into<Option<Duration>>) {
        self.look_again = self.look_again.into_iter().chain(when.into()).min();
    }
}

/// The decisions of a controller, without any I/O.
pub trait Reconciler: Send {
    /// Something to decide about.
    type Key: Clone + Ord + fmt::Debug + Send;
    /// An object that is written, or a part of it. A target belongs to one key.
    type Target: Clone + Ord + fmt::Debug + fmt::Display + Send + 'static;
    /// Something that happened.
    type Event: Send + 'static;

    /// Takes what happened, and adds the keys that it relates to.
    fn observe(&mut self, event: Self::Event, now: Now, due: &mut BTreeSet<Self::Key>);

    /// Decides about a key. Deciding twice without an event in between gives the same.
    fn reconcile(&mut self, key: &Self::Key, now: Now) -> Desired<Self::Target>;

    /// Takes how a write went, and adds the keys that it relates to. `failures` counts those in a row at this target.
    fn written(
        &mut self,
        target: &Self::Target,
        written: Written,
        failures: u32,
        now: Now,
        due: &mut BTreeSet<Self::Key>,
    );

    /// Takes the keys that decisions since the last call have made due: a decision may find out what another one depends on.
    fn take_due(&mut self) -> BTreeSet<Self::Key> {
        BTreeSet::new()
    }

    /// The namespace of a key: whoever has many keys in one delays no other. Empty for what is in none.
    fn namespace(key: &Self::Key) -> &str;

    /// All keys: looked at when this replica begins to lead.
    fn keys(&self) -> Vec<Self::Key>;

    /// The watches by name, each with the reason why it cannot be seen, if it cannot.
    fn watches(&self) -> BTreeMap<String, Result<(), String>>;
}

/// The shortest time after which a key is looked at again by itself.
const SOON: Duration = Duration::from_millis(10);

/// The number of times that keys which others have made due are decided before anything is written.
const ROUNDS: usize = 4;

/// The most keys of namespaces that are decided in one step: what else happens is heard in between.
const MOST_DECIDED: usize = 256;

/// A reconciler with its schedule and its queue of writes.
#[derive(Debug)]
pub struct Engine<R: Reconciler> {
    /// The state, and the decisions over it.
    pub reconciler: R,
    schedule: Schedule<R::Key>,
    queue: Queue<R::Target>,
    /// The targets for which a key wanted writes when it was last decided, and the other way round.
    wanted: BTreeMap<R::Key, BTreeSet<R::Target>>,
    owners: BTreeMap<R::Target, R::Key>,
    term: Option<u64>,
    reconciles: u64,
}

impl<R: Reconciler> Engine<R> {
    /// Nothing has happened yet.
    pub fn new(reconciler: R, queue: Queue<R::Target>) -> Self {
        Self {
            reconciler,
            schedule: Schedule::new(R::namespace),
            queue,
            wanted: BTreeMap::new(),
            owners: BTreeMap::new(),
            term: None,
            reconciles: 0,
        }
    }

    /// Takes what happened.
    pub fn observe(&mut self, event: R::Event, now: Now) {
        let mut due = BTreeSet::new();
        self.reconciler.observe(event, now, &mut due);
        self.schedule.all(due, now.elapsed);
    }

    /// Takes how a write went. The key that wanted it is decided again, whatever came of it.
    pub fn written(&mut self, target: &R::Target, written: Written, chance: f64, now: Now) {
        let result = written.as_ref().map(drop).map_err(|(refusal, _)| *refusal);
        self.queue.wrote(target, result, chance, now.elapsed);
        let mut due: BTreeSet<R::Key> = self.owners.get(target).cloned().into_iter().collect();
        self.reconciler.written(target, written, self.queue.failures(target), now, &mut due);
        self.schedule.all(due, now.elapsed);
    }

    /// Decides about keys that are due: about all in a new term, and otherwise so many at a time, in turn of their namespaces. Returns the writes
    /// that are due, if this replica leads, and that no key is about to decide anew: each is in flight until [`written`](Self::written) says how it went.
    pub fn step(&mut self, is_leading: bool, now: Now) -> Vec<(R::Target, Option<Value>)> {
        let mut most = MOST_DECIDED;
        if now.term != self.term {
            self.term = now.term;
            most = usize::MAX;
            // Its predecessor may have decided otherwise.
            self.schedule.all(self.reconciler.keys(), now.elapsed);
        }
        for _ in 0..ROUNDS {
            let keys = self.schedule.take_due(now.elapsed, most);
            most = most.saturating_sub(keys.len());
            for key in keys {
                let Desired { writes, look_again } = self.reconciler.reconcile(&key, now);
                self.reconciles += 1;
                self.want(&key, writes, now.elapsed);
                if let Some(when) = look_again {
                    // A time that has passed is no reason to do nothing else.
                    self.schedule.at(key, when.max(now.elapsed + SOON));
                }
            }
            let due = self.reconciler.take_due();
            if due.is_empty() {
                break;
            }
            self.schedule.all(due, now.elapsed);
        }
        if !is_leading {
            return Vec::new();
        }
        let Self { owners, schedule, queue, .. } = self;
        let is_decided =
            |target: &R::Target| owners.get(target).is_none_or(|key| !schedule.is_due(key, now.elapsed));
        queue.take_ready(now.elapsed, is_decided)
    }

    fn want(&mut self, key: &R::Key, writes: Vec<(R::Target, Write)>, now: Duration) {
        let wanted: BTreeSet<R::Target> = writes.iter().map(|(target, _)| target.clone()).collect();
        for dropped in self.wanted.remove(key).unwrap_or_default().difference(&wanted) {
            self.owners.remove(dropped);
            self.queue.want(dropped, None, now);
        }
        for (target, write) in writes {
            self.owners.insert(target.clone(), key.clone());
            self.queue.want(&target, Some(write), now);
        }
        if !wanted.is_empty() {
            self.wanted.insert(key.clone(), wanted);
        }
    }

    /// The targets for which writes are wanted at present, whether they wait or are in flight.
    pub fn wanted(&self) -> impl Iterator<Item = &R::Target> {
        self.owners.keys()
    }

    /// The time of the next key that is due, or write where this replica leads, if nothing happens before.
    pub fn next_due(&self, is_leading: bool) -> Option<Duration> {
        let write = self.queue.next_due().filter(|_| is_leading);
        self.schedule.next_due().into_iter().chain(write).min()
    }

    /// The writes that wait or are in flight.
    pub fn queue(&self) -> &Queue<R::Target> {
        &self.queue
    }

    /// Forgets what the queue remembers of targets where nothing has been written for a while.
    pub fn forget_idle(&mut self, now: Duration) {
        self.queue.forget_idle(now);
    }

    /// The number of decisions so far.
    pub fn reconciles(&self) -> u64 {
        self.reconciles
    }
}
