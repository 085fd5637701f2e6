//! The built-in data: one file for each neighbourhood of projects.

use super::{Entry, gateway};

/// In the order in which they are read; a later file may say more of a group that an earlier pattern reaches.
const FILES: &[(&str, &str)] = &[
    ("kubernetes", include_str!("data/kubernetes.json")),
    ("gateway", include_str!("data/gateway.json")),
    ("certificates", include_str!("data/certificates.json")),
    ("cluster-api", include_str!("data/cluster-api.json")),
    ("flux", include_str!("data/flux.json")),
    ("argo", include_str!("data/argo.json")),
    ("knative", include_str!("data/knative.json")),
    ("crossplane", include_str!("data/crossplane.json")),
    ("clouds", include_str!("data/clouds.json")),
    ("secrets", include_str!("data/secrets.json")),
    ("autoscaling", include_str!("data/autoscaling.json")),
    ("messaging", include_str!("data/messaging.json")),
    ("databases", include_str!("data/databases.json")),
    ("observability", include_str!("data/observability.json")),
    ("openshift", include_str!("data/openshift.json")),
    ("storage", include_str!("data/storage.json")),
    ("mesh", include_str!("data/mesh.json")),
    ("work", include_str!("data/work.json")),
    ("data-and-learning", include_str!("data/data-and-learning.json")),
    ("fleets", include_str!("data/fleets.json")),
    ("platforms", include_str!("data/platforms.json")),
];

/// All built-in entries. A test reads every file, so that none can be left out here for being wrong.
pub(super) fn entries() -> Vec<Entry> {
    let read = |(_, text): &(&str, &str)| serde_json::from_str::<Vec<Entry>>(text).unwrap_or_default();
    std::iter::once(gateway::entry()).chain(FILES.iter().flat_map(read)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_can_be_read_and_has_entries() {
        for (name, text) in FILES {
            let value: serde_json::Value =
                serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
            let entries = super::super::read(&value).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!entries.is_empty(), "{name}");
        }
    }
}
