//! Everything that is known of a cluster, and from one state to the next: one function without side effects.

use std::sync::Arc;

use allready_core::Time;
use allready_kube::list_watch::WatchEvent;
use serde_json::Value;

use super::{
    details::Details,
    history::{History, Transition},
    kinds::{Coverage, Kind, Stage, Tally},
    record::{Group, Key, Place, Record, Told},
};
use crate::{
    causes::Digest, declared::Heard, explain::Explanation, graph::ObjectId, health::Health, judge::Verdict,
    words::age,
};

/// Something happened in a cluster.
#[derive(Debug)]
pub enum Event {
    /// This kind is going to be watched; its index is the number of those before it.
    Kind {
        /// The API group.
        group: String,
        /// The kind.
        kind: String,
        /// Its name in a path.
        plural: String,
    },
    /// A kind is not served any more, and neither are its objects.
    Retired(usize),
    /// Of these groups of the API nothing is known.
    Blind(Vec<String>),
    /// The declarations of definitions were read, or not.
    Heard(Heard),
    /// A kind is listed, from the beginning.
    Listing(usize),
    /// An object is there.
    Seen(Box<Seen>),
    /// An object is not there any more.
    Gone(Key),
    /// The causes of what is not well were found, worst first.
    Causes(Vec<Group>),
    /// All objects of a kind were seen.
    Listed(usize),
    /// Changes of objects of a kind are seen from now on.
    Watching(usize),
    /// Nothing is seen of a kind, and why.
    Failed(usize, String),
    /// The server does not answer any more: why, and when it last did; or it does again.
    Silent(Option<(String, Time)>),
    /// The object that somebody looks at was read, or not. It is no part of the state.
    Looked(Key, Result<Box<Details>, String>),
    /// The object that somebody looks at is explained. It is no part of the state.
    Explained(Key, Box<Explanation>),
}

/// An object, and what it comes to.
#[derive(Debug)]
pub struct Seen {
    /// The object.
    pub key: Key,
    /// Its identity.
    pub uid: String,
    /// The verdict on it.
    pub verdict: Verdict,
    /// The digest for the search for causes, until that has taken it.
    pub digest: Option<Box<Digest>>,
    /// The reliability of the verdict.
    pub standing: Standing,
    /// The facts that the follower wants of objects of its kind.
    pub facts: Option<Arc<Value>>,
}

/// The reliability of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// No other object can change it.
    Final,
    /// It is about the object alone, and others may make it worse: the search for causes says so next.
    Alone,
    /// It was found in view of the others.
    Compared,
}

/// The state of a cluster.
#[derive(Debug)]
pub struct State {
    /// The present, as far as it is told.
    pub now: Time,
    /// The kinds that are watched, with their objects.
    pub kinds: Vec<Kind>,
    /// The groups of the API of which nothing is known, and why.
    pub blind: Vec<String>,
    /// The declarations of definitions that cannot be understood, and why not all of them could be read.
    pub heard: Heard,
    /// Why the server does not answer, and when it last did.
    pub silence: Option<(String, Time)>,
    /// The number of objects of each health.
    pub tally: Tally,
    /// The change.
    pub history: History,
    /// The causes of what is not well, worst first; nothing until they were looked for.
    pub causes: Option<Vec<Group>>,
    /// Counts the events that were taken in.
    pub revision: u64,
}

impl State {
    /// Nothing is known yet.
    pub fn new(now: Time) -> Self {
        Self {
            now,
            kinds: Vec::new(),
            blind: Vec::new(),
            heard: Heard::default(),
            silence: None,
            tally: Tally::default(),
            history: History::default(),
            causes: None,
            revision: 0,
        }
    }

    /// The kinds that are seen, of those that there are.
    pub fn coverage(&self) -> Coverage {
        let silence = self.silence.as_ref();
        let silence = silence.map(|(why, since)| format!("{}: {why}", age(*since, self.now)));
        let undeclared = self.heard.gap.clone();
        Coverage { undeclared, silence, ..Coverage::of(&self.kinds, &self.blind) }
    }

    /// The last state seen of an object.
    pub fn record(&self, key: &Key) -> Option<&Record> {
        self.kinds.get(key.kind)?.objects.get(&key.place)
    }

    /// The watched object of this name.
    pub fn key_of(&self, id: &ObjectId) -> Option<Key> {
        let is_kind = |kind: &&Kind| kind.name == id.kind && kind.group == id.group;
        let index = self.kinds.iter().rposition(|kind| is_kind(&kind))?;
        let key = Key::new(index, &id.namespace, &id.name);
        self.record(&key).is_some().then_some(key)
    }

    /// The name of a watched object.
    pub fn id_of(&self, key: &Key) -> Option<ObjectId> {
        let kind = self.kinds.get(key.kind)?;
        Some(ObjectId::new(&kind.group, &kind.name, &key.place.namespace, &key.place.name))
    }

    /// Takes the time in.
    pub fn tick(&mut self, now: Time) {
        self.now = now;
        self.history.forget(now);
    }

    /// Takes an event in. Gives the objects that were seen again, or went away.
    pub fn update(&mut self, event: Event) -> Vec<Key> {
        self.revision += 1;
        match event {
            Event::Kind { group, kind, plural } => self.kinds.push(Kind::new(&group, &kind, &plural)),
            Event::Retired(index) => return self.retire(index),
            Event::Blind(groups) => self.blind = groups,
            Event::Heard(heard) => self.heard = heard,
            Event::Listing(index) => {
                if let Some(kind) = self.kinds.get_mut(index) {
                    kind.apply(WatchEvent::Init);
                    if matches!(kind.stage, Stage::Opening | Stage::Watching) {
                        kind.stage = Stage::Listing;
                    }
                }
            }
            Event::Seen(seen) => return self.see(*seen).into_iter().collect(),
            Event::Gone(key) => return self.lose(key).into_iter().collect(),
            Event::Causes(groups) => self.causes = Some(groups),
            Event::Listed(index) => return self.listed(index),
            Event::Watching(index) => self.set_stage(index, Stage::Watching),
            Event::Failed(index, why) => {
                let failing = self.kinds.get(index).map(|kind| &kind.stage);
                let since = match failing {
                    Some(Stage::Failing { since, .. }) => *since,
                    _ => self.now,
                };
                if let Some(kind) = self.kinds.get_mut(index) {
                    kind.apply(WatchEvent::Failed(why.as_str().into()));
                }
                self.set_stage(index, Stage::Failing { why, since });
            }
            Event::Silent(silence) => self.silence = silence,
            Event::Looked(..) | Event::Explained(..) => {}
        }
        Vec::new()
    }

    fn set_stage(&mut self, index: usize, stage: Stage) {
        // What was still on its way when a kind went away does not bring it back.
        if let Some(kind) = self.kinds.get_mut(index).filter(|kind| kind.stage != Stage::Retired) {
            kind.stage = stage;
        }
    }

    fn see(&mut self, seen: Seen) -> Option<Key> {
        let Seen { key, uid, verdict, standing, facts, .. } = seen;
        let is_compared = self.causes.is_some();
        let kind = self.kinds.get_mut(key.kind).filter(|kind| kind.stage != Stage::Retired)?;
        if standing == Standing::Alone && is_compared {
            // Nothing turns better, and nothing new is called well, before it was compared with the others.
            let before = kind.objects.get(&key.place);
            match before.filter(|record| *record.uid == *uid) {
                Some(record) if verdict.health <= record.health => {
                    let record = Record { facts, ..record.clone() };
                    kind.apply(WatchEvent::Apply(key.place.clone(), record));
                    return Some(key);
                }
                None if before.is_none() && verdict.health <= Health::Suspended => return None,
                _ => {}
            }
        }
        let (health, since, now) = (verdict.health, verdict.since, self.now);
        let reason = verdict.reason.clone();
        let before = kind.objects.get(&key.place);
        let (was_seen, was_witnessed) =
            before.map_or((now, false), |record| (record.seen, record.is_witnessed));
        let before = before.map(|record| (record.health, *record.uid == *uid));
        let is_same = before.is_some_and(|(was, is_same)| is_same && was == health);
        // What the first comparison finds was so before.
        let is_first = standing == Standing::Compared && !is_compared;
        let is_news = !is_same && !is_first && (before.is_some() || kind.objects.is_synced());
        let record = Record {
            uid: uid.into(),
            health,
            since,
            seen: if is_same { was_seen } else { now },
            // What a list brings may have changed long before.
            is_witnessed: if is_same { was_witnessed } else { is_news && kind.is_seen() },
            told: Told::of(verdict),
            facts,
        };
        kind.apply(WatchEvent::Apply(key.place.clone(), record));
        if let Some((was, _)) = before {
            self.tally.remove(was);
        }
        self.tally.add(health);
        if is_news {
            // An object of the same name with another identity is a new one.
            let from = before.filter(|(_, is_same)| *is_same).map(|(was, _)| was);
            self.history.note(Transition { at: now, key: key.clone(), from, to: Some(health), reason });
        }
        Some(key)
    }

    fn lose(&mut self, key: Key) -> Option<Key> {
        let kind = self.kinds.get_mut(key.kind)?;
        let health = kind.objects.get(&key.place)?.health;
        kind.apply(WatchEvent::Delete(key.place.clone()));
        self.tally.remove(health);
        let (from, reason) = (Some(health), String::new());
        self.history.note(Transition { at: self.now, key: key.clone(), from, to: None, reason });
        Some(key)
    }

    fn retire(&mut self, index: usize) -> Vec<Key> {
        let Some(kind) = self.kinds.get_mut(index) else { return Vec::new() };
        kind.stage = Stage::Retired;
        let gone: Vec<Arc<Place>> = kind.objects.keys().cloned().collect();
        self.lose_all(index, gone)
    }

    fn lose_all(&mut self, kind: usize, gone: Vec<Arc<Place>>) -> Vec<Key> {
        gone.into_iter().filter_map(|place| self.lose(Key { kind, place })).collect()
    }

    /// Takes objects away that a complete list did not have.
    fn listed(&mut self, index: usize) -> Vec<Key> {
        let Some(kind) = self.kinds.get_mut(index) else { return Vec::new() };
        if kind.stage == Stage::Listing {
            kind.stage = Stage::Opening;
        }
        let gone: Vec<Arc<Place>> = kind.objects.unlisted().cloned().collect();
        let gone = self.lose_all(index, gone);
        if let Some(kind) = self.kinds.get_mut(index) {
            kind.apply(WatchEvent::InitDone);
        }
        gone
    }
}
