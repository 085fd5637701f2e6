//! What happens to what writers leave behind.

use super::*;

/// Longer than it takes to remove what is left behind.
const SWEPT: Duration = Duration::from_secs(10);

fn entry(type_: &str) -> Value {
    json!([{ "type": type_, "status": "True", "reason": "SyncStateSuccess", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z" }])
}

/// Two nodes that report into the one object.
async fn two_nodes() -> World {
    let mut world = World::singleton(on_nodes());
    for node in ["a", "b"] {
        world.make_node(node, json!({ "speaker": "yes" })).await;
    }
    world.all_well(&["a", "b"]);
    world.answer();
    world.until("True", "3 of 3 ready").await;
    world
}

#[tokio::test(start_paused = true)]
async fn mw16_a_node_that_is_deleted_takes_its_condition_and_its_manager_along() {
    let mut world = two_nodes().await;
    world.silence(&speaker("b")).await;
    world.remove_node("b").await;
    world.until("True", "2 of 2 ready").await;
    tokio::time::sleep(SWEPT).await;
    let object = world.object().await;
    assert!(condition(&object, "speaker-b/configReconcilerValid").is_null());
    assert!(!managers(&object).contains(&"speaker-b/configReconciler".to_owned()), "{:?}", managers(&object));
    assert!(managers(&object).contains(&"speaker-a/configReconciler".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn mw16_and_all_that_its_reconcilers_left_goes_at_once() {
    let mut spec = on_nodes();
    spec.components[1].reconcilers =
        ["frr", "layer2", "config", "node"].map(|name| format!("{name}Reconciler")).into();
    let reconcilers = spec.components[1].reconcilers.clone();
    let mut world = World::singleton(spec);
    world.says(controller(), "poolReconciler", Outcome::success());
    for node in ["a", "b"] {
        world.make_node(node, json!({ "speaker": "yes" })).await;
        for reconciler in &reconcilers {
            world.says(speaker(node), reconciler, Outcome::success());
        }
    }
    world.answer();
    world.until("True", "3 of 3 ready").await;
    world.settled().await;
    world.silence(&speaker("b")).await;
    world.remove_node("b").await;
    let gone = Instant::now();
    while managers(&world.object().await).iter().any(|manager| manager.starts_with("speaker-b/")) {
        assert!(gone.elapsed() < Duration::from_secs(5), "{:?}", managers(&world.object().await));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn mw17_so_does_one_that_was_deleted_while_nobody_looked() {
    let mut world = two_nodes().await;
    world.stop_answering();
    world.silence(&speaker("b")).await;
    world.remove_node("b").await;
    world.answer();
    world.until("True", "2 of 2 ready").await;
    tokio::time::sleep(SWEPT).await;
    let object = world.object().await;
    assert!(condition(&object, "speaker-b/configReconcilerValid").is_null());
}

#[tokio::test(start_paused = true)]
async fn mw18_a_condition_of_a_node_that_never_was_is_removed_and_real_ones_stay() {
    let world = two_nodes().await;
    world.apply_as("speaker-fake/configReconciler", &entry("speaker-fake/configReconcilerValid")).await;
    tokio::time::sleep(SWEPT).await;
    let object = world.until("True", "3 of 3 ready").await;
    assert!(condition(&object, "speaker-fake/configReconcilerValid").is_null());
    assert_eq!(condition(&object, "speaker-a/configReconcilerValid")["status"], "True");
}

#[tokio::test(start_paused = true)]
async fn mw19_nothing_is_swept_while_no_node_is_seen() {
    let mut world = World::sharded(on_nodes());
    world.all_well(&["a", "b"]);
    world.answer();
    tokio::time::sleep(Duration::from_mins(5)).await;
    assert_eq!(world.reports().list(&ListParams::default()).await.unwrap().items.len(), 3);
}

#[tokio::test(start_paused = true)]
async fn mw20_nothing_of_others_is_swept() {
    let world = two_nodes().await;
    for (manager, type_) in
        [("webhook", "webhook/configValid"), ("speaker-operator", "speaker-operator/operatorValid")]
    {
        world.apply_as(manager, &entry(type_)).await;
    }
    tokio::time::sleep(Duration::from_mins(5)).await;
    let object = world.object().await;
    for type_ in ["webhook/configValid", "speaker-operator/operatorValid"] {
        assert_eq!(condition(&object, type_)["status"], "True", "{type_}");
    }
}
