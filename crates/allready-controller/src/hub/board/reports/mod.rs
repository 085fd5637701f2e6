//! The StatusReports that the hub keeps: on instances, where their object has no room for all of it, and on clusters.

mod orphans;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{Condition, Time, found};
use allready_kube::{refusal::Refusal, report::labels};
use serde_json::Value;

use super::{
    Change, Hub,
    objects::LASTING,
    standing::{Watched, digest, label, named},
};
pub use crate::hub::reports::AGGREGATION_LABEL;
use crate::hub::{ClusterName, Doubt, Draft, Instance, ObjectName, Place, dns::Owner, reports};

/// The label of a report on a cluster: its name.
pub const CLUSTER_LABEL: &str = "allready.dev/cluster";
/// The label of every report that the hub writes.
pub const MADE_BY: (&str, &str) = ("app.kubernetes.io/managed-by", "allready-hub");

/// The reports that stand.
#[derive(Debug)]
pub(super) struct Reports {
    seen: Watched,
    standing: BTreeMap<ObjectName, Report>,
    /// Reports that should stand.
    wanted: BTreeSet<ObjectName>,
    /// Reports that could not be written, and why.
    refused: BTreeMap<ObjectName, String>,
    may_have_orphans: bool,
    /// Whether reports may be about to be made that nobody wants any more.
    may_have_unwanted: bool,
    may_have_wanted: bool,
}

/// A report that stands.
#[derive(Debug)]
struct Report {
    digest: u64,
    about: About,
}

#[derive(Debug)]
enum About {
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
    Cluster { cluster: ClusterName, heard: Option<Time>, reachable: Option<Condition> },
}

impl Reports {
    pub(super) fn new(now: Duration) -> Self {
        Self {
            seen: Watched::new(now),
            standing: BTreeMap::new(),
            wanted: BTreeSet::new(),
            refused: BTreeMap::new(),
            may_have_orphans: false,
            may_have_unwanted: false,
            may_have_wanted: false,
        }
    }

    pub(super) fn is_seen(&self) -> bool {
        self.seen.is_listed()
    }

    /// Whether it is a matter of time until it is told that they cannot be seen.
    pub(super) fn is_unsettled(&self) -> bool {
        self.seen.is_unsettled()
    }

    /// Why they cannot be seen, if that has lasted for longer than this.
    pub(super) fn trouble(&self, patience: Duration, now: Duration) -> Option<&str> {
        self.seen.trouble(patience, now)
    }

    /// That some cannot be written, and why.
    pub(super) fn refusal(&self) -> Option<String> {
        let (name, why) = self.refused.first_key_value()?;
        Some(match self.refused.len() {
            1 => format!("the StatusReport {name} cannot be written: {why}"),
            many => format!("{many} StatusReports cannot be written, such as {name}: {why}"),
        })
    }

    /// Something may stand, or be about to, that nobody wants any more.
    pub(super) fn look_for_orphans(&mut self) {
        self.may_have_orphans = true;
        self.may_have_unwanted = true;
    }

    /// A report is wanted.
    pub(super) fn keep(&mut self, name: &ObjectName) {
        self.wanted.insert(name.clone());
    }

    /// When earlier controllers heard the clusters.
    pub(super) fn heard_before(&self) -> Vec<(ClusterName, Time)> {
        let heard = self.standing.values().filter_map(|report| match &report.about {
            About::Cluster { cluster, heard, .. } => Some((cluster.clone(), (*heard)?)),
            About::Instance { .. } => None,
        });
        heard.collect()
    }

    /// What the clusters said of an object before: to earlier controllers, or for an earlier plan.
    fn said_before(&self, label: &str, kind: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let said = self.standing.values().filter_map(|report| match &report.about {
            About::Instance { aggregation, kind: of, object: about, cluster, said }
                if **aggregation == *label && **of == *kind && about == object =>
            {
                Some((cluster.clone(), (**said).clone()))
            }
            _ => None,
        });
        said.collect()
    }

    /// The condition in the report on a cluster.
    pub(super) fn reachable(&self, name: &ObjectName) -> Option<&Condition> {
        match &self.standing.get(name)?.about {
            About::Cluster { reachable, .. } => reachable.as_ref(),
            About::Instance { .. } => None,
        }
    }
}

impl Hub {
    pub(super) fn take_report(&mut self, change: Change, now: Duration) {
        self.reports.seen.note(&change, now);
        match change {
            Change::There(object) => self.report_stands(&object),
            Change::Gone(name) => {
                let gone = self.reports.standing.remove(&name);
                let is_wanted = self.reports.wanted.contains(&name);
                match gone.map(|gone| gone.about).filter(|_| is_wanted) {
                    // Somebody took it away: it is made again.
                    Some(about @ About::Instance { .. }) => self.touch_report(&about),
                    Some(About::Cluster { cluster, .. }) => self.clusters.tell_again(&cluster),
                    None => {}
                }
            }
            Change::Listed => {
                self.reports.look_for_orphans();
                let all: Vec<_> = self.all_objects().collect();
                for (aggregation, object) in all {
                    self.touch(&aggregation, &object, None);
                }
            }
            Change::Listing | Change::Failed(_) => {}
        }
    }

    fn all_objects(&self) -> impl Iterator<Item = (Arc<str>, ObjectName)> {
        self.aggregations.iter().flat_map(|(name, aggregation)| {
            aggregation.subjects.keys().map(|object| (Arc::clone(name), object.clone()))
        })
    }

    fn report_stands(&mut self, object: &Value) {
        let name = named(object);
        let Some(about) = About::read(object) else { return };
        match &about {
            About::Cluster { cluster, heard: Some(heard), .. } => self.clusters.recall(cluster, *heard),
            About::Cluster { heard: None, .. } => {}
            About::Instance { cluster, said, .. } => {
                if let Some((aggregation, object)) = self.subject_of(&about) {
                    self.recall_one(&aggregation, &object, cluster, said);
                }
            }
        }
        let digest = told(object);
        let before = self.reports.standing.get(&name).map(|standing| standing.digest);
        if before != Some(digest) {
            self.touch_report(&about);
        }
        self.reports.standing.insert(name, Report { digest, about });
        self.reports.may_have_orphans = true;
    }

    /// The aggregation whose name is so as a label.
    pub(super) fn labelled(&self, label: &str) -> Option<Arc<str>> {
        self.aggregations.keys().find(|name| labels::value(name) == label).cloned()
    }

    /// The aggregation that a report is for, and the object that it is about: one without a namespace has its reports in ours.
    fn subject_of(&self, about: &About) -> Option<(Arc<str>, ObjectName)> {
        let About::Instance { aggregation, kind, object, .. } = about else { return None };
        let name = self.labelled(aggregation)?;
        let found = self.aggregations.get(&name).filter(|found| found.plan.target.kind == **kind)?;
        let bare = ObjectName::new("", &object.name);
        let is_ours = *object.namespace == *self.options.namespace;
        let named = found.subjects.contains_key(object).then(|| object.clone());
        let object = named.or_else(|| (is_ours && found.subjects.contains_key(&bare)).then_some(bare))?;
        Some((name, object))
    }

    fn touch_report(&mut self, about: &About) {
        let subject = self.subject_of(about);
        if let (About::Instance { cluster, .. }, Some((aggregation, object))) = (about, subject) {
            self.touch(&aggregation, &object, Some(cluster));
        }
    }

    /// What the clusters said of an object before: to earlier controllers, or for an earlier plan.
    pub(super) fn reported_before(&self, name: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let Some(aggregation) = self.aggregations.get(name) else { return Vec::new() };
        let namespace =
            if object.namespace.is_empty() { &*self.options.namespace } else { &*object.namespace };
        let about = ObjectName::new(namespace, &object.name);
        self.reports.said_before(&labels::value(name), &aggregation.plan.target.kind, &about)
    }

    /// Tells an object what a cluster said before, if it has not heard the cluster itself.
    fn recall_one(&mut self, aggregation: &str, object: &ObjectName, cluster: &ClusterName, said: &Instance) {
        let subject = self.aggregations.get_mut(aggregation).and_then(|found| found.subjects.get_mut(object));
        if let Some(subject) = subject
            && self.clusters.may_be_recalled(cluster)
            && subject.shares().get(cluster).is_some_and(|share| !share.is_known)
        {
            subject.recall(cluster, said.clone());
        }
    }

    /// The reports on the instances of an object: all of them, or those of the clusters of which something changed.
    pub(super) fn look_at_reports(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        are_wanted: bool,
        clusters: Option<&BTreeSet<ClusterName>>,
        now: Duration,
    ) {
        if !self.reports.seen.is_listed() {
            return;
        }
        let Some(aggregation) = self.aggregations.get_mut(name) else { return };
        let had = if are_wanted {
            !aggregation.reported.insert(object.clone())
        } else {
            aggregation.reported.remove(object)
        };
        if !are_wanted {
            if had {
                self.reports.look_for_orphans();
            }
            return;
        }
        let Some(subject) = aggregation.subjects.get(object) else { return };
        let Some(facts) = subject.facts() else { return };
        let target = &aggregation.plan.target;
        let owner = Owner { api_version: &target.api_version, kind: &target.kind, uid: &facts.uid };
        let every: Vec<ClusterName>;
        let clusters: &mut dyn Iterator<Item = &ClusterName> =
            if let Some(clusters) = clusters.filter(|_| had) {
                &mut clusters.iter()
            } else {
                every = subject.shares().keys().cloned().collect();
                &mut every.iter()
            };
        for cluster in clusters {
            // What an earlier controller wrote down is better than nothing.
            if subject.shares().get(cluster).is_none_or(|share| share.doubt == Some(Doubt::Pending)) {
                continue;
            }
            let mut body = reports::report(subject, name, object, &owner, cluster);
            if object.namespace.is_empty() {
                body["metadata"]["namespace"] = self.options.namespace.as_str().into();
            }
            body["metadata"]["labels"][MADE_BY.0] = MADE_BY.1.into();
            let report = named(&body);
            let wanted = told(&body);
            let place = Place::Report(report.clone());
            // What is under way may be something else, and stand after it.
            let stands = !self.outbox.is_under_way(&place)
                && self.reports.standing.get(&report).is_some_and(|standing| standing.digest == wanted);
            self.reports.wanted.insert(report);
            let draft = (!stands).then(|| Draft::calm(Some(body)));
            self.outbox.want(&place, draft, now);
        }
    }

    /// Whether a report could be written, or why not. What may pass is told when it lasts.
    pub(super) fn report_written(&mut self, place: &Place, refused: Option<(Refusal, String)>) {
        let Place::Report(name) = place else { return };
        let is_new = match refused {
            None => self.reports.refused.remove(name).is_some(),
            Some((refusal, why)) if !refusal.may_pass() || self.outbox.failures(place) >= LASTING => {
                self.reports.refused.insert(name.clone(), why).is_none()
            }
            Some(_) => false,
        };
        for aggregation in self.aggregations.values_mut() {
            aggregation.is_dirty |= is_new;
        }
    }
}

impl About {
    /// What a report of ours is about; none for other reports.
    fn read(object: &Value) -> Option<Self> {
        if let Some(cluster) = label(object, CLUSTER_LABEL) {
            let conditions = found::of_object(object);
            return Some(Self::Cluster {
                cluster: cluster.parse().ok()?,
                heard: object["status"]["lastHeard"].as_str().and_then(|heard| heard.parse().ok()),
                reachable: conditions.find("Reachable").map(|condition| condition.to_condition(Time::EPOCH)),
            });
        }
        let aggregation = label(object, AGGREGATION_LABEL)?.into();
        let kind = object["spec"]["targetRef"]["kind"].as_str().unwrap_or_default().into();
        let (object, cluster, said) = reports::recalled(object)?;
        Some(Self::Instance { aggregation, kind, object, cluster, said: Box::new(said) })
    }
}

/// What a report says, and whom it belongs to.
fn told(report: &Value) -> u64 {
    digest([&report["spec"], &report["status"], &report["metadata"]["ownerReferences"][0]["uid"]])
}
