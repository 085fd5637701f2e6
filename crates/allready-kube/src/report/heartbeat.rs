//! Signs of life: a Lease beside a report, for those who judge how old it is.

use std::{convert::Infallible, time::Duration};

use jiff::Timestamp;
use k8s_openapi::{
    api::coordination::v1::Lease,
    apimachinery::pkg::apis::meta::v1::{MicroTime, OwnerReference},
};
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::{Identity, Layout, reporter::Shared};
use crate::{backoff::Backoff, manager::Manager, refusal::Refusal};

/// A sign of life more often than this helps nobody.
const OFTEN: Duration = Duration::from_secs(1);
/// Failures that are no more than a blip.
const BLIPS: u32 = 2;

/// The uid of the report, once it is known.
pub(super) type Uid = Option<Box<str>>;

/// Renews a Lease that has the name of the report.
pub(super) struct Heartbeat {
    leases: Api<Lease>,
    namespace: String,
    /// Of the report, and so of the Lease.
    name: String,
    report: OwnerReference,
    holder: String,
    every: Duration,
    backoff: Backoff,
    timeout: Duration,
    uid: watch::Receiver<Uid>,
}

impl Heartbeat {
    /// None for an object that many share: nobody could tell whose sign of life it is.
    pub(super) fn new(
        client: Client,
        identity: &Identity,
        layout: &Layout,
        (every, backoff, timeout): (Duration, Backoff, Duration),
        uid: watch::Receiver<Uid>,
    ) -> Option<Self> {
        let Layout::Sharded { namespace, .. } = layout else { return None };
        let (resource, name) = (layout.resource(), layout.object_name(identity));
        let (api_version, kind) = (resource.api_version, resource.kind);
        let report = OwnerReference { api_version, kind, name: name.clone(), ..OwnerReference::default() };
        let leases = Api::namespaced(client, namespace);
        let (namespace, holder, every) =
            (namespace.clone(), identity.prefix().into_owned(), every.max(OFTEN));
        Some(Self { leases, namespace, name, report, holder, every, backoff, timeout, uid })
    }

    /// Goes on for ever. It is silent until the report is there, and while reports do not get through: what is stored then
    /// is not what was said last, and is not to be believed for any longer.
    pub(super) async fn run(&self, shared: &Shared) -> Infallible {
        let mut told = self.uid.clone();
        let (mut failures, mut has_complained) = (0_u32, false);
        loop {
            let uid = told.wait_for(Option::is_some).await.ok().and_then(|uid| uid.clone());
            // Nobody tells any more: the task has ended.
            let Some(uid) = uid else { return std::future::pending().await };
            let mut refusal = None;
            if shared.book().trouble().is_none() {
                let renewed = self.renew(&uid, shared.clock.instant()).await;
                let failure = renewed.as_ref().err();
                refusal = failure.map(|error| error.as_ref().map_or(Refusal::Unanswered, Refusal::of));
                failures = if refusal.is_some() { failures.saturating_add(1) } else { 0 };
                let is_state = refusal.is_some_and(|refusal| !refusal.may_pass() || failures > BLIPS);
                if is_state != has_complained && (is_state || refusal.is_none()) {
                    has_complained = is_state;
                    self.say(&renewed);
                }
            }
            tokio::time::sleep(pause(self.every, self.backoff, refusal, failures, fastrand::f64())).await;
        }
    }

    /// Where there is no error, there was no answer in time.
    async fn renew(&self, uid: &str, now: Timestamp) -> Result<(), Option<kube::Error>> {
        let lease = Patch::Apply(self.lease(uid, now));
        let params = PatchParams::apply(Manager::of(&self.holder).as_str()).force();
        match tokio::time::timeout(self.timeout, self.leases.patch(&self.name, &params, &lease)).await {
            Ok(answer) => answer.map(drop).map_err(Some),
            Err(_) => Err(None),
        }
    }

    /// The Lease as it is applied. It goes with its report.
    fn lease(&self, uid: &str, now: Timestamp) -> Value {
        let owner = OwnerReference { uid: uid.to_owned(), ..self.report.clone() };
        json!({
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": { "name": self.name, "namespace": self.namespace, "ownerReferences": [owner] },
            "spec": { "holderIdentity": self.holder, "renewTime": MicroTime(now) },
        })
    }

    /// One line for each change between working and not.
    fn say(&self, renewed: &Result<(), Option<kube::Error>>) {
        let (reporter, lease) = (&self.holder, format_args!("{}/{}", self.namespace, self.name));
        let Err(error) = renewed else {
            tracing::info!(%reporter, %lease, "renewing the Lease works again");
            return;
        };
        let cause = error.as_ref().map_or_else(|| "no answer in time".to_owned(), ToString::to_string);
        tracing::warn!(
            %reporter, %lease, cause,
            "cannot renew the Lease, and will go on trying: if it is not permitted, give the verbs create and patch on leases"
        );
    }
}

/// How long until the next: a little less than asked for, spread out so that many do not beat at once. After a failure
/// sooner, if the API server does not ask for something else.
fn pause(
    every: Duration,
    backoff: Backoff,
    refusal: Option<Refusal>,
    failures: u32,
    chance: f64,
) -> Duration {
    match refusal {
        None => every.mul_f64(0.8 + 0.2 * chance.clamp(0.0, 1.0)),
        Some(Refusal::Busy { after: Some(after) }) => after.saturating_add(backoff.delay(failures, chance)),
        Some(_) => backoff.delay(failures.saturating_sub(1), chance).min(every),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_a_failure_it_is_tried_sooner_and_a_busy_server_is_left_alone() {
        let backoff = Backoff { min: Duration::from_secs(1), max: Duration::from_mins(1) };
        let after = |refusal, failures, chance| {
            pause(Duration::from_secs(10), backoff, refusal, failures, chance).as_secs()
        };
        assert_eq!((after(None, 0, 0.0), after(None, 0, 1.0)), (8, 10));
        assert_eq!(
            [1, 2, 3, 4, 5].map(|failures| after(Some(Refusal::Forbidden), failures, 1.0)),
            [1, 2, 4, 8, 10]
        );
        let busy = Refusal::Busy { after: Some(Duration::from_secs(30)) };
        assert_eq!(after(Some(busy), 1, 1.0), 32);
    }
}
