//! Tests of what makes a server a cluster: its own service, tokens of service accounts, events that end.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use jiff::Timestamp;

use super::*;

const JSON: [(&str, &str); 1] = [("content-type", "application/json")];
const ACCOUNTS: &str = "/api/v1/namespaces/default/serviceaccounts";
const SECRETS: &str = "/api/v1/namespaces/default/secrets";

async fn post(server: &ApiServer, path: &str, body: &Value) -> Answered {
    let made = ask(server, &format!("POST {path}"), &JSON, body.to_string()).await;
    assert_eq!(made.code, 201, "{}", made.text);
    made
}

/// The owner of this token.
fn user(server: &ApiServer, token: &str) -> Option<String> {
    let found = server.shared.engine().service_account(token, server.shared.now());
    found.map(|user| user.name)
}

#[tokio::test]
async fn the_service_of_the_server_has_the_first_address_of_the_range_and_endpoints() {
    let server = ApiServer::builder().service_ips("10.96.0.0/16").build().unwrap();
    let service = get(&server, "/api/v1/namespaces/default/services/kubernetes").await.json();
    assert_eq!(service["spec"]["clusterIP"], "10.96.0.1");
    for path in
        ["api/v1/namespaces/default/endpoints", "apis/discovery.k8s.io/v1/namespaces/default/endpointslices"]
    {
        let found = get(&server, &format!("/{path}/kubernetes")).await;
        assert_eq!(found.code, 200, "{}", found.text);
    }
}

#[tokio::test]
async fn a_token_secret_is_filled_in_and_goes_with_its_account() {
    let server = ApiServer::new();
    let listening = server.listen(LOOPBACK).await.unwrap();
    post(&server, ACCOUNTS, &json!({ "metadata": { "name": "robot" } })).await;
    let annotations = json!({ "kubernetes.io/service-account.name": "robot" });
    let secret = json!({ "metadata": { "name": "t", "annotations": annotations }, "type": "kubernetes.io/service-account-token" });
    post(&server, SECRETS, &secret).await;
    let read = get(&server, &format!("{SECRETS}/t")).await.json();
    let text = |field: &str| {
        let encoded = read["data"][field].as_str().unwrap();
        String::from_utf8(BASE64_STANDARD.decode(encoded).unwrap()).unwrap()
    };
    assert_eq!(text("namespace"), "default");
    assert_eq!(Some(text("ca.crt").as_str()), listening.ca());
    assert_eq!(user(&server, &text("token")).as_deref(), Some("system:serviceaccount:default:robot"));

    assert_eq!(ask(&server, &format!("DELETE {ACCOUNTS}/robot"), &[], "").await.code, 200);
    assert_eq!(get(&server, &format!("{SECRETS}/t")).await.code, 404);
    assert_eq!(user(&server, &text("token")), None);
    // Without its account it does not stay either.
    post(&server, SECRETS, &secret).await;
    assert_eq!(get(&server, &format!("{SECRETS}/t")).await.code, 404);
}

#[tokio::test]
async fn tokens_are_saved_and_end_when_they_say() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("state");
    let before = ApiServer::builder().clock(|| Timestamp::UNIX_EPOCH).build().unwrap();
    post(&before, ACCOUNTS, &json!({ "metadata": { "name": "robot" } })).await;
    let made = post(&before, &format!("{ACCOUNTS}/robot/token"), &json!({ "spec": {} })).await.json();
    let token = made["status"]["token"].as_str().unwrap();
    before.save(&file).unwrap();
    for (second, holds) in [(3599, true), (3600, false)] {
        let now = Timestamp::from_second(second).unwrap();
        let after = ApiServer::builder().clock(move || now).load(&file).build().unwrap();
        assert_eq!(user(&after, token).is_some(), holds, "after {second} seconds");
    }
    let listed = get(&before, "/api/v1/namespaces/default/secrets").await.json();
    assert_eq!(listed["items"], json!([]), "nobody is served what is remembered of a token");
}

#[tokio::test]
async fn an_event_ends_an_hour_after_it_was_last_written_and_watchers_see_it_go() {
    const EVENTS: &str = "/api/v1/namespaces/default/events";
    let second = Arc::new(AtomicI64::new(0));
    let clock = Arc::clone(&second);
    let server = ApiServer::builder()
        .clock(move || Timestamp::from_second(clock.load(Ordering::Relaxed)).unwrap())
        .build()
        .unwrap();
    let event =
        |name: &str| json!({ "metadata": { "name": name }, "involvedObject": { "namespace": "default" } });
    for name in ["once", "twice"] {
        post(&server, EVENTS, &event(name)).await;
    }
    let mut seen = watch(&server, &format!("{EVENTS}?watch=1")).await;
    second.store(1800, Ordering::Relaxed);
    let again = json!({ "count": 2 }).to_string();
    let merge = [("content-type", "application/merge-patch+json")];
    assert_eq!(ask(&server, &format!("PATCH {EVENTS}/twice"), &merge, again).await.code, 200);
    second.store(3600, Ordering::Relaxed);
    assert_eq!(get(&server, &format!("{EVENTS}/once")).await.code, 404);
    assert_eq!(get(&server, &format!("{EVENTS}/twice")).await.code, 200);
    second.store(5400, Ordering::Relaxed);
    assert_eq!(get(&server, &format!("{EVENTS}/twice")).await.code, 404);
    let seen = events(&mut seen, 5).await;
    assert_eq!(seen, ["ADDED once", "ADDED twice", "MODIFIED twice", "DELETED once", "DELETED twice"]);
}
