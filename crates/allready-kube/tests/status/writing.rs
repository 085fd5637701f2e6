//! How a status is written when others write too, and when things go wrong.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{Verb, fault::Effect};
use allready_core::{Status, reason, set::Untouched};
use allready_kube::{
    events::MemorySink,
    metrics::WriteMetrics,
    status::{FieldMap, ReasonedError, StatusUpdater, UpdateError, Wrote},
};
use kube::{
    Api, CustomResourceExt, Resource,
    api::{ApiResource, DeleteParams, DynamicObject, ObjectMeta, Patch, PatchParams, PostParams},
};
use serde_json::json;

use super::{
    Cluster, Update as _, Work,
    kinds::{Pool, PoolSpec},
    status, told, work,
};

fn foreign(type_: &str, status: &str) -> serde_json::Value {
    json!({ "type": type_, "status": status, "reason": "Theirs", "message": "", "lastTransitionTime": "1970-01-01T00:00:07Z" })
}

#[tokio::test]
async fn a_lost_race_is_run_again_on_the_fresh_object_and_keeps_what_others_wrote() {
    let cluster = Cluster::new();
    let stale = cluster.pool("a").await;
    cluster.write("a", json!({ "conditions": [foreign("Theirs", "False")], "addresses": 5 })).await;
    let metrics = WriteMetrics::default();
    let updater = cluster.updater().metrics(metrics.clone());
    let (done, requests) = cluster.counted(updater.update(work(&stale, &[("Ours", Status::True)]))).await;
    assert_eq!((done.wrote.unwrap(), requests), (Wrote::Changed, 3), "refused, read, written");
    let stored = cluster.get("a").await;
    let expected = [("Ours", (Status::True, 1_000)), ("Theirs", (Status::False, 7))];
    assert_eq!(told(&status(&stored).conditions), expected.into());
    assert_eq!(status(&stored).addresses, 5);
    assert_eq!((metrics.sent.get(), metrics.retried.get(), metrics.failed.get()), (1, 1, 0));
}

#[tokio::test]
async fn own_types_win_over_what_is_stored() {
    let cluster = Cluster::new();
    let stale = cluster.pool("a").await;
    cluster.write("a", json!({ "conditions": [foreign("Ours", "False")] })).await;
    let updater = cluster.updater();
    updater.update(work(&stale, &[("Ours", Status::True)])).await.into_result().unwrap();
    let stored = cluster.get("a").await;
    assert_eq!(told(&status(&stored).conditions), [("Ours", (Status::True, 1_000))].into());
}

#[tokio::test]
async fn an_edit_in_memory_does_not_carry_old_conditions_of_others_over_a_race() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let before = cluster
        .write("a", json!({ "conditions": [foreign("Theirs", "False"), foreign("Edited", "False")] }))
        .await;
    let mut edited = before.status.clone().unwrap();
    edited.addresses = 4;
    edited.conditions.iter_mut().find(|c| c.type_ == *"Edited").unwrap().status = Status::True;
    cluster
        .write("a", json!({ "conditions": [foreign("Theirs", "True"), foreign("Edited", "False")] }))
        .await;

    let raced = Work { edited: Some(edited), ..work(&before, &[]) };
    cluster.updater().update(raced).await.into_result().unwrap();
    let stored = cluster.get("a").await;
    let expected = [("Edited", (Status::True, 7)), ("Theirs", (Status::True, 7))];
    assert_eq!(told(&status(&stored).conditions), expected.into());
    assert_eq!(status(&stored).addresses, 4);
}

#[tokio::test]
async fn untouched_conditions_of_others_stay_where_the_updater_says_what_it_owns() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let both = json!({ "conditions": [foreign("theirs/Ready", "True"), foreign("ours/Old", "True")] });
    let pool = cluster.write("a", both).await;
    let updater = cluster.updater().untouched(Untouched::Remove).owned(|type_| type_.starts_with("ours/"));
    updater.update(work(&pool, &[])).await.into_result().unwrap();
    let stored = cluster.get("a").await;
    assert_eq!(told(&status(&stored).conditions).into_keys().collect::<Vec<_>>(), ["theirs/Ready"]);
}

#[tokio::test]
async fn untouched_conditions_that_another_manager_owns_stay_though_nothing_is_said_of_owning() {
    for untouched in [Untouched::Remove, Untouched::Unknown] {
        for is_apply in [true, false] {
            let cluster = Cluster::new();
            let pool = cluster.pool("a").await;
            let updater = cluster.updater().untouched(untouched);
            updater.update(work(&pool, &[("Old", Status::True)])).await.into_result().unwrap();

            let api = cluster.api::<Pool>();
            if is_apply {
                let body = json!({
                    "apiVersion": Pool::api_version(&()), "kind": "Pool", "metadata": { "name": "a" },
                    "status": { "conditions": [foreign("Theirs", "False")] },
                });
                let params = PatchParams::apply("somebody");
                api.patch_status("a", &params, &Patch::Apply(body)).await.unwrap();
            } else {
                let mut conditions =
                    serde_json::to_value(&status(&*cluster.get("a").await).conditions).unwrap();
                conditions.as_array_mut().unwrap().push(foreign("Theirs", "False"));
                let patch = Patch::Merge(json!({ "status": { "conditions": conditions } }));
                let params =
                    PatchParams { field_manager: Some("somebody".to_owned()), ..PatchParams::default() };
                api.patch_status("a", &params, &patch).await.unwrap();
            }
            let pool = cluster.get("a").await;
            updater.update(work(&pool, &[("New", Status::True)])).await.into_result().unwrap();
            let stored = cluster.get("a").await;
            let told = told(&status(&stored).conditions);
            assert_eq!(told.get("Theirs"), Some(&(Status::False, 7)), "{untouched:?} {told:?}");
            assert_ne!(told.get("Old").map(|old| old.0), Some(Status::True), "{untouched:?}: ours");
        }
    }
}

#[tokio::test]
async fn a_write_whose_answer_was_lost_is_found_and_its_events_are_recorded_once() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let sink = MemorySink::default();
    let metrics = WriteMetrics::default();
    let updater = cluster.updater().events(sink.clone()).metrics(metrics.clone());
    cluster.fault(Effect::ResetAfter, Verb::Patch, 1);
    let (done, requests) = cluster.counted(updater.update(work(&pool, &[("A", Status::True)]))).await;
    assert_eq!((done.wrote.unwrap(), requests), (Wrote::Changed, 2), "sent, read");
    assert_eq!(done.transitions.len(), 1);
    let notes: Vec<_> = sink.recorded().into_iter().map(|recorded| recorded.note.note).collect();
    assert_eq!(notes, ["A is True: A: checked"]);
    assert_eq!((metrics.sent.get(), metrics.unchanged.get()), (1, 0));
}

#[tokio::test]
async fn whatever_may_pass_is_tried_again() {
    for (effect, requests) in [
        (Effect::Conflict, 3),
        (Effect::InternalError, 3),
        (Effect::Unavailable, 3),
        (Effect::ResetBefore, 3),
        (Effect::TooManyRequests { retry_after: 0 }, 2),
        (Effect::TooManyRequests { retry_after: 1 }, 2),
    ] {
        let cluster = Cluster::new();
        let pool = cluster.pool("a").await;
        cluster.fault(effect.clone(), Verb::Patch, 1);
        let updater = cluster.updater();
        let (done, sent) = cluster.counted(updater.update(work(&pool, &[("A", Status::True)]))).await;
        assert_eq!(
            (done.wrote.unwrap(), sent, done.requests),
            (Wrote::Changed, u64::from(requests), requests),
            "{effect:?}"
        );
        assert_eq!(status(&*cluster.get("a").await).conditions.len(), 1);
    }
}

#[tokio::test]
async fn reading_again_may_fail_too() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.fault(Effect::ResetBefore, Verb::Patch, 1);
    cluster.fault(Effect::InternalError, Verb::Get, 2);
    let done = cluster.updater().update(work(&pool, &[])).await;
    assert_eq!((done.wrote.unwrap(), done.requests), (Wrote::Changed, 5));
}

#[tokio::test]
async fn it_is_given_up_after_so_many_tries() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let metrics = WriteMetrics::default();
    cluster.fault(Effect::InternalError, Verb::Patch, 100);
    let updater = cluster.updater().metrics(metrics.clone());
    let done = updater.update(work(&pool, &[])).await;
    let UpdateError::GaveUp { tries, .. } = done.wrote.unwrap_err() else { panic!() };
    assert_eq!((tries, metrics.failed.get(), metrics.sent.get()), (6, 1, 0));
}

#[tokio::test]
async fn a_server_that_wants_to_be_left_alone_for_long_is() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.fault(Effect::TooManyRequests { retry_after: 30 }, Verb::Patch, 1);
    let update = cluster.updater();
    let update = update.update(work(&pool, &[]));
    let done = tokio::time::timeout(Duration::from_secs(10), update).await.unwrap();
    assert!(matches!(done.wrote.unwrap_err(), UpdateError::GaveUp { tries: 1, .. }));
}

#[tokio::test]
async fn a_newer_observed_generation_is_never_overwritten() {
    let cluster = Cluster::new();
    let old = cluster.pool("a").await;
    cluster.resize("a").await;
    cluster.write("a", json!({ "observedGeneration": 2, "conditions": [foreign("A", "True")] })).await;
    let updater = cluster.updater().untouched(Untouched::Remove);
    let done = updater.update(work(&old, &[("A", Status::False)])).await;
    assert_eq!(done.wrote.unwrap(), Wrote::Outdated);
    let stored = cluster.get("a").await;
    assert_eq!(status(&stored).observed_generation, 2);
    assert_eq!(told(&status(&stored).conditions), [("A", (Status::True, 7))].into());
}

#[tokio::test]
async fn a_condition_about_a_newer_generation_is_left_alone() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.resize("a").await;
    let mut newer = foreign("A", "True");
    newer["observedGeneration"] = json!(2);
    cluster.write("a", json!({ "conditions": [newer] })).await;
    let mut late = work(&pool, &[("A", Status::False), ("B", Status::False)]);
    late.remove.push("C");
    cluster.updater().update(late).await.into_result().unwrap();
    let stored = cluster.get("a").await;
    let expected = [("A", (Status::True, 7)), ("B", (Status::False, 1_000))];
    assert_eq!(told(&status(&stored).conditions), expected.into());
}

#[tokio::test]
async fn a_generation_that_the_object_does_not_have_yet_keeps_nobody_from_saying_what_is_wrong() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let mut lie = foreign("A", "True");
    lie["observedGeneration"] = json!(i64::MAX);
    let pool = cluster.write("a", json!({ "observedGeneration": i64::MAX, "conditions": [lie] })).await;
    let done = cluster.updater().update(work(&pool, &[("A", Status::False)])).await;
    assert_eq!(done.wrote.unwrap(), Wrote::Changed);
    let stored = cluster.get("a").await;
    assert_eq!(status(&stored).observed_generation, 1);
    assert_eq!(told(&status(&stored).conditions), [("A", (Status::False, 1_000))].into());
}

#[tokio::test]
async fn an_object_that_is_gone_is_no_error() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.api::<Pool>().delete("a", &DeleteParams::default()).await.unwrap();
    let done = cluster.updater().update(work(&pool, &[])).await;
    assert_eq!(done.wrote.as_ref().unwrap(), &Wrote::Gone);
    assert!(done.into_result().is_ok());
}

#[tokio::test]
async fn another_object_of_the_same_name_is_left_alone() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.api::<Pool>().delete("a", &DeleteParams::default()).await.unwrap();
    let new = cluster.pool("a").await;
    let done = cluster.updater().update(work(&pool, &[])).await;
    assert_eq!(done.wrote.unwrap(), Wrote::Replaced);
    assert_eq!(cluster.get("a").await.metadata.resource_version, new.metadata.resource_version);
}

#[tokio::test]
async fn a_kind_without_a_status_endpoint_is_told_apart_from_a_missing_object() {
    let cluster = Cluster::new();
    let mut crd = serde_json::to_value(Pool::crd()).unwrap();
    crd["spec"]["names"] = json!({ "kind": "Bare", "plural": "bares" });
    crd["metadata"]["name"] = json!("bares.test.dev");
    crd["spec"]["versions"][0].as_object_mut().unwrap().remove("subresources");
    cluster.server.define(crd).unwrap();
    let resource = ApiResource {
        kind: "Bare".to_owned(),
        plural: "bares".to_owned(),
        ..ApiResource::erase::<Pool>(&())
    };
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client.clone(), "default", &resource);
    let bare = DynamicObject::new("a", &resource).data(json!({ "spec": { "size": 1 } }));
    let bare = api.create(&PostParams::default(), &bare).await.unwrap();
    let updater =
        StatusUpdater::by_path(cluster.client.clone(), "pool-controller", resource, FieldMap::default());
    let error = updater.run(&bare, async |_| Ok(())).await.wrote.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Bare default/a has no status endpoint: add `subresources: { status: {} }` to the definition of its kind"
    );
}

#[tokio::test]
async fn a_cache_that_has_not_seen_the_last_own_write_does_not_hide_a_change() {
    let cluster = Cluster::new();
    let first = cluster.pool("a").await;
    let updater = cluster.updater();
    let update = |pool: &Arc<Pool>, status| updater.update(work(pool, &[("A", status)]));
    update(&first, Status::True).await.into_result().unwrap();
    let cached = cluster.get("a").await;
    update(&cached, Status::False).await.into_result().unwrap();
    // The cache still has the version in which A is True, which is what is wanted now.
    let done = update(&cached, Status::True).await;
    assert_eq!(done.wrote.unwrap(), Wrote::Changed);
    assert_eq!(status(&*cluster.get("a").await).conditions[0].status, Status::True);
}

#[tokio::test]
async fn the_custom_update_is_called_again_on_the_fresh_status() {
    let cluster = Cluster::new();
    let stale = cluster.pool("a").await;
    cluster.write("a", json!({ "addresses": 5 })).await;
    let calls = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&calls);
    let updater = cluster.updater().edit(move |status, seen| {
        counter.fetch_add(1, Ordering::Relaxed);
        status.addresses += seen.object.spec.size;
        Ok::<_, ReasonedError>(())
    });
    updater.update(work(&stale, &[])).await.into_result().unwrap();
    assert_eq!((status(&*cluster.get("a").await).addresses, calls.load(Ordering::Relaxed)), (6, 2));
}

#[tokio::test]
async fn an_object_without_a_name_or_a_version_is_understood() {
    let cluster = Cluster::new();
    let unnamed = Pool { metadata: ObjectMeta::default(), ..Pool::new("x", PoolSpec { size: 1 }) };
    let done = cluster.updater().update(work(&Arc::new(unnamed), &[])).await;
    assert!(matches!(done.wrote.unwrap_err(), UpdateError::Unnamed { .. }));

    cluster.pool("a").await;
    let mut by_hand = Pool::new("a", PoolSpec { size: 1 });
    by_hand.metadata.namespace = Some("default".to_owned());
    let done = cluster.updater().update(work(&Arc::new(by_hand), &[])).await;
    assert_eq!((done.wrote.unwrap(), done.requests), (Wrote::Changed, 2), "read, written");
}

#[tokio::test]
async fn fields_of_a_condition_that_only_its_writer_knows_stay() {
    let cluster = Cluster::new();
    let resource = ApiResource::erase::<Pool>(&());
    let mut crd = serde_json::to_value(Pool::crd()).unwrap();
    crd["spec"]["names"] = json!({ "kind": "Loose", "plural": "looses" });
    crd["metadata"]["name"] = json!("looses.test.dev");
    let schema = &mut crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["status"];
    *schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    cluster.server.define(crd).unwrap();
    let resource = ApiResource { kind: "Loose".to_owned(), plural: "looses".to_owned(), ..resource };
    let api: Api<DynamicObject> = Api::namespaced_with(cluster.client.clone(), "default", &resource);
    let loose = DynamicObject::new("a", &resource).data(json!({ "spec": { "size": 1 } }));
    api.create(&PostParams::default(), &loose).await.unwrap();
    let theirs = json!({ "type": "not a type", "status": true, "severity": "Warning" });
    let patch = Patch::Merge(json!({ "status": { "conditions": [theirs], "other": [1] } }));
    let object = api.patch_status("a", &PatchParams::default(), &patch).await.unwrap();

    let updater =
        StatusUpdater::by_path(cluster.client.clone(), "pool-controller", resource, FieldMap::default());
    let updater = updater.without_events();
    let work = updater.run(&object, async |c| {
        c.mark_true("Ours", reason!("Ok"), "").unwrap();
        Ok(())
    });
    work.await.into_result().unwrap();
    let stored = api.get("a").await.unwrap();
    let status = &stored.data["status"];
    assert_eq!(status["conditions"].as_array().unwrap().len(), 2);
    assert!(status["conditions"].as_array().unwrap().contains(&theirs), "{status}");
    assert_eq!(status["other"], json!([1]));
}
