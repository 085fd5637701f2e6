//! Reconciles that end in every way there is.

use std::panic::AssertUnwindSafe;

use futures::FutureExt;

use super::*;

/// What stands in the store after this was done with a reporter.
async fn after(done: impl AsyncFnOnce(&Reporter)) -> Vec<(String, String, String)> {
    let server = server().await;
    let (reporter, running) = Reporter::builder(client(&server), speaker(), own_layout()).spawn();
    done(&reporter).await;
    running.stop(Duration::from_secs(5)).await;
    let conditions = stored(&server, &own_layout(), &speaker()).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    conditions.iter().map(|c| (text(&c["status"]), text(&c["reason"]), text(&c["message"]))).collect()
}

fn one(status: &str, reason: &str, message: &str) -> Vec<(String, String, String)> {
    vec![(status.to_owned(), reason.to_owned(), message.to_owned())]
}

#[tokio::test]
async fn results_are_reported_as_they_are() {
    let done = after(async |reporter| {
        let result = reporter.reporting("r", async { Ok::<_, Failure>(SyncState::ReprocessAll) }).await;
        assert_eq!(result.unwrap(), SyncState::ReprocessAll);
    });
    assert_eq!(done.await, one("True", "SyncStateReprocessAll", ""));

    let done = after(async |reporter| {
        let failed = reporter.reporting("r", async { Err::<(), _>(Failure::no_retry("cannot bind")) }).await;
        assert!(failed.is_err());
    });
    assert_eq!(done.await, one("False", "SyncStateErrorNoRetry", "cannot bind"));
}

#[tokio::test]
async fn a_reconcile_that_cannot_list_is_not_a_success() {
    let server = server().await;
    server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::List));
    let failing = client(&server);
    let done = after(async move |reporter| {
        let reconcile = async {
            let nodes: Api<k8s_openapi::api::core::v1::Node> = Api::all(failing);
            nodes.list(&kube::api::ListParams::default()).await?;
            Ok::<_, kube::Error>(SyncState::Success)
        };
        assert!(reporter.reporting("r", reconcile).await.is_err());
    });
    let said = done.await;
    assert_eq!((said[0].0.as_str(), said[0].1.as_str()), ("False", "SyncStateError"));
    assert!(said[0].2.contains("forbidden"), "{said:?}");
}

#[tokio::test]
async fn a_failure_stays_when_the_same_configuration_is_looked_at_again() {
    let done = after(async |reporter| {
        reporter.report("r", Outcome::error_no_retry("cannot bind"));
        reporter.reporting("r", async { Ok::<Option<SyncState>, Failure>(None) }).await.unwrap();
        reporter.guard("r").unchanged();
    });
    assert_eq!(done.await, one("False", "SyncStateErrorNoRetry", "cannot bind"));
}

#[tokio::test]
async fn a_cancelled_reconcile_is_an_error() {
    let done = after(async |reporter| {
        reporter.report("r", SyncState::Success);
        let endless = reporter.reporting("r", std::future::pending::<SyncState>());
        assert!(tokio::time::timeout(Duration::from_millis(1), endless).await.is_err());
    });
    assert_eq!(
        done.await,
        one("False", "SyncStateError", "the reconcile was cancelled or ended without a result")
    );
}

#[tokio::test]
async fn a_panic_is_reported_and_goes_on() {
    let done = after(async |reporter| {
        let broken = reporter.reporting("r", async {
            assert!(std::hint::black_box(false), "index out of bounds");
            SyncState::Success
        });
        assert!(AssertUnwindSafe(broken).catch_unwind().await.is_err());
    });
    assert_eq!(done.await, one("False", "SyncStateError", "the reconcile panicked: index out of bounds"));
}

#[tokio::test]
async fn a_guard_reports_what_it_is_told_or_that_it_was_told_nothing() {
    assert_eq!(
        after(async |reporter| reporter.guard("r").report(Outcome::success())).await,
        one("True", "SyncStateSuccess", "")
    );
    assert_eq!(
        after(async |reporter| drop(reporter.guard("r"))).await,
        one("False", "SyncStateError", "the reconcile was cancelled or ended without a result")
    );
    let panicked = after(async |reporter| {
        let guard = reporter.guard("r");
        let broken = std::panic::catch_unwind(AssertUnwindSafe(move || {
            let _guard = guard;
            panic!("on purpose");
        }));
        assert!(broken.is_err());
    });
    assert_eq!(panicked.await, one("False", "SyncStateError", "the reconcile panicked"));
}
