//! What DNSEndpoints publish, target by target.

use allready_controller::hub::{
    AGGREGATION_LABEL,
    dns::{Published, RecordKey},
};
use allready_core::Time;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::{
    age::age,
    output::{Column, Document, Look, Report, Table},
};

/// The records that DNSEndpoints publish.
#[derive(Serialize, JsonSchema)]
pub(crate) struct DnsReport {
    pub(super) records: Vec<Record>,
    /// Set if the table has a column for the namespace.
    #[serde(skip)]
    pub(super) has_namespaces: bool,
    #[serde(skip)]
    pub(super) now: Time,
}

impl Document for DnsReport {
    const KIND: &'static str = "DNSReport";
}

/// One record, with its targets.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Record {
    hostname: String,
    #[serde(rename = "type")]
    type_: &'static str,
    namespace: String,
    /// The DNSEndpoint that it stands in.
    endpoint: String,
    /// The aggregation that it was made for.
    aggregation: String,
    targets: Vec<Target>,
}

/// One target, and the clusters that it came from: none where that is not known.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
struct Target {
    #[serde(rename = "target")]
    address: String,
    /// A target is leaving only if every cluster that has it is.
    state: State,
    clusters: Vec<TargetCluster>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    Published,
    Leaving,
}

#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct TargetCluster {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    leaving_since: Option<Time>,
}

/// The instant since which all of these clusters are leaving.
fn leaving(clusters: &[TargetCluster]) -> Option<Time> {
    let since: Option<Vec<Time>> = clusters.iter().map(|cluster| cluster.leaving_since).collect();
    since.and_then(|since| since.into_iter().max())
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
    let clusters: Vec<TargetCluster> = owners
        .map(|(cluster, of)| TargetCluster { name: cluster.to_string(), leaving_since: of.leaving })
        .collect();
    let state = if leaving(&clusters).is_some() { State::Leaving } else { State::Published };
    Target { address: address.to_owned(), state, clusters }
}

impl Report for DnsReport {
    type Value<'a> = &'a Self;

    fn value(&self) -> &Self {
        self
    }

    /// One row for each target.
    fn text(&self, look: Look) -> String {
        let mut columns = vec![Column::key("HOSTNAME"), Column::fact("TYPE"), Column::key("TARGET")];
        columns.extend([Column::fact("CLUSTER"), Column::fact("STATE")]);
        if self.has_namespaces {
            columns.insert(0, Column::fact("NAMESPACE"));
        }
        if look.is_wide {
            columns.extend(["SINCE", "ENDPOINT", "AGGREGATION"].map(Column::minor));
        }
        let mut table = Table::new(look, columns);
        for (record, target) in
            self.records.iter().flat_map(|record| record.targets.iter().map(move |target| (record, target)))
        {
            let leaving = leaving(&target.clusters);
            let clusters: Vec<&str> = target.clusters.iter().map(|cluster| cluster.name.as_str()).collect();
            let clusters = if clusters.is_empty() { "<unknown>".to_owned() } else { clusters.join(",") };
            let state = match leaving {
                Some(since) => format!("leaving ({})", age(since, self.now)),
                None => "published".to_owned(),
            };
            let since = leaving.map(|since| since.to_string()).unwrap_or_default();
            let mut row = vec![record.hostname.as_str(), record.type_, &target.address, &clusters, &state];
            if self.has_namespaces {
                row.insert(0, &record.namespace);
            }
            if look.is_wide {
                row.extend([&since, &record.endpoint, &record.aggregation].map(String::as_str));
            }
            table.row(row);
        }
        table.text()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn report() -> DnsReport {
        let now = "2026-11-15T12:05:00Z".parse().unwrap();
        DnsReport { records: records(&endpoint()), has_namespaces: false, now }
    }

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
        let shown = report().text(Look::default());
        assert_eq!(
            anstream::adapter::strip_str(&shown).to_string(),
            "HOSTNAME          TYPE   TARGET     CLUSTER     STATE\n\
             web.example.com   A      10.0.0.1   a           published\n\
             web.example.com   A      10.0.0.2   a,b         published\n\
             web.example.com   A      10.0.0.3   b           leaving (5m)\n\
             web.example.com   A      10.0.0.4   <unknown>   published\n"
        );
    }

    #[test]
    fn programs_read_exactly_since_when() {
        let structured = serde_json::to_value(report()).unwrap();
        let third = &structured["records"][0]["targets"][2];
        assert_eq!(
            *third,
            json!({ "target": "10.0.0.3", "state": "leaving",
                "clusters": [{ "name": "b", "leavingSince": "2026-11-15T12:00:00Z" }] })
        );
    }
}
