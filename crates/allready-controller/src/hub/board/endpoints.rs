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
    is_listing: bool,
    standing: BTreeMap<ObjectName, Value>,
    /// What somebody deleted although it is wanted: only it knows the targets of clusters that are not heard.
    deleted: BTreeMap<ObjectName, Value>,
    /// For which object of which aggregation an endpoint is.
    owners: BTreeMap<ObjectName, (Arc<str>, ObjectName)>,
    /// When to decide again even if nothing happens.
    look_again: BTreeMap<(Arc<str>, ObjectName), Time>,
}

impl Endpoints {
    pub(super) fn new(now: Duration) -> Self {
        Self {
            seen: Watched::new(now),
            is_listing: false,
            standing: BTreeMap::new(),
            deleted: BTreeMap::new(),
            owners: BTreeMap::new(),
            look_again: BTreeMap::new(),
        }
    }

    /// Whether all of them have been seen at least once.
    pub(super) fn is_listed(&self) -> bool {
        self.seen.is_listed()
    }

    /// An endpoint that stands.
    pub(super) fn standing(&self, name: &ObjectName) -> Option<&Value> {
        self.standing.get(name)
    }
}

impl Hub {
    pub(super) fn take_endpoint(&mut self, change: Change, now: Duration) {
        self.endpoints.seen.note(&change, now);
        match change {
            Change::There(object) => {
                let name = named(&object);
                let before = self.endpoints.standing.get(&name).and_then(version);
                if before.is_some_and(|before| version(&object).is_some_and(|version| version < before))
                    && !self.endpoints.is_listing
                {
                    return; // a watch that is behind our own write
                }
                self.endpoints.deleted.remove(&name);
                self.endpoints.standing.insert(name.clone(), *object);
                self.endpoint_changed(&name);
            }
            Change::Gone(name) => {
                if let Some(gone) = self.endpoints.standing.remove(&name)
                    && self.endpoints.owners.contains_key(&name)
                {
                    self.endpoints.deleted.insert(name.clone(), gone);
                }
                self.endpoint_changed(&name);
            }
            Change::Listed => {
                self.endpoints.is_listing = false;
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
            // A restored store counts versions from an earlier one on.
            Change::Listing => self.endpoints.is_listing = true,
            Change::Failed(_) => {}
        }
        self.note_dns_trouble(now);
    }

    fn endpoint_changed(&mut self, name: &ObjectName) {
        if let Some((aggregation, object)) = self.endpoints.owners.get(name).cloned() {
            self.touch(&aggregation, &object, None);
        }
        self.reports.look_for_orphans();
    }

    /// That DNSEndpoints cannot be seen is told by those aggregations that want some.
    pub(super) fn note_dns_trouble(&mut self, now: Duration) {
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
            let before = found.dns_refused.insert(name.clone(), why.to_owned());
            found.is_dirty |= before.as_deref() != Some(why);
        }
    }

    pub(super) fn endpoint_accepted(&mut self, name: &ObjectName) {
        for aggregation in self.aggregations.values_mut() {
            aggregation.is_dirty |= aggregation.dns_refused.remove(name).is_some();
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
        let known = standing.or_else(|| self.endpoints.deleted.get(&endpoint));
        let published = known.map(Published::read).unwrap_or_default();
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
            presence: match presence(subject, cluster, share) {
                // Nobody was there to hear it before this controller began.
                Presence::Unreachable(since) => Presence::Unreachable(since.max(self.began_at)),
                presence => presence,
            },
        });
        // One that is chosen by name and is not in the inventory is gone from it.
        let shares = shares.filter(|share| known.contains_key(share.cluster));
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
        if draft.is_none() {
            self.endpoint_accepted(&endpoint);
        }
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
            self.endpoints.look_again.remove(&(Arc::clone(&aggregation), object.clone()));
            self.touch(&aggregation, &object, None);
        }
    }

    pub(super) fn remove_orphaned_endpoints(&mut self, now: Duration) {
        let standing = self.endpoints.standing.iter();
        let orphans = standing.filter(|(name, endpoint)| self.is_orphaned_endpoint(name, endpoint));
        let orphans: Vec<ObjectName> = orphans.map(|(name, _)| name.clone()).collect();
        for name in orphans {
            self.forget_endpoint(&name);
            self.outbox.want(&Place::Dns(name), Some(Draft::calm(None)), now);
        }
        let deleted = self.endpoints.deleted.iter();
        let orphans = deleted.filter(|(name, endpoint)| self.is_orphaned_endpoint(name, endpoint));
        for name in orphans.map(|(name, _)| name.clone()).collect::<Vec<_>>() {
            self.forget_endpoint(&name);
        }
    }

    fn forget_endpoint(&mut self, name: &ObjectName) {
        self.endpoints.owners.remove(name);
        self.endpoints.deleted.remove(name);
        self.endpoint_accepted(name);
    }

    /// Whether it is certain that nobody wants an endpoint: neither who made it, nor another aggregation of the same object.
    pub(super) fn is_orphaned_endpoint(&self, name: &ObjectName, endpoint: &Value) -> bool {
        if label(endpoint, AGGREGATION_LABEL).is_none() {
            return false;
        }
        let owner = &endpoint["metadata"]["ownerReferences"][0];
        let known = self.endpoints.owners.get(name).map(|(_, object)| object.clone());
        let object = owner["name"].as_str().map(|owner| ObjectName::new(&name.namespace, owner)).or(known);
        !self.aggregations.iter().any(|(aggregation, found)| {
            let kind = found.plan.target.kind.as_str();
            if found.plan.dns.is_none() || owner["kind"].as_str().is_some_and(|owner| owner != kind) {
                return kind.is_empty(); // its spec cannot be read at present
            }
            let is_theirs = |object: &ObjectName| {
                found.subjects.contains_key(object) && self.claimed_by_another(aggregation, object).is_none()
            };
            !found.seen.is_listed() || object.as_ref().is_none_or(is_theirs)
        })
    }
}

/// The version of an object, where it is a number.
fn version(object: &Value) -> Option<u64> {
    object["metadata"]["resourceVersion"].as_str()?.parse().ok()
}

/// What the last word of a cluster is worth.
pub(in crate::hub) fn presence(subject: &Subject, cluster: &ClusterName, share: &Share) -> Presence {
    match &share.doubt {
        Some(Doubt::Unreachable { since, .. }) => return Presence::Unreachable(*since),
        Some(Doubt::Pending | Doubt::Unreadable { .. }) => return Presence::Doubted,
        None => {}
    }
    if !subject.is_expected(cluster) {
        // What is not known takes no traffic away.
        return if subject.is_misplaced() { Presence::Doubted } else { Presence::Displaced };
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
    let owners = standing["metadata"]["ownerReferences"].as_array();
    let owner = &wanted["metadata"]["ownerReferences"][0]["uid"];
    standing["spec"]["endpoints"] == wanted["spec"]["endpoints"]
        && owners.is_some_and(|owners| owners.iter().any(|standing| standing["uid"] == *owner))
        && has_all("labels")
        && has_all("annotations")
}
