//! What Ready says.

use super::*;

#[tokio::test(start_paused = true)]
async fn mw01_a_fresh_object_is_unknown() {
    let mut world = World::sharded(on(&["a"]));
    world.answer();
    let object = world.until("Unknown", "has not reported yet").await;
    assert_eq!(condition(&object, "Ready")["reason"], "ComponentsUnknown");
}

#[tokio::test(start_paused = true)]
async fn mw02_an_absent_object_is_made_and_reporters_wait_for_it() {
    let mut world = World::singleton(on(&["a"]));
    world.all_well(&["a"]);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert!(world.object().await.is_null(), "a report makes no object that others share");
    world.answer();
    world.until("True", "2 of 2 ready").await;
}

#[tokio::test(start_paused = true)]
async fn mw03_all_true_is_true_without_a_cause() {
    let mut world = World::sharded(on(&["a", "b"]));
    world.all_well(&["a", "b"]);
    world.answer();
    let object = world.until("True", "3 of 3 ready").await;
    assert_eq!(condition(&object, "Ready")["reason"], "AllComponentsReady");
    assert_eq!(object["status"]["causes"], json!([]));
}

#[tokio::test(start_paused = true)]
async fn mw04_one_false_is_false_and_its_message_is_the_cause() {
    let mut world = World::sharded(on(&["a", "b"]));
    world.all_well(&["a", "b"]);
    world.says(speaker("a"), "configReconciler", Outcome::config_error("no such peer"));
    world.answer();
    let object = world.until("False", "no such peer").await;
    let causes = object["status"]["causes"].as_array().unwrap();
    assert_eq!((causes.len(), &causes[0]["message"]), (1, &json!("no such peer")));
}

#[tokio::test(start_paused = true)]
async fn mw09_one_broken_node_is_named_alone_and_the_mend_heals_all() {
    let mut world = World::sharded(on(&["a", "b"]));
    world.all_well(&["a", "b"]);
    world.says(speaker("b"), "configReconciler", Outcome::config_error("no such peer"));
    world.answer();
    let object = world.until("False", "1 of 3 failing").await;
    assert_eq!(object["status"]["causes"][0]["reporters"], json!(["speaker/b"]));
    world.says(speaker("b"), "configReconciler", Outcome::success());
    world.until("True", "3 of 3 ready").await;
}

#[tokio::test(start_paused = true)]
async fn mw10_a_reference_that_breaks_everywhere_leaves_the_controller_true() {
    let mut world = World::sharded(on(&["a", "b"]));
    world.all_well(&["a", "b"]);
    for node in ["a", "b"] {
        world.says(speaker(node), "configReconciler", Outcome::config_error("the community is gone"));
    }
    world.answer();
    let object = world.until("False", "2 of 3 failing").await;
    assert_eq!(object["status"]["causes"].as_array().unwrap().len(), 1, "one cause, however many say it");
    assert_eq!(object["status"]["reporters"]["display"], "1/3");
}

#[tokio::test(start_paused = true)]
async fn mw11_two_faults_are_both_told_and_mended_one_after_the_other() {
    let mut world = World::sharded(on(&["a"]));
    world.says(controller(), "poolReconciler", Outcome::config_error("pools overlap"));
    world.says(speaker("a"), "configReconciler", Outcome::config_error("no such peer"));
    world.answer();
    let object = world.until("False", "pools overlap").await;
    assert!(condition(&object, "Ready")["message"].as_str().unwrap().contains("no such peer"));
    world.says(controller(), "poolReconciler", Outcome::success());
    let object = world.until("False", "1 of 2 failing").await;
    assert!(condition(&object, "Ready")["message"].as_str().unwrap().contains("no such peer"));
    world.says(speaker("a"), "configReconciler", Outcome::success());
    world.until("True", "2 of 2 ready").await;
}

#[tokio::test(start_paused = true)]
async fn mw12_a_node_that_is_relabelled_counts_from_then_on() {
    let mut world = World::sharded(on_nodes());
    world.make_node("a", json!({ "speaker": "yes" })).await;
    world.make_node("b", json!({})).await;
    world.all_well(&["a"]);
    world.answer();
    world.until("True", "2 of 2 ready").await;
    let label = |value: Value| json!({ "metadata": { "labels": { "speaker": value } } });
    let nodes: Api<Node> = Api::all(world.client.clone());
    nodes.patch("b", &PatchParams::default(), &Patch::Merge(label(json!("yes")))).await.unwrap();
    world.until("Unknown", "speaker/b").await;
    nodes.patch("b", &PatchParams::default(), &Patch::Merge(label(Value::Null))).await.unwrap();
    world.until("True", "2 of 2 ready").await;
}

#[tokio::test(start_paused = true)]
async fn mw13_what_was_missing_and_is_made_heals() {
    let mut world = World::sharded(on(&["a"]));
    world.all_well(&["a"]);
    world.says(speaker("a"), "configReconciler", Outcome::config_error("secret \"bgp\" is missing"));
    world.answer();
    world.until("False", "is missing").await;
    world.says(
        speaker("a"),
        "configReconciler",
        Outcome::config_error("secret \"bgp\" is of the wrong type"),
    );
    world.until("False", "wrong type").await;
    world.says(speaker("a"), "configReconciler", Outcome::success());
    world.until("True", "").await;
}

#[tokio::test(start_paused = true)]
async fn mw21_only_whom_it_concerns_counts() {
    let mut world = World::sharded(on_nodes());
    for (node, runs) in [("a", true), ("b", true), ("c", false), ("d", false), ("e", false)] {
        world.make_node(node, if runs { json!({ "speaker": "yes" }) } else { json!({}) }).await;
    }
    world.all_well(&["a", "b"]);
    world.answer();
    world.until("True", "3 of 3 ready").await;
}

#[tokio::test(start_paused = true)]
async fn mw22_it_is_not_true_until_everybody_who_is_expected_has_reported() {
    let mut world = World::sharded(on(&["a", "b"]));
    world.all_well(&["a"]);
    world.answer();
    let object = world.until("Unknown", "speaker/b").await;
    assert_eq!(condition(&object, "Ready")["reason"], "ComponentsUnknown");
    world.says(speaker("b"), "configReconciler", Outcome::success());
    world.until("True", "3 of 3 ready").await;
}
