//! Replicas that agree on who leads.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use allready_e2e::{Server, within};
use allready_kube::lease::{Candidacy, Candidate, Leadership, Record, Timing};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use tokio::time::Instant;

allready_e2e::scenarios![
    a_released_lease_is_taken_over_at_once,
    a_leader_that_vanishes_is_followed_after_its_lease
];
allready_e2e::kubectl_scenarios![people_see_who_leads_and_can_end_it];

/// A tenth of the usual, so that a scenario is over in seconds; a lease says whole seconds.
fn quick() -> Timing {
    let milliseconds = Duration::from_millis;
    Timing {
        lease_duration: milliseconds(2000),
        renew_deadline: milliseconds(1300),
        retry_period: milliseconds(200),
    }
}

fn candidate(server: &Server, namespace: &str, identity: &str) -> Candidacy {
    Candidate::new(server.client(), namespace, "lock", identity).timing(quick()).start().unwrap()
}

async fn record(server: &Server, namespace: &str) -> Record {
    Record::of(&Api::<Lease>::namespaced(server.client(), namespace).get("lock").await.unwrap())
}

async fn elected(candidacy: &Candidacy) {
    within(Duration::from_secs(20), "an election", candidacy.elected()).await.unwrap();
}

async fn a_released_lease_is_taken_over_at_once(server: Server) {
    let namespace = server.namespace("released").await;
    let (first, second) = (candidate(&server, &namespace, "first"), candidate(&server, &namespace, "second"));
    tokio::select! {
        () = elected(&first) => {}
        () = elected(&second) => {}
    }
    let (leader, follower) = if first.token().is_some() { (first, second) } else { (second, first) };
    let (writes, writing) = (Arc::new(AtomicU32::new(0)), leader.clone());
    let counted = Arc::clone(&writes);
    let work = tokio::spawn(async move {
        let work = async {
            loop {
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let token = writing.elected().await.unwrap();
        tokio::select! {
            biased;
            () = writing.lost(&token) => {}
            () = work => {}
        }
    });
    let before = record(&server, &namespace).await;
    within(Duration::from_secs(5), "the work to begin", async {
        while writes.load(Ordering::SeqCst) == 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    leader.release().await;
    work.await.unwrap();
    assert_eq!(*leader.leadership().borrow(), Leadership::Stopped);
    elected(&follower).await;
    let after = record(&server, &namespace).await;
    assert_ne!(after.holder, before.holder);
    assert_eq!(after.transitions, before.transitions + 1);
    follower.release().await;
    let released = record(&server, &namespace).await;
    assert_eq!((released.holder.as_str(), released.duration_seconds), ("", 1));
}

async fn a_leader_that_vanishes_is_followed_after_its_lease(server: Server) {
    let namespace = server.namespace("vanished").await;
    let first = candidate(&server, &namespace, "first");
    elected(&first).await;
    let second = candidate(&server, &namespace, "second");
    let followed = Leadership::Following { holder: Some("first".to_owned()) };
    within(Duration::from_secs(20), "the second to look", async {
        second.leadership().wait_for(|it| *it == followed).await.map(drop)
    })
    .await
    .unwrap();
    drop(first);
    let gone = Instant::now();
    elected(&second).await;
    // The last renewal was at most one period and one request ago.
    assert!(gone.elapsed() >= Duration::from_millis(1300), "{:?}", gone.elapsed());
    let record = record(&server, &namespace).await;
    assert_eq!((record.holder.as_str(), record.transitions, record.duration_seconds), ("second", 1, 2));
    assert!(record.renewed >= record.acquired);
}

async fn people_see_who_leads_and_can_end_it(server: Server) {
    let namespace = server.namespace("people").await;
    let candidacy = candidate(&server, &namespace, "first");
    elected(&candidacy).await;
    let token = candidacy.token().unwrap();
    let table = server.kubectl(&["get", "lease", "lock", "-n", &namespace, "--no-headers"]).await.ok();
    assert_eq!(table.split_whitespace().take(2).collect::<Vec<_>>(), ["lock", "first"]);

    let patch = r#"{"spec":{"holderIdentity":"an-administrator","leaseDurationSeconds":600}}"#;
    server.kubectl(&["patch", "lease", "lock", "-n", &namespace, "--type=merge", "-p", patch]).await.ok();
    within(Duration::from_secs(5), "the leader to notice", candidacy.lost(&token)).await;
    let followed = Leadership::Following { holder: Some("an-administrator".to_owned()) };
    within(Duration::from_secs(5), "the leader to follow", async {
        candidacy.leadership().wait_for(|it| *it == followed).await.map(drop)
    })
    .await
    .unwrap();
}
