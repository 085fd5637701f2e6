//! What changed between two values.

use serde_json::{Map, Value};

use super::{ListType, MAP, SCALAR, Type, item};
use crate::{
    fields::{path::PathElement, set::FieldSet, value},
    schema::List,
};

/// The paths that differ between two values; no path is in two of the sets.
#[derive(Debug, Default)]
pub(crate) struct Changes<'a> {
    /// Only in the second.
    pub(crate) added: FieldSet<'a>,
    /// In both, and different.
    pub(crate) modified: FieldSet<'a>,
    /// Only in the first.
    pub(crate) removed: FieldSet<'a>,
}

/// Compares two validated objects. `metadata.managedFields` is nobody's and is left out.
pub(crate) fn compare<'a>(old: &'a Value, new: &'a Value, root: Type<'a>) -> Changes<'a> {
    walk(Some(old), Some(new), root).below
}

/// Compares two validated objects that differ at most where `applied`, which one of them was merged with, says something.
pub(crate) fn compare_within<'a>(
    old: &'a Value,
    new: &'a Value,
    applied: &'a Value,
    root: Type<'a>,
) -> Changes<'a> {
    within(old, new, applied, root).below
}

fn within<'a>(old: &'a Value, new: &'a Value, applied: &'a Value, kind: Type<'a>) -> Found<'a> {
    let (Value::Object(old_map), Value::Object(new_map), Value::Object(applied)) = (old, new, applied) else {
        return walk(Some(old), Some(new), kind);
    };
    let map_kind = kind.map();
    if kind.forms() & MAP == 0 || map_kind.atomic || old_map.is_empty() || new_map.is_empty() {
        return walk(Some(old), Some(new), kind);
    }
    let mut found = Found::default();
    for (key, over) in applied.iter().filter(|(key, _)| !map_kind.is_bookkeeping(key)) {
        let below = map_kind.field(key).0;
        let below = match (old_map.get(key), new_map.get(key)) {
            (Some(old), Some(new)) => within(old, new, over, below),
            (None, None) => continue,
            (old, new) => walk(old, new, below),
        };
        found.put(&PathElement::field(key), below);
    }
    found
}

impl Changes<'_> {
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.modified.is_empty() && self.removed.is_empty()
    }

    /// The changes without what lies at or below the given paths.
    pub(crate) fn without(&self, paths: &FieldSet<'_>) -> Self {
        Self {
            added: self.added.recursive_difference(paths),
            modified: self.modified.recursive_difference(paths),
            removed: self.removed.recursive_difference(paths),
        }
    }
}

/// The changes at a place and below it.
#[derive(Default)]
struct Found<'a> {
    added: bool,
    modified: bool,
    removed: bool,
    below: Changes<'a>,
}

impl<'a> Found<'a> {
    fn leaf(old: Option<&Value>, new: Option<&Value>) -> Self {
        let modified = matches!((old, new), (Some(old), Some(new)) if !value::equal(old, new));
        Self { added: old.is_none(), removed: new.is_none(), modified, below: Changes::default() }
    }

    fn put(&mut self, element: &PathElement<'a>, found: Found<'a>) {
        let Found { added, modified, removed, below } = found;
        let put = |set: &mut FieldSet<'a>, member, children: FieldSet<'a>| {
            if member || !children.is_empty() {
                set.push(element.clone(), member, children);
            }
        };
        put(&mut self.below.added, added, below.added);
        put(&mut self.below.modified, modified, below.modified);
        put(&mut self.below.removed, removed, below.removed);
    }

    fn join(&self, other: &Self) -> Self {
        Self {
            added: self.added || other.added,
            modified: self.modified || other.modified,
            removed: self.removed || other.removed,
            below: Changes {
                added: self.below.added.union(&other.below.added),
                modified: self.below.modified.union(&other.below.modified),
                removed: self.below.removed.union(&other.below.removed),
            },
        }
    }
}

fn walk<'a>(old: Option<&'a Value>, new: Option<&'a Value>, kind: Type<'a>) -> Found<'a> {
    let (old_forms, new_forms) = (kind.forms_for(old), kind.forms_for(new));
    if new.is_none() {
        return walk_as(old_forms, old, new, kind);
    }
    let found = walk_as(new_forms, old, new, kind);
    if old.is_none() || old_forms == new_forms {
        return found;
    }
    // The value has changed its form: what the old form loses and what the new form brings both count.
    walk_as(old_forms, old, new, kind).join(&found)
}

fn walk_as<'a>(forms: u8, old: Option<&'a Value>, new: Option<&'a Value>, kind: Type<'a>) -> Found<'a> {
    let mut found = if forms & MAP != 0 {
        let (old_map, new_map) = (old.and_then(Value::as_object), new.and_then(Value::as_object));
        let hollow = |map: Option<&Map<_, _>>| map.is_none_or(Map::is_empty);
        let map_kind = kind.map();
        if map_kind.atomic || (hollow(old_map) && hollow(new_map)) {
            return Found::leaf(old, new);
        }
        maps(old_map, new_map, map_kind)
    } else if forms & SCALAR != 0 {
        return Found::leaf(old, new);
    } else {
        let (old_list, new_list) = (old.and_then(Value::as_array), new.and_then(Value::as_array));
        let hollow = |list: Option<&Vec<_>>| list.is_none_or(Vec::is_empty);
        let list_kind = kind.list();
        if *list_kind.list == List::Atomic || (hollow(old_list) && hollow(new_list)) {
            return Found::leaf(old, new);
        }
        lists(old_list, new_list, list_kind)
    };
    found.added |= old.is_none();
    found.removed |= new.is_none() && old.is_some();
    found
}

fn maps<'a>(
    old: Option<&'a Map<String, Value>>,
    new: Option<&'a Map<String, Value>>,
    kind: super::MapType<'a>,
) -> Found<'a> {
    let mut found = Found::default();
    for (key, value) in old.into_iter().flatten() {
        if kind.is_bookkeeping(key) {
            continue;
        }
        let other = new.and_then(|new| new.get(key));
        let below = walk(Some(value), other, kind.field(key).0);
        found.put(&PathElement::field(key), below);
    }
    for (key, value) in new.into_iter().flatten() {
        if old.is_none_or(|old| !old.contains_key(key)) && !kind.is_bookkeeping(key) {
            let below = walk(None, Some(value), kind.field(key).0);
            found.put(&PathElement::field(key), below);
        }
    }
    found
}

fn lists<'a>(old: Option<&'a Vec<Value>>, new: Option<&'a Vec<Value>>, kind: ListType<'a>) -> Found<'a> {
    let elements = |list: Option<&'a Vec<Value>>| {
        let one = |one| Some((item::element(kind, one).ok()?, one));
        let mut elements: Vec<(PathElement<'a>, &'a Value)> =
            list.into_iter().flatten().filter_map(one).collect();
        elements.sort_by(|left, right| left.0.cmp(&right.0));
        elements
    };
    let (old, new) = (elements(old), elements(new));
    let same = |left: &(PathElement<'a>, _), right: &(PathElement<'a>, _)| left.0 == right.0;
    let mut old = old.chunk_by(same).peekable();
    let mut new = new.chunk_by(same).peekable();
    let mut found = Found::default();
    loop {
        let (before, after) = match (old.peek(), new.peek()) {
            (None, None) => return found,
            (Some(_), None) => (old.next(), None),
            (None, Some(_)) => (None, new.next()),
            (Some(before), Some(after)) => {
                match before.first().map(|one| &one.0).cmp(&after.first().map(|one| &one.0)) {
                    std::cmp::Ordering::Less => (old.next(), None),
                    std::cmp::Ordering::Greater => (None, new.next()),
                    std::cmp::Ordering::Equal => (old.next(), new.next()),
                }
            }
        };
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        if let Some((element, _)) = before.first().or(after.first()) {
            found.put(element, items(before, after, kind.items));
        }
    }
}

/// Compares what one step leads to: usually one item on either side. What is there twice is compared as a whole.
fn items<'a>(
    before: &[(PathElement<'a>, &'a Value)],
    after: &[(PathElement<'a>, &'a Value)],
    kind: Type<'a>,
) -> Found<'a> {
    let first = |group: &[(PathElement<'a>, &'a Value)]| group.first().map(|(_, value)| *value);
    match (before.len(), after.len()) {
        (0 | 1, 0 | 1) => walk(first(before), first(after), kind),
        (2.., 2..) => {
            let equal = before.len() == after.len()
                && before.iter().zip(after).all(|((_, left), (_, right))| value::equal(left, right));
            Found { modified: !equal, ..Found::default() }
        }
        (2.., 0) => Found { removed: true, ..Found::default() },
        (2.., _) => Found { removed: true, ..walk(None, first(after), kind) },
        (0, _) => Found { added: true, ..Found::default() },
        _ => Found { added: true, ..walk(first(before), None, kind) },
    }
}
