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

#[test]
fn a_top_condition_that_is_there_twice_is_good_only_if_both_are() {
    let set = set("Ready: A");
    let good = condition("Ready", Status::True, "Ready", 1).observed(2);
    for other in [condition("Ready", Status::False, "Broken", 1), good.clone().observed(1)] {
        assert!(!set.is_good(&[good.clone(), other.clone()], 2u32));
        assert!(!set.is_good(&[other, good.clone()], 2u32));
    }
    assert!(set.is_good(&[good.clone(), good], 2u32));
    assert!(!set.is_good(&[], 2u32));
}
