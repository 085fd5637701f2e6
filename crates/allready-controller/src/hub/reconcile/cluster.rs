//! Whether a cluster is believed, and the report on it.

use std::{sync::Arc, time::Duration};

use allready_core::{Condition, Status, Time, condition::cut, condition_type, reason};
use allready_kube::kinds::TargetRef;
use serde_json::{Value, json};

use crate::{
    engine::{Desired, Now, Write},
    hub::{
        ClusterName, Link, LinkState, ObjectName,
        inventory::{Access, Cluster},
        state::{
            CLUSTER_LABEL, HubState, MADE_BY, Options, Target,
            reports::{About, Report},
            standing::at_version,
        },
    },
};

/// What the report on a cluster tells, but for the times.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    state: LinkState,
    /// Whether it did not answer the last time.
    is_troubled: bool,
    objects: usize,
    source: Arc<str>,
}

impl HubState {
    pub(super) fn reconcile_cluster(&mut self, cluster: &ClusterName, now: Now) -> Desired<Target> {
        let mut desired = Desired::default();
        desired.look_at(self.judge_cluster(cluster, now.elapsed));
        if !self.reports.store.is_synced() || !self.clusters.is_seen() {
            return desired;
        }
        let name = ObjectName::new(&self.options.namespace, &format!("cluster.{cluster}"));
        let standing = self.reports.store.get(&name);
        let (Some(link), Some(known)) =
            (self.clusters.links.get(cluster), self.clusters.known().get(cluster))
        else {
            // It is not in the inventory any more.
            if standing.is_some_and(|report| matches!(report.about, About::Cluster { .. })) {
                desired.write(Target::Report(name), Write::calm(None));
            }
            return desired;
        };
        let patience =
            if link.is_heard() { DEFAULT_PATIENCE } else { FIRST_ANSWER.min(self.options.patience) };
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
        let written = self.clusters.written.get(cluster).copied();
        match self.report_due(standing, link, &told, written, now) {
            Some(due) if due <= now.elapsed => {
                let previous = standing.and_then(|standing| match &standing.about {
                    About::Cluster { reachable, .. } => reachable.as_ref(),
                    _ => None,
                });
                let mut body = report(cluster, known, link, &told, previous, &self.options, now.time);
                at_version(&mut body, standing.and_then(|standing| standing.version));
                desired.write(Target::Report(name), Write::calm(Some(body)));
            }
            due => {
                desired.look_at(due);
                self.report_settled(&name);
            }
        }
        desired
    }

    /// The time at which the report on a cluster is written: at once when it answers or does not any more, soon when something else
    /// changed, and now and then that it was heard.
    fn report_due(
        &self,
        standing: Option<&Report>,
        link: &Link,
        told: &Told,
        written: Option<Duration>,
        now: Now,
    ) -> Option<Duration> {
        let Some(Report {
            about: About::Cluster { heard, reachable: Some(reachable), objects, source, .. },
            ..
        }) = standing
        else {
            return Some(now.elapsed);
        };
        let is_heard = told.state == LinkState::Reachable;
        let is_like =
            (reachable.status == Status::True) == is_heard && (is_heard || *heard == link.last_heard());
        if !is_like {
            return Some(now.elapsed);
        }
        let after = |pause: Duration| written.map_or(now.elapsed, |written| written + pause);
        let message = reachable.message.as_str();
        let objects_told = u64::try_from(told.objects).ok();
        let is_troubled = is_heard && message.is_empty() == told.is_troubled;
        let is_new = is_troubled || *objects != objects_told || *source != told.source;
        let news = is_new.then(|| after(NEWS));
        let again = if is_heard {
            (link.last_heard() > *heard)
                .then(|| written.map_or_else(|| self.next_call(*heard), |at| at + self.options.roll_call))
        } else {
            // Why it does not answer may have other words each time.
            let is_other =
                matches!(&told.state, LinkState::Unreachable { why, .. } if *cut(why, 1024) != *message);
            is_other.then(|| after(self.options.roll_call))
        };
        news.into_iter().chain(again).min()
    }

    /// The time of the next roll call after an earlier controller has heard a cluster.
    fn next_call(&self, heard: Option<Time>) -> Duration {
        let since = heard.zip(self.began_at).map(|(heard, began)| began.since(heard));
        let since =
            since.map_or(self.options.roll_call, |since| Duration::try_from(since).unwrap_or_default());
        self.began + self.options.roll_call.saturating_sub(since)
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

/// After how long without a word a cluster is written down as lost; aggregations have a patience of their own.
const DEFAULT_PATIENCE: Duration = Duration::from_secs(30);
/// The same for one that has never been heard.
const FIRST_ANSWER: Duration = Duration::from_secs(8);
/// How long news that are not urgent wait after the last report on a cluster.
const NEWS: Duration = Duration::from_secs(5);

/// The report on a cluster: one of many for whoever wants a ConfigurationStatus of all clusters.
fn report(
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
    let mut about = json!({ "source": &*known.source, "objects": told.objects });
    if let Some(lag) = link.lag {
        about["lagMilliseconds"] = u64::try_from(lag.as_millis()).unwrap_or(u64::MAX).into();
    }
    if let Some(server) = server(&known.access) {
        about["server"] = without_credentials(&server).into();
    }
    let mut status = json!({ "conditions": [reachable], "cluster": about });
    if let Some(heard) = link.last_heard() {
        status["lastHeard"] = json!(heard);
    }
    json!({
        "apiVersion": "allready.dev/v1alpha1",
        "kind": "StatusReport",
        "metadata": {
            "name": format!("cluster.{cluster}"),
            "namespace": options.namespace,
            "labels": { CLUSTER_LABEL: cluster.as_str(), MADE_BY.0: MADE_BY.1 },
        },
        "spec": { "targetRef": TargetRef::configuration_status("clusters"), "component": "cluster", "instance": cluster.as_str() },
        "status": status,
    })
}
