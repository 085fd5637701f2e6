//! The decisions of the hub: for each key, what should be written and when to look at it again.

mod aggregation;
mod cluster;
mod endpoint;
mod instance_status;
mod status;

use std::collections::{BTreeMap, BTreeSet};

use allready_kube::{list_watch::WatchEvent, refusal::Refusal};

use super::{
    ObjectName,
    state::{HubEvent, HubKey, HubState, Target, instance_statuses::LASTING},
};
use crate::engine::{Desired, Now, Reconciler, Written};

impl Reconciler for HubState {
    type Key = HubKey;
    type Target = Target;
    type Event = HubEvent;

    fn namespace(key: &HubKey) -> &str {
        key.namespace()
    }

    fn observe(&mut self, event: HubEvent, now: Now, due: &mut BTreeSet<HubKey>) {
        self.take(event, now);
        due.append(&mut self.due);
    }

    fn reconcile(&mut self, key: &HubKey, now: Now) -> Desired<Target> {
        match key {
            HubKey::Cluster(cluster) => self.reconcile_cluster(cluster, now),
            HubKey::Status(target) => self.reconcile_status(target, now),
            HubKey::Endpoint(name) => self.reconcile_endpoint(name, now),
            HubKey::InstanceStatus(name) => self.reconcile_instance_status(name),
            HubKey::Aggregation(name) => self.reconcile_aggregation(name, now),
        }
    }

    fn written(
        &mut self,
        target: &Target,
        written: Written,
        failures: u32,
        now: Now,
        due: &mut BTreeSet<HubKey>,
    ) {
        match target {
            Target::Status(target) => {
                self.due.insert(HubKey::Status(target.clone()));
                self.status_written(target, written, failures, now);
            }
            Target::Endpoint(name) => {
                self.due.insert(HubKey::Endpoint(name.clone()));
                match written {
                    Ok(Some(object)) => {
                        self.endpoint_stands(name, object);
                        self.endpoint_written(name, None);
                    }
                    Ok(None) => drop(self.endpoints.store.apply(gone(name), now.elapsed)),
                    Err((refusal, why)) if refusal != Refusal::Conflict || failures >= LASTING => {
                        self.endpoint_written(name, Some(&why));
                    }
                    Err(_) => {}
                }
            }
            Target::Aggregation(name) => {
                self.due.insert(HubKey::Aggregation(name.clone()));
                if let Ok(Some(object)) = written {
                    self.aggregation_written(&object);
                }
            }
            Target::InstanceStatus(name) => {
                self.due.insert(HubKey::InstanceStatus(name.clone()));
                match &written {
                    Ok(Some(object)) => self.instance_status_stands(object),
                    Ok(None) => drop(self.instance_statuses.store.apply(gone(name), now.elapsed)),
                    Err(_) => {}
                }
                self.own_written(target, written.err(), failures);
            }
            Target::ClusterStatus(cluster) => {
                self.due.insert(HubKey::Cluster(cluster.clone()));
                let name = self.status_of(cluster);
                match &written {
                    Ok(Some(object)) => self.cluster_status_stands(object),
                    Ok(None) => drop(self.cluster_statuses.store.apply(gone(&name), now.elapsed)),
                    Err(_) => {}
                }
                if written.is_ok() {
                    self.clusters.written.insert(cluster.clone(), now.elapsed);
                }
                self.own_written(target, written.err(), failures);
            }
            Target::Lease(cluster) => {
                self.due.insert(HubKey::Cluster(cluster.clone()));
                let name = self.lease_of(cluster);
                match &written {
                    Ok(Some(object)) => self.lease_stands(object),
                    Ok(None) => drop(self.cluster_statuses.leases.apply(gone(&name), now.elapsed)),
                    Err(_) => {}
                }
                self.own_written(target, written.err(), failures);
            }
        }
        due.append(&mut self.due);
    }

    fn take_due(&mut self) -> BTreeSet<HubKey> {
        std::mem::take(&mut self.due)
    }

    fn watches(&self) -> BTreeMap<String, Result<(), String>> {
        self.watches()
    }

    fn keys(&self) -> Vec<HubKey> {
        self.all_keys().into_iter().collect()
    }
}

fn gone<V>(name: &ObjectName) -> WatchEvent<ObjectName, V> {
    WatchEvent::Delete(name.clone())
}
