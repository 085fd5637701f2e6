//! The service `kubernetes`, by which programs in a cluster find its API server.
//!
//! Follows `pkg/controlplane/controller/kubernetesservice` and `pkg/controlplane/reconcilers` of Kubernetes.

use serde_json::json;

use crate::{resource::Stamp, rest::Engine};

/// Stands for the address of the server among endpoints, which may not be on loopback: one that is kept for examples.
const ADDRESS: &str = "192.0.2.1";

impl Engine {
    /// Makes the service and its endpoints where they are missing.
    pub(in crate::rest) fn make_own_service(&self, stamp: &dyn Fn() -> Stamp) {
        let about = |labels| json!({ "name": "kubernetes", "namespace": "default", "labels": labels });
        let port = json!({ "name": "https", "port": 6443, "protocol": "TCP" });
        let service = json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": about(json!({ "component": "apiserver", "provider": "kubernetes" })),
            "spec": {
                "type": "ClusterIP", "ipFamilyPolicy": "SingleStack", "sessionAffinity": "None",
                "ports": [{ "name": "https", "port": 443, "protocol": "TCP", "targetPort": 6443 }],
            },
        });
        let endpoints = json!({
            "apiVersion": "v1", "kind": "Endpoints",
            "metadata": about(json!({ "endpointslice.kubernetes.io/skip-mirror": "true" })),
            "subsets": [{ "addresses": [{ "ip": ADDRESS }], "ports": [port] }],
        });
        let slice = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
            "metadata": about(json!({ "kubernetes.io/service-name": "kubernetes" })),
            "addressType": "IPv4", "ports": [port],
            "endpoints": [{ "addresses": [ADDRESS], "conditions": { "ready": true } }],
        });
        let registry = self.registry();
        for (group, plural, object) in [
            ("", "services", service),
            ("", "endpoints", endpoints),
            ("discovery.k8s.io", "endpointslices", slice),
        ] {
            if let Some(resource) = registry.get(group, plural) {
                self.make_default(resource, &object, stamp());
            }
        }
    }
}
