//! Objects as the last list and the watch after it showed them.

use std::{
    borrow::Borrow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use super::Room;

/// A step of a list-watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchEvent<K, V> {
    /// A list begins. That is no sign that it will be answered.
    Init,
    /// An object was listed, made or changed.
    Apply(K, V),
    /// An object was deleted.
    Delete(K),
    /// The list is complete: objects that it did not show are gone.
    InitDone,
    /// Nothing can be seen at present, and why.
    Failed(Arc<str>),
}

impl<K, V> WatchEvent<K, V> {
    /// The event with the object reduced to what matters of it.
    pub fn map<W>(self, reduce: impl FnOnce(V) -> W) -> WatchEvent<K, W> {
        match self {
            Self::Init => WatchEvent::Init,
            Self::Apply(key, value) => WatchEvent::Apply(key, reduce(value)),
            Self::Delete(key) => WatchEvent::Delete(key),
            Self::InitDone => WatchEvent::InitDone,
            Self::Failed(why) => WatchEvent::Failed(why),
        }
    }
}

/// Objects by their key, and whether what is known of them is complete. Time is the duration since any fixed instant.
///
/// ```
/// use std::time::Duration;
/// use allready_kube::list_watch::{Store, WatchEvent::*};
///
/// let mut nodes: Store<&str, bool> = Store::new(Duration::ZERO);
/// for event in [Init, Apply("a", true), Apply("b", true), InitDone] {
///     nodes.apply(event, Duration::ZERO);
/// }
/// // The watch was cut off while `a` was deleted: the next list does not show it.
/// nodes.apply(Init, Duration::ZERO);
/// nodes.apply(Apply("b", false), Duration::ZERO);
/// assert_eq!(nodes.apply(InitDone, Duration::ZERO), ["a"]);
/// assert_eq!(nodes.iter().collect::<Vec<_>>(), [(&"b", &false)]);
/// ```
///
/// # Memory
/// A store [`within`](Store::within) a [`Room`] keeps no object for which there is no room. Until a list has had room for all, it says so as it
/// does of objects that cannot be seen.
#[derive(Debug)]
pub struct Store<K, V> {
    objects: BTreeMap<K, V>,
    share: Option<Share<K, V>>,
    /// True if there was no room for an object since the last list began.
    is_over: bool,
    /// The same before that list, while it is not complete.
    was_over: bool,
    /// The keys that a list has shown which is not complete yet.
    listing: Option<BTreeSet<K>>,
    is_synced: bool,
    since: Duration,
    failing: Option<(Duration, Arc<str>)>,
}

/// The part of a room that a store takes.
#[derive(Debug)]
struct Share<K, V> {
    room: Arc<Room>,
    bytes: fn(&K, &V) -> usize,
    taken: usize,
}

impl<K, V> Share<K, V> {
    /// Takes room in place of some. Returns false where there is none.
    fn replace(&mut self, released: usize, wanted: usize) -> bool {
        let is_taken = self.room.replace(released, wanted);
        if is_taken {
            self.taken = (self.taken + wanted).saturating_sub(released);
        }
        is_taken
    }
}

impl<K, V> Drop for Share<K, V> {
    fn drop(&mut self) {
        self.room.replace(self.taken, 0);
    }
}

/// The reason why not all objects are seen where there was no room for some.
const NO_ROOM: &str = "there are more objects than there is memory for";

impl<K: Ord + Clone, V> Store<K, V> {
    /// An empty store, watched from now on.
    pub fn new(now: Duration) -> Self {
        Self {
            objects: BTreeMap::new(),
            share: None,
            is_over: false,
            was_over: false,
            listing: None,
            is_synced: false,
            since: now,
            failing: None,
        }
    }

    /// Keeps objects only where there is room for them, given the bytes of each. For a store that is empty yet.
    #[must_use]
    pub fn within(mut self, room: &Arc<Room>, bytes: fn(&K, &V) -> usize) -> Self {
        self.share = Some(Share { room: Arc::clone(room), bytes, taken: 0 });
        self
    }

    /// Returns true if there is room for an object of so many bytes, and a quarter of it is left for objects of which less is kept.
    pub fn has_plenty(&self, key: &K, bytes: usize) -> bool {
        self.share.as_ref().is_none_or(|share| share.room.has_plenty(self.bytes(key), bytes))
    }

    /// Notes that of an object less is kept than matters, for want of room.
    pub fn leave_out(&mut self) {
        self.is_over = true;
    }

    /// Returns true if there was no room for an object, until a list has had room for all.
    pub fn is_over(&self) -> bool {
        self.is_over || self.was_over
    }

    /// The bytes that a known object takes.
    fn bytes(&self, key: &K) -> usize {
        let known = self.share.as_ref().zip(self.objects.get(key));
        known.map_or(0, |(share, value)| (share.bytes)(key, value))
    }

    /// Puts an object in where there is room for it; otherwise it is not known any more. Returns what was known before, and whether it is
    /// known now.
    fn put(&mut self, key: K, value: V) -> (Option<V>, bool) {
        let released = self.bytes(&key);
        if let Some(share) = &mut self.share {
            let wanted = (share.bytes)(&key, &value);
            if !share.replace(released, wanted) {
                share.replace(released, 0);
                self.is_over = true;
                return (self.objects.remove(&key), false);
            }
        }
        (self.objects.insert(key, value), true)
    }

    fn take(&mut self, key: &K) -> Option<V> {
        let released = self.bytes(key);
        if let Some(share) = &mut self.share {
            share.replace(released, 0);
        }
        self.objects.remove(key)
    }

    /// Takes an event. Returns the keys of the objects that changed or are gone.
    pub fn apply(&mut self, event: WatchEvent<K, V>, now: Duration) -> Vec<K> {
        self.replace(event, now).into_iter().map(|(key, _)| key).collect()
    }

    /// Takes an event. Returns the keys of the objects that changed or are gone, each with what was known before.
    pub fn replace(&mut self, event: WatchEvent<K, V>, now: Duration) -> Vec<(K, Option<V>)> {
        match event {
            WatchEvent::Init => {
                self.listing = Some(BTreeSet::new());
                self.was_over |= self.is_over;
                self.is_over = false;
                Vec::new()
            }
            WatchEvent::Apply(key, value) => {
                match &mut self.listing {
                    Some(listing) => drop(listing.insert(key.clone())),
                    None => self.failing = None,
                }
                match self.put(key.clone(), value) {
                    (None, false) => Vec::new(),
                    (before, _) => vec![(key, before)],
                }
            }
            WatchEvent::Delete(key) => {
                if let Some(listing) = &mut self.listing {
                    listing.remove(&key);
                }
                self.take(&key).map(|before| (key, Some(before))).into_iter().collect()
            }
            WatchEvent::InitDone => {
                (self.is_synced, self.failing, self.was_over) = (true, None, false);
                let gone: Vec<K> = self.unlisted().cloned().collect();
                self.listing = None;
                let taken = gone.into_iter().map(|key| {
                    let before = self.take(&key);
                    (key, before)
                });
                taken.collect()
            }
            WatchEvent::Failed(why) => {
                self.listing = None;
                let since = self.failing.take().map_or(now, |(since, _)| since);
                self.failing = Some((since, why));
                Vec::new()
            }
        }
    }

    /// Takes an object as the answer to a write shows it. A list under way has to show it too, or it is gone.
    pub fn update(&mut self, key: K, value: V) {
        self.put(key, value);
    }

    /// The object of this key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.objects.get(key)
    }

    /// All objects, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.objects.iter()
    }

    /// The keys of all objects.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.objects.keys()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Returns true if there are no objects.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns true once a list was complete.
    pub fn is_synced(&self) -> bool {
        self.is_synced
    }

    /// Returns true while a list is under way.
    pub fn is_listing(&self) -> bool {
        self.listing.is_some()
    }

    /// The keys of the objects that the list under way has not shown: they are gone if it ends now.
    pub fn unlisted(&self) -> impl Iterator<Item = &K> {
        let shown = self.listing.as_ref();
        self.objects.keys().filter(move |key| shown.is_some_and(|shown| !shown.contains(key)))
    }

    /// Returns true once a list was complete, and while everything is kept: an object that is not among them is not there.
    pub fn is_complete(&self) -> bool {
        self.is_synced && !self.is_over()
    }

    /// Returns true if everything is seen as it is: complete, with no list under way, and no failure since.
    pub fn is_current(&self) -> bool {
        self.is_complete() && self.listing.is_none() && self.failing.is_none()
    }

    /// The reason why the objects cannot be seen, once that has lasted for so long.
    pub fn unseen(&self, patience: Duration, now: Duration) -> Option<&str> {
        let is_due = self.unseen_at(patience).is_some_and(|at| at <= now);
        is_due.then(|| match &self.failing {
            Some((_, why)) => &**why,
            None if self.is_over() => NO_ROOM,
            None => "has not been listed yet",
        })
    }

    /// The time at which [`unseen`](Self::unseen) says so, if nothing else happens.
    pub fn unseen_at(&self, patience: Duration) -> Option<Duration> {
        if self.is_over() {
            return Some(Duration::ZERO); // that passes with a list only
        }
        let since = match &self.failing {
            // Objects that were never seen were not for as long as they are watched, and the failure says why.
            Some((since, _)) if self.is_synced => Some(*since),
            _ => (!self.is_synced).then_some(self.since),
        };
        since.map(|since| since + patience)
    }
}

#[cfg(test)]
mod tests {
    use super::{WatchEvent::*, *};

    const S: fn(u64) -> Duration = Duration::from_secs;

    fn listed(keys: &[&'static str]) -> Store<&'static str, u32> {
        let mut store = Store::new(S(0));
        store.apply(Init, S(0));
        for key in keys {
            store.apply(Apply(*key, 1), S(0));
        }
        store.apply(InitDone, S(0));
        store
    }

    #[test]
    fn an_object_that_is_deleted_while_a_list_is_under_way_is_gone() {
        let mut store = listed(&["a"]);
        store.apply(Init, S(1));
        store.apply(Apply("a", 2), S(1));
        assert_eq!(store.apply(Delete("a"), S(1)), ["a"]);
        assert_eq!(store.apply(InitDone, S(1)), [] as [&str; 0]);
        assert!(store.is_empty() && store.is_current());
    }

    #[test]
    fn an_object_that_only_an_answer_has_shown_is_gone_if_the_list_under_way_does_not_show_it() {
        let mut store = listed(&["a"]);
        store.apply(Init, S(1));
        store.update("b", 2);
        store.apply(Apply("a", 2), S(1));
        assert_eq!(store.get("b"), Some(&2));
        assert_eq!(store.apply(InitDone, S(1)), ["b"]);
    }

    #[test]
    fn a_list_that_fails_half_way_takes_nothing_away() {
        let mut store = listed(&["a", "b"]);
        store.apply(Init, S(1));
        store.apply(Apply("a", 2), S(1));
        assert_eq!(store.unlisted().collect::<Vec<_>>(), [&"b"]);
        assert_eq!(store.apply(Failed("no answer".into()), S(2)), [] as [&str; 0]);
        assert_eq!(store.unlisted().count(), 0);
        assert_eq!(store.len(), 2);
        assert!(store.is_synced() && !store.is_current());
    }

    #[test]
    fn a_failure_is_told_when_it_has_lasted_and_ends_with_the_next_list_or_event() {
        let mut store = listed(&["a"]);
        store.apply(Failed("first".into()), S(10));
        store.apply(Failed("second".into()), S(12));
        assert_eq!((store.unseen(S(5), S(14)), store.unseen_at(S(5))), (None, Some(S(15))));
        assert_eq!(store.unseen(S(5), S(15)), Some("second"));
        store.apply(Apply("a", 2), S(16));
        assert_eq!(store.unseen(S(5), S(99)), None);
    }

    #[test]
    fn objects_that_were_never_listed_are_unseen_from_the_beginning() {
        let mut store: Store<&str, u32> = Store::new(S(3));
        assert_eq!(store.unseen(S(5), S(8)), Some("has not been listed yet"));
        store.apply(Failed("forbidden".into()), S(7));
        assert_eq!(store.unseen(S(5), S(8)), Some("forbidden"));
    }

    #[test]
    fn an_object_without_room_is_not_kept_and_the_others_are_not_all_until_a_list_has_room() {
        let room = Room::of(100);
        let size = |_: &&str, bytes: &u32| usize::try_from(*bytes).unwrap();
        let mut store = Store::new(S(0)).within(&room, size);
        let mut other = Store::new(S(0)).within(&room, size);
        for event in [Init, Apply("a", 60), InitDone] {
            store.apply(event, S(0));
        }
        assert!(store.is_current() && room.taken() == 60);
        assert!(other.has_plenty(&"x", 15) && !other.has_plenty(&"x", 16), "a quarter is left");
        assert_eq!(other.apply(Apply("x", 41), S(1)), [] as [&str; 0]);
        assert_eq!((other.get("x"), other.is_over(), other.unseen(S(9), S(1))), (None, true, Some(NO_ROOM)));
        assert!(!store.is_over(), "who has room is not concerned");
        assert_eq!(
            store.replace(Apply("a", 101), S(1)),
            [("a", Some(60))],
            "what has grown is not as it was"
        );
        assert_eq!((room.taken(), store.get("a")), (0, None));
        assert!(store.is_synced() && !store.is_complete() && !store.is_current());

        store.apply(Init, S(2));
        store.apply(Apply("a", 50), S(2));
        assert!(store.is_over(), "the list is not complete");
        store.apply(InitDone, S(2));
        assert!(store.is_current());
        store.update("a", 70);
        assert_eq!((room.taken(), store.get("a")), (70, Some(&70)));
        store.apply(Delete("a"), S(3));
        assert_eq!(room.taken(), 0);
        store.apply(Apply("a", 30), S(3));
        drop(store);
        assert_eq!(room.taken(), 0);
    }
}
