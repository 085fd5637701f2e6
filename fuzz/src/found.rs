//! Any JSON is read without a panic, and what is made legal is legal.

use std::collections::HashSet;

use allready_core::found::{self, FoundList, FoundObject};
use allready_core::rollup::{Context, Input, Policy};
use allready_core::{Condition, Status, Time};
use serde_json::Value;

/// Reads one input, and panics where what was read is not as it should be.
pub fn run(bytes: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else { return };
    let list = found::read(&value);
    assert_eq!(list.conditions().len(), value.as_array().map_or(0, Vec::len), "every entry is found");
    check(&list);
    check(&found::of_object(&value));
    let object = FoundObject::read(&value);
    assert_eq!(object.conditions.conditions(), found::of_object(&value).conditions());
    for noted in object.irregularities() {
        assert!(!noted.to_string().chars().any(char::is_control), "foreign text is escaped");
    }
}

fn check(list: &FoundList<'_>) {
    for noted in list.irregularities() {
        assert!(!noted.to_string().chars().any(char::is_control), "foreign text is escaped");
    }
    for (index, condition) in list.conditions().iter().enumerate() {
        if list.irregularities().iter().all(|noted| noted.path.index != Some(index)) {
            let strict: Condition =
                serde_json::from_value(condition.raw.clone()).expect("a regular entry is legal");
            assert_eq!(condition.to_condition(Time::EPOCH), strict);
        }
    }

    let legal = list.to_conditions(Time::EPOCH);
    let types: HashSet<&str> = legal.iter().map(|condition| condition.type_.as_str()).collect();
    assert_eq!(types.len(), legal.len(), "each type is there once");
    let json = serde_json::to_value(&legal).expect("conditions have a JSON form");
    let strict: Vec<Condition> = serde_json::from_value(json.clone()).expect("what is made legal is legal");
    assert_eq!(strict, legal);
    let again = found::read(&json);
    assert_eq!(again.irregularities(), [], "what is made legal is regular");
    assert_eq!(again.to_conditions(Time::EPOCH), legal);

    let all_good = |inputs: Vec<Input<'_>>| {
        let rollup = Policy::newest_cause().roll_up(inputs, &Context::new("Ready", Time::EPOCH));
        rollup.is_some_and(|rollup| rollup.status == Status::True)
    };
    assert_eq!(
        all_good(list.conditions().iter().map(Input::from).collect()),
        all_good(legal.iter().map(Input::from).collect()),
        "making a list legal does not change whether all of it is good"
    );
}
