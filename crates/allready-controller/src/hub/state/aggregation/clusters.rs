//! The words of the clusters to an aggregation, and its choice among them.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use allready_core::Time;

use super::{
    super::{
        Clusters,
        view::{View, is_the_same_silence},
    },
    Aggregation,
};
use crate::hub::{ClusterName, Doubt, Instance, Link, ObjectName};

impl Aggregation {
    /// Counts its objects that were seen in a cluster.
    pub(in crate::hub) fn objects_in(&self, cluster: &ClusterName) -> usize {
        self.views.get(cluster).map_or(0, |view| view.objects.len())
    }

    /// A cluster is connected to anew: what it said is its last word until it speaks again, and its list is not complete.
    pub(in crate::hub) fn reconnected(&mut self, cluster: &ClusterName, now: Duration) {
        if let Some(view) = self.views.get_mut(cluster) {
            view.failing = None;
            view.relisting.get_or_insert(now);
            view.unconfirmed.clone_from(&view.objects);
        }
    }

    /// Takes what a cluster says of an object. Returns true if that changes anything on the hub.
    pub(in crate::hub) fn heard(
        &mut self,
        cluster: &ClusterName,
        object: &ObjectName,
        instance: Option<Instance>,
    ) -> bool {
        let Some(view) = self.views.get_mut(cluster) else { return false };
        match &instance {
            Some(_) => view.objects.insert(object.clone()),
            None => view.objects.remove(object),
        };
        view.unconfirmed.remove(object);
        if let Some(subject) = self.subjects.get_mut(object) {
            return subject.heard(cluster, instance);
        }
        match instance {
            Some(instance) => {
                self.waiting.entry(object.clone()).or_default().insert(cluster.clone(), instance);
            }
            None => {
                if let Some(clusters) = self.waiting.get_mut(object) {
                    clusters.remove(cluster);
                    if clusters.is_empty() {
                        self.waiting.remove(object);
                    }
                }
            }
        }
        false
    }

    /// All its objects in a cluster have been seen; or they cannot be, and why. Says whether objects have to be looked at.
    pub(in crate::hub) fn seen_in(
        &mut self,
        cluster: &ClusterName,
        seen: Result<(), Arc<str>>,
        now: Duration,
        time: Time,
    ) -> bool {
        let Some(view) = self.views.get_mut(cluster) else { return false };
        match seen {
            Ok(()) => {
                (view.failing, view.relisting) = (None, None);
                let was_listed = std::mem::replace(&mut view.is_listed, true);
                let gone = std::mem::take(&mut view.unconfirmed);
                if was_listed && gone.is_empty() {
                    return false;
                }
                for object in &gone {
                    self.heard(cluster, object, None);
                }
                // What it does not have, it has said now.
                let objects = self.views.get(cluster).map(|view| &view.objects);
                for (object, subject) in &mut self.subjects {
                    if !objects.is_some_and(|objects| objects.contains(object)) {
                        subject.heard(cluster, None);
                    }
                }
                true
            }
            Err(why) => {
                let (since, when) = match view.failing.take() {
                    Some((since, when, _)) => (since, when),
                    None => (now, time),
                };
                view.failing = Some((since, when, why));
                false
            }
        }
    }

    /// Judges whether a cluster is believed. Returns true if that changed.
    pub(in crate::hub) fn judge(
        &mut self,
        cluster: &ClusterName,
        link: &Link,
        patience: Duration,
        now: Duration,
    ) -> bool {
        let Some(view) = self.views.get_mut(cluster) else { return false };
        let doubt = view.doubts(link, self.plan.cluster_timeout, patience, now);
        if view.doubt == doubt || is_the_same_silence(view.doubt.as_ref(), doubt.as_ref()) {
            return false;
        }
        view.doubt.clone_from(&doubt);
        for subject in self.subjects.values_mut() {
            subject.doubt(cluster, doubt.clone());
        }
        true
    }

    /// The time at which it may change whether a cluster is believed, if nothing happens.
    pub(in crate::hub) fn judge_at(
        &self,
        cluster: &ClusterName,
        link: &Link,
        patience: Duration,
        now: Duration,
    ) -> Option<Duration> {
        self.views.get(cluster)?.doubts_at(link, self.plan.cluster_timeout, patience, now)
    }

    /// Chooses among the clusters. Returns true if it chooses others than before.
    pub(in crate::hub) fn choose(&mut self, hub: &Clusters, now: Duration) -> bool {
        let known = hub.known();
        let chosen = known
            .iter()
            .filter(|(name, cluster)| self.plan.chooses(name, &cluster.labels))
            .map(|(name, _)| name.clone());
        // Who is asked for by name and is not there is missed.
        let named = self.plan.names.iter().filter(|_| hub.is_seen()).cloned();
        let chosen: BTreeSet<ClusterName> = chosen.chain(named).collect();
        let is_missed = self.miss(hub);
        if *self.chosen == chosen {
            return is_missed;
        }
        let gone: Vec<ClusterName> = self.chosen.difference(&chosen).cloned().collect();
        for cluster in gone {
            self.views.remove(&cluster);
            for subject in self.subjects.values_mut() {
                subject.forget(&cluster);
            }
            self.waiting.retain(|_, clusters| {
                clusters.remove(&cluster);
                !clusters.is_empty()
            });
        }
        for cluster in chosen.difference(&self.chosen) {
            let view = View { began: now, doubt: Some(Doubt::Pending), ..View::default() };
            self.views.insert(cluster.clone(), view);
            for subject in self.subjects.values_mut() {
                subject.choose(cluster);
                subject.doubt(cluster, Some(Doubt::Pending));
            }
        }
        self.chosen = Arc::new(chosen);
        self.miss(hub);
        true
    }

    /// Doubts the clusters that are chosen by name and are not in the inventory. Says whether that is new for any.
    fn miss(&mut self, hub: &Clusters) -> bool {
        let mut is_new = false;
        let missed = self.views.iter_mut().filter(|(cluster, _)| !hub.known().contains_key(*cluster));
        for (cluster, view) in missed {
            let why = "it is not among the clusters that this hub knows".into();
            let doubt = Some(Doubt::Unreachable { since: None, why });
            if view.doubt != doubt {
                is_new = true;
                // What it said has left with it.
                *view = View { began: view.began, doubt: doubt.clone(), ..View::default() };
                for subject in self.subjects.values_mut() {
                    subject.forget(cluster);
                    subject.choose(cluster);
                    subject.doubt(cluster, doubt.clone());
                }
                self.waiting.retain(|_, clusters| {
                    clusters.remove(cluster);
                    !clusters.is_empty()
                });
            }
        }
        is_new
    }
}
