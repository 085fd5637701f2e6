//! Which objects and which clusters an aggregation chooses.

use std::collections::BTreeMap;

use kube::core::SelectorExt as _;
use serde_json::Value;

use crate::hub::{ClusterName, Plan};

impl Plan {
    /// Returns true if it chooses a cluster of this name with these labels.
    pub fn chooses(&self, name: &ClusterName, labels: &BTreeMap<String, String>) -> bool {
        if self.names.contains(name) {
            return true;
        }
        match &self.clusters {
            Some(selector) => selector.matches(labels),
            None => self.names.is_empty(),
        }
    }

    /// Returns true if it chooses an object of the hub, which is of its kind.
    pub fn is_chosen(&self, object: &Value) -> bool {
        let metadata = &object["metadata"];
        let namespace = metadata["namespace"].as_str().unwrap_or_default();
        let namespaces = &self.namespaces;
        let is_within =
            namespace.is_empty() || namespaces.is_empty() || namespaces.iter().any(|own| own == namespace);
        let labels = metadata["labels"].as_object().into_iter().flatten();
        let labels: BTreeMap<String, String> =
            labels.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect();
        is_within && self.objects.matches(&labels)
    }
}
