//! The Gateway that is played: as it is applied everywhere, and as an implementation in a cluster leaves its status.

use kube::api::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

pub(super) const NAMESPACE: &str = "shop";
pub(super) const GATEWAY: &str = "web";
pub(super) const AGGREGATION: &str = "gateways";
/// Two listeners of it, each with the name that is served there.
pub(super) const API: (&str, &str) = ("api", "api.example.com");
pub(super) const WWW: (&str, &str) = ("www", "www.example.com");

/// The status that an implementation gives its Gateway.
pub(super) struct Said {
    /// The problem, if there is one.
    pub(super) trouble: Option<&'static str>,
    /// The number of routes at the listener `api`; `www` has one.
    pub(super) api_routes: u32,
}

pub(super) const WELL: Said = Said { trouble: None, api_routes: 1 };

pub(super) fn gateways() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("gateway.networking.k8s.io", "v1", "Gateway"))
}

pub(super) fn endpoints() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("externaldns.k8s.io", "v1alpha1", "DNSEndpoint"))
}

/// The Gateway, to be applied.
pub(super) fn gateway() -> Value {
    let listener = |(name, hostname): (&str, &str)| json!({ "name": name, "hostname": hostname, "port": 443, "protocol": "HTTPS" });
    object(json!({ "spec": { "gatewayClassName": "multi", "listeners": [listener(API), listener(WWW)] } }))
}

/// Its status in a cluster, to be applied.
pub(super) fn status(address: &str, said: &Said) -> Value {
    let programmed = json!({
        "type": "Programmed",
        "status": if said.trouble.is_some() { "False" } else { "True" },
        "reason": if said.trouble.is_some() { "Invalid" } else { "Programmed" },
        "message": said.trouble.unwrap_or_default(),
        "lastTransitionTime": "2026-03-01T10:00:00Z",
        "observedGeneration": 1,
    });
    let listener = |(name, _): (&str, &str), routes| json!({ "name": name, "attachedRoutes": routes, "conditions": [], "supportedKinds": [] });
    object(json!({ "status": {
        "conditions": [programmed],
        "addresses": [{ "type": "IPAddress", "value": address }],
        "listeners": [listener(API, said.api_routes), listener(WWW, 1)],
    } }))
}

fn object(mut rest: Value) -> Value {
    let resource = gateways();
    rest["apiVersion"] = resource.api_version.into();
    rest["kind"] = resource.kind.into();
    rest["metadata"] = json!({ "name": GATEWAY });
    rest
}

/// The aggregation that makes the hub's Gateway answer for those of the clusters, to be applied.
pub(super) fn aggregation() -> Value {
    let resource = gateways();
    json!({
        "apiVersion": "allready.dev/v1alpha1",
        "kind": "StatusAggregation",
        "metadata": { "name": AGGREGATION },
        "spec": {
            "targetRef": { "apiVersion": resource.api_version, "kind": resource.kind },
            "namespaces": [NAMESPACE],
            "conditions": [{ "type": "Programmed" }],
            "rows": ["Addresses", "Listeners"],
            "dns": {},
            // Nobody wants to wait for half a minute in a demo.
            "clusterTimeoutSeconds": 2,
        },
    })
}
