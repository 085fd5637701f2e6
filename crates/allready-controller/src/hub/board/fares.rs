//! How an aggregation fares: its own status.

use allready_core::{
    Condition, ConditionType, Generation, Reason, Status, Time, condition::cut, condition_type, found, reason,
};
use serde_json::{Value, json};

use super::{Clusters, aggregation::Aggregation};

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

    fn dns_trouble(&self) -> Option<String> {
        let refused = self.dns_refused.first_key_value();
        let refused =
            || refused.map(|(name, why)| format!("the DNSEndpoint {name} cannot be written: {why}"));
        self.dns_trouble.clone().or_else(refused)
    }

    /// How the aggregation is doing: its own status.
    pub(super) fn status(&self, clusters: &Clusters, trouble: &[String], time: Time) -> Value {
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
        } else if let Some(why) = self.dns_trouble() {
            (Status::False, reason!("DnsUnavailable"), why)
        } else if !trouble.is_empty() {
            (Status::Unknown, reason!("HubUnreadable"), trouble.join("; "))
        } else if !clusters.is_seen() {
            (Status::Unknown, reason!("InventoryUnknown"), "the clusters are not known yet".to_owned())
        } else if self.chosen.is_empty() {
            let why = format!("none of {} is chosen", many(clusters.known().len(), "known clusters"));
            let why = [why].into_iter().chain(clusters.problems.iter().take(5).cloned());
            let why = why.collect::<Vec<_>>().join("; ");
            (Status::Unknown, reason!("NoClusters"), why)
        } else if !lost.is_empty() {
            let names = first(&lost);
            let all = many(self.chosen.len(), "clusters");
            let why = format!("{} of {all} cannot be heard: {names}", lost.len());
            (Status::Unknown, reason!("ClusterUnreachable"), why)
        } else {
            let objects = many(self.subjects.len(), "objects");
            let why = format!("{objects} from {}", many(self.chosen.len(), "clusters"));
            let why = [why].into_iter().chain(clusters.problems.iter().take(5).cloned());
            let why = why.collect::<Vec<_>>().join("; ");
            (Status::True, reason!("AllClustersHeard"), why)
        };
        let mut conditions = vec![self.condition(condition_type!("Ready"), status, reason, &message, time)];
        if self.plan.dns.is_some() {
            let notes = self
                .dns_notes
                .iter()
                .flat_map(|(object, notes)| notes.iter().map(move |note| format!("{object}: {note}")));
            let notes = notes.collect::<Vec<_>>().join("; ");
            let trouble = self.dns_trouble();
            let (status, reason, message) = match &trouble {
                Some(why) => (Status::False, reason!("DnsUnavailable"), why.as_str()),
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
                "summary": format!("{heard}/{}", self.chosen.len()),
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
