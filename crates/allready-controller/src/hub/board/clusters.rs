//! The clusters: which there are, how they are heard, and what is written down of them.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use allready_core::{Condition, Status, Time, condition::cut, condition_type, reason};
use allready_kube::kinds::TargetRef;
use serde_json::{Value, json};

use super::{
    Hub, Options,
    reports::{CLUSTER_LABEL, MADE_BY},
};
use crate::hub::{
    ClusterName, Draft, Link, LinkState, ObjectName, Place, Word,
    inventory::{Access, Cluster, Inventory},
};

/// What is known of the clusters.
#[derive(Debug, Default)]
pub(super) struct Clusters {
    /// None until the inventory has been seen once.
    known: Option<BTreeMap<ClusterName, Cluster>>,
    links: BTreeMap<ClusterName, Link>,
    /// What of the inventory cannot be used.
    pub(super) problems: Vec<String>,
    failing: Option<(Duration, String)>,
    told: BTreeMap<ClusterName, (Told, Duration)>,
}

/// What was last written down of a cluster, but for the times.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    state: LinkState,
    /// Whether it did not answer the last time.
    is_troubled: bool,
    objects: usize,
    source: Arc<str>,
}

static NONE: BTreeMap<ClusterName, Cluster> = BTreeMap::new();

impl Clusters {
    pub(super) fn known(&self) -> &BTreeMap<ClusterName, Cluster> {
        self.known.as_ref().unwrap_or(&NONE)
    }

    /// Whether the inventory has been seen.
    pub(super) fn is_seen(&self) -> bool {
        self.known.is_some()
    }

    pub(super) fn connected(&mut self, cluster: &ClusterName, epoch: u64) {
        if let Some(link) = self.links.get_mut(cluster) {
            link.epoch = epoch;
        }
    }

    /// Whether it is a matter of time until it is told that the inventory cannot be seen.
    pub(super) fn is_unsettled(&self) -> bool {
        self.known.is_none() || self.failing.is_some()
    }

    /// Why the inventory has not been seen yet.
    pub(super) fn why_unseen(&self) -> &str {
        self.failing.as_ref().map_or("no inventory has been read yet", |(_, why)| why)
    }

    /// Why the inventory cannot be seen, if it cannot for longer than this.
    pub(super) fn trouble(&self, patience: Duration, now: Duration) -> Option<&str> {
        let (since, why) = self.failing.as_ref()?;
        (now.saturating_sub(*since) > patience || self.known.is_none()).then_some(why)
    }

    /// The report on a cluster does not stand: it is written again.
    pub(super) fn tell_again(&mut self, cluster: &ClusterName) {
        self.told.remove(cluster);
    }

    /// Whether what a cluster said before still counts: it leaves with the cluster.
    pub(super) fn may_be_recalled(&self, cluster: &ClusterName) -> bool {
        !self.is_seen() || self.known().contains_key(cluster)
    }

    /// When an earlier controller last heard a cluster.
    pub(super) fn recall(&mut self, cluster: &ClusterName, heard: Time) {
        if let Some(link) = self.links.get_mut(cluster) {
            link.recall(heard);
        }
    }
}

impl Hub {
    /// Takes which clusters there are. A failure takes nothing away.
    pub(super) fn take_inventory(&mut self, inventory: Result<Inventory, String>, now: Duration) {
        let Inventory { mut clusters, problems } = match inventory {
            Ok(inventory) => inventory,
            Err(why) => {
                let since = self.clusters.failing.take().map_or(now, |(since, _)| since);
                self.clusters.failing = Some((since, why));
                return;
            }
        };
        self.clusters.failing = None;
        self.clusters.problems = problems;
        let links = &mut self.clusters.links;
        links.retain(|cluster, _| clusters.contains_key(cluster));
        for cluster in clusters.keys() {
            links.entry(cluster.clone()).or_insert_with(|| Link::new(now));
        }
        for (name, cluster) in &mut clusters {
            // Whether two are equal is asked again and again, and is cheap to say of one and the same.
            if let Some(before) =
                self.clusters.known().get(name).filter(|before| before.access == cluster.access)
            {
                cluster.access = before.access.clone();
            }
        }
        self.clusters.told.retain(|cluster, _| clusters.contains_key(cluster));
        self.clusters.known = Some(clusters);
        self.turns += 1;
        for (cluster, heard) in self.reports.heard_before() {
            self.clusters.recall(&cluster, heard);
        }
        self.choose_clusters(now);
        self.look_for_wanted();
        self.reports.look_for_orphans();
    }

    /// Takes what was heard from a cluster, unless it is from an earlier connection.
    pub(super) fn take_word(&mut self, word: Word, now: Duration, time: Time) {
        let Word { cluster, epoch, objects, topics, link } = word;
        let Some(known) = self.clusters.links.get_mut(&cluster).filter(|link| link.epoch == epoch) else {
            return;
        };
        if let Some(answer) = link {
            known.probed(answer, now, time);
        }
        if !objects.is_empty() || topics.values().any(Result::is_ok) {
            known.hear(now, time);
        }
        for (id, object, instance) in objects {
            let Some(aggregation) =
                self.aggregations.get_mut(&id.0).filter(|aggregation| aggregation.id() == id)
            else {
                continue;
            };
            if aggregation.heard(&cluster, &object, instance.map(|instance| *instance)) {
                self.touch(&id.0, &object, Some(&cluster));
            }
        }
        for (id, seen) in topics {
            if let Some(aggregation) =
                self.aggregations.get_mut(&id.0).filter(|aggregation| aggregation.id() == id)
            {
                let is_new = aggregation.seen_in(&cluster, seen, now, time);
                if is_new {
                    self.touch_all_of(&id.0, &cluster);
                }
            }
        }
        self.judge_cluster(&cluster, now);
    }

    /// What depends on time alone: which clusters are not believed any more, and what is written down of them.
    pub(super) fn look_at_clusters(&mut self, now: Duration, time: Time) {
        let clusters: Vec<ClusterName> = self.clusters.known().keys().cloned().collect();
        for cluster in &clusters {
            self.judge_cluster(cluster, now);
            self.write_down(cluster, now, time);
        }
        self.remove_orphans(now);
    }

    /// Whether the words of a cluster are believed, in every aggregation that has chosen it.
    pub(super) fn judge_cluster(&mut self, cluster: &ClusterName, now: Duration) {
        let Some(link) = self.clusters.links.get(cluster) else { return };
        let patience = self.options.patience;
        let mut changed = Vec::new();
        for (name, aggregation) in &mut self.aggregations {
            if aggregation.judge(cluster, link, patience, now) {
                changed.push(Arc::clone(name));
            }
        }
        for name in changed {
            self.touch_all_of(&name, cluster);
        }
    }

    /// All objects of an aggregation have to be looked at again for a cluster.
    fn touch_all_of(&mut self, aggregation: &Arc<str>, cluster: &ClusterName) {
        let Some(found) = self.aggregations.get(aggregation) else { return };
        let objects: Vec<ObjectName> = found.subjects.keys().cloned().collect();
        for object in objects {
            self.touch(aggregation, &object, Some(cluster));
        }
        if let Some(aggregation) = self.aggregations.get_mut(aggregation) {
            aggregation.is_dirty = true;
        }
    }

    /// Keeps the report on a cluster: at once when something changed, and now and then that it was heard.
    fn write_down(&mut self, cluster: &ClusterName, now: Duration, time: Time) {
        let (Some(link), Some(known)) =
            (self.clusters.links.get(cluster), self.clusters.known().get(cluster))
        else {
            return;
        };
        if !self.reports.is_seen() {
            return;
        }
        let told = Told {
            state: link.state(DEFAULT_PATIENCE, now),
            is_troubled: link.trouble().is_some(),
            objects: self.aggregations.values().map(|aggregation| aggregation.objects_in(cluster)).sum(),
            source: Arc::clone(&known.source),
        };
        if told.state == LinkState::Pending {
            return;
        }
        let last = self.clusters.told.get(cluster);
        let is_due = last.is_none_or(|(last, when)| {
            let facts = |told: &Told| (told.is_troubled, told.objects, Arc::clone(&told.source));
            let is_new_word = facts(last) != facts(&told);
            // Why it does not answer may have other words each time.
            let is_old = now >= *when + self.options.roll_call;
            !last.state.is_like(&told.state)
                || (is_new_word && now >= *when + Duration::from_secs(5))
                || (is_old && (last.state != told.state || told.state == LinkState::Heard))
        });
        if !is_due {
            return;
        }
        let place = ObjectName::new(&self.options.namespace, &format!("cluster.{cluster}"));
        let previous = self.reports.reachable(&place);
        let body = report(cluster, known, link, &told, previous, &self.options, time);
        self.clusters.told.insert(cluster.clone(), (told, now));
        self.reports.keep(&place);
        self.outbox.want(&Place::Report(place), Some(Draft::calm(Some(body))), now);
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
        LinkState::Heard | LinkState::Pending => {
            let last = link.trouble().map(|why| format!("it did not answer the last time: {why}"));
            (Status::True, reason!("ClusterAnswers"), cut(&last.unwrap_or_default(), 1024).into_owned())
        }
        LinkState::Lost { why, .. } => {
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
