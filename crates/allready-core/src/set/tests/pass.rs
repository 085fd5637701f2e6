//! What a pass promises: nothing lost, nothing ambiguous, the top always computed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{at, condition, mark, pass, says, types};
use crate::{
    Condition, ConditionSet, Message, Status, condition as conditions, condition_type, reason,
    rollup::{Bullets, Form, Policy},
    set::{At, MarkError, Untouched, Upgrade},
};

fn set(text: &str) -> ConditionSet {
    text.parse().unwrap()
}

#[test]
fn a_new_object_is_never_ambiguous() {
    let mut list = vec![];
    drop(set("Ready: A, !B, (C)").pass(&mut list, At::new(1u32, at(5))));
    assert_eq!(types(&list), ["Ready", "A", "B", "C"]);
    assert!(conditions::all_have_status(&list, Status::Unknown));
    assert_eq!(says(&list, "A"), (Status::Unknown, "AwaitingReconciliation"));
    assert_eq!(list[1].message, "A has not been reported yet");
}

#[test]
fn an_abnormal_true_dependent_counts_the_other_way_round() {
    let set = set("Ready: A, !Degraded");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        mark(pass, "A", Status::True);
        mark(pass, "Degraded", Status::False);
    });
    assert_eq!(says(&list, "Ready").0, Status::True);
    pass(&set, &mut list, At::new(1u32, at(2)), |pass| mark(pass, "Degraded", Status::True));
    assert_eq!(says(&list, "Ready"), (Status::False, "DegradedTrue"));
}

#[test]
fn flipping_and_flipping_back_in_one_pass_is_no_change() {
    let set = set("Ready: A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
    let before = list.clone();
    let finished = pass(&set, &mut list, At::new(1u32, at(9)), |pass| {
        mark(pass, "A", Status::Unknown);
        mark(pass, "A", Status::True);
    });
    assert_eq!((finished.changed, finished.transitions.len()), (false, 0));
    assert_eq!(list, before);
}

#[test]
fn clearing_and_marking_again_keeps_the_time() {
    let set = set("Ready: A, (I)");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "I", Status::True));
    let finished = pass(&set, &mut list, At::new(1u32, at(9)), |pass| {
        pass.clear("I").unwrap();
        mark(pass, "I", Status::True);
    });
    assert!(!finished.changed);
    assert_eq!(conditions::find(&list, "I").unwrap().last_transition_time, at(1));
}

#[test]
fn every_transition_of_a_pass_has_its_instant_and_is_reported_once_by_type() {
    let set = set("Ready: B, A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |_| ());
    let finished = pass(&set, &mut list, At::new(1u32, at(7)), |pass| {
        mark(pass, "B", Status::True);
        mark(pass, "A", Status::True);
    });
    let changed: Vec<_> = finished.transitions.iter().map(|transition| transition.type_.as_str()).collect();
    assert_eq!(changed, ["A", "B", "Ready"]);
    assert!(list.iter().all(|condition| condition.last_transition_time == at(7)));
}

#[test]
fn a_mark_of_the_top_or_of_an_unknown_type_is_refused_and_changes_nothing() {
    let set = set("Ready: A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |_| ());
    let finished = pass(&set, &mut list, At::new(1u32, at(2)), |pass| {
        assert!(matches!(pass.mark_true("Ready", reason!("X"), ""), Err(MarkError::Top { .. })));
        assert!(matches!(pass.mark_true("Aa", reason!("X"), ""), Err(MarkError::Undeclared { .. })));
    });
    assert!(!finished.changed);
}

#[test]
fn a_message_over_the_limit_is_cut_once_and_then_is_no_change() {
    let set = set("Ready: A");
    let long = "ü".repeat(30_000);
    let mut list = vec![];
    let mut marks = |second| {
        let mut pass = set.pass(&mut list, At::new(1u32, at(second)));
        pass.mark_false("A", reason!("TooMuch"), long.as_str()).unwrap();
        pass.finish().changed
    };
    assert!(marks(1));
    assert!(!marks(2), "the same text, cut the same way");
    assert!(list[1].message.as_str().len() <= Message::MAX_BYTES);
}

#[test]
fn a_pass_that_ends_early_keeps_its_marks_and_everything_else() {
    let set = ConditionSet { untouched: Untouched::Remove, ..set("Ready: A, B, (I)") };
    let healthy = |list: &mut Vec<Condition>| {
        pass(&set, list, At::new(1u32, at(1)), |pass| {
            for type_ in ["A", "B", "I"] {
                mark(pass, type_, Status::True);
            }
        })
    };
    let ends: [fn(&ConditionSet, &mut Vec<Condition>); 3] = [
        |set, list| {
            let mut pass = set.pass(list, At::new(1u32, at(2)));
            mark(&mut pass, "A", Status::False);
        },
        |set, list| {
            let mut pass = set.pass(list, At::new(1u32, at(2)));
            mark(&mut pass, "A", Status::False);
            assert!(pass.abandon().changed);
        },
        |set, list| {
            let result = catch_unwind(AssertUnwindSafe(|| {
                let mut pass = set.pass(list, At::new(1u32, at(2)));
                mark(&mut pass, "A", Status::False);
                std::panic::resume_unwind(Box::new("the reconciler fell over"));
            }));
            assert!(result.is_err());
        },
    ];
    for end in ends {
        let mut list = vec![];
        let _ = healthy(&mut list);
        end(&set, &mut list);
        assert_eq!(says(&list, "A"), (Status::False, "AFalse"));
        assert_eq!(says(&list, "B"), (Status::True, "BTrue"), "untouched stays");
        assert_eq!(says(&list, "I"), (Status::True, "ITrue"), "and is not removed");
        assert_eq!(says(&list, "Ready"), (Status::False, "AFalse"), "the top is not green while A is red");
    }
}

#[test]
fn untouched_conditions_go_or_become_unknown_only_when_the_pass_finished() {
    let list = || {
        vec![
            condition("Ready", Status::True, "Ready", 1),
            condition("A", Status::True, "Fine", 1),
            condition("B", Status::True, "Fine", 1),
            condition("I", Status::True, "Fine", 1),
            condition("Foreign", Status::True, "Theirs", 1),
        ]
    };
    let run = |untouched| {
        let set = ConditionSet { untouched, ..set("Ready: A, B, (I)") };
        let mut list = list();
        pass(&set, &mut list, At::new(0u32, at(2)), |pass| mark(pass, "A", Status::True));
        list
    };
    let kept = run(Untouched::Keep);
    assert_eq!(types(&kept), ["Ready", "A", "B", "I", "Foreign"]);
    assert_eq!(says(&kept, "Ready").0, Status::True);
    let removed = run(Untouched::Remove);
    assert_eq!(
        types(&removed),
        ["Ready", "A", "B", "Foreign"],
        "a dependent is never absent, a foreign one not ours"
    );
    assert_eq!(says(&removed, "B"), (Status::Unknown, "AwaitingReconciliation"));
    assert_eq!(says(&removed, "Ready").0, Status::Unknown);
    let unknown = run(Untouched::Unknown);
    assert_eq!(says(&unknown, "I"), (Status::Unknown, "AwaitingReconciliation"));
}

#[test]
fn a_new_dependent_gets_one_early_end_before_it_counts() {
    let before =
        || vec![condition("Ready", Status::True, "Ready", 1), condition("A", Status::True, "Fine", 1)];
    let run = |upgrade, finish: bool| {
        let set = ConditionSet { upgrade, ..set("Ready: A, New") };
        let mut list = before();
        let pass = set.pass(&mut list, At::new(0u32, at(2)));
        let _ = if finish { pass.finish() } else { pass.abandon() };
        if says(&list, "Ready").0 == Status::True {
            assert_eq!(list[0].message, "New is new and has not been reported yet", "spared, and said so");
        }
        says(&list, "Ready").0
    };
    assert_eq!(run(Upgrade::OnePassGrace, false), Status::True);
    assert_eq!(run(Upgrade::OnePassGrace, true), Status::Unknown);
    assert_eq!(run(Upgrade::Unknown, false), Status::Unknown);
}

#[test]
fn the_grace_of_a_new_dependent_never_hides_another_that_is_bad() {
    let set = set("Ready: A, New");
    let mut list =
        vec![condition("Ready", Status::True, "Ready", 1), condition("A", Status::True, "Fine", 1)];
    let mut pass = set.pass(&mut list, At::new(0u32, at(2)));
    mark(&mut pass, "A", Status::False);
    drop(pass);
    assert_eq!(says(&list, "Ready"), (Status::False, "AFalse"));
}

#[test]
fn of_two_conditions_with_one_type_the_worst_stays() {
    let set = set("Ready: A");
    let mut list = vec![
        condition("A", Status::True, "First", 1),
        condition("Foreign", Status::True, "X", 1),
        condition("A", Status::False, "Second", 1),
        condition("A", Status::Unknown, "Third", 1),
    ];
    let finished = pass(&set, &mut list, At::new(0u32, at(2)), |_| ());
    assert!(finished.changed);
    assert_eq!(types(&list), ["A", "Foreign", "Ready"]);
    assert_eq!(says(&list, "Ready"), (Status::False, "Second"));
}

#[test]
fn a_set_of_more_than_64_conditions_tracks_them_all() {
    let names: Vec<String> = (0..100).map(|n| format!("C{n}")).collect();
    let set = ConditionSet { untouched: Untouched::Unknown, ..set(&format!("Ready: {}", names.join(", "))) };
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
        for name in &names {
            mark(pass, name, Status::True);
        }
    });
    assert_eq!(says(&list, "Ready").0, Status::True);
    pass(&set, &mut list, At::new(1u32, at(2)), |pass| {
        for name in names.iter().filter(|name| *name != "C99") {
            mark(pass, name, Status::True);
        }
    });
    assert_eq!(says(&list, "C99").0, Status::Unknown);
}

#[test]
fn a_problem_that_is_held_back_never_reads_as_all_is_well() {
    use crate::damping::{Damping, DampingMemory, Hold, Until};
    let set = set("Ready: A");
    let twice = Hold { to_bad: Some(Until::Observations(2)), ..Hold::default() };
    let rules = Damping::new().hold_others(twice);
    let (mut list, mut memory) = (vec![], DampingMemory::default());
    let mut reconcile = |second, status| {
        let mut pass = set.pass(&mut list, At::new(1u32, at(second)));
        pass.damp(&rules, &mut memory);
        pass.mark("A", status, reason!("Checked"), "the link is down").unwrap();
        let finished = pass.finish();
        (finished.transitions.len(), list.clone())
    };
    reconcile(1, Status::True);
    let (transitions, held) = reconcile(2, Status::False);
    assert_eq!((transitions, says(&held, "Ready").0), (0, Status::True));
    assert_eq!(held[0].message, "A=False is held back: Checked");
    assert!(held[1].message.as_str().contains("the link is down"));
    let (transitions, released) = reconcile(3, Status::False);
    assert_eq!((transitions, says(&released, "Ready").0), (2, Status::False));
    assert_eq!(released[1].last_transition_time, at(3));
}

#[test]
fn a_policy_with_inertia_says_when_to_look_again() {
    let inertia = crate::rollup::Inertia::of(std::time::Duration::from_mins(1));
    let policy = crate::rollup::Form::Union(crate::rollup::Union { inertia }).into();
    let set = ConditionSet { policy, ..set("Ready: A") };
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::True));
    let finished = pass(&set, &mut list, At::new(1u32, at(100)), |pass| mark(pass, "A", Status::False));
    assert_eq!((says(&list, "Ready").0, finished.look_again), (Status::True, Some(at(161))));
    assert!(list[0].message.as_str().starts_with("A: False since"), "not `All is well`");
    let finished = pass(&set, &mut list, At::new(1u32, at(161)), |pass| mark(pass, "A", Status::False));
    assert_eq!((says(&list, "Ready").0, finished.look_again), (Status::False, None));
}

#[test]
fn where_a_policy_goes_by_an_order_it_is_that_of_the_declaration() {
    let told = |text: &str, policy: Policy| {
        let set = ConditionSet { policy, ..text.parse().unwrap() };
        let mut list = vec![];
        pass(&set, &mut list, At::new(1u32, at(1)), |pass| {
            mark(pass, "A", Status::False);
            mark(pass, "B", Status::False);
        });
        let top = conditions::find(&list, "Ready").unwrap();
        (top.reason.to_string(), top.message.to_string())
    };
    let reported = |message: &str| ("IssuesReported".to_owned(), message.to_owned());
    assert_eq!(told("Ready: A, B", Policy::bullets()), reported("* A: AFalse\n* B: BFalse"));
    assert_eq!(told("Ready: B, A", Policy::bullets()), reported("* B: BFalse\n* A: AFalse"));
    assert_eq!(told("Ready: A, B", Policy::first_issue()).0, "AFalse");
    assert_eq!(told("Ready: B, A", Policy::first_issue()).0, "BFalse");
    let order = vec![condition_type!("A")];
    let own = Policy::from(Form::Bullets(Bullets { order, ..Bullets::default() }));
    assert_eq!(
        told("Ready: B, A", own),
        reported("* A: AFalse\n* B: BFalse"),
        "unless it has one of its own"
    );
}

#[test]
fn damping_reads_a_condition_with_the_polarity_that_the_set_declares() {
    use crate::damping::{Damping, DampingMemory, Hold, Until};
    let set = set("Ready: !Degraded");
    let slow_to_recover = Hold { to_good: Some(Until::Observations(2)), ..Hold::default() };
    let rules = Damping::new().hold_others(slow_to_recover);
    let (mut list, mut memory) = (vec![], DampingMemory::default());
    let mut reconcile = |second, status| {
        let mut pass = set.pass(&mut list, At::new(1u32, at(second)));
        pass.damp(&rules, &mut memory);
        mark(&mut pass, "Degraded", status);
        pass.finish();
        says(&list, "Degraded").0
    };
    reconcile(1, Status::False);
    assert_eq!(reconcile(2, Status::True), Status::True, "to become bad is not held back");
    assert_eq!(reconcile(3, Status::False), Status::True, "to become good is");
    assert_eq!(reconcile(4, Status::False), Status::False);
}

#[test]
fn marking_a_condition_leaves_no_old_errors_beside_the_new_message() {
    let error = conditions::SubCondition {
        type_: condition_type!("TLSError"),
        status: Status::True,
        reason: reason!("SecretNotValid"),
        message: "no such secret".into(),
    };
    let set = set("Ready: A");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::False));
    for type_ in [0, 1] {
        for status in [Status::True, Status::False] {
            let mut with_errors = list.clone();
            with_errors[type_].errors = [error.clone()].into();
            with_errors[type_].warnings = [error.clone()].into();
            let finished = pass(&set, &mut with_errors, At::new(1u32, at(2)), |pass| mark(pass, "A", status));
            assert!(finished.changed, "also where it is marked as it was");
            let mut without = list.clone();
            pass(&set, &mut without, At::new(1u32, at(2)), |pass| mark(pass, "A", status));
            assert_eq!(with_errors, without);
        }
    }
}

#[test]
fn a_condition_that_is_not_marked_keeps_its_errors() {
    let error = conditions::SubCondition {
        type_: condition_type!("TLSError"),
        status: Status::True,
        reason: reason!("SecretNotValid"),
        message: "no such secret".into(),
    };
    let set = set("Ready: A, B");
    let mut list = vec![];
    pass(&set, &mut list, At::new(1u32, at(1)), |pass| mark(pass, "A", Status::False));
    list[1].errors = [error].into();
    let before = list.clone();
    let finished = set.pass(&mut list, At::new(1u32, at(2))).abandon();
    assert!(!finished.changed);
    assert_eq!(list, before);
}
