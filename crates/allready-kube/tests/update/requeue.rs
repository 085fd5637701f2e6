//! Smart requeue through the updater.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use allready_core::{Status, set::Untouched};
use allready_kube::update::{Because, Intervals, ReconcileResult, Requeue, RequeueStore};

use super::{Cluster, kinds::Pool, result};

fn store(min: Duration) -> Arc<Mutex<RequeueStore>> {
    Arc::new(Mutex::new(RequeueStore::new(Intervals::from_min(min))))
}

fn asking(result: ReconcileResult<Pool>, choice: Requeue) -> ReconcileResult<Pool> {
    ReconcileResult { smart_requeue: Some(choice), ..result }
}

#[tokio::test]
async fn case_07_the_smaller_of_the_smart_and_the_explicit_requeue_counts() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    for (min, expected) in [(1, 1), (60, 30)] {
        let updater = cluster.updater().smart_requeue(store(Duration::from_secs(min)));
        let asked = asking(result(&pool, &[]), Requeue::Backoff).requeue_after(Duration::from_secs(30));
        let done = updater.update(&cluster.client, asked).await;
        assert_eq!(done.requeue_after, Some(Duration::from_secs(expected)));
    }
}

#[tokio::test]
async fn case_07_conditionals_are_asked_in_order_the_last_wins_and_overrides_the_result() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let store = store(Duration::from_secs(1));
    let failing =
        |result: &ReconcileResult<Pool>| result.conditions.iter().any(|c| c.status == Status::False);
    let unknown =
        |result: &ReconcileResult<Pool>| result.conditions.iter().any(|c| c.status == Status::Unknown);
    let updater = cluster
        .updater()
        .conditions(Untouched::Keep)
        .smart_requeue(Arc::clone(&store))
        .requeue_if(move |result| failing(result).then_some(Requeue::Backoff))
        .requeue_if(move |result| unknown(result).then_some(Requeue::Never));
    let seconds = |done: allready_kube::update::Updated| done.requeue_after.map(|wait| wait.as_secs());
    let update = |result| updater.update(&cluster.client, asking(result, Requeue::Reset));

    assert_eq!(seconds(update(result(&pool, &[("A", Status::False)])).await), Some(1));
    assert_eq!(seconds(update(result(&pool, &[("A", Status::False)])).await), Some(2));
    assert_eq!(
        seconds(update(result(&pool, &[("A", Status::True)])).await),
        Some(1),
        "no opinion: the result's"
    );
    let both = result(&pool, &[("A", Status::False), ("B", Status::Unknown)]);
    assert_eq!(seconds(update(both).await), None, "the last wins");
    assert!(store.lock().unwrap().is_empty());
}

#[tokio::test]
async fn case_07_an_error_resets_the_wait_and_gives_no_requeue() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater().smart_requeue(store(Duration::from_secs(1)));
    let backoff = || asking(result(&pool, &[]), Requeue::Backoff);
    for expected in [1, 2, 4] {
        let done = updater.update(&cluster.client, backoff()).await;
        assert_eq!(done.requeue_after, Some(Duration::from_secs(expected)));
    }
    let failed = backoff().failed(std::io::Error::other("no").without_reason());
    let done = updater.update(&cluster.client, failed).await;
    assert_eq!(done.requeue_after, None);
    assert_eq!(updater.update(&cluster.client, backoff()).await.requeue_after, Some(Duration::from_secs(1)));
}

#[tokio::test]
async fn an_object_that_is_gone_waits_no_more() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let store = store(Duration::from_secs(1));
    let updater = cluster.updater().smart_requeue(Arc::clone(&store));
    let _ = updater.update(&cluster.client, asking(result(&pool, &[]), Requeue::Backoff)).await;
    assert_eq!(store.lock().unwrap().len(), 1);
    cluster.api::<Pool>().delete("a", &kube::api::DeleteParams::default()).await.unwrap();
    let done = updater.update(&cluster.client, asking(result(&pool, &[]), Requeue::Backoff)).await;
    assert_eq!((store.lock().unwrap().len(), done.requeue_after), (0, None));
}
