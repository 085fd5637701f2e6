//! The InstanceStatus with what a cluster says of an object, or that nobody wants it.

use std::sync::Arc;

use crate::{
    engine::{Desired, Write},
    hub::{
        ClusterName, Doubt, ObjectName,
        dns::Owner,
        reports,
        state::{
            HubState, MADE_BY, Target,
            instance_statuses::{About, told},
            standing::at_version,
        },
    },
};

impl HubState {
    pub(super) fn reconcile_instance_status(&mut self, name: &ObjectName) -> Desired<Target> {
        let mut desired = Desired::default();
        if !self.instance_statuses.store.is_synced() || !self.clusters.is_seen() {
            return desired;
        }
        let write = if let Some((aggregation, object, cluster)) = self.reported_instance(name) {
            self.instance_report(name, &aggregation, &object, &cluster)
        } else {
            self.instance_statuses.instances.remove(name);
            // Only what is known for certain to be unwanted is taken away.
            let standing = self.instance_statuses.store.get(name).filter(|_| self.watched.is_synced());
            let about = standing.and_then(|standing| standing.about.as_ref());
            about.filter(|about| self.is_orphan(about)).map(|_| Write::calm(None))
        };
        let target = Target::InstanceStatus(name.clone());
        match write {
            Some(write) => desired.write(target, write),
            None => self.own_settled(&target),
        }
        desired
    }

    /// The instance that a report is wanted on.
    fn reported_instance(&self, name: &ObjectName) -> Option<(Arc<str>, ObjectName, ClusterName)> {
        let (aggregation, object, cluster) = self.instance_statuses.instances.get(name)?;
        let found = self.aggregations.get(aggregation)?;
        let subject = found.subjects.get(object)?;
        let is_wanted = found.reported.get(object) == Some(&true)
            && subject.shares().contains_key(cluster)
            && self.claimed_by_another(aggregation, object).is_none();
        is_wanted.then(|| (Arc::clone(aggregation), object.clone(), cluster.clone()))
    }

    /// The report on an instance, unless it stands.
    fn instance_report(
        &self,
        report: &ObjectName,
        name: &Arc<str>,
        object: &ObjectName,
        cluster: &ClusterName,
    ) -> Option<Write> {
        let aggregation = self.aggregations.get(name)?;
        let subject = aggregation.subjects.get(object)?;
        // What belongs to an object that is being deleted goes with it.
        let facts = subject.facts().filter(|facts| !facts.is_leaving)?;
        // What an earlier controller wrote down is better than nothing.
        if subject.shares().get(cluster).is_none_or(|share| share.doubt == Some(Doubt::Pending)) {
            return None;
        }
        let target = &aggregation.plan.target;
        let owner = Owner { api_version: &target.api_version, kind: &target.kind, uid: &facts.uid };
        let mut body = reports::report(subject, name, object, &owner, cluster);
        body["metadata"]["namespace"] = (*report.namespace).into();
        body["metadata"]["labels"][MADE_BY.0] = MADE_BY.1.into();
        let standing = self.instance_statuses.store.get(report);
        if standing.is_some_and(|standing| standing.digest == told(&body)) {
            return None;
        }
        at_version(&mut body, standing.and_then(|standing| standing.version));
        Some(Write::calm(Some(body)))
    }

    /// Returns true if it is certain that nobody wants a report.
    fn is_orphan(&self, about: &About) -> bool {
        let About { aggregation: label, kind, cluster, .. } = about;
        let Some(name) = self.labelled(label) else { return true };
        let Some(aggregation) = self.aggregations.get(&name) else { return true };
        if aggregation.plan.target.kind != **kind {
            // Unless its spec cannot be read at present.
            return !aggregation.plan.target.kind.is_empty();
        }
        if !aggregation.objects.is_complete() {
            return false;
        }
        let Some((_, object)) = self.subject_of(about) else { return true };
        let Some(subject) = aggregation.subjects.get(&object) else { return true };
        !subject.shares().contains_key(cluster)
            || aggregation.reported.get(&object) == Some(&false)
            || self.claimed_by_another(&name, &object).is_some()
    }
}
