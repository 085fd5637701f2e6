//! Strict reading: what the API server would refuse is refused, and the refusal says which field and what is allowed.

use serde_json::{Value, json};

use super::{Condition, SubCondition};
use crate::{Status, condition_type, reason};

fn legal() -> Value {
    json!({
        "type": "Ready", "status": "True", "reason": "Up", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": 1,
    })
}

fn refusal(condition: &Value) -> String {
    let from_value = serde_json::from_value::<Condition>(condition.clone()).unwrap_err().to_string();
    let from_text = serde_json::from_str::<Condition>(&condition.to_string()).unwrap_err().to_string();
    assert!(from_text.starts_with(&from_value), "{from_text:?} should be {from_value:?} and the place");
    from_value
}

#[test]
fn a_value_that_is_not_allowed_is_refused_with_its_field_and_what_is() {
    for (field, value, expected) in [
        ("type", json!(7), r#"integer `7`, expected a condition type, which is a text such as "Ready""#),
        ("type", json!("a b"), r#"condition type "a b" is not allowed: the name must start and end with"#),
        (
            "status",
            json!(true),
            r#"boolean `true`, expected a status, which is one of the texts "True", "False" and "Unknown""#,
        ),
        ("status", json!("true"), r#"status "true" is not allowed: use "True", "False" or "Unknown""#),
        ("status", json!(null), "null, expected a status"),
        ("reason", json!(3), r#"integer `3`, expected a reason, which is a text such as "Accepted""#),
        ("reason", json!(""), r#"reason "" is not allowed: it is empty"#),
        ("message", json!(null), "null, expected a message, which is a text, if only an empty one"),
        ("message", json!("x".repeat(40_000)), "the message has 40000 bytes; at most 32768 are allowed"),
        ("lastTransitionTime", json!(3), "integer `3`, expected a time, which is a text in RFC 3339"),
        ("lastTransitionTime", json!("yesterday"), r#"time "yesterday" is not allowed: write RFC 3339"#),
        ("observedGeneration", json!(-1), "generation -1 is not allowed: it must be 0 or more"),
        (
            "observedGeneration",
            json!("3"),
            r#"string "3", expected a generation, which is a whole number of 0 or more"#,
        ),
        ("observedGeneration", json!(1.5), "floating point `1.5`, expected a generation"),
        ("observedGeneration", json!(u64::MAX), "a generation of more than 63 bits is not allowed"),
    ] {
        let mut condition = legal();
        condition[field] = value;
        let refusal = refusal(&condition);
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn only_the_generation_may_be_absent() {
    for field in ["type", "status", "reason", "message", "lastTransitionTime"] {
        let mut condition = legal();
        condition.as_object_mut().unwrap().remove(field);
        assert_eq!(refusal(&condition), format!("missing field `{field}`"));
    }
    for absent in [None, Some(Value::Null)] {
        let mut condition = legal();
        match absent {
            None => drop(condition.as_object_mut().unwrap().remove("observedGeneration")),
            Some(null) => condition["observedGeneration"] = null,
        }
        assert_eq!(serde_json::from_value::<Condition>(condition).unwrap().observed_generation, None);
    }
}

#[test]
fn errors_and_warnings_may_be_absent_or_null_and_are_then_not_written() {
    for empty in [None, Some(json!(null)), Some(json!([]))] {
        let mut wire = legal();
        for field in ["errors", "warnings"] {
            if let Some(empty) = &empty {
                wire[field] = empty.clone();
            }
        }
        let condition: Condition = serde_json::from_value(wire).unwrap();
        assert_eq!(serde_json::to_value(&condition).unwrap(), legal());
    }
}

#[test]
fn an_error_that_is_not_allowed_is_refused() {
    let error = json!({"type": "TLSError", "status": "True", "reason": "SecretNotValid", "message": "no such secret"});
    let mut condition = legal();
    condition["errors"] = json!([error]);
    assert_eq!(
        serde_json::to_value(serde_json::from_value::<Condition>(condition.clone()).unwrap()).unwrap(),
        condition
    );
    for (errors, expected) in [
        (json!(7), "integer `7`, expected a sequence"),
        (json!(["TLSError"]), "string \"TLSError\", expected struct SubCondition"),
        (json!([{"type": "TLSError", "status": "True", "reason": "Bad"}]), "missing field `message`"),
        (
            json!([{"type": "TLSError", "status": "True", "reason": "a b", "message": ""}]),
            "reason \"a b\" is not allowed",
        ),
    ] {
        condition["errors"] = errors;
        let refusal = refusal(&condition);
        assert!(refusal.contains(expected), "{refusal}");
    }
}

#[test]
fn conditions_that_differ_in_their_errors_do_not_say_the_same() {
    let plain: Condition = serde_json::from_value(legal()).unwrap();
    let error = SubCondition {
        type_: condition_type!("TLSError"),
        status: Status::True,
        reason: reason!("SecretNotValid"),
        message: "".into(),
    };
    let with_error = Condition { errors: [error.clone()].into(), ..plain.clone() };
    let with_warning = Condition { warnings: [error].into(), ..plain.clone() };
    assert!(plain.says_the_same(&plain.clone()) && with_error.says_the_same(&with_error.clone()));
    assert!(!plain.says_the_same(&with_error) && !with_error.says_the_same(&with_warning));
}

#[test]
fn a_condition_without_errors_is_two_cache_lines_and_a_half() {
    assert!(size_of::<Condition>() <= 160, "{}", size_of::<Condition>());
}
