//! Waiting on the embedded server, with what goes wrong there.

use std::{
    convert::Infallible,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
    server::Keep,
};
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    client::Body,
    core::{ApiResource, DynamicObject, GroupVersionKind},
};
use serde_json::json;
use tokio::task::JoinHandle;
use tower::service_fn;

use crate::wait::*;

const LONG: Duration = Duration::from_mins(10);

fn nodes(server: &ApiServer) -> Api<Node> {
    Api::all(Client::new(server.service(), "default"))
}

async fn create(nodes: &Api<Node>) {
    let node = json!({ "metadata": { "name": "worker" } });
    nodes.create(&PostParams::default(), &serde_json::from_value(node).unwrap()).await.unwrap();
}

async fn report(nodes: &Api<Node>, type_: &str, status: &str) {
    let patch =
        json!({ "status": { "conditions": [{ "type": type_, "status": status, "reason": "Told" }] } });
    nodes.patch_status("worker", &PatchParams::default(), &Patch::Merge(patch)).await.unwrap();
}

fn waiting(nodes: &Api<Node>, wait: Wait) -> JoinHandle<Result<Node, WaitError>> {
    let nodes = nodes.clone();
    tokio::spawn(async move { wait.run(&nodes, "worker").await })
}

fn for_ready() -> Wait {
    Wait::new(has_condition("Ready").unless(has_condition("Stalled")), LONG)
}

/// Until so many watches are open.
async fn watched(server: &ApiServer, count: usize) {
    let until = async {
        while server.watches() != count {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), until).await.expect("nobody watches");
}

#[tokio::test]
async fn what_is_so_already_is_returned_at_once() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    create(&nodes).await;
    report(&nodes, "Ready", "True").await;
    let node = wait_for(&nodes, "worker", has_condition("Ready"), LONG).await.unwrap();
    assert_eq!(node.metadata.name.as_deref(), Some("worker"));
}

#[tokio::test]
async fn what_becomes_so_is_returned_when_it_does() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    create(&nodes).await;
    let waiting = waiting(&nodes, for_ready());
    watched(&server, 1).await;
    report(&nodes, "Ready", "False").await;
    report(&nodes, "Ready", "True").await;
    let node = waiting.await.unwrap().unwrap();
    assert_eq!(node.status.unwrap().conditions.unwrap()[0].status, "True");
}

#[tokio::test]
async fn a_terminal_condition_ends_the_wait_and_is_told() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    create(&nodes).await;
    let waiting = waiting(&nodes, for_ready());
    watched(&server, 1).await;
    report(&nodes, "Stalled", "True").await;
    let error = waiting.await.unwrap().unwrap_err();
    let WaitError::Terminal { conditions, .. } = &error else { panic!("{error}") };
    assert_eq!((conditions[0].type_.as_str(), conditions[0].reason.as_str()), ("Stalled", "Told"));
    assert_eq!(error.to_string(), "nodes/worker: will not come to it: Stalled is True (Told)");
}

#[tokio::test]
async fn watches_may_end_and_the_past_be_forgotten() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    create(&nodes).await;
    let waiting = waiting(&nodes, for_ready());
    for _ in 0..3 {
        watched(&server, 1).await;
        report(&nodes, "Ready", "False").await;
        server.close_watches();
        watched(&server, 1).await;
        server.faults().add(Rule::new(Effect::Compact).verb(Verb::Watch).next_calls(1));
        server.faults().add(Rule::new(Effect::InternalError).verb(Verb::List).next_calls(2));
        server.faults().add(Rule::new(Effect::Unavailable).verb(Verb::Watch).next_calls(1));
        server.restart(Keep::Data);
    }
    // Nobody sees this happen.
    server.faults().add(Rule::new(Effect::CloseWatch).verb(Verb::Watch).kind("Node").next_calls(1));
    watched(&server, 1).await;
    report(&nodes, "Ready", "True").await;
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_past_that_is_always_too_old_is_not_asked_for_in_a_tight_circle() {
    let gone = json!({ "kind": "Status", "status": "Failure", "reason": "Expired", "message": "too old", "code": 410 });
    let list = json!({ "kind": "NodeList", "apiVersion": "v1", "metadata": { "resourceVersion": "1" }, "items": [] });
    // The list itself, or each watch that begins where the list ends.
    for (code, listed) in [(410, &gone), (200, &list)] {
        let asked = Arc::new(AtomicUsize::new(0));
        let (count, listed, gone) = (Arc::clone(&asked), listed.to_string(), gone.to_string());
        let server = service_fn(move |request: http::Request<Body>| {
            count.fetch_add(1, Ordering::SeqCst);
            let is_watch = request.uri().query().is_some_and(|query| query.contains("watch=true"));
            let (code, body) = if is_watch { (410, gone.clone()) } else { (code, listed.clone()) };
            let answer = http::Response::builder().status(code).body(Body::from(body.into_bytes())).unwrap();
            std::future::ready(Ok::<_, Infallible>(answer))
        });
        let nodes: Api<Node> = Api::all(Client::new(server, "default"));
        let wait = Wait::new(has_condition("Ready"), Duration::from_millis(500)).may_appear();
        let waited = wait.run(&nodes, "worker").await;
        assert!(matches!(waited, Err(WaitError::TimedOut { .. })), "{waited:?}");
        // A turn is two requests at most, and the pause between two turns grows.
        let asked = asked.load(Ordering::SeqCst);
        assert!((3..=12).contains(&asked), "{code}: {asked}");
    }
}

#[tokio::test]
async fn an_object_that_is_not_there_is_told_apart_from_one_that_is_deleted() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    let error = wait_for(&nodes, "worker", has_condition("Ready"), LONG).await.unwrap_err();
    assert!(matches!(error, WaitError::NotFound { .. }), "{error}");

    create(&nodes).await;
    report(&nodes, "Ready", "False").await;
    let waiting = waiting(&nodes, for_ready());
    watched(&server, 1).await;
    nodes.delete("worker", &DeleteParams::default()).await.unwrap();
    let error = waiting.await.unwrap().unwrap_err();
    assert_eq!(
        error.to_string(),
        "nodes/worker was deleted meanwhile; before that: Ready is False (Told), not True"
    );
}

#[tokio::test]
async fn an_object_that_was_made_anew_unseen_is_another_one() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    create(&nodes).await;
    let waiting = waiting(&nodes, for_ready());
    watched(&server, 1).await;
    server.faults().add(Rule::new(Effect::DropEvent).verb(Verb::Watch).kind("Node").next_calls(1));
    nodes.delete("worker", &DeleteParams::default()).await.unwrap();
    create(&nodes).await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error, WaitError::Deleted { .. }), "{error}");
}

#[tokio::test]
async fn an_object_may_appear_go_and_come_back() {
    let server = ApiServer::new();
    let nodes = nodes(&server);
    let waiting = waiting(&nodes, for_ready().may_appear());
    watched(&server, 1).await;
    create(&nodes).await;
    nodes.delete("worker", &DeleteParams::default()).await.unwrap();
    create(&nodes).await;
    report(&nodes, "Ready", "True").await;
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn without_a_permission_or_a_kind_it_fails_at_once() {
    let server = ApiServer::new();
    let error = {
        let user = allready_apiserver::User::service_account("shop", "operator");
        let nodes: Api<Node> = Api::all(Client::new(server.service_as(user), "default"));
        wait_for(&nodes, "worker", has_condition("Ready"), LONG).await.unwrap_err()
    };
    assert!(matches!(error, WaitError::Forbidden { .. }), "{error}");
    assert!(error.to_string().contains("allow list and watch"), "{error}");

    let pools = ApiResource::from_gvk(&GroupVersionKind::gvk("net.example", "v1", "Pool"));
    let pools: Api<DynamicObject> =
        Api::default_namespaced_with(Client::new(server.service(), "default"), &pools);
    let error = wait_for(&pools, "a", has_condition("Ready"), LONG).await.unwrap_err();
    assert!(matches!(error, WaitError::NoSuchKind { .. }), "{error}");
    assert!(error.to_string().starts_with("pools/a in default: "), "{error}");
}

#[tokio::test]
async fn a_timeout_says_what_was_missing_and_what_was_in_the_way() {
    const SHORT: Duration = Duration::from_secs(1);
    let server = ApiServer::new();
    let nodes = nodes(&server);
    create(&nodes).await;
    report(&nodes, "Ready", "Unknown").await;
    let error = wait_for(&nodes, "worker", has_condition("Ready"), SHORT).await.unwrap_err();
    assert_eq!(error.to_string(), "nodes/worker: gave up after 1s: Ready is Unknown (Told), not True");

    server.faults().add(Rule::new(Effect::InternalError).verb(Verb::List));
    server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Watch));
    let error = wait_for(&nodes, "worker", has_condition("Ready"), SHORT).await.unwrap_err();
    let text = error.to_string();
    let begins = "nodes/worker: gave up after 1s: it could not be seen (watching it failed last: ";
    assert!(text.starts_with(begins), "{text}");
}
