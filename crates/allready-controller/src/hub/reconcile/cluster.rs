//! Decisions about a cluster: whether it is believed, its ClusterStatus, and the Lease that tells when it was last heard.

use std::{sync::Arc, time::Duration};

use allready_core::{Condition, Reason, Status, Time, condition::cut, condition_type, reason};
use serde_json::{Value, json};

use crate::{
    engine::{Desired, Now, Write},
    hub::{
        ClusterName, Link, LinkState,
        inventory::{Access, Cluster},
        state::{
            ClusterStatuses, HubState, MADE_BY, Options, Target,
            cluster_statuses::{StandingLease, StandingStatus, lease_name},
            standing::at_version,
        },
        subject::GONE,
    },
};

/// The content of a ClusterStatus, but for the times.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    state: LinkState,
    /// True if it did not answer the last time.
    is_troubled: bool,
    objects: usize,
    source: Arc<str>,
}

impl HubState {
    pub(super) fn reconcile_cluster(&mut self, cluster: &ClusterName, now: Now) -> Desired<Target> {
        let mut desired = Desired::default();
        desired.look_at(self.judge_cluster(cluster, now.elapsed));
        if !self.clusters.is_seen() {
            return desired;
        }
        desired.look_at(self.settle_departure(cluster, now));
        let (status, lease) = (Target::ClusterStatus(cluster.clone()), Target::Lease(cluster.clone()));
        // What cannot be seen is not written over.
        let ClusterStatuses { store, leases } = &self.cluster_statuses;
        let (sees_statuses, sees_leases) = (store.is_synced(), leases.is_synced());
        let standing = store.get(&self.status_of(cluster));
        let held = leases.get(&self.lease_of(cluster));
        let (Some(link), Some(known)) =
            (self.clusters.links.get(cluster), self.clusters.known().get(cluster))
        else {
            // It is not in the inventory any more. While it is waited for, its ClusterStatus remembers that.
            if let Some(departed) = self.clusters.departed.get(cluster) {
                if let Some(standing) = standing.filter(|standing| !standing.is_gone()) {
                    let mut body = departed_status(cluster, standing, departed.since, &self.options);
                    at_version(&mut body, standing.version);
                    desired.write(status, Write::calm(Some(body)));
                } else {
                    self.own_settled(&status);
                }
                return desired;
            }
            let standing =
                [(status, sees_statuses, standing.is_some()), (lease, sees_leases, held.is_some())];
            for (target, is_seen, stands) in standing {
                if is_seen && stands {
                    desired.write(target, Write::calm(None));
                } else if is_seen {
                    self.own_settled(&target);
                }
            }
            return desired;
        };
        let patience =
            if link.is_heard() { self.cluster_timeout() } else { FIRST_ANSWER.min(self.options.patience) };
        let told = Told {
            state: link.state(patience, now.elapsed),
            is_troubled: link.trouble().is_some(),
            objects: self.aggregations.values().map(|aggregation| aggregation.objects_in(cluster)).sum(),
            source: Arc::clone(&known.source),
        };
        desired.look_at(Some(link.lost_at(patience)).filter(|at| *at > now.elapsed));
        if told.state == LinkState::Pending {
            return desired;
        }
        let mut settled = Vec::new();
        if sees_statuses {
            let written = self.clusters.written.get(cluster).copied();
            match self.status_due(standing, &told, written, now) {
                Some(due) if due <= now.elapsed => {
                    let previous = standing.and_then(|standing| standing.reachable.as_ref());
                    let mut body =
                        cluster_status(cluster, known, link, &told, previous, &self.options, now.time);
                    at_version(&mut body, standing.and_then(|standing| standing.version));
                    desired.write(status, Write::calm(Some(body)));
                }
                due => {
                    desired.look_at(due);
                    settled.push(status);
                }
            }
        }
        if let Some(heard) = link.last_heard().filter(|_| sees_leases) {
            match self.lease_due(held, heard, &told, now) {
                Some(due) if due <= now.elapsed => {
                    let mut body = heartbeat(cluster, heard, &self.options);
                    at_version(&mut body, held.and_then(|held| held.version));
                    desired.write(lease, Write::calm(Some(body)));
                }
                due => {
                    desired.look_at(due);
                    settled.push(lease);
                }
            }
        }
        for target in settled {
            self.own_settled(&target);
        }
        desired
    }

    /// The time without a word after which a cluster is written down as lost: that of the least patient aggregation.
    fn cluster_timeout(&self) -> Duration {
        let timeouts = self.aggregations.values().map(|aggregation| aggregation.plan.cluster_timeout);
        timeouts.chain([DEFAULT_PATIENCE]).min().unwrap_or(DEFAULT_PATIENCE)
    }

    /// The time at which the ClusterStatus is written: at once when the cluster answers or does not any more, soon when something
    /// else changed.
    fn status_due(
        &self,
        standing: Option<&StandingStatus>,
        told: &Told,
        written: Option<Duration>,
        now: Now,
    ) -> Option<Duration> {
        let Some(StandingStatus { reachable: Some(reachable), objects, source, .. }) = standing else {
            return Some(now.elapsed);
        };
        let is_heard = told.state == LinkState::Reachable;
        if (reachable.status == Status::True) != is_heard {
            return Some(now.elapsed);
        }
        let after = |pause: Duration| written.map_or(now.elapsed, |written| written + pause);
        let message = reachable.message.as_str();
        let objects_told = u64::try_from(told.objects).ok();
        let is_troubled = is_heard && message.is_empty() == told.is_troubled;
        let is_new = is_troubled || *objects != objects_told || *source != told.source;
        let news = is_new.then(|| after(NEWS));
        // Why it does not answer may have other words each time.
        let is_other =
            matches!(&told.state, LinkState::Unreachable { why, .. } if *cut(why, 1024) != *message);
        let again = is_other.then(|| after(self.options.roll_call));
        news.into_iter().chain(again).min()
    }

    /// The time at which the Lease is renewed: now and then while the cluster answers, and once more when it does not.
    fn lease_due(
        &self,
        held: Option<&StandingLease>,
        heard: Time,
        told: &Told,
        now: Now,
    ) -> Option<Duration> {
        let Some(renewed) = held.and_then(|held| held.renewed) else { return Some(now.elapsed) };
        if heard <= renewed {
            return None;
        }
        if told.state != LinkState::Reachable {
            return Some(now.elapsed);
        }
        let since = Duration::try_from(now.time.since(renewed)).unwrap_or_default();
        Some(now.elapsed + self.options.roll_call.saturating_sub(since))
    }
}

/// The server of the context that is used.
fn server(access: &Access) -> Option<String> {
    let Access::Kubeconfig(kubeconfig) = access else { return None };
    let current = kubeconfig.current_context.as_ref()?;
    let context = kubeconfig.contexts.iter().find(|context| context.name == *current)?.context.as_ref()?;
    let cluster = kubeconfig.clusters.iter().find(|cluster| cluster.name == context.cluster)?;
    cluster.cluster.as_ref()?.server.clone()
}

/// The address of a server, whatever else an URL may carry.
fn without_credentials(server: &str) -> String {
    let (scheme, rest) = server.split_once("://").unwrap_or(("https", server));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    format!("{scheme}://{host}")
}

/// The time without a word after which a cluster is written down as lost at the latest.
const DEFAULT_PATIENCE: Duration = Duration::from_secs(30);
/// The same for one that has never been heard.
const FIRST_ANSWER: Duration = Duration::from_secs(8);
/// The time for which news that are not urgent wait after the last write of a ClusterStatus.
const NEWS: Duration = Duration::from_secs(5);
/// After how many seconds without a renewal nobody should believe the Lease: three times as long as between two renewals.
const LEASE_SECONDS: u32 = 180;

/// The ClusterStatus of a cluster that has left the inventory, and is waited for.
fn departed_status(
    cluster: &ClusterName,
    standing: &StandingStatus,
    since: Time,
    options: &Options,
) -> Value {
    let message = "it is not in the inventory any more, and is waited for; where that is meant, name it in the annotation \
                   allready.dev/remove-clusters of the StatusAggregations";
    let reachable = Condition::new(
        condition_type!("Reachable"),
        Status::Unknown,
        Reason::sanitized(GONE),
        message,
        since,
    );
    let status = json!({ "conditions": [reachable], "objects": standing.objects.unwrap_or_default() });
    status_object(cluster, &standing.source, &status, options)
}

/// The ClusterStatus of a cluster.
fn cluster_status(
    cluster: &ClusterName,
    known: &Cluster,
    link: &Link,
    told: &Told,
    previous: Option<&Condition>,
    options: &Options,
    time: Time,
) -> Value {
    let (status, reason, message) = match &told.state {
        LinkState::Reachable | LinkState::Pending => {
            let last = link.trouble().map(|why| format!("it did not answer the last time: {why}"));
            (Status::True, reason!("ClusterAnswers"), cut(&last.unwrap_or_default(), 1024).into_owned())
        }
        LinkState::Unreachable { why, .. } => {
            (Status::False, reason!("ClusterUnreachable"), cut(why, 1024).into_owned())
        }
    };
    let since = previous.filter(|previous| previous.status == status);
    let since = since.map_or(time, |previous| previous.last_transition_time);
    let reachable = Condition::new(condition_type!("Reachable"), status, reason, message, since);
    let mut status = json!({ "conditions": [reachable], "objects": told.objects });
    if let Some(latency) = link.lag {
        let milliseconds = i64::try_from(latency.as_millis()).unwrap_or(i64::MAX);
        status["latencyMilliseconds"] = milliseconds.into();
    }
    if let Some(server) = server(&known.access) {
        status["server"] = without_credentials(&server).into();
    }
    status_object(cluster, &known.source, &status, options)
}

fn status_object(cluster: &ClusterName, source: &str, status: &Value, options: &Options) -> Value {
    json!({
        "apiVersion": "allready.dev/v1alpha1",
        "kind": "ClusterStatus",
        "metadata": {
            "name": cluster.as_str(),
            "namespace": options.namespace,
            "labels": { MADE_BY.0: MADE_BY.1 },
        },
        "spec": { "source": source },
        "status": status,
    })
}

/// The Lease of a cluster: the last time that it was heard.
fn heartbeat(cluster: &ClusterName, heard: Time, options: &Options) -> Value {
    let heard = heard.to_string();
    json!({
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {
            "name": lease_name(cluster),
            "namespace": options.namespace,
            "labels": { MADE_BY.0: MADE_BY.1 },
        },
        "spec": {
            "holderIdentity": cluster.as_str(),
            "leaseDurationSeconds": LEASE_SECONDS,
            // Microseconds, as the API server writes them.
            "renewTime": format!("{}.000000Z", heard.trim_end_matches('Z')),
        },
    })
}
