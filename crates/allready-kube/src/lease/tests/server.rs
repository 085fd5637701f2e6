//! The loop on the embedded server, with a clock that stands while something happens and jumps while nothing does.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, User, Verb,
    fault::{Effect, Rule},
    server::Keep,
};
use k8s_openapi::api::{
    coordination::v1::Lease,
    rbac::v1::{Role, RoleBinding},
};
use kube::{
    Api, Client,
    api::{DeleteParams, PostParams},
};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::lease::{Candidacy, Candidate, CandidateError, Cut, Leadership, Lost, Record, Timing};

const SECOND: Duration = Duration::from_secs(1);

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), "default")
}

fn start(server: &ApiServer, identity: &str) -> Candidacy {
    Candidate::new(client(server), "default", "lock", identity).start().unwrap()
}

async fn record(server: &ApiServer) -> Record {
    Record::of(&Api::<Lease>::namespaced(client(server), "default").get("lock").await.unwrap())
}

/// Works while it leads; nothing once the leadership is lost.
async fn while_leading<F: Future>(candidacy: &Candidacy, work: F) -> Option<F::Output> {
    let token = candidacy.elected().await.ok()?;
    tokio::select! {
        biased;
        () = candidacy.lost(&token) => None,
        output = work => Some(output),
    }
}

#[tokio::test(start_paused = true)]
async fn the_first_leads_and_the_second_knows_it() {
    let server = ApiServer::new();
    let first = start(&server, "first");
    let token = first.elected().await.unwrap();
    assert!(token.is_leading(Instant::now()));
    let second = start(&server, "second");
    let followed = Leadership::Following { holder: Some("first".to_owned()) };
    timeout(10 * SECOND, second.leadership().wait_for(|it| *it == followed)).await.unwrap().unwrap();
    assert!(second.token().is_none());
    let record = record(&server).await;
    assert_eq!((record.holder.as_str(), record.duration_seconds, record.transitions), ("first", 15, 0));
}

#[tokio::test(start_paused = true)]
async fn a_leader_renews_for_hours_within_one_term() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    let updates = server.faults().add(Rule::new(Effect::Latency(Duration::ZERO)).verb(Verb::Update));
    let reads = server.faults().add(Rule::new(Effect::Latency(Duration::ZERO)).verb(Verb::Get));
    sleep(3600 * SECOND).await;
    assert!(token.is_leading(Instant::now()));
    assert_eq!(token.term(), 1);
    let (updates, reads) = (server.faults().fired(updates), server.faults().fired(reads));
    assert!((1790..=1800).contains(&updates), "one every two seconds: {updates}");
    assert_eq!(reads, 0, "a leader need not look");
}

#[tokio::test(start_paused = true)]
async fn a_released_lease_is_taken_at_once_and_the_transition_is_counted() {
    let server = ApiServer::new();
    let (first, second) = (start(&server, "first"), start(&server, "second"));
    first.elected().await.unwrap();
    first.release().await;
    assert_eq!(*first.leadership().borrow(), Leadership::Stopped);
    assert_eq!(first.elected().await.unwrap_err(), Lost);
    let released = record(&server).await;
    if released.holder.is_empty() {
        assert_eq!(released.duration_seconds, 1);
    }
    // A candidate's longest pause.
    timeout(5 * SECOND, second.elected()).await.unwrap().unwrap();
    let record = record(&server).await;
    assert_eq!((record.holder.as_str(), record.transitions), ("second", 1), "to nobody does not count");
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_vanishes_is_followed_after_its_lease_and_not_before() {
    let server = ApiServer::new();
    let first = start(&server, "first");
    let token = first.elected().await.unwrap();
    let second = start(&server, "second");
    sleep(100 * SECOND).await;
    drop(first);
    assert!(!token.is_leading(Instant::now()));
    let gone = Instant::now();
    timeout(60 * SECOND, second.elected()).await.unwrap().unwrap();
    let waited = gone.elapsed();
    // The last renewal was up to 2 seconds ago, and the second looks every 2 to 4.4 seconds.
    assert!((13 * SECOND..=Timing::default().failover(SECOND / 100)).contains(&waited), "{waited:?}");
    assert_eq!(record(&server).await.transitions, 1);
}

#[tokio::test(start_paused = true)]
async fn conflicts_cut_connections_and_failures_of_the_server_do_not_end_a_term() {
    let server = ApiServer::builder().seed(5).build().unwrap();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    let second = start(&server, "second");
    let effects = [
        Effect::Conflict,
        Effect::ResetAfter,
        Effect::ResetBefore,
        Effect::InternalError,
        Effect::Unavailable,
        Effect::TooManyRequests { retry_after: 1 },
    ];
    let rules: Vec<_> = effects
        .into_iter()
        .map(|effect| server.faults().add(Rule::new(effect).kind("Lease").verb(Verb::Update).rate(0.03)))
        .collect();
    for _ in 0..3600 {
        sleep(SECOND).await;
        assert!(token.is_leading(Instant::now()));
        assert!(second.token().is_none());
    }
    assert!(rules.into_iter().all(|rule| server.faults().fired(rule) > 20));
}

#[tokio::test(start_paused = true)]
async fn a_term_ends_at_the_deadline_when_the_server_refuses_everything() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let mut token = None;
    let ticks = AtomicU64::new(0);
    let work = async {
        token = candidacy.token();
        server.faults().add(Rule::new(Effect::Unavailable).kind("Lease"));
        loop {
            assert!(token.as_ref().unwrap().is_leading(Instant::now()), "it is not polled after the end");
            ticks.fetch_add(1, Ordering::Relaxed);
            sleep(SECOND / 10).await;
        }
    };
    let start = Instant::now();
    let outcome: Option<()> = while_leading(&candidacy, work).await;
    assert_eq!(outcome, None);
    let lasted = start.elapsed();
    assert!((9 * SECOND..=11 * SECOND).contains(&lasted), "{lasted:?}");
    assert!(ticks.load(Ordering::Relaxed) > 80);
    assert!(!token.unwrap().is_leading(Instant::now()));

    // When it answers again the next term begins, with a number of its own, and the old token stays worthless.
    server.faults().clear();
    let next = timeout(30 * SECOND, candidacy.elected()).await.unwrap().unwrap();
    assert_eq!((next.term(), next.fence()), (2, 1));
}

#[tokio::test(start_paused = true)]
async fn a_term_ends_at_the_deadline_when_the_server_does_not_answer() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    server.faults().add(Rule::new(Effect::Latency(3600 * SECOND)).kind("Lease"));
    let begin = Instant::now();
    candidacy.lost(&token).await;
    assert_eq!(begin.elapsed().as_secs(), 10);
    let lost = Leadership::Following { holder: Some("first".to_owned()) };
    timeout(SECOND, candidacy.leadership().wait_for(|it| *it == lost)).await.unwrap().unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_restart_of_the_server_ends_no_term_with_or_without_its_data() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    for keep in [Keep::Data, Keep::Nothing] {
        server.restart(keep);
        sleep(30 * SECOND).await;
        assert!(token.is_leading(Instant::now()), "{keep:?}");
        assert_eq!(record(&server).await.holder, "first", "{keep:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_deleted_lease_is_made_again_by_its_holder() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    let leases = Api::<Lease>::namespaced(client(&server), "default");
    leases.delete("lock", &DeleteParams::default()).await.unwrap();
    sleep(5 * SECOND).await;
    assert_eq!(record(&server).await.holder, "first");
    assert!(token.is_leading(Instant::now()));
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_somebody_else_holds_ends_the_term_with_the_next_renewal() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    let leases = Api::<Lease>::namespaced(client(&server), "default");
    let mut lease = leases.get("lock").await.unwrap();
    Record { holder: "intruder".to_owned(), ..Record::of(&lease) }.write(&mut lease);
    leases.replace("lock", &PostParams::default(), &lease).await.unwrap();
    let outcome = timeout(3 * SECOND, candidacy.lost(&token)).await;
    assert!(outcome.is_ok(), "it does not wait for its deadline");
    let followed = Leadership::Following { holder: Some("intruder".to_owned()) };
    assert_eq!(*candidacy.leadership().borrow(), followed);
}

#[tokio::test(start_paused = true)]
async fn a_request_ends_with_its_own_limit_or_with_the_term_whichever_is_first() {
    let server = ApiServer::new();
    let candidacy = start(&server, "first");
    let token = candidacy.elected().await.unwrap();
    let never = std::future::pending::<()>;
    assert_eq!(token.within(SECOND, never()).await, Err(Cut::TimedOut(SECOND)));
    assert_eq!(token.within(SECOND, async { 42 }).await, Ok(42));
    server.faults().add(Rule::new(Effect::Unavailable).kind("Lease"));
    let (begin, remaining) = (Instant::now(), token.remaining(Instant::now()));
    assert!((7 * SECOND..=10 * SECOND).contains(&remaining), "{remaining:?}");
    assert_eq!(token.within(60 * SECOND, never()).await, Err(Cut::TimedOut(remaining)));
    assert_eq!(begin.elapsed().as_secs(), remaining.as_secs());
    assert_eq!(token.remaining(Instant::now()), Duration::ZERO);
    assert_eq!(token.within(60 * SECOND, async { 42 }).await, Err(Cut::NotLeading));
}

#[tokio::test(start_paused = true)]
async fn every_term_has_a_larger_number_than_all_terms_before_of_whichever_replica() {
    let server = ApiServer::new();
    let mut fences = Vec::new();
    for identity in ["first", "second", "second", "first"] {
        let candidacy = start(&server, identity);
        let token = timeout(60 * SECOND, candidacy.elected()).await.unwrap().unwrap();
        fences.push(token.fence());
        assert_eq!(token.term(), 1, "it counts per replica");
        if fences.len() == 1 {
            candidacy.release().await;
        }
    }
    assert_eq!(fences, [0, 1, 2, 3], "also for a process that comes back under its name");
    let last = start(&server, "first");
    assert_eq!(last.elected().await.unwrap().fence(), 4);
    Api::<Lease>::namespaced(client(&server), "default")
        .delete("lock", &DeleteParams::default())
        .await
        .unwrap();
    sleep(5 * SECOND).await;
    assert_eq!((last.token().unwrap().fence(), record(&server).await.transitions), (4, 4), "made again");
}

#[tokio::test(start_paused = true)]
async fn the_role_in_the_documentation_is_enough_and_without_it_nothing_breaks() {
    let server = ApiServer::new();
    let user = User::service_account("default", "pools");
    let client = Client::new(server.service_as(user), "default");
    let candidacy = Candidate::new(client, "default", "pool-controller", "first").start().unwrap();
    sleep(60 * SECOND).await;
    assert_eq!(*candidacy.leadership().borrow(), Leadership::Following { holder: None });

    let documented = include_str!("../mod.rs");
    assert!(documented.contains("verbs: [create]") && documented.contains("verbs: [get, update]"));
    let role: Role = serde_json::from_value(json!({
        "metadata": { "name": "pool-controller-leadership" },
        "rules": [
            { "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["create"] },
            { "apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "resourceNames": ["pool-controller"],
              "verbs": ["get", "update"] },
        ],
    }))
    .unwrap();
    let binding: RoleBinding = serde_json::from_value(json!({
        "metadata": { "name": "pool-controller-leadership" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "pool-controller-leadership" },
        "subjects": [{ "kind": "ServiceAccount", "name": "pools", "namespace": "default" }],
    }))
    .unwrap();
    let admin = self::client(&server);
    Api::default_namespaced(admin.clone()).create(&PostParams::default(), &role).await.unwrap();
    Api::default_namespaced(admin).create(&PostParams::default(), &binding).await.unwrap();
    timeout(10 * SECOND, candidacy.elected()).await.unwrap().unwrap();
    sleep(60 * SECOND).await;
    assert_eq!(candidacy.token().map(|token| token.term()), Some(1));
}

#[tokio::test(start_paused = true)]
async fn five_candidates_that_come_and_go_are_never_two_leaders() {
    let server = ApiServer::builder().seed(11).build().unwrap();
    for effect in [Effect::ResetAfter, Effect::Conflict, Effect::InternalError] {
        server.faults().add(Rule::new(effect).kind("Lease").rate(0.1));
    }
    server.faults().add(Rule::new(Effect::Latency(3 * SECOND)).kind("Lease").rate(0.2));
    let leaders = Arc::new(AtomicU64::new(0));
    let mut random = fastrand::Rng::with_seed(3);
    let mut running: Vec<(Candidacy, tokio::task::JoinHandle<()>)> = Vec::new();
    let mut terms = 0;
    for round in 0..60 {
        while running.len() < 5 {
            let candidacy = start(&server, &format!("replica-{round}-{}", running.len()));
            let (mine, leaders) = (candidacy.clone(), Arc::clone(&leaders));
            let task = tokio::spawn(async move {
                while *mine.leadership().borrow() != Leadership::Stopped {
                    while_leading(&mine, leading(&leaders)).await;
                }
            });
            running.push((candidacy, task));
        }
        sleep(Duration::from_secs(random.u64(5..40))).await;
        let (candidacy, task) = running.swap_remove(random.usize(..running.len()));
        terms += u64::from(candidacy.token().is_some());
        if random.bool() {
            candidacy.release().await;
            task.await.unwrap();
        } else {
            task.abort();
        }
    }
    assert!(terms > 5, "leaders were among those who went: {terms}");
}

/// Leads for ever, and panics when somebody else does.
async fn leading(leaders: &AtomicU64) {
    struct One<'a>(&'a AtomicU64);
    impl Drop for One<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let before = leaders.fetch_add(1, Ordering::SeqCst);
    let _one = One(leaders);
    assert_eq!(before, 0, "two leaders");
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn a_candidate_without_an_identity_or_with_impossible_durations_is_refused() {
    let client = client(&ApiServer::new());
    let nobody = Candidate::new(client.clone(), "default", "lock", "").start().unwrap_err();
    assert!(matches!(nobody, CandidateError::NoIdentity { .. }));
    let timing = Timing { renew_deadline: 20 * SECOND, ..Timing::default() };
    let late = Candidate::new(client, "default", "lock", "me").timing(timing).start().unwrap_err();
    assert_eq!(
        late.to_string(),
        "lease default/lock: the lease duration (15s) must be longer than the renew deadline (20s): \
         a leader stops at the one, and others take over after the other"
    );
}
