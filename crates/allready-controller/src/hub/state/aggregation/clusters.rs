//! The words of the clusters to an aggregation, and its choice among them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use allready_core::Time;
use serde_json::Value;

use super::{
    super::{
        Clusters,
        clusters::Departed,
        view::{View, is_the_same_silence},
    },
    Aggregation, removed,
};
use crate::{
    engine::Now,
    hub::{ClusterName, Doubt, Instance, Link, ObjectName},
};

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

    /// Takes which clusters have left for good. Returns true if these are others than before.
    pub(in crate::hub) fn remove_clusters(&mut self, object: &Value) -> bool {
        let (removed, unremovable) = removed(object);
        let is_other = self.removed != removed || self.unremovable != unremovable;
        (self.removed, self.unremovable) = (removed, unremovable);
        is_other
    }

    /// Returns true if what a cluster said before still counts: for as long as the cluster is there, or is waited for.
    pub(in crate::hub) fn may_recall(&self, cluster: &ClusterName, hub: &Clusters) -> bool {
        let doubt = self.views.get(cluster).and_then(|view| view.doubt.as_ref());
        !hub.is_seen() || hub.known().contains_key(cluster) || matches!(doubt, Some(Doubt::Gone { .. }))
    }

    /// Returns true if a cluster that has left the inventory is waited for: its Secret may be on its way back.
    pub(in crate::hub) fn waits_for(
        &self,
        cluster: &ClusterName,
        departed: &Departed,
        now: Duration,
    ) -> bool {
        let is_chosen = match &departed.labels {
            Some(labels) => self.plan.chooses(cluster, labels),
            // It may have had the labels.
            None => self.plan.clusters.is_some() || self.plan.chooses(cluster, &BTreeMap::new()),
        };
        is_chosen && !self.removed.contains(cluster) && now < self.given_up_at(departed)
    }

    /// The time at which a cluster that has left the inventory is given up.
    pub(in crate::hub) fn given_up_at(&self, departed: &Departed) -> Duration {
        let (found, gone_for) = departed.found;
        found + self.grace.saturating_sub(gone_for)
    }

    /// Chooses among the clusters. Returns true if it chooses others than before.
    pub(in crate::hub) fn choose(&mut self, hub: &Clusters, now: Now) -> bool {
        let known = hub.known();
        let chosen = known
            .iter()
            .filter(|(name, cluster)| self.plan.chooses(name, &cluster.labels))
            .map(|(name, _)| name.clone());
        // Who is asked for by name and is not there is missed.
        let named = self.plan.names.iter().filter(|_| hub.is_seen()).cloned();
        let departed = hub.departed.iter();
        let departed = departed.filter(|(name, departed)| self.waits_for(name, departed, now.elapsed));
        let departed = departed.map(|(name, _)| name.clone());
        let chosen: BTreeSet<ClusterName> = chosen.chain(departed).chain(named).collect();
        let is_missed = self.miss(hub, now);
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
            let view = View { began: now.elapsed, doubt: Some(Doubt::Pending), ..View::default() };
            self.views.insert(cluster.clone(), view);
            for subject in self.subjects.values_mut() {
                subject.choose(cluster);
                subject.doubt(cluster, Some(Doubt::Pending));
            }
        }
        self.chosen = Arc::new(chosen);
        self.miss(hub, now);
        true
    }

    /// Doubts the clusters that are not in the inventory: those that are asked for by name, and those that have left it and are
    /// waited for. Returns true if that is new for any.
    fn miss(&mut self, hub: &Clusters, now: Now) -> bool {
        let doubt_of = |cluster: &ClusterName| {
            let departed = hub.departed.get(cluster);
            match departed.filter(|departed| self.waits_for(cluster, departed, now.elapsed)) {
                Some(&Departed { since, .. }) => {
                    let until = self.grace.try_into().map_or(since, |grace| since.saturating_add(grace));
                    Doubt::Gone { since, until }
                }
                None => Doubt::Unreachable { since: None, why: UNKNOWN.into() },
            }
        };
        let mut doubts = Vec::new();
        for (cluster, view) in &self.views {
            let doubt = match (&view.doubt, hub.known().contains_key(cluster)) {
                (_, false) => doubt_of(cluster),
                // It is back.
                (Some(Doubt::Gone { .. }), true) => Doubt::Pending,
                (_, true) => continue,
            };
            if view.doubt.as_ref() != Some(&doubt) {
                doubts.push((cluster.clone(), doubt));
            }
        }
        let is_new = !doubts.is_empty();
        for (cluster, doubt) in doubts {
            let began = now.elapsed;
            self.views.insert(cluster.clone(), View { began, doubt: Some(doubt.clone()), ..View::default() });
            let is_forgotten = matches!(doubt, Doubt::Unreachable { .. });
            for subject in self.subjects.values_mut() {
                let last = subject.shares().get(&cluster).and_then(|share| share.last.clone());
                if last.is_some() || is_forgotten {
                    // What it said is only remembered from now on.
                    subject.forget(&cluster);
                    subject.choose(&cluster);
                }
                if let Some(last) = last.filter(|_| !is_forgotten) {
                    subject.recall(&cluster, last);
                }
                subject.doubt(&cluster, Some(doubt.clone()));
            }
            self.waiting.retain(|_, clusters| {
                clusters.remove(&cluster);
                !clusters.is_empty()
            });
        }
        is_new
    }
}

const UNKNOWN: &str = "it is not among the clusters that this hub knows";
