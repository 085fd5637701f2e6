//! What reporters write, and what that costs.

use allready_apiserver::{
    Verb,
    fault::{Effect, Rule, RuleId},
};
use allready_kube::report::{Failure, Trouble};

use super::*;

fn count(world: &World, verb: Verb) -> RuleId {
    world
        .server
        .faults()
        .add(Rule::new(Effect::Latency(Duration::ZERO)).verb(verb).kind("ConfigurationStatus"))
}

/// An object that somebody has made, without an aggregator.
async fn shared() -> World {
    let world = World::singleton(on(&["a"]));
    let object = DynamicObject::new(NAME, &subject().resource()).data(json!({ "spec": {} }));
    world.objects().create(&PostParams::default(), &object).await.unwrap();
    world
}

#[tokio::test(start_paused = true)]
async fn mw05_each_writer_leaves_the_others_as_they_are() {
    let mut world = shared().await;
    world.all_well(&["a"]);
    let before = condition(&world.settled().await, "controller/poolReconcilerValid");
    world.says(speaker("a"), "configReconciler", Outcome::config_error("no such peer"));
    let object = world.settled().await;
    assert_eq!(condition(&object, "controller/poolReconcilerValid"), before);
    assert_eq!(condition(&object, "speaker-a/configReconcilerValid")["status"], "False");
}

#[tokio::test(start_paused = true)]
async fn mw06_writers_that_read_nothing_never_conflict() {
    let mut world = shared().await;
    let refused = world.server.faults().add(Rule::new(Effect::Conflict).rate(0.0));
    for round in 0..10 {
        for node in ["a", "b", "c", "d", "e"] {
            world.says(speaker(node), "configReconciler", Outcome::error(format_args!("round {round}")));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let object = world.settled().await;
    for node in ["a", "b", "c", "d", "e"] {
        let said = condition(&object, &format!("speaker-{node}/configReconcilerValid"));
        assert_eq!(said["message"], "round 9");
        assert_eq!(world.reporter(speaker(node)).trouble(), None);
    }
    assert!(world.server.faults().matched(refused) >= 50, "they did write");
}

#[tokio::test(start_paused = true)]
async fn mw07_the_time_moves_with_the_status_alone_and_the_same_again_costs_nothing() {
    let mut world = shared().await;
    let type_ = "speaker-a/configReconcilerValid";
    world.says(speaker("a"), "configReconciler", Outcome::error("one"));
    let first = condition(&world.settled().await, type_);
    world.says(speaker("a"), "configReconciler", Outcome::error("two"));
    let second = condition(&world.settled().await, type_);
    assert_eq!((second["message"].as_str(), time_of(&second)), (Some("two"), time_of(&first)));
    let calls = count(&world, Verb::Patch);
    world.says(speaker("a"), "configReconciler", Outcome::error("two"));
    world.settled().await;
    assert_eq!(world.server.faults().matched(calls), 0, "it is said already");
    world.says(speaker("a"), "configReconciler", Outcome::success());
    assert!(time_of(&condition(&world.settled().await, type_)) > time_of(&first));
}

#[tokio::test(start_paused = true)]
async fn mw08_who_has_nothing_to_say_writes_nothing() {
    let mut world = shared().await;
    let calls = count(&world, Verb::Patch);
    world.reporter(speaker("a"));
    world.settled().await;
    assert_eq!(world.server.faults().matched(calls), 0);
}

#[tokio::test(start_paused = true)]
async fn mw14_what_is_deleted_comes_back_as_it_was() {
    for (outcome, status) in [(Outcome::config_error("no such peer"), "False"), (Outcome::success(), "True")]
    {
        let mut world = World::sharded(on(&["a"]));
        world.all_well(&["a"]);
        world.says(speaker("a"), "configReconciler", outcome);
        world.answer();
        world.until(status, "").await;
        world.reports().delete_collection(&DeleteParams::default(), &ListParams::default()).await.unwrap();
        world.objects().delete(NAME, &DeleteParams::default()).await.unwrap();
        world.until(status, "").await;
        let report = world.reports().get(&world.report_of("a")).await.unwrap();
        let report = serde_json::to_value(report).unwrap();
        let entries = report["metadata"]["managedFields"].as_array().unwrap();
        let owner = |entry: &Value| entry["manager"] == "speaker-a" && entry["subresource"] == "status";
        assert!(entries.iter().any(owner), "{entries:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn mw15_a_reporter_wakes_for_its_own_object_and_for_no_other() {
    let mut world = World::sharded(on(&["a", "b"]));
    world.all_well(&["a", "b"]);
    world.answer();
    world.until("True", "").await;
    let patches = world
        .server
        .faults()
        .add(Rule::new(Effect::Latency(Duration::ZERO)).verb(Verb::Patch).kind("StatusReport"));
    let other = json!({ "metadata": { "annotations": { "touched": "yes" } } });
    world
        .reports()
        .patch(&world.report_of("b"), &PatchParams::default(), &Patch::Merge(other))
        .await
        .unwrap();
    world.settled().await;
    assert_eq!(world.server.faults().matched(patches), 1, "nobody but us");
    world.reports().delete(&world.report_of("a"), &DeleteParams::default()).await.unwrap();
    world.until("True", "3 of 3 ready").await;
    assert!(world.reports().get_opt(&world.report_of("a")).await.unwrap().is_some());
}

#[tokio::test(start_paused = true)]
async fn mw23_a_failure_of_the_infrastructure_is_not_reported_as_success() {
    let mut world = World::sharded(on(&["a"]));
    world.all_well(&["a"]);
    world.answer();
    world.until("True", "").await;
    let reporter = world.reporter(speaker("a"));
    let listed = async { Err::<(), Failure>(Failure::retry("nodes is forbidden")) };
    assert!(reporter.reporting("configReconciler", listed).await.is_err());
    world.until("False", "nodes is forbidden").await;
}

#[tokio::test(start_paused = true)]
async fn mw24_the_same_configuration_seen_again_does_not_heal_a_lasting_error() {
    let mut world = World::sharded(on(&["a"]));
    world.all_well(&["a"]);
    world.says(speaker("a"), "configReconciler", Outcome::error_no_retry("the daemon refused it"));
    world.answer();
    world.until("False", "refused").await;
    // Another event comes, and the configuration is the same: there is nothing to do.
    world.reporter(speaker("a")).guard("configReconciler").unchanged();
    let object = world.settled().await;
    assert_eq!(condition(&object, "Ready")["status"], "False");
}

#[tokio::test(start_paused = true)]
async fn mw25_a_workload_works_on_where_the_kind_is_missing() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), NAMESPACE);
    let (reporter, running) =
        Reporter::builder(client, speaker("a"), Layout::sharded(NAMESPACE, NAME)).spawn();
    reporter.report("configReconciler", Outcome::success());
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(reporter.trouble(), Some(Trouble::Missing));
    // It is installed later, and the report gets there.
    for definition in definitions() {
        server.define(definition).unwrap();
    }
    reporter.settled().await;
    assert_eq!(reporter.trouble(), None);
    running.stop(Duration::from_secs(5)).await;
}
