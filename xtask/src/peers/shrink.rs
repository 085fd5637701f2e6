//! Shrinking a case greedily: whatever can be left out or made plain without losing the difference is.

use allready_peers::wire::{Case, Said};
use anyhow::Result;
use serde_json::Value;

use super::generate::{EARLY, TRIGGER, is_set};

/// The smallest case found that still shows the difference.
pub(super) fn shrink(
    peer: &str,
    mut case: Case,
    mut differs: impl FnMut(&Case) -> Result<bool>,
) -> Result<Case> {
    'smaller: loop {
        for smaller in smaller(peer, &case) {
            if differs(&smaller)? {
                case = smaller;
                continue 'smaller;
            }
        }
        return Ok(case);
    }
}

/// Cases that are one step smaller or plainer.
fn smaller(peer: &str, case: &Case) -> Vec<Case> {
    let mut found = Vec::new();
    let mut add = |change: &dyn Fn(&mut Case)| {
        let mut smaller = case.clone();
        change(&mut smaller);
        if smaller != *case {
            found.push(smaller);
        }
    };
    for index in 0..case.members.len() {
        add(&|case| drop(case.members.remove(index)));
        add(&|case| case.members[index].conditions.clear());
    }
    for type_ in case.dependents.iter().filter(|type_| *type_ != TRIGGER) {
        add(&|case| {
            case.dependents.retain(|other| other != type_);
            case.conditions.retain(|said| said.type_ != *type_);
        });
        add(&|case| case.dependents.retain(|other| other != type_));
    }
    for (index, said) in case.conditions.iter().enumerate() {
        if said.type_ != TRIGGER {
            add(&|case| drop(case.conditions.remove(index)));
        }
    }
    for index in 0..case.negative.len() {
        add(&|case| drop(case.negative.remove(index)));
    }
    for index in 0..case.optional.len() {
        add(&|case| drop(case.optional.remove(index)));
    }
    if !is_set(peer) {
        for index in 0..case.marks.len() {
            add(&|case| drop(case.marks.remove(index)));
        }
    }
    add(&|case| case.remove_untouched = false);
    add(&|case| case.latest_only = false);
    add(&|case| case.step_counter = false);
    if case.generation > 1 && !is_set(peer) {
        add(&|case| case.generation = 1);
    }
    for (index, said) in case.conditions.iter().enumerate() {
        // What is marked has to change.
        for plain in PLAINER.iter().filter(|_| said.type_ != TRIGGER) {
            add(&|case| plain(&mut case.conditions[index], case.generation));
        }
    }
    for (index, said) in case.marks.iter().enumerate() {
        for plain in PLAINER.iter().filter(|_| said.type_ != TRIGGER) {
            add(&|case| plain(&mut case.marks[index], case.generation));
        }
    }
    for index in 0..case.members.len() {
        for condition in 0..case.members[index].conditions.len() {
            for plain in PLAINER {
                add(&|case| plain(&mut case.members[index].conditions[condition], case.generation));
            }
        }
    }
    for object in without_a_field(&case.object) {
        add(&|case| case.object = object.clone());
    }
    found
}

/// Changes that make a condition say less.
const PLAINER: [fn(&mut Said, i64); 4] = [
    |said, _| said.message.clear(),
    |said, _| {
        if !said.reason.is_empty() {
            "R".clone_into(&mut said.reason);
        }
    },
    |said, generation| said.generation = generation,
    |said, _| said.time = EARLY,
];

/// The value without one of its fields or items, for each of them.
fn without_a_field(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    match value {
        Value::Object(fields) => {
            for key in fields.keys().filter(|key| !matches!(key.as_str(), "apiVersion" | "kind")) {
                let mut without = fields.clone();
                without.remove(key);
                found.push(Value::Object(without));
            }
            for (key, field) in fields {
                for smaller in without_a_field(field) {
                    let mut with = fields.clone();
                    with.insert(key.clone(), smaller);
                    found.push(Value::Object(with));
                }
            }
        }
        Value::Array(items) => {
            for index in 0..items.len() {
                let mut without = items.clone();
                without.remove(index);
                found.push(Value::Array(without));
            }
            for (index, item) in items.iter().enumerate() {
                for smaller in without_a_field(item) {
                    let mut with = items.clone();
                    with[index] = smaller;
                    found.push(Value::Array(with));
                }
            }
        }
        _ => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_shrinks_to_what_the_difference_needs() {
        let said = |type_: &str| Said { type_: type_.to_owned(), message: "m".to_owned(), ..Said::default() };
        let case = Case { conditions: ["A", "B", "C"].map(said).to_vec(), generation: 3, ..Case::default() };
        let small =
            shrink("flux", case, |case| Ok(case.conditions.iter().any(|said| said.type_ == "B"))).unwrap();
        let [only] = &small.conditions[..] else { panic!("{small:?}") };
        assert_eq!((only.type_.as_str(), only.message.as_str(), small.generation), ("B", "", 1));
    }

    #[test]
    fn an_object_loses_fields_but_not_its_kind() {
        let object = serde_json::json!({"kind": "Pod", "status": {"phase": "Failed", "conditions": [1, 2]}});
        let small = shrink("kstatus", Case { object, ..Case::default() }, |case| {
            Ok(case.object["status"]["phase"] == "Failed")
        });
        let expected = serde_json::json!({"kind": "Pod", "status": {"phase": "Failed"}});
        assert_eq!(small.unwrap().object, expected);
    }
}
