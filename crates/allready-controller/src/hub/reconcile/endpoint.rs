//! The DNS records of an object, or that nobody wants them.

use std::{sync::Arc, time::Duration};

use allready_kube::report::labels;
use serde_json::Value;

use crate::{
    engine::{Desired, Now, Write},
    hub::{
        ObjectName,
        dns::{self, Contribution, Owner, Presence, Published},
        state::{
            AGGREGATION_LABEL, HubKey, HubState, Target, presence,
            standing::{at_version, label, version},
        },
    },
};

impl HubState {
    pub(super) fn reconcile_endpoint(&mut self, name: &ObjectName, now: Now) -> Desired<Target> {
        let mut desired = Desired::default();
        // What is published is not known, or not where clusters come from: nothing can be taken away, so nothing is decided.
        if !self.endpoints.store.is_complete() || !self.clusters.is_seen() {
            return desired;
        }
        let Some((aggregation, object)) = self.owner_of(name) else {
            let standing = self.endpoints.store.get(name);
            let known = standing.or(self.endpoints.last.get(name));
            let is_orphaned = known.is_none_or(|known| self.is_orphaned_endpoint(name, known));
            if self.watched.is_synced() && is_orphaned {
                if standing.is_some() {
                    desired.write(Target::Endpoint(name.clone()), Write::calm(None));
                }
                self.endpoints.last.remove(name);
                self.endpoint_written(name, None);
            }
            return desired;
        };
        if let Some(write) = self.records(name, &aggregation, &object, now, &mut desired) {
            desired.write(Target::Endpoint(name.clone()), write);
        } else {
            self.endpoint_written(name, None);
        }
        desired
    }

    /// The object that an endpoint is for, and its aggregation.
    fn owner_of(&self, name: &ObjectName) -> Option<(Arc<str>, ObjectName)> {
        let mut owners = self.endpoints.owners.get(name)?.iter();
        owners.find(|(aggregation, object)| self.claimed_by_another(aggregation, object).is_none()).cloned()
    }

    /// Decides the records of an object: what to write, unless it stands.
    fn records(
        &mut self,
        endpoint: &ObjectName,
        name: &Arc<str>,
        object: &ObjectName,
        now: Now,
        desired: &mut Desired<Target>,
    ) -> Option<Write> {
        let aggregation = self.aggregations.get(name)?;
        let options = aggregation.plan.dns.as_ref()?;
        let subject = aggregation.subjects.get(object)?;
        // What belongs to an object that is being deleted goes with it.
        let facts = subject.facts().filter(|facts| !facts.is_leaving)?;
        // Whose a hostname is depends on all objects.
        if !aggregation.objects.is_complete() {
            return None;
        }
        let hostnames = self.hostnames.part(object, &facts.hostnames);
        let standing = self.endpoints.store.get(endpoint);
        let last = self.endpoints.last.get(endpoint);
        let published = last.map(|last| Published::read(last)).unwrap_or_default();
        let known = self.clusters.known();
        // A cluster that is there and not chosen any more is displaced; one that is not there any more is gone. Where that is
        // meant, it has no say any more.
        let absent = published.clusters.keys().filter_map(|cluster| {
            let presence = match (known.contains_key(cluster), subject.shares().contains_key(cluster)) {
                (true, true) => return None,
                (true, false) => Presence::Displaced,
                (false, _) if aggregation.removed.contains(cluster) => return None,
                (false, _) => Presence::Gone,
            };
            Some(Contribution { cluster, instance: None, presence })
        });
        let shares = subject.shares().iter().map(|(cluster, share)| Contribution {
            cluster,
            instance: share.last.as_ref(),
            presence: match presence(subject, cluster, share) {
                // Nobody was there to hear it before this controller began.
                Presence::Unreachable(since) => Presence::Unreachable(since.max(self.began_at)),
                presence => presence,
            },
        });
        // Of those that are not in the inventory, what is published is known.
        let shares = shares.filter(|share| known.contains_key(share.cluster));
        let mut decision = dns::decide(&hostnames.own, shares.chain(absent), &published, options, now.time);
        decision.notes.extend(hostnames.note());
        let owner = Owner {
            api_version: &aggregation.plan.target.api_version,
            kind: &aggregation.plan.target.kind,
            uid: &facts.uid,
        };
        let mut body = decision.publish.endpoint(object, &owner, options);
        body["metadata"]["labels"][AGGREGATION_LABEL] = (*labels::value(name)).into();
        let is_needed = standing.is_some() || !decision.publish.records.is_empty();
        let stands = standing.is_some_and(|standing| stands(standing, &body));
        at_version(&mut body, standing.and_then(|standing| version(standing)));
        if let Some(again) = decision.look_again {
            let wait = Duration::try_from(again.since(now.time)).unwrap_or_default();
            desired.look_at(now.elapsed + wait);
        }
        let aggregation = self.aggregations.get_mut(name)?;
        if aggregation.note_dns(object, decision.notes) {
            self.due.insert(HubKey::Aggregation(Arc::clone(name)));
        }
        (is_needed && !stands).then(|| Write::calm(Some(body)))
    }

    /// Returns true if it is certain that nobody wants an endpoint: neither who made it, nor another aggregation of the same object.
    fn is_orphaned_endpoint(&self, name: &ObjectName, endpoint: &Value) -> bool {
        if label(endpoint, AGGREGATION_LABEL).is_none() {
            return false;
        }
        let owner = &endpoint["metadata"]["ownerReferences"][0];
        let object = owner["name"].as_str().map(|owner| ObjectName::new(&name.namespace, owner));
        !self.aggregations.iter().any(|(aggregation, found)| {
            let kind = found.plan.target.kind.as_str();
            if found.plan.dns.is_none() || owner["kind"].as_str().is_some_and(|owner| owner != kind) {
                return kind.is_empty(); // its spec cannot be read at present
            }
            let is_theirs = |object: &ObjectName| {
                found.subjects.contains_key(object) && self.claimed_by_another(aggregation, object).is_none()
            };
            !found.objects.is_complete() || object.as_ref().is_none_or(is_theirs)
        })
    }
}

/// Returns true if an endpoint stands as it is wanted: what others add to its labels and annotations is theirs.
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
