//! Due keys in a lane for each namespace: one with many keys delays no other.

use std::{
    collections::{BTreeMap, BTreeSet, VecDeque},
    ops::Bound,
    time::Duration,
};

/// The most items of a lane that are passed over in a search for those that are ready.
const MOST_PASSED: usize = 64;

/// Items by their lane, and by the time at which each is due.
#[derive(Clone, Debug)]
pub(super) struct Lanes<T> {
    lanes: BTreeMap<Box<str>, BTreeSet<(Duration, T)>>,
    /// The lane whose turn was last.
    last: Box<str>,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self { lanes: BTreeMap::new(), last: Box::default() }
    }
}

impl<T: Ord + Clone> Lanes<T> {
    pub(super) fn insert(&mut self, lane: &str, due: Duration, item: T) {
        match self.lanes.get_mut(lane) {
            Some(items) => _ = items.insert((due, item)),
            None => _ = self.lanes.insert(lane.into(), BTreeSet::from([(due, item)])),
        }
    }

    pub(super) fn remove(&mut self, lane: &str, due: Duration, item: &T) {
        let Some(items) = self.lanes.get_mut(lane) else { return };
        items.remove(&(due, item.clone()));
        if items.is_empty() {
            self.lanes.remove(lane);
        }
    }

    /// All items of one lane that are due, in the order of their times.
    pub(super) fn of_lane(&self, lane: &str, now: Duration) -> Vec<(Duration, T)> {
        let items = self.lanes.get(lane).into_iter().flatten();
        items.take_while(|(due, _)| *due <= now).cloned().collect()
    }

    /// So many items that are due and ready, one of each lane in turn, and of each lane in the order of their times. They stay.
    pub(super) fn in_turn(
        &mut self,
        now: Duration,
        most: usize,
        is_ready: impl Fn(&T) -> bool,
    ) -> Vec<(Duration, T)> {
        let last = &*self.last;
        let behind = self.lanes.range::<str, _>((Bound::Excluded(last), Bound::Unbounded));
        let before = self.lanes.range::<str, _>((Bound::Unbounded, Bound::Included(last)));
        let due = behind.chain(before).map(|(lane, items)| {
            let due = items.iter().take_while(|(due, _)| *due <= now).take(most.saturating_add(MOST_PASSED));
            (lane, due.filter(|(_, item)| is_ready(item)))
        });
        let mut turns: VecDeque<_> = due.collect();
        let (mut taken, mut turn) = (Vec::new(), None);
        while taken.len() < most {
            let Some((lane, mut items)) = turns.pop_front() else { break };
            if let Some(item) = items.next() {
                taken.push(item.clone());
                turn = Some(lane.clone());
                turns.push_back((lane, items));
            }
        }
        self.last = turn.unwrap_or_else(|| std::mem::take(&mut self.last));
        taken
    }

    /// The time of the first item.
    pub(super) fn first(&self) -> Option<Duration> {
        self.lanes.values().filter_map(BTreeSet::first).map(|(due, _)| *due).min()
    }

    pub(super) fn len(&self) -> usize {
        self.lanes.values().map(BTreeSet::len).sum()
    }
}
