//! A hub with its store, its clusters and its clock.

mod telling;

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    time::Duration,
};

use allready_core::Time;
use allready_kube::{backoff::Backoff, refusal::Refusal};
use serde_json::Value;

use super::store::{Store, What};
use crate::{
    engine::{Engine, Now, Queue, Reconciler as _},
    hub::{
        ClusterName, HubEvent, HubState, MANAGER, NoAnswer, ObjectName, Options, StatusTarget, Target,
        TopicId,
    },
};

pub(super) const MS: fn(u64) -> Duration = Duration::from_millis;
pub(super) const S: fn(u64) -> Duration = Duration::from_secs;

/// What becomes of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Well,
    Refused(Refusal),
    /// It takes effect, and nobody hears of it.
    Unheard,
    /// It takes effect, and the answer takes a while.
    Slow,
    /// It takes a while to take effect.
    Late,
}

/// A cluster as it is.
#[expect(clippy::struct_excessive_bools, reason = "each can be otherwise by itself")]
#[derive(Clone, Debug)]
pub(super) struct Spoke {
    pub(super) is_joined: bool,
    pub(super) access: u64,
    pub(super) is_up: bool,
    pub(super) is_readable: bool,
    /// True if a list that begins comes to its end.
    pub(super) is_whole: bool,
    /// What is said of it while it does not answer.
    pub(super) trouble: NoAnswer,
    pub(super) objects: BTreeMap<(What, ObjectName), Value>,
}

#[derive(Debug, Default)]
struct Connection {
    epoch: u64,
    access: u64,
    asked: Option<Duration>,
    /// What was sent of each topic, and what was said of it.
    topics: BTreeMap<TopicId, (BTreeMap<ObjectName, Value>, Option<bool>)>,
}

#[derive(Debug)]
struct Watch {
    what: What,
    at: usize,
    is_listed: bool,
}

/// A write that is under way.
#[derive(Debug)]
struct Sent {
    target: Target,
    body: Option<Value>,
    at: Duration,
    /// How it went, once it took effect.
    result: Option<Result<Option<Value>, (Refusal, String)>>,
}

#[expect(clippy::struct_excessive_bools, reason = "each can be otherwise by itself")]
pub(super) struct World {
    pub(super) engine: Engine<HubState>,
    pub(super) options: Options,
    pub(super) store: Store,
    pub(super) spokes: BTreeMap<ClusterName, Spoke>,
    /// What the hub was last told of the clusters; none if it has not been told anything.
    pub(super) told: Option<BTreeSet<ClusterName>>,
    pub(super) now: Duration,
    pub(super) fate: Fate,
    pub(super) is_leading: bool,
    pub(super) has_inventory: bool,
    /// True if PlacementDecisions are watched when the hub wants them.
    pub(super) has_decisions: bool,
    /// True if it is checked at every turn that no key was forgotten.
    pub(super) is_checked: bool,
    /// Since when something else is wanted than what is decided.
    differs: Option<Duration>,
    /// Watches of the hub that fail.
    pub(super) failing: BTreeSet<What>,
    /// Watches of the hub that are behind.
    pub(super) stalled: bool,
    /// Every write that took effect, or was tried.
    pub(super) writes: Vec<(Duration, Target, Option<Value>)>,
    sent: VecDeque<Sent>,
    connections: BTreeMap<ClusterName, Connection>,
    watches: BTreeMap<Option<TopicId>, Watch>,
    fixed: BTreeMap<What, Watch>,
    epochs: u64,
    /// What was followed at the last turn, and its number.
    followed: Option<(u64, String)>,
    /// True if it was looked for what stands for aggregations that are no more.
    is_searched: bool,
    /// The term in which it leads, and whether it did at the last turn.
    terms: u64,
    was_leading: bool,
    /// What was last told of the inventory.
    inventory: Option<Result<BTreeMap<ClusterName, u64>, String>>,
}

fn engine(options: &Options, now: Duration) -> Engine<HubState> {
    let queue = Queue::new(options.pace, options.backoff, Target::rank).fair(Target::namespace);
    Engine::new(HubState::new(options.clone(), now), queue)
}

pub(super) fn cluster(number: usize) -> ClusterName {
    format!("cluster-{number}").parse().unwrap()
}

pub(super) fn web() -> ObjectName {
    ObjectName::new("shop", "web")
}

pub(super) fn named(name: &str) -> ObjectName {
    ObjectName::new("", name)
}

impl World {
    pub(super) fn new() -> Self {
        let backoff = Backoff { min: MS(100), max: S(5) };
        let options = Options { patience: S(5), grace: S(20), backoff, ..Options::default() };
        let spoke = Spoke {
            is_joined: true,
            access: 0,
            is_up: true,
            is_readable: true,
            is_whole: true,
            trouble: "connection refused".into(),
            objects: BTreeMap::new(),
        };
        let mut world = Self {
            engine: engine(&options, Duration::ZERO),
            options,
            store: Store::default(),
            spokes: (1..=4)
                .map(|number| (cluster(number), Spoke { is_joined: number < 4, ..spoke.clone() }))
                .collect(),
            told: None,
            now: Duration::ZERO,
            fate: Fate::Well,
            is_leading: true,
            has_inventory: true,
            has_decisions: false,
            is_checked: false,
            differs: None,
            failing: BTreeSet::new(),
            stalled: false,
            writes: Vec::new(),
            sent: VecDeque::new(),
            connections: BTreeMap::new(),
            watches: BTreeMap::new(),
            fixed: BTreeMap::new(),
            epochs: 0,
            followed: None,
            is_searched: false,
            terms: 0,
            was_leading: false,
            inventory: None,
        };
        world.restart();
        world
    }

    /// Another controller takes over: it knows nothing but what stands.
    pub(super) fn restart(&mut self) {
        self.engine = engine(&self.options, self.now);
        self.connections.clear();
        self.watches.clear();
        self.sent.clear();
        self.told = None;
        self.inventory = None;
        self.is_searched = false;
        self.followed = None;
        let watch = |what| (what, Watch { what, at: 0, is_listed: false });
        let fixed =
            [What::Aggregation, What::InstanceStatus, What::ClusterStatus, What::Lease, What::Endpoint];
        self.fixed = fixed.map(watch).into();
    }

    pub(super) fn time(&self) -> Time {
        Time::from_second(1_800_000_000 + i64::try_from(self.now.as_secs()).unwrap()).unwrap()
    }

    pub(super) fn hub(&self) -> &HubState {
        &self.engine.reconciler
    }

    pub(super) fn at(&self) -> Now {
        Now { elapsed: self.now, time: self.time(), term: self.is_leading.then_some(self.terms) }
    }

    pub(super) fn see(&mut self, event: HubEvent) {
        let now = self.at();
        self.engine.observe(event, now);
    }

    /// Lets time pass.
    pub(super) fn pass(&mut self, time: Duration) {
        self.pass_and(time, |_| {});
    }

    pub(super) fn pass_and(&mut self, time: Duration, mut look: impl FnMut(&mut Self)) {
        let until = self.now + time;
        loop {
            let pause = self.turn();
            look(self);
            if self.now >= until {
                return;
            }
            self.now = (self.now + pause.clamp(MS(20), MS(500))).min(until);
        }
    }

    /// One turn of the loop around the hub.
    fn turn(&mut self) -> Duration {
        self.tell_inventory();
        self.connect();
        self.tell_words();
        if !self.stalled {
            self.tell_changes();
            self.tell_leftovers();
        }
        self.look_at_turn();
        self.terms +=
            u64::from(self.is_leading && !std::mem::replace(&mut self.was_leading, self.is_leading));
        self.was_leading = self.is_leading;
        let now = self.at();
        for (target, body) in self.engine.step(self.is_leading, now) {
            let at = self.now + if self.fate == Fate::Late { S(2) } else { Duration::ZERO };
            self.writes.push((self.now, target.clone(), body.clone()));
            self.sent.push_back(Sent { target, body, at, result: None });
        }
        if self.is_checked {
            self.nothing_is_forgotten();
        }
        let due = self.engine.next_due(true).unwrap_or(Duration::MAX);
        let pause = due.saturating_sub(self.now);
        self.settle_writes();
        pause
    }

    fn settle_writes(&mut self) {
        for _ in 0..self.sent.len() {
            let Some(mut sent) = self.sent.pop_front() else { return };
            if sent.at > self.now {
                self.sent.push_back(sent);
                continue;
            }
            if sent.result.is_none() {
                sent.result = Some(self.take_effect(&sent.target, sent.body.as_ref()));
                if self.fate == Fate::Slow {
                    sent.at = self.now + S(2);
                    self.sent.push_back(sent);
                    continue;
                }
            }
            let result = sent.result.take().unwrap();
            let now = self.at();
            self.engine.written(&sent.target, result, fastrand::f64(), now);
        }
    }

    fn take_effect(
        &mut self,
        target: &Target,
        body: Option<&Value>,
    ) -> Result<Option<Value>, (Refusal, String)> {
        if let Fate::Refused(refusal) = self.fate {
            return Err((refusal, "refused".to_owned()));
        }
        let done = self.execute(target, body);
        if self.fate == Fate::Unheard {
            return Err((Refusal::Unanswered, "no answer".to_owned()));
        }
        done
    }

    fn execute(&mut self, target: &Target, body: Option<&Value>) -> Result<Option<Value>, (Refusal, String)> {
        let missing = || (Refusal::NotFound, "not found".to_owned());
        let (what, name) = match target {
            Target::Status(StatusTarget { kind, object, .. }) => {
                (What::of_kind(kind.split('.').next().unwrap()), object.clone())
            }
            Target::Endpoint(name) => (What::Endpoint, name.clone()),
            Target::Aggregation(name) => (What::Aggregation, named(name)),
            Target::InstanceStatus(name) => (What::InstanceStatus, name.clone()),
            Target::ClusterStatus(cluster) => (What::ClusterStatus, self.hub().status_of(cluster)),
            Target::Lease(cluster) => (What::Lease, self.hub().lease_of(cluster)),
        };
        let Some(body) = body else {
            self.store.delete(what, &name);
            return Ok(None);
        };
        let version = |object: &Value| object["metadata"].get("resourceVersion").cloned();
        if let Some(decided_on) = version(body) {
            match self.store.get(what, &name) {
                Some(stands) if version(stands) != Some(decided_on) => {
                    return Err((Refusal::Conflict, "somebody else was faster".to_owned()));
                }
                None if !matches!(target, Target::InstanceStatus(_) | Target::ClusterStatus(_)) => {
                    return Err(missing());
                }
                _ => {}
            }
        }
        let done = match target {
            Target::Status(StatusTarget { manager, .. }) => {
                self.store.apply_status(what, &name, manager, body).ok_or_else(missing)?
            }
            Target::Endpoint(_) | Target::Lease(_) => self.store.apply(what, &name, body),
            Target::Aggregation(_) => {
                self.store.apply_status(what, &name, MANAGER, body).ok_or_else(missing)?
            }
            Target::InstanceStatus(_) | Target::ClusterStatus(_) => {
                self.store.apply(what, &name, body);
                self.store.apply_status(what, &name, MANAGER, body).ok_or_else(missing)?
            }
        };
        Ok(Some(done))
    }

    /// Decides about every key anew: that changes nothing, or one was forgotten when it became due.
    pub(super) fn nothing_is_forgotten(&mut self) {
        let now = self.at();
        let wanted: BTreeSet<Target> = self.engine.wanted().cloned().collect();
        let mut decided = BTreeSet::new();
        for key in self.hub().keys() {
            let writes = self.engine.reconciler.reconcile(&key, now).writes;
            decided.extend(writes.into_iter().map(|(target, _)| target));
        }
        assert_eq!(self.engine.reconciler.take_due(), BTreeSet::new(), "at {:?}", self.now);
        // A grace period ends at a time of day, which has whole seconds.
        self.differs = (decided != wanted).then(|| self.differs.unwrap_or(self.now));
        let is_forgotten = self.differs.is_some_and(|since| self.now > since + S(1));
        assert!(!is_forgotten, "at {:?}: {decided:?} is due, and {wanted:?} is wanted", self.now);
    }

    /// A new hub with the same clusters and the same objects, to which nothing has happened yet.
    pub(super) fn anew(&self) -> Self {
        let mut world = Self::new();
        world.spokes.clone_from(&self.spokes);
        world.has_decisions = self.has_decisions;
        world.now = self.now;
        world.store.version = self.store.version;
        let given = [What::Aggregation, What::Gateway, What::DaemonSet, What::Decision];
        for ((what, name), object) in self.store.objects.iter().filter(|((what, _), _)| given.contains(what))
        {
            let mut object = object.clone();
            if *what != What::Decision {
                object["status"] = Value::Null;
            }
            object["metadata"]["managedFields"] = Value::Null;
            world.store.objects.insert((*what, name.clone()), object);
        }
        world.restart();
        world
    }

    /// Makes or edits a StatusAggregation.
    pub(super) fn aggregate(&mut self, name: &str, spec: Value) {
        self.store.put(What::Aggregation, &named(name), |object| object["spec"] = spec);
    }

    /// Changes an object of the hub.
    pub(super) fn edit(&mut self, what: What, name: &ObjectName, change: impl FnOnce(&mut Value)) {
        self.store.put(what, name, change);
    }

    /// What a cluster has.
    pub(super) fn say(&mut self, number: usize, what: What, name: &ObjectName, object: Option<Value>) {
        let spoke = self.spokes.get_mut(&cluster(number)).unwrap();
        match object {
            Some(mut object) => {
                object["metadata"]["namespace"] = (*name.namespace).into();
                object["metadata"]["name"] = (*name.name).into();
                spoke.objects.insert((what, name.clone()), object);
            }
            None => drop(spoke.objects.remove(&(what, name.clone()))),
        }
    }

    pub(super) fn spoke(&mut self, number: usize) -> &mut Spoke {
        self.spokes.get_mut(&cluster(number)).unwrap()
    }

    /// Returns true if all objects of an aggregation in a cluster have been told.
    pub(super) fn has_listed(&self, cluster: &ClusterName, aggregation: &str) -> bool {
        let topics = self.connections.get(cluster).map(|connection| &connection.topics);
        let mut topics = topics.into_iter().flatten();
        topics.any(|(id, (_, said))| *id.0 == *aggregation && *said == Some(true))
    }

    /// Returns true if the last that the hub has heard from a cluster is that it has no such object.
    pub(super) fn has_heard_of_none(
        &self,
        cluster: &ClusterName,
        aggregation: &str,
        object: &ObjectName,
    ) -> bool {
        let subject = self.hub().aggregations.get(aggregation).and_then(|found| found.subjects.get(object));
        let share = subject.and_then(|subject| subject.shares().get(cluster));
        share.is_some_and(|share| share.is_known && share.last.is_none())
    }

    /// The watches of the hub begin anew.
    pub(super) fn relist(&mut self) {
        for watch in self.watches.values_mut().chain(self.fixed.values_mut()) {
            watch.is_listed = false;
        }
    }

    /// The status of a condition of an object that stands.
    pub(super) fn status(&self, what: What, name: &ObjectName, type_: &str) -> Option<String> {
        let object = self.store.get(what, name)?;
        let conditions = object["status"]["conditions"].as_array()?;
        let found = conditions.iter().find(|condition| condition["type"] == type_)?;
        Some(found["status"].as_str()?.to_owned())
    }
}
