//! The content of a `DNSEndpoint`, read leniently: others may have edited it.

use std::{collections::BTreeMap, sync::Arc};

use allready_core::Time;
use serde_json::Value;

use super::{
    Published, RecordKey, RecordType, TARGETS_ANNOTATION, Targets,
    share::NOBODY,
    target::{folded, of_record},
};
use crate::hub::ClusterName;

impl Published {
    /// Reads the records that a `DNSEndpoint` of ours publishes. Records of other types, and targets that no record may point to, are not seen,
    /// and so are gone after the next write.
    ///
    /// ```
    /// use allready_controller::hub::dns::Published;
    /// use serde_json::json;
    ///
    /// let endpoint = json!({ "dnsName": "web.example.com", "recordType": "A", "targets": ["192.0.2.1"] });
    /// assert_eq!(Published::read(&json!({ "spec": { "endpoints": [endpoint] } })).records.len(), 1);
    /// ```
    pub fn read(endpoint: &Value) -> Self {
        let mut published = Self {
            clusters: endpoint["metadata"]["annotations"][TARGETS_ANNOTATION]
                .as_str()
                .map(attribution)
                .unwrap_or_default(),
            ..Self::default()
        };
        for entry in endpoint["spec"]["endpoints"].as_array().into_iter().flatten() {
            published.read_entry(entry);
        }
        published
    }

    fn read_entry(&mut self, entry: &Value) {
        let Some(name) = entry["dnsName"].as_str().filter(|name| !name.is_empty()) else { return };
        let Some(type_) = entry["recordType"].as_str().and_then(RecordType::named) else { return };
        let set = entry["setIdentifier"].as_str().filter(|set| !set.is_empty());
        let cluster = set.and_then(|set| ClusterName::new(set).ok());
        let set = set.map(|_| cluster.as_ref().map_or(NOBODY, ClusterName::as_str).into());
        let key = RecordKey { name: folded(name).into(), type_, set };
        for text in entry["targets"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let Some(target) = of_record(type_, text) else { continue };
            if let Some(cluster) = &cluster {
                // The record says whose it is, even if the annotation does not.
                self.clusters.entry(cluster.clone()).or_default().targets.insert(target.clone());
            }
            self.records.entry(key.clone()).or_default().insert(target);
        }
    }
}

/// Which cluster has which targets, as far as it can be understood.
fn attribution(annotation: &str) -> BTreeMap<ClusterName, Targets> {
    let Ok(Value::Object(clusters)) = serde_json::from_str(annotation) else { return BTreeMap::new() };
    let read = |(cluster, said): (String, Value)| Some((ClusterName::new(&cluster).ok()?, targets(&said)));
    clusters.into_iter().filter_map(read).collect()
}

fn targets(said: &Value) -> Targets {
    let texts = said["targets"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let canonical = |text: &str| -> Option<Arc<str>> {
        RecordType::ALL.into_iter().find_map(|type_| of_record(type_, text))
    };
    Targets {
        targets: texts.filter_map(canonical).collect(),
        leaving: said["leaving"].as_str().and_then(|since| since.parse::<Time>().ok()),
    }
}
