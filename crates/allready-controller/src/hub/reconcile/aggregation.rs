//! The status of a StatusAggregation: how it is doing.

use std::sync::Arc;

use allready_core::{
    Condition, ConditionType, Generation, Reason, Status, Time, condition::cut, condition_type, found, reason,
};
use serde_json::{Value, json};

use crate::{
    engine::{Desired, Now, Write},
    hub::state::{Aggregation, Clusters, HubState, Target, standing::at_version},
};

impl HubState {
    pub(super) fn reconcile_aggregation(&self, name: &Arc<str>, now: Now) -> Desired<Target> {
        let mut desired = Desired::default();
        let Some(aggregation) = self.aggregations.get(name) else { return desired };
        let patience = self.options.patience;
        let Self { clusters, endpoints, instance_statuses, cluster_statuses, .. } = self;
        let wants_dns = aggregation.plan.dns.is_some();
        let unseen = [
            aggregation.objects.unseen_at(patience),
            clusters.unseen_at(patience),
            instance_statuses.store.unseen_at(patience),
            cluster_statuses.store.unseen_at(patience),
            cluster_statuses.leases.unseen_at(patience),
            endpoints.store.unseen_at(patience).filter(|_| wants_dns),
        ];
        desired.look_at(unseen.into_iter().flatten().filter(|at| *at > now.elapsed).min());
        let mut trouble = Vec::new();
        if let Some(why) = aggregation.objects.unseen(patience, now.elapsed) {
            trouble.push(format!("the {}s of the hub cannot be seen: {why}", aggregation.plan.target.kind));
        }
        if let Some(why) = clusters.unseen(patience, now.elapsed) {
            trouble.push(format!("the clusters cannot be seen: {why}"));
        }
        let own = [
            ("InstanceStatuses", instance_statuses.store.unseen(patience, now.elapsed)),
            ("ClusterStatuses", cluster_statuses.store.unseen(patience, now.elapsed)),
            ("Leases of clusters", cluster_statuses.leases.unseen(patience, now.elapsed)),
        ];
        let own = own.into_iter().filter_map(|(what, why)| Some(format!("{what} cannot be seen: {}", why?)));
        trouble.extend(own);
        trouble.extend(instance_statuses.refusal());
        let dns_trouble = endpoints.store.unseen(patience, now.elapsed).filter(|_| wants_dns);
        let dns_trouble = dns_trouble.map(|why| format!("DNSEndpoints cannot be seen: {why}"));
        let dns_trouble = dns_trouble.or_else(|| aggregation.dns_refusal());
        let is_dns_open = wants_dns && !endpoints.store.is_synced() && dns_trouble.is_none();
        let is_open = (!aggregation.objects.is_synced() && trouble.is_empty()) || is_dns_open;
        if is_open && aggregation.plan.problems.is_empty() && aggregation.refused.is_empty() {
            // It is about to be known, and what stands is better than a guess.
            return desired;
        }
        let notes = clusters.problems.iter().take(5).cloned().chain(instance_statuses.forged());
        let notes = notes.chain(aggregation.not_removed(clusters)).collect();
        let mut status = aggregation.status(clusters, &trouble, dns_trouble.as_deref(), notes, now.time);
        if let Some(lease) = &self.options.lease {
            // Whoever writes without the Lease leaves what its holder has written.
            let stands = &aggregation.standing["controller"];
            let stands = stands["term"].as_u64().filter(|_| stands["lease"] == **lease);
            if let Some(term) = now.term.or(stands) {
                status["controller"] = json!({ "lease": lease, "term": term });
            }
        }
        if !stands(&aggregation.standing, &status) {
            let mut body = json!({
                "apiVersion": "allready.dev/v1alpha1",
                "kind": "StatusAggregation",
                "metadata": { "name": &**name },
                "status": status,
            });
            at_version(&mut body, aggregation.version);
            desired.write(Target::Aggregation(Arc::clone(name)), Write::calm(Some(body)));
        }
        desired
    }
}

impl Aggregation {
    fn condition(
        &self,
        type_: ConditionType,
        status: Status,
        reason: Reason,
        message: &str,
        time: Time,
    ) -> Condition {
        let previous = found::read(&self.standing["conditions"]);
        let previous = previous.find(type_.as_str()).map(|previous| previous.to_condition(Time::EPOCH));
        let previous = previous.filter(|previous| previous.status == status);
        let since = previous.map_or(time, |previous| previous.last_transition_time);
        Condition::new(type_, status, reason, cut(message, MAX_MESSAGE).into_owned(), since)
            .observed(Generation::from(Some(self.generation)))
    }

    /// The first DNSEndpoint that was refused, and why.
    fn dns_refusal(&self) -> Option<String> {
        let (name, why) = self.dns_refused.first_key_value()?;
        Some(format!("the DNSEndpoint {name} cannot be written: {why}"))
    }

    /// Makes its own status.
    fn status(
        &self,
        clusters: &Clusters,
        trouble: &[String],
        dns_trouble: Option<&str>,
        notes: Vec<String>,
        time: Time,
    ) -> Value {
        let heard = self.views.values().filter(|view| view.doubt.is_none()).count();
        let lost: Vec<&str> = self
            .views
            .iter()
            .filter(|(_, view)| view.doubt.is_some())
            .map(|(cluster, _)| cluster.as_str())
            .collect();
        let (status, reason, message) = if !self.plan.problems.is_empty() {
            (Status::False, reason!("SpecInvalid"), self.plan.problems.join("; "))
        } else if let Some((object, why)) = self.refused.first_key_value() {
            let more = many(self.refused.len(), "objects");
            (Status::False, reason!("WriteRefused"), format!("{more} cannot be written: {object}: {why}"))
        } else if let Some(why) = dns_trouble {
            (Status::False, reason!("DnsUnavailable"), why.to_owned())
        } else if !trouble.is_empty() {
            (Status::Unknown, reason!("HubUnreadable"), trouble.join("; "))
        } else if !clusters.is_seen() {
            (Status::Unknown, reason!("InventoryUnknown"), "the clusters are not known yet".to_owned())
        } else if self.chosen.is_empty() {
            let why = format!("none of {} is chosen", many(clusters.known().len(), "known clusters"));
            (Status::Unknown, reason!("NoClusters"), [vec![why], notes].concat().join("; "))
        } else if !lost.is_empty() {
            let names = first(&lost);
            let all = many(self.chosen.len(), "clusters");
            let why = format!("{} of {all} cannot be heard: {names}", lost.len());
            (Status::Unknown, reason!("ClusterUnreachable"), [vec![why], notes].concat().join("; "))
        } else {
            let objects = many(self.subjects.len(), "objects");
            let why = format!("{objects} from {}", many(self.chosen.len(), "clusters"));
            (Status::True, reason!("AllClustersHeard"), [vec![why], notes].concat().join("; "))
        };
        let mut conditions = vec![self.condition(condition_type!("Ready"), status, reason, &message, time)];
        if self.plan.dns.is_some() {
            let notes = self
                .dns_notes
                .iter()
                .flat_map(|(object, notes)| notes.iter().map(move |note| format!("{object}: {note}")));
            let notes = notes.collect::<Vec<_>>().join("; ");
            let (status, reason, message) = match dns_trouble {
                Some(why) => (Status::False, reason!("DnsUnavailable"), why),
                None if notes.is_empty() => (Status::True, reason!("Published"), ""),
                None => (Status::False, reason!("TargetsLeftOut"), notes.as_str()),
            };
            conditions.push(self.condition(condition_type!("DNSPublished"), status, reason, message, time));
        }
        json!({
            "observedGeneration": self.generation,
            "conditions": conditions,
            "objects": self.subjects.len(),
            "clusters": {
                "chosen": self.chosen.len(),
                "heard": heard,
                "display": format!("{heard}/{}", self.chosen.len()),
            },
        })
    }
}

/// The most bytes of the message of an aggregation.
const MAX_MESSAGE: usize = 4096;

fn many(count: usize, what: &str) -> String {
    let what = if count == 1 { what.strip_suffix('s').unwrap_or(what) } else { what };
    format!("{count} {what}")
}

fn first(names: &[&str]) -> String {
    let shown = names.iter().take(5).copied().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(5) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// Returns true if a status stands: what others add to it is theirs.
fn stands(standing: &Value, wanted: &Value) -> bool {
    wanted.as_object().into_iter().flatten().all(|(name, field)| match (name.as_str(), field) {
        ("conditions", Value::Array(wanted)) => {
            let stands = standing["conditions"].as_array();
            wanted.iter().all(|condition| stands.is_some_and(|stands| stands.contains(condition)))
        }
        _ => standing.get(name) == Some(field),
    })
}
