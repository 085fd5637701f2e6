//! What a field set means under a schema: the declared fields on the way to what is owned, and what a changed schema
//! makes of a set that was written before.

use super::{LIST, MAP, SCALAR, Type};
use crate::{
    fields::{path::PathElement, set::FieldSet},
    schema::List,
};

/// The set with the declared fields above its paths; keys of maps and items of lists are not added.
pub(crate) fn with_named_fields<'a>(mut set: FieldSet<'a>, kind: Type<'_>) -> FieldSet<'a> {
    add(&mut set, kind);
    set
}

fn add(set: &mut FieldSet<'_>, kind: Type<'_>) {
    let forms = kind.forms();
    for node in set.nodes_mut() {
        if node.children.is_empty() {
            continue;
        }
        let below = match &node.element {
            PathElement::Field(name) if forms & MAP != 0 => {
                let (below, declared) = kind.map().field(name);
                node.member |= declared;
                below
            }
            PathElement::Key(_) if forms & LIST != 0 => kind.list().items,
            _ => Type::Nothing,
        };
        add(&mut node.children, below);
    }
}

/// Makes what was owned in parts owned as a whole, where the schema has become atomic since. Returns whether it changed.
pub(crate) fn reconcile(set: &mut FieldSet<'_>, kind: Type<'_>) -> bool {
    let forms = kind.forms();
    let mut changed = false;
    for node in set.nodes_mut().iter_mut().filter(|node| !node.children.is_empty()) {
        let below = match &node.element {
            _ if forms & MAP != 0 => {
                let map = kind.map();
                if map.is_free() {
                    return changed;
                }
                match &node.element {
                    PathElement::Field(name) => map.field(name).0,
                    _ => map.element(),
                }
            }
            _ if forms & SCALAR != 0 => Type::Nothing,
            _ => kind.list().items,
        };
        let atomic = match below.forms() {
            forms if forms & MAP != 0 => {
                let map = below.map();
                map.atomic && !map.is_free()
            }
            LIST => *below.list().list == List::Atomic,
            _ => false,
        };
        if atomic {
            node.children = FieldSet::default();
            node.member = true;
            changed = true;
        } else {
            changed |= reconcile(&mut node.children, below);
        }
    }
    changed
}
