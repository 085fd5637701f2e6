//! One StatusAggregation: its plan, its objects, and which clusters are believed.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{
    Condition, ConditionType, Generation, Reason, Status, Time, condition::cut, condition_type, found, reason,
};
use allready_kube::kinds::StatusAggregationSpec;
use serde_json::{Value, json};

use super::{
    Change, Hub,
    standing::{Watched, named},
};
use crate::hub::{
    ClusterName, Doubt, Draft, Instance, Link, LinkState, ObjectName, Place, Plan, Reader, Subject, Topic,
    TopicId, manager,
};

/// One StatusAggregation.
#[derive(Debug)]
pub(super) struct Aggregation {
    name: Arc<str>,
    epoch: u64,
    generation: i64,
    spec: Value,
    pub(super) plan: Arc<Plan>,
    reader: Arc<Reader>,
    /// What stands in its status.
    standing: Value,
    /// Its objects on the hub.
    pub(super) subjects: BTreeMap<ObjectName, Subject>,
    /// What clusters said of objects that are not on the hub, or not chosen: they may be one day.
    waiting: BTreeMap<ObjectName, BTreeMap<ClusterName, Instance>>,
    chosen: Arc<BTreeSet<ClusterName>>,
    views: BTreeMap<ClusterName, View>,
    /// The objects of the hub.
    pub(super) seen: Watched,
    /// Objects whose status was refused, and why.
    pub(super) refused: BTreeMap<ObjectName, String>,
    /// Objects of which each cluster has a report of its own.
    pub(super) reported: BTreeSet<ObjectName>,
    /// The versions of its objects, as far as they have been seen.
    pub(super) versions: BTreeMap<ObjectName, u64>,
    /// What keeps its DNS records from being written.
    pub(super) dns_trouble: Option<String>,
    /// What of its DNS records cannot be published.
    pub(super) dns_notes: BTreeMap<ObjectName, Vec<String>>,
    pub(super) is_dirty: bool,
}

/// How the objects of this aggregation are seen in one cluster.
#[derive(Debug, Default)]
struct View {
    began: Duration,
    is_listed: bool,
    failing: Option<(Duration, Time, Arc<str>)>,
    doubt: Option<Doubt>,
    objects: BTreeSet<ObjectName>,
    /// Objects that an earlier connection saw: what this one does not show in its list is gone.
    unconfirmed: BTreeSet<ObjectName>,
}

impl Aggregation {
    fn new(name: Arc<str>, epoch: u64, object: &Value, now: Duration) -> Self {
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
            refused: BTreeMap::new(),
            reported: BTreeSet::new(),
            versions: BTreeMap::new(),
            dns_trouble: None,
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
    pub(super) fn reconnected(&mut self, cluster: &ClusterName) {
        if let Some(view) = self.views.get_mut(cluster) {
            view.failing = None;
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
                view.failing = None;
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
    fn choose(&mut self, hub: &super::Clusters, now: Duration) -> bool {
        let known = hub.known();
        let chosen: BTreeSet<ClusterName> = known
            .iter()
            .filter(|(name, cluster)| self.plan.chooses(name, &cluster.labels))
            .map(|(name, _)| name.clone())
            .collect();
        if *self.chosen == chosen {
            return false;
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
        true
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

    fn condition(
        &self,
        type_: ConditionType,
        status: Status,
        reason: Reason,
        message: &str,
        time: Time,
    ) -> Condition {
        let previous = found::read(&self.standing["conditions"]);
        let previous = previous.find(type_.as_str()).map(|previous| previous.to_condition(Time::EPOCH));
        let previous = previous.filter(|previous| previous.status == status);
        let since = previous.map_or(time, |previous| previous.last_transition_time);
        Condition::new(type_, status, reason, cut(message, MAX_MESSAGE).into_owned(), since)
            .observed(Generation::from(Some(self.generation)))
    }

    /// How the aggregation is doing: its own status.
    fn status(&self, clusters: &super::Clusters, trouble: Vec<String>, time: Time) -> Value {
        let heard = self.views.values().filter(|view| view.doubt.is_none()).count();
        let lost: Vec<&str> = self
            .views
            .iter()
            .filter(|(_, view)| view.doubt.is_some())
            .map(|(cluster, _)| cluster.as_str())
            .collect();
        let (status, reason, message) = if !self.plan.problems.is_empty() {
            (Status::False, reason!("SpecInvalid"), self.plan.problems.join("; "))
        } else if let Some((object, why)) = self.refused.first_key_value() {
            let more = many(self.refused.len(), "objects");
            (Status::False, reason!("WriteRefused"), format!("{more} cannot be written: {object}: {why}"))
        } else if let Some(why) = &self.dns_trouble {
            (Status::False, reason!("DnsUnavailable"), why.clone())
        } else if !trouble.is_empty() {
            (Status::Unknown, reason!("HubUnreadable"), trouble.join("; "))
        } else if !clusters.is_seen() {
            (Status::Unknown, reason!("InventoryUnknown"), "the clusters are not known yet".to_owned())
        } else if self.chosen.is_empty() {
            let why = format!("none of {} is chosen", many(clusters.known().len(), "known clusters"));
            (Status::Unknown, reason!("NoClusters"), why)
        } else if !lost.is_empty() {
            let names = first(&lost);
            let all = many(self.chosen.len(), "clusters");
            let why = format!("{} of {all} cannot be heard: {names}", lost.len());
            (Status::Unknown, reason!("ClusterUnreachable"), why)
        } else {
            let objects = many(self.subjects.len(), "objects");
            let why = format!("{objects} from {}", many(self.chosen.len(), "clusters"));
            (Status::True, reason!("AllClustersHeard"), why)
        };
        let mut conditions = vec![self.condition(condition_type!("Ready"), status, reason, &message, time)];
        if self.plan.dns.is_some() {
            let notes = self
                .dns_notes
                .iter()
                .flat_map(|(object, notes)| notes.iter().map(move |note| format!("{object}: {note}")));
            let notes = notes.collect::<Vec<_>>().join("; ");
            let (status, reason, message) = match &self.dns_trouble {
                Some(why) => (Status::False, reason!("DnsUnavailable"), why.as_str()),
                None if notes.is_empty() => (Status::True, reason!("Published"), ""),
                None => (Status::False, reason!("TargetsLeftOut"), notes.as_str()),
            };
            conditions.push(self.condition(condition_type!("DNSPublished"), status, reason, message, time));
        }
        json!({
            "observedGeneration": self.generation,
            "conditions": conditions,
            "objects": self.subjects.len(),
            "clusters": {
                "chosen": self.chosen.len(),
                "heard": heard,
                "summary": format!("{heard}/{}", self.chosen.len()),
            },
        })
    }
}

impl View {
    fn doubts(&self, link: &Link, unreachable: Duration, patience: Duration, now: Duration) -> Option<Doubt> {
        match link.state(unreachable, now) {
            LinkState::Lost { since, why } => return Some(Doubt::Unreachable { since, why }),
            LinkState::Pending if !self.is_listed => return Some(Doubt::Pending),
            LinkState::Pending | LinkState::Heard => {}
        }
        match &self.failing {
            Some((since, when, why)) if now.saturating_sub(*since) > patience => {
                return Some(Doubt::Unreadable { since: Some(*when), why: Arc::clone(why) });
            }
            // Before it was ever complete, a failure is no reason to believe what was seen of it.
            Some(_) if !self.is_listed => return Some(Doubt::Pending),
            _ => {}
        }
        if self.is_listed {
            return None;
        }
        if now.saturating_sub(self.began) > patience {
            let why = "its objects are still being listed".into();
            return Some(Doubt::Unreadable { since: None, why });
        }
        Some(Doubt::Pending)
    }
}

/// Whether it is still the same silence: that its cause is told in other words each time is no news.
fn is_the_same_silence(before: Option<&Doubt>, now: Option<&Doubt>) -> bool {
    match (before, now) {
        (Some(Doubt::Unreachable { since: before, .. }), Some(Doubt::Unreachable { since, .. }))
        | (Some(Doubt::Unreadable { since: before, .. }), Some(Doubt::Unreadable { since, .. })) => {
            before == since
        }
        _ => false,
    }
}

/// The most bytes of the message of an aggregation.
const MAX_MESSAGE: usize = 4096;

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

fn many(count: usize, what: &str) -> String {
    let what = if count == 1 { what.strip_suffix('s').unwrap_or(what) } else { what };
    format!("{count} {what}")
}

fn first(names: &[&str]) -> String {
    let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(5) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl Hub {
    pub(super) fn take_aggregation(&mut self, change: Change, now: Duration) {
        self.seen.note(&change, now);
        match change {
            Change::There(object) => self.aggregate(&object, now),
            Change::Gone(name) => self.stop_aggregating(&name.name, now),
            Change::Listed => self.reports.look_for_orphans(),
            Change::Listing | Change::Failed(_) => {}
        }
    }

    fn aggregate(&mut self, object: &Value, now: Duration) {
        let name: Arc<str> = named(object).name;
        if let Some(known) = self.aggregations.get_mut(&name)
            && known.spec == object["spec"]
        {
            known.standing = object["status"].clone();
            known.generation = object["metadata"]["generation"].as_i64().unwrap_or_default();
            known.is_dirty = true;
            return;
        }
        let before = self.aggregations.remove(&name);
        self.epochs += 1;
        let mut aggregation = Aggregation::new(Arc::clone(&name), self.epochs, object, now);
        aggregation.choose(&self.clusters, now);
        if let Some(before) = before.filter(|before| before.plan.target != aggregation.plan.target) {
            self.clear(&before, now);
        }
        self.aggregations.insert(name, aggregation);
        self.reports.look_for_orphans();
    }

    fn stop_aggregating(&mut self, name: &str, now: Duration) {
        if let Some(aggregation) = self.aggregations.remove(name) {
            self.outbox.forget(&Place::Aggregation(Arc::clone(&aggregation.name)));
            self.clear(&aggregation, now);
            self.dirty.retain(|(of, _), _| **of != *name);
            self.reports.look_for_orphans();
            // Others may have wanted the same objects.
            let others = self.aggregations.iter().flat_map(|(name, aggregation)| {
                aggregation.refused.keys().map(|object| (Arc::clone(name), object.clone()))
            });
            for (aggregation, object) in others.collect::<Vec<_>>() {
                self.touch(&aggregation, &object, None);
            }
        }
    }

    /// Takes away what was written for an aggregation that is not any more.
    fn clear(&mut self, aggregation: &Aggregation, now: Duration) {
        for (object, subject) in &aggregation.subjects {
            let place = Place::Status { aggregation: Arc::clone(&aggregation.name), object: object.clone() };
            if subject.facts().is_some_and(|facts| !facts.ours.is_empty()) {
                let body = aggregation.body(object, Value::Null);
                self.outbox.want(&place, Some(Draft::calm(Some(body))), now);
            } else {
                self.outbox.forget(&place);
            }
        }
    }

    /// The clusters are others: every aggregation chooses anew.
    pub(super) fn choose_clusters(&mut self, now: Duration) {
        let mut changed = Vec::new();
        for (name, aggregation) in &mut self.aggregations {
            aggregation.is_dirty = true;
            if aggregation.choose(&self.clusters, now) {
                let objects = aggregation.subjects.keys().cloned();
                changed.extend(objects.map(|object| (Arc::clone(name), object)));
            }
        }
        for (aggregation, object) in changed {
            self.recall_object(&aggregation, &object);
            self.touch(&aggregation, &object, None);
        }
    }

    /// Keeps the status of every aggregation.
    pub(super) fn look_at_aggregations(&mut self, now: Duration, time: Time) {
        let patience = self.options.patience;
        let Self { aggregations, clusters, outbox, .. } = self;
        for (name, aggregation) in aggregations {
            if !std::mem::take(&mut aggregation.is_dirty) {
                continue;
            }
            let mut trouble = Vec::new();
            if let Some(why) = aggregation.seen.trouble(patience, now) {
                trouble
                    .push(format!("the {}s of the hub cannot be seen: {why}", aggregation.plan.target.kind));
            }
            if let Some(why) = clusters.trouble(patience, now) {
                trouble.push(format!("the clusters cannot be seen: {why}"));
            }
            if clusters.is_seen() && aggregation.chosen.is_empty() {
                trouble.extend(clusters.problems.iter().take(5).cloned());
            }
            let status = aggregation.status(clusters, trouble, time);
            let place = Place::Aggregation(Arc::clone(name));
            let draft = (status != aggregation.standing).then(|| {
                Draft::calm(Some(json!({
                    "apiVersion": "allready.dev/v1alpha1",
                    "kind": "StatusAggregation",
                    "metadata": { "name": &**name },
                    "status": status,
                })))
            });
            outbox.want(&place, draft, now);
        }
    }
}

impl Aggregation {
    /// What is applied to the status of an object; nothing of ours stands there after one without a status.
    pub(super) fn body(&self, object: &ObjectName, status: Value) -> Value {
        let target = &self.plan.target;
        let mut body = json!({
            "apiVersion": target.api_version,
            "kind": target.kind,
            "metadata": { "name": &*object.name },
        });
        if !object.namespace.is_empty() {
            body["metadata"]["namespace"] = (*object.namespace).into();
        }
        if !status.is_null() {
            body["status"] = status;
        }
        body
    }
}
