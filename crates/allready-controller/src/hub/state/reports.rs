//! The StatusReports that the hub keeps: on instances, where their object has no room for all of it, and on clusters.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_core::{Condition, Time, found};
use allready_kube::{list_watch::Store, refusal::Refusal, report::labels};
use serde_json::Value;

use super::{
    HubState, ObjectEvent,
    standing::{digest, label, named, version},
};
pub use crate::hub::reports::AGGREGATION_LABEL;
use crate::hub::{ClusterName, Instance, ObjectName, reports};

/// The label of a report on a cluster: its name.
pub const CLUSTER_LABEL: &str = "allready.dev/cluster";
/// The label of every report that the hub writes.
pub(in crate::hub) const MADE_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "allready-hub");

/// The reports that stand, and those that may be wanted.
#[derive(Debug)]
pub(in crate::hub) struct Reports {
    pub(in crate::hub) store: Store<ObjectName, Report>,
    /// The instances that reports are, or were, wanted on: the aggregation, the object and the cluster, by the name of the report.
    pub(in crate::hub) instances: BTreeMap<ObjectName, (Arc<str>, ObjectName, ClusterName)>,
    /// Reports that could not be written, and why.
    refused: BTreeMap<ObjectName, String>,
}

/// A report that stands.
#[derive(Debug)]
pub(in crate::hub) struct Report {
    pub(in crate::hub) digest: u64,
    pub(in crate::hub) version: Option<u64>,
    pub(in crate::hub) about: About,
}

/// The subject of a report.
#[derive(Debug)]
pub(in crate::hub) enum About {
    /// An instance.
    Instance {
        /// The label of the aggregation, which may be seen later than the report.
        aggregation: Arc<str>,
        /// The kind of its object.
        kind: Arc<str>,
        /// Its object; in the namespace of the report, even if it has none itself.
        object: ObjectName,
        cluster: ClusterName,
        /// What it said, for whoever has not heard the cluster.
        said: Box<Instance>,
    },
    /// A cluster.
    Cluster {
        cluster: ClusterName,
        heard: Option<Time>,
        reachable: Option<Condition>,
        /// The number of its objects, and where it is known from.
        objects: Option<u64>,
        source: Arc<str>,
    },
    /// Something else, that is left alone.
    Other,
}

impl Reports {
    pub(super) fn new(now: Duration) -> Self {
        Self { store: Store::new(now), instances: BTreeMap::new(), refused: BTreeMap::new() }
    }

    /// That some cannot be written, and why.
    pub(in crate::hub) fn refusal(&self) -> Option<String> {
        let (name, why) = self.refused.first_key_value()?;
        Some(match self.refused.len() {
            1 => format!("the StatusReport {name} cannot be written: {why}"),
            many => format!("{many} StatusReports cannot be written, such as {name}: {why}"),
        })
    }

    /// When earlier controllers heard the clusters.
    pub(super) fn heard_before(&self) -> Vec<(ClusterName, Time)> {
        let heard = self.store.iter().filter_map(|(_, report)| match &report.about {
            About::Cluster { cluster, heard, .. } => Some((cluster.clone(), (*heard)?)),
            About::Instance { .. } | About::Other => None,
        });
        heard.collect()
    }

    /// What the clusters said of an object before: to earlier controllers, or for an earlier plan.
    fn said_before(&self, label: &str, kind: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let said = self.store.iter().filter_map(|(_, report)| match &report.about {
            About::Instance { aggregation, kind: of, object: about, cluster, said }
                if **aggregation == *label && **of == *kind && about == object =>
            {
                Some((cluster.clone(), (**said).clone()))
            }
            _ => None,
        });
        said.collect()
    }
}

impl HubState {
    pub(super) fn take_report(&mut self, event: ObjectEvent, now: Duration) {
        let (is_listed, is_failure) =
            (matches!(event, ObjectEvent::InitDone), matches!(event, ObjectEvent::Failed(_)));
        if let ObjectEvent::Apply(name, object) = &event {
            let known = self.reports.store.get(name).and_then(|known| known.version);
            if !self.reports.store.is_listing() && known > version(object) {
                return; // a watch that is behind our own write
            }
        }
        let event = event.map(|object| self.read_report(&object));
        for name in self.reports.store.apply(event, now) {
            self.due.insert(self.key_of_report(&name));
        }
        if is_listed {
            self.everything_changed();
        } else if is_failure {
            self.aggregations_changed();
        }
    }

    /// Takes a report as the answer to a write shows it.
    pub(in crate::hub) fn report_stands(&mut self, object: &Value) {
        let name = named(object);
        let known = self.reports.store.get(&name).and_then(|known| known.version);
        if known <= version(object) {
            let report = self.read_report(object);
            self.reports.store.update(name, report);
        }
    }

    /// Reads a report of ours, and recalls what it remembers.
    fn read_report(&mut self, object: &Value) -> Report {
        let about = About::read(object).unwrap_or(About::Other);
        match &about {
            About::Cluster { cluster, heard: Some(heard), .. } => self.clusters.recall(cluster, *heard),
            About::Cluster { heard: None, .. } | About::Other => {}
            About::Instance { cluster, said, .. } => {
                if let Some((aggregation, object)) = self.subject_of(&about) {
                    self.recall_one(&aggregation, &object, cluster, said);
                }
            }
        }
        Report { digest: told(object), version: version(object), about }
    }

    /// The aggregation whose name is so as a label.
    pub(in crate::hub) fn labelled(&self, label: &str) -> Option<Arc<str>> {
        self.aggregations.keys().find(|name| labels::value(name) == label).cloned()
    }

    /// The aggregation that a report is for, and the object that it is about: one without a namespace has its reports in ours.
    pub(in crate::hub) fn subject_of(&self, about: &About) -> Option<(Arc<str>, ObjectName)> {
        let About::Instance { aggregation, kind, object, .. } = about else { return None };
        let name = self.labelled(aggregation)?;
        let found = self.aggregations.get(&name).filter(|found| found.plan.target.kind == **kind)?;
        let bare = ObjectName::new("", &object.name);
        let is_ours = *object.namespace == *self.options.namespace;
        let named = found.subjects.contains_key(object).then(|| object.clone());
        let object = named.or_else(|| (is_ours && found.subjects.contains_key(&bare)).then_some(bare))?;
        Some((name, object))
    }

    /// What the clusters said of an object before: to earlier controllers, or for an earlier plan.
    pub(super) fn reported_before(&self, name: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let Some(aggregation) = self.aggregations.get(name) else { return Vec::new() };
        let about = ObjectName { namespace: self.report_namespace(object), name: Arc::clone(&object.name) };
        self.reports.said_before(&labels::value(name), &aggregation.plan.target.kind, &about)
    }

    /// Tells an object what a cluster said before, if it has not heard the cluster itself.
    fn recall_one(
        &mut self,
        aggregation: &Arc<str>,
        object: &ObjectName,
        cluster: &ClusterName,
        said: &Instance,
    ) {
        let subject = self.aggregations.get_mut(aggregation).and_then(|found| found.subjects.get_mut(object));
        if let Some(subject) = subject
            && self.clusters.may_be_recalled(cluster)
            && subject.shares().get(cluster).is_some_and(|share| !share.is_known)
        {
            subject.recall(cluster, said.clone());
            self.instance_changed(aggregation, object, cluster);
        }
    }

    /// Takes whether a report could be written, or why not. A failure that may pass is told when it lasts.
    pub(in crate::hub) fn report_written(
        &mut self,
        name: &ObjectName,
        refused: Option<(Refusal, String)>,
        failures: u32,
    ) {
        let is_new = match refused {
            None => self.reports.refused.remove(name).is_some(),
            Some((refusal, why)) if !refusal.may_pass() || failures >= LASTING => {
                self.reports.refused.insert(name.clone(), why).is_none()
            }
            Some(_) => false,
        };
        if is_new {
            self.aggregations_changed();
        }
    }

    /// Nothing is to be written to a report, so nothing is refused.
    pub(in crate::hub) fn report_settled(&mut self, name: &ObjectName) {
        if self.reports.refused.remove(name).is_some() {
            self.aggregations_changed();
        }
    }
}

/// After how many failures in a row a write is told to be refused, whatever the reason.
pub(in crate::hub) const LASTING: u32 = 5;

impl About {
    /// What a report of ours is about; none for other reports.
    fn read(object: &Value) -> Option<Self> {
        if let Some(cluster) = label(object, CLUSTER_LABEL) {
            let conditions = found::of_object(object);
            return Some(Self::Cluster {
                cluster: cluster.parse().ok()?,
                heard: object["status"]["lastHeard"].as_str().and_then(|heard| heard.parse().ok()),
                reachable: conditions.find("Reachable").map(|condition| condition.to_condition(Time::EPOCH)),
                objects: object["status"]["cluster"]["objects"].as_u64(),
                source: object["status"]["cluster"]["source"].as_str().unwrap_or_default().into(),
            });
        }
        let aggregation = label(object, AGGREGATION_LABEL)?.into();
        let kind = object["spec"]["targetRef"]["kind"].as_str().unwrap_or_default().into();
        let (object, cluster, said) = reports::recalled(object)?;
        Some(Self::Instance { aggregation, kind, object, cluster, said: Box::new(said) })
    }
}

/// What a report says, and whom it belongs to.
pub(in crate::hub) fn told(report: &Value) -> u64 {
    digest([&report["spec"], &report["status"], &report["metadata"]["ownerReferences"][0]["uid"]])
}
