use super::*;

/// What one rule finds in an object with one condition.
fn one(id: &str, fields: &Value) -> Vec<String> {
    found(&widget(&[condition(fields)]), id)
}

const NOTHING: [&str; 0] = [];

#[test]
fn o01_a_type_that_is_listed_twice_is_found_and_two_types_are_not() {
    let twice = widget(&[condition(&json!({})), condition(&json!({}))]);
    assert_eq!(found(&twice, "O01"), ["error status.conditions[Ready].type"]);
    assert_eq!(
        found(&widget(&[condition(&json!({})), condition(&json!({ "type": "Synced" }))]), "O01"),
        NOTHING
    );
}

#[test]
fn o02_a_type_is_legal_and_pascal_case() {
    for (type_, expected) in [
        (json!("my condition"), "error"),
        (json!("Speaker_1/Valid"), "error"),
        (json!(7), "error"),
        (json!(null), "error"),
        (json!("myCondition"), "warning"),
        (json!("my_condition"), "warning"),
        (json!("example.com/myCondition"), "warning"),
        (json!("Deploy"), "info"),
    ] {
        let found = one("O02", &json!({ "type": type_ }));
        assert!(found.len() == 1 && found[0].starts_with(expected), "{type_}: {found:?}");
    }
    for type_ in ["Ready", "example.com/MyCondition", "Deploying", "TLSReady", "IPv6Ready"] {
        assert_eq!(one("O02", &json!({ "type": type_ })), NOTHING, "{type_}");
    }
}

#[test]
fn o03_a_status_is_one_of_three_texts() {
    for status in [json!(true), json!("true"), json!("Yes"), json!(null), json!(1)] {
        assert_eq!(
            one("O03", &json!({ "status": status })),
            ["error status.conditions[Ready].status"],
            "{status}"
        );
    }
    for status in ["True", "False", "Unknown"] {
        assert_eq!(one("O03", &json!({ "status": status })), NOTHING);
    }
}

#[test]
fn o04_a_reason_is_one_word_of_a_fixed_set() {
    for (reason, expected) in [
        (json!(""), "error"),
        (json!(null), "error"),
        (json!("pod web-7f9c failed"), "error"),
        (json!("controller/poolReconcilerValid"), "error"),
        (json!("asWished"), "warning"),
        (json!("TypeA::TypeB_Failed"), "info"),
        (json!("Attempt1772359200"), "info"),
    ] {
        let found = one("O04", &json!({ "reason": reason }));
        assert_eq!(found, [format!("{expected} status.conditions[Ready].reason")], "{reason}");
    }
    for reason in ["AsWished", "HTTP404", "Http2Enabled", "Pending"] {
        assert_eq!(one("O04", &json!({ "reason": reason })), NOTHING, "{reason}");
    }
}

#[test]
fn o05_a_message_says_what_is_wrong_and_nothing_that_changes_by_itself() {
    let bad = |message: Value| json!({ "status": "False", "message": message });
    let path = "status.conditions[Ready].message";
    for (fields, expected) in [
        (bad(json!("")), "warning"),
        (bad(json!(null)), "error"),
        (bad(json!("x".repeat(32_769))), "error"),
        (bad(json!("failed at 2026-03-01T11:59:03Z, trying again")), "info"),
        (bad(json!("request 8f14e45f-ceea-467f-a9f4-0c1d2e3f4a5b failed")), "info"),
        (bad(json!("object 0xc000123456 is nil")), "info"),
    ] {
        assert_eq!(one("O05", &fields), [format!("{expected} {path}")], "{fields:.80}");
    }
    for fields in [
        json!({ "message": "" }),
        bad(json!("secret shop/tls does not exist")),
        bad(json!("x".repeat(32_768))),
    ] {
        assert_eq!(one("O05", &fields), NOTHING, "{fields:.80}");
    }
    let degraded = json!({ "type": "Degraded", "status": "False", "message": "" });
    assert_eq!(one("O05", &degraded), NOTHING, "that Degraded is False is good news");
}

#[test]
fn o06_a_transition_time_lies_between_creation_and_now() {
    let path = "status.conditions[Ready].lastTransitionTime";
    for (time, expected) in [
        (json!(null), "error"),
        (json!("2026-03-01T11:55:00Za"), "error"),
        (json!("soon"), "error"),
        (json!("1970-01-01T00:00:00Z"), "warning"),
        (json!("2026-03-01T13:00:00Z"), "warning"),
        (json!("2026-03-01T10:00:00Z"), "warning"),
    ] {
        assert_eq!(
            one("O06", &json!({ "lastTransitionTime": time })),
            [format!("{expected} {path}")],
            "{time}"
        );
    }
    for time in
        ["2026-03-01T11:55:00Z", "2026-03-01T12:00:30Z", "2026-03-01T11:00:00Z", "2026-03-01T13:55:00+02:00"]
    {
        assert_eq!(one("O06", &json!({ "lastTransitionTime": time })), NOTHING, "{time}");
    }
    let default = json!({ "status": "Unknown", "reason": "Pending", "lastTransitionTime": "1970-01-01T00:00:00Z", "observedGeneration": null });
    assert_eq!(one("O06", &default), NOTHING, "the default of a schema is as old as that");
}

#[test]
fn o07_a_generation_that_is_still_to_come_or_was_left_behind_is_found() {
    let path = "status.conditions[Ready].observedGeneration";
    assert_eq!(one("O07", &json!({ "observedGeneration": 3 })), [format!("error {path}")]);
    assert_eq!(one("O07", &json!({ "observedGeneration": "2" })), [format!("error {path}")]);
    assert_eq!(one("O07", &json!({})), NOTHING);

    let mut object =
        widget(&[condition(&json!({})), condition(&json!({ "type": "Synced", "observedGeneration": 1 }))]);
    object["status"]["observedGeneration"] = json!(2);
    assert_eq!(found(&object, "O07"), ["warning status.conditions[Synced].observedGeneration"]);
    object["status"]["conditions"][0]["status"] = json!("False");
    assert_eq!(found(&object, "O07"), NOTHING, "a top condition that is not True claims nothing");

    let mut text = widget(&[condition(&json!({}))]);
    text["status"]["observedGeneration"] = json!("2");
    assert_eq!(found(&text, "O07"), ["error status.observedGeneration"]);
}

#[test]
fn o08_a_generation_that_waits_for_long_is_found_and_a_fresh_one_is_not() {
    let behind = |written: Option<&str>| {
        let mut object = widget(&[condition(&json!({ "observedGeneration": 1 }))]);
        if let Some(time) = written {
            object["metadata"]["managedFields"] = json!([
                { "manager": "kubectl", "operation": "Update", "time": time, "fieldsV1": { "f:spec": {} } },
                { "manager": "controller", "operation": "Update", "subresource": "status", "time": "2026-03-01T11:59:59Z", "fieldsV1": {} },
            ]);
        }
        object
    };
    let path = "status.conditions[Ready].observedGeneration";
    assert_eq!(found(&behind(Some("2026-03-01T11:30:00Z")), "O08"), [format!("warning {path}")]);
    assert_eq!(
        found(&behind(Some("2026-03-01T11:59:00Z")), "O08"),
        NOTHING,
        "the controller has five minutes"
    );
    assert_eq!(found(&behind(None), "O08"), [format!("info {path}")], "since when is not known");

    let mut of_status = widget(&[condition(&json!({ "observedGeneration": null }))]);
    of_status["status"]["observedGeneration"] = json!(1);
    assert_eq!(found(&of_status, "O08"), ["info status.observedGeneration"]);
    of_status["metadata"]["deletionTimestamp"] = json!("2026-03-01T11:58:00Z");
    assert_eq!(found(&of_status, "O08"), NOTHING, "it is going away");

    let mut route = behind(Some("2026-03-01T11:30:00Z"));
    let fall_back = json!({ "type": "PartiallyInvalid", "message": "Fall Back to the last valid state" });
    route["status"]["conditions"].as_array_mut().unwrap().push(condition(&fall_back));
    assert_eq!(found(&route, "O08"), NOTHING, "the Gateway API lets a route keep its last good state");
}

#[test]
fn o09_conditions_of_a_changed_object_say_what_they_are_about() {
    let silent = condition(&json!({ "observedGeneration": null }));
    assert_eq!(found(&widget(std::slice::from_ref(&silent)), "O09"), ["warning status.conditions"]);
    assert_eq!(one("O09", &json!({ "observedGeneration": 0 })), ["warning status.conditions"]);
    assert_eq!(one("O09", &json!({})), NOTHING);

    let mut young = widget(std::slice::from_ref(&silent));
    young["metadata"]["generation"] = json!(1);
    assert_eq!(found(&young, "O09"), NOTHING, "there was no other generation");
    let mut of_status = widget(&[silent]);
    of_status["status"]["observedGeneration"] = json!(2);
    assert_eq!(found(&of_status, "O09"), NOTHING, "that of the status stands for all");
}

#[test]
fn errors_and_warnings_of_a_condition_are_nothing_to_complain_of() {
    let entry = json!({ "type": "TLSError", "status": "True", "reason": "SecretNotValid", "message": "no such secret" });
    let valid = json!({ "type": "Ready", "status": "False", "reason": "ErrorPresent", "message": "see Errors",
        "errors": [entry, entry], "warnings": [entry] });
    let plain =
        json!({ "type": "Ready", "status": "False", "reason": "ErrorPresent", "message": "see Errors" });
    assert_eq!(ids(&widget(&[condition(&valid)])), ids(&widget(&[condition(&plain)])));
    for odd in [json!(3), json!("boom"), json!([7]), json!({})] {
        let mut odd_one = valid.clone();
        odd_one["errors"] = odd;
        assert_eq!(ids(&widget(&[condition(&odd_one)])), ids(&widget(&[condition(&plain)])));
    }
}
