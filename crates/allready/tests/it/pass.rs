//! A pass over an enum does what a pass by names does.

use allready::{
    Condition, ConditionSet, Status, Time, condition, reason,
    set::{At, TypedSet},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, ConditionSet)]
#[conditions(untouched = "unknown")]
enum Conditions {
    Synced,
    #[condition(abnormal_true)]
    Degraded,
    #[condition(informational)]
    Cached,
}

fn at(second: i64) -> At {
    At::new(1u32, Time::from_second(second).unwrap())
}

fn says<'a>(conditions: &'a [Condition], type_: &str) -> (Status, &'a str) {
    let condition = condition::find(conditions, type_).unwrap();
    (condition.status, condition.reason.as_str())
}

#[test]
fn each_generated_mark_has_the_status_of_its_name() {
    let mut conditions = vec![];
    let mut pass = Conditions::pass(&mut conditions, at(1));
    pass.mark_synced(reason!("A"), "");
    pass.mark_degraded_unknown(reason!("B"), "");
    pass.mark_not_cached(reason!("C"), "");
    assert_eq!(says(pass.conditions(), "Synced"), (Status::True, "A"));
    assert_eq!(says(pass.conditions(), "Degraded"), (Status::Unknown, "B"));
    assert_eq!(says(pass.conditions(), "Cached"), (Status::False, "C"));
    pass.finish();
    assert_eq!(says(&conditions, "Ready"), (Status::Unknown, "B"));
}

#[test]
fn every_variant_marks_its_own_condition_as_the_name_does() {
    for condition in Conditions::ALL {
        for status in [Status::True, Status::False, Status::Unknown] {
            let (mut by_variant, mut by_name) = (vec![], vec![]);
            let mut pass = Conditions::pass(&mut by_variant, at(1));
            pass.mark(*condition, status, reason!("Seen"), "so it is");
            let finished = pass.finish();
            let mut pass = Conditions::set().pass(&mut by_name, at(1));
            pass.mark(condition.condition_type().as_str(), status, reason!("Seen"), "so it is").unwrap();
            assert_eq!(finished, pass.finish());
            assert_eq!(by_variant, by_name);
        }
    }
}

#[test]
fn a_dropped_or_abandoned_pass_keeps_its_marks_and_settles_nothing_else() {
    let mut dropped = vec![];
    let mut pass = Conditions::pass(&mut dropped, at(1));
    pass.mark_not_degraded(reason!("Healthy"), "").mark_synced(reason!("Applied"), "");
    pass.finish();
    let mut abandoned = dropped.clone();

    drop(Conditions::pass(&mut dropped, at(2)));
    assert!(!Conditions::pass(&mut abandoned, at(2)).abandon().changed);
    assert_eq!(says(&dropped, "Ready"), (Status::True, "Ready"));
    assert_eq!(dropped, abandoned);

    Conditions::pass(&mut dropped, at(2)).finish();
    assert_eq!(says(&dropped, "Ready").0, Status::Unknown, "a finished pass without a word about it");
}

#[test]
fn only_what_is_informational_can_be_cleared() {
    let mut conditions = vec![];
    let mut pass = Conditions::pass(&mut conditions, at(1));
    pass.clear(Conditions::Cached).unwrap();
    let error = pass.clear(Conditions::Degraded).unwrap_err();
    assert_eq!(error.to_string(), "Degraded cannot be cleared: a dependent is never absent; mark it instead");
    pass.untyped().mark_true("Synced", reason!("Applied"), "").unwrap();
    pass.finish();
    assert_eq!(
        conditions.iter().map(|c| c.type_.as_str()).collect::<Vec<_>>(),
        ["Ready", "Synced", "Degraded"]
    );
}
