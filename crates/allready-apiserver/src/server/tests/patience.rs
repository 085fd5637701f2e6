//! Long requests beside short ones.

use std::sync::{Arc, Mutex};

use super::*;

/// Starts a long request and then a short one on one thread, and says in which order they were answered.
async fn order(
    server: &ApiServer,
    long: &'static str,
    kind: &'static str,
    body: String,
) -> Vec<&'static str> {
    let done = Arc::new(Mutex::new(Vec::new()));
    let send = |name: &'static str, line: &'static str, body: String| {
        let (server, done) = (server.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            let answer = ask(&server, line, &[("content-type", kind)], body).await;
            done.lock().unwrap().push(name);
            assert!(answer.code.is_success(), "{line}: {}", answer.text);
        })
    };
    let long = send("long", long, body);
    let short = send("short", "GET /api/v1/namespaces/default", String::new());
    long.await.unwrap();
    short.await.unwrap();
    Arc::into_inner(done).unwrap().into_inner().unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_long_request_does_not_hold_up_a_short_one() {
    let server = server();
    for index in 0..800 {
        assert_eq!(create(&server, &format!("g{index}")).await.code, 201);
    }
    let lines: Vec<_> = (0..20_000).map(|index| format!("  key{index}: \"value\"\n")).collect();
    let lines = lines.concat();
    let large =
        format!("apiVersion: lab.example/v1\nkind: Gadget\nmetadata: {{name: large}}\nspec:\n{lines}");
    for (line, kind, body) in [
        ("POST /apis/lab.example/v1/namespaces/default/gadgets", "application/yaml", large),
        ("GET /apis/lab.example/v1/namespaces/default/gadgets?pretty=true", "", String::new()),
        ("DELETE /apis/lab.example/v1/namespaces/default/gadgets", "", String::new()),
    ] {
        assert_eq!(order(&server, line, kind, body).await, ["short", "long"], "{line}");
    }
}
