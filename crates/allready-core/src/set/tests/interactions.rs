//! Policies that meet in one pass: damping and grace, deletion and staleness, pruning and duplicates.

use super::{at, condition, mark, pass, says, types};
use crate::{
    ConditionSet, Status, condition_type,
    damping::{Damping, DampingMemory, Hold, Until},
    reason,
    set::{At, Upgrade},
};

fn set(text: &str) -> ConditionSet {
    text.parse().unwrap()
}

fn for_a_minute() -> Damping {
    let minute = Until::Duration(std::time::Duration::from_mins(1));
    Damping::new().hold_others(Hold { to_bad: Some(minute), ..Hold::default() })
}

#[test]
fn what_is_held_back_is_told_until_it_is_observed_again() {
    let set = set("Ready: A, B");
    let (rules, mut memory, mut list) = (for_a_minute(), DampingMemory::default(), vec![]);
    let mut reconcile = |second, marks: &[(&str, Status)]| {
        let mut pass = set.pass(&mut list, At::new(1u32, at(second)));
        pass.damp(&rules, &mut memory);
        for (type_, status) in marks {
            pass.mark(type_, *status, reason!("Checked"), "").unwrap();
        }
        let finished = if marks.is_empty() { pass.abandon() } else { pass.finish() };
        (says(&list, "Ready").0, list[0].message.to_string(), finished.look_again)
    };
    reconcile(0, &[("A", Status::True), ("B", Status::True)]);
    let held = (Status::True, "A=False is held back: Checked".to_owned(), Some(at(70)));
    assert_eq!(reconcile(10, &[("A", Status::False)]), held);
    assert_eq!(reconcile(20, &[("B", Status::True)]), held, "a pass that did not look at A");
    assert_eq!(reconcile(30, &[]), held, "a pass that ended early");
    let overdue = (Status::True, "A=False is held back: Checked".to_owned(), None);
    assert_eq!(reconcile(70, &[]), overdue, "nobody has looked, but nobody has taken it back either");
    assert_eq!(reconcile(80, &[("A", Status::True)]), (Status::True, String::new(), None));
}

#[test]
fn the_grace_of_a_new_dependent_does_not_hide_what_is_held_back() {
    let set = set("Ready: A, New");
    let mut list =
        vec![condition("Ready", Status::True, "Ready", 1), condition("A", Status::True, "Fine", 1)];
    let (rules, mut memory) = (for_a_minute(), DampingMemory::default());
    let mut pass = set.pass(&mut list, At::new(0u32, at(2)));
    pass.damp(&rules, &mut memory);
    pass.mark_false("A", reason!("LinkDown"), "").unwrap();
    assert_eq!(pass.abandon().look_again, Some(at(62)));
    assert_eq!(says(&list, "Ready").0, Status::True);
    assert_eq!(list[0].message, "A=False is held back: LinkDown");
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
fn a_deletion_does_not_vouch_for_a_generation_that_was_never_looked_at() {
    let set = set("Ready: A, B");
    let deleted = |observed: u32| {
        let mut list = vec![
            condition("A", Status::True, "Fine", 1).observed(observed),
            condition("B", Status::True, "Fine", 1).observed(observed),
        ];
        pass(&set, &mut list, At::new(3u32, at(2)).deleting(), |pass| mark(pass, "A", Status::True));
        (says(&list, "Ready").0, set.is_good(&list, 3u32))
    };
    assert_eq!(deleted(2), (Status::True, true), "the deletion itself made it generation 3");
    assert_eq!(deleted(1), (Status::Unknown, false), "the spec has changed since B was looked at");
}

#[test]
fn what_is_assumed_good_is_assumed_of_the_generation_that_was() {
    let set = ConditionSet { upgrade: Upgrade::AssumeGood, ..set("Ready: A, !New") };
    let upgraded = |generation: u32| {
        let mut list = vec![
            condition("Ready", Status::True, "Ready", 1).observed(1),
            condition("A", Status::True, "Fine", 1).observed(1),
        ];
        pass(&set, &mut list, At::new(generation, at(2)), |pass| mark(pass, "A", Status::True));
        assert_eq!(says(&list, "New"), (Status::False, "AssumedGood"));
        says(&list, "Ready").0
    };
    assert_eq!(upgraded(1), Status::True);
    assert_eq!(upgraded(2), Status::Unknown, "nobody has called generation 2 good");
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

#[test]
fn of_two_good_dependents_of_one_type_the_outdated_one_stays_in_any_order() {
    let set = set("Ready: A");
    for (first, second) in [(1u32, 2u32), (2, 1)] {
        let a = |generation: u32| condition("A", Status::True, "Fine", 1).observed(generation);
        let mut list = vec![a(first), a(second)];
        pass(&set, &mut list, At::new(2u32, at(2)), |_| ());
        assert_eq!(says(&list, "Ready"), (Status::Unknown, "LatestGenerationNotObserved"));
    }
}

#[test]
fn an_open_set_leaves_a_type_that_it_marks_in_the_list_once() {
    let set = ConditionSet { open: true, ..set("Ready:") };
    let mut list =
        vec![condition("Extra", Status::True, "First", 1), condition("Extra", Status::False, "Second", 1)];
    let finished = pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "Extra", Status::True));
    assert!(finished.changed);
    assert_eq!(types(&list), ["Extra", "Ready"]);
    assert_eq!(says(&list, "Extra"), (Status::True, "ExtraTrue"));
}
