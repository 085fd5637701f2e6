use std::time::Duration;

use allready_apiserver::ApiServer;
use futures::{Stream, StreamExt, stream};
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, Client, ResourceExt,
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::{Predicate, WatchStreamExt, watcher},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{manager::Manager, wait::ListPath};

fn base() -> Value {
    json!({
        "metadata": { "name": "a", "uid": "u", "generation": 2, "resourceVersion": "7" },
        "status": {
            "observedGeneration": 2,
            "conditions": [
                { "type": "Ready", "status": "True", "reason": "Ok", "message": "m", "observedGeneration": 2,
                  "lastTransitionTime": "2026-03-01T10:00:00Z", "lastHeartbeatTime": "2026-03-01T10:00:00Z" },
                { "type": "Synced", "status": "True", "reason": "Ok" },
            ],
            "listeners": [{ "name": "http", "conditions": [{ "type": "Programmed", "status": "True" }] }],
        },
    })
}

/// Whether a change at this place wakes.
fn wakes(changes: &ConditionChanges, pointer: &str, value: Value) -> bool {
    let (before, mut after) = (base(), base());
    let (parent, field) = pointer.rsplit_once('/').unwrap();
    after.pointer_mut(parent).unwrap()[field] = value;
    changes.hash(&before) != changes.hash(&after)
}

#[test]
fn what_wakes_and_what_does_not() {
    let changes = ConditionChanges::new();
    for (pointer, value, expected) in [
        ("/status/conditions/0/status", json!("False"), true),
        ("/status/conditions/0/reason", json!("Odd"), true),
        ("/status/conditions/0/type", json!("Available"), true),
        ("/status/conditions/0/observedGeneration", json!(1), true),
        ("/status/conditions/0/observedGeneration", json!(3), false),
        ("/status/conditions/0/message", json!("n"), false),
        ("/status/conditions/0/lastHeartbeatTime", json!("2026-03-01T10:05:00Z"), false),
        ("/status/conditions/0/lastUpdateTime", json!("2026-03-01T10:05:00Z"), false),
        ("/status/conditions/0/lastTransitionTime", json!("2026-03-01T10:05:00Z"), false),
        ("/status/conditions", json!([]), true),
        ("/status/observedGeneration", json!(1), true),
        ("/status/listeners", json!([]), false),
        ("/status/replicas", json!(3), false),
        ("/metadata/generation", json!(3), true),
        ("/metadata/resourceVersion", json!("8"), false),
        ("/metadata/managedFields", json!([{}]), false),
        ("/metadata/labels", json!({ "a": "b" }), false),
        ("/metadata/deletionTimestamp", json!("2026-03-01T10:00:00Z"), true),
        ("/metadata/finalizers", json!(["a.example/b"]), true),
    ] {
        assert_eq!(wakes(&changes, pointer, value.clone()), expected, "{pointer} becomes {value}");
    }
}

#[test]
fn messages_and_further_lists_wake_where_asked_for() {
    let changes = ConditionChanges::new().messages();
    assert!(wakes(&changes, "/status/conditions/0/message", json!("n")));
    let path: ListPath = "status.listeners[].conditions".parse().unwrap();
    let changes = ConditionChanges::new().lists_at(path);
    assert!(wakes(&changes, "/status/listeners", json!([])));
    assert!(wakes(&changes, "/status/listeners/0/conditions/0/status", json!("False")));
    assert!(wakes(&changes, "/status/listeners/0/name", json!("https")));
    assert!(!wakes(&changes, "/status/listeners/0/attachedRoutes", json!(3)));
}

#[test]
fn only_the_types_of_interest_wake_and_own_ones_never() {
    let only = ConditionChanges::new().only_types(["Synced"]);
    assert!(!wakes(&only, "/status/conditions/0/status", json!("False")));
    assert!(wakes(&only, "/status/conditions/1/status", json!("False")));
    let own = ConditionChanges::new().own_types(["Ready"]);
    assert!(!wakes(&own, "/status/conditions/0/status", json!("False")));
    assert!(!wakes(&own, "/status/observedGeneration", json!(1)), "the owner's too");
    assert!(wakes(&own, "/status/conditions/1/status", json!("False")));
    assert!(wakes(&own, "/metadata/generation", json!(3)));
    assert!(wakes(&own, "/metadata/deletionTimestamp", json!("2026-03-01T10:00:00Z")));
}

#[test]
fn a_manager_is_known_by_what_it_alone_owns() {
    let fields = |manager: &str, types: &[&str], generation: bool| {
        let keys = types.iter().map(|type_| (format!("k:{{\"type\":\"{type_}\"}}"), json!({ ".": {} })));
        let mut status = json!({ "f:conditions": keys.collect::<serde_json::Map<_, _>>() });
        if generation {
            status["f:observedGeneration"] = json!({});
        }
        json!({ "manager": manager, "subresource": "status", "fieldsV1": { "f:status": status } })
    };
    let me = Manager::of("pools");
    for (entries, types, generation) in [
        (vec![fields("pools", &["Ready", "Synced"], true)], vec!["Ready", "Synced"], true),
        (
            vec![fields("pools", &["Ready", "Synced"], true), fields("other", &["Synced"], true)],
            vec!["Ready"],
            false,
        ),
        (vec![fields("other", &["Ready"], true)], vec![], false),
        (vec![json!({ "manager": "pools" }), json!("odd")], vec![], false),
        (vec![], vec![], false),
    ] {
        let owned = managed::owned_alone(&json!({ "metadata": { "managedFields": entries } }), &me);
        assert_eq!(owned.types.iter().map(String::as_str).collect::<Vec<_>>(), types);
        assert_eq!(owned.observed_generation, generation);
    }
}

#[test]
fn a_kind_without_generations_wakes_on_whatever_is_asked_of_it() {
    let node = |unschedulable: bool, version: &str, phase: &str| {
        json!({ "metadata": { "name": "a", "resourceVersion": version },
            "spec": { "unschedulable": unschedulable }, "status": { "phase": phase } })
    };
    let changes = ConditionChanges::new();
    let before = changes.hash(&node(false, "1", "Running"));
    assert_eq!(before, changes.hash(&node(false, "2", "Stopped")));
    assert_ne!(before, changes.hash(&node(true, "1", "Running")));
}

#[test]
fn it_combines_with_the_predicates_of_kube() {
    let node = |label: &str| -> Node {
        serde_json::from_value(json!({ "metadata": { "generation": 1, "labels": { "a": label } } })).unwrap()
    };
    let alone = ConditionChanges::new();
    assert_eq!(alone.hash_property(&node("b")), alone.hash_property(&node("c")));
    let both = Predicate::<Node>::combine(alone, kube::runtime::predicates::labels);
    assert_ne!(both.hash_property(&node("b")), both.hash_property(&node("c")));
}

proptest! {
    #[test]
    fn the_order_of_conditions_does_not_matter(order in Just(vec![0, 1, 2, 3]).prop_shuffle()) {
        let conditions = ["A", "B", "C", "A"].map(|type_| json!({ "type": type_, "status": "True" }));
        let shuffled: Vec<_> = order.iter().map(|index| conditions[*index].clone()).collect();
        let hash = |list: Value| ConditionChanges::new().hash(&json!({ "status": { "conditions": list } }));
        prop_assert_eq!(hash(json!(conditions)), hash(json!(shuffled)));
    }
}

fn node(uid: &str, ready: &str) -> Node {
    let status = json!({ "conditions": [{ "type": "Ready", "status": ready }] });
    serde_json::from_value(
        json!({ "metadata": { "name": uid, "uid": uid, "generation": 1 }, "status": status }),
    )
    .unwrap()
}

#[tokio::test]
async fn deletions_pass_and_lists_only_tell_news() {
    use watcher::Event::{Apply, Delete, Init, InitApply, InitDone};
    let events = vec![
        Init,
        InitApply(node("a", "True")),
        InitApply(node("b", "True")),
        InitDone,
        Apply(node("a", "True")),
        Apply(node("a", "False")),
        Delete(node("a", "False")),
        Apply(node("a", "False")),
        Init,
        InitApply(node("a", "False")),
        InitApply(node("c", "True")),
        InitDone,
        Apply(node("b", "True")),
    ];
    let woken = waking(stream::iter(events.into_iter().map(Ok)), ConditionChanges::new());
    let woken: Vec<_> = woken
        .map(|node| {
            let node = node.unwrap();
            let status = node.status.as_ref().unwrap().conditions.as_ref().unwrap()[0].status.clone();
            format!("{} {status}", node.name_any())
        })
        .collect()
        .await;
    assert_eq!(
        woken,
        ["a True", "b True", "a False", "a False", "a False", "c True", "b True"],
        "twice gone and come again; b went while nobody watched, and came again"
    );
}

async fn next(woken: &mut (impl Stream<Item = watcher::Result<Node>> + Unpin)) -> Node {
    loop {
        let next = tokio::time::timeout(Duration::from_secs(20), woken.next()).await;
        if let Ok(node) = next.expect("nothing wakes").unwrap() {
            return node;
        }
    }
}

#[tokio::test]
async fn on_a_server_heartbeats_and_own_writes_pass_unnoticed_and_nothing_else_does() {
    let server = ApiServer::new();
    let nodes: Api<Node> = Api::all(Client::new(server.service(), "default"));
    let created = json!({ "metadata": { "name": "worker" } });
    nodes.create(&PostParams::default(), &serde_json::from_value(created).unwrap()).await.unwrap();
    let changes = ConditionChanges::new().own_manager(Manager::of("me"));
    let events = watcher(nodes.clone(), watcher::Config::default()).default_backoff();
    let mut woken = Box::pin(waking(events, changes));
    assert_eq!(next(&mut woken).await.name_any(), "worker");

    let write = async |manager: &str, condition: Value| {
        let status = json!({ "apiVersion": "v1", "kind": "Node", "status": { "conditions": [condition] } });
        let params = PatchParams::apply(manager).force();
        nodes.patch_status("worker", &params, &Patch::Apply(status)).await.unwrap();
    };
    let heartbeat = |minute: u8| json!({ "type": "Ready", "status": "True", "lastHeartbeatTime": format!("2026-03-01T10:0{minute}:00Z") });
    write("kubelet", heartbeat(0)).await;
    assert_eq!(next(&mut woken).await.status.unwrap().conditions.unwrap().len(), 1);
    write("kubelet", heartbeat(1)).await;
    write("me", json!({ "type": "Checked", "status": "False" })).await;
    server.close_watches();
    server.compact();
    write("me", json!({ "type": "Checked", "status": "True" })).await;
    write("kubelet", heartbeat(2)).await;
    let spec = json!({ "spec": { "unschedulable": true } });
    nodes.patch("worker", &PatchParams::default(), &Patch::Merge(spec)).await.unwrap();
    let node = next(&mut woken).await;
    assert_eq!(node.spec.unwrap().unschedulable, Some(true), "the first that woke after four that did not");

    nodes.delete("worker", &DeleteParams::default()).await.unwrap();
    assert_eq!(next(&mut woken).await.name_any(), "worker", "that it is gone");
}
