//! One ConfigurationStatus: what is known for it, what stands in it, and what should.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{Condition, ConditionType, Generation, Polarity, Status, Time, found};
use allready_kube::{
    kinds::ConfigurationStatusSpec,
    list_watch::{Room, weight},
};
use serde_json::{Map, Value, json};

use super::{
    Answer, Facts, Fleet, Options, Origin, StatusKey, Watch,
    leftovers::Strangers,
    plan::{Plan, PlannedComponent, PlannedInstances},
    read::own_reports,
};
use crate::engine::{Now, Write};

/// The kind of the reports that stand in the object itself.
pub(super) const OWN: &str = "ConfigurationStatus";

/// One ConfigurationStatus that is there.
#[derive(Debug)]
pub(super) struct StatusState {
    key: StatusKey,
    pub(super) fleet: Fleet,
    standing: Standing,
    pub(super) strangers: Strangers,
    /// The polarities by which reports were kept.
    pub(super) polarities: BTreeMap<ConditionType, Polarity>,
    /// `Ready` as the last event told it.
    told: Option<Condition>,
    /// The status of `Ready` that was last decided.
    decided: Option<Status>,
    /// The room of all, the bytes of it that this one takes, and those of the object itself.
    room: Arc<Room>,
    taken: usize,
    own: usize,
    /// True if there is no room for it: nobody is expected then, and nothing is good.
    is_crowded: bool,
}

/// The numbers of the objects that are followed for each ConfigurationStatus of a namespace that needs them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    pub(super) nodes: usize,
    pub(super) pods: usize,
    pub(super) leases: usize,
}

impl Around {
    /// The bytes that a fleet of this plan takes beside its reports, roughly. Each has trees of its own.
    fn bytes(self, plan: &Plan) -> usize {
        /// One that is expected to report: in the index, in several trees.
        const MEMBER: usize = 700;
        const TYPE: usize = 64;
        const OBJECT: usize = 300;
        /// A watch: what it holds while it is told an object that is as large as it may be, which all of these may be at the same time.
        const SOURCE: usize = 512 * 1024;
        let members = |component: &PlannedComponent| match &component.instances {
            PlannedInstances::Nodes(_) => self.nodes,
            PlannedInstances::DaemonSet(_) => self.pods,
            PlannedInstances::Names(names) => names.len(),
            PlannedInstances::One | PlannedInstances::Discovered => 1,
        };
        let expected = plan
            .components
            .iter()
            .map(|component| members(component) * (MEMBER + TYPE * component.types.len()))
            .sum::<usize>();
        let known = [
            (self.nodes, plan.needs_nodes()),
            (self.pods, plan.daemon_sets().next().is_some()),
            (self.leases, plan.silent_after.is_some()),
        ];
        SOURCE * plan.sources.len()
            + expected
            + known
                .into_iter()
                .map(|(count, is_needed)| if is_needed { OBJECT * count } else { 0 })
                .sum::<usize>()
    }
}

/// The words for a ConfigurationStatus for which there is no room.
const NO_ROOM: &str =
    "there is no memory left for them: the ConfigurationStatuses of all namespaces together expect too many";

/// The object as the last watch or write showed it.
#[derive(Debug, Default)]
struct Standing {
    version: Option<u64>,
    generation: i64,
    spec: Value,
    /// The part of the status that is ours.
    owned: Value,
    ready: Option<Condition>,
}

impl StatusState {
    /// An object that was just seen.
    pub(super) fn new(key: StatusKey, object: &Value, room: Arc<Room>, around: Around) -> Self {
        let mut status = Self {
            key,
            fleet: Fleet::new(&ConfigurationStatusSpec::default()),
            standing: Standing::default(),
            strangers: Strangers::default(),
            polarities: BTreeMap::new(),
            told: None,
            decided: None,
            room,
            taken: 0,
            own: 0,
            is_crowded: false,
        };
        let causes = &object["status"]["causes"];
        status.fleet.doubt_heartbeats(&serde_json::from_value::<Vec<_>>(causes.clone()).unwrap_or_default());
        status.observe(object, true, around);
        status.told.clone_from(&status.standing.ready);
        status
    }

    /// Takes the object: another spec, the reports that stand in it, and what of its status is ours. A version that is older than the
    /// one that is known is not taken, unless the list is a new one: a restored store counts from an earlier version on. Returns true
    /// if others are expected now.
    pub(super) fn observe(&mut self, object: &Value, is_listed: bool, around: Around) -> bool {
        let version = object["metadata"]["resourceVersion"].as_str().and_then(|version| version.parse().ok());
        let is_behind =
            version.zip(self.standing.version).is_some_and(|(new, known): (u64, u64)| new < known);
        if is_behind && !is_listed {
            return false; // a watch that is behind our own write
        }
        let spec = object.get("spec").cloned().unwrap_or_else(|| json!({}));
        let is_other = self.standing.spec != spec;
        let wanted = is_other.then(|| serde_json::from_value::<ConfigurationStatusSpec>(spec.clone()));
        let plan = wanted.as_ref().and_then(|wanted| wanted.as_ref().ok()).map(Plan::of);
        self.own = OWN_COPIES * weight(object);
        // Before anybody is expected of whom there may be thousands.
        let bytes = self.own + around.bytes(plan.as_ref().unwrap_or(self.fleet.plan()));
        let was_crowded = self.is_crowded;
        self.take_room(bytes);
        if !self.is_crowded {
            match wanted {
                Some(Ok(spec)) => {
                    self.fleet.set_spec(&spec);
                    self.fleet.gap("spec", None);
                }
                Some(Err(error)) => self.fleet.gap("spec", Some(error.to_string())),
                None => {}
            }
            self.take_own_reports(object);
        }
        self.standing = Standing {
            version,
            generation: object["metadata"]["generation"].as_i64().unwrap_or_default(),
            // One without room is read again with whatever is seen of it next.
            spec: if self.is_crowded { Value::Null } else { spec },
            owned: owned(&object["status"]),
            ready: ready(object),
        };
        // Somebody else's doing is not told in an event of ours.
        let stands = self.standing.ready.as_ref().map(|ready| ready.status);
        if stands != self.decided {
            self.told.clone_from(&self.standing.ready);
        }
        if self.is_crowded { !was_crowded } else { is_other }
    }

    /// Returns true unless there is no room any more for it, with so many objects around it.
    pub(super) fn fits(&mut self, around: Around) -> bool {
        let was_crowded = self.is_crowded;
        if !was_crowded {
            self.take_room(self.own + around.bytes(self.fleet.plan()));
        }
        self.is_crowded == was_crowded
    }

    /// Takes so much room, or says that there is none: nothing is expected of what is not known, and nothing is good.
    fn take_room(&mut self, bytes: usize) {
        /// The bytes of a small one, or by which another one grows when it says something else.
        const SMALL: usize = 64 * 1024;
        // A quarter is for them: whoever expects thousands takes no room from those who expect few.
        let is_room = bytes <= self.taken + SMALL || self.room.has_plenty(self.taken, bytes);
        let fits = is_room && self.room.replace(self.taken, bytes);
        let was_crowded = std::mem::replace(&mut self.is_crowded, !fits);
        if !self.is_crowded {
            self.taken = bytes;
            self.fleet.gap(MEMORY, None);
        } else if !was_crowded {
            self.room.replace(self.taken, 0);
            self.taken = 0;
            self.fleet = Fleet::new(&ConfigurationStatusSpec::default());
            self.fleet.gap(MEMORY, Some(NO_ROOM.to_owned()));
            self.standing.spec = Value::Null;
        }
    }

    fn take_own_reports(&mut self, object: &Value) {
        let reports = own_reports(object, |prefix, types| {
            let is_expected =
                |component: &str, instance: Option<&str>| self.fleet.is_expected(component, instance);
            self.fleet.plan().split(prefix, types, is_expected)
        });
        let known = self.fleet.reporting_in(OWN);
        for gone in known.iter().filter(|known| !reports.contains_key(*known)) {
            self.fleet.unreport(&Origin::new(OWN, gone));
        }
        for (prefix, report) in reports {
            self.fleet.report(Origin::new(OWN, &prefix), report);
        }
    }

    /// The watches that its spec needs, and what of the spec cannot be watched.
    pub(super) fn watches(&self) -> (BTreeSet<Watch>, Option<String>) {
        if self.is_crowded {
            return (BTreeSet::new(), None);
        }
        let (plan, namespace) = (self.fleet.plan(), self.key.namespace.clone());
        let mut wanted = BTreeSet::from([Watch::Reports { namespace: namespace.clone() }]);
        if plan.needs_nodes() {
            wanted.insert(Watch::Nodes);
        }
        if plan.daemon_sets().next().is_some() {
            let namespace = namespace.clone();
            wanted.extend([Watch::DaemonSets { namespace: namespace.clone() }, Watch::Pods { namespace }]);
        }
        if plan.silent_after.is_some() {
            wanted.insert(Watch::Leases { namespace: namespace.clone() });
        }
        let mut unreadable = Vec::new();
        for source in &plan.sources {
            match Watch::source(&namespace, source) {
                Ok(watch) => drop(wanted.insert(watch)),
                Err(error) => unreadable.push(format!("{}: {error}", source.kind)),
            }
        }
        (wanted, (!unreadable.is_empty()).then(|| unreadable.join("; ")))
    }

    /// Takes what is known of an object of a watch; none where it is gone.
    pub(super) fn apply(&mut self, watch: &Watch, name: &str, facts: Option<&Facts>, now: Duration) {
        self.fleet.at(now);
        let report = |kind: Arc<str>, fleet: &mut Fleet| match facts {
            Some(Facts::Report(Some(found)))
                if found.target.as_ref().is_none_or(|target| *target == self.key.name) =>
            {
                fleet.report(Origin::new(kind, name), Arc::clone(&found.report));
            }
            _ => fleet.unreport(&Origin::new(kind, name)),
        };
        match (watch, facts) {
            (Watch::Reports { .. }, _) => report(Origin::STATUS_REPORT.into(), &mut self.fleet),
            (Watch::Source { source, .. }, _) => report(Arc::clone(source), &mut self.fleet),
            (Watch::Nodes, Some(Facts::Node(facts))) => self.fleet.node(name, Some(facts.clone())),
            (Watch::Nodes, _) => self.fleet.node(name, None),
            (Watch::Pods { .. }, Some(Facts::Pod(facts))) => self.fleet.pod(name, facts.as_ref()),
            (Watch::Pods { .. }, _) => self.fleet.pod(name, None),
            (Watch::DaemonSets { .. }, Some(Facts::DaemonSet(facts))) => {
                self.fleet.daemon_set(name, Some(*facts));
            }
            (Watch::DaemonSets { .. }, _) => self.fleet.daemon_set(name, None),
            (Watch::Leases { .. }, Some(Facts::Lease(Some(renewed)))) => {
                self.fleet.heartbeat(name, Some(Some(*renewed)));
            }
            (Watch::Leases { .. }, _) => self.fleet.heartbeat(name, None),
            (Watch::Statuses { .. }, _) => {}
        }
    }

    /// The status that should be written, if another one stands. While not everything has been seen, what stands is better than a
    /// guess; but red is not made better by what is not seen yet.
    pub(super) fn write(&mut self, is_blind: bool, options: &Options, now: Now) -> Option<Write> {
        let standing = &self.standing;
        let mut answer = self.fleet.answer(standing.ready.as_ref(), now.time);
        if is_blind && answer.ready.status != Status::False {
            return None;
        }
        self.decided = Some(answer.ready.status);
        answer.ready = answer.ready.observed(Generation::from(Some(standing.generation)));
        let mut wanted = status(&answer, standing.generation);
        if let Some(lease) = &options.lease {
            // A Lease that was deleted and made anew counts from the beginning again, and the API server takes no lower term.
            let stands = &standing.owned["controller"];
            let stands = stands["term"].as_u64().filter(|_| stands["lease"] == **lease);
            // Whoever writes without the Lease leaves what its holder has written.
            if let Some(term) = stands.max(now.term) {
                wanted["controller"] = json!({ "lease": lease, "term": term });
            }
        }
        if owned(&wanted) == standing.owned {
            return None;
        }
        let StatusKey { api_version, namespace, name } = &self.key;
        let body = json!({
            "apiVersion": api_version,
            "kind": "ConfigurationStatus",
            "metadata": { "namespace": namespace, "name": name },
            "status": wanted,
        });
        let stands = standing.ready.as_ref().map(|ready| ready.status);
        Some(Write::status(body, answer.ready.status, stands))
    }

    /// `Ready` before and after a write of ours, if its status is another one now.
    pub(super) fn transition(&mut self) -> Option<(Option<Condition>, Condition)> {
        let ready = self.standing.ready.clone()?;
        if self.told.as_ref().is_some_and(|told| told.status == ready.status) {
            return None;
        }
        Some((self.told.replace(ready.clone()), ready))
    }
}

impl Drop for StatusState {
    fn drop(&mut self) {
        self.room.replace(self.taken, 0);
    }
}

/// The name of the gap where there is no room.
const MEMORY: &str = "reporters";
/// The copies of the parts of an object that are kept: the spec as it stands and as it is read, and its own reports.
const OWN_COPIES: usize = 2;

/// The status that says this.
fn status(answer: &Answer, generation: i64) -> Value {
    let mut status = json!({
        "observedGeneration": generation,
        "summary": answer.summary,
        "conditions": [answer.ready],
        "reporters": answer.reporters,
    });
    if let Some(revision) = &answer.revision {
        status["revision"] = json!(revision);
    }
    // Also when there are none: a field that is left out stays if somebody else owns it too.
    status["causes"] = json!(answer.causes);
    status["moreCauses"] = json!(answer.more_causes);
    status
}

/// The part of a status that is ours: all but the conditions of others.
pub(super) fn owned(status: &Value) -> Value {
    let fields =
        ["observedGeneration", "summary", "reporters", "revision", "causes", "moreCauses", "controller"];
    let mut owned: Map<String, Value> =
        fields.iter().filter_map(|field| Some(((*field).to_owned(), status.get(*field)?.clone()))).collect();
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let ready: Vec<_> = conditions.filter(|condition| condition["type"] == "Ready").cloned().collect();
    owned.insert("conditions".to_owned(), ready.into());
    owned.into()
}

fn ready(object: &Value) -> Option<Condition> {
    let conditions = found::of_object(object);
    let ready = conditions.find("Ready")?.to_condition(Time::EPOCH);
    // The default of the schema has no time, nor has what nobody could have written: the next write sets it.
    (ready.last_transition_time != Time::EPOCH).then_some(ready)
}

/// The time for which a node must be gone before bad news from it is not counted any more, nor that it is missed: more than a kubelet needs to
/// register again.
pub(super) const NODE_GRACE: Duration = Duration::from_secs(10);
