//! The cases of openmcp's status updater, with its bugs done right.

use std::{sync::Arc, time::Duration};

use allready_apiserver::{Verb, fault::Effect};
use allready_core::{Condition, Status, condition_type, reason, set::Untouched, transition::Verbosity};
use allready_kube::{
    events::MemorySink,
    update::{
        Because, ExpectedCondition, Field, ReasonedError, ReconcileResult, ReconcileTime, StatusUpdater,
        Wrote,
    },
};
use kube::runtime::controller::Action;
use serde_json::json;

use super::{
    Cluster,
    kinds::{Phase, Pool},
    result, status, told,
};

fn broken() -> ReasonedError {
    std::io::Error::other("the disk is full").because(reason!("DiskFull"))
}

#[tokio::test]
async fn case_01_an_empty_status_is_filled_from_error_conditions_and_object() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let now = cluster.at(2_000);
    let result = result(&pool, &[("Synced", Status::True), ("Healthy", Status::False)])
        .failed(broken())
        .requeue_after(Duration::from_secs(5));
    let done = cluster.updater().conditions(Untouched::Keep).update(&cluster.client, result).await;
    assert_eq!(done.requeue_after, Some(Duration::from_secs(5)), "passed through");
    assert_eq!(done.into_result().unwrap_err().to_string(), "the disk is full");

    let stored = cluster.get("a").await;
    let status = status(&stored);
    assert_eq!((status.observed_generation, status.phase), (1, Phase::Failed));
    assert_eq!((status.reason.as_str(), status.message.as_deref()), ("DiskFull", Some("the disk is full")));
    assert_eq!(status.last_reconcile_time, Some(now));
    for (type_, expected) in [("Synced", Status::True), ("Healthy", Status::False)] {
        let expected =
            ExpectedCondition::of(type_).status(expected).since(now, Duration::ZERO).generation(1u32);
        assert_eq!(expected.check(&status.conditions), Ok(()));
    }
}

#[tokio::test]
async fn case_01_an_action_is_what_the_reconcile_asked_for() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    let asked = result(&pool, &[]).requeue_after(Duration::from_secs(5));
    let action = updater.update(&cluster.client, asked).await.into_result().unwrap();
    assert_eq!(action, Action::requeue(Duration::from_secs(5)));
    let action = updater.update(&cluster.client, result(&pool, &[])).await.into_result().unwrap();
    assert_eq!(action, Action::await_change());
}

#[tokio::test]
async fn case_02_without_an_object_nothing_is_sent_and_the_error_comes_back() {
    let cluster = Cluster::new();
    let updater = cluster.updater();
    let nothing = ReconcileResult::default().failed(broken());
    let (done, requests) = cluster.counted(updater.update(&cluster.client, nothing)).await;
    assert_eq!((done.wrote.as_ref().unwrap(), requests), (&Wrote::NoObject, 0));
    assert_eq!(done.into_result().unwrap_err().to_string(), "the disk is full");
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
    let pool = cluster.write("a", old).await;
    cluster.at(2_000);
    let updater = cluster.updater().conditions(Untouched::Remove);
    let result = result(&pool, &[("Kept", Status::True), ("Turned", Status::False)]);
    updater.update(&cluster.client, result).await.into_result().unwrap();

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
        let updater = cluster.updater().conditions(Untouched::Remove).without(&[off]);
        let mut result = result(&pool, &[("New", Status::True)]);
        result.reason = Some(reason!("New"));
        result.message = Some("new".into());
        updater.update(&cluster.client, result).await.into_result().unwrap();
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
    let updater = cluster.updater().conditions(Untouched::Keep);
    updater
        .update(&cluster.client, result(&pool, &[("A", Status::True), ("B", Status::True)]))
        .await
        .into_result()
        .unwrap();
    let mut both = result(&cluster.get("a").await, &[("A", Status::True)]);
    both.remove.push(condition_type!("A"));
    updater.update(&cluster.client, both).await.into_result().unwrap();
    assert_eq!(told(&status(&*cluster.get("a").await).conditions).into_keys().collect::<Vec<_>>(), ["B"]);
}

#[tokio::test]
async fn case_06_a_condition_without_a_generation_gets_that_of_the_object() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let mut result = result(&pool, &[("Without", Status::True)]);
    let with =
        Condition::new(condition_type!("With"), Status::True, reason!("Ok"), "", allready_core::Time::EPOCH);
    result.conditions.push(with.observed(10));
    cluster
        .updater()
        .conditions(Untouched::Keep)
        .update(&cluster.client, result)
        .await
        .into_result()
        .unwrap();
    let stored = cluster.get("a").await;
    for (type_, generation) in [("Without", 1u32), ("With", 10)] {
        let expected = ExpectedCondition::of(type_).generation(generation);
        assert_eq!(expected.check(&status(&stored).conditions), Ok(()));
    }
}

#[tokio::test]
async fn case_08_without_a_status_nothing_is_sent_and_the_error_comes_back() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().conditions(Untouched::Keep).without_status();
    let failed = result(&pool, &[("A", Status::True)]).failed(broken());
    let (done, requests) = cluster.counted(updater.update(&cluster.client, failed)).await;
    assert_eq!((done.wrote.as_ref().unwrap(), requests), (&Wrote::SwitchedOff, 0));
    assert_eq!(done.into_result().unwrap_err().to_string(), "the disk is full");
    assert_eq!(cluster.get("a").await.status, None);
}

#[tokio::test]
async fn case_08_edits_in_memory_are_written_only_against_the_object_from_before() {
    let cluster = Cluster::new();
    let before = cluster.pool("a").await;
    let mut edited = (*before).clone();
    edited.status.get_or_insert_default().addresses = 9;
    let edited = Arc::new(edited);

    let updater = cluster.updater();
    let same =
        ReconcileResult { old_object: Some(Arc::clone(&edited)), ..ReconcileResult::of(Arc::clone(&edited)) };
    updater.update(&cluster.client, same).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).addresses, 0, "the same object: nothing was edited");

    let before = cluster.get("a").await;
    let mut edited = (*before).clone();
    edited.status.get_or_insert_default().addresses = 9;
    let with_old = ReconcileResult { old_object: Some(before), ..ReconcileResult::of(edited) };
    updater.update(&cluster.client, with_old).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).addresses, 9);
}

#[tokio::test]
async fn case_09_a_phase_that_cannot_be_computed_is_cleared_and_the_rest_is_written() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let pool = cluster.write("a", json!({ "phase": "Succeeded" })).await;
    let updater = cluster.updater().phase(|_| Err::<Phase, _>(broken()));
    let done = updater.update(&cluster.client, result(&pool, &[])).await;
    assert_eq!(done.wrote.as_ref().unwrap(), &Wrote::Changed);
    assert_eq!(done.into_result().unwrap_err().to_string(), "error computing phase: the disk is full");
    let stored = cluster.get("a").await;
    assert_eq!((status(&stored).phase, status(&stored).observed_generation), (Phase::Pending, 1));
}

#[tokio::test]
async fn case_09_a_custom_update_that_fails_does_not_keep_the_rest_from_being_written() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().edit(|status, _| {
        status.addresses = 7;
        Err(broken())
    });
    let error = updater.update(&cluster.client, result(&pool, &[])).await.into_result().unwrap_err();
    assert_eq!(error.to_string(), "error in the custom update of the status: the disk is full");
    let stored = cluster.get("a").await;
    assert_eq!((status(&stored).addresses, status(&stored).observed_generation), (0, 1));
}

#[tokio::test]
async fn case_09_a_write_that_fails_is_told_beside_the_error_of_the_reconcile() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    cluster.fault(Effect::Forbidden, Verb::Patch, 1);
    let failed = result(&pool, &[]).failed(broken()).requeue_after(Duration::from_secs(3));
    let done = cluster.updater().update(&cluster.client, failed).await;
    assert_eq!(done.requeue_after, Some(Duration::from_secs(3)), "still computed");
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
    let updater =
        cluster.updater().conditions(Untouched::Keep).events(Arc::new(sink.clone()), Verbosity::PerChange);
    cluster.fault(Effect::Forbidden, Verb::Patch, 1);
    let synced = || result(&pool, &[("Synced", Status::False)]);
    let done = updater.update(&cluster.client, synced()).await;
    assert!(done.wrote.is_err() && done.transitions.is_empty());
    assert_eq!(sink.recorded(), [], "nothing has changed in the cluster");

    let done = updater.update(&cluster.client, synced()).await;
    assert_eq!(done.transitions.len(), 1);
    let recorded = sink.recorded();
    assert_eq!(recorded.len(), 1);
    assert_eq!(recorded[0].note.note, "Condition 'Synced' added with status 'False'");
    assert_eq!(recorded[0].note.severity.as_str(), "Warning");
    assert_eq!(recorded[0].regarding.uid, pool.metadata.uid);
    assert_eq!(recorded[0].regarding.kind.as_deref(), Some("Pool"));
}

#[tokio::test]
async fn case_11_an_explicit_message_stands_in_place_of_the_error_text() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let mut failed = result(&pool, &[]).failed(broken());
    failed.message = Some("see the log".into());
    let _ = cluster.updater().update(&cluster.client, failed).await;
    let stored = cluster.get("a").await;
    assert_eq!(
        (status(&stored).reason.as_str(), status(&stored).message.as_deref()),
        ("DiskFull", Some("see the log"))
    );
}

#[tokio::test]
async fn case_12_conditions_are_left_alone_unless_the_updater_is_told_to_update_them() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    updater.update(&cluster.client, result(&pool, &[("A", Status::True)])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).conditions, []);
}

#[tokio::test]
async fn case_13_a_phase_is_of_its_own_type_and_may_be_left_out() {
    let cluster = Cluster::new();
    cluster.pool("a").await;
    let pool = cluster.write("a", json!({ "phase": "Succeeded" })).await;
    let without = StatusUpdater::<Pool>::new();
    without.update(&cluster.client, result(&pool, &[])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).phase, Phase::Succeeded, "nobody computes it");
    let typed = StatusUpdater::<Pool>::new().phase(|_| Ok::<_, ReasonedError>(Phase::Failed));
    typed.update(&cluster.client, result(&cluster.get("a").await, &[])).await.into_result().unwrap();
    assert_eq!(status(&*cluster.get("a").await).phase, Phase::Failed);
}

#[tokio::test]
async fn case_14_an_early_error_does_not_wipe_the_conditions() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().conditions(Untouched::Remove);
    let both = result(&pool, &[("A", Status::True), ("B", Status::True)]);
    updater.update(&cluster.client, both).await.into_result().unwrap();

    let early = result(&cluster.get("a").await, &[]).failed(broken());
    let _ = updater.update(&cluster.client, early).await;
    let stored = cluster.get("a").await;
    assert_eq!(told(&status(&stored).conditions).len(), 2, "the reconcile never got to them");
    assert_eq!(status(&stored).phase, Phase::Failed);

    let finished = result(&stored, &[("A", Status::True)]);
    updater.update(&cluster.client, finished).await.into_result().unwrap();
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
    let updater = cluster.updater().conditions(Untouched::Remove);
    let same = |pool: &Arc<Pool>| result(pool, &[("A", Status::True)]);
    updater.update(&cluster.client, same(&pool)).await.into_result().unwrap();

    let pool = cluster.get("a").await;
    cluster.at(1_599);
    let (done, requests) = cluster.counted(updater.update(&cluster.client, same(&pool))).await;
    assert_eq!((done.wrote.unwrap(), requests, done.requests), (Wrote::Unchanged, 0, 0));

    let now = cluster.at(1_600);
    let (done, requests) = cluster.counted(updater.update(&cluster.client, same(&pool))).await;
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
        updater.update(&cluster.client, result(&pool, &[])).await.into_result().unwrap();
        cluster.at(second);
        updater.update(&cluster.client, result(&cluster.get("a").await, &[])).await.into_result().unwrap();
        let time = status(&*cluster.get("a").await).last_reconcile_time;
        assert_eq!(time.map(allready_core::Time::as_second), expected, "{how:?} at {second}");
    }
}
