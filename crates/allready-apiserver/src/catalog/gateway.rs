//! The Gateway of the Gateway API.

use serde_json::{Value, json};

use super::{conditions, definition};

/// `Gateway` of `gateway.networking.k8s.io/v1`: 16 addresses, 64 listeners and 8 conditions fit into its status.
///
/// ```
/// let gateway = allready_apiserver::catalog::gateway();
/// assert_eq!(gateway["metadata"]["name"], "gateways.gateway.networking.k8s.io");
/// assert!(allready_apiserver::ApiServer::new().define(gateway).is_ok());
/// ```
pub fn gateway() -> Value {
    let names = json!({
        "kind": "Gateway", "listKind": "GatewayList", "plural": "gateways", "singular": "gateway",
        "shortNames": ["gtw"], "categories": ["gateway-api"],
    });
    let column = |name: &str, path: &str| json!({ "name": name, "type": "string", "jsonPath": path });
    let columns = json!([
        column("Class", ".spec.gatewayClassName"),
        column("Address", ".status.addresses[*].value"),
        column("Programmed", r#".status.conditions[?(@.type=="Programmed")].status"#),
        { "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" },
    ]);
    let schema = json!({
        "type": "object",
        "required": ["spec"],
        "properties": {
            "apiVersion": { "type": "string" },
            "kind": { "type": "string" },
            "metadata": { "type": "object" },
            "spec": spec(),
            "status": status(),
        },
    });
    definition("gateway.networking.k8s.io", "v1", &names, &schema, &columns)
}

fn spec() -> Value {
    json!({
        "type": "object",
        "required": ["gatewayClassName", "listeners"],
        "properties": {
            "gatewayClassName": { "type": "string", "minLength": 1, "maxLength": 253 },
            "listeners": {
                "type": "array",
                "minItems": 1,
                "maxItems": 64,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object",
                    "required": ["name", "port", "protocol"],
                    "properties": {
                        "name": section_name(),
                        "hostname": {
                            "type": "string", "minLength": 1, "maxLength": 253,
                            "pattern": r"^(\*\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
                        },
                        "port": { "type": "integer", "format": "int32", "minimum": 1, "maximum": 65535 },
                        "protocol": { "type": "string", "minLength": 1, "maxLength": 255 },
                        "tls": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                        "allowedRoutes": {
                            "type": "object",
                            "x-kubernetes-preserve-unknown-fields": true,
                            "default": { "namespaces": { "from": "Same" } },
                        },
                    },
                },
            },
        },
    })
}

fn status() -> Value {
    let pending = |type_: &str| {
        json!({
            "type": type_, "status": "Unknown", "reason": "Pending", "message": "Waiting for controller",
            "lastTransitionTime": "1970-01-01T00:00:00Z",
        })
    };
    let pending = json!([pending("Accepted"), pending("Programmed")]);
    let mut with_default = conditions(8);
    with_default["default"] = pending.clone();
    json!({
        "type": "object",
        "default": { "conditions": pending },
        "properties": {
            "addresses": {
                "type": "array",
                "maxItems": 16,
                "x-kubernetes-list-type": "atomic",
                "items": {
                    "type": "object",
                    "required": ["value"],
                    "properties": {
                        "type": {
                            "type": "string", "minLength": 1, "maxLength": 253, "default": "IPAddress",
                            "pattern": r"^Hostname|IPAddress|NamedAddress|[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/[A-Za-z0-9\/\-._~%!$&'()*+,;=:]+$",
                        },
                        "value": { "type": "string", "minLength": 1, "maxLength": 253 },
                    },
                },
            },
            "conditions": with_default,
            "listeners": {
                "type": "array",
                "maxItems": 64,
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["name"],
                "items": {
                    "type": "object",
                    "required": ["attachedRoutes", "conditions", "name", "supportedKinds"],
                    "properties": {
                        "attachedRoutes": { "type": "integer", "format": "int32" },
                        "conditions": conditions(8),
                        "name": section_name(),
                        "supportedKinds": {
                            "type": "array",
                            "maxItems": 8,
                            "x-kubernetes-list-type": "atomic",
                            "items": {
                                "type": "object",
                                "required": ["kind"],
                                "properties": {
                                    "group": {
                                        "type": "string", "maxLength": 253, "default": "gateway.networking.k8s.io",
                                    },
                                    "kind": { "type": "string", "minLength": 1, "maxLength": 63 },
                                },
                            },
                        },
                    },
                },
            },
        },
    })
}

fn section_name() -> Value {
    json!({
        "type": "string",
        "minLength": 1,
        "maxLength": 253,
        "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
    })
}
