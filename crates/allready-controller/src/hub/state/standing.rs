//! Objects of the hub as they stand.

use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::ObjectName;

/// A number that is the same for equal JSON, whatever the order of its keys.
pub(in crate::hub) fn digest<'a>(parts: impl IntoIterator<Item = &'a Value>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for part in parts {
        mix(part, &mut hasher);
    }
    hasher.finish()
}

fn mix(value: &Value, hasher: &mut DefaultHasher) {
    match value {
        Value::Null => 0_u8.hash(hasher),
        Value::Bool(value) => (1_u8, value).hash(hasher),
        Value::Number(number) => (2_u8, number.to_string()).hash(hasher),
        Value::String(text) => (3_u8, text).hash(hasher),
        Value::Array(items) => {
            (4_u8, items.len()).hash(hasher);
            for item in items {
                mix(item, hasher);
            }
        }
        Value::Object(fields) => {
            (5_u8, fields.len()).hash(hasher);
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by(|a, b| a.0.cmp(b.0));
            for (name, field) in fields {
                name.hash(hasher);
                mix(field, hasher);
            }
        }
    }
}

/// The name of an object.
pub(in crate::hub) fn named(object: &Value) -> ObjectName {
    let text = |field: &str| object["metadata"][field].as_str().unwrap_or_default().to_owned();
    ObjectName::new(&text("namespace"), &text("name"))
}

/// The version of an object, where it is a number.
pub(in crate::hub) fn version(object: &Value) -> Option<u64> {
    object["metadata"]["resourceVersion"].as_str()?.parse().ok()
}

/// Lets a body be applied only to this version of its object.
pub(in crate::hub) fn at_version(body: &mut Value, version: Option<u64>) {
    if let Some(version) = version {
        body["metadata"]["resourceVersion"] = version.to_string().into();
    }
}

/// A label of an object.
pub(in crate::hub) fn label<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object["metadata"]["labels"].get(name)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_json_has_equal_digests_and_other_json_has_not() {
        let same = |a: Value, b: Value| digest([&a]) == digest([&b]);
        assert!(same(json!({"a": 1, "b": [null, "x"]}), json!({"b": [null, "x"], "a": 1})));
        for (a, b) in [
            (json!({"a": 1}), json!({"a": "1"})),
            (json!([1, 2]), json!([2, 1])),
            (json!({"a": {}}), json!({"a": []})),
            (json!(["ab", "c"]), json!(["a", "bc"])),
        ] {
            assert!(!same(a.clone(), b.clone()), "{a} {b}");
        }
    }
}
