//! The rules of a status with many writers.

use allready_core::{Condition, Reason};
use allready_kube::manager::Manager;

use super::*;

#[tokio::test(start_paused = true)]
async fn r01_the_object_is_made_by_the_aggregator_and_stays_when_that_ends() {
    let mut world = World::sharded(on(&["a"]));
    assert!(world.object().await.is_null());
    world.answer();
    world.until("Unknown", "").await;
    world.stop_answering();
    assert!(!world.settled().await.is_null());
}

#[tokio::test(start_paused = true)]
async fn r02_ready_is_a_whole_condition_that_can_be_waited_for() {
    let mut world = World::sharded(on(&["a"]));
    world.all_well(&["a"]);
    world.answer();
    let ready = condition(&world.until("True", "").await, "Ready");
    let ready: Condition = serde_json::from_value(ready).unwrap();
    assert!(ready.last_transition_time > Time::EPOCH);
    assert_eq!(ready.observed_generation.map(allready_core::Generation::get), Some(1));
}

#[tokio::test(start_paused = true)]
async fn r03_a_report_returns_at_once_whatever_the_server_does() {
    let mut world = World::sharded(on(&["a"]));
    let fault = allready_apiserver::fault::Rule::new(allready_apiserver::fault::Effect::InternalError);
    let fault = world.server.faults().add(fault);
    let before = Instant::now();
    world.all_well(&["a"]);
    assert_eq!(Instant::now(), before, "nobody waited");
    tokio::time::sleep(Duration::from_secs(3)).await;
    world.server.faults().remove(fault);
    world.answer();
    world.until("True", "2 of 2 ready").await;
}

#[test]
fn r04_types_and_managers_are_legal_for_the_longest_names_of_nodes() {
    let node = format!("{}.example.com", vec!["n".repeat(60); 3].join("."));
    let identity = speaker(&node);
    assert_eq!(
        identity.condition_type("configReconciler").as_str(),
        format!("speaker-{node}/configReconcilerValid")
    );
    let manager = identity.manager("configReconciler");
    assert!(manager.as_str().len() <= Manager::MAX_BYTES);
    assert_eq!(manager, identity.manager("configReconciler"), "it can be derived again");
}

#[test]
fn r05_a_configuration_error_goes_before_the_state_of_the_sync() {
    use allready_kube::report::SyncState;
    let table = [
        (Outcome::of(Some("bad"), SyncState::Success), "False", "ConfigError"),
        (Outcome::of(None::<&str>, SyncState::Success), "True", "SyncStateSuccess"),
        (Outcome::of(None::<&str>, SyncState::ReprocessAll), "True", "SyncStateReprocessAll"),
        (Outcome::of(None::<&str>, SyncState::Error), "False", "SyncStateError"),
        (Outcome::of(None::<&str>, SyncState::ErrorNoRetry), "False", "SyncStateErrorNoRetry"),
    ];
    for (outcome, status, reason) in table {
        assert_eq!((outcome.status().as_str(), outcome.reason().as_str()), (status, reason));
    }
}

#[test]
fn r06_a_joined_list_of_what_failed_is_no_legal_reason_and_the_fixed_ones_are() {
    assert!(Reason::new("speaker-a/configReconcilerValid,controller/poolReconcilerValid").is_err());
    for reason in ["AllComponentsReady", "ComponentFailing", "ComponentsUnknown"] {
        assert!(Reason::new(reason).is_ok());
    }
}

#[tokio::test(start_paused = true)]
async fn r07_the_number_of_reporters_may_change_while_it_runs() {
    let mut world = World::sharded(on_nodes());
    world.make_node("a", json!({ "speaker": "yes" })).await;
    world.all_well(&["a"]);
    world.answer();
    world.until("True", "2 of 2 ready").await;
    world.make_node("b", json!({ "speaker": "yes" })).await;
    world.until("Unknown", "speaker/b").await;
    world.all_well(&["a", "b"]);
    world.until("True", "3 of 3 ready").await;
    world.silence(&speaker("b")).await;
    world.remove_node("b").await;
    world.until("True", "2 of 2 ready").await;
}

#[tokio::test(start_paused = true)]
async fn r08_who_watches_the_object_gets_little_however_many_report() {
    let nodes: Vec<String> = (0..200).map(|node| format!("node-{node}")).collect();
    let names: Vec<&str> = nodes.iter().map(String::as_str).collect();
    let mut world = World::sharded(expecting(Instances::discovered()));
    world.all_well(&names);
    for node in &names[..100] {
        world.says(
            speaker(node),
            "configReconciler",
            Outcome::config_error(format_args!("{node} has a fault of its own")),
        );
    }
    world.answer();
    let object = world.until("False", "100 of 201 failing").await;
    assert!(object.to_string().len() < 20_000, "{} bytes", object.to_string().len());
    assert_eq!(object["status"]["moreCauses"], 90);
}

#[tokio::test(start_paused = true)]
async fn r09_who_is_expected_are_the_nodes_that_run_the_component() {
    let mut world = World::sharded(expecting(Instances::daemon_set("speaker")));
    world.make_node("a", json!({})).await;
    world.make_node("b", json!({})).await;
    let labels = json!({ "app": "speaker" });
    let set = json!({ "metadata": { "name": "speaker" }, "spec": { "selector": { "matchLabels": labels },
        "template": { "metadata": { "labels": labels },
            "spec": { "containers": [{ "name": "speaker", "image": "speaker" }] } } } });
    let sets: Api<k8s_openapi::api::apps::v1::DaemonSet> = Api::default_namespaced(world.client.clone());
    let made = sets.create(&PostParams::default(), &serde_json::from_value(set).unwrap()).await.unwrap();
    let scheduled = json!({ "status": { "observedGeneration": 1, "desiredNumberScheduled": 1,
        "currentNumberScheduled": 1, "numberMisscheduled": 0, "numberReady": 1 } });
    sets.patch_status("speaker", &PatchParams::default(), &Patch::Merge(scheduled)).await.unwrap();
    let owner = json!([{ "apiVersion": "apps/v1", "kind": "DaemonSet", "name": "speaker",
        "uid": made.metadata.uid, "controller": true }]);
    let pod = json!({ "metadata": { "name": "speaker-x", "ownerReferences": owner },
        "spec": { "nodeName": "a", "containers": [{ "name": "speaker", "image": "speaker" }] } });
    let pods: Api<k8s_openapi::api::core::v1::Pod> = Api::default_namespaced(world.client.clone());
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    let running = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    pods.patch_status("speaker-x", &PatchParams::default(), &Patch::Merge(running)).await.unwrap();
    world.all_well(&["a"]);
    world.answer();
    world.until("True", "2 of 2 ready").await;
}

#[tokio::test(start_paused = true)]
async fn r10_one_error_that_many_see_is_told_once() {
    let mut world = World::sharded(on(&["a", "b", "c"]));
    world.all_well(&[]);
    for node in ["a", "b", "c"] {
        world.says(speaker(node), "configReconciler", Outcome::config_error("pools overlap"));
    }
    world.answer();
    let object = world.until("False", "3 of 4 failing").await;
    let message = condition(&object, "Ready")["message"].as_str().unwrap().to_owned();
    assert_eq!(message.matches("pools overlap").count(), 1, "{message}");
}

#[tokio::test(start_paused = true)]
async fn r11_a_reporter_leaves_with_its_node_and_what_it_left_behind_is_removed() {
    let mut world = World::sharded(on_nodes());
    for node in ["a", "b"] {
        world.make_node(node, json!({ "speaker": "yes" })).await;
    }
    world.all_well(&["a", "b"]);
    world.answer();
    world.until("True", "3 of 3 ready").await;
    world.silence(&speaker("b")).await;
    world.remove_node("b").await;
    let before = tokio::time::Instant::now();
    world.until("True", "2 of 2 ready").await;
    assert!(before.elapsed() < Duration::from_secs(5), "{:?}", before.elapsed());
    tokio::time::sleep(Duration::from_mins(2)).await;
    assert!(world.reports().get_opt(&world.report_of("b")).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn r12_a_reporter_that_starts_again_keeps_the_time_of_what_it_says_again() {
    let mut world = World::sharded(on(&["a"]));
    world.says(speaker("a"), "configReconciler", Outcome::config_error("no such peer"));
    world.settled().await;
    let time = async |world: &World| {
        let report = world.reports().get(&world.report_of("a")).await.unwrap();
        report.status.unwrap().conditions[0].last_transition_time
    };
    let before = time(&world).await;
    world.silence(&speaker("a")).await;
    tokio::time::sleep(Duration::from_mins(10)).await;
    world.says(speaker("a"), "configReconciler", Outcome::config_error("still no such peer"));
    world.settled().await;
    assert_eq!(time(&world).await, before);
}

#[tokio::test(start_paused = true)]
async fn r13_the_aggregator_does_not_wake_on_what_it_wrote_itself() {
    let mut world = World::sharded(on(&["a"]));
    world.all_well(&["a"]);
    world.answer();
    let before = world.until("True", "2 of 2 ready").await;
    tokio::time::sleep(Duration::from_mins(30)).await;
    let after = world.object().await;
    assert_eq!(after["metadata"]["resourceVersion"], before["metadata"]["resourceVersion"]);
}

#[tokio::test(start_paused = true)]
async fn r14_a_revision_is_ready_when_everybody_has_observed_it() {
    let spec = ConfigurationStatusSpec { revision: Some("8".to_owned()), ..on(&["a"]) };
    let mut world = World::sharded(spec);
    world.says(controller(), "poolReconciler", Outcome::success().observed("8"));
    world.says(speaker("a"), "configReconciler", Outcome::success().observed("7"));
    world.answer();
    let object = world.until("Unknown", "RevisionNotObserved").await;
    assert_eq!(object["status"]["revision"], json!({ "expected": "8", "observed": 1, "of": 2 }));
    world.says(speaker("a"), "configReconciler", Outcome::success().observed("8"));
    world.until("True", "2 of 2 ready").await;
}
