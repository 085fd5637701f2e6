//! From one state to the next: everything that happens, in one function without side effects.

use std::sync::Arc;

use allready_core::Time;
use allready_inspect::{causes::Digest, explain::Explanation, health::Health, judge::Verdict};
use allready_kube::list_watch::WatchEvent;
use ratatui::crossterm::event::KeyEvent;

use super::{
    details::Details,
    history::Transition,
    keys,
    kinds::{Kind, Stage},
    model::{Group, Key, Looked, Model, Place, Record, Screen, Told},
};
use crate::declared::Heard;

/// Something happened.
#[derive(Debug)]
pub(super) enum Event {
    /// This kind is going to be watched; its index is the number of those before it.
    Kind { group: String, kind: String, plural: String },
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
    /// The object that somebody looks at was read, or not.
    Looked(Key, Result<Box<Details>, String>),
    /// The object that somebody looks at is explained.
    Explained(Key, Box<Explanation>),
    /// Somebody pressed a key.
    Key(KeyEvent),
    /// Time passes.
    Tick(Time),
    /// The terminal has so many columns and lines.
    Resize(u16, u16),
}

/// An object, and what it comes to.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) key: Key,
    pub(super) uid: String,
    pub(super) verdict: Verdict,
    /// The digest for the search for causes, until that has taken it.
    pub(super) digest: Option<Box<Digest>>,
    pub(super) standing: Standing,
}

/// The reliability of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// No other object can change it.
    Final,
    /// It is about the object alone, and others may make it worse: the search for causes says so next.
    Alone,
    /// It was found in view of the others.
    Compared,
}

/// An effect outside of the state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// End.
    Quit,
    /// Read an object, and say what it says.
    Look(Key),
}

/// Takes an event in.
pub(super) fn update(model: &mut Model, event: Event) -> Option<Effect> {
    match event {
        Event::Kind { group, kind, plural } => model.kinds.push(Kind::new(&group, &kind, &plural)),
        Event::Retired(index) => return retire(model, index),
        Event::Blind(groups) => model.blind = groups,
        Event::Heard(heard) => model.heard = heard,
        Event::Listing(index) => {
            if let Some(kind) = model.kinds.get_mut(index) {
                kind.apply(WatchEvent::Init);
                if matches!(kind.stage, Stage::Opening | Stage::Watching) {
                    kind.stage = Stage::Listing;
                }
            }
        }
        Event::Seen(seen) => return see(model, *seen),
        Event::Gone(key) => return lose(model, key),
        Event::Causes(groups) => {
            model.causes = Some(groups);
            model.is_dirty = true;
        }
        Event::Listed(index) => return listed(model, index),
        Event::Watching(index) => set_stage(model, index, Stage::Watching),
        Event::Failed(index, why) => {
            let failing = model.kinds.get(index).map(|kind| &kind.stage);
            let since = match failing {
                Some(Stage::Failing { since, .. }) => *since,
                _ => model.now,
            };
            if let Some(kind) = model.kinds.get_mut(index) {
                kind.apply(WatchEvent::Failed(why.as_str().into()));
            }
            set_stage(model, index, Stage::Failing { why, since });
        }
        Event::Silent(silence) => model.silence = silence,
        Event::Looked(key, found) => {
            if model.looked.as_ref().is_some_and(|(looked, _)| *looked == key) {
                let looked = found.map_or_else(Looked::Failed, Looked::Found);
                model.looked = Some((key, looked));
            }
        }
        Event::Explained(key, explanation) => {
            if model.looked.as_ref().is_some_and(|(looked, _)| *looked == key) {
                model.explanation = Some(explanation);
            }
        }
        Event::Key(key) => return keys::press(model, key),
        Event::Tick(now) => {
            model.now = now;
            model.history.forget(now);
        }
        Event::Resize(columns, lines) => model.size = (columns, lines),
    }
    None
}

fn set_stage(model: &mut Model, index: usize, stage: Stage) {
    // What was still on its way when a kind went away does not bring it back.
    if let Some(kind) = model.kinds.get_mut(index).filter(|kind| kind.stage != Stage::Retired) {
        kind.stage = stage;
    }
}

fn see(model: &mut Model, seen: Seen) -> Option<Effect> {
    let Seen { key, uid, verdict, standing, .. } = seen;
    let is_compared = model.causes.is_some();
    let kind = model.kinds.get_mut(key.kind).filter(|kind| kind.stage != Stage::Retired)?;
    if standing == Standing::Alone && is_compared {
        // Nothing turns better, and nothing new is called well, before it was compared with the others.
        let before = kind.objects.get(&key.place);
        match before.filter(|record| *record.uid == *uid) {
            Some(record) if verdict.health <= record.health => {
                let record = record.clone();
                kind.apply(WatchEvent::Apply(key.place.clone(), record));
                return look_again(model, &key);
            }
            None if before.is_none() && verdict.health <= Health::Suspended => return None,
            _ => {}
        }
    }
    let (health, since, now) = (verdict.health, verdict.since, model.now);
    let reason = verdict.reason.clone();
    let before = kind.objects.get(&key.place);
    let (was_seen, was_witnessed) = before.map_or((now, false), |record| (record.seen, record.is_witnessed));
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
    };
    kind.apply(WatchEvent::Apply(key.place.clone(), record));
    if let Some((was, _)) = before {
        model.tally.remove(was);
    }
    model.tally.add(health);
    model.is_dirty = true;
    if is_news {
        // An object of the same name with another identity is a new one.
        let from = before.filter(|(_, is_same)| *is_same).map(|(was, _)| was);
        model.history.note(Transition { at: now, key: key.clone(), from, to: Some(health), reason });
    }
    look_again(model, &key)
}

fn lose(model: &mut Model, key: Key) -> Option<Effect> {
    let kind = model.kinds.get_mut(key.kind)?;
    let health = kind.objects.get(&key.place)?.health;
    kind.apply(WatchEvent::Delete(key.place.clone()));
    model.tally.remove(health);
    model.is_dirty = true;
    let effect = look_again(model, &key);
    let from = Some(health);
    model.history.note(Transition { at: model.now, key, from, to: None, reason: String::new() });
    effect
}

fn retire(model: &mut Model, index: usize) -> Option<Effect> {
    let kind = model.kinds.get_mut(index)?;
    kind.stage = Stage::Retired;
    let gone: Vec<Arc<Place>> = kind.objects.keys().cloned().collect();
    lose_all(model, index, gone)
}

fn lose_all(model: &mut Model, kind: usize, gone: Vec<Arc<Place>>) -> Option<Effect> {
    gone.into_iter().filter_map(|place| lose(model, Key { kind, place })).last()
}

/// Takes objects away that a complete list did not have.
fn listed(model: &mut Model, index: usize) -> Option<Effect> {
    let kind = model.kinds.get_mut(index)?;
    if kind.stage == Stage::Listing {
        kind.stage = Stage::Opening;
    }
    let gone: Vec<Arc<Place>> = kind.objects.unlisted().cloned().collect();
    let effect = lose_all(model, index, gone);
    if let Some(kind) = model.kinds.get_mut(index) {
        kind.apply(WatchEvent::InitDone);
    }
    effect
}

/// Reads the object that somebody looks at again.
fn look_again(model: &Model, key: &Key) -> Option<Effect> {
    let is_looked_at = model.looked.as_ref().is_some_and(|(looked, _)| looked == key);
    (is_looked_at && model.screen == Screen::Details).then(|| Effect::Look(key.clone()))
}
