//! The DNSEndpoints that the hub keeps.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_core::Time;
use allready_kube::report::labels;
use serde_json::Value;

use super::{
    Change, Hub,
    reports::AGGREGATION_LABEL,
    standing::{Watched, label, named},
};
use crate::hub::{
    ClusterName, Doubt, Draft, ObjectName, Place, Share, Subject,
    dns::{self, Contribution, Owner, Presence, Published},
};

/// The DNSEndpoints that stand.
#[derive(Debug)]
pub(super) struct Endpoints {
    seen: Watched,
    standing: BTreeMap<ObjectName, Value>,
    /// For which object of which aggregation an endpoint is.
    owners: BTreeMap<ObjectName, (Arc<str>, ObjectName)>,
    /// When to decide again even if nothing happens.
    look_again: BTreeMap<(Arc<str>, ObjectName), Time>,
}

impl Endpoints {
    pub(super) fn new(now: Duration) -> Self {
        Self {
            seen: Watched::new(now),
            standing: BTreeMap::new(),
            owners: BTreeMap::new(),
            look_again: BTreeMap::new(),
        }
    }

    /// Whether any stands.
    pub(super) fn is_known(&self) -> bool {
        !self.standing.is_empty()
    }
}

impl Hub {
    pub(super) fn take_endpoint(&mut self, change: Change, now: Duration) {
        self.endpoints.seen.note(&change, now);
        match change {
            Change::There(object) => {
                let name = named(&object);
                self.endpoints.standing.insert(name.clone(), *object);
                self.endpoint_changed(&name);
            }
            Change::Gone(name) => {
                self.endpoints.standing.remove(&name);
                self.endpoint_changed(&name);
            }
            Change::Listed => {
                let with_dns: Vec<_> = self
                    .aggregations
                    .iter()
                    .filter(|(_, aggregation)| aggregation.plan.dns.is_some())
                    .flat_map(|(name, aggregation)| {
                        aggregation.subjects.keys().map(|object| (Arc::clone(name), object.clone()))
                    })
                    .collect();
                for (aggregation, object) in with_dns {
                    self.touch(&aggregation, &object, None);
                }
                self.reports.look_for_orphans();
            }
            Change::Listing | Change::Failed(_) => {}
        }
        self.note_dns_trouble(now);
    }

    fn endpoint_changed(&mut self, name: &ObjectName) {
        if let Some((aggregation, object)) = self.endpoints.owners.get(name).cloned() {
            self.touch(&aggregation, &object, None);
        } else {
            self.reports.look_for_orphans();
        }
    }

    /// That DNSEndpoints cannot be seen is told by those aggregations that want some.
    fn note_dns_trouble(&mut self, now: Duration) {
        let trouble = self.endpoints.seen.trouble(self.options.patience, now);
        let trouble = trouble.map(|why| format!("DNSEndpoints cannot be seen: {why}"));
        for aggregation in self.aggregations.values_mut().filter(|found| found.plan.dns.is_some()) {
            if aggregation.dns_trouble != trouble {
                aggregation.dns_trouble.clone_from(&trouble);
                aggregation.is_dirty = true;
            }
        }
    }

    pub(super) fn endpoint_refused(&mut self, name: &ObjectName, why: &str) {
        let Some((aggregation, _)) = self.endpoints.owners.get(name) else { return };
        if let Some(found) = self.aggregations.get_mut(aggregation) {
            let trouble = Some(format!("the DNSEndpoint {name} cannot be written: {why}"));
            found.is_dirty |= found.dns_trouble != trouble;
            found.dns_trouble = trouble;
        }
    }

    /// Decides the records of an object.
    pub(super) fn look_at_endpoint(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        now: Duration,
        time: Time,
    ) {
        let key = (Arc::clone(name), object.clone());
        self.endpoints.look_again.remove(&key);
        // What is published is not known, or not where clusters come from: nothing can be taken away, so nothing is decided.
        if !self.endpoints.seen.is_listed() || !self.clusters.is_seen() {
            return;
        }
        let Some(aggregation) = self.aggregations.get(name) else { return };
        let Some(options) = &aggregation.plan.dns else { return };
        let Some(subject) = aggregation.subjects.get(object) else { return };
        let Some(facts) = subject.facts() else { return };
        let endpoint = ObjectName {
            namespace: Arc::clone(&object.namespace),
            name: dns::endpoint_name(&aggregation.plan.target.kind, object).into(),
        };
        let standing = self.endpoints.standing.get(&endpoint);
        let published = standing.map(Published::read).unwrap_or_default();
        let known = self.clusters.known();
        let absent = published
            .clusters
            .keys()
            .filter(|cluster| !subject.shares().contains_key(*cluster) && known.contains_key(*cluster));
        // A cluster that is there and not chosen any more is displaced; one that is not there any more is gone.
        let absent =
            absent.map(|cluster| Contribution { cluster, instance: None, presence: Presence::Displaced });
        let shares = subject.shares().iter().map(|(cluster, share)| Contribution {
            cluster,
            instance: share.last.as_ref(),
            presence: presence(subject, cluster, share),
        });
        let decision = dns::decide(&facts.hostnames, shares.chain(absent), &published, options, time);
        let owner = Owner {
            api_version: &aggregation.plan.target.api_version,
            kind: &aggregation.plan.target.kind,
            uid: &facts.uid,
        };
        let mut body = decision.publish.endpoint(object, &owner, options);
        body["metadata"]["labels"][AGGREGATION_LABEL] = (*labels::value(name)).into();
        let is_needed = standing.is_some() || !decision.publish.records.is_empty();
        let stands = standing.is_some_and(|standing| stands(standing, &body));
        let draft = (is_needed && !stands).then(|| Draft::calm(Some(body)));
        if let Some(again) = decision.look_again {
            self.endpoints.look_again.insert(key.clone(), again);
        }
        if let Some(aggregation) = self.aggregations.get_mut(name) {
            aggregation.note_dns(object, decision.notes);
        }
        self.endpoints.owners.insert(endpoint.clone(), key);
        self.outbox.want(&Place::Dns(endpoint), draft, now);
    }

    /// The records whose time has come are decided again.
    pub(super) fn look_at_grace(&mut self, time: Time) {
        let due: Vec<_> = self
            .endpoints
            .look_again
            .iter()
            .filter(|(_, again)| **again <= time)
            .map(|(key, _)| key.clone())
            .collect();
        for (aggregation, object) in due {
            self.touch(&aggregation, &object, None);
        }
    }

    pub(super) fn remove_orphaned_endpoints(&mut self, now: Duration) {
        let orphans = self.endpoints.standing.iter().filter(|(name, endpoint)| {
            let Some(aggregation) = label(endpoint, AGGREGATION_LABEL) else { return false };
            let Some(name_of) = self.labelled(aggregation) else { return true };
            let Some(aggregation) = self.aggregations.get(&name_of) else { return true };
            if !aggregation.seen.is_listed() {
                return false;
            }
            let is_for = |object: &ObjectName| {
                object.namespace == name.namespace
                    && dns::endpoint_name(&aggregation.plan.target.kind, object) == *name.name
            };
            aggregation.plan.dns.is_none() || !aggregation.subjects.keys().any(is_for)
        });
        let orphans: Vec<ObjectName> = orphans.map(|(name, _)| name.clone()).collect();
        for name in orphans {
            self.endpoints.owners.remove(&name);
            self.outbox.want(&Place::Dns(name), Some(Draft::calm(None)), now);
        }
    }
}

/// What the last word of a cluster is worth.
pub(in crate::hub) fn presence(subject: &Subject, cluster: &ClusterName, share: &Share) -> Presence {
    match &share.doubt {
        Some(Doubt::Unreachable { since, .. }) => return Presence::Unreachable(*since),
        Some(Doubt::Pending | Doubt::Unreadable { .. }) => return Presence::Doubted,
        None => {}
    }
    if !subject.is_expected(cluster) {
        return Presence::Displaced;
    }
    match &share.last {
        _ if !share.is_known => Presence::Doubted,
        None => Presence::Displaced,
        Some(instance) if instance.is_leaving => Presence::Displaced,
        Some(_) if subject.is_behind(cluster) => Presence::Doubted,
        Some(_) => Presence::Here,
    }
}

/// Whether an endpoint stands as it is wanted: what others add to its labels and annotations is theirs.
fn stands(standing: &Value, wanted: &Value) -> bool {
    let has_all = |part: &str| {
        let wanted = wanted["metadata"][part].as_object();
        wanted.into_iter().flatten().all(|(name, value)| standing["metadata"][part].get(name) == Some(value))
    };
    standing["spec"]["endpoints"] == wanted["spec"]["endpoints"]
        && has_all("labels")
        && has_all("annotations")
}
