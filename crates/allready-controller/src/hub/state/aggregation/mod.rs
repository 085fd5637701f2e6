//! One StatusAggregation: its plan, its objects, and which clusters are believed.

mod clusters;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::Time;
use allready_kube::{
    kinds::{Placement, StatusAggregationSpec},
    list_watch::{Room, Store},
};
use serde_json::Value;

use super::{
    Clusters, Options, StatusTarget,
    contest::{self, Contest},
    standing::{at_version, named, version},
    view::View,
};
use crate::hub::{
    ClusterName, HubFacts, Instance, ObjectName, Plan, Reader, Subject, Topic, TopicId, leftovers, manager,
    read,
};

/// One StatusAggregation.
#[derive(Debug)]
pub(in crate::hub) struct Aggregation {
    name: Arc<str>,
    /// As whom it writes: several aggregations may write to one object.
    pub(in crate::hub) manager: Arc<str>,
    /// The kind of its objects, as targets name it.
    pub(in crate::hub) kind: Arc<str>,
    epoch: u64,
    pub(in crate::hub) generation: i64,
    /// The version of its object.
    pub(in crate::hub) version: Option<u64>,
    pub(in crate::hub) spec: Value,
    pub(in crate::hub) plan: Arc<Plan>,
    reader: Arc<Reader>,
    /// Its status as it stands.
    pub(in crate::hub) standing: Value,
    /// Its objects on the hub.
    pub(in crate::hub) subjects: BTreeMap<ObjectName, Subject>,
    /// The words of clusters about objects that are not on the hub, or not chosen: they may be one day.
    waiting: BTreeMap<ObjectName, BTreeMap<ClusterName, Instance>>,
    pub(in crate::hub) chosen: Arc<BTreeSet<ClusterName>>,
    /// Clusters that are not waited for when they have left the inventory: an annotation says that this is meant.
    pub(in crate::hub) removed: BTreeSet<ClusterName>,
    /// The words in the place of such clusters that are no names of any.
    unremovable: Vec<String>,
    /// The time for which others are.
    grace: Duration,
    pub(in crate::hub) views: BTreeMap<ClusterName, View>,
    /// The objects of the hub of its kind, whether it chooses them or not.
    pub(in crate::hub) objects: Store<ObjectName, SeenObject>,
    /// The words of clusters about objects to an earlier plan, until they are seen.
    pub(in crate::hub) remembered: BTreeMap<ObjectName, Vec<(ClusterName, Instance)>>,
    /// Objects whose status was refused, and why.
    pub(in crate::hub) refused: BTreeMap<ObjectName, String>,
    /// Objects whose conditions somebody else has written over.
    pub(in crate::hub) contests: BTreeMap<ObjectName, Contest>,
    /// The objects on which each cluster has a report of its own (true), or has none; absent where that is not known yet.
    pub(in crate::hub) reported: BTreeMap<ObjectName, bool>,
    /// The DNSEndpoints that were refused, and why.
    pub(in crate::hub) dns_refused: BTreeMap<ObjectName, String>,
    /// Notes on its DNS records that cannot be published.
    pub(in crate::hub) dns_notes: BTreeMap<ObjectName, Vec<String>>,
}

/// The part of an object of the hub that matters besides its facts.
#[derive(Debug)]
pub(in crate::hub) struct SeenObject {
    pub(in crate::hub) version: Option<u64>,
    /// True if something of the aggregation stands in its status.
    pub(in crate::hub) is_ours: bool,
    /// Set if there is no room for its facts.
    pub(in crate::hub) crowded: Option<Crowded>,
    /// The bytes that are kept of it.
    bytes: usize,
}

/// An object for whose facts there is no room.
#[derive(Debug)]
pub(in crate::hub) struct Crowded {
    /// The status that it is to be given, as JSON, which is never good; none where that stands.
    pub(in crate::hub) status: Option<Box<str>>,
}

impl SeenObject {
    /// The bytes that it takes, under this name.
    fn bytes(name: &ObjectName, seen: &Self) -> usize {
        /// The entries of trees that an object has beside its facts.
        const OBJECT: usize = 400;
        OBJECT + 4 * (name.namespace.len() + name.name.len()) + seen.bytes
    }
}

impl Aggregation {
    pub(in crate::hub) fn new(
        name: Arc<str>,
        epoch: u64,
        object: &Value,
        options: &Options,
        room: &Arc<Room>,
        now: Duration,
    ) -> Self {
        let spec = object["spec"].clone();
        let plan = Arc::new(plan(&spec));
        let reader = Arc::new(Reader::new(&plan));
        let grace =
            plan.dns.as_ref().map_or(options.grace, |dns| Duration::from_secs(dns.grace_seconds.into()));
        let kind = StatusTarget::kind(&plan.target.api_version, &plan.target.kind);
        let (removed, unremovable) = removed(object);
        Self {
            manager: manager(&name).into(),
            kind,
            name,
            epoch,
            generation: object["metadata"]["generation"].as_i64().unwrap_or_default(),
            version: version(object),
            spec,
            plan,
            reader,
            standing: object["status"].clone(),
            subjects: BTreeMap::new(),
            waiting: BTreeMap::new(),
            chosen: Arc::default(),
            removed,
            unremovable,
            grace,
            views: BTreeMap::new(),
            objects: Store::new(now).within(room, SeenObject::bytes),
            remembered: BTreeMap::new(),
            refused: BTreeMap::new(),
            contests: BTreeMap::new(),
            reported: BTreeMap::new(),
            dns_refused: BTreeMap::new(),
            dns_notes: BTreeMap::new(),
        }
    }

    /// The part of an object that is kept, given its facts: less where there is no room for these.
    pub(in crate::hub) fn see(&self, object: &Value, facts: &HubFacts, time: Time) -> SeenObject {
        /// What an object has beside its facts, and for each cluster.
        const SUBJECT: usize = 2_000;
        const SHARE: usize = 500;
        let seen = |crowded, bytes| SeenObject {
            version: facts.version,
            is_ours: !facts.ours.is_empty(),
            crowded,
            bytes,
        };
        if !self.plan.is_chosen(object) {
            return seen(None, 0);
        }
        let shares = match self.plan.placement {
            Placement::Everywhere | Placement::Found => self.chosen.len(),
            Placement::Annotated | Placement::Decided => facts.placed.as_ref().map_or(0, Vec::len),
        };
        let bytes = SUBJECT + facts.bytes() + SHARE * shares;
        if self.objects.has_plenty(&named(object), bytes) {
            return seen(None, bytes);
        }
        let answer = Subject::doubted(&self.plan, Some(facts), self.chosen.iter(), NO_ROOM).answer(time);
        let status = answer.differs.then(|| answer.status.to_string().into_boxed_str());
        let bytes = status.as_ref().map_or(0, |status| status.len());
        seen(Some(Crowded { status }), bytes)
    }

    /// Returns true if not all of its objects are known, after this one was seen.
    pub(in crate::hub) fn is_over(&mut self, seen: Option<ObjectName>) -> bool {
        if seen.and_then(|seen| self.objects.get(&seen)).is_some_and(|seen| seen.crowded.is_some()) {
            self.objects.leave_out();
        }
        self.objects.is_over()
    }

    /// Notes what of the DNS records of an object cannot be published. Returns true if that is new.
    pub(in crate::hub) fn note_dns(&mut self, object: &ObjectName, notes: Vec<String>) -> bool {
        if self.dns_notes.get(object).map_or(&[][..], Vec::as_slice) == notes {
            return false;
        }
        if notes.is_empty() {
            self.dns_notes.remove(object);
        } else {
            self.dns_notes.insert(object.clone(), notes);
        }
        true
    }

    /// Notes whether what was ours in an object has become somebody else's.
    pub(in crate::hub) fn compare(
        &mut self,
        object: &ObjectName,
        before: &HubFacts,
        after: &HubFacts,
        now: Duration,
    ) {
        let Some(rival) = contest::taken(&self.plan, before, after) else { return };
        let contest = self.contests.entry(object.clone());
        contest.or_insert_with(|| Contest::new(rival.clone(), now)).lose(rival, after.version, now);
    }

    /// Returns true for a watch that is behind our own write, or an answer that was overtaken by what somebody wrote after it.
    pub(in crate::hub) fn is_outdated(&mut self, object: &Value, now: Duration) -> bool {
        let key = named(object);
        let known = self.objects.get(&key).and_then(|seen| seen.version);
        if known.is_none() || known <= version(object) {
            return false;
        }
        if let Some(newer) = self.subjects.get(&key).and_then(Subject::facts).cloned() {
            let facts = HubFacts::read(object, &self.plan, &self.manager);
            self.compare(&key, &facts, &newer, now);
        }
        true
    }

    /// Tells in the status of an object who else writes to it.
    pub(in crate::hub) fn tell_rival(&mut self, object: &ObjectName, now: Duration) {
        let contest = self.contests.get(object).filter(|contest| contest.is_on(now));
        if let Some(subject) = self.subjects.get_mut(object) {
            subject.rival(contest.map(|contest| contest.rival.clone()));
        }
    }

    /// The target of the status of an object.
    pub(in crate::hub) fn target(&self, object: &ObjectName) -> StatusTarget {
        let (manager, kind) = (Arc::clone(&self.manager), Arc::clone(&self.kind));
        StatusTarget { manager, kind, object: object.clone() }
    }

    /// Which plan of which aggregation it is.
    pub(in crate::hub) fn id(&self) -> TopicId {
        (Arc::clone(&self.name), self.epoch)
    }

    pub(in crate::hub) fn topic(&self) -> Topic {
        let target = &self.plan.target;
        Topic {
            api_version: target.api_version.clone(),
            kind: target.kind.clone(),
            namespaces: self.plan.namespaces.clone(),
            selector: self.plan.instances.clone(),
            clusters: Some(Arc::clone(&self.chosen)),
            reader: Arc::clone(&self.reader),
        }
    }

    /// The index of an object that appears on the hub.
    pub(in crate::hub) fn subject(&mut self, object: &ObjectName) -> &mut Subject {
        let Self { plan, chosen, views, waiting, subjects, .. } = self;
        subjects.entry(object.clone()).or_insert_with(|| {
            let mut subject = Subject::new(Arc::clone(plan));
            let mut said = waiting.remove(object).unwrap_or_default();
            for cluster in chosen.iter() {
                subject.choose(cluster);
                let Some(view) = views.get(cluster) else { continue };
                let instance = said.remove(cluster);
                if instance.is_some() || view.is_listed {
                    subject.heard(cluster, instance);
                }
                subject.doubt(cluster, view.doubt.clone());
            }
            subject
        })
    }

    /// An object leaves the hub: what the clusters say of it waits for its return.
    pub(in crate::hub) fn release(&mut self, object: &ObjectName) {
        let Some(subject) = self.subjects.remove(object) else { return };
        let said = subject.shares().iter().filter_map(|(cluster, share)| {
            let instance = share.last.clone().filter(|_| share.is_known)?;
            Some((cluster.clone(), instance))
        });
        let said: BTreeMap<_, _> = said.collect();
        if !said.is_empty() {
            self.waiting.insert(object.clone(), said);
        }
    }

    /// The rows of its objects, for a plan that takes its place.
    pub(in crate::hub) fn memory(&self) -> BTreeMap<ObjectName, Vec<(ClusterName, Instance)>> {
        let rows = |subject: &Subject| {
            let shares = subject.shares().iter().filter_map(|(cluster, share)| {
                let last = share.last.as_ref()?;
                let (addresses, listeners) = (last.addresses.clone(), last.listeners.clone());
                Some((cluster.clone(), Instance { addresses, listeners, ..Instance::default() }))
            });
            shares.collect()
        };
        self.subjects.iter().map(|(object, subject)| (object.clone(), rows(subject))).collect()
    }

    /// Returns true if it may choose an object of this name, if it is of its kind.
    pub(in crate::hub) fn may_choose(&self, object: &ObjectName) -> bool {
        let namespaces = &self.plan.namespaces;
        object.namespace.is_empty()
            || namespaces.is_empty()
            || namespaces.iter().any(|own| *own == *object.namespace)
    }
}

/// The reason why an object is not believed for whose facts there is no room.
const NO_ROOM: &str = "cannot be seen: there are more objects on the hub than there is memory for";

/// The annotation of a StatusAggregation that names clusters which have left for good.
const REMOVE_CLUSTERS: &str = "allready.dev/remove-clusters";

/// The clusters that have left for good, and what of the annotation names none.
fn removed(object: &Value) -> (BTreeSet<ClusterName>, Vec<String>) {
    let names = object["metadata"]["annotations"][REMOVE_CLUSTERS].as_str();
    names.map(read::cluster_names).unwrap_or_default()
}

impl Aggregation {
    /// The parts of the annotation for removed clusters that do nothing: one that is misspelt must not pass for one that is removed.
    pub(in crate::hub) fn not_removed(&self, clusters: &Clusters) -> Vec<String> {
        const MOST: usize = 5;
        let is_unknown = |cluster: &&ClusterName| {
            !clusters.known().contains_key(*cluster) && !clusters.departed.contains_key(*cluster)
        };
        let unknown: Vec<&str> =
            self.removed.iter().filter(is_unknown).map(ClusterName::as_str).take(MOST).collect();
        let unknown = (clusters.is_seen() && !unknown.is_empty())
            .then(|| format!("{} is no cluster, or has left for good", unknown.join(", ")));
        let told = self.unremovable.iter().cloned().chain(unknown);
        told.map(|why| format!("annotation {REMOVE_CLUSTERS}: {why}")).collect()
    }
}

fn plan(spec: &Value) -> Plan {
    match serde_json::from_value::<StatusAggregationSpec>(spec.clone()) {
        Ok(spec) => Plan::of(&spec),
        Err(error) => {
            let mut plan = Plan::of(&StatusAggregationSpec::default());
            plan.problems = vec![format!("the spec cannot be read: {error}")];
            plan
        }
    }
}

impl Aggregation {
    /// The body that is applied to the status of an object, if nobody else has changed it meanwhile; nothing of ours stands there after one
    /// without a status.
    pub(in crate::hub) fn body(&self, object: &ObjectName, status: Value) -> Value {
        let target = &self.plan.target;
        let mut body = leftovers::nothing(&target.api_version, &target.kind, object);
        if !status.is_null() {
            body["status"] = status;
        }
        at_version(&mut body, self.objects.get(object).and_then(|seen| seen.version));
        body
    }
}
