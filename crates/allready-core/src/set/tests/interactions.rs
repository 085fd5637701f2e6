//! Policies that meet in one pass: damping and grace, deletion and staleness, pruning and duplicates.

use super::{at, condition, pass, types};
use crate::{ConditionSet, Status, condition_type, set::At};

fn set(text: &str) -> ConditionSet {
    text.parse().unwrap()
}

#[test]
fn pruning_and_clearing_take_every_condition_of_a_type() {
    let set = set("Ready:").pruning([condition_type!("Old")]);
    let mut list = vec![
        condition("Old", Status::True, "X", 1),
        condition("Old", Status::False, "Y", 1),
        condition("Foreign", Status::True, "X", 1),
        condition("Foreign", Status::True, "Y", 1),
    ];
    let finished = pass(&set, &mut list, At::new(1u32, at(2)), |pass| {
        pass.clear("Foreign").unwrap();
    });
    assert!(finished.changed);
    assert_eq!(types(&list), ["Ready"]);
}
