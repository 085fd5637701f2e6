//! Objects as the last list and the watch after it showed them.

use std::{
    borrow::Borrow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

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
#[derive(Clone, Debug)]
pub struct Store<K, V> {
    objects: BTreeMap<K, V>,
    /// The keys that a list has shown which is not complete yet.
    listing: Option<BTreeSet<K>>,
    is_synced: bool,
    since: Duration,
    failing: Option<(Duration, Arc<str>)>,
}

impl<K: Ord + Clone, V> Store<K, V> {
    /// An empty store, watched from now on.
    pub fn new(now: Duration) -> Self {
        Self { objects: BTreeMap::new(), listing: None, is_synced: false, since: now, failing: None }
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
                Vec::new()
            }
            WatchEvent::Apply(key, value) => {
                match &mut self.listing {
                    Some(listing) => drop(listing.insert(key.clone())),
                    None => self.failing = None,
                }
                let before = self.objects.insert(key.clone(), value);
                vec![(key, before)]
            }
            WatchEvent::Delete(key) => {
                if let Some(listing) = &mut self.listing {
                    listing.remove(&key);
                }
                self.objects.remove(&key).map(|before| (key, Some(before))).into_iter().collect()
            }
            WatchEvent::InitDone => {
                (self.is_synced, self.failing) = (true, None);
                let gone: Vec<K> = self.unlisted().cloned().collect();
                self.listing = None;
                let taken = gone.into_iter().map(|key| {
                    let before = self.objects.remove(&key);
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
        self.objects.insert(key, value);
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

    /// Returns true if everything is seen as it is: listed, with no list under way, and no failure since.
    pub fn is_current(&self) -> bool {
        self.is_synced && self.listing.is_none() && self.failing.is_none()
    }

    /// The reason why the objects cannot be seen, once that has lasted for so long.
    pub fn unseen(&self, patience: Duration, now: Duration) -> Option<&str> {
        let is_due = self.unseen_at(patience).is_some_and(|at| at <= now);
        is_due.then(|| self.failing.as_ref().map_or("has not been listed yet", |(_, why)| why))
    }

    /// The time at which [`unseen`](Self::unseen) says so, if nothing else happens.
    pub fn unseen_at(&self, patience: Duration) -> Option<Duration> {
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
}
