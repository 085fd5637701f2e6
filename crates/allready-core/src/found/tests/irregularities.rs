//! Each irregularity by example.

use serde_json::{Value, json};

use super::super::irregularity::describe;
use super::super::{IrregularityKind as Kind, TimeProblem, read};
use super::{noted, time, with, without};
use crate::condition::{ConditionTypeProblem, ReasonProblem};
use crate::{Condition, Generation, Status, Time};

#[test]
fn a_legal_condition_has_no_irregularity_and_is_read_as_the_strict_reader_does() {
    for entry in [
        with("message", json!("")),
        with("observedGeneration", json!(0)),
        with("observedGeneration", json!(null)),
        without("observedGeneration"),
        with("severity", json!("Warning")),
        with("lastProbeTime", json!(null)),
        with("lastHeartbeatTime", json!(17)),
        with("lastTransitionTime", json!("2026-03-01T10:00:00.123456789Z")),
        with("lastTransitionTime", json!("2026-03-01T12:00:00+02:00")),
        with("type", json!("speaker-kind-worker/frrk8sReconcilerValid")),
    ] {
        assert_eq!(noted(&entry).1, [""; 0]);
        let list = json!([entry]);
        let strict: Vec<Condition> = serde_json::from_value(list.clone()).unwrap();
        assert_eq!(read(&list).to_conditions(Time::EPOCH), strict);
        assert_eq!(read(&list).conditions()[0].raw, &list[0], "nothing is lost");
    }
}

#[test]
fn every_irregularity_is_named_with_its_place_what_is_allowed_and_how_it_was_read() {
    let text = |text: &str| format!("the text {text:?}");
    let cases = [
        (
            json!("Ready"),
            Kind::NotAnObject { found: text("Ready") },
            r#"conditions[0] is the text "Ready"; write an object (nothing in it was read)"#,
        ),
        (
            without("type"),
            Kind::Missing { read_as: "empty" },
            "conditions[0].type is missing; every condition must have it (read as empty)",
        ),
        (
            with("type", json!(7)),
            Kind::NotText { found: "the number 7".into(), read_as: "7".into() },
            r#"conditions[0].type is the number 7; write a text (read as "7")"#,
        ),
        (
            with("type", json!("is ready")),
            Kind::Type { found: "is ready".into(), problem: ConditionTypeProblem::Name },
            "conditions[0].type is \"is ready\", which is not allowed: the name must start and end with a letter or \
             digit and have only letters, digits, `-`, `_` and `.` inside (and at most one `/`, after a prefix) (kept \
             as it is)",
        ),
        (
            with("status", json!(false)),
            Kind::StatusBoolean { found: false },
            r#"conditions[0].status is the boolean false; write the text "False" (read as False)"#,
        ),
        (
            with("status", json!(" TRUE ")),
            Kind::StatusSpelling { found: " TRUE ".into(), read_as: Status::True },
            r#"conditions[0].status is the text " TRUE "; write "True" (read as True)"#,
        ),
        (
            with("status", json!("randomstatus")),
            Kind::StatusUnreadable { found: text("randomstatus") },
            "conditions[0].status is the text \"randomstatus\"; write \"True\", \"False\" or \"Unknown\" (read as \
             Unknown)",
        ),
        (
            with("reason", json!("X @ Kind/name")),
            Kind::Reason { found: "X @ Kind/name".into(), problem: ReasonProblem::Characters },
            "conditions[0].reason is \"X @ Kind/name\", which is not allowed: it must start with a letter, go on with \
             letters, digits, `_`, `,` or `:`, and end with a letter, digit or `_` (kept as it is)",
        ),
        (
            with("message", json!("x".repeat(32_769))),
            Kind::MessageTooLong { found: 32_769 },
            "conditions[0].message has 32769 bytes; at most 32768 are allowed (kept as it is)",
        ),
        (
            with("lastTransitionTime", json!("2026-03-01 10:00:00Z")),
            Kind::TimeForm {
                found: text("2026-03-01 10:00:00Z"),
                problem: TimeProblem::Separator,
                read_as: time("2026-03-01T10:00:00Z"),
            },
            "conditions[0].lastTransitionTime is the text \"2026-03-01 10:00:00Z\", which has no `T` between date and \
             time; write \"2026-03-01T10:00:00Z\" (read as that)",
        ),
        (
            with("lastTransitionTime", json!("yesterday")),
            Kind::TimeUnreadable { found: text("yesterday") },
            "conditions[0].lastTransitionTime is the text \"yesterday\"; write a time in RFC 3339 such as \
             \"2026-03-01T10:00:00Z\" (read as no time)",
        ),
        (
            with("observedGeneration", json!("3")),
            Kind::GenerationForm { found: text("3"), read_as: Generation::from(3) },
            r#"conditions[0].observedGeneration is the text "3"; write the number 3 (read as that)"#,
        ),
        (
            with("observedGeneration", json!(-1)),
            Kind::GenerationUnreadable { found: "the number -1".into() },
            "conditions[0].observedGeneration is the number -1; write a whole number of 0 or more (read as no \
             generation)",
        ),
    ];
    for (entry, kind, sentence) in cases {
        assert_eq!(noted(&entry), (vec![kind], vec![sentence.to_owned()]));
    }
}

#[test]
fn a_missing_or_null_field_is_noted_and_only_the_generation_may_be_missing() {
    for (field, read_as) in [
        ("type", "empty"),
        ("status", "Unknown"),
        ("reason", "empty"),
        ("message", "empty"),
        ("lastTransitionTime", "no time"),
    ] {
        for entry in [without(field), with(field, Value::Null)] {
            let list = json!([entry]);
            let list = read(&list);
            let [only] = list.irregularities() else { panic!("{field}: {:?}", list.irregularities()) };
            assert_eq!(only.kind, Kind::Missing { read_as });
            assert_eq!(only.path.to_string(), format!("conditions[0].{field}"));
        }
    }
}

#[test]
fn what_is_no_list_of_conditions_is_said_to_be_what_it_is() {
    for (value, found) in [
        (json!({}), "an object"),
        (json!("None"), "the text \"None\""),
        (json!(true), "the boolean true"),
        (json!(-1.5), "the number -1.5"),
    ] {
        let list = read(&value);
        assert_eq!(list.conditions(), []);
        assert_eq!(list.irregularities()[0].kind, Kind::NotAList { found: found.to_owned() });
        assert_eq!(
            list.irregularities()[0].to_string(),
            format!("conditions is {found}; write a list of conditions (nothing was read)")
        );
    }
    assert_eq!(read(&json!([])), read(&json!(null)));
}

#[test]
fn texts_that_are_something_else_become_their_json() {
    for (value, text) in [
        (json!(404), "404"),
        (json!(true), "true"),
        (json!(["a", 1]), r#"["a",1]"#),
        (json!({"a": null}), r#"{"a":null}"#),
    ] {
        for field in ["type", "reason", "message"] {
            let list = json!([with(field, value.clone())]);
            let list = read(&list);
            let found = &list.conditions()[0];
            let read = match field {
                "type" => &found.type_,
                "reason" => &found.reason,
                _ => &found.message,
            };
            assert_eq!(read, text);
            let [only] = list.irregularities() else { panic!("{:?}", list.irregularities()) };
            assert!(matches!(&only.kind, Kind::NotText { read_as, .. } if read_as == text));
            assert_eq!(only.path.field, Some(field));
        }
    }
}

#[test]
fn only_the_three_words_can_be_meant_by_a_status() {
    for (value, status) in [
        (json!("true"), Status::True),
        (json!("FALSE"), Status::False),
        (json!("unknown\n"), Status::Unknown),
        (json!(true), Status::True),
        (json!(""), Status::Unknown),
        (json!("yes"), Status::Unknown),
        (json!("1"), Status::Unknown),
        (json!(1), Status::Unknown),
        (json!(["True"]), Status::Unknown),
        (json!({"status": "True"}), Status::Unknown),
    ] {
        let list = json!([with("status", value)]);
        let list = read(&list);
        assert_eq!(list.conditions()[0].status, status);
        assert_eq!(list.irregularities().len(), 1);
        assert_eq!(list.irregularities()[0].path.field, Some("status"));
    }
}

#[test]
fn illegal_texts_are_kept_in_full_and_quoted_in_part() {
    let long = "é".repeat(2000);
    for (field, problem) in [("type", "longer than 316 bytes"), ("reason", "longer than 1024 bytes")] {
        let list = json!([with(field, json!(long))]);
        let list = read(&list);
        let sentence = list.irregularities()[0].to_string();
        assert!(sentence.contains(problem) && sentence.len() < 300, "{sentence}");
        let found = &list.conditions()[0];
        assert_eq!(if field == "type" { &found.type_ } else { &found.reason }, &long);
    }
    for field in ["type", "reason"] {
        assert!(noted(&with(field, json!(""))).1[0].contains("it is empty; write"));
    }
    let sentence = noted(&with("status", json!("\u{1b}[31mred\u{202e}"))).1.remove(0);
    assert!(sentence.contains(r#"the text "\u{1b}[31mred\u{202e}""#), "{sentence}");
}

#[test]
fn times_are_read_where_they_are_clear() {
    use TimeProblem::{Fraction, NoZone, Number, Separator, Surroundings, Zone};
    for (value, problem) in [
        (json!("2026-03-01T10:00:00Za"), Surroundings),
        (json!(" 2026-03-01T10:00:00Z"), Surroundings),
        (json!("2026-03-01T11:00:00+01:00[Europe/Berlin]"), Surroundings),
        (json!("2026-03-01 10:00:00.5 +0000 UTC m=+0.1"), Surroundings),
        (json!("2026-03-01T10:00:00"), NoZone),
        (json!("2026-03-01 10:00:00.123"), NoZone),
        (json!("2026-03-01T10:00:00+0000"), Zone),
        (json!("2026-03-01T08:00:00-02"), Zone),
        (json!("2026-03-01 10:00:00 UTC"), Zone),
        (json!("2026-03-01t10:00:00z"), Zone),
        (json!("2026-03-01t10:00:00Z"), Separator),
        (json!("2026-03-01T10:00:00,5Z"), Fraction),
        (json!("2026-03-01T10:00:00.1234567891Z"), Fraction),
        (json!(1_772_359_200), Number),
        (json!(1_772_359_200.75), Number),
    ] {
        let found = describe(&value);
        let read_as = time("2026-03-01T10:00:00Z");
        let (kinds, _) = noted(&with("lastTransitionTime", value));
        assert_eq!(kinds, [Kind::TimeForm { found, problem, read_as }]);
    }
}

#[test]
fn times_that_may_mean_something_else_are_not_read() {
    for value in [
        json!(""),
        json!("2026-03-01"),
        json!("2026-03-01T10:00Z"),
        json!("2026-03-01T10:00:00.Z"),
        json!("2026-03-01T10:00:00 CET"),
        json!("2026-03-01T10:00:00Z+01:00"),
        json!("2026-03-01T10:00:00+01:000"),
        json!("2026-03-01T10:00:00+25:00"),
        json!("2026-02-30T10:00:00Z"),
        json!("2026-03-01T23:59:60Z"),
        json!("0000-01-01T00:00:00+01:00"),
        json!("01/03/2026 10:00:00"),
        json!("1772359200"),
        json!(0),
        json!(1_772_359_200_000_i64),
        json!(-1),
        json!(true),
        json!({"seconds": 1_772_359_200}),
    ] {
        let list = json!([with("lastTransitionTime", value.clone())]);
        let list = read(&list);
        assert_eq!(list.conditions()[0].since, None, "for {value}");
        assert!(matches!(list.irregularities()[0].kind, Kind::TimeUnreadable { .. }), "for {value}");
        assert_eq!(list.to_conditions(Time::EPOCH)[0].last_transition_time, Time::EPOCH);
    }
}

#[test]
fn generations_are_read_where_they_are_whole_and_not_negative() {
    for (value, read_as) in
        [(json!("3"), 3), (json!(" 4 "), 4), (json!(3.0), 3), (json!("0"), 0), (json!(-0.0), 0)]
    {
        let kind = Kind::GenerationForm { found: describe(&value), read_as: Generation::from(read_as) };
        assert_eq!(noted(&with("observedGeneration", value)).0, [kind]);
    }
    for value in [
        json!(-1),
        json!("-1"),
        json!(1.5),
        json!(1e300),
        json!(u64::MAX),
        json!("99999999999999999999"),
        json!("7d66d4485f"),
        json!(""),
        json!(true),
        json!([3]),
    ] {
        let list = json!([with("observedGeneration", value.clone())]);
        assert_eq!(read(&list).conditions()[0].observed, None, "for {value}");
        assert!(matches!(noted(&list[0]).0[..], [Kind::GenerationUnreadable { .. }]), "for {value}");
    }
}

#[test]
fn errors_and_warnings_of_any_shape_are_read_and_none_is_an_irregularity() {
    for (value, messages) in [
        (json!(null), vec![]),
        (json!([]), vec![]),
        (json!({}), vec![]),
        (json!(0), vec![]),
        (json!(" "), vec![]),
        (json!(false), vec![]),
        (json!(3), vec!["3"]),
        (json!("boom"), vec!["boom"]),
        (json!([7, "boom", null, [1]]), vec!["7", "boom", "null", "[1]"]),
        (json!([{"type": "TLSError", "status": "True", "reason": "Bad", "message": "no"}]), vec!["no"]),
        (json!([{"reason": "Bad"}]), vec![""]),
        (json!([{"code": "2009"}]), vec![r#"{"code":"2009"}"#]),
        (json!([{"message": {"a": 1}, "status": [], "type": 3}]), vec![r#"{"a":1}"#]),
        (json!(["\u{1b}[31mred"]), vec!["\u{1b}[31mred"]),
    ] {
        for field in ["errors", "warnings"] {
            let entry = with(field, value.clone());
            assert_eq!(noted(&entry).1, [""; 0]);
            let list = json!([entry]);
            let found = read(&list);
            let condition = &found.conditions()[0];
            let (ours, other) = match field {
                "errors" => (condition.errors, condition.warnings),
                _ => (condition.warnings, condition.errors),
            };
            let read: Vec<_> = ours.iter().map(|one| one.message).collect();
            assert_eq!(read, messages, "{value}");
            assert_eq!((ours.len(), ours.is_empty(), other.len()), (messages.len(), messages.is_empty(), 0));
            let wire = serde_json::to_value(found.to_conditions(Time::EPOCH)).unwrap();
            serde_json::from_value::<Vec<Condition>>(wire).expect("what was made legal is legal");
        }
    }
}

#[test]
fn errors_of_entries_that_disagree_are_not_those_of_the_merged_one() {
    let mut broken = with("status", json!("False"));
    broken["errors"] = json!(["boom"]);
    let list = json!([broken, with("status", json!("True"))]);
    assert_eq!(read(&list).to_conditions(Time::EPOCH)[0].errors.len(), 0);
    let list = json!([broken]);
    assert_eq!(read(&list).to_conditions(Time::EPOCH)[0].errors[0].message, "boom");
}
