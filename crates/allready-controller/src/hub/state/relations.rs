//! Which keys a change relates to.

use std::{collections::BTreeSet, sync::Arc};

use super::{HubKey, HubState, StatusTarget};
use crate::hub::{ClusterName, ObjectName, dns, dns::Owner, reports::report_name};

impl HubState {
    /// Makes due what one cluster says of one object relates to.
    pub(in crate::hub) fn instance_changed(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        cluster: &ClusterName,
    ) {
        self.status_changed(name, object);
        let Some(aggregation) = self.aggregations.get(name) else { return };
        if aggregation.reported.get(object) == Some(&true) {
            self.report_changed(name, object, cluster);
        }
    }

    /// Makes due what an object relates to, but for the reports on its instances.
    pub(in crate::hub) fn status_changed(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        self.due.insert(HubKey::Status(aggregation.target(object)));
        if aggregation.plan.dns.is_some() {
            self.due.insert(HubKey::Endpoint(endpoint_name(&aggregation.plan.target.kind, object)));
        }
    }

    /// Makes due everything that an object relates to: also for other aggregations that choose it, as only one can have it.
    pub(in crate::hub) fn object_changed(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(own) = self.aggregations.get(name) else { return };
        let all = self.aggregations.iter().filter(|(other, found)| {
            found.kind == own.kind && (*other == name || found.subjects.contains_key(object))
        });
        for name in all.map(|(name, _)| Arc::clone(name)).collect::<Vec<_>>() {
            self.due.insert(HubKey::Aggregation(Arc::clone(&name)));
            self.status_changed(&name, object);
            self.reports_changed(&name, object);
        }
    }

    /// Makes due the reports on all instances of an object: those that are wanted, and those that stand.
    pub(in crate::hub) fn reports_changed(&mut self, name: &Arc<str>, object: &ObjectName) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        let Some(subject) = aggregation.subjects.get(object) else { return };
        if aggregation.reported.get(object) == Some(&false) && self.instance_statuses.store.is_empty() {
            return;
        }
        for cluster in subject.shares().keys().cloned().collect::<Vec<_>>() {
            self.report_changed(name, object, &cluster);
        }
    }

    fn report_changed(&mut self, name: &Arc<str>, object: &ObjectName, cluster: &ClusterName) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        let target = &aggregation.plan.target;
        let owner = Owner { api_version: &target.api_version, kind: &target.kind, uid: "" };
        let report = ObjectName {
            namespace: self.report_namespace(object),
            name: report_name(name, object, &owner, cluster).into(),
        };
        let instance = (Arc::clone(name), object.clone(), cluster.clone());
        self.instance_statuses.instances.insert(report.clone(), instance);
        self.due.insert(HubKey::InstanceStatus(report));
    }

    /// Makes due what a cluster relates to in an aggregation.
    pub(in crate::hub) fn cluster_changed(&mut self, name: &Arc<str>, cluster: &ClusterName) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        for object in aggregation.subjects.keys().cloned().collect::<Vec<_>>() {
            self.instance_changed(name, &object, cluster);
        }
        self.due.insert(HubKey::Aggregation(Arc::clone(name)));
    }

    /// Makes due everything of an aggregation.
    pub(in crate::hub) fn aggregation_changed(&mut self, name: &Arc<str>) {
        let Some(aggregation) = self.aggregations.get(name) else { return };
        self.due.insert(HubKey::Aggregation(Arc::clone(name)));
        let seen = aggregation.objects.keys().chain(aggregation.subjects.keys());
        for object in seen.cloned().collect::<Vec<_>>() {
            self.status_changed(name, &object);
            self.reports_changed(name, &object);
        }
    }

    /// Makes due the status of every aggregation.
    pub(in crate::hub) fn aggregations_changed(&mut self) {
        self.due.extend(self.aggregations.keys().cloned().map(HubKey::Aggregation));
    }

    /// Makes everything due: after events that are rare.
    pub(in crate::hub) fn everything_changed(&mut self) {
        for name in self.aggregations.keys().cloned().collect::<Vec<_>>() {
            self.aggregation_changed(&name);
        }
        self.due.extend(self.all_keys());
    }

    /// All keys that there is anything to decide about.
    pub(in crate::hub) fn all_keys(&self) -> BTreeSet<HubKey> {
        let clusters = self.clusters.known().keys().chain(self.clusters.departed.keys()).cloned();
        let clusters = clusters.chain(self.cluster_statuses.clusters());
        let clusters = clusters.map(HubKey::Cluster);
        let leftovers = self.leftovers.keys().cloned().map(HubKey::Status);
        let endpoints = self.endpoints.store.keys().chain(self.endpoints.last.keys());
        let endpoints = endpoints.chain(self.endpoints.owners.keys()).cloned().map(HubKey::Endpoint);
        let reports = self.instance_statuses.store.keys().chain(self.instance_statuses.instances.keys());
        let reports = reports.cloned().map(HubKey::InstanceStatus);
        let objects = self.aggregations.values().flat_map(|aggregation| {
            aggregation.objects.keys().map(|object| HubKey::Status(aggregation.target(object)))
        });
        let aggregations = self.aggregations.keys().cloned().map(HubKey::Aggregation);
        clusters.chain(leftovers).chain(endpoints).chain(reports).chain(objects).chain(aggregations).collect()
    }

    /// The namespace of the reports on an object.
    pub(in crate::hub) fn report_namespace(&self, object: &ObjectName) -> Arc<str> {
        if object.namespace.is_empty() {
            self.options.namespace.as_str().into()
        } else {
            Arc::clone(&object.namespace)
        }
    }

    /// The aggregation that writes a status.
    pub(in crate::hub) fn writer_of(&self, target: &StatusTarget) -> Option<Arc<str>> {
        let mut all = self.aggregations.iter();
        let (name, _) =
            all.find(|(_, found)| found.manager == target.manager && found.kind == target.kind)?;
        Some(Arc::clone(name))
    }

    /// The first aggregation by name that gives this object a status too: only one can.
    pub(in crate::hub) fn claimed_by_another(
        &self,
        name: &Arc<str>,
        object: &ObjectName,
    ) -> Option<Arc<str>> {
        let own = self.aggregations.get(name)?;
        let mut earlier = self.aggregations.range::<Arc<str>, _>(..name);
        let (other, _) =
            earlier.find(|(_, other)| other.subjects.contains_key(object) && other.kind == own.kind)?;
        Some(Arc::clone(other))
    }
}

/// The name of the DNSEndpoint of an object.
pub(in crate::hub) fn endpoint_name(kind: &str, object: &ObjectName) -> ObjectName {
    ObjectName { namespace: Arc::clone(&object.namespace), name: dns::endpoint_name(kind, object).into() }
}
