//! The cases of openmcp's status updater, with its bugs done right.

use std::{sync::Arc, time::Duration};

use allready_apiserver::{Verb, fault::Effect};
use allready_core::{Status, condition, reason, set::Untouched};
use allready_kube::{
    events::MemorySink,
    status::{Because, Field, ReasonedError, ReconcileTime, StatusUpdater, Wrote},
};
use kube::runtime::controller::Action;
use serde_json::json;

use super::{
    Cluster, Update as _, Work,
    kinds::{Phase, Pool, PoolStatus},
    status, told, work,
};

fn broken() -> ReasonedError {
    std::io::Error::other("the disk is full").because(reason!("DiskFull"))
}

#[tokio::test]
async fn case_01_an_empty_status_is_filled_from_error_conditions_and_object() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let now = cluster.at(2_000);
    let work = work(&pool, &[("Synced", Status::True), ("Healthy", Status::False)]).failed(broken());
    let done = cluster.updater().update(work).await;
    assert_eq!(done.requeue_after, Some(Duration::from_secs(1)), "the first wait after a failure");
    assert_eq!(done.into_result().unwrap_err().to_string(), "the disk is full");

    let stored = cluster.get("a").await;
    let status = status(&stored);
    assert_eq!((status.observed_generation, status.phase), (1, Phase::Failed));
    assert_eq!((status.reason.as_str(), status.message.as_deref()), ("DiskFull", Some("the disk is full")));
    assert_eq!(status.last_reconcile_time, Some(now));
    for (type_, expected) in [("Synced", Status::True), ("Healthy", Status::False)] {
        let found = condition::find(&status.conditions, type_).unwrap();
        assert_eq!((found.status, found.last_transition_time), (expected, now));
        assert_eq!(found.observed_generation.unwrap().get(), 1);
    }
}

#[tokio::test]
async fn case_01_an_action_is_what_the_reconcile_asked_for() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    let asked = work(&pool, &[]).requeue(Duration::from_secs(5));
    let action = updater.update(asked).await.into_result().unwrap();
    assert_eq!(action, Action::requeue(Duration::from_secs(5)));
    let action = updater.update(work(&pool, &[])).await.into_result().unwrap();
    assert_eq!(action, Action::await_change());
}

#[tokio::test]
async fn case_03_times_move_with_the_status_untouched_ones_go_and_old_texts_are_cleared() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let condition = |type_: &str, status: &str| json!({ "type": type_, "status": status, "reason": "Old", "message": "", "lastTransitionTime": "1970-01-01T00:00:07Z" });
    let old = json!({
        "reason": "Old", "message": "old",
        "conditions": [condition("Kept", "True"), condition("Turned", "Unknown"), condition("Untouched", "True")],
    });
    let pool = cluster.write_as("pool-controller", "a", old).await;
    cluster.at(2_000);
    let updater = cluster.updater().untouched(Untouched::Remove);
    let result = work(&pool, &[("Kept", Status::True), ("Turned", Status::False)]);
    updater.update(result).await.into_result().unwrap();

    let stored = cluster.get("a").await;
    let status = status(&stored);
    let expected = [("Kept", (Status::True, 7)), ("Turned", (Status::False, 2_000))];
    assert_eq!(told(&status.conditions), expected.into());
    assert_eq!((status.reason.as_str(), &status.message), ("", &None));
}

#[tokio::test]
async fn case_04_a_field_that_is_switched_off_stays_as_it_is_and_all_others_are_written() {
    let cluster = Cluster::new();
    let condition = |type_: &str| json!({ "type": type_, "status": "True", "reason": "Old", "message": "", "lastTransitionTime": "1970-01-01T00:00:07Z" });
    let old = json!({
        "observedGeneration": 0, "lastReconcileTime": "1970-01-01T00:00:08Z", "phase": "Pending", "reason": "Old",
        "message": "old", "conditions": [condition("Z"), condition("A")], "addresses": 3,
    });
    for off in Field::ALL {
        let name = format!("off-{}", off.name().to_lowercase());
        cluster.pool(&name).await;
        let pool = cluster.write(&name, old.clone()).await;
        let updater = cluster.updater().untouched(Untouched::Remove).without(&[off]);
        let mut work = work(&pool, &[("New", Status::True)]);
        work.reason = Some(reason!("New"));
        work.message = Some("new".into());
        updater.update(work).await.into_result().unwrap();
        let new = serde_json::to_value(status(&*cluster.get(&name).await)).unwrap();
        for field in Field::ALL {
            let (before, after) = (&old[field.name()], &new[field.name()]);
            assert_eq!(before == after, field == off, "{off:?} off, {field:?}: {before} became {after}");
        }
        assert_eq!(new["addresses"], 3);
    }
}

#[tokio::test]
async fn case_05_removing_a_condition_wins_over_setting_it() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    updater.update(work(&pool, &[("A", Status::True), ("B", Status::True)])).await.into_result().unwrap();
    let mut both = work(&cluster.get("a").await, &[("A", Status::True)]);
    both.remove.push("A");
    updater.update(both).await.into_result().unwrap();
    assert_eq!(told(&status(&*cluster.get("a").await).conditions).into_keys().collect::<Vec<_>>(), ["B"]);
}

#[tokio::test]
async fn case_08_without_a_status_nothing_is_sent_and_the_error_comes_back() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().without_status();
    let failed = work(&pool, &[("A", Status::True)]).failed(broken());
    let (done, requests) = cluster.counted(updater.update(failed)).await;
    assert_eq!((done.wrote.as_ref().unwrap(), requests), (&Wrote::SwitchedOff, 0));
    assert_eq!(done.into_result().unwrap_err().to_string(), "the disk is full");
    assert_eq!(cluster.get("a").await.status, None);
}

#[tokio::test]
async fn case_08_what_is_edited_in_the_status_is_written_too() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    let edited = PoolStatus { addresses: 9, ..PoolStatus::default() };
    let edit = Work { edited: Some(edited), ..work(&pool, &[]) };
    updater.update(edit.clone()).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).addresses, 9);

    cluster.write("a", json!({ "addresses": 4 })).await;
    updater.update(work(&cluster.get("a").await, &[])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).addresses, 4, "nothing was edited");
    let failed = edit.failed(broken());
    let _ = updater.update(failed).await;
    assert_eq!(status(&*cluster.get("a").await).addresses, 9, "also where the work failed");
}

#[tokio::test]
async fn case_09_a_phase_that_cannot_be_computed_is_cleared_and_the_rest_is_written() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let pool = cluster.write("a", json!({ "phase": "Succeeded" })).await;
    let updater = cluster.updater().phase(|_| Err::<Phase, _>(broken()));
    let done = updater.update(work(&pool, &[])).await;
    assert_eq!(done.wrote.as_ref().unwrap(), &Wrote::Changed);
    assert_eq!(done.into_result().unwrap_err().to_string(), "error computing phase: the disk is full");
    let stored = cluster.get("a").await;
    assert_eq!((status(&stored).phase, status(&stored).observed_generation), (Phase::Pending, 1));
}

#[tokio::test]
async fn a_phase_function_that_panics_is_an_error_and_the_updater_goes_on() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().phase(|view| {
        assert_eq!(view.conditions.len(), 1, "one condition");
        Ok::<_, ReasonedError>(Phase::Succeeded)
    });
    let error = updater.update(work(&pool, &[])).await.into_result().unwrap_err();
    assert_eq!(error.reason().unwrap(), "ReconcilePanicked");
    assert_eq!(cluster.get("a").await.status, None, "nothing was written");
    updater.update(work(&pool, &[("A", Status::True)])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).phase, Phase::Succeeded);
}

#[tokio::test]
async fn case_09_a_custom_update_that_fails_does_not_keep_the_rest_from_being_written() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().edit(|status, _| {
        status.addresses = 7;
        Err(broken())
    });
    let error = updater.update(work(&pool, &[])).await.into_result().unwrap_err();
    assert_eq!(error.to_string(), "error in the custom update of the status: the disk is full");
    let stored = cluster.get("a").await;
    assert_eq!((status(&stored).addresses, status(&stored).observed_generation), (0, 1));
}

#[tokio::test]
async fn case_09_a_write_that_fails_is_told_beside_the_error_of_the_reconcile() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.fault(Effect::Forbidden, Verb::Patch, 1);
    let done = cluster.updater().update(work(&pool, &[]).failed(broken())).await;
    let error = done.into_result().unwrap_err();
    assert_eq!(
        error.to_string(),
        "multiple errors occurred:\nthe disk is full\nthe API server refused the status of Pool default/a"
    );
    assert_eq!(error.reason().unwrap(), "DiskFull");
}

#[tokio::test]
async fn case_10_events_are_recorded_only_after_the_write_was_accepted() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let sink = MemorySink::default();
    let updater = cluster.updater().events(sink.clone());
    cluster.fault(Effect::Forbidden, Verb::Patch, 1);
    let synced = || work(&pool, &[("Synced", Status::False)]);
    let done = updater.update(synced()).await;
    assert!(done.wrote.is_err() && done.transitions.is_empty());
    assert_eq!(sink.recorded(), [], "nothing has changed in the cluster");

    let done = updater.update(synced()).await;
    assert_eq!(done.transitions.len(), 1);
    let recorded = sink.recorded();
    assert_eq!(recorded.len(), 1);
    assert_eq!(recorded[0].note.note, "Synced is False: Synced: checked");
    assert_eq!(recorded[0].note.severity.as_str(), "Warning");
    assert_eq!(recorded[0].regarding.uid, pool.metadata.uid);
    assert_eq!(recorded[0].regarding.kind.as_deref(), Some("Pool"));
}

#[tokio::test]
async fn case_11_an_explicit_message_stands_in_place_of_the_error_text() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let mut failed = work(&pool, &[]).failed(broken());
    failed.message = Some("see the log".into());
    let _ = cluster.updater().update(failed).await;
    let stored = cluster.get("a").await;
    assert_eq!(
        (status(&stored).reason.as_str(), status(&stored).message.as_deref()),
        ("DiskFull", Some("see the log"))
    );
}

#[tokio::test]
async fn case_13_a_phase_is_of_its_own_type_and_may_be_left_out() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let pool = cluster.write("a", json!({ "phase": "Succeeded" })).await;
    let without = StatusUpdater::<Pool>::new(cluster.client.clone(), "pool-controller").without_events();
    without.update(work(&pool, &[])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).phase, Phase::Succeeded, "nobody computes it");
    let typed = StatusUpdater::<Pool>::new(cluster.client.clone(), "pool-controller")
        .without_events()
        .phase(|_| Ok::<_, ReasonedError>(Phase::Failed));
    typed.update(work(&cluster.get("a").await, &[])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).phase, Phase::Failed);
}

#[tokio::test]
async fn case_14_an_early_error_does_not_wipe_the_conditions() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().untouched(Untouched::Remove);
    let both = work(&pool, &[("A", Status::True), ("B", Status::True)]);
    updater.update(both).await.into_result().unwrap();

    let early = work(&cluster.get("a").await, &[]).failed(broken());
    let _ = updater.update(early).await;
    let stored = cluster.get("a").await;
    assert_eq!(told(&status(&stored).conditions).len(), 2, "the reconcile never got to them");
    assert_eq!(status(&stored).phase, Phase::Failed);

    let finished = work(&stored, &[("A", Status::True)]);
    updater.update(finished).await.into_result().unwrap();
    assert_eq!(
        told(&status(&*cluster.get("a").await).conditions).len(),
        1,
        "this one did, and did not mention B"
    );
}

#[tokio::test]
async fn case_15_a_reconcile_that_changes_nothing_sends_nothing() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().untouched(Untouched::Remove);
    let same = |pool: &Arc<Pool>| work(pool, &[("A", Status::True)]);
    updater.update(same(&pool)).await.into_result().unwrap();

    let pool = cluster.get("a").await;
    cluster.at(1_599);
    let (done, requests) = cluster.counted(updater.update(same(&pool))).await;
    assert_eq!((done.wrote.unwrap(), requests, done.requests), (Wrote::Unchanged, 0, 0));

    let now = cluster.at(1_600);
    let (done, requests) = cluster.counted(updater.update(same(&pool))).await;
    assert_eq!((done.wrote.unwrap(), requests), (Wrote::Changed, 1), "ten minutes are over");
    assert_eq!(status(&*cluster.get("a").await).last_reconcile_time, Some(now));
}

#[tokio::test]
async fn case_15_the_time_of_the_last_reconcile_is_as_exact_as_asked_for() {
    for (how, second, expected) in [
        (ReconcileTime::Precise, 1_001, Some(1_001)),
        (ReconcileTime::Coarse(Duration::from_mins(1)), 1_001, Some(1_000)),
        (ReconcileTime::Coarse(Duration::from_mins(1)), 1_060, Some(1_060)),
        (ReconcileTime::Off, 9_999, None),
    ] {
        let cluster = Cluster::new();
        let pool = cluster.pool("a").await;
        let updater = cluster.updater().reconcile_time(how);
        updater.update(work(&pool, &[])).await.into_result().unwrap();
        cluster.at(second);
        updater.update(work(&cluster.get("a").await, &[])).await.into_result().unwrap();
        let time = status(&*cluster.get("a").await).last_reconcile_time;
        assert_eq!(time.map(allready_core::Time::as_second), expected, "{how:?} at {second}");
    }
}
