use serde_json::json;

use crate::fields::{FieldSet, Path, PathElement};

fn set(value: &serde_json::Value) -> FieldSet<'_> {
    FieldSet::from_json(value).unwrap()
}

#[test]
fn a_set_is_written_as_it_was_read() {
    for encoded in [
        json!({}),
        json!({"f:spec": {}}),
        json!({"f:spec": {".": {}, "f:size": {}}}),
        json!({"f:a": {"k:{\"name\":\"x\",\"port\":80}": {".": {}, "f:b": {}}, "v:\"a\\u003cb\"": {}, "v:1.5": {}, "v:true": {}, "i:3": {}}}),
        json!({"f:a.b/c": {"f:": {}}}),
    ] {
        assert_eq!(set(&encoded).to_json(), encoded);
    }
}

#[test]
fn keys_are_put_in_order_and_numbers_are_written_plainly() {
    let encoded = json!({"k:{\"b\": 80.0, \"a\": \"<\"}": {}});
    assert_eq!(set(&encoded).to_json(), json!({"k:{\"a\":\"\\u003c\",\"b\":80}": {}}));
}

#[test]
fn steps_of_unknown_kinds_are_left_out() {
    // kube-apiserver reads {"f:spec":{"z:q":{},"f:size":{"f:a":null}}} so.
    assert_eq!(
        set(&json!({"f:spec": {"z:q": {}, "f:size": {"f:a": null}}})).to_json(),
        json!({"f:spec": {"f:size": {"f:a": {}}}})
    );
    assert_eq!(set(&json!({"f:spec": {"z:q": {}}})).to_json(), json!({"f:spec": {}}));
}

#[test]
fn what_is_no_set_is_an_error() {
    let mut deep = json!({});
    for _ in 0..600 {
        deep = json!({"f:a": deep});
    }
    for bad in [
        json!(5),
        json!([]),
        json!({"f:spec": 5}),
        json!({"f": {}}),
        json!({"": {}}),
        json!({"fx": {}}),
        json!({"é": {}}),
        json!({"k:[]": {}}),
        json!({"k:{": {}}),
        json!({"v:": {}}),
        json!({"i:x": {}}),
        deep,
    ] {
        assert!(FieldSet::from_json(&bad).is_err(), "{bad}");
    }
}

#[test]
fn a_difference_takes_a_path_and_leaves_what_is_below_it() {
    let left = json!({"f:a": {".": {}, "f:b": {}}, "f:c": {}});
    let right = json!({"f:a": {}});
    assert_eq!(set(&left).difference(&set(&right)).to_json(), json!({"f:a": {"f:b": {}}, "f:c": {}}));
    assert_eq!(set(&left).recursive_difference(&set(&right)).to_json(), json!({"f:c": {}}));
    assert_eq!(set(&right).difference(&set(&left)).to_json(), json!({}));
    assert_eq!(set(&left).intersection(&set(&right)).to_json(), right);
    assert_eq!(set(&left).leaves().to_json(), json!({"f:a": {"f:b": {}}, "f:c": {}}));
    assert_eq!(set(&right).union(&set(&json!({"f:c": {}}))).to_json(), json!({"f:a": {}, "f:c": {}}));
}

#[test]
fn a_path_says_where_it_leads() {
    let encoded = json!({"f:a": {"k:{\"n\":\"x\\\"\",\"p\":1e6}": {"f:b": {"v:2": {}}}}});
    let paths = set(&encoded).paths();
    assert_eq!(paths[0].to_string(), ".a[n=\"x\\\"\",p=1e+06].b[=2]");
    assert!(set(&encoded).has(&paths[0]));
    assert!(!set(&encoded).has(&Path(vec![PathElement::field("a")])));
    assert_eq!(set(&encoded).len(), 1);
}
