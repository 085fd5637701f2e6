//! The DNSEndpoints that the hub keeps, as they stand.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_kube::{
    kinds::Placement,
    list_watch::{Room, Store, weight},
};
use serde_json::Value;

use super::{HubKey, HubState, ObjectEvent, relations::endpoint_name, standing::version};
use crate::hub::{ClusterName, Doubt, ObjectName, Share, Subject, dns::Presence};

/// The DNSEndpoints that stand, and the objects that they are for.
#[derive(Debug)]
pub(in crate::hub) struct Endpoints {
    pub(in crate::hub) store: Store<ObjectName, Arc<Value>>,
    /// Each as it was last seen, also if somebody deleted it although it is wanted: only it knows the targets of clusters that are
    /// not heard.
    pub(in crate::hub) last: BTreeMap<ObjectName, Arc<Value>>,
    /// The objects, each of an aggregation, that an endpoint may be for.
    pub(in crate::hub) owners: BTreeMap<ObjectName, BTreeSet<(Arc<str>, ObjectName)>>,
}

impl Endpoints {
    pub(super) fn new(now: Duration, room: &Arc<Room>) -> Self {
        let bytes = |name: &ObjectName, object: &Arc<Value>| 400 + 4 * name.name.len() + weight(object);
        Self { store: Store::new(now).within(room, bytes), last: BTreeMap::new(), owners: BTreeMap::new() }
    }

    /// An object of an aggregation wants records.
    pub(super) fn own(&mut self, name: &Arc<str>, kind: &str, object: &ObjectName) {
        let owners = self.owners.entry(endpoint_name(kind, object)).or_default();
        owners.insert((Arc::clone(name), object.clone()));
    }

    /// An object of an aggregation does not want records any more.
    pub(super) fn disown(&mut self, name: &Arc<str>, kind: &str, object: &ObjectName) {
        let endpoint = endpoint_name(kind, object);
        if let Some(owners) = self.owners.get_mut(&endpoint) {
            owners.remove(&(Arc::clone(name), object.clone()));
            if owners.is_empty() {
                self.owners.remove(&endpoint);
            }
        }
    }
}

impl HubState {
    pub(super) fn take_endpoint(&mut self, event: ObjectEvent, now: Duration) {
        let (is_listed, is_failure) =
            (matches!(event, ObjectEvent::InitDone), matches!(event, ObjectEvent::Failed(_)));
        if let ObjectEvent::Apply(name, object) = &event {
            let known = self.endpoints.store.get(name).and_then(|known| version(known));
            if !self.endpoints.store.is_listing() && known > version(object) {
                return; // a watch that is behind our own write
            }
        }
        let mut shown = None;
        let event = event.map(|object| {
            let object: Arc<Value> = Arc::from(object);
            shown = Some(Arc::clone(&object));
            object
        });
        for name in self.endpoints.store.apply(event, now) {
            if let Some(object) = shown.as_ref().filter(|_| self.endpoints.store.get(&name).is_some()) {
                self.endpoints.last.insert(name.clone(), Arc::clone(object));
            }
            self.due.insert(HubKey::Endpoint(name));
        }
        if is_listed {
            self.everything_changed();
        } else if is_failure {
            self.aggregations_changed();
        }
    }

    /// Takes an endpoint as the answer to a write shows it.
    pub(in crate::hub) fn endpoint_stands(&mut self, name: &ObjectName, object: Value) {
        let known = self.endpoints.store.get(name).and_then(|known| version(known));
        if known <= version(&object) {
            let object = Arc::new(object);
            self.endpoints.last.insert(name.clone(), Arc::clone(&object));
            self.endpoints.store.update(name.clone(), object);
        }
    }

    /// Takes why an endpoint was refused; none if it was not.
    pub(in crate::hub) fn endpoint_written(&mut self, name: &ObjectName, refused: Option<&str>) {
        let owners = self.endpoints.owners.get(name);
        for (aggregation, found) in &mut self.aggregations {
            let is_owner = owners.is_some_and(|owners| owners.iter().any(|(owner, _)| owner == aggregation));
            let is_new = match refused.filter(|_| is_owner) {
                Some(why) => found.dns_refused.insert(name.clone(), why.to_owned()).as_deref() != Some(why),
                None => found.dns_refused.remove(name).is_some(),
            };
            if is_new {
                self.due.insert(HubKey::Aggregation(Arc::clone(aggregation)));
            }
        }
    }
}

/// Says what the last word of a cluster is worth.
pub(in crate::hub) fn presence(subject: &Subject, cluster: &ClusterName, share: &Share) -> Presence {
    // Where an object is not placed does not depend on whether the cluster answers.
    let is_placed = matches!(subject.plan().placement, Placement::Annotated | Placement::Decided);
    if is_placed && !subject.is_expected(cluster) && !subject.is_misplaced() {
        return Presence::Displaced;
    }
    match &share.doubt {
        Some(Doubt::Unreachable { since, .. }) => return Presence::Unreachable(*since),
        Some(Doubt::Pending | Doubt::Unreadable { .. } | Doubt::Gone { .. }) => return Presence::Doubted,
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
