//! The StatusReports that the hub keeps: on instances, where their object has no room for all of it, and on clusters.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::{Condition, Time, found};
use allready_kube::report::labels;
use serde_json::Value;

use super::{
    Change, Hub,
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
    may_have_orphans: bool,
}

/// A report that stands.
#[derive(Debug)]
struct Report {
    digest: u64,
    about: About,
}

#[derive(Debug)]
enum About {
    /// An instance: of which aggregation and object, in which cluster.
    Instance {
        aggregation: Arc<str>,
        object: ObjectName,
        cluster: ClusterName,
        /// What it said, until this controller has heard the cluster itself.
        said: Option<Box<Instance>>,
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
            may_have_orphans: false,
        }
    }

    pub(super) fn is_seen(&self) -> bool {
        self.seen.is_listed()
    }

    /// Something may stand that nobody wants any more.
    pub(super) fn look_for_orphans(&mut self) {
        self.may_have_orphans = true;
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

    /// What the clusters said of an object to earlier controllers.
    pub(super) fn said_before(&self, aggregation: &str, object: &ObjectName) -> Vec<(ClusterName, Instance)> {
        let said = self.standing.values().filter_map(|report| match &report.about {
            About::Instance { aggregation: of, object: about, cluster, said: Some(said) }
                if **of == *aggregation && about == object =>
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
                    Some(About::Instance { aggregation, object, cluster, .. }) => {
                        self.touch(&aggregation, &object, Some(&cluster));
                    }
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
        let about = if let Some(cluster) = label(object, CLUSTER_LABEL) {
            let Ok(cluster) = cluster.parse::<ClusterName>() else { return };
            let heard = object["status"]["lastHeard"].as_str().and_then(|heard| heard.parse().ok());
            if let Some(heard) = heard {
                self.clusters.recall(&cluster, heard);
            }
            let conditions = found::of_object(object);
            let reachable = conditions.find("Reachable").map(|condition| condition.to_condition(Time::EPOCH));
            About::Cluster { cluster, heard, reachable }
        } else if let (Some(aggregation), Some((about, cluster, said))) =
            (label(object, AGGREGATION_LABEL), reports::recalled(object))
        {
            // Where nobody has this label any more, it is nobody's.
            let aggregation = self.labelled(aggregation).unwrap_or_else(|| aggregation.into());
            let about = self.about(&aggregation, about);
            let is_heard = self.reports.standing.contains_key(&name)
                || self.recall_one(&aggregation, &about, &cluster, &said);
            let said = (!is_heard).then(|| Box::new(said));
            About::Instance { aggregation, object: about, cluster, said }
        } else {
            return;
        };
        let digest = digest([&object["spec"], &object["status"]]);
        self.reports.standing.insert(name, Report { digest, about });
        self.reports.look_for_orphans();
    }

    /// The aggregation whose name is so as a label.
    pub(super) fn labelled(&self, label: &str) -> Option<Arc<str>> {
        self.aggregations.keys().find(|name| labels::value(name) == label).cloned()
    }

    /// The object that a report is about: one without a namespace has its reports in ours.
    fn about(&self, aggregation: &str, object: ObjectName) -> ObjectName {
        let found = self.aggregations.get(aggregation);
        let bare = ObjectName::new("", &object.name);
        if found
            .is_some_and(|found| !found.subjects.contains_key(&object) && found.subjects.contains_key(&bare))
        {
            bare
        } else {
            object
        }
    }

    /// Tells an object what a cluster said before. Says whether nobody else has to be told.
    fn recall_one(
        &mut self,
        aggregation: &str,
        object: &ObjectName,
        cluster: &ClusterName,
        said: &Instance,
    ) -> bool {
        let subject = self.aggregations.get_mut(aggregation).and_then(|found| found.subjects.get_mut(object));
        let Some(subject) = subject else { return false };
        let Some(share) = subject.shares().get(cluster) else { return false };
        if !share.is_known {
            subject.recall(cluster, said.clone());
        }
        true
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
        let clusters: &mut dyn Iterator<Item = &ClusterName> = match clusters.filter(|_| had) {
            Some(clusters) => &mut clusters.iter(),
            None => {
                every = subject.shares().keys().cloned().collect();
                &mut every.iter()
            }
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
            let wanted = digest([&body["spec"], &body["status"]]);
            let stands = self.reports.standing.get(&report).is_some_and(|standing| standing.digest == wanted);
            self.reports.wanted.insert(report.clone());
            let draft = (!stands).then(|| Draft::calm(Some(body)));
            self.outbox.want(&Place::Report(report), draft, now);
        }
    }

    /// Takes away the reports and endpoints that nobody wants any more. Only what is known for certain to be unwanted.
    pub(super) fn remove_orphans(&mut self, now: Duration) {
        if !self.reports.may_have_orphans || !self.seen.is_listed() || !self.clusters.is_seen() {
            return;
        }
        self.reports.may_have_orphans = false;
        let orphans: Vec<ObjectName> = self
            .reports
            .standing
            .iter()
            .filter(|(_, report)| self.is_orphan(&report.about))
            .map(|(name, _)| name.clone())
            .collect();
        for name in orphans {
            self.reports.wanted.remove(&name);
            self.outbox.want(&Place::Report(name), Some(Draft::calm(None)), now);
        }
        self.remove_orphaned_endpoints(now);
    }

    fn is_orphan(&self, about: &About) -> bool {
        match about {
            About::Cluster { cluster, .. } => !self.clusters.known().contains_key(cluster),
            About::Instance { aggregation, object, cluster, .. } => {
                let Some(aggregation) = self.aggregations.get(aggregation) else { return true };
                if !aggregation.seen.is_listed() {
                    return false;
                }
                let Some(subject) = aggregation.subjects.get(object) else { return true };
                !subject.shares().contains_key(cluster)
                    || (!aggregation.reported.contains(object) && !subject.is_pending())
            }
        }
    }
}
