//! Definitions of kinds that many controllers meet, for tests and demos: whole [sets](Set) as their projects publish them, and
//! single ones that are reduced to what statuses need, with the limits, patterns and defaults of the originals.
//!
//! ```
//! use allready_apiserver::{ApiServer, catalog};
//!
//! let server = ApiServer::builder().with([catalog::Set::GatewayApi]).crds([catalog::cluster_profile()]).build()?;
//! # let _ = server;
//! # Ok::<(), allready_apiserver::server::BuildError>(())
//! ```

mod dns;
mod gateway;
mod profile;
mod set;

pub use dns::dns_endpoint;
pub use gateway::gateway;
pub use profile::cluster_profile;
pub use set::{Set, UnknownSet};

use serde_json::{Value, json};

/// A definition with one version that has a status.
fn definition(group: &str, version: &str, names: &Value, schema: &Value, columns: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{}.{group}", names["plural"].as_str().unwrap_or_default()),
            // Groups that end in k8s.io are protected: a definition says where it was approved.
            "annotations": { "api-approved.kubernetes.io": "unapproved, a reduced schema for tests" },
        },
        "spec": {
            "group": group,
            "names": names,
            "scope": "Namespaced",
            "versions": [{
                "name": version,
                "served": true,
                "storage": true,
                "subresources": { "status": {} },
                "additionalPrinterColumns": columns,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}

/// A list of conditions as `metav1.Condition` has them, with room for so many.
fn conditions(most: u32) -> Value {
    json!({
        "type": "array",
        "maxItems": most,
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["type"],
        "items": {
            "type": "object",
            "required": ["lastTransitionTime", "message", "reason", "status", "type"],
            "properties": {
                "type": {
                    "type": "string",
                    "maxLength": 316,
                    "pattern": r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
                },
                "status": { "type": "string", "enum": ["True", "False", "Unknown"] },
                "observedGeneration": { "type": "integer", "format": "int64", "minimum": 0 },
                "lastTransitionTime": { "type": "string", "format": "date-time" },
                "reason": {
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 1024,
                    "pattern": "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                },
                "message": { "type": "string", "maxLength": 32768 },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ApiServer;

    #[test]
    fn every_definition_is_accepted() {
        let all = [gateway(), dns_endpoint(), cluster_profile()];
        assert!(ApiServer::builder().crds(all).build().is_ok());
    }

    #[test]
    fn every_set_is_accepted_as_a_whole() {
        for set in Set::ALL {
            assert!(set.definitions().all(|it| it["kind"] == "CustomResourceDefinition"), "{set}");
        }
        let built = ApiServer::builder().with(Set::ALL).build();
        assert_eq!(built.err().map(|error| error.to_string()), None);
    }
}
