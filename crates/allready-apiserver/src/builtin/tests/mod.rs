//! Facts taken from the real server: what it answered to these objects.

use serde_json::Value;

mod addresses;
mod created;
mod decode;
mod patches;
mod refused;
mod updated;

/// The resource of an object.
pub(super) fn resource_of(object: &Value) -> crate::resource::Resource {
    let version = object["apiVersion"].as_str().unwrap();
    let group = version.split_once('/').map_or("", |(group, _)| group);
    super::resources(super::Ranges::default())
        .into_iter()
        .find(|r| r.group == group && r.kind == object["kind"])
        .unwrap()
}

/// The exchanges of a file, one JSON object a line.
pub(super) fn lines(file: &str) -> Vec<Value> {
    file.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Where two values differ, one line a place.
pub(super) fn differences(real: &Value, ours: &Value) -> Vec<String> {
    fn walk(place: &str, real: &Value, ours: &Value, out: &mut Vec<String>) {
        match (real, ours) {
            (Value::Object(a), Value::Object(b)) => {
                let keys: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
                for key in keys {
                    match (a.get(key), b.get(key)) {
                        (Some(a), Some(b)) => walk(&format!("{place}.{key}"), a, b, out),
                        (a, b) => out.push(format!("{place}.{key}: real {a:?}, ours {b:?}")),
                    }
                }
            }
            (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
                for (index, (a, b)) in a.iter().zip(b).enumerate() {
                    walk(&format!("{place}[{index}]"), a, b, out);
                }
            }
            _ if real == ours => {}
            _ => out.push(format!("{place}: real {real}, ours {ours}")),
        }
    }
    let mut out = Vec::new();
    walk("", real, ours, &mut out);
    out
}
