//! One StatusAggregation: its plan, its objects, and which clusters are believed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::Time;
use allready_kube::kinds::StatusAggregationSpec;
use serde_json::Value;

use super::{
    contest::{self, Contest},
    standing::Watched,
    view::{View, is_the_same_silence},
};
use crate::hub::{
    ClusterName, Doubt, HubFacts, Instance, Link, ObjectName, Place, Plan, Reader, Subject, Topic, TopicId,
    manager, remains,
};

/// One StatusAggregation.
#[derive(Debug)]
pub(super) struct Aggregation {
    pub(super) name: Arc<str>,
    epoch: u64,
    pub(super) generation: i64,
    pub(super) spec: Value,
    pub(super) plan: Arc<Plan>,
    reader: Arc<Reader>,
    /// What stands in its status.
    pub(super) standing: Value,
    /// Its objects on the hub.
    pub(super) subjects: BTreeMap<ObjectName, Subject>,
    /// What clusters said of objects that are not on the hub, or not chosen: they may be one day.
    waiting: BTreeMap<ObjectName, BTreeMap<ClusterName, Instance>>,
    pub(super) chosen: Arc<BTreeSet<ClusterName>>,
    pub(super) views: BTreeMap<ClusterName, View>,
    /// The objects of the hub.
    pub(super) seen: Watched,
    /// Objects that an earlier plan has written to, and that have not been seen since.
    pub(super) inherited: BTreeSet<ObjectName>,
    /// What clusters said of objects to an earlier plan, until they are seen.
    pub(super) remembered: BTreeMap<ObjectName, Vec<(ClusterName, Instance)>>,
    /// Objects whose status was refused, and why.
    pub(super) refused: BTreeMap<ObjectName, String>,
    /// Objects whose conditions somebody else has written over.
    pub(super) contests: BTreeMap<ObjectName, Contest>,
    /// Objects of which each cluster has a report of its own.
    pub(super) reported: BTreeSet<ObjectName>,
    /// The versions of its objects, as far as they have been seen.
    pub(super) versions: BTreeMap<ObjectName, u64>,
    /// What keeps its DNS records from being written.
    pub(super) dns_trouble: Option<String>,
    /// The DNSEndpoints that were refused, and why.
    pub(super) dns_refused: BTreeMap<ObjectName, String>,
    /// What of its DNS records cannot be published.
    pub(super) dns_notes: BTreeMap<ObjectName, Vec<String>>,
    pub(super) is_dirty: bool,
}

impl Aggregation {
    pub(super) fn new(name: Arc<str>, epoch: u64, object: &Value, now: Duration) -> Self {
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
    pub(super) fn manager(&self) -> String {
        manager(&self.name)
    }

    /// What of the DNS records of an object cannot be published.
    pub(super) fn note_dns(&mut self, object: &ObjectName, notes: Vec<String>) {
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
    pub(super) fn compare(
        &mut self,
        object: &ObjectName,
        before: &HubFacts,
        after: &HubFacts,
        now: Duration,
    ) {
        let Some(rival) = contest::taken(&self.plan, before, after) else { return };
        let contest = self.contests.entry(object.clone());
        contest.or_insert_with(|| Contest::new(rival.clone(), now)).lose(rival, now);
        self.tell_rival(object, now);
    }

    /// Tells in the status of an object who else writes to it.
    pub(super) fn tell_rival(&mut self, object: &ObjectName, now: Duration) {
        let contest = self.contests.get(object).filter(|contest| contest.is_on(now));
        if let Some(subject) = self.subjects.get_mut(object) {
            subject.rival(contest.map(|contest| contest.rival.clone()));
        }
    }

    /// Where the status of an object is written.
    pub(super) fn place(&self, object: &ObjectName) -> Place {
        Place::Status {
            aggregation: Arc::clone(&self.name),
            kind: self.plan.target.kind.as_str().into(),
            object: object.clone(),
        }
    }

    /// Whether it is about objects of the same kind as another one.
    pub(super) fn has_kind_of(&self, other: &Self) -> bool {
        self.is_about(&other.plan.target.api_version, &other.plan.target.kind)
    }

    /// Whether it is about objects of a kind, in whatever version.
    pub(super) fn is_about(&self, api_version: &str, kind: &str) -> bool {
        let group = |api_version: &str| api_version.split_once('/').map_or("", |(group, _)| group).to_owned();
        let target = &self.plan.target;
        target.kind == kind && group(&target.api_version) == group(api_version)
    }

    /// Which plan of which aggregation it is.
    pub(super) fn id(&self) -> TopicId {
        (Arc::clone(&self.name), self.epoch)
    }

    pub(super) fn topic(&self) -> Topic {
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

    /// How many of its objects were seen in a cluster.
    pub(super) fn objects_in(&self, cluster: &ClusterName) -> usize {
        self.views.get(cluster).map_or(0, |view| view.objects.len())
    }

    /// A cluster is connected to anew: what it said is its last word until it speaks again, and its list is not complete.
    pub(super) fn reconnected(&mut self, cluster: &ClusterName, now: Duration) {
        if let Some(view) = self.views.get_mut(cluster) {
            view.failing = None;
            view.relisting.get_or_insert(now);
            view.unconfirmed.clone_from(&view.objects);
        }
    }

    /// What a cluster says of an object. Says whether that changes anything on the hub.
    pub(super) fn heard(
        &mut self,
        cluster: &ClusterName,
        object: &ObjectName,
        instance: Option<Instance>,
    ) -> bool {
        let Some(view) = self.views.get_mut(cluster) else { return false };
        let is_new = match &instance {
            Some(_) => view.objects.insert(object.clone()),
            None => view.objects.remove(object),
        };
        view.unconfirmed.remove(object);
        self.is_dirty |= is_new;
        if let Some(subject) = self.subjects.get_mut(object) {
            return subject.heard(cluster, instance);
        }
        match instance {
            Some(instance) => {
                self.waiting.entry(object.clone()).or_default().insert(cluster.clone(), instance);
            }
            None => {
                if let Some(clusters) = self.waiting.get_mut(object) {
                    clusters.remove(cluster);
                    if clusters.is_empty() {
                        self.waiting.remove(object);
                    }
                }
            }
        }
        false
    }

    /// All its objects in a cluster have been seen; or they cannot be, and why. Says whether objects have to be looked at.
    pub(super) fn seen_in(
        &mut self,
        cluster: &ClusterName,
        seen: Result<(), Arc<str>>,
        now: Duration,
        time: Time,
    ) -> bool {
        let Some(view) = self.views.get_mut(cluster) else { return false };
        match seen {
            Ok(()) => {
                (view.failing, view.relisting) = (None, None);
                let was_listed = std::mem::replace(&mut view.is_listed, true);
                let gone = std::mem::take(&mut view.unconfirmed);
                if was_listed && gone.is_empty() {
                    return false;
                }
                for object in &gone {
                    self.heard(cluster, object, None);
                }
                // What it does not have, it has said now.
                let objects = self.views.get(cluster).map(|view| &view.objects);
                for (object, subject) in &mut self.subjects {
                    if !objects.is_some_and(|objects| objects.contains(object)) {
                        subject.heard(cluster, None);
                    }
                }
                true
            }
            Err(why) => {
                let (since, when) = match view.failing.take() {
                    Some((since, when, _)) => (since, when),
                    None => (now, time),
                };
                view.failing = Some((since, when, why));
                false
            }
        }
    }

    /// Whether a cluster is believed. Says whether that changed.
    pub(super) fn judge(
        &mut self,
        cluster: &ClusterName,
        link: &Link,
        patience: Duration,
        now: Duration,
    ) -> bool {
        let Some(view) = self.views.get_mut(cluster) else { return false };
        let doubt = view.doubts(link, self.plan.unreachable_after, patience, now);
        if view.doubt == doubt || is_the_same_silence(view.doubt.as_ref(), doubt.as_ref()) {
            return false;
        }
        view.doubt.clone_from(&doubt);
        for subject in self.subjects.values_mut() {
            subject.doubt(cluster, doubt.clone());
        }
        true
    }

    /// Chooses among the clusters. Says which are new.
    pub(super) fn choose(&mut self, hub: &super::Clusters, now: Duration) -> bool {
        let known = hub.known();
        let chosen = known
            .iter()
            .filter(|(name, cluster)| self.plan.chooses(name, &cluster.labels))
            .map(|(name, _)| name.clone());
        // Who is asked for by name and is not there is missed.
        let named = self.plan.names.iter().filter(|_| hub.is_seen()).cloned();
        let chosen: BTreeSet<ClusterName> = chosen.chain(named).collect();
        let is_missed = self.miss(hub);
        if *self.chosen == chosen {
            return is_missed;
        }
        let gone: Vec<ClusterName> = self.chosen.difference(&chosen).cloned().collect();
        for cluster in gone {
            self.views.remove(&cluster);
            for subject in self.subjects.values_mut() {
                subject.forget(&cluster);
            }
            self.waiting.retain(|_, clusters| {
                clusters.remove(&cluster);
                !clusters.is_empty()
            });
        }
        for cluster in chosen.difference(&self.chosen) {
            let view = View { began: now, doubt: Some(Doubt::Pending), ..View::default() };
            self.views.insert(cluster.clone(), view);
            for subject in self.subjects.values_mut() {
                subject.choose(cluster);
                subject.doubt(cluster, Some(Doubt::Pending));
            }
        }
        self.chosen = Arc::new(chosen);
        self.miss(hub);
        true
    }

    /// Doubts the clusters that are chosen by name and are not in the inventory. Says whether that is new for any.
    fn miss(&mut self, hub: &super::Clusters) -> bool {
        let mut is_new = false;
        let missed = self.views.iter_mut().filter(|(cluster, _)| !hub.known().contains_key(*cluster));
        for (cluster, view) in missed {
            let why = "it is not among the clusters that this hub knows".into();
            let doubt = Some(Doubt::Unreachable { since: None, why });
            if view.doubt != doubt {
                is_new = true;
                // What it said has left with it.
                *view = View { began: view.began, doubt: doubt.clone(), ..View::default() };
                for subject in self.subjects.values_mut() {
                    subject.forget(cluster);
                    subject.choose(cluster);
                    subject.doubt(cluster, doubt.clone());
                }
                self.waiting.retain(|_, clusters| {
                    clusters.remove(cluster);
                    !clusters.is_empty()
                });
            }
        }
        is_new
    }

    /// The index of an object that appears on the hub.
    pub(super) fn subject(&mut self, object: &ObjectName) -> &mut Subject {
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
    pub(super) fn release(&mut self, object: &ObjectName) {
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
    pub(super) fn touched(&self) -> BTreeMap<ObjectName, bool> {
        let own = self.subjects.iter().map(|(object, subject)| {
            (object.clone(), subject.facts().is_some_and(|facts| !facts.ours.is_empty()))
        });
        own.chain(self.inherited.iter().map(|object| (object.clone(), true))).collect()
    }

    /// The rows of its objects, for a plan that takes its place.
    pub(super) fn memory(&self) -> BTreeMap<ObjectName, Vec<(ClusterName, Instance)>> {
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
    pub(super) fn may_choose(&self, object: &ObjectName) -> bool {
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
    pub(super) fn body(&self, object: &ObjectName, status: Value) -> Value {
        let target = &self.plan.target;
        let mut body = remains::nothing(&target.api_version, &target.kind, object);
        if !status.is_null() {
            body["status"] = status;
        }
        body
    }
}
