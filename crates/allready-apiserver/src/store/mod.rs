//! The objects, in memory, as bytes; the order of changes; who watches.
//!
//! Every write is a compare-and-swap against the version that its result was worked out from: parsing, merging and
//! serialising happen outside the lock, which is held for a map operation and one copy of the object.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    ops::Bound,
    sync::{
        Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
        atomic::{AtomicU64, Ordering},
    },
};

mod draft;
mod event;
mod log;
mod snapshot;
mod subscription;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use draft::counted;
pub(crate) use draft::{Draft, Stored, read};
pub(crate) use event::Event;
pub(crate) use event::Line;
pub(crate) use log::{Change, Log};
pub(crate) use snapshot::Snapshot;
use snapshot::Snapshots;
pub(crate) use subscription::Subscription;
pub(crate) use subscription::{Start, View};

/// How much of the past a store keeps for watches and lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// Changes a place.
    pub changes: usize,
    /// Bytes of replaced and deleted objects, over all places.
    pub bytes: usize,
}

impl Default for Window {
    fn default() -> Self {
        // Some thousand changes are seconds of the busiest test; who comes later lists again, as with the real server. More
        // would be a large part of what the server weighs.
        Self { changes: 4_096, bytes: 2 << 20 }
    }
}

/// The objects and their past.
#[derive(Debug)]
pub(crate) struct Store {
    state: RwLock<State>,
    window: Window,
}

#[derive(Debug, Default)]
struct State {
    revision: u64,
    /// The revision once more, for those who do not hold the lock; never ahead of the logs.
    newest: Arc<AtomicU64>,
    past: usize,
    places: HashMap<Arc<str>, Place>,
    dependents: HashMap<Box<str>, BTreeSet<Spot>>,
}

#[derive(Debug)]
struct Place {
    objects: BTreeMap<Box<str>, Entry>,
    /// The version that the last change brought.
    changed: u64,
    snapshots: Snapshots,
    log: Arc<Log>,
    /// Whether there is room for new objects; a place that is only watched, or taken down, has none.
    open: bool,
}

#[derive(Debug, Clone)]
struct Entry {
    stored: Stored,
    owners: Box<[Box<str>]>,
    finalizers: Box<[Box<str>]>,
}

/// Everything that a store holds but its past: place, key and object of each, and the newest resourceVersion.
pub(crate) type Everything<T> = (Vec<(Arc<str>, Box<str>, T)>, u64);

/// Where an object is: its place, and `namespace/name` or its name.
pub(crate) type Spot = (Arc<str>, Box<str>);

/// What a write expects to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Nothing.
    Absent,
    /// Nothing, at a place that is open and in a namespace that is there and stays.
    Room,
    /// The object in this version.
    Version(u64),
}

/// A write that did not find what it expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Moved;

/// Why a write was not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refused {
    /// Something else stands there.
    Moved,
    /// Nothing new is taken there.
    Shut,
}

/// Where namespaces are kept, and what they do to what is in them.
const NAMESPACES: &str = "namespaces";

/// What is at a place, or in a part of it.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// Key and version of those that are not being deleted.
    pub(crate) unmarked: Vec<(Box<str>, u64)>,
    /// How many objects there are.
    pub(crate) count: usize,
    /// How many wait for each finalizer.
    pub(crate) finalizers: BTreeMap<Box<str>, usize>,
}

/// A part of a place in the order of its keys.
#[derive(Debug, Default)]
pub(crate) struct Page {
    /// Key and object.
    pub(crate) items: Vec<(Box<str>, Stored)>,
    /// The version of the whole.
    pub(crate) revision: u64,
    /// How many follow.
    pub(crate) more: usize,
    /// The last key that was looked at, where others follow.
    pub(crate) end: Option<Box<str>>,
}

impl Default for Store {
    fn default() -> Self {
        Self::new(Window::default())
    }
}

impl Store {
    /// An empty store.
    pub(crate) fn new(window: Window) -> Self {
        Self { state: RwLock::new(State { revision: 1, ..State::default() }), window }
    }

    fn read(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, State> {
        self.state.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The newest resourceVersion.
    pub(crate) fn revision(&self) -> u64 {
        self.read().revision
    }

    /// How many objects there are.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.read().places.values().map(|place| place.objects.len()).sum()
    }

    /// How many objects there are in one place.
    pub(crate) fn count(&self, place: &str) -> usize {
        self.read().places.get(place).map_or(0, |place| place.objects.len())
    }

    /// Forgets the past: watches and lists from older versions are answered with 410 from now on.
    pub(crate) fn compact(&self) {
        let mut state = self.write();
        let revision = state.revision;
        for place in state.places.values() {
            place.log.compact(revision);
        }
        state.past = 0;
    }

    /// What a restart of the process does: every watch ends and the past is forgotten; without its data, the objects are
    /// gone too. resourceVersions go on, so that whoever comes back with one from before learns that it is too old.
    pub(crate) fn restart(&self, keep_data: bool) {
        let mut state = self.write();
        state.past = 0;
        if keep_data {
            let (revision, newest) = (state.revision, state.newest.clone());
            for place in state.places.values_mut() {
                place.log.finish(true);
                place.log = Arc::new(Log::new(revision, newest.clone()));
            }
            return;
        }
        let revision = state.revision + 1;
        let newest = Arc::new(AtomicU64::new(revision));
        let old = std::mem::replace(&mut *state, State { revision, newest, ..State::default() });
        for place in old.places.values() {
            place.log.finish(true);
        }
    }

    /// Everything that is there, at one moment; no object is copied.
    pub(crate) fn everything(&self) -> Everything<Stored> {
        let state = self.read();
        let mut objects = Vec::new();
        for (name, place) in &state.places {
            objects.extend(
                place.objects.iter().map(|(key, entry)| (name.clone(), key.clone(), entry.stored.clone())),
            );
        }
        (objects, state.revision)
    }

    /// Takes what another store kept in place of everything that is here; every watch ends.
    pub(crate) fn replace(&self, (objects, revision): Everything<(u64, Draft)>) {
        self.restart(false);
        let mut state = self.write();
        // Whoever saw the versions of before learns that theirs are too old.
        state.revision = revision.max(state.revision);
        state.newest.store(state.revision, Ordering::Release);
        for (name, key, (version, draft)) in objects {
            let (name, place) = state.place(&name);
            let entry = Entry {
                stored: draft.seal(version),
                owners: draft.owners().into(),
                finalizers: draft.finalizers().into(),
            };
            place.objects.insert(key.clone(), entry);
            state.relink(&name, &key, &[], draft.owners());
        }
    }

    /// Makes sure that a place exists, so that its past begins now and not with its first object, and that it takes new
    /// objects.
    pub(crate) fn open(&self, place: &str) {
        if !self.read().places.get(place).is_some_and(|place| place.open) {
            self.write().place(place).1.open = true;
        }
    }

    /// Takes no new objects at a place from now on; those that are there stay.
    pub(crate) fn shut(&self, place: &str) {
        if let Some(place) = self.write().places.get_mut(place) {
            place.open = false;
        }
    }

    /// Ends the watches of a place and forgets what is left of it.
    pub(crate) fn close(&self, place: &str) {
        let mut state = self.write();
        if let Some(removed) = state.places.remove(place) {
            state.past = state.past.saturating_sub(removed.log.bytes());
            removed.log.finish(false);
            let name: Arc<str> = place.into();
            for (key, entry) in &removed.objects {
                state.relink(&name, key, &entry.owners, &[]);
            }
        }
    }

    /// How many changes a place has seen since the store began or was restarted.
    pub(crate) fn changes(&self, place: &str) -> u64 {
        self.read().places.get(place).map_or(0, |place| place.log.end())
    }

    /// As [`Store::changes`], of several places together.
    pub(crate) fn changes_of(&self, places: &[&str]) -> u64 {
        let state = self.read();
        places.iter().filter_map(|place| state.places.get(*place)).map(|place| place.log.end()).sum()
    }

    /// Ends the watches of a place and lets no new one begin in its past; its objects stay, and so do older lists.
    pub(crate) fn renew(&self, place: &str) {
        let mut state = self.write();
        let revision = state.revision;
        if let Some(place) = state.places.get_mut(place) {
            let fresh = Arc::new(place.log.renewed(revision));
            std::mem::replace(&mut place.log, fresh).finish(false);
        }
    }

    /// One object.
    pub(crate) fn get(&self, place: &str, key: &str) -> Option<Stored> {
        self.read().places.get(place)?.objects.get(key).map(|entry| entry.stored.clone())
    }

    /// Writes an object, if what stands there is what was expected.
    pub(crate) fn put(
        &self,
        place: &str,
        key: &str,
        expect: Expect,
        draft: &Draft,
    ) -> Result<Stored, Refused> {
        let (stored, log) = {
            let mut state = self.write();
            let version = state.revision + 1;
            match expect {
                Expect::Room if !state.has_room(place, key) => return Err(Refused::Shut),
                Expect::Version(_) if !state.places.contains_key(place) => return Err(Refused::Moved),
                _ => {}
            }
            let (name, found) = state.place(place);
            let found_version = found.objects.get(key).map(|entry| entry.stored.version);
            match (expect, found_version) {
                (Expect::Absent | Expect::Room, None) => {}
                (Expect::Version(expected), Some(version)) if expected == version => {}
                _ => return Err(Refused::Moved),
            }
            let stored = draft.seal(version);
            let entry = Entry {
                stored: stored.clone(),
                owners: draft.owners().into(),
                finalizers: draft.finalizers().into(),
            };
            let old = found.objects.insert(key.into(), entry);
            found.changed = version;
            let log = found.log.clone();
            state.revision = version;
            state.relink(&name, key, old.as_ref().map_or(&[], |old| &old.owners), draft.owners());
            let change = Change::new(version, key.into(), old.map(|old| old.stored), Some(stored.clone()));
            state.record(&log, change, self.window);
            (stored, log)
        };
        log.wake();
        Ok(stored)
    }

    /// Removes an object, if it has the expected version. What comes back is its last state, under the version of its
    /// removal.
    pub(crate) fn remove(&self, place: &str, key: &str, expected: u64) -> Result<u64, Moved> {
        let (version, log) = {
            let mut state = self.write();
            let version = state.revision + 1;
            if !state.places.contains_key(place) {
                return Err(Moved);
            }
            let (name, found) = state.place(place);
            if found.objects.get(key).is_none_or(|entry| entry.stored.version != expected) {
                return Err(Moved);
            }
            let Some(old) = found.objects.remove(key) else { return Err(Moved) };
            found.changed = version;
            let log = found.log.clone();
            state.revision = version;
            state.relink(&name, key, &old.owners, &[]);
            let change = Change::new(version, key.into(), Some(old.stored), None);
            state.record(&log, change, self.window);
            (version, log)
        };
        log.wake();
        Ok(version)
    }

    /// Objects of a place, in the order of their keys: those with the prefix, from a key on.
    pub(crate) fn list(&self, place: &str, prefix: &str, from: Option<&str>) -> Page {
        self.page(place, prefix, from, usize::MAX)
    }

    /// As [`Store::list`], at most `limit` of them. The others are counted, not copied.
    pub(crate) fn page(&self, place: &str, prefix: &str, from: Option<&str>, limit: usize) -> Page {
        let state = self.read();
        let mut page = Page { revision: state.revision, ..Page::default() };
        let Some(place) = state.places.get(place) else { return page };
        let range = (Bound::Included(start(prefix, from)), Bound::Unbounded);
        let mut within = place.objects.range::<str, _>(range).take_while(|(key, _)| key.starts_with(prefix));
        for (key, entry) in within.by_ref().take(limit) {
            page.items.push((key.clone(), entry.stored.clone()));
        }
        page.more = within.count();
        page.end = page.items.last().filter(|_| page.more > 0).map(|(key, _)| key.clone());
        page
    }

    /// As [`Store::page`], as it was at an earlier version; `None` when that is forgotten.
    pub(crate) fn page_at(
        &self,
        place: &str,
        prefix: &str,
        from: Option<&str>,
        limit: usize,
        version: u64,
    ) -> Option<Page> {
        let log = self.read().places.get(place).map(|place| place.log.clone());
        // A change between the two reads is in the log and undone below.
        let mut page = self.page(place, prefix, from, limit);
        let Some(log) = log else { return Some(page) };
        let changes = log.since(version)?;
        let until = page.revision;
        let start = start(prefix, from);
        let mut items: BTreeMap<_, _> = page.items.into_iter().collect();
        // Whether what is behind the page is there now, and whether it was.
        let mut behind: BTreeMap<&str, (bool, bool)> = BTreeMap::new();
        for change in changes.iter().rev() {
            if change.version > until || !change.key.starts_with(prefix) || *change.key < *start {
                continue;
            }
            if page.end.as_ref().is_some_and(|end| change.key > *end) {
                let seen = behind.entry(&change.key).or_insert((change.new.is_some(), false));
                seen.1 = change.old.is_some();
                continue;
            }
            match &change.old {
                Some(old) => items.insert(change.key.clone(), old.clone()),
                None => items.remove(&change.key),
            };
        }
        let was = behind.values().filter(|(now, before)| !now && *before).count();
        let was_not = behind.values().filter(|(now, before)| *now && !before).count();
        page.more = (page.more + was).saturating_sub(was_not);
        page.items = items.into_iter().collect();
        page.revision = version;
        Some(page)
    }

    /// Starts a watch of a place.
    pub(crate) fn subscribe(&self, place: &str, start: &Start, view: View) -> Subscription {
        if !self.read().places.contains_key(place) {
            self.write().place(place);
        }
        let state = self.read();
        let Some(found) = state.places.get(place) else { return Subscription::refused(view) };
        let initial = start.wants_initial().then(|| {
            let prefix = view.prefix();
            found.snapshots.at(found.changed, &prefix, || {
                let range = (Bound::Included(&*prefix), Bound::Unbounded);
                let entries = found.objects.range::<str, _>(range);
                let within = entries.take_while(|(key, _)| key.starts_with(&*prefix));
                within.map(|(key, entry)| (key.clone(), entry.stored.clone())).collect()
            })
        });
        let position = match start.since() {
            Some(version) => found.log.position(version),
            None => Ok(found.log.end()),
        };
        Subscription::new(found.log.clone(), position, state.revision, initial, start, view)
    }

    /// Where the objects are that name this uid as an owner.
    pub(crate) fn dependents(&self, uid: &str) -> Vec<Spot> {
        self.read().dependents.get(uid).into_iter().flatten().cloned().collect()
    }

    /// What there is at a place under a prefix. No object is read for it.
    pub(crate) fn survey(&self, place: &str, prefix: &str) -> Survey {
        let state = self.read();
        let mut survey = Survey::default();
        let Some(place) = state.places.get(place) else { return survey };
        let range = (Bound::Included(prefix), Bound::Unbounded);
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for (key, entry) in
            place.objects.range::<str, _>(range).take_while(|(key, _)| key.starts_with(prefix))
        {
            survey.count += 1;
            if !entry.stored.is_marked() {
                survey.unmarked.push((key.clone(), entry.stored.version));
            }
            for finalizer in &entry.finalizers {
                *counts.entry(finalizer).or_default() += 1;
            }
        }
        survey.finalizers = counts.into_iter().map(|(name, count)| (name.into(), count)).collect();
        survey
    }

    /// Every place that has objects in a namespace.
    pub(crate) fn places_with(&self, prefix: &str) -> Vec<Arc<str>> {
        let state = self.read();
        let range = || (Bound::Included(prefix), Bound::Unbounded);
        let inhabited = state.places.iter().filter(|(_, place)| {
            place.objects.range::<str, _>(range()).next().is_some_and(|(key, _)| key.starts_with(prefix))
        });
        inhabited.map(|(name, _)| name.clone()).collect()
    }
}

/// Where a list starts.
fn start<'a>(prefix: &'a str, from: Option<&'a str>) -> &'a str {
    from.filter(|from| *from > prefix).unwrap_or(prefix)
}

impl State {
    /// Whether a new object may be put there.
    fn has_room(&self, place: &str, key: &str) -> bool {
        let namespace = |name: &str| {
            let found = self.places.get(NAMESPACES).and_then(|place| place.objects.get(name));
            found.is_some_and(|entry| !entry.stored.is_marked())
        };
        self.places.get(place).is_some_and(|place| place.open)
            && key.split_once('/').is_none_or(|(name, _)| namespace(name))
    }

    fn place(&mut self, name: &str) -> (Arc<str>, &mut Place) {
        let name: Arc<str> = match self.places.get_key_value(name) {
            Some((known, _)) => known.clone(),
            None => name.into(),
        };
        let (floor, newest) = (self.revision, &self.newest);
        let fresh = || Place {
            open: false,
            objects: BTreeMap::new(),
            changed: floor,
            snapshots: Snapshots::default(),
            log: Arc::new(Log::new(floor, newest.clone())),
        };
        let place = self.places.entry(name.clone()).or_insert_with(fresh);
        (name, place)
    }

    fn relink(&mut self, place: &Arc<str>, key: &str, old: &[Box<str>], new: &[Box<str>]) {
        for uid in old.iter().filter(|uid| !new.contains(uid)) {
            if let Some(spots) = self.dependents.get_mut(uid) {
                spots.remove(&(place.clone(), key.into()));
                if spots.is_empty() {
                    self.dependents.remove(uid);
                }
            }
        }
        for uid in new.iter().filter(|uid| !old.contains(uid)) {
            self.dependents.entry(uid.clone()).or_default().insert((place.clone(), key.into()));
        }
    }

    fn record(&mut self, log: &Log, change: Change, window: Window) {
        let version = change.version;
        let grown = log.push(change, window.changes);
        self.newest.store(version, Ordering::Release);
        self.past = self.past.saturating_add_signed(grown);
        while self.past > window.bytes {
            let Some(heaviest) = self.places.values().max_by_key(|place| place.log.bytes()) else { return };
            let freed = heaviest.log.forget();
            self.past = self.past.saturating_sub(freed);
            if freed == 0 {
                // A change without a past weighs nothing; the weight is behind it.
                if heaviest.log.bytes() == 0 {
                    self.past = 0;
                }
            }
        }
    }
}
