//! library-go's vectors.

use std::time::Duration;

use super::*;
use crate::{
    ConditionType, Polarity, Reason, Status,
    rollup::{
        Form, Stale,
        tests::{Answer, Edit, False, True, Unknown, answer, at, missing, named, said, told},
    },
};

const NOW: i64 = 100_000;

fn degraded() -> Context<'static> {
    Context { polarity: Polarity::AbnormalTrue, ..Context::new("Degraded", at(NOW)) }
}

fn available() -> Context<'static> {
    Context::new("Available", at(NOW))
}

/// A `Degraded` condition of this age in seconds.
fn bad(type_: &'static str, message: &'static str, age: i64) -> Input<'static> {
    said(type_, True, "", message).negative().since(NOW - age)
}

fn good(type_: &'static str, message: &'static str, age: i64) -> Input<'static> {
    said(type_, False, "", message).negative().since(NOW - age)
}

/// Two minutes, but long for type C and short for type D.
fn damped() -> Policy {
    let inertia = Inertia::of(Duration::from_mins(2))
        .except("TypeCDegraded", Duration::from_mins(10))
        .except("TypeD*", Duration::from_mins(1));
    Policy::from(Form::Union(Union { inertia }))
}

fn union<'a>(policy: &Policy, inputs: impl IntoIterator<Item = Input<'a>>, context: &Context<'a>) -> Answer {
    told(policy.roll_up(inputs, context).unwrap())
}

#[test]
fn no_match_is_no_data() {
    let (status, reason, _) = union(&named("library-go"), [], &available());
    assert_eq!((status, &*reason), (Unknown, "NoData"));
}

#[test]
fn all_good_is_as_expected_with_the_messages_there_are() {
    let available = available();
    let up = |type_, message| said(type_, True, "Up", message);
    let inputs = [up("TypeBAvailable", "b"), up("TypeAAvailable", "")];
    let expected = answer(True, "AsExpected", "TypeBAvailable: b");
    assert_eq!(union(&named("library-go"), inputs, &available), expected);
    let expected = answer(True, "AsExpected", "All is well");
    assert_eq!(union(&named("library-go"), [up("TypeAAvailable", "")], &available), expected);
}

#[test]
fn true_and_unknown_are_unknown_and_false_beats_unknown() {
    let a = |status, reason| said("TypeAAvailable", status, reason, "a").since(NOW - 2);
    let b = said("TypeBAvailable", Unknown, "", "b").since(NOW - 2);
    let top = |a| union(&named("library-go"), [a, b.clone()], &available());
    assert_eq!(top(a(True, "")), answer(Unknown, "TypeB", "TypeBAvailable: b"));
    let expected = "TypeAAvailable: a\nTypeBAvailable: b";
    assert_eq!(top(a(False, "Something")), answer(False, "TypeA_Something::TypeB", expected));
}

#[test]
fn a_young_problem_keeps_the_status_but_not_the_silence() {
    for policy in [damped(), named("library-go")] {
        let young = union(&policy, [bad("TypeADegraded", "a", 2)], &degraded());
        assert_eq!(young, answer(False, "AsExpected", "TypeADegraded: a"));
        let old = union(&policy, [bad("TypeADegraded", "a", 180)], &degraded());
        assert_eq!(old, answer(True, "TypeA", "TypeADegraded: a"));
    }
}

#[test]
fn one_problem_that_is_old_enough_brings_the_young_ones_with_it() {
    let inputs =
        [bad("TypeBDegraded", "b1\nb2", 2), good("TypeCDegraded", "c", 2), bad("TypeDDegraded", "d", 180)];
    let expected = "TypeBDegraded: b1\nTypeBDegraded: b2\nTypeDDegraded: d";
    assert_eq!(union(&damped(), inputs, &degraded()), answer(True, "TypeB::TypeD", expected));
}

#[test]
fn an_exception_keeps_an_old_problem_hidden_and_all_texts_are_listed() {
    let inputs = [bad("TypeBDegraded", "b", 2), bad("TypeCDegraded", "c", 180), bad("TypeDDegraded", "d", 2)];
    let expected = "TypeBDegraded: b\nTypeCDegraded: c\nTypeDDegraded: d";
    assert_eq!(union(&damped(), inputs, &degraded()), answer(False, "AsExpected", expected));
}

#[test]
fn only_degraded_has_inertia_in_library_go() {
    let progressing = Context { top: "Progressing", ..degraded() };
    let top = union(&named("library-go"), [bad("TypeAProgressing", "a", 2)], &progressing);
    assert_eq!(top, answer(True, "TypeA", "TypeAProgressing: a"));
    let down = said("TypeAAvailable", False, "", "a").since(NOW - 2);
    assert_eq!(union(&named("library-go"), [down], &available()).0, False);
}

#[test]
fn a_problem_counts_once_it_is_strictly_older_than_its_inertia() {
    let status = |age| union(&damped(), [bad("TypeADegraded", "a", age)], &degraded()).0;
    assert_eq!((status(120), status(121)), (False, True));
}

#[test]
fn a_hidden_problem_without_words_is_named_rather_than_called_well() {
    // Upstream says that all is well.
    let top = union(&damped(), [bad("TypeADegraded", "", 2), good("TypeBDegraded", "", 2)], &degraded());
    let expected = "TypeADegraded: True since 1970-01-02T03:46:38Z, not counted yet";
    assert_eq!(top, answer(False, "AsExpected", expected));
}

#[test]
fn the_end_of_inertia_is_told_to_the_second() {
    let again = |inputs: &[Input<'static>]| damped().look_again(inputs.iter().cloned(), &degraded());
    let (b, c, d) =
        (bad("TypeBDegraded", "", 100), bad("TypeCDegraded", "", 500), bad("TypeDDegraded", "", 2));
    assert_eq!(again(std::slice::from_ref(&b)), Some(at(NOW + 21)));
    assert_eq!(again(&[b.clone(), c, d]), Some(at(NOW + 21)), "the first to count brings all");
    assert_eq!(again(&[b, bad("TypeADegraded", "", 300)]), None, "one counts already");
    assert_eq!(again(&[good("TypeADegraded", "", 2)]), None, "there is nothing to wait for");
    assert_eq!(Policy::newest_cause().look_again([bad("TypeADegraded", "", 2)], &degraded()), None);
}

#[test]
fn inertia_hides_no_problem_whose_age_nobody_knows() {
    let timeless = Input { since: None, ..bad("TypeADegraded", "a", 0) };
    let from_the_future = bad("TypeADegraded", "a", -100_000);
    let policy = damped().with_stale(Stale::Unknown);
    for input in [timeless, from_the_future, missing("TypeADegraded"), bad("TypeADegraded", "a", 2).about(1)]
    {
        let context = degraded().at_generation(2.into());
        assert_ne!(union(&policy, [input.clone()], &context).0, False, "{input:?}");
        assert_eq!(policy.look_again([input], &context), None);
    }
    let a_little_ahead = bad("TypeADegraded", "a", -5);
    assert_eq!(union(&damped(), [a_little_ahead], &degraded()).0, False, "clocks differ by seconds");
}

#[test]
fn an_inertia_of_nothing_or_for_ever_is_taken_literally() {
    let of = |inertia| Policy::from(Form::Union(Union { inertia: Inertia::of(inertia) }));
    let inputs = || [bad("TypeADegraded", "a", 0)];
    assert_eq!(union(&of(Duration::ZERO), inputs(), &degraded()).0, True);
    assert_eq!(union(&of(Duration::MAX), inputs(), &degraded()).0, False);
    assert!(of(Duration::MAX).look_again(inputs(), &degraded()).unwrap() > at(NOW));
}

#[test]
fn the_exact_type_gives_its_reason_without_a_prefix() {
    // Upstream leaves the underscore of an empty prefix, with which no reason may begin.
    let with_reason = |reason| Input { reason: Cow::Borrowed(reason), ..bad("Degraded", "d", 180) };
    let reason = |input| union(&named("library-go"), [input], &degraded()).1;
    assert_eq!(reason(with_reason("Broken")), "Broken");
    assert_eq!(reason(with_reason("")), "Degraded");
}

#[test]
fn lines_that_repeat_within_a_message_are_told_once() {
    let top = union(&named("library-go"), [bad("TypeADegraded", "x\ny\nx", 180)], &degraded());
    assert_eq!(top.2, "TypeADegraded: x\nTypeADegraded: y");
}

#[test]
fn a_type_that_does_not_end_with_the_top_type_is_its_own_prefix_and_a_member_is_named() {
    let inputs = [
        said("Synced", False, "Lag", "late"),
        said("Ready", False, "Down", "gone").from_member("Node", "n1"),
    ];
    let expected = "n1: gone\nSynced: late";
    assert_eq!(union(&Policy::union(), inputs, &available()), answer(False, "Synced_Lag::n1_Down", expected));
}

#[test]
fn what_is_missing_or_stale_has_its_words_where_it_counts() {
    let context = available().at_generation(2.into());
    let inputs = [missing("AAvailable"), said("BAvailable", True, "Up", "").about(1)];
    let expected = "AAvailable: has not been reported yet\n\
                    BAvailable: is about generation 1; the object is at generation 2";
    let reason = "A_AwaitingReconciliation::B_LatestGenerationNotObserved";
    let policy = Policy::union().with_stale(Stale::Unknown);
    assert_eq!(union(&policy, inputs, &context), answer(Unknown, reason, expected));
}

#[test]
fn conditions_match_by_the_end_of_their_type() {
    let condition = |type_: &'static str| {
        Condition::new(
            ConditionType::from_static(type_),
            Status::True,
            Reason::from_static("Because"),
            "",
            at(1),
        )
    };
    let conditions = ["FooDegraded", "FooAvailable", "Degraded", "DegradedFoo"].map(condition);
    let matching: Vec<_> = Union::matching(&conditions, &degraded()).collect();
    assert_eq!(matching.iter().map(|input| input.type_).collect::<Vec<_>>(), ["FooDegraded", "Degraded"]);
    assert!(matching.iter().all(|input| input.standing() == Standing::Bad));
}
