//! The objects of a topic that a cluster has, with bounds on how many and how large they are.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_kube::list_watch::{Room, Store, WatchEvent};

use crate::hub::ObjectName;

/// The most objects of one topic in one cluster.
pub(super) const MOST_OBJECTS: usize = 20_000;
/// The most bytes that are kept of all of them, roughly: one cluster must not take the memory of the others.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// The most bytes that are kept of all topics of all clusters, roughly, beyond what each topic has of its own: below the memory limit of the
/// chart, with room for everything else.
pub(super) const MOST_BYTES_OF_ALL: usize = 96 << 20;
/// The bytes that nobody takes from a topic: a cluster with few objects is seen, however many the others have.
const OWN_BYTES: usize = 256 << 10;
/// The bytes that an object takes beside its own: its names, and its place in several trees.
const OVERHEAD: usize = 600;

/// The state of a topic: complete, or the reason why it cannot be seen.
pub(super) type TopicState = Result<(), Arc<str>>;

/// One topic in one cluster: the objects that are known, each with the bytes that are kept of it.
#[derive(Debug)]
pub(super) struct TopicStore {
    /// The room for the topics of all clusters.
    room: Arc<Room>,
    /// By the namespace that is watched; one with an empty name stands for all of them.
    scopes: BTreeMap<Arc<str>, Scope>,
    /// The bytes of all objects.
    bytes: usize,
    /// True if the topic was complete before the present watches began.
    was_complete: bool,
}

#[derive(Debug)]
struct Scope {
    objects: Store<ObjectName, usize>,
    /// The number of objects that the list under way has shown.
    listed: usize,
    /// Set if something was left out of that list for want of room.
    over: Option<TooMany>,
    /// The outcome of the last list, if there was one.
    state: Option<TopicState>,
}

impl Default for Scope {
    fn default() -> Self {
        Self { objects: Store::new(Duration::ZERO), listed: 0, over: None, state: None }
    }
}

impl Scope {
    fn apply(&mut self, event: WatchEvent<ObjectName, usize>) {
        self.objects.apply(event, Duration::ZERO);
    }
}

/// There are more objects than are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooMany {
    /// In this cluster.
    #[error(
        "there are more than {MOST_OBJECTS} of these objects, or more than {} MiB: choose fewer by namespace or label",
        MOST_BYTES >> 20
    )]
    Here,
    /// In all clusters together, and there is no room for those of this one.
    #[error(
        "the objects of all clusters need more than {} MiB, and there is no room for all of these: choose fewer by namespace or label",
        MOST_BYTES_OF_ALL >> 20
    )]
    Together,
}

impl TopicStore {
    /// No objects yet; those of all topics with this room share it.
    pub(super) fn new(room: Arc<Room>) -> Self {
        Self { room, scopes: BTreeMap::new(), bytes: 0, was_complete: false }
    }

    /// Begins watches of these namespaces. Known objects stay known until a list does not show them. Returns true if the topic was
    /// complete before: it is not any more.
    pub(super) fn begin(&mut self, scopes: impl IntoIterator<Item = Arc<str>>) -> bool {
        self.was_complete |= self.state() == Some(Ok(())) && !self.scopes.is_empty();
        let fresh = scopes.into_iter().map(|scope| (scope, Scope::default())).collect();
        let before = std::mem::replace(&mut self.scopes, fresh);
        for (name, bytes) in before.values().flat_map(|scope| scope.objects.iter()) {
            // An object of a namespace that is not watched any more is gone with the next list of another one.
            let scope = ["", &*name.namespace].into_iter().find(|scope| self.scopes.contains_key(*scope));
            let scope = match scope {
                Some(scope) => self.scopes.get_mut(scope),
                None => self.scopes.values_mut().next(),
            };
            if let Some(scope) = scope {
                scope.apply(WatchEvent::Apply(name.clone(), *bytes));
            }
        }
        self.was_complete
    }

    /// Begins a list.
    pub(super) fn listing(&mut self, scope: &str) {
        if let Some(scope) = self.scopes.get_mut(scope) {
            (scope.listed, scope.over) = (0, None);
            scope.apply(WatchEvent::Init);
        }
    }

    /// Takes an object, of which so many bytes are kept. Returns true if it was asked for and has room.
    pub(super) fn there(&mut self, scope: &str, name: &ObjectName, bytes: usize) -> Result<bool, TooMany> {
        let known = self.len();
        let Some(watched) = self.scopes.get_mut(scope) else { return Ok(false) };
        if name.name.is_empty() || (!scope.is_empty() && *name.namespace != *scope) {
            return Ok(false);
        }
        let before = watched.objects.get(name).copied();
        let is_listing = watched.objects.is_listing();
        let all = self.bytes - before.unwrap_or_default() + bytes;
        // A list may show as many others as were known before, and which are gone is known only at its end.
        let times = if is_listing { 2 } else { 1 };
        let fits_here = (before.is_some() || known < times * MOST_OBJECTS) && all <= times * MOST_BYTES;
        let wanted = counted(all, known + usize::from(before.is_none()));
        let over = if !fits_here {
            Some(TooMany::Here)
        } else if !self.room.replace(counted(self.bytes, known), wanted) {
            Some(TooMany::Together)
        } else {
            self.bytes = all;
            None
        };
        watched.over = watched.over.or(over);
        watched.listed += usize::from(is_listing);
        if let Some(bytes) = if over.is_none() { Some(bytes) } else { before } {
            watched.apply(WatchEvent::Apply(name.clone(), bytes));
        }
        let listing = self.scopes.values().filter(|scope| scope.objects.is_listing());
        if listing.map(|scope| scope.listed).sum::<usize>() > MOST_OBJECTS {
            return Err(TooMany::Here);
        }
        match over {
            Some(over) if !is_listing => Err(over),
            over => Ok(over.is_none()),
        }
    }

    /// Returns true if the object is known. It stays known until it is forgotten.
    pub(super) fn knows(&self, name: &ObjectName) -> bool {
        self.scopes.values().any(|scope| scope.objects.get(name).is_some())
    }

    /// Forgets an object after its deletion was sent. Whoever is interrupted before that sends it again.
    pub(super) fn forget(&mut self, name: &ObjectName) {
        let before = self.counted();
        for scope in self.scopes.values_mut() {
            self.bytes -= scope.objects.get(name).copied().unwrap_or_default();
            scope.apply(WatchEvent::Delete(name.clone()));
        }
        self.room.replace(before, self.counted());
    }

    /// The objects that are gone if the list of this namespace ends now.
    pub(super) fn unlisted(&self, scope: &str) -> Vec<ObjectName> {
        self.scopes.get(scope).into_iter().flat_map(|scope| scope.objects.unlisted()).cloned().collect()
    }

    /// Ends a list, after the objects that it did not show were forgotten.
    pub(super) fn listed(&mut self, scope: &str) -> Result<(), TooMany> {
        let is_full = self.len() > MOST_OBJECTS || self.bytes > MOST_BYTES;
        let Some(watched) = self.scopes.get_mut(scope) else { return Ok(()) };
        watched.apply(WatchEvent::InitDone);
        let over = if is_full { Some(TooMany::Here) } else { watched.over };
        let whole = over.map_or(Ok(()), Err);
        watched.state = Some(whole.map_err(|why| why.to_string().into()));
        whole
    }

    /// Notes why a namespace cannot be seen.
    pub(super) fn failed(&mut self, scope: &str, why: Arc<str>) {
        if let Some(watched) = self.scopes.get_mut(scope) {
            watched.apply(WatchEvent::Failed(Arc::clone(&why)));
            watched.state = Some(Err(why));
        }
    }

    /// The state of all namespaces together; none while a first list is under way.
    pub(super) fn state(&self) -> Option<TopicState> {
        let failed = self.scopes.iter().find_map(|(name, scope)| match &scope.state {
            Some(Err(why)) if name.is_empty() => Some(why.clone()),
            Some(Err(why)) => Some(format!("namespace {name}: {why}").into()),
            _ => None,
        });
        match failed {
            Some(why) => Some(Err(why)),
            None => self.scopes.values().all(|scope| scope.state.is_some()).then_some(Ok(())),
        }
    }

    fn len(&self) -> usize {
        self.scopes.values().map(|scope| scope.objects.len()).sum()
    }

    fn counted(&self) -> usize {
        counted(self.bytes, self.len())
    }
}

impl Drop for TopicStore {
    fn drop(&mut self) {
        self.room.replace(self.counted(), 0);
    }
}

/// The bytes that so many objects take of the room of all.
fn counted(bytes: usize, objects: usize) -> usize {
    (bytes + OVERHEAD * objects).saturating_sub(OWN_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone() -> TopicStore {
        TopicStore::new(Room::of(usize::MAX))
    }

    fn object(namespace: &str, name: &str) -> ObjectName {
        ObjectName::new(namespace, name)
    }

    fn list(store: &mut TopicStore, scope: &str, names: &[ObjectName]) -> Vec<ObjectName> {
        store.listing(scope);
        for name in names {
            assert_eq!(store.there(scope, name, 1), Ok(true));
        }
        let (gone, whole) = end(store, scope);
        assert_eq!(whole, Ok(()));
        gone
    }

    fn end(store: &mut TopicStore, scope: &str) -> (Vec<ObjectName>, Result<(), TooMany>) {
        let gone = store.unlisted(scope);
        for name in &gone {
            assert!(store.knows(name), "until its deletion was sent");
            store.forget(name);
        }
        (gone, store.listed(scope))
    }

    #[test]
    fn what_a_later_list_does_not_show_is_gone() {
        let mut store = alone();
        store.begin(["".into()]);
        assert_eq!(store.state(), None);
        assert_eq!(list(&mut store, "", &[object("a", "x"), object("a", "y")]), []);
        assert_eq!(store.state(), Some(Ok(())));

        store.failed("", "no answer".into());
        assert_eq!(store.state(), Some(Err("no answer".into())));
        store.listing("");
        assert_eq!(store.state(), Some(Err("no answer".into())), "a list that has only begun says nothing");
        store.there("", &object("a", "y"), 1).unwrap();
        assert_eq!(end(&mut store, ""), (vec![object("a", "x")], Ok(())));
        assert_eq!(store.state(), Some(Ok(())));
    }

    #[test]
    fn a_list_after_a_new_beginning_still_tells_what_is_gone() {
        let mut store = alone();
        store.begin(["".into()]);
        list(&mut store, "", &[object("a", "x")]);
        store.begin(["".into()]);
        assert_eq!(store.state(), None);
        assert_eq!(list(&mut store, "", &[]), [object("a", "x")]);
    }

    #[test]
    fn one_namespace_that_cannot_be_seen_leaves_the_topic_incomplete() {
        let mut store = alone();
        store.begin(["a".into(), "b".into()]);
        list(&mut store, "a", &[object("a", "x")]);
        assert_eq!(store.state(), None, "b has not been listed");
        store.failed("b", "forbidden".into());
        assert_eq!(store.state(), Some(Err("namespace b: forbidden".into())));
        list(&mut store, "b", &[object("b", "x")]);
        assert_eq!(store.state(), Some(Ok(())));
        assert_eq!(list(&mut store, "a", &[]), [object("a", "x")], "the list of a says nothing of b");
    }

    #[test]
    fn what_was_not_asked_for_is_not_taken() {
        let mut store = alone();
        store.begin(["a".into()]);
        store.listing("a");
        assert_eq!(store.there("a", &object("b", "x"), 1), Ok(false));
        assert_eq!(store.there("a", &object("a", ""), 1), Ok(false));
        assert_eq!(store.there("c", &object("c", "x"), 1), Ok(false));
        assert!(!store.knows(&object("b", "x")));
    }

    #[test]
    fn an_object_that_goes_while_a_list_is_under_way_is_gone_once() {
        let mut store = alone();
        store.begin(["".into()]);
        store.listing("");
        store.there("", &object("a", "x"), 1).unwrap();
        assert!(store.knows(&object("a", "x")));
        store.forget(&object("a", "x"));
        assert_eq!(end(&mut store, ""), (vec![], Ok(())));
    }

    fn many(prefix: &str) -> Vec<ObjectName> {
        (0..MOST_OBJECTS).map(|index| object("a", &format!("{prefix}{index}"))).collect()
    }

    #[test]
    fn too_many_objects_are_refused() {
        let mut store = alone();
        store.begin(["".into()]);
        list(&mut store, "", &many(""));
        assert_eq!(store.there("", &object("a", "0"), 1), Ok(true), "one that is known is not one more");
        assert_eq!(store.there("", &object("a", "more"), 1), Err(TooMany::Here));
        store.listing("");
        for name in many("") {
            store.there("", &name, 1).unwrap();
        }
        assert_eq!(
            store.there("", &object("a", "more"), 1),
            Err(TooMany::Here),
            "a list is not read beyond that"
        );
    }

    #[test]
    fn as_many_others_may_take_the_place_of_what_was_known() {
        let mut store = alone();
        store.begin(["".into()]);
        list(&mut store, "", &many("old-"));
        assert_eq!(list(&mut store, "", &many("new-")).len(), MOST_OBJECTS);
        assert_eq!(store.state(), Some(Ok(())));
    }

    #[test]
    fn after_too_many_there_is_room_again_once_a_list_has_ended() {
        let mut store = alone();
        store.begin(["".into()]);
        for prefix in ["a-", "b-"] {
            store.listing("");
            for name in many(prefix) {
                assert_eq!(store.there("", &name, 1), Ok(true));
            }
            store.failed("", "cut off".into());
        }
        store.listing("");
        assert_eq!(store.there("", &object("a", "small"), 1), Ok(false), "there is no room for it");
        let (gone, whole) = end(&mut store, "");
        assert_eq!((gone.len(), whole), (2 * MOST_OBJECTS, Err(TooMany::Here)));
        assert!(store.state().unwrap().is_err());
        assert_eq!(list(&mut store, "", &[object("a", "small")]), []);
        assert_eq!(store.state(), Some(Ok(())));
    }

    #[test]
    fn objects_that_are_too_large_together_are_refused() {
        let mut store = alone();
        store.begin(["".into()]);
        list(&mut store, "", &[object("a", "x")]);
        assert_eq!(store.there("", &object("a", "y"), MOST_BYTES - 1), Ok(true));
        assert_eq!(store.there("", &object("a", "z"), 1), Err(TooMany::Here));
        store.forget(&object("a", "y"));
        assert_eq!(store.there("", &object("a", "z"), 1), Ok(true), "what is gone takes no room");
    }

    #[test]
    fn a_new_beginning_says_that_it_was_complete_before() {
        let mut store = alone();
        assert!(!store.begin(["".into()]));
        assert!(!store.begin(["".into()]), "it has not been listed yet");
        list(&mut store, "", &[object("a", "x")]);
        assert!(store.begin(["".into()]));
    }

    #[test]
    fn a_list_of_too_many_that_are_gone_again_leaves_room_for_others() {
        let mut store = alone();
        store.begin(["".into()]);
        store.listing("");
        for name in many("") {
            assert_eq!(store.there("", &name, 1), Ok(true));
        }
        assert_eq!(store.there("", &object("a", "more"), 1), Err(TooMany::Here));
        store.begin(["".into()]);
        store.listing("");
        assert_eq!((end(&mut store, "").0.len(), store.bytes), (MOST_OBJECTS + 1, 0));
    }

    #[test]
    fn the_clusters_share_the_room_and_one_with_few_objects_is_always_seen() {
        let room = Room::of(3 << 20);
        let mut stores: Vec<TopicStore> = (0..3).map(|_| TopicStore::new(Arc::clone(&room))).collect();
        let [greedy, second, honest] = &mut stores[..] else { unreachable!() };
        for store in [&mut *greedy, &mut *second, &mut *honest] {
            store.begin(["".into()]);
            list(store, "", &[object("a", "first")]);
        }
        assert_eq!(greedy.there("", &object("a", "large"), 3 << 20), Ok(true));
        assert_eq!(second.there("", &object("a", "large"), 1 << 20), Err(TooMany::Together));
        assert!(!second.knows(&object("a", "large")));
        for name in 0..100 {
            assert_eq!(honest.there("", &object("a", &name.to_string()), 1_000), Ok(true));
        }
        second.listing("");
        assert_eq!(
            second.there("", &object("a", "large"), 1 << 20),
            Ok(false),
            "the list is read to its end"
        );
        assert_eq!(end(second, ""), (vec![object("a", "first")], Err(TooMany::Together)));
        let why = second.state().unwrap().unwrap_err();
        assert!(why.starts_with("the objects of all clusters need more than 96 MiB"), "{why}");
        greedy.forget(&object("a", "large"));
        assert_eq!(list(second, "", &[object("a", "large")]), []);
        drop(stores);
        assert_eq!(room.taken(), 0);
    }
}
