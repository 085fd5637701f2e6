//! Smart requeue through the updater.

use std::time::Duration;

use allready_core::{Status, reason};
use allready_kube::status::{Because, Intervals, Reconciled, Requeue, StatusView};
use kube::runtime::controller::Action;

use super::{Cluster, Update as _, kinds::Pool, work};

fn seconds(done: &Reconciled) -> Option<u64> {
    done.requeue_after.map(|wait| wait.as_secs())
}

#[tokio::test]
async fn case_07_the_smaller_of_the_smart_and_the_explicit_requeue_counts() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    for (min, expected) in [(1, 1), (60, 30)] {
        let intervals = Intervals::from_min(Duration::from_secs(min));
        let updater = cluster.updater().intervals(intervals).requeue_if(|_| Some(Requeue::Backoff));
        let done = updater.update(work(&pool, &[]).requeue(Duration::from_secs(30))).await;
        assert_eq!(seconds(&done), Some(expected));
    }
}

#[tokio::test]
async fn case_07_conditionals_are_asked_in_order_the_last_wins_and_overrides_the_result() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let any = |view: &StatusView<'_, Pool>, status| view.conditions.iter().any(|c| c.status == status);
    let updater = cluster
        .updater()
        .requeue_if(move |view| any(view, Status::False).then_some(Requeue::Backoff))
        .requeue_if(move |view| any(view, Status::Unknown).then_some(Requeue::AwaitChange));
    let update =
        async |conditions| seconds(&updater.update(work(&pool, conditions).requeue(Requeue::Reset)).await);
    assert_eq!(update(&[("A", Status::False)]).await, Some(1));
    assert_eq!(update(&[("A", Status::False)]).await, Some(2));
    assert_eq!(update(&[("A", Status::True)]).await, Some(1), "no opinion: the work's own");
    assert_eq!(update(&[("A", Status::False), ("B", Status::Unknown)]).await, None, "the last wins");
}

#[tokio::test]
async fn an_object_that_fails_is_tried_less_and_less_often_until_it_succeeds() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    let failed = || work(&pool, &[]).failed(std::io::Error::other("no").because(reason!("RemoteAway")));
    for expected in [1, 2, 4] {
        let error = updater.update(failed()).await.into_result().unwrap_err();
        assert_eq!(error.action(), Action::requeue(Duration::from_secs(expected)));
    }
    assert_eq!(updater.update(work(&pool, &[])).await.into_result().unwrap(), Action::await_change());
    let error = updater.update(failed()).await.into_result().unwrap_err();
    assert_eq!(error.action(), Action::requeue(Duration::from_secs(1)), "waits begin anew");
    let terminal = std::io::Error::other("10.0.0.").because(reason!("BadAddress")).terminal();
    let error = updater.update(work(&pool, &[]).failed(terminal)).await.into_result().unwrap_err();
    assert_eq!(error.action(), Action::await_change(), "trying again would not help");
}

#[tokio::test]
async fn an_object_that_is_gone_waits_no_more() {
    let cluster = Cluster::new();
    let pool = cluster.pool("a").await;
    let updater = cluster.updater();
    let backoff = || work(&pool, &[]).requeue(Requeue::Backoff);
    assert_eq!(seconds(&updater.update(backoff()).await), Some(1));
    cluster.api::<Pool>().delete("a", &kube::api::DeleteParams::default()).await.unwrap();
    assert_eq!(seconds(&updater.update(backoff()).await), None);
}
