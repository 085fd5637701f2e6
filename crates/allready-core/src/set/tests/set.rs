//! Descriptions: what is refused, and what survives a round trip.

use crate::{
    ConditionSet, Status, condition_type, reason,
    set::{Declared, SetDescription, SetError, SetTextError, Untouched},
};

#[test]
fn a_contradiction_is_refused_and_names_the_type() {
    let twice = "Ready: Synced, !Synced".parse::<ConditionSet>().unwrap_err();
    assert_eq!(
        twice.to_string(),
        "condition Synced is declared twice with different roles, polarities or starts: keep one declaration"
    );
    let pruned = ConditionSet::living().dependent(condition_type!("A")).prune(condition_type!("A")).build();
    assert_eq!(pruned, Err(SetError::PrunedAndDeclared { type_: condition_type!("A") }));
}

#[test]
fn a_dependent_may_start_bad_but_not_good() {
    let starting = |status| Declared::new(condition_type!("A")).starting(status, reason!("Starting"), "");
    assert!(ConditionSet::living().dependent(starting(Status::False)).build().is_ok());
    let good = ConditionSet::living().dependent(starting(Status::True)).build().unwrap_err();
    assert_eq!(good, SetError::StartsGood { type_: condition_type!("A"), status: Status::True });
    let good = ConditionSet::living().dependent(starting(Status::False).abnormal_true()).build().unwrap_err();
    assert_eq!(good, SetError::StartsGood { type_: condition_type!("A"), status: Status::False });
    assert!(ConditionSet::living().informational(starting(Status::True)).build().is_ok());
}

#[test]
fn a_line_that_is_no_set_is_refused_with_the_form() {
    for (text, expected) in [
        ("Ready", "\"Ready\" does not describe a condition set: write `Ready: Synced, !Degraded, (Cached)`"),
        ("", "\"\" does not describe a condition set: write `Ready: Synced, !Degraded, (Cached)`"),
        (
            "Ready: (A",
            "\"(A\" opens or closes a bracket alone: write an informational condition as `(Cached)` or `(!Paused)`",
        ),
    ] {
        assert_eq!(text.parse::<ConditionSet>().unwrap_err().to_string(), expected);
    }
    assert!(matches!("Re ady: A".parse::<ConditionSet>(), Err(SetTextError::Type(_))));
    assert!(matches!("Ready: (A))".parse::<ConditionSet>(), Err(SetTextError::Type(_))));
    assert!(matches!("{\"topp\": 1}".parse::<ConditionSet>(), Err(SetTextError::Json(_))));
    let unknown_policy = r#"{"policy": "loudest"}"#.parse::<ConditionSet>().unwrap_err().to_string();
    assert!(
        unknown_policy.contains("there is no roll-up policy \"loudest\": use one of newest-cause"),
        "{unknown_policy}"
    );
}

#[test]
fn a_description_survives_json_with_everything_it_says() {
    let set = ConditionSet::batch()
        .dependent(Declared::new(condition_type!("A")).described("Does A.").starting(
            Status::Unknown,
            reason!("Queued"),
            "in line",
        ))
        .informational(Declared::new(condition_type!("B")).abnormal_true())
        .prune(condition_type!("Old"))
        .good_reason(reason!("Done"))
        .untouched(Untouched::Remove)
        .open()
        .build()
        .unwrap();
    let json = serde_json::to_string(&set).unwrap();
    assert_eq!(serde_json::from_str::<ConditionSet>(&json).unwrap(), set);
    assert_eq!(serde_json::from_str::<SetDescription>(&json).unwrap(), SetDescription::from(&set));
}

#[test]
fn a_table_cell_never_breaks_the_table() {
    let set = ConditionSet::living()
        .dependent(Declared::new(condition_type!("A")).described("one | two\n\nthree"))
        .build()
        .unwrap();
    assert!(set.table().contains("| `A` | dependent | True | one \\| two three |\n"));
}
