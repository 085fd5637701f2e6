//! What DNSEndpoints publish, target by target.

use allready_controller::hub::{
    AGGREGATION_LABEL,
    dns::{Published, RecordKey},
};
use allready_core::Time;
use serde_json::{Value, json};

use crate::{age::age, table::Table};

/// One record, with its targets.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    namespace: String,
    /// The DNSEndpoint that it stands in.
    endpoint: String,
    /// The aggregation that it was made for.
    aggregation: String,
    hostname: String,
    type_: &'static str,
    targets: Vec<Target>,
}

/// One target, and the clusters that it came from: none where that is not known.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    address: String,
    clusters: Vec<(String, Option<Time>)>,
}

impl Target {
    /// Since when it is leaving: only if every cluster that has it is.
    fn leaving(&self) -> Option<Time> {
        let since: Option<Vec<Time>> = self.clusters.iter().map(|(_, leaving)| *leaving).collect();
        since.and_then(|since| since.into_iter().max())
    }
}

/// The records of a DNSEndpoint of ours.
pub(super) fn records(endpoint: &Value) -> Vec<Record> {
    let metadata = &endpoint["metadata"];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let published = Published::read(endpoint);
    let record = |(key, targets): (&RecordKey, &std::collections::BTreeSet<std::sync::Arc<str>>)| Record {
        namespace: text(&metadata["namespace"]),
        endpoint: text(&metadata["name"]),
        aggregation: text(&metadata["labels"][AGGREGATION_LABEL]),
        hostname: key.name.to_string(),
        type_: key.type_.as_str(),
        targets: targets.iter().map(|address| target(address, key, &published)).collect(),
    };
    published.records.iter().map(record).collect()
}

fn target(address: &str, key: &RecordKey, published: &Published) -> Target {
    let is_whose = |cluster: &str| key.set.as_deref().is_none_or(|set| set == cluster);
    let owners = published
        .clusters
        .iter()
        .filter(|(cluster, of)| of.targets.contains(address) && is_whose(cluster.as_str()));
    Target {
        address: address.to_owned(),
        clusters: owners.map(|(cluster, of)| (cluster.to_string(), of.leaving)).collect(),
    }
}

/// Which columns are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Also the namespace.
    pub(super) namespace: bool,
    /// Also where the record stands, and since when a target leaves.
    pub(super) wide: bool,
}

/// One row for each target.
pub(super) fn table(records: &[Record], columns: Columns, now: Time) -> String {
    let mut head = vec!["HOSTNAME", "TYPE", "TARGET", "CLUSTER", "STATE"];
    if columns.namespace {
        head.insert(0, "NAMESPACE");
    }
    if columns.wide {
        head.extend(["SINCE", "ENDPOINT", "AGGREGATION"]);
    }
    let mut table = Table::new(head);
    for record in records {
        for target in &record.targets {
            let leaving = target.leaving();
            let clusters: Vec<&str> = target.clusters.iter().map(|(cluster, _)| cluster.as_str()).collect();
            let clusters = if clusters.is_empty() { "<unknown>".to_owned() } else { clusters.join(",") };
            let state = match leaving {
                Some(since) => format!("leaving ({})", age(since, now)),
                None => "published".to_owned(),
            };
            let mut row = vec![
                record.hostname.clone(),
                record.type_.to_owned(),
                target.address.clone(),
                clusters,
                state,
            ];
            if columns.namespace {
                row.insert(0, record.namespace.clone());
            }
            if columns.wide {
                let since = leaving.map(|since| since.to_string()).unwrap_or_default();
                row.extend([since, record.endpoint.clone(), record.aggregation.clone()]);
            }
            table.row(row);
        }
    }
    table.text()
}

/// The same for programs.
pub(super) fn structured(records: &[Record]) -> Value {
    let target = |target: &Target| {
        let cluster = |(name, leaving): &(String, Option<Time>)| match leaving {
            Some(since) => json!({ "name": name, "leavingSince": since }),
            None => json!({ "name": name }),
        };
        json!({
            "target": target.address,
            "clusters": target.clusters.iter().map(cluster).collect::<Vec<_>>(),
            "state": if target.leaving().is_some() { "leaving" } else { "published" },
        })
    };
    let record = |record: &Record| {
        json!({
            "hostname": record.hostname,
            "type": record.type_,
            "namespace": record.namespace,
            "endpoint": record.endpoint,
            "aggregation": record.aggregation,
            "targets": record.targets.iter().map(target).collect::<Vec<_>>(),
        })
    };
    json!({ "records": records.iter().map(record).collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint() -> Value {
        json!({
            "metadata": { "name": "gateway-web", "namespace": "shop", "labels": { AGGREGATION_LABEL: "gateways" },
                "annotations": { "allready.dev/targets": r#"{
                    "a": {"targets": ["10.0.0.1", "10.0.0.2"]},
                    "b": {"leaving": "2026-11-15T12:00:00Z", "targets": ["10.0.0.2", "10.0.0.3"]}
                }"# } },
            "spec": { "endpoints": [{
                "dnsName": "web.example.com", "recordType": "A",
                "targets": ["10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"],
            }] },
        })
    }

    #[test]
    fn a_target_leaves_only_when_everybody_who_has_it_does() {
        let records = records(&endpoint());
        let now = "2026-11-15T12:05:00Z".parse().unwrap();
        let shown = table(&records, Columns { namespace: false, wide: false }, now);
        assert_eq!(
            shown,
            "HOSTNAME          TYPE   TARGET     CLUSTER     STATE\n\
             web.example.com   A      10.0.0.1   a           published\n\
             web.example.com   A      10.0.0.2   a,b         published\n\
             web.example.com   A      10.0.0.3   b           leaving (5m)\n\
             web.example.com   A      10.0.0.4   <unknown>   published\n"
        );
    }

    #[test]
    fn programs_read_exactly_since_when() {
        let structured = structured(&records(&endpoint()));
        let third = &structured["records"][0]["targets"][2];
        assert_eq!(
            *third,
            json!({ "target": "10.0.0.3", "state": "leaving",
                "clusters": [{ "name": "b", "leavingSince": "2026-11-15T12:00:00Z" }] })
        );
    }
}
