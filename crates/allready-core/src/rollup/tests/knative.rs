//! Knative's condition set, as far as its top condition is a roll-up.

use super::*;

fn knative<'a>(inputs: impl IntoIterator<Item = Input<'a>>) -> Answer {
    ask(&named("knative"), inputs)
}

#[test]
fn a_bad_dependent_cannot_be_overruled_by_the_top_condition_that_stands() {
    let previous = ready(True, "Forced", "", 900);
    let context = Context { previous: Some(&previous), ..Context::new("Ready", at(1000)) };
    let rollup =
        named("knative").roll_up([said("A", False, "Broken", "no disk").since(1)], &context).unwrap();
    assert_eq!(told(rollup), answer(False, "Broken", "no disk"));
}

#[test]
fn once_the_last_dependent_is_good_the_top_is_true_whatever_it_was() {
    for before in [False, Unknown, True] {
        let previous = ready(before, "Before", "as before", 900);
        let context = Context { previous: Some(&previous), ..Context::new("Ready", at(1000)) };
        let rollup = named("knative").roll_up([said("A", True, "Up", "fine")], &context).unwrap();
        // Knative leaves the reason empty, which the API server refuses.
        assert_eq!(told(rollup), answer(True, "Ready", ""));
    }
}

#[test]
fn of_two_bad_dependents_the_newest_speaks_and_the_other_once_that_is_fixed() {
    let old = said("A", False, "OldCause", "old").since(10);
    let new = said("B", False, "NewCause", "new").since(20);
    assert_eq!(knative([old.clone(), new]), answer(False, "NewCause", "new"));
    let fixed = said("B", True, "Up", "").since(30);
    assert_eq!(knative([old, fixed]), answer(False, "OldCause", "old"));
}

#[test]
fn false_comes_before_unknown_however_old_it_is() {
    let inputs = [said("A", Unknown, "Waiting", "w").since(30), said("B", False, "Broken", "b").since(10)];
    assert_eq!(knative(inputs), answer(False, "Broken", "b"));
}

#[test]
fn of_two_unknown_dependents_of_the_same_age_the_first_by_type_speaks() {
    let inputs = [said("B", Unknown, "WaitB", "b").since(10), said("A", Unknown, "WaitA", "a").since(10)];
    assert_eq!(knative(inputs), answer(Unknown, "WaitA", "a"));
}

#[test]
fn a_declared_dependent_that_nobody_set_makes_the_top_unknown() {
    // Knative leaves reason and message empty.
    let expected = answer(Unknown, "AwaitingReconciliation", "B has not been reported yet");
    assert_eq!(knative([said("A", True, "Up", ""), missing("B")]), expected);
}

#[test]
fn with_no_dependents_the_top_is_true() {
    // Knative leaves the message empty; a True that cannot show why would be worth nothing.
    let expected = "no condition counts for this one, and this policy takes that as good";
    assert_eq!(knative([]), answer(True, "Ready", expected));
    assert_eq!(ask(&Policy::default(), []).0, Unknown, "ours is not: nothing vouches for it");
}

#[test]
fn marking_one_unknown_while_another_is_false_gives_the_reason_of_the_false_one() {
    // Knative gives the Unknown's reason if the top was not False before: a status with the reason of another.
    let inputs = [said("A", False, "Broken", "b").since(10), said("B", Unknown, "Waiting", "w").since(90)];
    assert_eq!(knative(inputs), answer(False, "Broken", "b"));
}

#[test]
fn a_culprit_without_reason_and_message_is_at_least_named() {
    let expected = answer(False, "A_False", "A is False without a reason");
    assert_eq!(ask(&Policy::default(), [said("A", False, "", "")]), expected);
}
