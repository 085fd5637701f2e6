//! The DNSEndpoint of external-dns.

use serde_json::{Value, json};

use super::definition;

/// `DNSEndpoint` of `externaldns.k8s.io/v1alpha1`.
///
/// ```
/// let server = allready_apiserver::ApiServer::new();
/// assert!(server.define(allready_apiserver::catalog::dns_endpoint()).is_ok());
/// ```
pub fn dns_endpoint() -> Value {
    let names = json!({
        "kind": "DNSEndpoint", "listKind": "DNSEndpointList", "plural": "dnsendpoints", "singular": "dnsendpoint",
    });
    let text = json!({ "type": "string" });
    let texts = json!({ "type": "object", "additionalProperties": text });
    let schema = json!({
        "type": "object",
        "properties": {
            "apiVersion": text,
            "kind": text,
            "metadata": { "type": "object" },
            "spec": {
                "type": "object",
                "properties": {
                    "endpoints": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "properties": {
                                "dnsName": text,
                                "recordType": text,
                                "recordTTL": { "type": "integer", "format": "int64" },
                                "setIdentifier": text,
                                "targets": { "type": "array", "items": text },
                                "labels": texts,
                                "providerSpecific": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "properties": { "name": text, "value": text },
                                    },
                                },
                            },
                        },
                    },
                },
            },
            "status": {
                "type": "object",
                "properties": { "observedGeneration": { "type": "integer", "format": "int64" } },
            },
        },
    });
    definition("externaldns.k8s.io", "v1alpha1", &names, &schema, &json!([]))
}
