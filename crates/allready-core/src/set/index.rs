//! Entries of a list by condition type: a short list is searched, a long one has an index, so that a pass takes time in
//! proportion to its list.

use std::collections::{HashMap, hash_map::Entry};

use crate::{Condition, ConditionType};

/// Up to this length, comparing types is faster than hashing them.
const SHORT: usize = 24;

/// Something that is looked up by its condition type.
pub(super) trait Typed {
    /// The type by which it is looked up.
    fn type_(&self) -> &ConditionType;
}

impl Typed for Condition {
    fn type_(&self) -> &ConditionType {
        &self.type_
    }
}

impl Typed for ConditionType {
    fn type_(&self) -> &ConditionType {
        self
    }
}

/// The place of the first entry of each type in one list. The list may grow at its end; [`clear`](Self::clear) the index when it changes
/// otherwise.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeIndex {
    first: HashMap<ConditionType, usize>,
    /// The number of entries of the list that are in the index.
    known: usize,
    /// True if a type was found a second time.
    repeats: bool,
}

impl TypeIndex {
    /// Takes in what was added to the list; does nothing for a short one.
    pub(super) fn catch_up(&mut self, list: &[impl Typed]) {
        if list.len() <= SHORT {
            return;
        }
        for (place, entry) in list.iter().enumerate().skip(self.known) {
            match self.first.entry(entry.type_().clone()) {
                Entry::Vacant(vacant) => drop(vacant.insert(place)),
                Entry::Occupied(_) => self.repeats = true,
            }
        }
        self.known = list.len();
    }

    /// Place of the first entry of a type; fast if the index has [caught up](Self::catch_up) with the list.
    pub(super) fn find(&self, list: &[impl Typed], type_: &str) -> Option<usize> {
        if self.covers(list) {
            self.first.get(type_).copied()
        } else {
            list.iter().position(|entry| *entry.type_() == *type_)
        }
    }

    /// Tells whether the list is known to have each type once.
    pub(super) fn is_unique(&self, list: &[impl Typed]) -> bool {
        self.covers(list) && !self.repeats
    }

    /// Forgets the list, because entries were moved or removed.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.known = 0;
        self.repeats = false;
    }

    fn covers(&self, list: &[impl Typed]) -> bool {
        self.known > 0 && self.known == list.len()
    }
}

/// A list in the order in which entries were added, with one entry for each type.
#[derive(Clone, Debug)]
pub(super) struct ByType<T> {
    entries: Vec<T>,
    index: TypeIndex,
}

impl<T> Default for ByType<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), index: TypeIndex::default() }
    }
}

impl<T: Typed> ByType<T> {
    pub(super) fn get(&self, type_: &str) -> Option<&T> {
        self.index.find(&self.entries, type_).map(|place| &self.entries[place]) // found at this place
    }

    pub(super) fn has(&self, type_: &str) -> bool {
        self.index.find(&self.entries, type_).is_some()
    }

    /// Adds an entry, or puts it in the place of the one of its type.
    pub(super) fn put(&mut self, entry: T) {
        if let Some(place) = self.index.find(&self.entries, entry.type_().as_str()) {
            self.entries[place] = entry; // found at this place
        } else {
            self.entries.push(entry);
            self.index.catch_up(&self.entries);
        }
    }

    pub(super) fn get_mut(&mut self, type_: &str) -> Option<&mut T> {
        self.index.find(&self.entries, type_).map(|place| &mut self.entries[place]) // found at this place
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, T> {
        self.entries.iter()
    }
}
