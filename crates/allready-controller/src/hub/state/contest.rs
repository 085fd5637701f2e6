//! Somebody else on the hub who keeps writing the conditions that an aggregation writes.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use allready_core::condition::find;
use serde_json::Value;

use crate::hub::{AGGREGATED, HubFacts, Plan, Rival};

/// The times at which a condition was taken from an aggregation.
#[derive(Debug)]
pub(in crate::hub) struct Contest {
    pub(in crate::hub) rival: Rival,
    taken: VecDeque<Duration>,
    /// The version of the object in which it was taken the last time.
    version: Option<u64>,
    wrote: Duration,
}

/// The number of times that it has to be taken within the window: once or twice may be a person.
const TURNS: usize = 3;
const WINDOW: Duration = Duration::from_mins(5);
/// The time between two writes while what stands looks better than it is, or nobody has been told yet.
const URGENT: Duration = Duration::from_secs(1);
/// And how often otherwise.
const CALM: Duration = Duration::from_secs(30);

impl Contest {
    pub(in crate::hub) fn new(rival: Rival, now: Duration) -> Self {
        Self { rival, taken: VecDeque::new(), version: None, wrote: now }
    }

    /// A condition was taken once more, as this version of the object shows: by a watch, or beside an answer that is older. Both
    /// may tell of the same one.
    pub(in crate::hub) fn lose(&mut self, rival: Rival, version: Option<u64>, now: Duration) {
        if version.is_some() && self.version == version {
            return;
        }
        (self.rival, self.version) = (rival, version);
        self.taken.push_back(now);
        if self.taken.len() > TURNS {
            self.taken.pop_front();
        }
    }

    #[cfg(test)]
    pub(in crate::hub) fn turns(&self) -> usize {
        self.taken.len()
    }

    /// Takes that what is ours was written.
    pub(in crate::hub) fn wrote(&mut self, now: Duration) {
        self.wrote = now;
    }

    /// Returns true if it is one: it was taken again and again.
    pub(in crate::hub) fn is_on(&self, now: Duration) -> bool {
        self.taken.len() >= TURNS && self.taken.front().is_some_and(|first| now <= *first + WINDOW)
    }

    /// Returns true if nothing was taken for so long that it can be forgotten.
    pub(in crate::hub) fn is_over(&self, now: Duration) -> bool {
        self.taken.back().is_none_or(|last| now > *last + WINDOW)
    }

    /// The time at which it is not on, or over, if nothing is taken until then.
    pub(in crate::hub) fn ends_at(&self, now: Duration) -> Option<Duration> {
        let last = if self.is_on(now) { self.taken.front() } else { self.taken.back() };
        last.map(|last| *last + WINDOW + Duration::from_millis(1))
    }

    /// The time at which is written once more: never so often that two writers keep a server busy.
    pub(in crate::hub) fn may_write_at(&self, is_urgent: bool) -> Duration {
        self.wrote + if is_urgent { URGENT } else { CALM }
    }
}

/// The condition that was ours and is not any more, and whose it is now, as far as that is known.
pub(in crate::hub) fn taken(plan: &Plan, before: &HubFacts, after: &HubFacts) -> Option<Rival> {
    if before.uid != after.uid {
        // Another object of the same name never was ours.
        return None;
    }
    let planned = plan.conditions.iter().map(|planned| planned.type_.as_str()).chain([AGGREGATED]);
    let has = |held: &[Arc<str>], type_: &str| held.iter().any(|held| **held == *type_);
    let mut taken = planned.filter(|type_| has(&before.held, type_) && !has(&after.held, type_));
    let type_ = taken.next()?;
    let writer = after.foreign_conditions.iter().find(|(taken, _)| **taken == *type_);
    Some(Rival { type_: type_.into(), writer: writer.map(|(_, writer)| Arc::clone(writer)) })
}

/// Returns true if a condition that stands looks better than what should stand, or nobody was told whose it is.
pub(in crate::hub) fn is_urgent(plan: &Plan, facts: &HubFacts, wanted: &Value) -> bool {
    let stands = |type_: &str| find(&facts.conditions, type_);
    let is_told = stands(AGGREGATED).is_some_and(|told| told.reason.as_str() == "ForeignWriter");
    let wanted = |type_: &str| {
        let all = wanted["conditions"].as_array().into_iter().flatten();
        let wanted = all.into_iter().find(|condition| condition["type"] == *type_)?;
        serde_json::from_value(wanted["status"].clone()).ok()
    };
    let flatters = plan.conditions.iter().any(|planned| {
        let type_ = planned.type_.as_str();
        let standing = |status| planned.polarity.standing(status);
        stands(type_)
            .zip(wanted(type_))
            .is_some_and(|(stands, wanted)| standing(stands.status) < standing(wanted))
    });
    !is_told || flatters
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: fn(u64) -> Duration = Duration::from_secs;

    #[test]
    fn it_takes_three_turns_within_five_minutes_and_ends_when_there_are_none() {
        let rival = || Rival { type_: "Programmed".into(), writer: None };
        let mut contest = Contest::new(rival(), S(0));
        for second in [0, 200, 301] {
            contest.lose(rival(), None, S(second));
            assert!(!contest.is_on(S(second)), "{second}");
        }
        contest.lose(rival(), Some(7), S(310));
        contest.lose(rival(), Some(7), S(311));
        assert!(contest.is_on(S(310)) && contest.is_on(S(500)) && !contest.is_on(S(501)));
        assert!(!contest.is_over(S(610)) && contest.is_over(S(611)));
        contest.wrote(S(310));
        assert_eq!((contest.may_write_at(false), contest.may_write_at(true)), (S(340), S(311)));
    }
}
