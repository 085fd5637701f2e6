use proptest::prelude::*;
use serde_json::{Value, json};

use super::{order, to_string};

/// Values, and what `sigs.k8s.io/yaml` 1.6.0 makes of them.
const FACTS: &str = include_str!("facts.jsonl");

#[test]
fn every_value_is_written_as_the_real_server_writes_it() {
    for line in FACTS.lines() {
        let (value, expected): (Value, String) = serde_json::from_str(line).unwrap();
        assert_eq!(to_string(&value), expected, "{value}");
    }
}

#[test]
fn the_keys_of_managed_fields_need_no_quotes() {
    let fields = json!({"f:metadata": {".": {}, "k:{\"type\":\"Ready\"}": {}}});
    assert_eq!(to_string(&fields), "f:metadata:\n  .: {}\n  k:{\"type\":\"Ready\"}: {}\n");
}

#[test]
fn numbers_in_keys_count_as_numbers() {
    let mut keys = ["a10", "a9", "b", "a", "A", "1", "01", "a01", "_", "é"];
    keys.sort_by(|one, other| order::compare(one, other));
    assert_eq!(keys, ["_", "1", "01", "A", "a", "a01", "a9", "a10", "b", "é"]);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[ -~\n\té☃']{0,12}".prop_map(Value::from),
        "(yes|no|null|~|0x1F|1_000|12:30|2001-01-01|\\.5|=|<<|- a|a: b| a|a |a\n\n|\n a)"
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[ -~]{1,8}", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

#[test]
fn the_key_of_a_merge_is_quoted() {
    assert_eq!(to_string(&json!({ "<<": "<<" })), "\"<<\": \"<<\"\n");
}

proptest! {
    #[test]
    fn what_is_written_is_read_as_it_was(value in values()) {
        let text = to_string(&value);
        let read: Value = serde_saphyr::from_str(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(read, value, "{}", text);
    }
}
