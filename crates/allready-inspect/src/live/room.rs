//! The memory that the objects of a cluster may take, whoever fills it.
//!
//! Every kind of a cluster is followed, and whoever may make objects of one could take all memory. An object for which there is no
//! room is remembered in brief, red if it is red and Unknown otherwise; where there is no room for that either, it is not remembered.
//! Of both the kind says that not all of it is shown, so that nothing is called healthy for want of memory.

use std::{sync::Arc, time::Duration};

use allready_kube::list_watch::{Room, Store, WatchEvent};
use serde_json::Value;

use super::record::Place;

/// The reason why of a kind not everything is seen.
pub(super) const NO_ROOM: &str = "there are more objects than there is memory for: not all of them are shown";

/// The extent to which there is room for an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    Whole,
    Brief,
    No,
}

/// The objects of one kind, each with the bytes that it takes. What they take is free again when this is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<Room>,
    objects: Store<Arc<Place>, usize>,
    /// Set if there was no room for an object since the last list began.
    pub(super) is_over: bool,
}

impl Share {
    /// No objects yet.
    pub(super) fn new(room: Arc<Room>) -> Self {
        Self { room, objects: Store::new(Duration::ZERO), is_over: false }
    }

    /// Takes room for an object, which needs so many bytes beyond those of one in brief.
    pub(super) fn fit(&mut self, place: &Arc<Place>, more: usize) -> Fit {
        let before = self.objects.get(place).copied().unwrap_or_default();
        let brief = brief(place);
        let fits = [(brief.saturating_add(more), Fit::Whole), (brief, Fit::Brief)]
            .into_iter()
            .find(|(bytes, _)| self.room.replace(before, *bytes));
        self.is_over |= !matches!(fits, Some((_, Fit::Whole)));
        let Some((bytes, fit)) = fits else { return Fit::No };
        self.apply(WatchEvent::Apply(Arc::clone(place), bytes));
        fit
    }

    /// Begins a list.
    pub(super) fn listing(&mut self) {
        self.is_over = false;
        self.apply(WatchEvent::Init);
    }

    /// Forgets an object. Returns true if it was known.
    pub(super) fn forget(&mut self, place: &Arc<Place>) -> bool {
        let Some(bytes) = self.objects.get(place).copied() else { return false };
        self.apply(WatchEvent::Delete(Arc::clone(place)));
        self.room.replace(bytes, 0)
    }

    /// Ends a list: what it did not show takes no room any more.
    pub(super) fn listed(&mut self) {
        for (_, bytes) in self.objects.replace(WatchEvent::InitDone, Duration::ZERO) {
            self.room.replace(bytes.unwrap_or_default(), 0);
        }
    }

    fn apply(&mut self, event: WatchEvent<Arc<Place>, usize>) {
        self.objects.apply(event, Duration::ZERO);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.room.replace(self.objects.iter().map(|(_, bytes)| bytes).sum(), 0);
    }
}

/// The bytes of an object in brief, with all trees that it is in.
fn brief(place: &Place) -> usize {
    1_000 + 6 * (place.namespace.len() + place.name.len())
}

/// The bytes of a value in memory.
pub(super) fn weight(value: &Value) -> usize {
    const NODE: usize = 32;
    match value {
        Value::Array(items) => NODE + items.iter().map(weight).sum::<usize>(),
        // A tree allocates nodes for eleven fields.
        Value::Object(fields) => {
            let tree = if fields.is_empty() { 0 } else { (100 * fields.len()).max(650) };
            NODE + tree + fields.iter().map(|(key, value)| key.len() + weight(value)).sum::<usize>()
        }
        Value::String(text) => NODE + text.len(),
        Value::Null | Value::Bool(_) | Value::Number(_) => NODE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Arc<Place> {
        Arc::new(Place { namespace: "shop".into(), name: name.into() })
    }

    /// The bytes in brief of an object whose name is one letter.
    fn one() -> usize {
        brief(&place("a"))
    }

    #[test]
    fn what_does_not_fit_is_brief_or_left_out_and_told() {
        let room = Room::of(3 * one() + 100);
        let mut share = Share::new(Arc::clone(&room));
        assert_eq!(share.fit(&place("a"), 100), Fit::Whole);
        assert_eq!(share.fit(&place("b"), 0), Fit::Whole);
        assert!(!share.is_over);
        assert_eq!(share.fit(&place("c"), 1), Fit::Brief);
        assert!(share.is_over);
        assert_eq!(share.fit(&place("d"), 0), Fit::No);
        assert_eq!(share.fit(&place("a"), 101), Fit::Brief, "one that is known is never forgotten");
        assert!(share.forget(&place("b")) && !share.forget(&place("d")));
        assert_eq!(share.fit(&place("d"), 50), Fit::Whole, "there is room again");
    }

    #[test]
    fn all_kinds_share_the_room_and_a_list_or_an_end_frees_it() {
        let room = Room::of(2 * one());
        let (mut pods, mut maps) = (Share::new(Arc::clone(&room)), Share::new(Arc::clone(&room)));
        assert_eq!((maps.fit(&place("a"), 0), maps.fit(&place("b"), 0)), (Fit::Whole, Fit::Whole));
        assert_eq!(pods.fit(&place("p"), 0), Fit::No);
        maps.listing();
        assert_eq!(maps.fit(&place("a"), 0), Fit::Whole);
        maps.listed();
        assert_eq!(pods.fit(&place("p"), 0), Fit::Whole);
        assert!(pods.is_over, "until a list has had room for all");
        pods.listing();
        assert_eq!(pods.fit(&place("p"), 0), Fit::Whole);
        pods.listed();
        assert!(!pods.is_over);
        drop((pods, maps));
        assert_eq!(room.taken(), 0);
    }

    #[test]
    fn a_value_weighs_more_than_its_text() {
        let value = serde_json::json!({ "a": [1, { "b": "text" }], "c": {} });
        assert!(weight(&value) > 10 * value.to_string().len(), "{}", weight(&value));
        assert!(weight(&Value::String("x".repeat(1_000))) >= 1_000);
    }
}
