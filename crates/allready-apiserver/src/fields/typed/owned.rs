//! What someone owns who applies a value.

use serde_json::Value;

use super::{MAP, SCALAR, Type, item};
use crate::{
    fields::{path::PathElement, set::FieldSet},
    schema::List,
};

/// Every leaf, and every item and map key, of a validated value.
pub(crate) fn owned<'a>(value: &'a Value, kind: Type<'a>) -> FieldSet<'a> {
    walk(value, kind).1
}

/// Whether the path to here is in the set, and what is in it below.
fn walk<'a>(value: &'a Value, kind: Type<'a>) -> (bool, FieldSet<'a>) {
    match kind.forms_for(Some(value)) {
        forms if forms & MAP != 0 => {
            let map_kind = kind.map();
            let mut set = FieldSet::default();
            if map_kind.atomic {
                return (true, set);
            }
            let Value::Object(map) = value else { return (false, set) };
            for (key, value) in map {
                let (below, declared) = map_kind.field(key);
                let (member, children) = walk(value, below);
                let hollow = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
                set.push(PathElement::field(key), member || hollow || !declared, children);
            }
            (false, set)
        }
        forms if forms & SCALAR != 0 => (true, FieldSet::default()),
        _ => {
            let list_kind = kind.list();
            let mut set = FieldSet::default();
            if *list_kind.list == List::Atomic {
                return (true, set);
            }
            let Value::Array(items) = value else { return (false, set) };
            let mut elements: Vec<(PathElement<'a>, &'a Value)> =
                items.iter().filter_map(|one| Some((item::element(list_kind, one).ok()?, one))).collect();
            elements.sort_by(|left, right| left.0.cmp(&right.0));
            let same = |left: &(PathElement<'a>, _), right: &(PathElement<'a>, _)| left.0 == right.0;
            // What is there twice is owned as it is, without a look inside.
            let groups: Vec<bool> =
                elements.chunk_by(same).flat_map(|group| group.iter().map(|_| group.len() > 1)).collect();
            for ((element, one), twice) in elements.into_iter().zip(groups) {
                let children = if twice { FieldSet::default() } else { walk(one, list_kind.items).1 };
                set.push(element, true, children);
            }
            (false, set)
        }
    }
}
