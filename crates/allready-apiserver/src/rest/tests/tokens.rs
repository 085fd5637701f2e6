//! Tokens of service accounts, and what is kept although nobody is held to it.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::harness::{engine, send_at};
use crate::rest::Engine;

const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn post(engine: &Engine, path: &str, body: &Value) -> (u16, Value) {
    let reply = send_at(engine, at(0), "POST", path, "application/json", body.to_string()).unwrap();
    (reply.code, reply.body)
}

#[test]
fn a_token_is_good_until_it_expires_or_its_service_account_is_another() {
    let engine = engine();
    let account = json!({ "metadata": { "name": "reader" } });
    assert_eq!(post(&engine, ACCOUNTS, &account).0, 201);
    let path = format!("{ACCOUNTS}/reader/token");
    let (code, made) = post(&engine, &path, &json!({ "spec": { "expirationSeconds": 600 } }));
    assert_eq!((code, &made["status"]["expirationTimestamp"]), (201, &json!("1970-01-01T00:10:00Z")));
    let token = made["status"]["token"].as_str().unwrap();
    let name = |second| engine.service_account(token, at(second)).map(|user| user.name);
    assert_eq!(name(599).as_deref(), Some("system:serviceaccount:default:reader"));
    assert_eq!(name(600), None);
    assert_eq!(engine.service_account("another", at(0)), None);
    send_at(&engine, at(0), "DELETE", &format!("{ACCOUNTS}/reader"), "", "").unwrap();
    assert_eq!(name(0), None);
    assert_eq!(post(&engine, ACCOUNTS, &account).0, 201);
    assert_eq!(name(0), None);
}

#[test]
fn a_request_for_what_is_not_given_is_refused() {
    let engine = engine();
    assert_eq!(post(&engine, ACCOUNTS, &json!({ "metadata": { "name": "reader" } })).0, 201);
    let path = format!("{ACCOUNTS}/reader/token");
    for spec in [
        json!({ "expirationSeconds": 599 }),
        json!({ "expirationSeconds": (1_i64 << 32) + 1 }),
        json!({ "audiences": ["vault"] }),
        json!({ "boundObjectRef": { "kind": "Pod", "name": "a" } }),
    ] {
        let (code, body) = post(&engine, &path, &json!({ "spec": spec }));
        assert_eq!((code, &body["reason"]), (422, &json!("Invalid")), "{body}");
    }
    assert_eq!(post(&engine, &format!("{ACCOUNTS}/nobody/token"), &json!({})).0, 404);
}

#[test]
fn a_budget_is_kept_with_a_warning_that_it_does_not_hold() {
    let engine = engine();
    let path = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let body = json!({ "metadata": { "name": "a" }, "spec": { "maxUnavailable": 1 } });
    let warning = r#"PodDisruptionBudget "a": stored, but evictions do not respect it on this server"#;
    let reply = send_at(&engine, at(0), "POST", path, "application/json", body.to_string()).unwrap();
    assert_eq!((reply.code, reply.warnings), (201, vec![warning.to_owned()]), "{}", reply.body);
    let found = send_at(&engine, at(0), "GET", &format!("{path}/a"), "", "").unwrap();
    assert_eq!(found.body["metadata"]["generation"], 1);
}
