//! The vectors of Flux, and of Cluster API's v1beta1 conditions from which it descends.

use super::*;
use crate::{
    Generation,
    rollup::{
        Form,
        tests::types,
        tests::{Answer, Edit, False, True, Unknown, answer, at, missing, named, said, told},
    },
};

fn flux<'a>(inputs: impl IntoIterator<Item = Input<'a>>) -> Option<Answer> {
    named("flux").roll_up(inputs, &Context::new("Ready", at(1000))).map(told)
}

fn with<'a>(options: FirstIssue, inputs: impl IntoIterator<Item = Input<'a>>) -> Answer {
    let policy = Policy::from(Form::FirstIssue(options));
    told(policy.roll_up(inputs, &Context::new("Ready", at(1000))).unwrap())
}

#[test]
fn the_most_important_group_decides() {
    let bad_negative = || said("N", True, "Stuck", "n").negative();
    let bad = || said("F", False, "Down", "f");
    let good = || said("T", True, "Up", "t");
    let good_negative = || said("M", False, "Idle", "m").negative();
    let unknown = || said("U", Unknown, "Wait", "u");
    for (inputs, expected) in [
        (vec![unknown(), good_negative(), good(), bad(), bad_negative()], answer(False, "Stuck", "n")),
        (vec![unknown(), good_negative(), good(), bad()], answer(False, "Down", "f")),
        (vec![unknown(), good_negative(), good()], answer(True, "Up", "t")),
        (vec![unknown(), good_negative()], answer(True, "Idle", "m")),
        (vec![good_negative()], answer(True, "Idle", "m")),
        (vec![unknown()], answer(Unknown, "Wait", "u")),
    ] {
        assert_eq!(flux(inputs.clone()), Some(expected), "for {inputs:?}");
    }
}

#[test]
fn a_negative_target_is_inverted() {
    let context = Context { polarity: Polarity::AbnormalTrue, ..Context::new("Foo", at(1000)) };
    let top = |input| told(named("flux").roll_up([input], &context).unwrap());
    assert_eq!(top(said("T", True, "Up", "t")), answer(False, "Up", "t"));
    assert_eq!(top(said("T", True, "Stuck", "t").negative()), answer(True, "Stuck", "t"));
    assert_eq!(top(said("T", Unknown, "Wait", "t")), answer(Unknown, "Wait", "t"));
}

#[test]
fn where_nothing_is_in_scope_there_is_no_answer() {
    assert_eq!(flux([]), None);
    assert_eq!(flux([missing("A"), missing("B")]), None, "what is missing is not counted");
    assert_eq!(flux([said("Ready", False, "Down", "")]), None, "nor is the target itself");
}

#[test]
fn the_target_that_stands_does_not_count_but_that_of_a_member_does() {
    let itself = said("Ready", False, "Down", "before");
    assert_eq!(flux([itself.clone(), said("A", True, "Up", "a")]), Some(answer(True, "Up", "a")));
    let inputs = [itself.from_member("Kustomization", "apps"), said("A", True, "Up", "a")];
    assert_eq!(flux(inputs), Some(answer(False, "Down", "before")));
}

#[test]
fn within_a_group_stalled_reconciling_and_ready_speak_first_then_the_newest_generation_then_the_type() {
    let stalled = said("Stalled", True, "S", "").negative().about(1);
    let reconciling = said("Reconciling", True, "R", "").negative().about(2);
    let other = said("Other", True, "O", "").negative().about(3);
    let reason = |inputs: Vec<Input<'static>>| flux(inputs).unwrap().1;
    assert_eq!(reason(vec![other.clone(), reconciling.clone(), stalled]), "S");
    assert_eq!(reason(vec![other, reconciling]), "R");
    assert_eq!(
        reason(vec![said("A", False, "Old", "").about(1), said("B", False, "New", "").about(2)]),
        "New"
    );
    assert_eq!(reason(vec![said("B", False, "B", ""), said("A", False, "A", "")]), "A");
    let ready = |name, reason| said("Ready", False, reason, "").from_member("Kustomization", name);
    assert_eq!(reason(vec![ready("y", "Y"), ready("x", "X")]), "X");
}

#[test]
fn the_requested_types_alone_count_and_speak_in_their_order() {
    let options = || FirstIssue { requested: types(["baz", "bar"]), ..FirstIssue::default() };
    let (bar, baz) = (said("bar", False, "Bar", "bar"), said("baz", False, "Baz", "baz"));
    assert_eq!(with(options(), [bar.clone(), baz]), answer(False, "Baz", "baz"));
    let foreign = said("foo", True, "Foo", "foo").negative();
    assert_eq!(with(options(), [foreign, bar]), answer(False, "Bar", "bar"));
}

#[test]
fn an_old_generation_loses_only_by_priority_unless_only_the_latest_counts() {
    let inputs = [said("A", False, "Old", "old").about(1), said("B", True, "New", "new").about(2)];
    assert_eq!(flux(inputs.clone()), Some(answer(False, "Old", "old")));
    let options = FirstIssue { latest_generation: true, ..FirstIssue::default() };
    assert_eq!(with(options, inputs), answer(True, "New", "new"));
}

#[test]
fn a_stale_problem_is_taken_at_its_word() {
    let context = Context::new("Ready", at(1000)).at_generation(Generation::from(2));
    let inputs = [said("A", False, "Old", "old").about(1), said("B", True, "New", "new").about(2)];
    let rollup = Policy::first_issue().roll_up(inputs, &context).unwrap();
    assert_eq!(told(rollup), answer(False, "Old", "old"));
}

mod step_counter {
    use super::*;

    fn counting(requested: Vec<ConditionType>, counter: StepCounter) -> FirstIssue {
        FirstIssue { requested, counter, ..FirstIssue::default() }
    }

    fn foo() -> Input<'static> {
        said("foo", True, "Foo", "foo is done")
    }

    fn bar() -> Input<'static> {
        said("bar", False, "Bar", "bar is not")
    }

    #[test]
    fn counts_what_is_done_of_what_is_in_scope() {
        let top = with(counting(vec![], StepCounter::On), [foo(), bar()]);
        assert_eq!(top, answer(False, "Bar", "1 of 2 completed"));
    }

    #[test]
    fn counts_of_the_requested_types_whatever_else_is_there() {
        let baz = said("baz", True, "Baz", "");
        let top = with(counting(types(["foo", "bar"]), StepCounter::On), [foo(), bar(), baz]);
        assert_eq!(top, answer(False, "Bar", "1 of 2 completed"));
    }

    #[test]
    fn counts_as_long_as_only_certain_types_are_there() {
        let only = |types| counting(vec![], StepCounter::IfOnly(types));
        assert_eq!(with(only(types(["bar"])), [bar()]).2, "0 of 1 completed");
        assert_eq!(with(only(types(["bar", "baz"])), [bar()]).2, "0 of 2 completed");
        assert_eq!(with(only(types(["bar"])), [foo(), bar()]).2, "bar is not", "another type is there");
    }

    #[test]
    fn counts_of_the_members_also_of_those_that_have_not_reported() {
        let ready = |name| said("Ready", True, "Up", "").from_member("Kustomization", name);
        let silent = missing("Ready").from_member("Kustomization", "z");
        let top = with(counting(vec![], StepCounter::On), [ready("x"), ready("y"), silent]);
        assert_eq!(top, answer(True, "Up", "2 of 3 completed"));
    }
}

#[test]
fn an_outdated_problem_is_never_hidden_by_doubting_it() {
    let policy = Policy::first_issue().with_stale(crate::rollup::Stale::Unknown);
    let context = Context::new("Ready", at(1000)).at_generation(2.into());
    let inputs = [said("A", False, "Broken", "").about(1), said("B", True, "Up", "").about(2)];
    assert_eq!(policy.roll_up(inputs, &context).unwrap().status, False);
}
