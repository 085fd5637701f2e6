//! Whether an instance was made from what the hub object says now.

use allready_core::Generation;
use serde_json::Value;

use super::{HubFacts, Instance};

/// Whether every field of a part is in the whole, with an equal value. The whole may have more fields, as from defaults, but a
/// list has as many entries: one that was taken away would otherwise go unnoticed. What is null is as good as absent.
///
/// ```
/// use allready_controller::hub::contains;
/// use serde_json::json;
///
/// let instance = json!({"class": "istio", "listeners": [{"name": "web", "port": 80, "protocol": "HTTP"}]});
/// assert!(contains(&instance, &json!({"listeners": [{"name": "web", "port": 80}]})));
/// assert!(!contains(&instance, &json!({"listeners": [{"name": "web", "port": 8080}]})));
/// assert!(!contains(&instance, &json!({"listeners": []})));
/// ```
pub fn contains(whole: &Value, part: &Value) -> bool {
    first_difference(whole, part).is_none()
}

/// Where a part first differs from the whole, such as `listeners[0].port`; none where the whole contains it.
///
/// ```
/// use allready_controller::hub::first_difference;
/// use serde_json::json;
///
/// let whole = json!({"listeners": [{"name": "web", "port": 80}]});
/// let part = json!({"listeners": [{"name": "web", "port": 8080}]});
/// assert_eq!(first_difference(&whole, &part).as_deref(), Some("listeners[0].port"));
/// ```
pub fn first_difference(whole: &Value, part: &Value) -> Option<String> {
    let mut path = differing(whole, part)?;
    path.reverse();
    let mut text = String::new();
    for step in path {
        match step {
            Step::Field(name) if text.is_empty() => text.push_str(name),
            Step::Field(name) => text.extend([".", name]),
            Step::Entry(index) => text.push_str(&format!("[{index}]")),
        }
    }
    Some(text)
}

enum Step<'a> {
    Field(&'a str),
    Entry(usize),
}

/// The way to the first difference, the last step first.
fn differing<'a>(whole: &Value, part: &'a Value) -> Option<Vec<Step<'a>>> {
    match (whole, part) {
        (_, Value::Null) => None,
        (Value::Object(whole), Value::Object(part)) => part.iter().find_map(|(name, part)| {
            let mut path = differing(whole.get(name).unwrap_or(&Value::Null), part)?;
            path.push(Step::Field(name));
            Some(path)
        }),
        (Value::Array(whole), Value::Array(part)) if whole.len() == part.len() => {
            whole.iter().zip(part).enumerate().find_map(|(index, (whole, part))| {
                let mut path = differing(whole, part)?;
                path.push(Step::Entry(index));
                Some(path)
            })
        }
        (Value::Number(whole), Value::Number(part)) => {
            // `1` and `1.0` are one number, but large whole numbers are compared as such.
            let equal = whole == part || whole.is_f64() != part.is_f64() && whole.as_f64() == part.as_f64();
            (!equal).then(Vec::new)
        }
        (whole, part) => (whole != part).then(Vec::new),
    }
}

/// The generation of the hub object that an instance was made from, as far as that is known: what an annotation of the instance
/// says, or the hub's generation where the instance's spec contains the hub's.
///
/// That a field was taken away from the hub's spec does not show in what the instance contains: who distributes objects by
/// something that leaves fields behind should annotate them.
///
/// Without an annotation this reads both specs, unless they are equal: remember what it says.
///
/// ```
/// use allready_controller::hub::{HubFacts, Instance, seen_generation};
///
/// let hub = HubFacts { generation: 4.into(), spec: r#"{"replicas":2}"#.into(), ..Default::default() };
/// let of = |spec: &str, hub_generation: Option<u32>| Instance {
///     spec: spec.into(), hub_generation: hub_generation.map(Into::into), ..Default::default()
/// };
/// assert_eq!(seen_generation(&hub, &of("", Some(3))), Some(3.into()));
/// assert_eq!(seen_generation(&hub, &of(r#"{"paused":false,"replicas":2}"#, None)), Some(4.into()));
/// assert_eq!(seen_generation(&hub, &of(r#"{"replicas":1}"#, None)), None);
/// ```
pub fn seen_generation(hub: &HubFacts, instance: &Instance) -> Option<Generation> {
    if let Some(annotated) = instance.hub_generation {
        return Some(annotated);
    }
    // An empty text is a spec that was too large to keep.
    if hub.spec.is_empty() || instance.spec.is_empty() {
        return None;
    }
    if hub.spec == instance.spec {
        return Some(hub.generation);
    }
    let part: Value = serde_json::from_str(&hub.spec).ok()?;
    let whole: Value = serde_json::from_str(&instance.spec).ok()?;
    contains(&whole, &part).then_some(hub.generation)
}
