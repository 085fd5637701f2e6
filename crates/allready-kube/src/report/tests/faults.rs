//! Everything that can go wrong on the way, at random.

use allready_apiserver::server::Keep;

use super::*;
use crate::backoff::Backoff;

const QUICK: Backoff = Backoff { min: Duration::from_millis(1), max: Duration::from_millis(4) };

#[tokio::test]
async fn reporters_come_through_conflicts_refusals_resets_and_restarts_without_a_lost_condition() {
    for layout in [shared_layout(), own_layout()] {
        let server = server().await;
        for effect in [Effect::Conflict, Effect::InternalError, Effect::ResetBefore, Effect::ResetAfter] {
            server.faults().add(Rule::new(effect).verb(Verb::Patch).rate(0.1));
        }
        server.faults().add(Rule::new(Effect::TooManyRequests { retry_after: 0 }).rate(0.1));
        let metrics = ReportMetrics::default();
        let speakers: Vec<_> = (0..8)
            .map(|node| {
                let identity = Identity::of("speaker").on(format!("node-{node}"));
                let builder = Reporter::builder(client(&server), identity, layout.clone());
                builder.backoff(QUICK).metrics(metrics.clone()).spawn()
            })
            .collect();
        for turn in 0..100 {
            for (reporter, _) in &speakers {
                reporter.report("configReconciler", Outcome::error(turn));
                reporter.report(
                    "nodeReconciler",
                    if turn % 3 == 0 { Outcome::success() } else { Outcome::error("") },
                );
            }
            tokio::task::yield_now().await;
            if turn == 50 {
                server.restart(Keep::Data);
            }
        }
        let mut identities = Vec::new();
        for (reporter, running) in speakers {
            assert_eq!(running.stop(Duration::from_secs(20)).await, Ended { unwritten: 0 }, "{reporter:?}");
            identities.push(reporter.identity().clone());
        }
        server.faults().clear();
        for identity in identities {
            let conditions = stored(&server, &layout, &identity).await;
            let own: Vec<_> = conditions
                .iter()
                .filter(|condition| match &layout {
                    Layout::Singleton { .. } => {
                        condition["type"].as_str().unwrap().starts_with(&format!("{identity}/"))
                    }
                    Layout::Sharded { .. } => true,
                })
                .map(|condition| (condition["status"].clone(), condition["message"].clone()))
                .collect();
            assert_eq!(own, [(json!("False"), json!("99")), (json!("True"), json!(""))], "{identity}");
        }
        assert!(metrics.writes.retried.get() > 0, "nothing went wrong");
    }
}

#[tokio::test]
async fn what_a_server_forgets_is_told_again() {
    let server = server().await;
    let builder = Reporter::builder(client(&server), speaker(), own_layout()).backoff(QUICK);
    let (reporter, _running) = builder.refresh(Some(Duration::from_millis(20))).spawn();
    reporter.report("configReconciler", SyncState::Success);
    reporter.settled().await;
    server.restart(Keep::Nothing);
    while stored(&server, &own_layout(), &speaker()).await.is_empty() {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_is_left_alone_for_as_long_as_it_asks() {
    let server = server().await;
    server
        .faults()
        .add(Rule::new(Effect::TooManyRequests { retry_after: 30 }).verb(Verb::Patch).next_calls(1));
    let (reporter, _running) = Reporter::builder(client(&server), speaker(), shared_layout()).spawn();
    let start = tokio::time::Instant::now();
    reporter.report("configReconciler", SyncState::Success);
    reporter.settled().await;
    let waited = start.elapsed();
    assert!((Duration::from_secs(30)..Duration::from_secs(31)).contains(&waited), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn nobody_is_left_alone_for_longer_than_a_minute() {
    let server = server().await;
    server
        .faults()
        .add(Rule::new(Effect::TooManyRequests { retry_after: 3600 }).verb(Verb::Patch).next_calls(1));
    let (reporter, _running) = Reporter::builder(client(&server), speaker(), shared_layout()).spawn();
    let start = tokio::time::Instant::now();
    reporter.report("configReconciler", SyncState::Success);
    reporter.settled().await;
    let waited = start.elapsed();
    assert!((Duration::from_mins(1)..Duration::from_secs(61)).contains(&waited), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_request_without_an_answer_is_given_up_and_sent_again() {
    let server = server().await;
    server.faults().add(Rule::new(Effect::Latency(Duration::from_hours(1))).verb(Verb::Patch).next_calls(1));
    let builder = Reporter::builder(client(&server), speaker(), shared_layout());
    let (reporter, _running) = builder.timeout(Duration::from_secs(7)).spawn();
    let start = tokio::time::Instant::now();
    reporter.report("configReconciler", SyncState::Success);
    reporter.settled().await;
    let waited = start.elapsed();
    assert!((Duration::from_secs(7)..Duration::from_secs(8)).contains(&waited), "{waited:?}");
}
