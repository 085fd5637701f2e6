//! What a reporter knows and what it has to do next, as a state machine: no clock, no client, no task.
//!
//! Two clocks run through it: the time that conditions carry, and the time since the start, which only moves forward and
//! which all waiting is measured in.

mod entry;
#[cfg(test)]
mod properties;
mod sheet;
mod step;
#[cfg(test)]
mod tests;

use std::{collections::BTreeMap, time::Duration};

use allready_core::{Condition, ConditionType, Time};

use super::{Identity, Outcome, Trouble, identity::own_condition_type};
use crate::{backoff::Backoff, manager::Manager, refusal::Refusal};
use sheet::Sheet;
pub(super) use step::{Answer, Ask, Pace, Shape, Step, Write};

/// A write that was not answered can take effect for as long as the API server works on a request.
const LATE: Duration = Duration::from_mins(1);
/// How often reading a shared object is tried before conditions begin without a past.
const READS: u32 = 5;
/// Failures that are no more than a blip.
const BLIPS: u32 = 2;

#[derive(Debug)]
pub(super) struct Book {
    identity: Identity,
    shape: Shape,
    pace: Pace,
    sheets: BTreeMap<Manager, Sheet>,
    /// Conditions read at the start, of reconcilers that have not spoken yet, in a shared object.
    past: BTreeMap<ConditionType, Condition>,
    is_read: bool,
    object: Object,
    flight: Option<Flight>,
    /// How often in a row the object could not be reached.
    failures: u32,
    not_before: Option<Duration>,
    /// Until when the API server has asked to be left alone.
    asked_until: Option<Duration>,
    trouble: Option<Trouble>,
    refresh_at: Option<Duration>,
    /// Counts how often what is stored was lost.
    losses: u64,
    last: Option<Manager>,
    is_closed: bool,
}

/// What is known of the object that is the reporter's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Object {
    /// It is there, or nothing is known.
    Assumed,
    /// It is there, and is to be applied once more.
    Outdated,
    /// It is not there.
    Absent,
    /// It has just been made.
    Made,
}

#[derive(Debug)]
enum Flight {
    Read,
    Create,
    Write { write: Write, losses: u64 },
}

impl Book {
    pub(super) fn new(identity: Identity, shape: Shape, pace: Pace) -> Self {
        Self {
            identity,
            shape,
            pace,
            sheets: BTreeMap::new(),
            past: BTreeMap::new(),
            is_read: false,
            object: if shape == (Shape::Own { renew: true }) { Object::Outdated } else { Object::Assumed },
            flight: None,
            failures: 0,
            not_before: None,
            asked_until: None,
            trouble: None,
            refresh_at: None,
            losses: 0,
            last: None,
            is_closed: false,
        }
    }

    /// Takes in what a reconciler says. Whether there is something to write now.
    pub(super) fn report(&mut self, reconciler: &str, outcome: Outcome, now: Time) -> bool {
        let (manager, type_) = match self.shape {
            Shape::Shared => (self.identity.manager(reconciler), self.identity.condition_type(reconciler)),
            Shape::Own { .. } => (self.identity.report_manager(), own_condition_type(reconciler)),
        };
        // A shared object has no place for the revision of each.
        let outcome = if self.shape == Shape::Shared { outcome.without_revision() } else { outcome };
        let basis = self.past.remove(&type_);
        let sheet = match self.shape {
            Shape::Shared => self.sheets.entry(manager).or_default(),
            Shape::Own { .. } => self.sheets.entry(manager).or_insert_with(Sheet::own),
        };
        let entry = sheet.entries.entry(type_).or_default();
        entry.basis = entry.basis.take().or(basis);
        entry.say(outcome, now);
        sheet.is_dirty()
    }

    /// What to do now. A request that is sent has to be [answered](Self::answered) before the next.
    pub(super) fn next(&mut self, at: Duration, chance: f64) -> Step {
        if self.is_closed && self.unwritten() == 0 {
            return Step::End;
        }
        if self.refresh_at.is_some_and(|due| due <= at) {
            self.refresh_at = None;
            self.doubt();
            self.plan_refresh(at, chance);
        }
        if let Some(gate) = self.not_before.filter(|gate| *gate > at) {
            return Step::Wait(Some(gate));
        }
        if !self.is_read {
            return self.send(Flight::Read);
        }
        let Some(write) = self.dirty(at) else { return Step::Wait(self.wake()) };
        let make = matches!(self.object, Object::Absent | Object::Outdated);
        if make && matches!(self.shape, Shape::Own { .. }) {
            return self.send(Flight::Create);
        }
        self.last = Some(write.manager.clone());
        self.send(Flight::Write { write, losses: self.losses })
    }

    /// Takes in what the last request came to.
    pub(super) fn answered(&mut self, answer: Answer, at: Duration, chance: f64) {
        match (self.flight.take(), answer) {
            (None, _) => {}
            (Some(flight), Answer::Taken) => self.taken(&flight, at, chance),
            (Some(Flight::Read), answer) => self.read(answer, at, chance),
            (Some(Flight::Create), Answer::Refused(refusal)) => self.not_made(refusal, at, chance),
            (Some(Flight::Create), _) => self.object = Object::Made,
            (Some(Flight::Write { write, .. }), Answer::Refused(refusal)) => {
                self.not_written(write, refusal, at, chance);
            }
            (Some(Flight::Write { write, losses }), _) => self.written(write, losses, at, chance),
        }
    }

    /// The object was deleted, or is another than before: everything has to be written again.
    pub(super) fn lost(&mut self) {
        self.losses += 1;
        self.object = Object::Absent;
        self.doubt();
        self.hurry();
    }

    /// Nobody will report any more: what is left is to be written soon.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
        self.hurry();
    }

    /// Stops waiting after failures, but not what the API server asked for.
    fn hurry(&mut self) {
        self.not_before = self.asked_until;
        self.sheets.values_mut().for_each(|sheet| sheet.not_before = None);
    }

    /// How many conditions have been reported and are not known to be stored.
    pub(super) fn unwritten(&self) -> usize {
        let dirty = self.sheets.values().filter(|sheet| sheet.is_dirty());
        dirty.map(|sheet| sheet.entries.values().filter(|entry| entry.has_spoken()).count()).sum()
    }

    /// Why reports are not getting through, if they are not.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        let is_refused = self.sheets.values().any(|sheet| sheet.refused > 0);
        self.trouble.or(is_refused.then_some(Trouble::Invalid))
    }

    /// Whether the last request failed, so that the next is another attempt.
    pub(super) fn is_retrying(&self) -> bool {
        self.failures > 0 || self.sheets.values().any(|sheet| sheet.refused > 0)
    }

    fn send(&mut self, flight: Flight) -> Step {
        let ask = match &flight {
            Flight::Read => Ask::Read,
            Flight::Create => Ask::Create,
            Flight::Write { write, .. } => Ask::Write(write.clone()),
        };
        self.flight = Some(flight);
        Step::Send(ask)
    }

    /// The next manager with something to write, in turn.
    fn dirty(&self, at: Duration) -> Option<Write> {
        let is_due = |sheet: &Sheet| sheet.is_dirty() && sheet.not_before.is_none_or(|gate| gate <= at);
        let mut due = self.sheets.iter().filter(|(_, sheet)| is_due(sheet));
        let (manager, sheet) = match &self.last {
            Some(last) => {
                let first = due.next()?;
                std::iter::once(first).chain(due).find(|(manager, _)| *manager > last).unwrap_or(first)
            }
            None => due.next()?,
        };
        Some(sheet.write(manager))
    }

    /// When to look again though nothing is reported.
    fn wake(&self) -> Option<Duration> {
        let gates =
            self.sheets.values().filter(|sheet| sheet.is_dirty()).filter_map(|sheet| sheet.not_before);
        gates.chain(self.refresh_at).min()
    }

    fn read(&mut self, answer: Answer, at: Duration, chance: f64) {
        match answer {
            Answer::Found(conditions, revision) => self.found(conditions, revision),
            Answer::Refused(Refusal::NotFound) => self.object = Object::Absent,
            // One manager owns all conditions of an object of its own: a write without those of the past would delete them,
            // also the red ones. So nothing is written before they are known.
            Answer::Refused(refusal) if self.shape != Shape::Shared => {
                self.failed(refusal, at, chance);
                self.trouble = match refusal {
                    Refusal::Forbidden => Some(Trouble::Forbidden),
                    Refusal::Invalid => Some(Trouble::Invalid),
                    _ => self.out_of_reach(),
                };
                return;
            }
            Answer::Refused(refusal @ (Refusal::Busy { .. } | Refusal::Unanswered)) => {
                self.failed(refusal, at, chance);
                if self.failures < READS {
                    return;
                }
            }
            // Not allowed to look: conditions begin without a past.
            Answer::Refused(_) | Answer::Done | Answer::Taken => {}
        }
        self.is_read = true;
        self.trouble = None;
        // What is found as it should be is not written, and may be deleted all the same.
        self.plan_refresh(at, chance);
    }

    fn found(&mut self, conditions: Vec<Condition>, revision: Option<Box<str>>) {
        self.failures = 0;
        match self.shape {
            Shape::Own { .. } => {
                let manager = self.identity.report_manager();
                self.sheets.entry(manager).or_insert_with(Sheet::own).found(conditions, revision);
            }
            Shape::Shared => {
                let prefix = self.identity.prefix();
                let own =
                    conditions.into_iter().filter(|condition| condition.type_.prefix() == Some(&*prefix));
                let mut past: BTreeMap<_, _> =
                    own.map(|condition| (condition.type_.clone(), condition)).collect();
                let entries = self.sheets.values_mut().flat_map(|sheet| &mut sheet.entries);
                entries.for_each(|(type_, entry)| entry.basis = past.remove(type_));
                self.past = past;
            }
        }
    }

    /// Somebody else has the object of this name. What is written there is not ours, so it is read again before anything is.
    fn taken(&mut self, flight: &Flight, at: Duration, chance: f64) {
        if let Flight::Write { write, .. } = flight
            && let Some(sheet) = self.sheets.get_mut(&write.manager)
        {
            sheet.uncertain = true;
        }
        self.is_read = false;
        self.failed(Refusal::Invalid, at, chance);
        self.trouble = Some(Trouble::Taken);
    }

    fn not_made(&mut self, refusal: Refusal, at: Duration, chance: f64) {
        // It is there, and only its owners and labels are not up to date.
        if self.object == Object::Outdated && !refusal.may_pass() && refusal != Refusal::NotFound {
            self.object = Object::Assumed;
            return;
        }
        self.failed(refusal, at, chance);
        self.trouble = match refusal {
            Refusal::NotFound => Some(Trouble::Missing),
            Refusal::Forbidden => Some(Trouble::Forbidden),
            Refusal::Invalid => Some(Trouble::Invalid),
            _ => self.out_of_reach(),
        };
    }

    fn not_written(&mut self, write: Write, refusal: Refusal, at: Duration, chance: f64) {
        let just_made = std::mem::replace(&mut self.object, Object::Assumed) == Object::Made;
        let Some(sheet) = self.sheets.get_mut(&write.manager) else { return };
        match refusal {
            Refusal::NotFound if self.shape != Shape::Shared => {
                self.object = Object::Absent;
                if just_made {
                    self.failed(refusal, at, chance);
                }
            }
            Refusal::Invalid => {
                sheet.not_before = Some(at + patient(self.pace.backoff).delay(sheet.refused, chance));
                sheet.refused = sheet.refused.saturating_add(1);
            }
            _ => {
                if refusal == Refusal::Unanswered {
                    sheet.sent(write);
                    sheet.uncertain = true;
                    sheet.unanswered = true;
                }
                self.failed(refusal, at, chance);
                self.trouble = match refusal {
                    Refusal::NotFound => Some(Trouble::Missing),
                    Refusal::Forbidden => Some(Trouble::Forbidden),
                    _ => self.out_of_reach(),
                };
            }
        }
    }

    fn written(&mut self, write: Write, losses: u64, at: Duration, chance: f64) {
        self.object = Object::Assumed;
        self.failures = 0;
        self.not_before = None;
        self.trouble = None;
        let Some(sheet) = self.sheets.get_mut(&write.manager) else { return };
        sheet.sent(write);
        sheet.uncertain = losses != self.losses;
        sheet.refused = 0;
        sheet.not_before = None;
        if std::mem::take(&mut sheet.unanswered) {
            let late = at + LATE;
            self.refresh_at = Some(self.refresh_at.map_or(late, |due| due.min(late)));
        }
        self.plan_refresh(at, chance);
    }

    fn failed(&mut self, refusal: Refusal, at: Duration, chance: f64) {
        let backoff = if refusal.may_pass() { self.pace.backoff } else { patient(self.pace.backoff) };
        self.asked_until = match refusal {
            Refusal::Busy { after: Some(after) } => Some(at + after),
            _ => None,
        };
        self.not_before = Some(self.asked_until.unwrap_or(at) + backoff.delay(self.failures, chance));
        self.failures = self.failures.saturating_add(1);
    }

    /// One failure is no state; several in a row are. Another trouble gives way to it.
    fn out_of_reach(&self) -> Option<Trouble> {
        if self.failures > BLIPS { Some(Trouble::Unreachable) } else { self.trouble }
    }

    fn doubt(&mut self) {
        self.sheets.values_mut().for_each(|sheet| sheet.uncertain = true);
    }

    fn plan_refresh(&mut self, at: Duration, chance: f64) {
        let spread = |every: Duration| at + every.mul_f64(f64::midpoint(1.0, chance.clamp(0.0, 1.0)));
        self.refresh_at = self.refresh_at.or(self.pace.refresh.map(spread));
    }
}

/// For what does not pass until somebody does something about it.
fn patient(backoff: Backoff) -> Backoff {
    Backoff { max: backoff.max.saturating_mul(4), ..backoff }
}
