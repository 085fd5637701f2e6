use serde_json::json;

use super::*;

const NOW: &str = "2026-11-15T06:00:00Z";

fn masked(answers: &[Value]) -> Masked {
    let records =
        answers.iter().map(|answer| Record { step: String::new(), answer: answer.clone() }).collect();
    mask(&Transcript { records }, NOW.parse().unwrap())
}

fn answer(value: Value) -> Value {
    masked(&[value]).records[0].answer.clone()
}

#[test]
fn equal_resource_versions_get_one_name_and_new_ones_another() {
    let object = |version: &str| json!({ "metadata": { "resourceVersion": version } });
    let masked = masked(&[object("70"), object("70"), object("69")]);
    let name = |index: usize| masked.records[index].answer["metadata"]["resourceVersion"].clone();
    assert_eq!(name(0), "<rv 1.1>");
    assert_eq!(name(1), "<rv 1.1>");
    assert_eq!(name(2), "<rv 3.1>");
    assert_eq!(masked.order, ["<rv 3.1>", "<rv 1.1>"]);
}

#[test]
fn a_list_is_placed_after_the_newest_object_that_it_can_show() {
    let object = json!({ "metadata": { "resourceVersion": "70" } });
    let list = |version: &str| json!({ "kind": "ThingList", "items": [], "metadata": { "resourceVersion": version } });
    let masked = masked(&[object, list("70"), list("75"), list("60")]);
    let name = |index: usize| masked.records[index].answer["metadata"]["resourceVersion"].clone();
    assert_eq!(name(1), "<rv since <rv 1.1>>");
    assert_eq!(name(2), "<rv since <rv 1.1>>");
    assert_eq!(name(3), "<rv>");
}

#[test]
fn uids_are_named_by_first_sight_inside_messages_too() {
    let uid = "0b1c1e6e-3f0b-4a43-9a57-0f3a9d1d4c11";
    let shown =
        answer(json!({ "metadata": { "uid": uid }, "message": format!("UID in object meta: {uid}") }));
    assert_eq!(
        shown,
        json!({ "metadata": { "uid": "<uid 1.1>" }, "message": "UID in object meta: <uid 1.1>" })
    );
}

#[test]
fn only_times_near_the_run_are_hidden_and_their_precision_stays() {
    let shown =
        answer(json!(["2026-11-15T06:00:01Z", "2026-11-15T06:00:01.123456Z", "2024-01-01T00:00:00Z"]));
    assert_eq!(shown, json!(["<time>", "<time with 6 digits>", "2024-01-01T00:00:00Z"]));
}

#[test]
fn generated_names_keep_their_prefix() {
    let shown = answer(
        json!({ "metadata": { "generateName": "gen-", "name": "gen-x7k2p" }, "message": "gen-x7k2p is there" }),
    );
    assert_eq!(shown["metadata"]["name"], "gen-<generated 1>");
    assert_eq!(shown["message"], "gen-<generated 1> is there");
}

#[test]
fn managers_sorted_by_time_are_put_in_one_order_and_unsorted_ones_show() {
    let entry = |manager: &str, second: u8| json!({ "operation": "Apply", "manager": manager, "time": format!("2026-11-15T06:00:0{second}Z") });
    let managers = |entries: Value| {
        let shown = answer(json!({ "metadata": { "managedFields": entries } }));
        shown["metadata"]["managedFields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|e| e["manager"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(managers(json!([entry("b", 1), entry("a", 2)])), ["a", "b"]);
    assert_eq!(managers(json!([entry("b", 1), entry("a", 1)])).len(), 3);
}

#[test]
fn ages_continue_tokens_addresses_and_what_a_message_says_of_versions_are_hidden() {
    let shown = answer(json!({
        "metadata": { "continue": "eyJ2Ijoi", "remainingItemCount": 3 },
        "rows": [{ "cells": ["a", "12s", "3m4s"] }],
        "serverAddress": "127.0.0.1:80",
        "spec": { "clusterIP": "10.0.0.7", "ports": [{ "nodePort": 30001 }] },
        "message": "Too large resource version: 999, current: 123",
        "url": "/openapi/v3/api/v1?hash=AB12",
    }));
    assert_eq!(
        shown,
        json!({
            "metadata": { "continue": "<continue>", "remainingItemCount": 3 },
            "rows": [{ "cells": ["a", "<age>", "<age>"] }],
            "serverAddress": "<address>",
            "spec": { "clusterIP": "<cluster ip>", "ports": [{ "nodePort": "<node port>" }] },
            "message": "Too large resource version: 999, current: <rv>",
            "url": "/openapi/v3/api/v1?hash=<hash>",
        })
    );
}

#[test]
fn yaml_is_masked_like_json() {
    let text = "apiVersion: v1\nitems:\n- metadata:\n    resourceVersion: \"7\"\nkind: ThingList\nmetadata:\n  continue: abc\n  resourceVersion: \"9\"\n";
    assert_eq!(
        answer(json!(text)),
        "apiVersion: v1\nitems:\n- metadata:\n    resourceVersion: <rv 1.1>\nkind: ThingList\nmetadata:\n  continue: <continue>\n  resourceVersion: <rv since <rv 1.1>>\n"
    );
}

#[test]
fn causes_of_a_custom_object_are_compared_in_any_order_and_those_of_a_built_in_kind_are_not() {
    let status = |group: &str, fields: [&str; 2]| {
        answer(json!({
            "reason": "Invalid",
            "message": format!("x is invalid: [{}, {}]", fields[0], fields[1]),
            "details": { "group": group, "causes": [{ "field": fields[0] }, { "field": fields[1] }] },
        }))
    };
    assert_eq!(status("a.example.com", ["a", "b"]), status("a.example.com", ["b", "a"]));
    assert_ne!(status("apps", ["a", "b"]), status("apps", ["b", "a"]));
}
