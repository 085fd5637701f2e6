//! An applied configuration laid over what is there.
//!
//! Follows `typed/merge.go` of `sigs.k8s.io/structured-merge-diff`.

use serde_json::{Map, Value};

use super::{LIST, ListType, MAP, MapType, SCALAR, Type, item};
use crate::{
    fields::{path::PathElement, value},
    schema::List,
};

/// Lays a validated configuration over a validated object. Nothing is removed by it but `metadata.managedFields`, which is
/// written anew afterwards.
pub(crate) fn merge(live: &Value, applied: &Value, kind: Type<'_>) -> Value {
    // `null` takes the form of the other side, and where nothing decides, maps come first.
    let forms = kind.forms_for(Some(applied));
    if forms & MAP != 0 {
        let map_kind = kind.map();
        match (live, applied) {
            _ if map_kind.atomic => applied.clone(),
            (Value::Object(live), Value::Object(applied)) if !live.is_empty() || !applied.is_empty() => {
                Value::Object(merge_maps(live, applied, map_kind))
            }
            (Value::Object(live), Value::Null) if !live.is_empty() => Value::Object(live.clone()),
            _ => applied.clone(),
        }
    } else if forms & SCALAR != 0 || forms & LIST == 0 {
        applied.clone()
    } else {
        let list_kind = kind.list();
        match (live, applied) {
            _ if *list_kind.list == List::Atomic => applied.clone(),
            (Value::Array(live), Value::Array(applied)) if !live.is_empty() && !applied.is_empty() => {
                Value::Array(merge_lists(live, applied, list_kind))
            }
            (Value::Array(live), Value::Null | Value::Array(_)) if !live.is_empty() => {
                Value::Array(live.clone())
            }
            _ => applied.clone(),
        }
    }
}

fn merge_maps(
    live: &Map<String, Value>,
    applied: &Map<String, Value>,
    kind: MapType<'_>,
) -> Map<String, Value> {
    let mut out = Map::new();
    for (key, value) in live {
        if kind.is_bookkeeping(key) {
            continue;
        }
        let merged =
            applied.get(key).map_or_else(|| value.clone(), |over| merge(value, over, kind.field(key).0));
        out.insert(key.clone(), merged);
    }
    for (key, value) in applied {
        if !live.contains_key(key) && !kind.is_bookkeeping(key) {
            out.insert(key.clone(), value.clone());
        }
    }
    out
}

/// Whether merging would change nothing. A `false` may be wrong where a list has the same item twice.
pub(crate) fn holds(live: &Value, applied: &Value, kind: Type<'_>) -> bool {
    let forms = kind.forms_for(Some(applied));
    if forms & MAP != 0 {
        let map_kind = kind.map();
        match (live, applied) {
            _ if map_kind.atomic => value::equal(live, applied),
            (Value::Object(live), Value::Object(applied)) if !live.is_empty() || !applied.is_empty() => {
                let same = |(key, over): (&String, &Value)| {
                    map_kind.is_bookkeeping(key)
                        || live.get(key).is_some_and(|value| holds(value, over, map_kind.field(key).0))
                };
                applied.iter().all(same)
            }
            (Value::Object(live), Value::Null) if !live.is_empty() => true,
            _ => value::equal(live, applied),
        }
    } else if forms & SCALAR != 0 || forms & LIST == 0 {
        value::equal(live, applied)
    } else {
        let list_kind = kind.list();
        match (live, applied) {
            _ if *list_kind.list == List::Atomic => value::equal(live, applied),
            (Value::Array(live), Value::Array(applied)) if !live.is_empty() && !applied.is_empty() => {
                list_holds(live, applied, list_kind)
            }
            (Value::Array(live), Value::Null | Value::Array(_)) if !live.is_empty() => true,
            _ => value::equal(live, applied),
        }
    }
}

/// Whether every applied item is there as it is applied, once, and in the same order.
fn list_holds(live: &[Value], applied: &[Value], kind: ListType<'_>) -> bool {
    let Some(Places { applied_of, live_of }) = places(live, applied, kind) else { return false };
    let in_order = applied_of.iter().flatten().copied().eq(0..applied.len());
    in_order
        && applied.iter().zip(live_of).all(|(over, place)| {
            place.and_then(|(place, _)| live.get(place)).is_some_and(|value| holds(value, over, kind.items))
        })
}

/// Where an item of one list stands in the other.
struct Places {
    /// For every live item, the applied item of the same step.
    applied_of: Vec<Option<usize>>,
    /// For every applied item, the live item of the same step, and whether there is more than one.
    live_of: Vec<Option<(usize, bool)>>,
}

fn places<'a>(live: &'a [Value], applied: &'a [Value], kind: ListType<'a>) -> Option<Places> {
    let elements = |list: &'a [Value]| -> Option<Vec<PathElement<'a>>> {
        list.iter().map(|one| item::element(kind, one).ok()).collect()
    };
    let (live, applied) = (elements(live)?, elements(applied)?);
    let mut sorted: Vec<usize> = (0..applied.len()).collect();
    sorted.sort_by_key(|&index| applied.get(index));
    let find = |element: &PathElement<'_>| {
        let found = sorted.binary_search_by(|&index| {
            applied.get(index).map_or(std::cmp::Ordering::Less, |candidate| candidate.cmp(element))
        });
        found.ok().and_then(|place| sorted.get(place).copied())
    };
    let applied_of: Vec<Option<usize>> = live.iter().map(find).collect();
    let mut live_of: Vec<Option<(usize, bool)>> = vec![None; applied.len()];
    for (index, other) in applied_of.iter().enumerate() {
        if let Some(place) = other.and_then(|other| live_of.get_mut(other)) {
            *place = Some(place.map_or((index, false), |(first, _)| (first, true)));
        }
    }
    Some(Places { applied_of, live_of })
}

/// Joins two lists: items of both come in the order of the applied list, and what only the live list has stays where it
/// is between them.
fn merge_lists(live: &[Value], applied: &[Value], kind: ListType<'_>) -> Vec<Value> {
    let Some(Places { applied_of, live_of }) = places(live, applied, kind) else { return applied.to_vec() };
    let mut shared = (0..applied.len()).filter(|&index| live_of.get(index).is_some_and(Option::is_some));
    let mut next_shared = shared.next();
    let mut taken = vec![false; applied.len()];
    let mut out = Vec::with_capacity(live.len().max(applied.len()));
    let take = |index: usize, out: &mut Vec<Value>, taken: &mut Vec<bool>| {
        if let Some(done) = taken.get_mut(index) {
            *done = true;
        }
        let Some(over) = applied.get(index) else { return };
        // What is in the live list twice is not merged with: the applied item takes its place.
        let under = live_of
            .get(index)
            .copied()
            .flatten()
            .filter(|(_, twice)| !twice)
            .and_then(|(at, _)| live.get(at));
        out.push(under.map_or_else(|| over.clone(), |under| merge(under, over, kind.items)));
    };
    let (mut left, mut right) = (0, 0);
    while left < live.len() || right < applied.len() {
        let partner = applied_of.get(left).copied().flatten();
        if left < live.len() && right < applied.len() {
            if partner == Some(right) {
                take(right, &mut out, &mut taken);
                (left, right) = (left + 1, right + 1);
                next_shared = shared.next();
                continue;
            }
            if partner.is_some() && next_shared.is_some() && next_shared != partner {
                left += 1;
                continue;
            }
        }
        if let Some(item) = live.get(left) {
            match partner {
                None => {
                    out.push(item.clone());
                    left += 1;
                    continue;
                }
                Some(index) if taken.get(index) == Some(&true) => left += 1,
                Some(_) => {}
            }
        }
        if right < applied.len() {
            take(right, &mut out, &mut taken);
            if next_shared == Some(right) {
                next_shared = shared.next();
            }
            right += 1;
        }
    }
    out
}
