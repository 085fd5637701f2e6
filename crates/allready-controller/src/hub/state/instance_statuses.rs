//! The InstanceStatuses that the hub keeps, where an object has no room for the shares of all clusters.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_kube::{
    list_watch::{Room, Store},
    refusal::Refusal,
    report::labels,
};
use serde_json::Value;

use super::{
    HubKey, HubState, ObjectEvent, Target,
    standing::{digest, label, named, version},
};
pub use crate::hub::reports::AGGREGATION_LABEL;
use crate::hub::{ClusterName, Instance, ObjectName, reports};

/// The label of every InstanceStatus, ClusterStatus and Lease that the hub writes.
pub(in crate::hub) const MADE_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "allready-hub");

/// The InstanceStatuses that stand, and those that may be wanted.
#[derive(Debug)]
pub(in crate::hub) struct InstanceStatuses {
    pub(in crate::hub) store: Store<ObjectName, StandingInstanceStatus>,
    /// The instances that reports are, or were, wanted on: the aggregation, the object and the cluster, by the name of the report.
    pub(in crate::hub) instances: BTreeMap<ObjectName, (Arc<str>, ObjectName, ClusterName)>,
    /// InstanceStatuses, ClusterStatuses and Leases that could not be written, and why.
    refused: BTreeMap<Target, String>,
    /// Those that somebody else made or wrote to, by the reason: they are neither read nor deleted.
    forged: BTreeMap<ObjectName, &'static str>,
}

/// An InstanceStatus that stands.
#[derive(Debug)]
pub(in crate::hub) struct StandingInstanceStatus {
    pub(in crate::hub) digest: u64,
    pub(in crate::hub) version: Option<u64>,
    /// None for one that cannot be read, or that is not believed: it is left alone.
    pub(in crate::hub) about: Option<About>,
    /// Why it is not believed, if it is not.
    pub(in crate::hub) forged: Option<&'static str>,
}

impl StandingInstanceStatus {
    /// The bytes that it takes, under this name.
    fn bytes(name: &ObjectName, standing: &Self) -> usize {
        const OBJECT: usize = 600;
        let said = standing.about.as_ref().map_or(0, |about| 300 + about.said.bytes());
        OBJECT + 4 * (name.namespace.len() + name.name.len()) + said
    }
}

/// The instance that a report is about.
#[derive(Debug)]
pub(in crate::hub) struct About {
    /// The label of the aggregation, which may be seen later than the report.
    pub(in crate::hub) aggregation: Arc<str>,
    /// The kind of its object.
    pub(in crate::hub) kind: Arc<str>,
    /// Its object; in the namespace of the report, even if it has none itself.
    object: ObjectName,
    pub(in crate::hub) cluster: ClusterName,
    /// Its words, for whoever has not heard the cluster.
    said: Box<Instance>,
}

impl InstanceStatuses {
    pub(super) fn new(now: Duration, room: &Arc<Room>) -> Self {
        Self {
            store: Store::new(now).within(room, StandingInstanceStatus::bytes),
            instances: BTreeMap::new(),
            refused: BTreeMap::new(),
            forged: BTreeMap::new(),
        }
    }

    /// That some cannot be written, and why.
    pub(in crate::hub) fn refusal(&self) -> Option<String> {
        let (target, why) = self.refused.first_key_value()?;
        Some(match self.refused.len() {
            1 => format!("{target} cannot be written: {why}"),
            many => format!("{many} objects cannot be written, such as {target}: {why}"),
        })
    }

    /// That some were not made by the hub, and are not read.
    pub(in crate::hub) fn forged(&self) -> Option<String> {
        let (name, why) = self.forged.first_key_value()?;
        let more = match self.forged.len() {
            1 => String::new(),
            many => format!(" and {} more", many - 1),
        };
        Some(format!("not read, as {why}: InstanceStatus {name}{more}; find out who made it, and delete it"))
    }

    /// The words of the clusters about an object before: to earlier controllers, or for an earlier plan.
    fn said_before(&self, label: &str, kind: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let all = self.store.iter().filter_map(|(_, report)| report.about.as_ref());
        let own = all
            .filter(|about| *about.aggregation == *label && *about.kind == *kind && about.object == *object);
        own.map(|about| (about.cluster.clone(), (*about.said).clone())).collect()
    }
}

impl HubState {
    pub(super) fn take_instance_status(&mut self, event: ObjectEvent, now: Duration) {
        let (is_listed, is_failure) =
            (matches!(event, ObjectEvent::InitDone), matches!(event, ObjectEvent::Failed(_)));
        if let ObjectEvent::Apply(name, object) = &event {
            let known = self.instance_statuses.store.get(name).and_then(|known| known.version);
            if !self.instance_statuses.store.is_listing() && known > version(object) {
                return; // a watch that is behind our own write
            }
        }
        let event = event.map(|object| self.read_instance_status(&object));
        let mut is_other = false;
        for name in self.instance_statuses.store.apply(event, now) {
            let InstanceStatuses { store, forged, .. } = &mut self.instance_statuses;
            is_other |= match store.get(&name).and_then(|found| found.forged) {
                Some(why) => forged.insert(name.clone(), why) != Some(why),
                None => forged.remove(&name).is_some(),
            };
            self.due.insert(HubKey::InstanceStatus(name));
        }
        if is_listed {
            self.everything_changed();
        } else if is_failure || is_other {
            self.aggregations_changed();
        }
    }

    /// Takes a report as the answer to a write shows it.
    pub(in crate::hub) fn instance_status_stands(&mut self, object: &Value) {
        let name = named(object);
        let known = self.instance_statuses.store.get(&name).and_then(|known| known.version);
        if known <= version(object) {
            let report = self.read_instance_status(object);
            if report.forged.is_none() && self.instance_statuses.forged.remove(&name).is_some() {
                self.aggregations_changed();
            }
            self.instance_statuses.store.update(name, report);
        }
    }

    /// Reads a report of ours, and recalls what it remembers.
    fn read_instance_status(&mut self, object: &Value) -> StandingInstanceStatus {
        let about = About::read(object);
        let forged = if about.is_none() { None } else { reports::forged(object) };
        let about = about.filter(|_| forged.is_none());
        if let Some(about) = &about
            && let Some((aggregation, object)) = self.subject_of(about)
        {
            self.recall_one(&aggregation, &object, &about.cluster, &about.said);
        }
        StandingInstanceStatus { digest: told(object), version: version(object), about, forged }
    }

    /// The aggregation whose name is so as a label.
    pub(in crate::hub) fn labelled(&self, label: &str) -> Option<Arc<str>> {
        self.aggregations.keys().find(|name| labels::value(name) == label).cloned()
    }

    /// The aggregation that a report is for, and the object that it is about: one without a namespace has its reports in ours.
    pub(in crate::hub) fn subject_of(&self, about: &About) -> Option<(Arc<str>, ObjectName)> {
        let About { aggregation, kind, object, .. } = about;
        let name = self.labelled(aggregation)?;
        let found = self.aggregations.get(&name).filter(|found| found.plan.target.kind == **kind)?;
        let bare = ObjectName::new("", &object.name);
        let is_ours = *object.namespace == *self.options.namespace;
        let named = found.subjects.contains_key(object).then(|| object.clone());
        let object = named.or_else(|| (is_ours && found.subjects.contains_key(&bare)).then_some(bare))?;
        Some((name, object))
    }

    /// The words of the clusters about an object before: to earlier controllers, or for an earlier plan.
    pub(super) fn reported_before(&self, name: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let Some(aggregation) = self.aggregations.get(name) else { return Vec::new() };
        let about = ObjectName { namespace: self.report_namespace(object), name: Arc::clone(&object.name) };
        self.instance_statuses.said_before(&labels::value(name), &aggregation.plan.target.kind, &about)
    }

    /// Tells an object what a cluster said before, if it has not heard the cluster itself.
    fn recall_one(
        &mut self,
        aggregation: &Arc<str>,
        object: &ObjectName,
        cluster: &ClusterName,
        said: &Instance,
    ) {
        let found = self.aggregations.get_mut(aggregation);
        let found = found.filter(|found| found.may_recall(cluster, &self.clusters));
        if let Some(subject) = found.and_then(|found| found.subjects.get_mut(object))
            && subject.shares().get(cluster).is_some_and(|share| !share.is_known)
        {
            subject.recall(cluster, said.clone());
            self.instance_changed(aggregation, object, cluster);
        }
    }

    /// Takes whether an object of ours could be written, or why not. A failure that may pass is told when it lasts.
    pub(in crate::hub) fn own_written(
        &mut self,
        target: &Target,
        refused: Option<(Refusal, String)>,
        failures: u32,
    ) {
        let is_new = match refused {
            None => self.instance_statuses.refused.remove(target).is_some(),
            Some((refusal, why)) if !refusal.may_pass() || failures >= LASTING => {
                self.instance_statuses.refused.insert(target.clone(), why).is_none()
            }
            Some(_) => false,
        };
        if is_new {
            self.aggregations_changed();
        }
    }

    /// Nothing is to be written to an object of ours, so nothing is refused.
    pub(in crate::hub) fn own_settled(&mut self, target: &Target) {
        if self.instance_statuses.refused.remove(target).is_some() {
            self.aggregations_changed();
        }
    }
}

/// After how many failures in a row a write is told to be refused, whatever the reason.
pub(in crate::hub) const LASTING: u32 = 5;

impl About {
    /// Reads what a report of ours is about; none for other reports.
    fn read(object: &Value) -> Option<Self> {
        let aggregation = label(object, AGGREGATION_LABEL)?.into();
        let kind = object["spec"]["targetRef"]["kind"].as_str().unwrap_or_default().into();
        let (object, cluster, said) = reports::recalled(object)?;
        Some(Self { aggregation, kind, object, cluster, said: Box::new(said) })
    }
}

/// The digest of what a report says, and whom it belongs to.
pub(in crate::hub) fn told(report: &Value) -> u64 {
    digest([&report["spec"], &report["status"], &report["metadata"]["ownerReferences"][0]["uid"]])
}
