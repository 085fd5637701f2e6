//! What a hub has written down of its clusters and aggregations, and what that is worth now.

use std::time::Duration;

use allready_core::{Status, Time, found};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::age::age;

/// After how long without a renewal of its Lease a cluster is not believed any more: a hub that runs renews it every minute.
const STALE: Duration = Duration::from_mins(3);

/// A cluster, as the hub sees it.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cluster {
    pub(super) name: String,
    #[schemars(with = "String")]
    pub(super) reachable: Status,
    /// Whether that is so because nobody has written down anything for too long.
    #[serde(rename = "stale")]
    pub(super) is_stale: bool,
    #[serde(rename = "latencyMilliseconds")]
    pub(super) latency: Option<i64>,
    pub(super) last_heard: Option<Time>,
    pub(super) objects: Option<i64>,
    pub(super) server: String,
    pub(super) source: String,
    pub(super) message: String,
}

impl Cluster {
    /// What a ClusterStatus and the Lease beside it say at this instant. Read leniently: one that somebody spoilt hides no
    /// other.
    pub(super) fn of(cluster: &Value, lease: Option<&Value>, now: Time) -> Self {
        let status = &cluster["status"];
        let conditions = found::of_object(cluster);
        let condition = conditions.find("Reachable");
        let said = condition.map_or(Status::Unknown, |condition| condition.status);
        let renewed = lease.and_then(|lease| lease["spec"]["renewTime"].as_str());
        let last_heard = renewed.and_then(|text| text.parse::<Time>().ok());
        // Who does not answer has not been heard for long: that is no news. Who answers is heard every minute.
        let is_stale = said == Status::True && !last_heard.is_some_and(|heard| is_recent(heard, now));
        let message = match (condition, is_stale, last_heard) {
            (_, true, Some(heard)) => format!(
                "stale: its Lease was not renewed for {}: the controller may not be running",
                age(heard, now)
            ),
            (_, true, None) => "stale: there is no Lease that says when it was heard".to_owned(),
            (Some(condition), ..) => condition.message.clone().into_owned(),
            (None, ..) => "its ClusterStatus does not say whether it answers".to_owned(),
        };
        Self {
            name: text(&cluster["metadata"]["name"]),
            reachable: if is_stale { Status::Unknown } else { said },
            is_stale,
            latency: status["latencyMilliseconds"].as_i64(),
            last_heard,
            objects: status["objects"].as_i64(),
            server: text(&status["server"]),
            source: text(&cluster["spec"]["source"]),
            message,
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Clocks differ: an instant that is to come shortly has just been.
fn is_recent(heard: Time, now: Time) -> bool {
    now.since(heard).unsigned_abs() <= STALE
}

/// An aggregation, as the hub sees it.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Aggregation {
    pub(super) name: String,
    #[schemars(with = "String")]
    pub(super) ready: Status,
    pub(super) reason: String,
    pub(super) kind: String,
    pub(super) objects: Option<i64>,
    pub(super) clusters: String,
    pub(super) message: String,
}

impl Aggregation {
    /// What an aggregation says of itself; with whether nobody keeps it up, as the Leases of clusters show.
    pub(super) fn of(aggregation: &Value, is_stale: bool) -> Self {
        let status = &aggregation["status"];
        let generation = aggregation["metadata"]["generation"].as_i64().unwrap_or_default();
        let observed = status["observedGeneration"].as_i64().unwrap_or_default();
        let conditions = found::of_object(aggregation);
        let (ready, reason, message) = match conditions.find("Ready") {
            Some(condition) if condition.reason == "Pending" => (
                Status::Unknown,
                "Pending",
                "no controller has processed it yet: the controller may not be running".to_owned(),
            ),
            Some(_) if observed < generation => {
                (Status::Unknown, "Outdated", "what it says is about an older spec".to_owned())
            }
            Some(condition) if is_stale && condition.status == Status::True => {
                let why = format!("the controller may not be running; it said {}", condition.message);
                (Status::Unknown, "Stale", why)
            }
            Some(condition) => (condition.status, &*condition.reason, condition.message.clone().into_owned()),
            None => {
                let why = "no controller has processed it yet: the controller may not be running".to_owned();
                (Status::Unknown, "NotReported", why)
            }
        };
        Self {
            name: text(&aggregation["metadata"]["name"]),
            ready,
            reason: reason.to_owned(),
            kind: text(&aggregation["spec"]["targetRef"]["kind"]),
            objects: status["objects"].as_i64(),
            clusters: text(&status["clusters"]["display"]),
            message,
        }
    }
}

/// How all of them are: bad if anything is, unknown if anything is, or if there is no cluster to go by.
pub(super) fn worst(clusters: &[Cluster], aggregations: &[Aggregation]) -> Status {
    let all = clusters.iter().map(|cluster| cluster.reachable);
    let all: Vec<Status> = all.chain(aggregations.iter().map(|aggregation| aggregation.ready)).collect();
    if all.contains(&Status::False) {
        Status::False
    } else if clusters.is_empty() || all.contains(&Status::Unknown) {
        Status::Unknown
    } else {
        Status::True
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Time {
        text.parse().unwrap()
    }

    fn reachable(status: &str, heard: Option<&str>, now: Time) -> Cluster {
        let cluster = json!({
            "metadata": { "name": "a" },
            "status": { "conditions": [{ "type": "Reachable", "status": status, "reason": "R", "message": "m",
                "lastTransitionTime": "2026-11-15T12:00:00Z" }] },
        });
        let lease = heard.map(|heard| json!({ "spec": { "renewTime": heard } }));
        Cluster::of(&cluster, lease.as_ref(), now)
    }

    #[test]
    fn a_cluster_that_answers_is_believed_for_three_minutes() {
        let now = at("2026-11-15T13:00:00Z");
        let seen = |status, heard| {
            let cluster = reachable(status, heard, now);
            (cluster.reachable, cluster.is_stale)
        };
        assert_eq!(seen("True", Some("2026-11-15T12:57:00Z")), (Status::True, false));
        assert_eq!(seen("True", Some("2026-11-15T13:00:30Z")), (Status::True, false));
        assert_eq!(seen("True", Some("2026-11-15T12:56:59Z")), (Status::Unknown, true));
        assert_eq!(seen("True", Some("2026-11-15T14:00:00Z")), (Status::Unknown, true));
        assert_eq!(seen("True", None), (Status::Unknown, true));
        assert_eq!(seen("False", Some("2026-11-14T12:00:00Z")), (Status::False, false));
        assert_eq!(Cluster::of(&json!({}), None, now).reachable, Status::Unknown);
    }

    fn aggregation(generation: i64, conditions: &Value) -> Value {
        json!({
            "metadata": { "name": "gateways", "generation": generation },
            "spec": { "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" } },
            "status": { "conditions": conditions, "observedGeneration": 2 },
        })
    }

    #[test]
    fn an_aggregation_that_was_changed_since_or_that_nobody_keeps_up_is_not_known() {
        let ready = json!([{ "type": "Ready", "status": "True", "reason": "AllClustersHeard", "message": "all",
            "lastTransitionTime": "2026-11-15T12:00:00Z" }]);
        let seen = |generation, conditions: &Value, is_stale| {
            let seen = Aggregation::of(&aggregation(generation, conditions), is_stale);
            (seen.ready, seen.reason)
        };
        assert_eq!(seen(2, &ready, false), (Status::True, "AllClustersHeard".to_owned()));
        assert_eq!(seen(3, &ready, false), (Status::Unknown, "Outdated".to_owned()));
        assert_eq!(seen(2, &ready, true), (Status::Unknown, "Stale".to_owned()));
        assert_eq!(seen(2, &json!([]), false), (Status::Unknown, "NotReported".to_owned()));
    }

    #[test]
    fn nothing_is_good_without_a_cluster_or_beside_something_bad() {
        let now = at("2026-11-15T13:00:00Z");
        let good = || reachable("True", Some("2026-11-15T13:00:00Z"), now);
        let bad = || reachable("False", None, now);
        let unanswered = || [Aggregation::of(&aggregation(1, &json!([])), false)];
        assert_eq!(worst(&[], &[]), Status::Unknown);
        assert_eq!(worst(&[good()], &[]), Status::True);
        assert_eq!(worst(&[good()], &unanswered()), Status::Unknown);
        assert_eq!(worst(&[bad(), good()], &unanswered()), Status::False);
    }
}
