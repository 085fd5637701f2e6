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
fn an_eviction_is_refused_until_the_budget_allows_it_and_is_counted_then() {
    let engine = engine();
    let pods = "/api/v1/namespaces/default/pods";
    let budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    let pod = json!({
        "metadata": { "name": "p", "labels": { "app": "x" } },
        "spec": { "containers": [{ "name": "c", "image": "a" }] },
    });
    assert_eq!(post(&engine, pods, &pod).0, 201);
    let selector = json!({ "matchLabels": { "app": "x" } });
    let budget = json!({ "metadata": { "name": "b" }, "spec": { "minAvailable": 1, "selector": selector } });
    assert_eq!(post(&engine, budgets, &budget).0, 201);
    let status = |path: &str, status: &Value| {
        let body = json!({ "status": status }).to_string();
        let path = format!("{path}/status");
        send_at(&engine, at(0), "PATCH", &path, "application/merge-patch+json", body).unwrap().code
    };
    let ready = json!([{ "type": "Ready", "status": "True" }]);
    assert_eq!(status(&format!("{pods}/p"), &json!({ "phase": "Running", "conditions": ready })), 200);
    let evict = || {
        let eviction = json!({ "metadata": { "name": "p" } });
        post(&engine, &format!("{pods}/p/eviction"), &eviction)
    };
    let (code, body) = evict();
    assert_eq!((code, &body["details"]["retryAfterSeconds"]), (429, &json!(10)), "{body}");
    assert_eq!(status(&format!("{budgets}/b"), &json!({ "observedGeneration": 1 })), 200);
    assert_eq!(evict().0, 429);
    assert_eq!(status(&format!("{budgets}/b"), &json!({ "disruptionsAllowed": 1 })), 200);
    assert_eq!(evict().0, 201);
    let counted = send_at(&engine, at(0), "GET", &format!("{budgets}/b"), "", "").unwrap();
    assert_eq!(counted.body["status"]["disruptionsAllowed"], 0, "{}", counted.body);
    assert!(counted.body["status"]["disruptedPods"]["p"].is_string());
}

#[test]
fn a_token_is_reviewed_and_who_asks_is_told_who_they_are() {
    let engine = engine();
    let asked = post(&engine, "/apis/authentication.k8s.io/v1/selfsubjectreviews", &json!({}));
    assert_eq!(asked.0, 201, "{}", asked.1);
    assert!(asked.1["status"]["userInfo"]["username"].is_string(), "{}", asked.1);
    let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    let (code, body) = post(&engine, reviews, &json!({ "spec": { "token": "nobody's" } }));
    assert_eq!((code, body["status"].get("authenticated")), (201, None), "{body}");
    assert_eq!(post(&engine, reviews, &json!({ "spec": {} })).0, 400);
}
