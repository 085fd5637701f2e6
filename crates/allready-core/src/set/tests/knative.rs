//! Knative's condition set, case by case. Where Knative depends on the order of calls, or on severities stored in the
//! object, the test says what we do instead.

use super::{at, condition, mark, pass, says, types};
use crate::{
    ConditionSet, Status,
    rollup::Policy,
    set::{At, Upgrade},
};

fn knative(text: &str) -> ConditionSet {
    let set: ConditionSet = text.parse().unwrap();
    ConditionSet { policy: "knative".parse().unwrap(), ..set }
}

#[test]
fn construction_drops_duplicates_and_the_top_type_itself() {
    let set = knative("Ready: A, B, A, Ready");
    assert_eq!(set.declared().iter().map(|d| d.type_.as_str()).collect::<Vec<_>>(), ["A", "B"]);
}

#[test]
fn a_list_can_be_kept_sorted_by_type() {
    let set = ConditionSet { order: crate::condition::ListOrder::ByType, ..knative("Ready: Z, A") };
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |_| ());
    assert_eq!(types(&list), ["A", "Ready", "Z"]);
}

#[test]
fn goodness_looks_at_the_top_condition_only() {
    let set = knative("Ready: A");
    let is_good = |list: &[_]| set.is_good(list, 0u32);
    assert!(!is_good(&[]));
    assert!(!is_good(&[condition("A", Status::True, "X", 1)]));
    assert!(!is_good(&[condition("Ready", Status::False, "X", 1)]));
    assert!(!is_good(&[condition("Ready", Status::Unknown, "X", 1)]));
    assert!(is_good(&[condition("Ready", Status::True, "X", 1), condition("A", Status::False, "X", 1)]));
}

#[test]
fn the_top_condition_cannot_be_forced() {
    let set = knative("Ready: A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        mark(pass, "A", Status::False);
        assert!(pass.mark_true("Ready", crate::reason!("Forced"), "").is_err());
    });
    assert_eq!(says(&list, "Ready"), (Status::False, "AFalse"));
}

#[test]
fn fixing_the_last_bad_dependent_makes_the_top_true_whatever_it_was() {
    for before in [Status::False, Status::Unknown] {
        let set = knative("Ready: A, B");
        let mut list = vec![
            condition("Ready", before, "Old", 1),
            condition("A", Status::True, "Fine", 1),
            condition("B", before, "Old", 1),
        ];
        pass(&set, &mut list, At::new(1u32, at(9)), |pass| mark(pass, "B", Status::True));
        assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
        assert_eq!(list[0].message, "");
        assert_eq!(list[0].last_transition_time, at(9));
    }
}

#[test]
fn with_two_bad_dependents_and_one_fixed_the_top_speaks_of_the_other() {
    let set = knative("Ready: A, B");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::False));
    pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "B", Status::False));
    assert_eq!(says(&list, "Ready"), (Status::False, "BFalse"), "the newest");
    pass(&set, &mut list, At::new(1u32, at(3)), |pass| mark(pass, "B", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::False, "AFalse"));
}

#[test]
fn false_beats_unknown_and_equal_unknowns_go_by_type() {
    let set = knative("Ready: C, B, A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        mark(pass, "A", Status::Unknown);
        mark(pass, "B", Status::False);
        mark(pass, "C", Status::Unknown);
    });
    assert_eq!(says(&list, "Ready"), (Status::False, "BFalse"));
    pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "B", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::Unknown, "AUnknown"), "equal times: the first by type");
}

#[test]
fn a_dependent_that_was_never_set_leaves_the_top_unknown_and_a_foreign_true_does_not_mask_it() {
    let set = knative("Ready: A, B");
    let mut list = vec![condition("Foreign", Status::True, "X", 1)];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::Unknown, "AwaitingReconciliation"));
}

#[test]
fn an_empty_set_is_true_for_knative_and_unknown_for_us_because_nothing_vouches_for_it() {
    let mut list = vec![condition("Foreign", Status::False, "X", 1)];
    pass(&knative("Ready:"), &mut list, At::new(1u32, at(1)), |_| ());
    assert_eq!(says(&list, "Ready").0, Status::True);
    let ours = ConditionSet { policy: Policy::newest_cause(), ..knative("Ready:") };
    pass(&ours, &mut list, At::new(1u32, at(2)), |_| ());
    assert_eq!(says(&list, "Ready"), (Status::Unknown, "NothingDeclared"));
}

#[test]
fn marking_an_informational_condition_touches_nothing_else_whatever_it_says() {
    for (status, reason) in [(Status::False, "InfoFalse"), (Status::Unknown, "InfoUnknown")] {
        let set = knative("Ready: A, (Info)");
        let mut list = vec![];
        pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
        let ready = list[0].clone();
        pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "Info", status));
        assert_eq!(says(&list, "Info"), (status, reason));
        assert_eq!(list[0], ready);
    }
}

#[test]
fn marking_a_dependent_turns_the_top_with_it() {
    for (status, reason) in [(Status::False, "AFalse"), (Status::Unknown, "AUnknown")] {
        let set = knative("Ready: A, B");
        let mut list = vec![];
        pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
            mark(pass, "A", Status::True);
            mark(pass, "B", Status::True);
        });
        assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
        pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "A", status));
        assert_eq!(says(&list, "Ready"), (status, reason));
        assert_eq!(says(&list, "B"), (Status::True, "BTrue"));
    }
}

#[test]
fn an_unknown_dependent_beside_a_false_one_leaves_the_false_one_speaking_in_any_order_of_marks() {
    for order in [["A", "B"], ["B", "A"]] {
        let set = knative("Ready: A, B");
        let mut list = vec![];
        pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
            for type_ in order {
                mark(pass, type_, if type_ == "A" { Status::False } else { Status::Unknown });
            }
        });
        assert_eq!(says(&list, "Ready"), (Status::False, "AFalse"));
    }
}

#[test]
fn initialising_is_idempotent_and_fills_only_gaps() {
    let set = knative("Ready: A, B");
    let mut list = vec![condition("A", Status::False, "Kept", 1)];
    pass(&set, &mut list, At::new(0u32, at(2)), |_| ());
    let once = list.clone();
    assert_eq!(says(&list, "A"), (Status::False, "Kept"));
    assert_eq!(says(&list, "B"), (Status::Unknown, "AwaitingReconciliation"));
    assert!(!pass(&set, &mut list, At::new(0u32, at(3)), |_| ()).changed);
    assert_eq!(list, once);
}

#[test]
fn a_new_dependent_of_a_good_object_can_be_assumed_good() {
    let set = ConditionSet { upgrade: Upgrade::AssumeGood, ..knative("Ready: A, New, !Bad") };
    let mut list =
        vec![condition("Ready", Status::True, "Ready", 1), condition("A", Status::True, "Fine", 1)];
    pass(&set, &mut list, At::new(0u32, at(2)), |_| ());
    assert_eq!(says(&list, "New"), (Status::True, "AssumedGood"));
    assert_eq!(
        says(&list, "Bad"),
        (Status::False, "AssumedGood"),
        "good for an abnormal-true condition is False"
    );
    assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
}

#[test]
fn clearing_an_informational_condition_keeps_the_top_and_a_missing_one_is_fine() {
    let set = knative("Ready: A, (Info)");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
    let finished = pass(&set, &mut list, At::new(1u32, at(2)), |pass| {
        pass.clear("Info").unwrap().clear("NeverThere").unwrap();
    });
    assert!(finished.changed);
    assert_eq!(types(&list), ["Ready", "A"]);
    assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
}
