//! `allready.dev/Aggregated`: whether everything that the clusters say stands in the object, and is fresh.

use std::collections::BTreeMap;

use allready_core::{
    Condition, ConditionType, Status, Time,
    condition::{cut, find},
    condition_type,
    rollup::{Context, Rollup},
};

use super::{
    super::{AGGREGATED, Address, HubFacts},
    Rival, Subject, answer,
    tally::MESSAGE,
};

const TYPE: ConditionType = condition_type!("allready.dev/Aggregated");

/// Notes on what is not in the object although the clusters say it.
#[derive(Debug, Default)]
pub(super) struct Left {
    foreign: Vec<String>,
    room: Vec<String>,
}

impl Left {
    /// Somebody else keeps writing a condition.
    pub(super) fn rival(&mut self, rival: &Rival) {
        let writer = rival.writer.as_deref().unwrap_or("somebody");
        let (writer, type_) = (cut(writer, SHOWN), &rival.type_);
        self.foreign.push(format!(
            "{writer} writes the condition {type_} of this object too: it is overwritten again and again, and what stands \
             there may be either's"
        ));
    }

    /// Somebody else writes the addresses.
    pub(super) fn foreign_addresses(&mut self, writer: Option<&str>, native: Option<&Address>) {
        let what = match (writer, native) {
            (Some(writer), _) => format!("{} writes the addresses of this object", cut(writer, SHOWN)),
            (None, Some(native)) => format!(
                "address {} of type {} stands there from another writer",
                cut(&native.value, SHOWN),
                cut(&native.type_, SHOWN)
            ),
            (None, None) => return,
        };
        self.foreign.push(format!("{what}: those of the clusters are left out"));
    }

    /// Somebody else writes listeners of these names.
    pub(super) fn foreign_listeners(&mut self, taken: &BTreeMap<&str, &str>) {
        let Some((name, writer)) = taken.first_key_value() else { return };
        let more = match taken.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let (name, writer) = (cut(name, SHOWN), cut(writer, SHOWN));
        self.foreign
            .push(format!("{writer} writes listener {name}{more}: what the clusters say is left out"));
    }

    /// There is no room for some rows.
    pub(super) fn rows(&mut self, told: Option<String>) {
        self.room.extend(told);
    }

    /// There is no room for these conditions.
    pub(super) fn conditions(&mut self, left: &[Condition], room: usize) {
        if !left.is_empty() {
            let types: Vec<_> = left.iter().map(|condition| condition.type_.as_str()).collect();
            let types = types.join(", ");
            self.room.push(format!(
                "conditions are left out, as there is room for {room}, everybody's together: {types}"
            ));
        }
    }

    /// Returns true if there is anything.
    pub(super) fn is_any(&self) -> bool {
        !self.foreign.is_empty() || !self.room.is_empty()
    }
}

/// The most bytes of a name that are told.
const SHOWN: usize = 120;

/// The condition.
pub(super) fn condition(subject: &Subject, facts: &HubFacts, left: &Left, now: Time) -> Condition {
    let roster = &subject.tally.rows;
    let counts = roster.counts();
    let previous = find(&facts.conditions, AGGREGATED);
    let problems = &subject.plan.problems;
    let misplaced = answer::misplaced(subject, facts);
    let (status, reason) = if !problems.is_empty() {
        (Status::False, "SpecInvalid")
    } else if !left.foreign.is_empty() {
        (Status::False, "ForeignWriter")
    } else if !left.room.is_empty() || counts.bad > 0 {
        (Status::False, "RowsLeftOut")
    } else if !misplaced.is_empty() {
        (Status::Unknown, "InstancesUnknown")
    } else if let Some(reason) = answer::silence(subject, counts.unknown) {
        (Status::Unknown, reason)
    } else if counts.unknown > 0 || roster.is_empty() {
        (Status::Unknown, "InstancesUnknown")
    } else {
        (Status::True, "Complete")
    };
    let gaps: Vec<String> = problems.iter().chain(misplaced).cloned().collect();
    let gaps = cut(&gaps.join("; "), answer::GAPS).into_owned();
    let line = if roster.is_empty() {
        answer::nobody(subject.plan.placement).into()
    } else {
        roster.roll_up(&Context::new(AGGREGATED, now)).message
    };
    let parts = [gaps.as_str()].into_iter();
    let parts = parts.chain(left.foreign.iter().chain(&left.room).map(String::as_str)).chain([&*line]);
    let message = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
    let message = if message.is_empty() {
        format!("what {count} of {count} instances say is here", count = subject.tally.expected())
    } else {
        cut(&message, MESSAGE).into_owned()
    };
    let observed = match subject.tally.seen(subject.plan.conditions.len()) {
        Some(seen) => Some(seen.min(facts.generation)),
        None => answer::unadvanced(previous, facts),
    };
    let rollup = Rollup { status, reason: reason.into(), message: message.into(), observed };
    rollup.into_condition(TYPE, previous, now)
}
