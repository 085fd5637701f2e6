//! Reports that nobody wants any more.

use std::time::Duration;

use super::{super::Hub, About};
use crate::hub::{Draft, ObjectName, Place};

impl Hub {
    /// Takes away the reports and endpoints that nobody wants any more. Only what is known for certain to be unwanted.
    pub(in crate::hub::board) fn remove_orphans(&mut self, now: Duration) {
        if !self.reports.may_have_orphans || !self.seen.is_listed() || !self.clusters.is_seen() {
            return;
        }
        self.reports.may_have_orphans = false;
        let orphans: Vec<ObjectName> = self
            .reports
            .standing
            .iter()
            .filter(|(name, report)| {
                // Another hub controller may have clusters of its own, in its own namespace.
                let is_ours = matches!(report.about, About::Instance { .. })
                    || *name.namespace == *self.options.namespace;
                is_ours && self.is_orphan(&report.about)
            })
            .map(|(name, _)| name.clone())
            .collect();
        for name in orphans {
            self.reports.wanted.remove(&name);
            self.outbox.want(&Place::Report(name), Some(Draft::calm(None)), now);
        }
        self.remove_orphaned_endpoints(now);
        // What nobody wants any more is not made in the first place either.
        if std::mem::take(&mut self.reports.may_have_unwanted) {
            self.withdraw(now, true);
        }
    }

    /// Somebody may want again what was to be taken away.
    pub(in crate::hub::board) fn look_for_wanted(&mut self) {
        self.reports.may_have_wanted = true;
    }

    /// Takes back what was to be deleted, where that is not certain any more.
    pub(in crate::hub::board) fn spare_wanted(&mut self, now: Duration) {
        if std::mem::take(&mut self.reports.may_have_wanted) {
            self.withdraw(now, false);
        }
    }

    /// Takes back drafts of what nobody wants, or deletions of what may be wanted.
    fn withdraw(&mut self, now: Duration, are_drafts: bool) {
        let waiting = self.outbox.waiting().filter(|(place, body)| match (place, body) {
            (_, body) if body.is_some() != are_drafts => false,
            (Place::Report(_), Some(body)) => About::read(body).is_some_and(|about| self.is_orphan(&about)),
            (Place::Report(name), None) => {
                self.reports.standing.get(name).is_some_and(|standing| !self.is_orphan(&standing.about))
            }
            (Place::Dns(name), Some(body)) => self.is_orphaned_endpoint(name, body),
            (Place::Dns(name), None) => {
                let standing = self.endpoints.standing(name);
                standing.is_some_and(|standing| !self.is_orphaned_endpoint(name, standing))
            }
            (Place::Status { .. } | Place::Aggregation(_), _) => false,
        });
        for place in waiting.map(|(place, _)| place.clone()).collect::<Vec<_>>() {
            self.outbox.want(&place, None, now);
        }
    }

    /// Whether it is certain that nobody wants a report.
    fn is_orphan(&self, about: &About) -> bool {
        let (label, kind, cluster) = match about {
            About::Cluster { cluster, .. } => return !self.clusters.known().contains_key(cluster),
            About::Instance { aggregation, kind, cluster, .. } => (aggregation, kind, cluster),
        };
        let Some(name) = self.labelled(label) else { return true };
        let Some(aggregation) = self.aggregations.get(&name) else { return true };
        if aggregation.plan.target.kind != **kind {
            // Unless its spec cannot be read at present.
            return !aggregation.plan.target.kind.is_empty();
        }
        if !aggregation.seen.is_listed() {
            return false;
        }
        let Some((_, object)) = self.subject_of(about) else { return true };
        let Some(subject) = aggregation.subjects.get(&object) else { return true };
        !subject.shares().contains_key(cluster)
            || (!aggregation.reported.contains(&object) && !subject.is_pending())
            || self.claimed_by_another(&name, &object).is_some()
    }
}
