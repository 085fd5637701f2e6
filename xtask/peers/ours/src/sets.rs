//! Condition sets: a pass with marks over a stored list.

use allready_core::rollup::Policy;
use allready_core::set::{At, Declared};
use allready_core::{Condition, ConditionSet, ConditionType, Time, condition};

use crate::Subject;
use crate::lists::again;
use crate::wire::{Answer, Case, NOW, conditions, generation, time};

pub(crate) struct Marked {
    set: ConditionSet,
    list: Vec<Condition>,
    marks: [Vec<Condition>; 2],
    at: At,
    turn: usize,
}

impl Marked {
    pub(crate) fn new(peer: &str, case: &Case) -> Result<Self, String> {
        let policy: Policy = peer.parse().map_err(|error| format!("{error}"))?;
        let mut builder = ConditionSet::living().policy(policy);
        for type_ in &case.dependents {
            let type_ = ConditionType::new(type_.clone()).map_err(|error| error.to_string())?;
            builder = builder.dependent(Declared::new(type_));
        }
        Ok(Self {
            set: builder.build().map_err(|error| error.to_string())?,
            list: conditions(&case.conditions)?,
            marks: [conditions(&case.marks)?, conditions(&again(&case.marks))?],
            // The objects of the peers have no time of their creation.
            at: At::new(generation(case.generation)?, time(NOW)?).created(Time::EPOCH),
            turn: 0,
        })
    }
}

impl Subject for Marked {
    fn call(&mut self) {
        let mut pass = self.set.pass(&mut self.list, self.at);
        for mark in &self.marks[self.turn % 2] {
            // Only what is declared is marked.
            let _ = pass.mark(mark.type_.as_str(), mark.status, mark.reason.clone(), mark.message.as_str());
        }
        pass.finish();
        self.turn += 1;
    }

    fn answer(&self) -> Answer {
        condition::find(&self.list, "Ready").into_iter().collect()
    }
}
