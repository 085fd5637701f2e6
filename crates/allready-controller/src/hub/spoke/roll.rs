//! Which objects of a topic a cluster has, as its lists and watches tell it.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use crate::hub::ObjectName;

/// The most objects of one topic in one cluster.
pub(super) const MOST_OBJECTS: usize = 20_000;
/// The most bytes that are kept of all of them, roughly: one cluster must not take the memory of the others.
pub(super) const MOST_BYTES: usize = 32 << 20;

/// What is known of a topic: nothing new, that it is complete, or why it cannot be seen.
pub(super) type Verdict = Result<(), Arc<str>>;

/// One topic in one cluster: the names that are known, and how far each namespace's list has come. Pure.
#[derive(Debug, Default)]
pub(super) struct Roll {
    /// All objects that the cluster was last heard to have, and how many bytes are kept of each.
    known: BTreeMap<ObjectName, usize>,
    /// The bytes of all of them.
    bytes: usize,
    /// Whether it was complete before the watches began that there are.
    was_whole: bool,
    /// By the namespace that is watched; one with an empty name stands for all of them.
    scopes: BTreeMap<Arc<str>, Scope>,
}

#[derive(Debug, Default)]
struct Scope {
    /// What a list has shown that is not at its end yet.
    listing: Option<BTreeSet<ObjectName>>,
    /// Whether something was left out of it for want of room.
    is_over: bool,
    /// How the last list ended, if one has.
    verdict: Option<Verdict>,
}

/// There are more objects than are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there are more than {MOST_OBJECTS} of these objects, or more than {} MiB: choose fewer by namespace or label",
    MOST_BYTES >> 20
)]
pub(super) struct TooMany;

impl Roll {
    /// Watches of these namespaces begin. What is known stays known, until a list does not show it.
    /// Says whether it was complete before: it is not any more.
    pub(super) fn begin(&mut self, scopes: impl IntoIterator<Item = Arc<str>>) -> bool {
        self.was_whole |= self.verdict() == Some(Ok(())) && !self.scopes.is_empty();
        self.scopes = scopes.into_iter().map(|scope| (scope, Scope::default())).collect();
        self.was_whole
    }

    /// A list begins.
    pub(super) fn listing(&mut self, scope: &str) {
        if let Some(scope) = self.scopes.get_mut(scope) {
            (scope.listing, scope.is_over) = (Some(BTreeSet::new()), false);
        }
    }

    /// There is an object, of which so many bytes are kept. Says whether it is one that was asked for, and has room.
    pub(super) fn there(&mut self, scope: &str, name: &ObjectName, bytes: usize) -> Result<bool, TooMany> {
        let Some(watched) = self.scopes.get_mut(scope) else { return Ok(false) };
        if name.name.is_empty() || (!scope.is_empty() && *name.namespace != *scope) {
            return Ok(false);
        }
        let before = self.known.get(name).copied();
        let is_listing = watched.listing.is_some();
        let all = self.bytes - before.unwrap_or_default() + bytes;
        // A list may show as many others as were known before, and what is gone is known only at its end.
        let times = if is_listing { 2 } else { 1 };
        let has_room =
            (before.is_some() || self.known.len() < times * MOST_OBJECTS) && all <= times * MOST_BYTES;
        watched.is_over |= !has_room;
        if let Some(listing) = &mut watched.listing {
            listing.insert(name.clone());
        }
        let listed: usize = self.scopes.values().flat_map(|scope| &scope.listing).map(BTreeSet::len).sum();
        if listed > MOST_OBJECTS || (!is_listing && !has_room) {
            return Err(TooMany);
        }
        if has_room {
            self.bytes = all;
            self.known.insert(name.clone(), bytes);
        }
        Ok(has_room)
    }

    /// An object is gone. Says whether it was known: it stays so until it is forgotten.
    pub(super) fn gone(&mut self, name: &ObjectName) -> bool {
        for scope in self.scopes.values_mut() {
            if let Some(listing) = &mut scope.listing {
                listing.remove(name);
            }
        }
        self.known.contains_key(name)
    }

    /// It has been told that an object is gone. Whoever is interrupted before that tells it again.
    pub(super) fn forget(&mut self, name: &ObjectName) {
        self.bytes -= self.known.remove(name).unwrap_or_default();
    }

    /// A list is at its end: what it did not show is gone. Says also whether it could be taken as a whole.
    pub(super) fn listed(&mut self, scope: &str) -> (Vec<ObjectName>, Result<(), TooMany>) {
        let Some(watched) = self.scopes.get_mut(scope) else { return (Vec::new(), Ok(())) };
        let shown = watched.listing.take().unwrap_or_default();
        let is_over = std::mem::take(&mut watched.is_over);
        let scopes = &self.scopes;
        let is_gone = |name: &ObjectName| {
            let listed_here = scope.is_empty() || *name.namespace == *scope;
            // A namespace that is not watched any more has no list of its own to end.
            let unwatched = !scopes.contains_key("") && !scopes.contains_key(&name.namespace);
            (listed_here && !shown.contains(name)) || unwatched
        };
        let gone: Vec<_> = self.known.keys().filter(|name| is_gone(name)).cloned().collect();
        let freed: usize = gone.iter().filter_map(|name| self.known.get(name)).sum();
        let is_over =
            is_over || self.known.len() - gone.len() > MOST_OBJECTS || self.bytes - freed > MOST_BYTES;
        let whole = if is_over { Err(TooMany) } else { Ok(()) };
        if let Some(watched) = self.scopes.get_mut(scope) {
            watched.verdict = Some(whole.map_err(|why| why.to_string().into()));
        }
        (gone, whole)
    }

    /// A namespace cannot be seen.
    pub(super) fn failed(&mut self, scope: &str, why: Arc<str>) {
        if let Some(watched) = self.scopes.get_mut(scope) {
            watched.listing = None;
            watched.verdict = Some(Err(why));
        }
    }

    /// What is known of all namespaces together; nothing while a first list is under way.
    pub(super) fn verdict(&self) -> Option<Verdict> {
        let failed = self.scopes.iter().find_map(|(name, scope)| match &scope.verdict {
            Some(Err(why)) if name.is_empty() => Some(why.clone()),
            Some(Err(why)) => Some(format!("namespace {name}: {why}").into()),
            _ => None,
        });
        match failed {
            Some(why) => Some(Err(why)),
            None => self.scopes.values().all(|scope| scope.verdict.is_some()).then_some(Ok(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(namespace: &str, name: &str) -> ObjectName {
        ObjectName::new(namespace, name)
    }

    fn list(roll: &mut Roll, scope: &str, names: &[ObjectName]) -> Vec<ObjectName> {
        roll.listing(scope);
        for name in names {
            assert_eq!(roll.there(scope, name, 1), Ok(true));
        }
        let (gone, whole) = roll.listed(scope);
        assert_eq!(whole, Ok(()));
        for name in &gone {
            roll.forget(name);
        }
        gone
    }

    #[test]
    fn what_a_later_list_does_not_show_is_gone() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        assert_eq!(roll.verdict(), None);
        assert_eq!(list(&mut roll, "", &[object("a", "x"), object("a", "y")]), []);
        assert_eq!(roll.verdict(), Some(Ok(())));

        roll.failed("", "no answer".into());
        assert_eq!(roll.verdict(), Some(Err("no answer".into())));
        roll.listing("");
        assert_eq!(roll.verdict(), Some(Err("no answer".into())), "a list that has only begun says nothing");
        roll.there("", &object("a", "y"), 1).unwrap();
        assert_eq!(roll.listed(""), (vec![object("a", "x")], Ok(())));
        assert_eq!(roll.verdict(), Some(Ok(())));
    }

    #[test]
    fn a_list_after_a_new_beginning_still_tells_what_is_gone() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        list(&mut roll, "", &[object("a", "x")]);
        roll.begin(["".into()]);
        assert_eq!(roll.verdict(), None);
        assert_eq!(list(&mut roll, "", &[]), [object("a", "x")]);
    }

    #[test]
    fn one_namespace_that_cannot_be_seen_leaves_the_topic_incomplete() {
        let mut roll = Roll::default();
        roll.begin(["a".into(), "b".into()]);
        list(&mut roll, "a", &[object("a", "x")]);
        assert_eq!(roll.verdict(), None, "b has not been listed");
        roll.failed("b", "forbidden".into());
        assert_eq!(roll.verdict(), Some(Err("namespace b: forbidden".into())));
        list(&mut roll, "b", &[object("b", "x")]);
        assert_eq!(roll.verdict(), Some(Ok(())));
        assert_eq!(list(&mut roll, "a", &[]), [object("a", "x")], "the list of a says nothing of b");
    }

    #[test]
    fn what_was_not_asked_for_is_not_taken() {
        let mut roll = Roll::default();
        roll.begin(["a".into()]);
        roll.listing("a");
        assert_eq!(roll.there("a", &object("b", "x"), 1), Ok(false));
        assert_eq!(roll.there("a", &object("a", ""), 1), Ok(false));
        assert_eq!(roll.there("c", &object("c", "x"), 1), Ok(false));
        assert!(!roll.gone(&object("b", "x")));
    }

    #[test]
    fn an_object_that_goes_while_a_list_is_under_way_is_gone_once() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        roll.listing("");
        roll.there("", &object("a", "x"), 1).unwrap();
        assert!(roll.gone(&object("a", "x")));
        assert!(roll.gone(&object("a", "x")), "until it has been told");
        roll.forget(&object("a", "x"));
        assert_eq!(roll.listed(""), (vec![], Ok(())));
    }

    fn many(prefix: &str) -> Vec<ObjectName> {
        (0..MOST_OBJECTS).map(|index| object("a", &format!("{prefix}{index}"))).collect()
    }

    #[test]
    fn too_many_objects_are_refused() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        list(&mut roll, "", &many(""));
        assert_eq!(roll.there("", &object("a", "0"), 1), Ok(true), "one that is known is not one more");
        assert_eq!(roll.there("", &object("a", "more"), 1), Err(TooMany));
        roll.listing("");
        for name in many("") {
            roll.there("", &name, 1).unwrap();
        }
        assert_eq!(roll.there("", &object("a", "more"), 1), Err(TooMany), "a list is not read beyond that");
    }

    #[test]
    fn as_many_others_may_take_the_place_of_what_was_known() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        list(&mut roll, "", &many("old-"));
        assert_eq!(list(&mut roll, "", &many("new-")).len(), MOST_OBJECTS);
        assert_eq!(roll.verdict(), Some(Ok(())));
    }

    #[test]
    fn after_too_many_there_is_room_again_once_a_list_has_ended() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        for prefix in ["a-", "b-"] {
            roll.listing("");
            for name in many(prefix) {
                assert_eq!(roll.there("", &name, 1), Ok(true));
            }
            roll.failed("", "cut off".into());
        }
        roll.listing("");
        assert_eq!(roll.there("", &object("a", "small"), 1), Ok(false), "there is no room for it");
        let (gone, whole) = roll.listed("");
        assert_eq!((gone.len(), whole), (2 * MOST_OBJECTS, Err(TooMany)));
        assert!(roll.verdict().unwrap().is_err());
        for name in &gone {
            roll.forget(name);
        }
        assert_eq!(list(&mut roll, "", &[object("a", "small")]), []);
        assert_eq!(roll.verdict(), Some(Ok(())));
    }

    #[test]
    fn objects_that_are_too_large_together_are_refused() {
        let mut roll = Roll::default();
        roll.begin(["".into()]);
        list(&mut roll, "", &[object("a", "x")]);
        assert_eq!(roll.there("", &object("a", "y"), MOST_BYTES - 1), Ok(true));
        assert_eq!(roll.there("", &object("a", "z"), 1), Err(TooMany));
        roll.forget(&object("a", "y"));
        assert_eq!(roll.there("", &object("a", "z"), 1), Ok(true), "what is gone takes no room");
    }

    #[test]
    fn a_new_beginning_says_that_it_was_complete_before() {
        let mut roll = Roll::default();
        assert!(!roll.begin(["".into()]));
        assert!(!roll.begin(["".into()]), "it has not been listed yet");
        list(&mut roll, "", &[object("a", "x")]);
        assert!(roll.begin(["".into()]));
    }
}
