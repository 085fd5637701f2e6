//! The one call, for a kind with a condition set.

use std::{sync::Arc, time::Duration};

use allready_apiserver::{Verb, fault::Effect};
use allready_core::{
    Status, Time, condition_type,
    damping::{Damping, Hold, Until},
    reason,
};
use allready_kube::{
    events::{EventSeverity, MemorySink},
    status::{Because, OrMark, ReasonedError, StatusPass, StatusUpdater, Wrote},
};
use kube::{
    api::{DeleteParams, Patch, PatchParams, PostParams},
    runtime::controller::Action,
};
use serde_json::{Value, json};

use super::{
    Cluster,
    kinds::{Listener, ListenerCondition, Net, NetCondition, NetSpec, NetStatus},
    quick,
};

type Pass<'a> = StatusPass<'a, NetCondition, NetStatus>;

impl Cluster {
    async fn net(&self) -> Net {
        let net = Net::new("a", NetSpec { size: 1 });
        self.api().create(&PostParams::default(), &net).await.unwrap()
    }

    async fn stored(&self) -> NetStatus {
        self.api::<Net>().get("a").await.unwrap().status.unwrap()
    }

    fn nets(&self) -> StatusUpdater<Net> {
        StatusUpdater::new(self.client.clone(), "net-controller")
            .clock(self.clock())
            .retry(quick())
            .events(MemorySink::default())
    }

    async fn write_net(&self, status: Value) -> Net {
        let params =
            PatchParams { field_manager: Some("somebody-else".to_owned()), ..PatchParams::default() };
        let patch = Patch::Merge(json!({ "status": status }));
        self.api().patch_status("a", &params, &patch).await.unwrap()
    }
}

#[expect(clippy::unnecessary_wraps, reason = "as the work of a reconcile")]
fn all_good(c: &mut Pass<'_>) -> Result<(), ReasonedError> {
    c.mark_addresses_valid(reason!("AllValid"), "")
        .mark_announced(reason!("Announced"), "3 addresses")
        .mark_not_degraded(reason!("AllUp"), "");
    Ok(())
}

fn away() -> std::io::Error {
    std::io::Error::other("no route to host")
}

fn condition(type_: &str, status: &str) -> Value {
    json!({ "type": type_, "status": status, "reason": "Theirs", "message": "", "lastTransitionTime": "1970-01-01T00:00:07Z" })
}

#[tokio::test]
async fn a_status_is_written_once_under_a_named_manager_and_the_same_again_costs_no_request() {
    let cluster = Cluster::new();
    let (net, updater) = (cluster.net().await, cluster.nets());
    let good = async |c: &mut Pass<'_>| all_good(c);
    let (done, requests) = cluster.counted(updater.run(&net, good)).await;
    assert_eq!((done.wrote.as_ref().unwrap(), requests), (&Wrote::Changed, 1));
    assert_eq!(done.into_result().unwrap(), Action::await_change());
    let net = cluster.api::<Net>().get("a").await.unwrap();
    assert!(net.status.as_ref().unwrap().conditions.is_good(1u32));
    let managers: Vec<_> =
        net.metadata.managed_fields.iter().flatten().filter_map(|f| f.manager.clone()).collect();
    assert!(managers.contains(&"net-controller".to_owned()), "{managers:?}");

    let (done, requests) = cluster.counted(updater.run(&net, good)).await;
    assert_eq!((done.wrote.unwrap(), requests), (Wrote::Unchanged, 0));
}

#[tokio::test]
async fn a_type_that_the_set_has_no_more_goes_and_those_of_others_stay() {
    let cluster = Cluster::new();
    cluster.net().await;
    let net = cluster
        .write_net(json!({ "conditions": [condition("Obsolete", "True"), condition("Theirs", "False")] }))
        .await;
    cluster.nets().reconcile(&net, async |c| all_good(c)).await.unwrap();
    let stored = cluster.stored().await;
    assert!(stored.conditions.find("Obsolete").is_none());
    assert_eq!(stored.conditions.find("Theirs").unwrap().status, Status::False);
}

#[tokio::test]
async fn an_event_warns_of_what_became_bad_by_its_polarity_and_tells_reason_and_message() {
    let cluster = Cluster::new();
    let (net, sink) = (cluster.net().await, MemorySink::default());
    let updater = cluster.nets().events(sink.clone());
    updater.reconcile(&net, async |c| all_good(c)).await.unwrap();
    let net = cluster.api::<Net>().get("a").await.unwrap();
    let lost = updater.reconcile(&net, async |c| {
        all_good(c)?;
        c.mark_degraded(reason!("ReplicaLost"), "replica 2 of 3 is gone");
        Ok(())
    });
    lost.await.unwrap();

    let recorded = sink.recorded();
    let of = |text: &str| recorded.iter().find(|r| r.note.note.starts_with(text)).map(|r| &r.note).unwrap();
    assert_eq!(of("Degraded is False").severity, EventSeverity::Normal);
    let degraded = of("Degraded is True");
    assert_eq!((degraded.severity, &*degraded.reason), (EventSeverity::Warning, "ReplicaLost"));
    assert_eq!(degraded.note, "Degraded is True (was False): ReplicaLost: replica 2 of 3 is gone");
    assert_eq!(of("Ready is False").severity, EventSeverity::Warning);
}

#[tokio::test]
async fn an_error_that_was_marked_is_the_cause_and_one_that_was_not_makes_nothing_green() {
    let cluster = Cluster::new();
    let (net, updater) = (cluster.net().await, cluster.nets());
    updater.reconcile(&net, async |c| all_good(c)).await.unwrap();

    let net = cluster.api::<Net>().get("a").await.unwrap();
    let unmarked: Result<Action, ReasonedError> =
        updater.reconcile(&net, async |_| Err::<(), _>(away().because(reason!("RemoteAway")))).await;
    assert_eq!(unmarked.unwrap_err().action(), Action::requeue(Duration::from_secs(1)));
    let stored = cluster.stored().await;
    let ready = stored.conditions.top().unwrap();
    assert_eq!(
        (ready.status, ready.reason.as_str(), ready.message.as_str()),
        (Status::Unknown, "RemoteAway", "no route to host")
    );
    assert_eq!(
        stored.conditions.get(NetCondition::Announced).unwrap().status,
        Status::True,
        "nobody has spoken of it"
    );

    let net = cluster.api::<Net>().get("a").await.unwrap();
    let marked = updater.reconcile(&net, async |c| {
        Err::<(), _>(away()).or_mark(c, NetCondition::Degraded, reason!("ReplicaLost"))
    });
    assert_eq!(marked.await.unwrap_err().reason().unwrap(), "ReplicaLost");
    let stored = cluster.stored().await;
    assert_eq!(stored.conditions.get(NetCondition::Degraded).unwrap().status, Status::True, "bad for it");
    let ready = stored.conditions.top().unwrap();
    assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "ReplicaLost"));
}

#[tokio::test]
async fn a_panic_is_an_error_like_any_other_and_the_marks_before_it_are_written() {
    let cluster = Cluster::new();
    let net = cluster.net().await;
    let panicking = cluster.nets();
    let work = panicking.reconcile(&net, async |c| {
        all_good(c)?;
        assert!(net.spec.size > 1, "too small");
        Ok(())
    });
    assert_eq!(work.await.unwrap_err().to_string(), "the reconcile panicked: too small");
    let stored = cluster.stored().await;
    assert_eq!(stored.conditions.get(NetCondition::Announced).unwrap().status, Status::True);
    let ready = stored.conditions.top().unwrap();
    assert_eq!((ready.status, ready.reason.as_str()), (Status::Unknown, "ReconcilePanicked"));
}

#[tokio::test]
async fn a_reconcile_that_is_cancelled_writes_the_marks_that_it_made() {
    let cluster = Cluster::new();
    let (net, updater) = (cluster.net().await, cluster.nets());
    let work = updater.reconcile(&net, async |c| {
        c.mark_not_addresses_valid(reason!("BadAddress"), "10.0.0.");
        std::future::pending::<()>().await;
        Ok(())
    });
    assert!(tokio::time::timeout(Duration::from_millis(50), work).await.is_err());
    let invalid = async {
        loop {
            let status = cluster.api::<Net>().get("a").await.unwrap().status.unwrap_or_default();
            if status.conditions.top().is_some_and(|top| top.status == Status::False) {
                return status;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let status = tokio::time::timeout(Duration::from_secs(30), invalid).await.unwrap();
    assert_eq!(status.conditions.top().unwrap().reason, "BadAddress");
}

#[tokio::test]
async fn a_cancelled_reconcile_that_marked_nothing_changes_nothing() {
    let cluster = Cluster::new();
    let (net, updater) = (cluster.net().await, cluster.nets());
    updater.reconcile(&net, async |c| all_good(c)).await.unwrap();
    let net = cluster.api::<Net>().get("a").await.unwrap();
    let ((), requests) = cluster
        .counted(async {
            let work = updater.reconcile(&net, async |_| {
                std::future::pending::<()>().await;
                Ok(())
            });
            assert!(tokio::time::timeout(Duration::from_millis(20), work).await.is_err());
            tokio::time::sleep(Duration::from_millis(100)).await;
        })
        .await;
    assert_eq!(requests, 0);
}

#[tokio::test]
async fn ready_is_computed_from_what_is_stored_when_somebody_else_was_faster() {
    let cluster = Cluster::new();
    let (stale, updater) = (cluster.net().await, cluster.nets());
    updater.reconcile(&stale, async |c| all_good(c)).await.unwrap();
    let seen = cluster.api::<Net>().get("a").await.unwrap();
    let mut list = serde_json::to_value(&seen.status.as_ref().unwrap().conditions).unwrap();
    for entry in list.as_array_mut().unwrap().iter_mut().filter(|entry| entry["type"] == "Degraded") {
        entry["status"] = "True".into();
        entry["reason"] = "ReplicaLost".into();
    }
    cluster.write_net(json!({ "conditions": list })).await;

    // This pass has not seen that, and does not speak of Degraded.
    let work = updater.reconcile(&seen, async |c| {
        c.mark_announced(reason!("Announced"), "4 addresses");
        Ok(())
    });
    work.await.unwrap();
    let stored = cluster.stored().await;
    assert_eq!(stored.conditions.get(NetCondition::Announced).unwrap().message, "4 addresses");
    let ready = stored.conditions.top().unwrap();
    assert_eq!((ready.status, ready.reason.as_str()), (Status::False, "ReplicaLost"));
}

#[tokio::test]
async fn a_problem_that_is_held_back_is_looked_at_again_when_the_time_is_over() {
    let cluster = Cluster::new();
    let two_minutes = Hold { to_bad: Some(Until::Duration(Duration::from_mins(2))), ..Hold::default() };
    let (net, updater) = (cluster.net().await, cluster.nets());
    let updater = updater.damping(Damping::new().hold(condition_type!("Announced"), two_minutes));
    updater.reconcile(&net, async |c| all_good(c)).await.unwrap();
    let failing = async |c: &mut Pass<'_>| {
        all_good(c)?;
        c.mark_not_announced(reason!("NoPeers"), "0 of 2 peers");
        Ok(())
    };
    let net = cluster.api::<Net>().get("a").await.unwrap();
    assert_eq!(updater.reconcile(&net, failing).await.unwrap(), Action::requeue(Duration::from_mins(2)));
    let net = cluster.api::<Net>().get("a").await.unwrap();
    let ready = net.status.as_ref().unwrap().conditions.top().unwrap();
    assert_eq!(
        (ready.status, ready.message.as_str()),
        (Status::True, "Announced=False is held back: NoPeers")
    );

    cluster.at(1_120);
    assert_eq!(updater.reconcile(&net, failing).await.unwrap(), Action::await_change());
    assert_eq!(cluster.stored().await.conditions.top().unwrap().reason, "NoPeers");
}

#[tokio::test]
async fn creation_and_deletion_are_taken_from_the_object() {
    let cluster = Cluster::new();
    let mut net = Net::new("a", NetSpec { size: 1 });
    net.metadata.finalizers = Some(vec!["test.dev/nets".to_owned()]);
    let net: Net = cluster.api().create(&PostParams::default(), &net).await.unwrap();
    let created = Time::new(net.metadata.creation_timestamp.as_ref().unwrap().0);
    let updater = cluster.nets();
    cluster.at(created.as_second() + 60);
    updater.reconcile(&net, async |_| Ok(())).await.unwrap();
    let stored = cluster.stored().await;
    assert_eq!(stored.conditions.top().unwrap().last_transition_time, created, "Unknown since then");

    let net = cluster.api::<Net>().get("a").await.unwrap();
    updater.reconcile(&net, async |c| all_good(c)).await.unwrap();
    cluster.api::<Net>().delete("a", &DeleteParams::default()).await.unwrap();
    let net = cluster.api::<Net>().get("a").await.unwrap();
    assert_eq!(net.metadata.generation, Some(2), "deletion raises the generation");
    let work = updater.reconcile(&net, async |c| {
        c.mark_announced(reason!("Withdrawing"), "");
        Ok(())
    });
    work.await.unwrap();
    assert!(cluster.stored().await.conditions.is_good(2u32), "what is known of the same spec is still known");
}

#[tokio::test]
async fn lists_in_parts_of_the_status_are_marked_and_written_with_the_rest() {
    let cluster = Cluster::new();
    let (net, updater) = (cluster.net().await, cluster.nets());
    let work = updater.reconcile(&net, async |c| {
        all_good(c)?;
        let at = c.at();
        let mut http = Listener { name: "http".to_owned(), ..Listener::default() };
        http.conditions.pass(at).mark_not_port_free(reason!("PortConflict"), "port 80 is taken");
        c.status.listeners = vec![http];
        Ok(())
    });
    work.await.unwrap();
    let stored = cluster.stored().await;
    let http = &stored.listeners[0];
    assert_eq!(http.conditions.get(ListenerCondition::PortFree).unwrap().status, Status::False);
    assert_eq!(http.conditions.top().unwrap().reason, "PortConflict");
    assert!(stored.conditions.is_good(1u32));
}

#[tokio::test]
async fn the_waits_of_the_author_and_of_damping_are_compared_and_a_refused_write_is_an_error() {
    let cluster = Cluster::new();
    let (net, updater) = (cluster.net().await, cluster.nets());
    let wait = updater.reconcile(&net, async |_| Ok(Duration::from_secs(30))).await.unwrap();
    assert_eq!(wait, Action::requeue(Duration::from_secs(30)));
    cluster.fault(Effect::Forbidden, Verb::Patch, 1);
    let net = Arc::new(cluster.api::<Net>().get("a").await.unwrap());
    let error = updater.reconcile(&net, async |c| all_good(c)).await.unwrap_err();
    assert_eq!(error.to_string(), "the API server refused the status of Net default/a");
}

#[tokio::test]
async fn a_new_object_says_unknown_before_anybody_has_looked() {
    let cluster = Cluster::new();
    let net = cluster.net().await;
    let conditions = net.status.clone().unwrap().conditions;
    let said: Vec<_> = conditions.iter().map(|c| (c.type_.as_str(), c.status, c.reason.as_str())).collect();
    let pending = |type_| (type_, Status::Unknown, "Pending");
    assert_eq!(said, ["Ready", "AddressesValid", "Announced", "Degraded", "Cached"].map(pending));

    // The first pass dates them.
    cluster.nets().reconcile(&net, async |c| all_good(c)).await.unwrap();
    let stored = cluster.stored().await;
    assert!(stored.conditions.is_good(1u32));
    let created = Time::new(net.metadata.creation_timestamp.unwrap().0);
    assert_eq!(stored.conditions.get(NetCondition::Cached).unwrap().last_transition_time, created);
}
