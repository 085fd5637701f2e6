//! A value without the items of a field set.

use serde_json::Value;

use super::{MAP, SCALAR, Type, item};
use crate::{
    fields::{path::PathElement, set::FieldSet},
    schema::List,
};

/// Removes fields and items. A map or list that nothing is left of becomes `null`, as on the real server.
pub(crate) fn remove(value: &mut Value, items: &FieldSet<'_>, kind: Type<'_>) {
    let forms = kind.forms_for(Some(value));
    if forms & MAP != 0 {
        let map_kind = kind.map();
        match value {
            Value::Object(map) if !map.is_empty() && !map_kind.atomic => {
                // A walk over the set rather than the map: most of a map stays.
                for node in items.nodes() {
                    let PathElement::Field(name) = &node.element else { continue };
                    if node.member {
                        map.remove(name.as_ref());
                    } else if let Some(value) = map.get_mut(name.as_ref()) {
                        remove(value, &node.children, map_kind.field(name).0);
                    }
                }
                if map.is_empty() {
                    *value = Value::Null;
                }
            }
            _ => *value = Value::Null,
        }
    } else if forms & SCALAR == 0 {
        let list_kind = kind.list();
        match value {
            Value::Array(list) if !list.is_empty() && *list_kind.list != List::Atomic => {
                list.retain_mut(|one| {
                    // The step borrows the item, so what to do is settled before the item changes.
                    let node = item::element(list_kind, one).ok().and_then(|element| items.get(&element));
                    match node {
                        Some(node) if node.member => false,
                        Some(node) => {
                            remove(one, &node.children, list_kind.items);
                            true
                        }
                        None => true,
                    }
                });
                if list.is_empty() {
                    *value = Value::Null;
                }
            }
            _ => *value = Value::Null,
        }
    }
}
