//! What is written down of a cluster that does not answer.

use serde_json::Value;

use super::{
    samples::calm,
    store::What,
    world::{S, World, web},
};
use crate::hub::{NoAnswer, ObjectName};

/// The status and the message of `Reachable` of the second cluster.
fn reachable(world: &World) -> (String, String) {
    let name = ObjectName::new(&world.options.namespace, "cluster-2");
    let report = world.store.get(What::ClusterStatus, &name).cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reachable = &report["status"]["conditions"][0];
    (text(&reachable["status"]), text(&reachable["message"]))
}

#[test]
fn why_a_cluster_did_not_answer_is_told_while_there_is_patience_with_it() {
    let mut world = calm();
    assert_eq!(reachable(&world), ("True".to_owned(), String::new()));
    world.spoke(2).is_up = false;
    world.pass(S(6));
    let told = "it did not answer the last time: connection refused".to_owned();
    assert_eq!(reachable(&world), ("True".to_owned(), told));
    world.spoke(2).is_up = true;
    world.pass(S(8));
    assert_eq!(reachable(&world), ("True".to_owned(), String::new()));
    world.spoke(2).is_up = false;
    // The aggregation waits for ten seconds.
    world.pass(S(14));
    assert_eq!(reachable(&world), ("False".to_owned(), "connection refused".to_owned()));
}

#[test]
fn a_cluster_that_refuses_the_credentials_is_lost_at_once() {
    let mut world = calm();
    world.spoke(2).is_up = false;
    world.spoke(2).trouble = NoAnswer::refused("the API server refuses the credentials (401 Unauthorized)");
    world.pass(S(4));
    let why = "the API server refuses the credentials (401 Unauthorized)".to_owned();
    assert_eq!(reachable(&world), ("False".to_owned(), why));
    assert_eq!(world.status(What::Gateway, &web(), "Programmed").as_deref(), Some("Unknown"));
}
