//! JSON merge patches.

use serde_json::{Map, Value};

/// Applies a merge patch: `null` removes, objects are merged, everything else replaces.
///
/// ```
/// use serde_json::json;
///
/// let mut object = json!({ "a": 1, "b": { "c": 2 } });
/// allready_apiserver::patch::merge::merge(&mut object, &json!({ "a": null, "b": { "d": 3 } }));
/// assert_eq!(object, json!({ "b": { "c": 2, "d": 3 } }));
/// ```
pub fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = Value::Object(Map::new());
    }
    let Some(target) = target.as_object_mut() else { return };
    for (key, value) in patch {
        if value.is_null() {
            target.remove(key);
        } else {
            // The depth of both is bounded where they are read.
            merge(target.entry(key.clone()).or_insert(Value::Null), value);
        }
    }
}
