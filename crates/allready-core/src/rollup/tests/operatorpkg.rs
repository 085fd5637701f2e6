//! operatorpkg's condition set, as far as its root condition is a roll-up.

use super::*;

fn operatorpkg<'a>(generation: u32, inputs: impl IntoIterator<Item = Input<'a>>) -> Answer {
    let context = Context::new("Ready", at(1000)).at_generation(Generation::from(generation));
    told(named("operatorpkg").roll_up(inputs, &context).unwrap())
}

#[test]
fn the_root_is_unknown_with_one_unknown_false_with_one_false_and_true_with_all_true() {
    let (good, unknown, bad) =
        (said("A", True, "Up", "a"), said("B", Unknown, "Wait", "b"), said("B", False, "Down", "b"));
    for (inputs, expected) in [
        ([good.clone(), unknown], answer(Unknown, "ReconcilingDependents", "B=Unknown")),
        ([good.clone(), bad], answer(False, "UnhealthyDependents", "B=False")),
        ([good.clone(), said("B", True, "Up", "b")], answer(True, "Ready", "")),
        ([good, missing("B")], answer(Unknown, "ReconcilingDependents", "B=Unknown")),
    ] {
        assert_eq!(operatorpkg(0, inputs), expected);
    }
}

#[test]
fn all_that_is_not_good_is_listed_newest_first() {
    let inputs = [
        said("A", False, "Down", "").since(10),
        said("B", Unknown, "Wait", "").since(30),
        said("C", True, "Up", "").since(40),
        said("E", False, "Down", "").since(20),
        said("D", False, "Down", "").since(20),
    ];
    let expected = answer(False, "UnhealthyDependents", "B=Unknown, D=False, E=False, A=False");
    assert_eq!(operatorpkg(0, inputs), expected);
}

#[test]
fn after_a_generation_bump_the_root_waits_for_every_dependent() {
    let stale = |type_| said(type_, True, "Up", "").about(1);
    let waiting = answer(Unknown, "ReconcilingDependents", "A=True");
    assert_eq!(operatorpkg(2, [stale("A"), said("B", False, "Down", "").about(2)]).0, False);
    assert_eq!(operatorpkg(2, [stale("A"), said("B", True, "Up", "").about(2)]), waiting);
    assert_eq!(
        operatorpkg(2, [said("A", True, "Up", "").about(2), said("B", True, "Up", "").about(2)]).0,
        True
    );
}

#[test]
fn a_new_generation_alone_changes_the_condition_but_not_its_time() {
    let before = ready(True, "Ready", "", 10).observed(1);
    let context = Context::new("Ready", at(1000)).at_generation(Generation::from(2));
    let rollup = named("operatorpkg").roll_up([said("A", True, "Up", "").about(2)], &context).unwrap();
    let after = rollup.into_condition(before.type_.clone(), Some(&before), at(1000));
    assert_eq!(after, before.observed(2));
}

#[test]
fn an_input_that_tracks_no_generation_is_not_stale() {
    // operatorpkg stamps every condition, so it takes the absence of a generation for an old one.
    assert_eq!(operatorpkg(2, [said("A", True, "Up", "")]), answer(True, "Ready", ""));
}
