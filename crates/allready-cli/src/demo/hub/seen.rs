//! The state of the hub, as a person would look at it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
};

use allready_controller::hub::{AGGREGATED, dns::Published};
use serde_json::Value;

use crate::{
    demo::stage::coloured,
    printer::{DIM, tame},
};

pub(super) const PROGRAMMED: &str = "Programmed";

/// The hub's Gateway and its DNS records.
pub(super) struct Seen {
    /// The type, status, reason and message of each.
    conditions: Vec<[String; 4]>,
    /// `cluster-1/172.31.200.0`.
    addresses: Vec<String>,
    /// The name and its attached routes.
    listeners: Vec<(String, u64)>,
    /// By name, the targets, each with the cluster that it came from.
    records: BTreeMap<String, BTreeSet<(String, String)>>,
}

impl Seen {
    pub(super) fn read(gateway: &Value, endpoint: &Value) -> Self {
        let list = |name: &str| gateway["status"][name].as_array().into_iter().flatten();
        let text = |value: &Value| tame(value.as_str().unwrap_or_default());
        let conditions = list("conditions")
            .filter(|found| [PROGRAMMED, AGGREGATED].iter().any(|type_| found["type"] == *type_));
        let told = conditions.map(|found| {
            ["type", "status", "reason", "message"].map(|field| without_times(&text(&found[field])))
        });
        let listener = |listener: &Value| {
            (text(&listener["name"]), listener["attachedRoutes"].as_u64().unwrap_or_default())
        };
        let published = Published::read(endpoint);
        let cluster_of = |target: &str| {
            let mut clusters = published.clusters.iter();
            clusters.find(|(_, its)| its.targets.contains(target)).map(|(cluster, _)| cluster.to_string())
        };
        let mut records: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for (key, targets) in &published.records {
            let of_name = records.entry(key.name.to_string()).or_default();
            of_name.extend(
                targets.iter().map(|target| (target.to_string(), cluster_of(target).unwrap_or_default())),
            );
        }
        Self {
            conditions: told.collect(),
            addresses: list("addresses").map(|address| text(&address["value"])).collect(),
            listeners: list("listeners").map(listener).collect(),
            records,
        }
    }

    /// Returns true if a condition has this status and a message that begins so.
    pub(super) fn says(&self, type_: &str, status: &str, begins: &str) -> bool {
        let mut told = self.conditions.iter();
        told.any(|[is, has, _, message]| is == type_ && has == status && message.starts_with(begins))
    }

    /// The clusters that have an address in the status.
    pub(super) fn clusters(&self) -> Vec<&str> {
        self.addresses
            .iter()
            .filter_map(|address| address.split_once('/'))
            .map(|(cluster, _)| cluster)
            .collect()
    }

    /// The clusters that a name leads to.
    pub(super) fn behind(&self, name: &str) -> Vec<&str> {
        self.records.get(name).into_iter().flatten().map(|(_, cluster)| cluster.as_str()).collect()
    }

    pub(super) fn shown(&self) -> String {
        let mut shown =
            format!("  {DIM}{:<24} {:<8} {:<19} MESSAGE{DIM:#}\n", "CONDITION", "STATUS", "REASON");
        for [type_, status, reason, message] in &self.conditions {
            let row = format!("  {type_:<24} {} {reason:<19} {message}", coloured(status, 8));
            let _ = writeln!(shown, "{}", row.trim_end());
        }
        let listeners = self.listeners.iter().map(|(name, routes)| match routes {
            1 => format!("{name} (1 route)"),
            _ => format!("{name} ({routes} routes)"),
        });
        let rows = [
            ("ADDRESSES", self.addresses.join("  ")),
            ("LISTENERS", listeners.collect::<Vec<_>>().join("  ")),
        ];
        let _ = writeln!(shown);
        for (title, row) in rows {
            let _ = writeln!(shown, "  {DIM}{title:<10}{DIM:#} {row}");
        }
        for (name, targets) in &self.records {
            let targets: Vec<_> =
                targets.iter().map(|(target, cluster)| format!("{target} ({cluster})")).collect();
            let _ = writeln!(shown, "  {DIM}{:<10}{DIM:#} {name} -> {}", "DNS", targets.join(", "));
        }
        shown.truncate(shown.trim_end().len());
        shown
    }
}

/// A message without what differs from run to run: since when a cluster is silent, and how the connection to it failed.
fn without_times(message: &str) -> String {
    match message.split_once(" since ") {
        Some((before, _)) => format!("{before} since …"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cut_off() -> Seen {
        let word =
            "cluster-2 (unknown) ClusterUnreachable: no word since 2026-11-15T13:00:00Z: connection refused";
        let gateway = json!({ "status": {
            "conditions": [
                { "type": "Accepted", "status": "Unknown", "reason": "Pending", "message": "" },
                { "type": "Programmed", "status": "Unknown", "reason": "ClusterUnreachable", "message": word },
            ],
            "addresses": [{ "value": "cluster-1/192.0.2.1" }, { "value": "cluster-2/192.0.2.2" }],
            "listeners": [{ "name": "cluster-1.api", "attachedRoutes": 0 }, { "name": "cluster-2.api", "attachedRoutes": 1 }],
        } });
        let targets = r#"{"cluster-1":{"targets":["192.0.2.1"]},"cluster-2":{"targets":["192.0.2.2"]}}"#;
        let record =
            |name: &str, targets: Value| json!({ "dnsName": name, "recordType": "A", "targets": targets });
        let endpoint = json!({
            "metadata": { "annotations": { "allready.dev/targets": targets } },
            "spec": { "endpoints": [
                record("api.example.com", json!(["192.0.2.2"])),
                record("www.example.com", json!(["192.0.2.1", "192.0.2.2"])),
            ] },
        });
        Seen::read(&gateway, &endpoint)
    }

    #[test]
    fn what_differs_from_run_to_run_is_not_shown() {
        let shown = anstream::adapter::strip_str(&cut_off().shown()).to_string();
        assert_eq!(
            shown.lines().map(str::trim).collect::<Vec<_>>(),
            [
                "CONDITION                STATUS   REASON              MESSAGE",
                "Programmed               Unknown  ClusterUnreachable  cluster-2 (unknown) ClusterUnreachable: no word since …",
                "",
                "ADDRESSES  cluster-1/192.0.2.1  cluster-2/192.0.2.2",
                "LISTENERS  cluster-1.api (0 routes)  cluster-2.api (1 route)",
                "DNS        api.example.com -> 192.0.2.2 (cluster-2)",
                "DNS        www.example.com -> 192.0.2.1 (cluster-1), 192.0.2.2 (cluster-2)",
            ]
        );
    }

    #[test]
    fn a_scene_goes_on_only_when_everything_that_it_shows_is_there() {
        let seen = cut_off();
        assert!(seen.says(PROGRAMMED, "Unknown", "cluster-2"));
        assert!(!seen.says(PROGRAMMED, "Unknown", "cluster-1"));
        assert!(!seen.says(PROGRAMMED, "True", ""));
        assert!(!seen.says(AGGREGATED, "Unknown", ""), "it is not there yet");
        assert_eq!(seen.clusters(), ["cluster-1", "cluster-2"]);
        assert_eq!(seen.behind("api.example.com"), ["cluster-2"]);
        assert!(seen.behind("other.example.com").is_empty());
    }
}
