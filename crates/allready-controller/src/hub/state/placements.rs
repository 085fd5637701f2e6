//! Placement of objects by Open Cluster Management.

use std::{sync::Arc, time::Duration};

use allready_kube::{kinds::Placement, list_watch::Store};

use super::{Aggregation, HubState, ObjectEvent};
use crate::hub::{Decisions, HubFacts, ObjectName, PlacementName, Subject};

/// The decisions of all Placements, and whether they can be seen.
#[derive(Debug)]
pub(in crate::hub) struct Placements {
    decisions: Decisions,
    pub(in crate::hub) store: Store<ObjectName, ()>,
    /// True once they have been asked for.
    are_wanted: bool,
}

impl Placements {
    pub(super) fn new(now: Duration) -> Self {
        Self { decisions: Decisions::default(), store: Store::new(now), are_wanted: false }
    }

    /// Returns true while they are about to be known: what stands is better than a guess.
    pub(in crate::hub) fn are_awaited(&self, patience: Duration, now: Duration) -> bool {
        !self.store.is_synced() && self.store.unseen(patience, now).is_none()
    }

    /// Says where an object is placed. Decisions that are not seen take nobody away.
    fn place(&self, object: &ObjectName, facts: &mut HubFacts, patience: Duration, now: Duration) {
        self.decisions.place(&object.namespace, facts);
        if facts.placement.is_none() {
            return;
        }
        if let Some(why) = self.store.unseen(patience, now) {
            facts.misplaced.push(format!("the PlacementDecisions cannot be seen: {why}"));
        } else if !self.store.is_synced() {
            facts.misplaced.push("the PlacementDecisions have not been seen yet".to_owned());
        }
    }
}

impl HubState {
    /// Returns true if PlacementDecisions are to be watched.
    pub fn wants_decisions(&self) -> bool {
        self.aggregations.values().any(is_decided)
    }

    /// They are waited for from when they are first wanted, and not from when this controller began.
    pub(super) fn ask_for_decisions(&mut self, now: Duration) {
        if self.wants_decisions() && !std::mem::replace(&mut self.placements.are_wanted, true) {
            self.placements.store = Store::new(now);
        }
    }

    pub(super) fn take_decision(&mut self, event: ObjectEvent, now: Duration) {
        let is_about_all = matches!(event, ObjectEvent::InitDone | ObjectEvent::Failed(_));
        let mut object = None;
        let mut changed = Vec::new();
        for name in self.placements.store.apply(event.map(|value| object = Some(value)), now) {
            changed.extend(match &object {
                Some(object) => self.placements.decisions.there(object),
                None => self.placements.decisions.gone(&name),
            });
        }
        let by = |facts: &HubFacts, object: &ObjectName, (namespace, placement): &PlacementName| {
            *namespace == object.namespace && facts.placement.as_ref() == Some(placement)
        };
        let placed = self.aggregations.iter().filter(|(_, found)| is_decided(found));
        let placed = placed.flat_map(|(name, found)| {
            let meant = found.subjects.iter().filter(|(object, subject)| {
                let facts = subject.facts();
                is_about_all || facts.is_some_and(|facts| changed.iter().any(|one| by(facts, object, one)))
            });
            meant.map(|(object, _)| (Arc::clone(name), object.clone()))
        });
        for (name, object) in placed.collect::<Vec<_>>() {
            self.status_changed(&name, &object);
        }
    }

    /// Says where a new sight of an object places it, if that is decided elsewhere.
    pub(super) fn place(&self, name: &Arc<str>, object: &ObjectName, facts: &mut HubFacts, now: Duration) {
        if self.aggregations.get(name).is_some_and(is_decided) {
            self.placements.place(object, facts, self.options.patience, now);
        }
    }

    /// Places an object anew, if that is decided elsewhere. Returns the time at which it may be placed otherwise if nothing happens.
    pub(in crate::hub) fn place_again(
        &mut self,
        name: &Arc<str>,
        object: &ObjectName,
        now: Duration,
    ) -> Option<Duration> {
        let patience = self.options.patience;
        let aggregation = self.aggregations.get_mut(name).filter(|found| is_decided(found))?;
        let subject = aggregation.subjects.get_mut(object)?;
        let facts = subject.facts().filter(|facts| facts.placement.is_some())?;
        let mut placed = HubFacts { placement: facts.placement.clone(), ..HubFacts::default() };
        self.placements.place(object, &mut placed, patience, now);
        if (&facts.placed, &facts.misplaced) != (&placed.placed, &placed.misplaced) {
            let facts = HubFacts { placed: placed.placed, misplaced: placed.misplaced, ..facts.clone() };
            Subject::hub(subject, Some(facts));
            self.recall_object(name, object);
            self.object_changed(name, object);
        }
        self.placements.store.unseen_at(patience).filter(|at| *at > now)
    }
}

fn is_decided(aggregation: &Aggregation) -> bool {
    aggregation.plan.placement == Placement::Decided
}
