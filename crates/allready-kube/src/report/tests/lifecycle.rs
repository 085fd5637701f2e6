//! Starts, ends, and objects that go away.

use kube::api::DeleteParams;

use super::*;

#[tokio::test]
async fn a_restart_keeps_the_time_of_a_status_that_is_the_same() {
    for layout in [shared_layout(), own_layout()] {
        let server = server().await;
        let hand = Hand::default();
        let life = async |second: i64, outcome: Outcome| {
            hand.set(second);
            let builder = Reporter::builder(client(&server), speaker(), layout.clone());
            let (reporter, running) = builder.clock(hand.clock()).spawn();
            reporter.report("configReconciler", outcome);
            running.stop(Duration::from_secs(5)).await;
            stored(&server, &layout, &speaker()).await[0]["lastTransitionTime"].clone()
        };
        assert_eq!(life(100, Outcome::success()).await, "1970-01-01T00:01:40Z");
        let patches = count(&server, Verb::Patch);
        assert_eq!(life(200, Outcome::success()).await, "1970-01-01T00:01:40Z");
        assert_eq!(server.faults().matched(patches), 0, "nothing has changed");
        assert_eq!(life(300, Outcome::error("a")).await, "1970-01-01T00:05:00Z");
        assert_eq!(life(400, Outcome::error("b")).await, "1970-01-01T00:05:00Z");
    }
}

#[tokio::test]
async fn a_report_of_its_own_that_is_deleted_comes_back_at_once_when_it_is_watched() {
    let server = server().await;
    let (reporter, _running) = Reporter::builder(client(&server), speaker(), own_layout()).watch().spawn();
    let name = own_layout().object_name(&speaker());
    reporter.report("configReconciler", Outcome::config_error("no pool"));
    reporter.settled().await;
    for _ in 0..3 {
        let before = own_api(&server).get(&name).await.unwrap();
        until(|| server.watches() > 0).await;
        own_api(&server).delete(&name, &DeleteParams::default()).await.unwrap();
        let after = loop {
            match own_api(&server).get_opt(&name).await.unwrap() {
                Some(report) if report.status.is_some() => break report,
                _ => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        };
        assert_ne!(after.metadata.uid, before.metadata.uid);
        assert_eq!(after.status, before.status, "with the same time");
    }
}

#[tokio::test]
async fn a_shared_object_that_is_made_anew_is_written_into_again() {
    for is_watching in [true, false] {
        let server = server().await;
        let every = Duration::from_millis(if is_watching { 3_600_000 } else { 20 });
        let builder = Reporter::builder(client(&server), speaker(), shared_layout()).refresh(Some(every));
        let builder = if is_watching { builder.watch() } else { builder };
        let (reporter, _running) = builder.spawn();
        reporter.report("configReconciler", SyncState::Success);
        reporter.settled().await;
        until(|| !is_watching || server.watches() > 0).await;
        shared_api(&server).delete("config-status", &DeleteParams::default()).await.unwrap();
        make_shared(&server).await;
        while stored(&server, &shared_layout(), &speaker()).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
}

#[tokio::test]
async fn dropping_the_last_handle_writes_what_is_left_and_ends_the_task() {
    let server = server().await;
    let (reporter, task) = Reporter::builder(client(&server), speaker(), shared_layout()).build();
    let other = reporter.clone();
    drop(reporter);
    other.report("configReconciler", SyncState::Success);
    drop(other);
    assert_eq!(task.run().await, Ended { unwritten: 0 });
    assert_eq!(stored(&server, &shared_layout(), &speaker()).await.len(), 1);
}

#[tokio::test]
async fn the_flush_ends_with_its_deadline_and_says_what_is_lost() {
    let server = server().await;
    server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Patch));
    let metrics = ReportMetrics::default();
    let builder = Reporter::builder(client(&server), speaker(), shared_layout()).metrics(metrics.clone());
    let (reporter, running) = builder.spawn();
    reporter.report("configReconciler", SyncState::Success);
    reporter.report("nodeReconciler", SyncState::Success);
    assert_eq!(running.stop(Duration::from_millis(50)).await, Ended { unwritten: 2 });
    assert_eq!((metrics.writes.failed.get(), metrics.troubled.get()), (2, 0));
    reporter.settled().await;
}

#[tokio::test]
async fn a_stopped_task_flushes_what_was_waiting_for_its_turn_after_a_failure() {
    let server = server().await;
    let fault = server.faults().add(Rule::new(Effect::InternalError).verb(Verb::Patch).next_calls(1));
    let slow = crate::backoff::Backoff { min: Duration::from_hours(1), max: Duration::from_hours(1) };
    let (reporter, task) =
        Reporter::builder(client(&server), speaker(), shared_layout()).backoff(slow).build();
    let stop = async {
        reporter.report("configReconciler", SyncState::Success);
        until(|| server.faults().fired(fault) == 1).await;
    };
    assert_eq!(task.run_until(stop).await, Ended { unwritten: 0 });
}

/// Waits until something holds, and not for ever.
pub(super) async fn until(holds: impl Fn() -> bool) {
    let waiting = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it never holds");
}
