//! What is to be written where, and when: one write at a time for each object, news gathered, failures put off.

mod place;
#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use allready_core::Status;
use allready_kube::{backoff::Backoff, refusal::Refusal};
use serde_json::Value;

pub use self::place::{Draft, Place};
use super::ObjectName;
use crate::pace::{Pace, Pacer, Verdict};

/// What is to be written. Time is the duration since any fixed instant.
#[derive(Debug)]
pub struct Outbox {
    pace: Pace,
    backoff: Backoff,
    entries: BTreeMap<Place, Entry>,
    /// Entries that are to be written, by when; those of each importance apart, so that what is due is found without looking at
    /// all that is.
    due: [BTreeSet<(Duration, Place)>; Place::RANKS],
    under_way: usize,
}

#[derive(Debug)]
struct Entry {
    draft: Option<Kept>,
    /// What is under way.
    sent: Option<Sent>,
    due: Option<Duration>,
    pacer: Pacer,
    failures: u32,
    not_before: Duration,
}

/// A write that is under way.
#[derive(Debug)]
struct Sent {
    /// For when it fails; none if something else was wanted meanwhile, be it nothing.
    draft: Option<Kept>,
    /// Whether the place was forgotten meanwhile.
    is_forgotten: bool,
}

/// A draft while it waits: as text, since ten thousand may wait, and as values they take ten times the memory.
#[derive(Debug)]
struct Kept {
    body: Option<Box<str>>,
    news: (Status, Option<Status>),
}

impl Kept {
    fn new(draft: Draft) -> Self {
        Self { body: draft.body.map(|body| body.to_string().into()), news: draft.news }
    }

    fn body(&self) -> Option<Value> {
        // It was made from a value.
        self.body.as_deref().map(|text| serde_json::from_str(text).unwrap_or_default())
    }
}

/// The most writes that are under way at a time: one hub, many objects.
const MOST_AT_ONCE: usize = 32;
/// The longest that somebody may ask to be left alone.
const LONGEST_ASKED: Duration = Duration::from_secs(30);

impl Outbox {
    /// Nothing is to be written yet.
    pub fn new(pace: Pace, backoff: Backoff) -> Self {
        Self { pace, backoff, entries: BTreeMap::new(), due: Default::default(), under_way: 0 }
    }

    /// What should be written in a place; none where what stands is right.
    pub fn want(&mut self, place: &Place, draft: Option<Draft>, now: Duration) {
        if draft.is_none() && !self.entries.contains_key(place) {
            return;
        }
        let usual = self.pace;
        let entry = self.entries.entry(place.clone()).or_insert_with(|| Entry::new(usual));
        match &draft {
            Some(_) => entry.pacer.changed(now),
            None => entry.pacer.settled(),
        }
        entry.draft = draft.map(Kept::new);
        if let Some(sent) = &mut entry.sent {
            sent.draft = None;
        }
        self.schedule(place, now);
    }

    /// Forgets a place. What is under way there has no say any more, but what is wanted there next waits for its end: it
    /// must not be overtaken by what went before.
    pub fn forget(&mut self, place: &Place) {
        let Some(entry) = self.entries.get_mut(place) else { return };
        if let Some(due) = entry.due.take() {
            self.due[place.rank()].remove(&(due, place.clone()));
        }
        match &mut entry.sent {
            Some(sent) => {
                *sent = Sent { draft: None, is_forgotten: true };
                entry.draft = None;
                entry.pacer.settled();
            }
            None => drop(self.entries.remove(place)),
        }
    }

    /// What is to be written in reports and DNSEndpoints, or none where they should go, as far as it is not under way.
    pub(super) fn waiting(&self) -> impl Iterator<Item = (&Place, Option<Value>)> {
        let waiting = self.due.iter().flatten().map(|(_, place)| place);
        let waiting = waiting.filter(|place| matches!(place, Place::Report(_) | Place::Dns(_)));
        waiting.filter_map(|place| Some((place, self.entries.get(place)?.draft.as_ref()?.body())))
    }

    /// The objects of a kind whose status is to be written, or is being written, for an aggregation.
    pub(super) fn of_kind(&self, aggregation: &str, kind: &str) -> Vec<ObjectName> {
        let open = self.entries.iter().filter(|(_, entry)| entry.draft.is_some() || entry.sent.is_some());
        let objects = open.filter_map(|(place, _)| match place {
            Place::Status { aggregation: by, kind: of, object } if **by == *aggregation && **of == *kind => {
                Some(object.clone())
            }
            _ => None,
        });
        objects.collect()
    }

    /// Forgets the pace of places where nothing has been written for a while.
    pub(super) fn tidy(&mut self, now: Duration) {
        self.entries.retain(|_, entry| {
            let is_idle = entry.draft.is_none() && entry.sent.is_none() && entry.not_before <= now;
            !(is_idle && entry.pacer.is_rested(now))
        });
    }

    /// Whether a write is under way there.
    pub fn is_under_way(&self, place: &Place) -> bool {
        self.entries.get(place).is_some_and(|entry| entry.sent.is_some())
    }

    /// How many writes there have failed in a row.
    pub fn failures(&self, place: &Place) -> u32 {
        self.entries.get(place).map_or(0, |entry| entry.failures)
    }

    /// The writes that are due, the most important first; each is under way until [`wrote`](Self::wrote) says how it went.
    pub fn take_due(&mut self, now: Duration) -> Vec<(Place, Option<Value>)> {
        let room = MOST_AT_ONCE.saturating_sub(self.under_way);
        let due = self.due.iter().flat_map(|places| places.iter().take_while(|(due, _)| *due <= now));
        let places: Vec<(Duration, Place)> = due.take(room).cloned().collect();
        let mut writes = Vec::with_capacity(places.len());
        for due in places {
            self.due[due.1.rank()].remove(&due);
            let (_, place) = due;
            let Some(entry) = self.entries.get_mut(&place) else { continue };
            entry.due = None;
            let Some(draft) = entry.draft.take() else { continue };
            writes.push((place, draft.body()));
            entry.sent = Some(Sent { draft: Some(draft), is_forgotten: false });
            entry.pacer.wrote(now);
            self.under_way += 1;
        }
        writes
    }

    /// How a write went. One that failed is tried again later, unless something else is wanted meanwhile, be it nothing. Says
    /// whether the place was not forgotten meanwhile.
    pub fn wrote(&mut self, place: &Place, result: Result<(), Refusal>, chance: f64, now: Duration) -> bool {
        let Some(entry) = self.entries.get_mut(place) else { return false };
        let Some(sent) = entry.sent.take() else { return false };
        let is_current = !sent.is_forgotten;
        self.under_way -= 1;
        match result {
            Ok(()) => (entry.failures, entry.not_before) = (0, Duration::ZERO),
            Err(refusal) => {
                let asked = match refusal {
                    Refusal::Busy { after } => after.unwrap_or_default(),
                    _ => Duration::ZERO,
                };
                let wait = self.backoff.delay(entry.failures, chance).max(asked.min(LONGEST_ASKED));
                entry.failures = entry.failures.saturating_add(1);
                entry.not_before = now + wait;
                if let Some(draft) = sent.draft {
                    entry.pacer.changed(now);
                    entry.draft = Some(draft);
                }
            }
        }
        if entry.draft.is_none() && entry.failures == 0 && entry.pacer.is_rested(now) {
            self.entries.remove(place);
        } else {
            self.schedule(place, now);
        }
        is_current
    }

    /// After how long something is due.
    pub fn wait(&self, now: Duration) -> Option<Duration> {
        if self.under_way >= MOST_AT_ONCE {
            return None;
        }
        let first = self.due.iter().filter_map(|places| places.first()).map(|(due, _)| due).min();
        first.map(|due| due.saturating_sub(now))
    }

    /// How many writes are to be done or under way.
    pub fn len(&self) -> usize {
        self.due.iter().map(BTreeSet::len).sum::<usize>() + self.under_way
    }

    /// Whether nothing is to be written.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn schedule(&mut self, place: &Place, now: Duration) {
        let Some(entry) = self.entries.get_mut(place) else { return };
        if let Some(due) = entry.due.take() {
            self.due[place.rank()].remove(&(due, place.clone()));
        }
        let Some(draft) = entry.draft.as_ref().filter(|_| entry.sent.is_none()) else { return };
        let paced = match entry.pacer.decide(draft.news.0, draft.news.1, now) {
            Verdict::Write | Verdict::Idle => now,
            Verdict::Wait(wait) => now + wait,
        };
        let due = paced.max(entry.not_before);
        entry.due = Some(due);
        self.due[place.rank()].insert((due, place.clone()));
    }
}

impl Entry {
    fn new(pace: Pace) -> Self {
        Self {
            draft: None,
            due: None,
            pacer: Pacer::new(pace),
            failures: 0,
            not_before: Duration::ZERO,
            sent: None,
        }
    }
}
