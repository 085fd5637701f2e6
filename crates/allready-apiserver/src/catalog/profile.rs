//! The ClusterProfile of the multi-cluster interest group.

use serde_json::{Value, json};

use super::{conditions, definition};

/// `ClusterProfile` of `multicluster.x-k8s.io/v1alpha1`.
///
/// ```
/// let profile = allready_apiserver::catalog::cluster_profile();
/// assert_eq!(profile["spec"]["names"]["plural"], "clusterprofiles");
/// assert!(allready_apiserver::ApiServer::new().define(profile).is_ok());
/// ```
pub fn cluster_profile() -> Value {
    let names = json!({
        "kind": "ClusterProfile", "listKind": "ClusterProfileList",
        "plural": "clusterprofiles", "singular": "clusterprofile",
    });
    let text = json!({ "type": "string" });
    let providers = json!({
        "type": "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {
            "type": "object",
            "required": ["name"],
            "properties": {
                "name": text,
                "cluster": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
            },
        },
    });
    let schema = json!({
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": text,
            "kind": text,
            "metadata": { "type": "object" },
            "spec": {
                "type": "object",
                "required": ["clusterManager"],
                "properties": {
                    "displayName": text,
                    "clusterManager": { "type": "object", "required": ["name"], "properties": { "name": text } },
                },
            },
            "status": {
                "type": "object",
                "properties": {
                    "conditions": conditions(64),
                    "version": { "type": "object", "properties": { "kubernetes": text } },
                    "properties": {
                        "type": "array",
                        "items": { "type": "object", "properties": { "name": text, "value": text } },
                    },
                    "accessProviders": providers,
                    "credentialProviders": providers,
                },
            },
        },
    });
    definition("multicluster.x-k8s.io", "v1alpha1", &names, &schema, &json!([]))
}
