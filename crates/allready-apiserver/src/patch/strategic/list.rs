//! Lists in a strategic merge: item by item, by a key or by value, and in which order.

use serde_json::Value;

use super::{DIRECTIVE, Fields, ORDER, objects, property, refused, unknown_directive, without_directives};
use crate::{
    patch::gotext,
    schema::{Schema, Shape},
    status::Failure,
};

type Items = Vec<Value>;

/// Merges two lists as the field says; `removing` takes the items of `patch` away instead.
pub(super) fn merge(
    field: Option<&Schema>,
    live: Items,
    patch: Items,
    removing: bool,
) -> Result<Items, Failure> {
    if !removing && !field.is_some_and(|field| field.strategic.merge) {
        return Ok(patch);
    }
    if live.is_empty() && patch.is_empty() {
        return Ok(live);
    }
    let key = key_of(field);
    if !of_objects(&live, &patch)? {
        if removing {
            return Ok(live.into_iter().filter(|item| !patch.contains(item)).collect());
        }
        let mut merged: Items = Vec::new();
        for item in live.iter().chain(&patch) {
            if !merged.contains(item) {
                merged.push(item.clone());
            }
        }
        return arrange(merged, &patch, &patch, &live, None);
    }
    let Some(key) = key else { return Err(refused("cannot merge lists without merge key for struct")) };
    let (live, patch) = directives(live, patch, key)?;
    let mut server = live.clone();
    let mut merged = live;
    for item in &patch {
        let Value::Object(fields) = item else { continue };
        let wanted = fields.get(key).ok_or_else(|| keyless(fields, key))?;
        let found = merged.iter().position(|other| other.get(key) == Some(wanted));
        match found.and_then(|index| merged.get_mut(index).map(|slot| (index, slot))) {
            Some((index, slot)) => {
                let old = slot.as_object().cloned().unwrap_or_default();
                *slot = Value::Object(objects(item_schema(field), old, fields.clone())?);
                if let Some(place) = server.get_mut(index) {
                    place.clone_from(slot);
                }
            }
            None => merged.push(item.clone()),
        }
    }
    arrange(merged, &patch, &patch, &server, Some(key))
}

/// `$setElementOrder`: merges the lists it is about, and puts them in order.
pub(super) fn order(schema: Option<&Schema>, live: &mut Fields, patch: &mut Fields) -> Result<(), Failure> {
    let names: Vec<String> = patch.keys().filter(|key| key.starts_with(ORDER)).cloned().collect();
    for name in names {
        let Some(Value::Array(wanted)) = patch
            .remove(&name)
            .map(|value| match value {
                Value::Array(_) => Ok(value),
                other => Err(bad_type(&other)),
            })
            .transpose()?
        else {
            continue;
        };
        let Some((ORDER, field_name)) = name.split_once('/') else {
            return Err(Failure::bad_request("invalid patch format of setElementOrder list"));
        };
        let field = property(schema, field_name);
        let key = key_of(field);
        let listed = |fields: &Fields| match fields.get(field_name) {
            None => Ok(None),
            Some(Value::Array(items)) => Ok(Some(items.clone())),
            Some(other) => Err(bad_type(other)),
        };
        let (old, new) = (listed(live)?, listed(patch)?);
        agrees(new.as_deref().unwrap_or_default(), &wanted, key)?;
        let server = old.clone().unwrap_or_default();
        let merged = match (old, new) {
            (None, None) => continue,
            (Some(old), None) => old,
            (None, Some(new)) => new.into_iter().filter_map(without_directives).collect(),
            (Some(old), Some(new)) => merge(field, old, new, false)?,
        };
        patch.remove(field_name);
        let ordered = arrange(merged, &wanted, &wanted, &server, key)?;
        live.insert(field_name.to_owned(), Value::Array(ordered));
    }
    Ok(())
}

/// Items that the patch speaks of stand in the patch's order, the others in the server's; where both orders know two items,
/// the server's decides between them.
fn arrange(
    merged: Items,
    named: &[Value],
    patch_order: &[Value],
    server_order: &[Value],
    key: Option<&str>,
) -> Result<Items, Failure> {
    let lists: [&[Value]; 3] = [&merged, patch_order, server_order];
    if let Some(key) = key {
        for item in lists.into_iter().flatten() {
            let fields = item.as_object().ok_or_else(|| bad_type(item))?;
            if !fields.contains_key(key) {
                return Err(keyless(fields, key));
            }
        }
    }
    let identity = |item: &Value| match key {
        Some(key) => item.get(key).cloned(),
        None => Some(item.clone()),
    };
    let place = |order: &[Value], item: &Value| {
        let wanted = identity(item);
        order.iter().position(|other| identity(other) == wanted)
    };
    let (mut mine, mut theirs): (Items, Items) =
        merged.into_iter().partition(|item| place(named, item).is_some());
    mine.sort_by_key(|item| place(patch_order, item));
    theirs.sort_by_key(|item| place(server_order, item));
    let mut out = Vec::with_capacity(mine.len() + theirs.len());
    let (mut mine, mut theirs) = (mine.into_iter().peekable(), theirs.into_iter().peekable());
    loop {
        let first = match (theirs.peek(), mine.peek()) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(their), Some(my)) => match (place(server_order, their), place(server_order, my)) {
                (Some(their), Some(my)) => their < my,
                _ => false,
            },
        };
        match if first { theirs.next() } else { mine.next() } {
            Some(item) => out.push(item),
            None => return Ok(out),
        }
    }
}

/// `$patch` in list items: deletes what it names, or replaces the list.
fn directives(mut live: Items, patch: Items, key: &str) -> Result<(Items, Items), Failure> {
    let mut plain = Vec::new();
    let mut replace = false;
    for item in patch {
        let Some((fields, directive)) =
            item.as_object().and_then(|fields| Some((fields, fields.get(DIRECTIVE)?)))
        else {
            plain.push(item);
            continue;
        };
        match directive.as_str() {
            Some("delete") => {
                let wanted = fields.get(key).ok_or_else(|| keyless(fields, key))?;
                live.retain(|other| other.get(key) != Some(wanted));
            }
            Some("replace") => replace = true,
            Some("merge") => return Err(refused("merging lists cannot yet be specified in the patch")),
            _ => return Err(unknown_directive(directive, fields)),
        }
    }
    Ok(if replace { (plain, Vec::new()) } else { (live, plain) })
}

/// What a patch says of items must be in the order that it asks for.
fn agrees(patch: &[Value], wanted: &[Value], key: Option<&str>) -> Result<(), Failure> {
    if patch.is_empty() || wanted.is_empty() {
        return Ok(());
    }
    let mut order = wanted.iter();
    for item in patch.iter().filter(|item| item.get(DIRECTIVE).is_none()) {
        let mut found = false;
        for other in order.by_ref() {
            found = match key {
                None => item == other,
                Some(key) => {
                    let side = |value: &Value| -> Result<Value, Failure> {
                        let fields = value.as_object().ok_or_else(|| bad_type(value))?;
                        fields.get(key).cloned().ok_or_else(|| keyless(fields, key))
                    };
                    side(item)? == side(other)?
                }
            };
            if found {
                break;
            }
        }
        if !found {
            return Err(refused(format!(
                "The order in patch list:\n{}\n doesn't match {ORDER} list:\n{}\n",
                gotext::list(patch),
                gotext::list(wanted)
            )));
        }
    }
    Ok(())
}

fn of_objects(live: &[Value], patch: &[Value]) -> Result<bool, Failure> {
    let mut items = live.iter().chain(patch);
    let Some(first) = items.next() else { return Ok(false) };
    if first.is_array() {
        return Err(Failure::new(422, "", "lists of lists are not supported"));
    }
    if items.any(|item| std::mem::discriminant(item) != std::mem::discriminant(first)) {
        return Err(refused(format!(
            "list element types are not identical: [{} {}]",
            gotext::list(live),
            gotext::list(patch)
        )));
    }
    Ok(first.is_object())
}

fn key_of(field: Option<&Schema>) -> Option<&str> {
    field.and_then(|field| field.strategic.key.as_deref())
}

fn item_schema(field: Option<&Schema>) -> Option<&Schema> {
    match &field?.shape {
        Shape::Array(array) => Some(array.items.as_ref()),
        _ => None,
    }
}

fn keyless(fields: &Fields, key: &str) -> Failure {
    refused(format!("map: {} does not contain declared merge key: {key}", gotext::map(fields)))
}

fn bad_type(found: &Value) -> Failure {
    refused(format!("expected a []interface {{}}, but received a {}", gotext::type_name(found)))
}
