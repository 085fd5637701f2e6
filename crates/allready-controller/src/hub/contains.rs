//! The comparison of the spec of an instance with that of the hub object.

use std::fmt::Write as _;

use allready_core::Generation;
use serde_json::Value;

use super::{HubFacts, Instance};

/// Returns true if every field of a part is in the whole, with an equal value. The whole may have more fields, as from defaults, but a
/// list has as many entries: one that was taken away would otherwise go unnoticed. A field that is null is as good as absent.
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

/// The place at which a part first differs from the whole, such as `listeners[0].port`; none where the whole contains it.
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
    if part.is_null() {
        return None;
    }
    let mut path = differing(whole, part)?;
    path.reverse();
    let mut text = String::new();
    for step in path {
        // Writing to a text cannot fail.
        let _ = match step {
            Step::Field(name) if text.is_empty() => text.write_str(name),
            Step::Field(name) => write!(text, ".{name}"),
            Step::Entry(index) => write!(text, "[{index}]"),
        };
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
        (Value::Object(whole), Value::Object(part)) => {
            part.iter().filter(|(_, part)| !part.is_null()).find_map(|(name, part)| {
                let mut path = differing(whole.get(name).unwrap_or(&Value::Null), part)?;
                path.push(Step::Field(name));
                Some(path)
            })
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn k6_an_instance_with_more_fields_contains_the_hubs_and_one_with_others_does_not() {
        let instance = json!({"a": 1, "b": {"c": ["x", {"d": true, "e": null}]}, "defaulted": "yes"});
        let difference = |part| first_difference(&instance, &part);
        assert_eq!(difference(json!({"a": 1, "b": {"c": ["x", {"d": true}]}})), None);
        assert_eq!(difference(json!({"b": {"c": ["x", {"d": false}]}})).as_deref(), Some("b.c[1].d"));
        assert_eq!(difference(json!({"b": {"c": ["x"]}})).as_deref(), Some("b.c"), "one was taken away");
        assert_eq!(difference(json!({"b": {"c": [{"d": true}, "x"]}})).as_deref(), Some("b.c[0]"));
        assert_eq!(difference(json!({"new": {}})).as_deref(), Some("new"));
        assert_eq!(difference(json!({"new": null})), None);
        assert_eq!(difference(json!("text")).as_deref(), Some(""), "the whole differs");
    }

    #[test]
    fn numbers_are_compared_by_value_and_large_ones_exactly() {
        assert!(contains(&json!(1.0), &json!(1)));
        assert!(!contains(&json!(1.5), &json!(1)));
        assert!(!contains(&json!(9_007_199_254_740_993_i64), &json!(9_007_199_254_740_992_i64)));
    }

    #[test]
    fn a_spec_that_was_too_large_to_keep_has_seen_nothing() {
        let hub = |spec: &str| HubFacts { generation: 4.into(), spec: spec.into(), ..HubFacts::default() };
        let instance = |spec: &str| Instance { spec: spec.into(), ..Instance::default() };
        assert_eq!(seen_generation(&hub(""), &instance("")), None);
        assert_eq!(seen_generation(&hub("{}"), &instance("")), None);
        assert_eq!(seen_generation(&hub(""), &instance("{}")), None);
        assert_eq!(
            seen_generation(&hub("null"), &instance("{\"a\":1}")),
            Some(4.into()),
            "a hub object without a spec"
        );
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-3..3_i64).prop_map(Value::from),
            "[ab]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[abc]", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn everything_contains_itself_and_what_was_taken_out_of_it(value in any_json(), name in "[abc]") {
            prop_assert!(contains(&value, &value));
            if let Value::Object(fields) = &value {
                let mut fewer = fields.clone();
                fewer.remove(&name);
                prop_assert!(contains(&value, &Value::Object(fewer)));
            }
        }

        #[test]
        fn what_contains_each_other_differs_in_nulls_alone(one in any_json(), other in any_json()) {
            fn without_nulls(value: &Value) -> Value {
                match value {
                    Value::Array(items) => items.iter().map(without_nulls).collect(),
                    Value::Object(fields) => Value::Object(
                        fields
                            .iter()
                            .filter(|(_, value)| !value.is_null())
                            .map(|(name, value)| (name.clone(), without_nulls(value)))
                            .collect(),
                    ),
                    other => other.clone(),
                }
            }
            if contains(&one, &other) && contains(&other, &one) && !one.is_null() && !other.is_null() {
                prop_assert_eq!(without_nulls(&one), without_nulls(&other));
            }
        }
    }
}
