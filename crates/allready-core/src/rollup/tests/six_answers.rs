//! One input, many answers: why a roll-up is a *named* policy.

use super::*;

/// `status reason "message" @generation`, or `-` for no answer.
fn show(policy: &Policy, inputs: &[Input<'static>]) -> String {
    let previous = ready(False, "Before", "as before", 5).observed(1);
    let context = Context {
        previous: Some(&previous),
        ..Context::new("Ready", at(1000)).at_generation(Generation::from(2))
    };
    policy.roll_up(inputs.iter().cloned(), &context).map_or_else(
        || "-".to_owned(),
        |Rollup { status, reason, message, observed }| {
            format!("{status} {reason} {message:?} @{}", observed.unwrap_or_default())
        },
    )
}

struct Row {
    given: &'static str,
    inputs: Vec<Input<'static>>,
    answers: [&'static str; 7],
}

const COLUMNS: [&str; 7] =
    ["newest-cause", "knative", "operatorpkg", "kro", "cluster-api", "flux", "library-go"];

#[test]
#[expect(clippy::too_many_lines, reason = "it is one table")]
fn the_same_inputs_get_the_answer_of_each_peer() {
    let a = |status| said("A", status, "RA", "ma").since(10).about(2);
    let b = |status| said("B", status, "RB", "mb").since(20).about(2);
    let rows = [
        Row {
            given: "A True, B True",
            inputs: vec![a(True), b(True)],
            answers: [
                r#"True Ready "" @2"#,
                r#"True Ready "" @2"#,
                r#"True Ready "" @2"#,
                r#"True Ready "" @2"#,
                r#"True InfoReported "* A: ma\n* B: mb" @2"#,
                r#"True RA "ma" @2"#,
                r#"True AsExpected "A: ma\nB: mb" @2"#,
            ],
        },
        Row {
            given: "A True, B Unknown",
            inputs: vec![a(True), b(Unknown)],
            answers: [
                r#"Unknown RB "mb" @2"#,
                r#"Unknown RB "mb" @2"#,
                r#"Unknown ReconcilingDependents "B=Unknown" @2"#,
                r#"Unknown RB "mb" @2"#,
                r#"Unknown UnknownReported "* B: mb" @2"#,
                r#"True RA "ma" @2"#,
                r#"Unknown B_RB "B: mb" @2"#,
            ],
        },
        Row {
            given: "A False, B Unknown",
            inputs: vec![a(False), b(Unknown)],
            answers: [
                r#"False RA "ma" @2"#,
                r#"False RA "ma" @2"#,
                r#"False UnhealthyDependents "B=Unknown, A=False" @2"#,
                r#"False RA "ma" @2"#,
                r#"False IssuesReported "* A: ma\n* B: mb" @2"#,
                r#"False RA "ma" @2"#,
                r#"False A_RA::B_RB "A: ma\nB: mb" @2"#,
            ],
        },
        Row {
            given: "A False, B False and newer",
            inputs: vec![a(False), b(False)],
            answers: [
                r#"False RB "mb" @2"#,
                r#"False RB "mb" @2"#,
                r#"False UnhealthyDependents "B=False, A=False" @2"#,
                r#"False RB "mb" @2"#,
                r#"False IssuesReported "* A: ma\n* B: mb" @2"#,
                r#"False RA "ma" @2"#,
                r#"False A_RA::B_RB "A: ma\nB: mb" @2"#,
            ],
        },
        Row {
            given: "A True about generation 1, B True",
            inputs: vec![a(True).about(1), b(True)],
            answers: [
                r#"Unknown LatestGenerationNotObserved "A is about generation 1; the object is at generation 2" @1"#,
                r#"True Ready "" @2"#,
                r#"Unknown ReconcilingDependents "A=True" @1"#,
                r#"False Before "as before" @1"#,
                r#"True InfoReported "* A: ma\n* B: mb" @2"#,
                // Not A's: the higher generation goes before the type.
                r#"True RB "mb" @2"#,
                r#"True AsExpected "A: ma\nB: mb" @2"#,
            ],
        },
        Row {
            given: "A False about generation 1, B True",
            inputs: vec![a(False).about(1), b(True)],
            answers: [
                r#"Unknown LatestGenerationNotObserved "A is about generation 1; the object is at generation 2" @1"#,
                r#"False RA "ma" @2"#,
                r#"Unknown ReconcilingDependents "A=False" @1"#,
                r#"False RA "ma" @2"#,
                r#"False IssuesReported "* A: ma" @2"#,
                r#"False RA "ma" @2"#,
                r#"False A_RA "A: ma" @2"#,
            ],
        },
        Row {
            given: "A True about generation 3, B True",
            inputs: vec![a(True).about(3), b(True)],
            answers: [
                r#"True Ready "" @2"#,
                r#"True Ready "" @2"#,
                r#"Unknown ReconcilingDependents "A=True" @2"#,
                r#"False Before "as before" @1"#,
                r#"True InfoReported "* A: ma\n* B: mb" @2"#,
                r#"True RA "ma" @2"#,
                r#"True AsExpected "A: ma\nB: mb" @2"#,
            ],
        },
        Row {
            given: "A Unknown, B Unknown and newer without having been reported",
            inputs: vec![a(Unknown), said("B", Unknown, "AwaitingReconciliation", "").since(20).about(2)],
            answers: [
                r#"Unknown RA "ma" @2"#,
                r#"Unknown RA "ma" @2"#,
                r#"Unknown ReconcilingDependents "B=Unknown, A=Unknown" @2"#,
                r#"Unknown RA "ma" @2"#,
                r#"Unknown UnknownReported "* A: ma\n* B: AwaitingReconciliation" @2"#,
                r#"Unknown RA "ma" @2"#,
                r#"Unknown A_RA::B_AwaitingReconciliation "A: ma" @2"#,
            ],
        },
        Row {
            given: "A missing, B True",
            inputs: vec![missing("A"), b(True)],
            answers: [
                r#"Unknown AwaitingReconciliation "A has not been reported yet" @2"#,
                r#"Unknown AwaitingReconciliation "A has not been reported yet" @2"#,
                r#"Unknown ReconcilingDependents "A=Unknown" @2"#,
                r#"Unknown AwaitingReconciliation "A has not been reported yet" @2"#,
                r#"Unknown UnknownReported "* A: Condition not yet reported" @2"#,
                r#"True RB "mb" @2"#,
                r#"True AsExpected "B: mb" @2"#,
            ],
        },
        Row {
            given: "A and B missing",
            inputs: vec![missing("A"), missing("B")],
            answers: [
                r#"Unknown AwaitingReconciliation "A has not been reported yet" @2"#,
                r#"Unknown AwaitingReconciliation "A has not been reported yet" @2"#,
                r#"Unknown ReconcilingDependents "A=Unknown, B=Unknown" @2"#,
                r#"Unknown AwaitingReconciliation "A has not been reported yet" @2"#,
                r#"Unknown UnknownReported "* A: Condition not yet reported\n* B: Condition not yet reported" @2"#,
                "-",
                r#"Unknown NoData "no condition counts for this one, so nothing vouches for it" @2"#,
            ],
        },
        Row {
            given: "nothing declared",
            inputs: vec![],
            answers: [
                r#"Unknown NothingDeclared "no condition counts for this one, so nothing vouches for it" @2"#,
                r#"True Ready "no condition counts for this one, and this policy takes that as good" @2"#,
                r#"Unknown NothingDeclared "no condition counts for this one, so nothing vouches for it" @2"#,
                r#"Unknown NothingDeclared "no condition counts for this one, so nothing vouches for it" @2"#,
                r#"Unknown NothingDeclared "no condition counts for this one, so nothing vouches for it" @2"#,
                "-",
                r#"Unknown NoData "no condition counts for this one, so nothing vouches for it" @2"#,
            ],
        },
    ];
    for Row { given, inputs, answers } in rows {
        for (name, expected) in COLUMNS.into_iter().zip(answers) {
            assert_eq!(show(&named(name), &inputs), expected, "{name} for {given}");
        }
    }
}

#[test]
fn a_stale_good_dependent_without_a_top_condition_to_hold_gives_no_answer_in_kro() {
    let context = Context::new("Ready", at(1000)).at_generation(Generation::from(2));
    assert_eq!(named("kro").roll_up([said("A", True, "Up", "").about(1)], &context), None);
}
