//! Editing JSON: paths, merge patches, and what a patch must say.

use serde_json::{Map, Value};

/// The value at a path, if something is there.
pub(super) fn get<'v>(value: &'v Value, path: &[impl AsRef<str>]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, key| value.get(key.as_ref())).filter(|value| !value.is_null())
}

/// Puts a value at a path. What is missing on the way is made; of what stands in the way and is no object, the number of
/// steps to it is returned.
pub(super) fn set(value: &mut Value, path: &[impl AsRef<str>], new: Value) -> Result<(), usize> {
    let Some((last, parents)) = path.split_last() else {
        *value = new;
        return Ok(());
    };
    let mut place = value;
    for (steps, key) in parents.iter().enumerate() {
        place = object(place).ok_or(steps)?.entry(key.as_ref()).or_insert(Value::Null);
    }
    object(place).ok_or(parents.len())?.insert(last.as_ref().to_owned(), new);
    Ok(())
}

/// Takes away what stands at a path.
pub(super) fn remove(value: &mut Value, path: &[impl AsRef<str>]) {
    let Some((last, parents)) = path.split_last() else { return };
    let place = parents.iter().try_fold(value, |value, key| value.get_mut(key.as_ref()));
    if let Some(Value::Object(place)) = place {
        place.remove(last.as_ref());
    }
}

fn object(value: &mut Value) -> Option<&mut Map<String, Value>> {
    if value.is_null() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut()
}

/// Without the keys that say nothing: to a merge patch, null and absent are the same.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(kept.map(|(key, value)| (key, without_nulls(value))).collect())
        }
        other => other,
    }
}

/// The merge patch that makes one value of another; nothing if they are the same. Neither has nulls in its objects.
pub(super) fn difference(old: &Value, new: &Value) -> Option<Value> {
    if old == new {
        return None;
    }
    let (Value::Object(before), Value::Object(after)) = (old, new) else { return Some(new.clone()) };
    let gone = before.keys().filter(|key| !after.contains_key(*key)).map(|key| (key.clone(), Value::Null));
    let changed = after.iter().filter_map(|(key, value)| {
        let patch = match before.get(key) {
            Some(old) => difference(old, value)?,
            None => value.clone(),
        };
        Some((key.clone(), patch))
    });
    Some(Value::Object(gone.chain(changed).collect()))
}

/// Applies a merge patch (RFC 7386).
pub(super) fn merge(value: &mut Value, patch: Value) {
    let Value::Object(patch) = patch else {
        *value = patch;
        return;
    };
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    let Value::Object(map) = value else { return };
    for (key, change) in patch {
        if change.is_null() {
            map.remove(&key);
        } else {
            merge(map.entry(key).or_insert(Value::Null), change);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            (0..3i64).prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from),
            prop::collection::vec(0..3i64, 0..3).prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 16, 3, |inner| {
            prop::collection::btree_map("[abc]", inner, 0..3).prop_map(|map| json!(map))
        })
    }

    fn object() -> impl Strategy<Value = Value> {
        prop::collection::btree_map("[abc]", value(), 0..4).prop_map(|map| json!(map))
    }

    proptest! {
        #[test]
        fn the_difference_applied_to_the_old_gives_the_new(old in object(), new in object()) {
            let mut patched = old.clone();
            if let Some(patch) = difference(&old, &new) {
                merge(&mut patched, patch);
            }
            prop_assert_eq!(patched, new);
        }

        #[test]
        fn nothing_is_sent_for_equal_values(value in object()) {
            prop_assert_eq!(difference(&value, &value.clone()), None);
        }
    }

    #[test]
    fn only_what_changed_is_in_the_patch() {
        let old = json!({ "a": 1, "nested": { "b": 2, "c": 3 }, "gone": "x" });
        let new = json!({ "a": 1, "nested": { "b": 2, "c": 4 } });
        assert_eq!(difference(&old, &new), Some(json!({ "nested": { "c": 4 }, "gone": null })));
    }

    #[test]
    fn what_stands_in_the_way_is_told_by_its_place() {
        let mut value = json!({ "summary": { "detail": "text" } });
        assert_eq!(set(&mut value, &["summary", "detail", "phase"], json!("Ready")), Err(2));
        assert_eq!(set(&mut value, &["other", "phase"], json!("Ready")), Ok(()));
        assert_eq!(value["other"]["phase"], "Ready");
    }
}
