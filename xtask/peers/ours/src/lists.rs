//! Lists of conditions: apimachinery's helpers, and openmcp's updater.

use allready_core::set::{ConditionUpdater, Untouched, UpdatedConditions};
use allready_core::{Condition, ConditionType, Reason, Time, condition};

use crate::Subject;
use crate::wire::{Answer, Case, NOW, Said, conditions, time};

/// A mark: the condition to set, or the type to remove.
enum Mark {
    Set(Condition),
    Remove(ConditionType),
}

impl Mark {
    fn of(said: &Said) -> Result<Self, String> {
        if said.status.is_empty() {
            return Ok(Self::Remove(
                ConditionType::new(said.type_.clone()).map_err(|error| error.to_string())?,
            ));
        }
        said.condition().map(Self::Set)
    }

    fn all(said: &[Said]) -> Result<Vec<Self>, String> {
        said.iter().map(Self::of).collect()
    }
}

/// The marks of a case with another reason: a call that is made again changes something again.
pub(crate) fn again(marks: &[Said]) -> Vec<Said> {
    marks.iter().map(|mark| Said { reason: format!("{}Again", mark.reason), ..mark.clone() }).collect()
}

pub(crate) struct List {
    conditions: Vec<Condition>,
    marks: [Vec<Mark>; 2],
    turn: usize,
    changed: bool,
}

impl List {
    pub(crate) fn new(case: &Case) -> Result<Self, String> {
        let marks = [Mark::all(&case.marks)?, Mark::all(&again(&case.marks))?];
        Ok(Self { conditions: conditions(&case.conditions)?, marks, turn: 0, changed: false })
    }
}

impl Subject for List {
    fn call(&mut self) {
        for mark in &self.marks[self.turn % 2] {
            self.changed |= match mark {
                Mark::Set(new) => condition::set(&mut self.conditions, new.clone()),
                Mark::Remove(type_) => condition::remove(&mut self.conditions, type_.as_str()).is_some(),
            };
        }
        self.turn += 1;
    }

    fn answer(&self) -> Answer {
        Answer { changed: self.changed, ..self.conditions.iter().collect() }
    }
}

pub(crate) struct Updating {
    old: Vec<Condition>,
    marks: Vec<(Mark, Option<Reason>)>,
    untouched: Untouched,
    now: Time,
    updated: Option<UpdatedConditions>,
}

impl Updating {
    pub(crate) fn new(case: &Case) -> Result<Self, String> {
        let mark = |said: &Said| -> Result<_, String> {
            if said.reason.is_empty() && !said.status.is_empty() {
                let named = Said { reason: "Any".to_owned(), ..said.clone() };
                return Ok((Mark::of(&named)?, None));
            }
            let mark = Mark::of(said)?;
            let reason = match &mark {
                Mark::Set(condition) => Some(condition.reason.clone()),
                Mark::Remove(_) => None,
            };
            Ok((mark, reason))
        };
        Ok(Self {
            old: conditions(&case.conditions)?,
            marks: case.marks.iter().map(mark).collect::<Result<_, _>>()?,
            untouched: if case.remove_untouched { Untouched::Remove } else { Untouched::Keep },
            now: time(NOW)?,
            updated: None,
        })
    }
}

impl Subject for Updating {
    fn call(&mut self) {
        let mut updater = ConditionUpdater::new(&self.old, self.untouched, self.now);
        for (mark, reason) in &self.marks {
            updater = match mark {
                Mark::Remove(type_) => updater.remove(type_.as_str()),
                Mark::Set(new) => updater.update(
                    new.type_.clone(),
                    new.status,
                    new.observed_generation.unwrap_or_default(),
                    reason.clone(),
                    new.message.clone(),
                ),
            };
        }
        self.updated = Some(updater.finish());
    }

    fn answer(&self) -> Answer {
        self.updated.as_ref().map_or_else(Answer::default, |updated| Answer {
            changed: updated.changed,
            ..updated.conditions.iter().collect()
        })
    }
}
