//! Where objects are placed by Open Cluster Management.

use std::{sync::Arc, time::Duration};

use allready_kube::kinds::Placement;

use super::{Change, Hub, aggregation::Aggregation, standing::Watched};
use crate::hub::{Decisions, HubFacts, ObjectName, PlacementName, Subject};

/// The decisions of all Placements, and whether they can be seen.
#[derive(Debug)]
pub(super) struct Placements {
    decisions: Decisions,
    seen: Watched,
    /// Whether it was told the last time that they cannot be seen.
    is_troubled: bool,
    /// Whether they have been asked for.
    are_wanted: bool,
}

impl Placements {
    pub(super) fn new(now: Duration) -> Self {
        Self {
            decisions: Decisions::default(),
            seen: Watched::new(now),
            is_troubled: false,
            are_wanted: false,
        }
    }

    /// Whether they are about to be known: what stands is better than a guess.
    pub(super) fn are_awaited(&self, patience: Duration, now: Duration) -> bool {
        !self.seen.is_listed() && self.seen.trouble(patience, now).is_none()
    }

    /// Where an object is placed. What is not seen takes nobody away.
    fn place(&self, object: &ObjectName, facts: &mut HubFacts, patience: Duration, now: Duration) {
        self.decisions.place(&object.namespace, facts);
        if facts.placement.is_none() {
            return;
        }
        if let Some(why) = self.seen.trouble(patience, now) {
            facts.misplaced.push(format!("the PlacementDecisions cannot be seen: {why}"));
        } else if !self.seen.is_listed() {
            facts.misplaced.push("the PlacementDecisions have not been seen yet".to_owned());
        }
    }
}

impl Hub {
    /// Whether PlacementDecisions are to be watched.
    pub fn wants_decisions(&self) -> bool {
        self.aggregations.values().any(is_decided)
    }

    /// They are waited for from when they are first wanted, and not from when this controller began.
    pub(super) fn ask_for_decisions(&mut self, now: Duration) {
        if self.wants_decisions() && !std::mem::replace(&mut self.placements.are_wanted, true) {
            self.placements.seen = Watched::new(now);
        }
    }

    pub(super) fn take_decision(&mut self, change: Change, now: Duration) {
        self.placements.seen.note(&change, now);
        match change {
            Change::There(object) => {
                let changed = self.placements.decisions.there(&object);
                self.place_again(Some(&changed), now);
            }
            Change::Gone(name) => {
                let changed = self.placements.decisions.gone(&name);
                self.place_again(Some(&changed), now);
            }
            Change::Listed => self.place_again(None, now),
            Change::Listing | Change::Failed(_) => {}
        }
    }

    /// Where a new sight of an object places it, if that is decided elsewhere.
    pub(super) fn place(&self, name: &Arc<str>, object: &ObjectName, facts: &mut HubFacts, now: Duration) {
        if self.aggregations.get(name).is_some_and(is_decided) {
            self.placements.place(object, facts, self.options.patience, now);
        }
    }

    /// What depends on time alone: whether it is told that decisions cannot be seen.
    pub(super) fn look_at_decisions(&mut self, now: Duration) {
        let is_troubled = self.placements.seen.trouble(self.options.patience, now).is_some();
        if std::mem::replace(&mut self.placements.is_troubled, is_troubled) != is_troubled {
            self.place_again(None, now);
        }
    }

    /// The decisions of these Placements, or of all, are others: their objects are placed anew.
    fn place_again(&mut self, changed: Option<&[PlacementName]>, now: Duration) {
        let patience = self.options.patience;
        let mut moved = Vec::new();
        for (name, aggregation) in self.aggregations.iter_mut().filter(|(_, found)| is_decided(found)) {
            for (object, subject) in &mut aggregation.subjects {
                let Some(facts) = subject.facts().filter(|facts| is_meant(facts, object, changed)) else {
                    continue;
                };
                let mut facts = facts.clone();
                self.placements.place(object, &mut facts, patience, now);
                if subject.facts() != Some(&facts) {
                    Subject::hub(subject, Some(facts));
                    moved.push((Arc::clone(name), object.clone()));
                }
            }
        }
        for (name, object) in moved {
            self.recall_object(&name, &object);
            self.touch(&name, &object, None);
        }
    }
}

fn is_decided(aggregation: &Aggregation) -> bool {
    aggregation.plan.placement == Placement::Decided
}

/// Whether an object is placed by one of these Placements.
fn is_meant(facts: &HubFacts, object: &ObjectName, changed: Option<&[PlacementName]>) -> bool {
    let by = |(namespace, placement): &PlacementName| {
        *namespace == object.namespace && facts.placement.as_ref() == Some(placement)
    };
    changed.is_none_or(|changed| changed.iter().any(by))
}
