//! One StatusAggregation: its plan, its objects, and which clusters are believed.

mod clusters;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_kube::kinds::StatusAggregationSpec;
use serde_json::Value;

use super::{
    contest::{self, Contest},
    standing::Watched,
    view::View,
};
use crate::hub::{
    ClusterName, HubFacts, Instance, ObjectName, Place, Plan, Reader, Subject, Topic, TopicId, manager,
    remains,
};

/// One StatusAggregation.
#[derive(Debug)]
pub(in crate::hub::board) struct Aggregation {
    pub(in crate::hub::board) name: Arc<str>,
    epoch: u64,
    pub(in crate::hub::board) generation: i64,
    pub(in crate::hub::board) spec: Value,
    pub(in crate::hub::board) plan: Arc<Plan>,
    reader: Arc<Reader>,
    /// What stands in its status.
    pub(in crate::hub::board) standing: Value,
    /// Its objects on the hub.
    pub(in crate::hub::board) subjects: BTreeMap<ObjectName, Subject>,
    /// What clusters said of objects that are not on the hub, or not chosen: they may be one day.
    waiting: BTreeMap<ObjectName, BTreeMap<ClusterName, Instance>>,
    pub(in crate::hub::board) chosen: Arc<BTreeSet<ClusterName>>,
    pub(in crate::hub::board) views: BTreeMap<ClusterName, View>,
    /// The objects of the hub.
    pub(in crate::hub::board) seen: Watched,
    /// Objects that an earlier plan has written to, and that have not been seen since.
    pub(in crate::hub::board) inherited: BTreeSet<ObjectName>,
    /// What clusters said of objects to an earlier plan, until they are seen.
    pub(in crate::hub::board) remembered: BTreeMap<ObjectName, Vec<(ClusterName, Instance)>>,
    /// Objects whose status was refused, and why.
    pub(in crate::hub::board) refused: BTreeMap<ObjectName, String>,
    /// Objects whose conditions somebody else has written over.
    pub(in crate::hub::board) contests: BTreeMap<ObjectName, Contest>,
    /// Objects of which each cluster has a report of its own.
    pub(in crate::hub::board) reported: BTreeSet<ObjectName>,
    /// The versions of its objects, as far as they have been seen.
    pub(in crate::hub::board) versions: BTreeMap<ObjectName, u64>,
    /// What keeps its DNS records from being written.
    pub(in crate::hub::board) dns_trouble: Option<String>,
    /// The DNSEndpoints that were refused, and why.
    pub(in crate::hub::board) dns_refused: BTreeMap<ObjectName, String>,
    /// What of its DNS records cannot be published.
    pub(in crate::hub::board) dns_notes: BTreeMap<ObjectName, Vec<String>>,
    pub(in crate::hub::board) is_dirty: bool,
}

impl Aggregation {
    pub(in crate::hub::board) fn new(name: Arc<str>, epoch: u64, object: &Value, now: Duration) -> Self {
        let spec = object["spec"].clone();
        let plan = Arc::new(plan(&spec));
        let reader = Arc::new(Reader::new(&plan));
        Self {
            name,
            epoch,
            generation: object["metadata"]["generation"].as_i64().unwrap_or_default(),
            spec,
            plan,
            reader,
            standing: object["status"].clone(),
            subjects: BTreeMap::new(),
            waiting: BTreeMap::new(),
            chosen: Arc::default(),
            views: BTreeMap::new(),
            seen: Watched::new(now),
            inherited: BTreeSet::new(),
            remembered: BTreeMap::new(),
            refused: BTreeMap::new(),
            contests: BTreeMap::new(),
            reported: BTreeSet::new(),
            versions: BTreeMap::new(),
            dns_trouble: None,
            dns_refused: BTreeMap::new(),
            dns_notes: BTreeMap::new(),
            is_dirty: true,
        }
    }

    /// Who it is in the record of who wrote what: several aggregations may write to one object.
    pub(in crate::hub::board) fn manager(&self) -> String {
        manager(&self.name)
    }

    /// What of the DNS records of an object cannot be published.
    pub(in crate::hub::board) fn note_dns(&mut self, object: &ObjectName, notes: Vec<String>) {
        if self.dns_notes.get(object).map_or(&[][..], Vec::as_slice) == notes {
            return;
        }
        self.is_dirty = true;
        if notes.is_empty() {
            self.dns_notes.remove(object);
        } else {
            self.dns_notes.insert(object.clone(), notes);
        }
    }

    /// Notes whether what was ours in an object has become somebody else's.
    pub(in crate::hub::board) fn compare(
        &mut self,
        object: &ObjectName,
        before: &HubFacts,
        after: &HubFacts,
        now: Duration,
    ) {
        let Some(rival) = contest::taken(&self.plan, before, after) else { return };
        let contest = self.contests.entry(object.clone());
        contest.or_insert_with(|| Contest::new(rival.clone(), now)).lose(rival, after.version, now);
        self.tell_rival(object, now);
    }

    /// Tells in the status of an object who else writes to it.
    pub(in crate::hub::board) fn tell_rival(&mut self, object: &ObjectName, now: Duration) {
        let contest = self.contests.get(object).filter(|contest| contest.is_on(now));
        if let Some(subject) = self.subjects.get_mut(object) {
            subject.rival(contest.map(|contest| contest.rival.clone()));
        }
    }

    /// Where the status of an object is written.
    pub(in crate::hub::board) fn place(&self, object: &ObjectName) -> Place {
        Place::Status { aggregation: Arc::clone(&self.name), kind: self.kind(), object: object.clone() }
    }

    /// The kind of its objects, as places name it.
    pub(in crate::hub::board) fn kind(&self) -> Arc<str> {
        Place::kind(&self.plan.target.api_version, &self.plan.target.kind)
    }

    /// Whether it is about objects of the same kind as another one.
    pub(in crate::hub::board) fn has_kind_of(&self, other: &Self) -> bool {
        self.is_about(&other.plan.target.api_version, &other.plan.target.kind)
    }

    /// Whether it is about objects of a kind, in whatever version.
    pub(in crate::hub::board) fn is_about(&self, api_version: &str, kind: &str) -> bool {
        self.kind() == Place::kind(api_version, kind)
    }

    /// Which plan of which aggregation it is.
    pub(in crate::hub::board) fn id(&self) -> TopicId {
        (Arc::clone(&self.name), self.epoch)
    }

    pub(in crate::hub::board) fn topic(&self) -> Topic {
        let target = &self.plan.target;
        Topic {
            api_version: target.api_version.clone(),
            kind: target.kind.clone(),
            namespaces: target.namespaces.clone(),
            selector: self.plan.instances.clone(),
            clusters: Some(Arc::clone(&self.chosen)),
            reader: Arc::clone(&self.reader),
        }
    }

    /// The index of an object that appears on the hub.
    pub(in crate::hub::board) fn subject(&mut self, object: &ObjectName) -> &mut Subject {
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
    pub(in crate::hub::board) fn release(&mut self, object: &ObjectName) {
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

    /// The objects that it has, or had, and whether something of it is known to stand there.
    pub(in crate::hub::board) fn touched(&self) -> BTreeMap<ObjectName, bool> {
        let own = self.subjects.iter().map(|(object, subject)| {
            (object.clone(), subject.facts().is_some_and(|facts| !facts.ours.is_empty()))
        });
        own.chain(self.inherited.iter().map(|object| (object.clone(), true))).collect()
    }

    /// The rows of its objects, for a plan that takes its place.
    pub(in crate::hub::board) fn memory(&self) -> BTreeMap<ObjectName, Vec<(ClusterName, Instance)>> {
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

    /// Whether it may choose an object of this name, if it is of its kind.
    pub(in crate::hub::board) fn may_choose(&self, object: &ObjectName) -> bool {
        let namespaces = &self.plan.target.namespaces;
        object.namespace.is_empty()
            || namespaces.is_empty()
            || namespaces.iter().any(|own| *own == *object.namespace)
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
    /// What is applied to the status of an object; nothing of ours stands there after one without a status.
    pub(in crate::hub::board) fn body(&self, object: &ObjectName, status: Value) -> Value {
        let target = &self.plan.target;
        let mut body = remains::nothing(&target.api_version, &target.kind, object);
        if !status.is_null() {
            body["status"] = status;
        }
        body
    }
}
