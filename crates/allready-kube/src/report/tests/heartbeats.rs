//! Leases beside reports.

use k8s_openapi::api::coordination::v1::Lease;
use kube::{ResourceExt, api::DeleteParams};

use super::*;

const EVERY: Duration = Duration::from_secs(10);

fn leases(server: &ApiServer) -> Api<Lease> {
    Api::namespaced(client(server), NAMESPACE)
}

fn name() -> String {
    own_layout().object_name(&speaker())
}

fn renewed(lease: &Lease) -> i64 {
    lease.spec.as_ref().unwrap().renew_time.as_ref().unwrap().0.as_second()
}

/// The Lease once it is so, and not waited for for ever.
pub(super) async fn until_lease(server: &ApiServer, is_so: impl Fn(&Lease) -> bool) -> Lease {
    let waiting = async {
        loop {
            match leases(server).get_opt(&name()).await.unwrap() {
                Some(lease) if is_so(&lease) => return lease,
                _ => tokio::time::sleep(Duration::from_millis(100)).await,
            }
        }
    };
    tokio::time::timeout(Duration::from_mins(5), waiting).await.expect("the Lease never gets there")
}

#[tokio::test(start_paused = true)]
async fn a_lease_of_the_reports_name_is_renewed_and_goes_with_the_report() {
    let server = server().await;
    let hand = Hand::default();
    hand.set(100);
    let builder = Reporter::builder(client(&server), speaker(), own_layout()).clock(hand.clock());
    let (reporter, _running) = builder.heartbeat(EVERY).spawn();
    reporter.report("configReconciler", SyncState::Success);
    let first = until_lease(&server, |_| true).await;
    let report = own_api(&server).get(&name()).await.unwrap();
    let owner = &first.owner_references()[0];
    assert_eq!((owner.kind.as_str(), Some(&owner.uid)), ("StatusReport", report.metadata.uid.as_ref()));
    assert_eq!(first.spec.as_ref().unwrap().holder_identity.as_deref(), Some("speaker-kind-worker"));
    assert_eq!(renewed(&first), 100);

    hand.set(110);
    until_lease(&server, |lease| renewed(lease) == 110).await;

    // Another report of the same name owns it from then on.
    own_api(&server).delete(&name(), &DeleteParams::default()).await.unwrap();
    reporter.report("configReconciler", Outcome::error("a"));
    reporter.settled().await;
    let report = own_api(&server).get(&name()).await.unwrap();
    until_lease(&server, |lease| {
        lease.owner_references().first().map(|owner| &owner.uid) == report.metadata.uid.as_ref()
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_process_that_finds_its_report_renews_though_nobody_has_spoken_yet() {
    let server = server().await;
    let (reporter, running) = Reporter::builder(client(&server), speaker(), own_layout()).spawn();
    reporter.report("configReconciler", SyncState::Success);
    running.stop(Duration::from_secs(5)).await;
    assert_eq!(leases(&server).get_opt(&name()).await.unwrap(), None, "off when nothing is said");

    let builder = Reporter::builder(client(&server), speaker(), own_layout());
    let (_reporter, _running) = builder.heartbeat(EVERY).spawn();
    until_lease(&server, |_| true).await;
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_cannot_be_renewed_holds_up_no_report() {
    let server = server().await;
    let fault = server.faults().add(Rule::new(Effect::Forbidden).group("coordination.k8s.io"));
    let builder = Reporter::builder(client(&server), speaker(), own_layout());
    let (reporter, _running) = builder.heartbeat(EVERY).spawn();
    for turn in 0..3 {
        reporter.report("configReconciler", Outcome::error(turn));
        reporter.settled().await;
        tokio::time::sleep(EVERY).await;
    }
    assert_eq!(stored(&server, &own_layout(), &speaker()).await[0]["message"], "2");
    assert_eq!(reporter.trouble(), None);
    assert!(server.faults().fired(fault) >= 3, "it goes on trying");
    server.faults().remove(fault);
    until_lease(&server, |_| true).await;
}

#[tokio::test(start_paused = true)]
async fn it_is_silent_while_reports_do_not_get_through() {
    let server = server().await;
    let hand = Hand::default();
    hand.set(100);
    let builder = Reporter::builder(client(&server), speaker(), own_layout()).clock(hand.clock());
    let (reporter, _running) = builder.heartbeat(EVERY).spawn();
    reporter.report("configReconciler", SyncState::Success);
    until_lease(&server, |_| true).await;

    let fault = server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::Patch).kind("StatusReport"));
    reporter.report("configReconciler", Outcome::error("red, and nobody sees it"));
    super::lifecycle::until(|| reporter.trouble().is_some()).await;
    hand.set(200);
    tokio::time::sleep(EVERY * 10).await;
    assert_eq!(renewed(&leases(&server).get(&name()).await.unwrap()), 100);

    server.faults().remove(fault);
    until_lease(&server, |lease| renewed(lease) == 200).await;
    assert_eq!(stored(&server, &own_layout(), &speaker()).await[0]["status"], "False");
}

#[tokio::test(start_paused = true)]
async fn an_object_that_many_share_has_no_lease() {
    let server = server().await;
    let builder = Reporter::builder(client(&server), speaker(), shared_layout());
    let (reporter, _running) = builder.heartbeat(EVERY).spawn();
    reporter.report("configReconciler", SyncState::Success);
    reporter.settled().await;
    tokio::time::sleep(EVERY * 3).await;
    assert_eq!(leases(&server).list(&kube::api::ListParams::default()).await.unwrap().items, []);
}
