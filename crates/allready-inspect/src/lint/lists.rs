//! Every list of conditions that an object has: that of its status, and those of listeners, parents and the like.

use serde_json::Value;

use super::Place;
use crate::view::View;
use allready_core::found::{self, FoundCondition, FoundList};

/// The most lists that are looked at: an object is no reason to spend for ever.
const MOST: usize = 1_000;

/// One list of conditions, and where it stands.
pub(super) struct List<'a> {
    pub(super) place: Place,
    pub(super) found: FoundList<'a>,
    /// Set if it is `status.conditions`.
    pub(super) is_top: bool,
}

impl<'a> List<'a> {
    /// The place of an entry.
    pub(super) fn entry(&self, index: usize) -> Place {
        let name = self.found.conditions().get(index).map_or("", |condition| &*condition.type_);
        self.place.entry(index, name)
    }

    /// The conditions with their places in the list.
    pub(super) fn entries(&self) -> impl Iterator<Item = (usize, &FoundCondition<'a>)> {
        self.found.conditions().iter().enumerate()
    }
}

/// The lists of an object, that of the status first.
pub(super) fn of(object: &Value) -> Vec<List<'_>> {
    let view = View::new(object);
    let lists = view
        .lists()
        .iter()
        .filter(|list| if list.is_top { !list.value.is_null() } else { is_list(list.value) });
    lists
        .take(MOST)
        .map(|list| List {
            place: Place::from(&list.path),
            found: found::read(list.value),
            is_top: list.is_top,
        })
        .collect()
}

/// Tells whether something that is called conditions is a list of them: its entries have a type and a status.
fn is_list(value: &Value) -> bool {
    let is_condition = |entry: &Value| entry.get("type").is_some() && entry.get("status").is_some();
    value.as_array().is_some_and(|entries| entries.iter().any(is_condition))
}
