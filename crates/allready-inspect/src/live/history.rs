//! Transitions of objects: a bounded memory.

use std::collections::{HashMap, VecDeque};

use crate::health::Health;
use allready_core::Time;

use super::record::Key;

/// The number of transitions that are remembered.
const MAX_TRANSITIONS: usize = 1000;
/// The time over which changes of one object are counted, in seconds.
pub const WINDOW_SECONDS: i64 = 600;
/// The number of changes of one object that are counted.
const MAX_CHANGES: usize = 99;

/// An object that appeared, came to another health, or went away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transition {
    /// The time at which it was seen.
    pub at: Time,
    /// The object.
    pub key: Key,
    /// None: it was not there before.
    pub from: Option<Health>,
    /// None: it is gone.
    pub to: Option<Health>,
    /// Why, in one word.
    pub reason: String,
}

/// The last transitions, and the recent changes of each object.
#[derive(Debug, Default)]
pub struct History {
    transitions: VecDeque<Transition>,
    noted: u64,
    changes: HashMap<Key, VecDeque<Time>>,
}

impl History {
    /// Takes a transition in.
    pub fn note(&mut self, transition: Transition) {
        if transition.from.is_some() && transition.to.is_some() {
            let changes = self.changes.entry(transition.key.clone()).or_default();
            changes.push_back(transition.at);
            if changes.len() > MAX_CHANGES {
                changes.pop_front();
            }
        }
        self.noted += 1;
        self.transitions.push_front(transition);
        self.transitions.truncate(MAX_TRANSITIONS);
    }

    /// The number of transitions that were ever taken in.
    pub fn noted(&self) -> u64 {
        self.noted
    }

    /// Newest first.
    pub fn transitions(&self) -> &VecDeque<Transition> {
        &self.transitions
    }

    /// The number of recent changes of an object's health.
    pub fn flaps(&self, key: &Key, now: Time) -> usize {
        self.changes.get(key).map_or(0, |changes| changes.iter().filter(|&&at| is_recent(at, now)).count())
    }

    /// Returns true if no object changed recently.
    pub fn is_calm(&self) -> bool {
        self.changes.is_empty()
    }

    /// Drops what is too old to be counted.
    pub fn forget(&mut self, now: Time) {
        self.changes.retain(|_, changes| {
            while changes.front().is_some_and(|&at| !is_recent(at, now)) {
                changes.pop_front();
            }
            !changes.is_empty()
        });
    }
}

fn is_recent(at: Time, now: Time) -> bool {
    now.since(at).as_secs() < WINDOW_SECONDS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Time {
        Time::from_second(second).unwrap()
    }

    fn change(second: i64, from: Option<Health>, to: Option<Health>) -> Transition {
        Transition { at: at(second), key: Key::new(0, "shop", "web"), from, to, reason: String::new() }
    }

    #[test]
    fn changes_are_counted_for_ten_minutes() {
        let (bad, good) = (Some(Health::Degraded), Some(Health::Healthy));
        let mut history = History::default();
        history.note(change(0, None, good));
        history.note(change(10, good, bad));
        history.note(change(20, bad, good));
        let key = Key::new(0, "shop", "web");
        assert_eq!(history.flaps(&key, at(20)), 2, "to appear is no change");
        assert_eq!((history.flaps(&key, at(609)), history.flaps(&key, at(610))), (2, 1));
        assert_eq!(history.flaps(&Key::new(1, "shop", "web"), at(20)), 0);
        history.forget(at(620));
        assert_eq!((history.flaps(&key, at(620)), history.changes.len()), (0, 0));
        assert_eq!(history.transitions().len(), 3, "they are still told");
    }

    #[test]
    fn an_object_that_never_rests_takes_bounded_memory() {
        let (bad, good) = (Some(Health::Degraded), Some(Health::Healthy));
        let mut history = History::default();
        for second in 0..5000 {
            history.note(change(second, good, bad));
        }
        assert_eq!(history.transitions().len(), MAX_TRANSITIONS);
        assert_eq!(history.transitions()[0].at, at(4999));
        assert_eq!(history.flaps(&Key::new(0, "shop", "web"), at(4999)), MAX_CHANGES);
    }
}
