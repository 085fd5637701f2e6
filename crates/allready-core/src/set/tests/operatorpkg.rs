//! operatorpkg's condition set, case by case (its telemetry is not a matter of the set).

use super::{at, mark, pass, says, types};
use crate::{
    ConditionSet, Status,
    condition::{self, ListOrder},
    set::At,
};

fn operatorpkg(text: &str) -> ConditionSet {
    let set: ConditionSet = text.parse().unwrap();
    ConditionSet { policy: "operatorpkg".parse().unwrap(), order: ListOrder::OldestFirst, ..set }
}

#[test]
fn a_fresh_object_is_unknown_since_its_creation_and_about_its_generation() {
    let set = operatorpkg("Ready: A, B");
    let mut list = vec![];
    let finished = pass(&set, &mut list, At::new(3u32, at(50)).created(at(10)), |_| ());
    assert!(finished.changed);
    for type_ in ["Ready", "A", "B"] {
        let condition = condition::find(&list, type_).unwrap();
        assert_eq!((condition.status, condition.last_transition_time), (Status::Unknown, at(10)), "{type_}");
        assert_eq!(condition.observed_generation.unwrap().get(), 3);
    }
}

#[test]
fn the_top_follows_the_dependents() {
    let set = operatorpkg("Ready: A, B");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::Unknown, "ReconcilingDependents"));
    pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "B", Status::False));
    assert_eq!(says(&list, "Ready"), (Status::False, "UnhealthyDependents"));
    assert_eq!(condition::find(&list, "Ready").unwrap().message, "B=False");
    pass(&set, &mut list, At::new(1u32, at(3)), |pass| mark(pass, "B", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
    assert_eq!(condition::find(&list, "Ready").unwrap().message, "");
}

#[test]
fn an_identical_mark_changes_nothing_and_a_new_generation_alone_keeps_the_time() {
    let set = operatorpkg("Ready: A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
    let before = list.clone();
    let again = pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "A", Status::True));
    assert!(!again.changed);
    assert_eq!(list, before);
    let newer = pass(&set, &mut list, At::new(2u32, at(3)), |pass| mark(pass, "A", Status::True));
    assert!(newer.changed);
    assert_eq!(newer.transitions, []);
    assert_eq!(condition::find(&list, "A").unwrap().last_transition_time, at(1));
}

#[test]
fn after_a_new_generation_one_good_mark_is_not_enough_until_all_have_been_remade() {
    let set = operatorpkg("Ready: A, B");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        mark(pass, "A", Status::True);
        mark(pass, "B", Status::True);
    });
    pass(&set, &mut list, At::new(2u32, at(2)), |pass| mark(pass, "A", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::Unknown, "ReconcilingDependents"));
    assert_eq!(condition::find(&list, "Ready").unwrap().message, "B=True");
    assert_eq!(
        condition::find(&list, "Ready").unwrap().observed_generation.unwrap().get(),
        1,
        "never stamped with a generation that B has not seen"
    );
    pass(&set, &mut list, At::new(2u32, at(3)), |pass| mark(pass, "B", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
    assert_eq!(condition::find(&list, "Ready").unwrap().observed_generation.unwrap().get(), 2);
    pass(&set, &mut list, At::new(3u32, at(4)), |pass| mark(pass, "A", Status::False));
    assert_eq!(
        says(&list, "Ready"),
        (Status::False, "UnhealthyDependents"),
        "a fresh False needs no company"
    );
}

#[test]
fn the_most_recently_changed_stands_last_but_for_the_top() {
    let set = operatorpkg("Ready: A, B, C");
    let mut list = vec![];
    for (second, type_) in [(1, "C"), (2, "A"), (3, "B")] {
        pass(&set, &mut list, At::new(1u32, at(second)), |pass| mark(pass, type_, Status::True));
    }
    assert_eq!(types(&list), ["C", "A", "B", "Ready"]);
}

#[test]
fn deleting_raises_the_generation_and_what_was_known_stays_known() {
    let set = operatorpkg("Ready: A, B");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        mark(pass, "A", Status::True);
        mark(pass, "B", Status::True);
    });
    pass(&set, &mut list, At::new(2u32, at(2)).deleting(), |pass| mark(pass, "A", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
    assert!(list.iter().all(|condition| condition.observed_generation.unwrap().get() == 2));
}

#[test]
fn a_dependent_cannot_be_cleared() {
    let set = operatorpkg("Ready: A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        assert_eq!(
            pass.clear("A").unwrap_err().to_string(),
            "A cannot be cleared: a dependent is never absent; mark it instead"
        );
        assert!(pass.clear("Ready").is_err());
    });
    assert_eq!(types(&list), ["A", "Ready"]);
}

#[test]
fn a_type_outside_of_an_open_set_gets_the_time_of_the_pass_and_does_not_count() {
    let set = ConditionSet { open: true, ..operatorpkg("Ready: A") };
    let mut list = vec![];
    pass(&set, &mut list, At::new(4u32, at(9)).created(at(1)), |pass| {
        mark(pass, "A", Status::True);
        mark(pass, "Abnormal", Status::True);
    });
    let abnormal = condition::find(&list, "Abnormal").unwrap();
    assert_eq!((abnormal.last_transition_time, abnormal.observed_generation.unwrap().get()), (at(9), 4));
    assert_eq!(says(&list, "Ready"), (Status::True, "Ready"));
}

#[test]
fn asking_for_no_type_is_true_and_a_missing_type_is_not() {
    let list = [super::condition("A", Status::True, "X", 1), super::condition("B", Status::Unknown, "X", 1)];
    assert!(condition::are_true(&list, []));
    assert!(condition::are_true(&list, ["A"]));
    assert!(!condition::are_true(&list, ["A", "B"]));
    assert!(!condition::are_true(&list, ["C"]));
}

#[test]
fn of_an_object_that_nobody_described_everything_counts_and_the_top_is_added() {
    let mut list =
        vec![super::condition("A", Status::True, "X", 1), super::condition("B", Status::False, "Down", 1)];
    let set = ConditionSet::inferred(crate::condition_type!("Ready"), &list);
    pass(&set, &mut list, At::new(0u32, at(2)), |_| ());
    assert_eq!(says(&list, "Ready"), (Status::False, "Down"));
}
