use serde_json::json;

use super::*;

#[test]
fn everything_that_is_left_out_has_its_default() {
    let text = json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
        "conditions": [{ "type": "Available" }],
    });
    let spec: StatusAggregationSpec = serde_json::from_value(text).unwrap();
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(
        written,
        json!({
            "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
            "placement": { "type": "Everywhere" },
            "clusters": {},
            "conditions": [{ "type": "Available" }],
            "unknown": "KeepUnknown",
            "instanceStatuses": "WhenNeeded",
            "clusterTimeoutSeconds": 30,
        })
    );
}

#[test]
fn everything_that_can_be_said_survives_being_written_and_read() {
    let text = json!({
        "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
        "namespaces": ["shop"],
        "selector": { "matchLabels": { "tier": "edge" } },
        "placement": { "type": "Found" },
        "clusters": { "names": ["cluster-1"], "selector": { "matchLabels": { "region": "eu" } },
            "instances": { "matchLabels": { "tier": "edge" } } },
        "conditions": [
            { "type": "Ready" },
            { "type": "Overloaded", "polarity": "Negative" },
            { "type": "Placed", "expression": "size(object.status.addresses) > 0" },
        ],
        "unknown": "TreatAsBad",
        "rows": ["Addresses", "Listeners"],
        "fields": [{ "path": ".status.attachedListenerSets", "combine": "Sum" }],
        "dns": {
            "type": "DNSEndpoint", "ttlSeconds": 30, "graceSeconds": 0, "onUnreachable": "Remove", "onUnhealthy": "Keep",
            "labels": { "zone": "public" }, "providerSpecific": [{ "name": "aws/weight", "value": "10" }],
        },
        "instanceStatuses": "Always",
        "clusterTimeoutSeconds": 10,
    });
    let spec: StatusAggregationSpec = serde_json::from_value(text.clone()).unwrap();
    assert_eq!(serde_json::to_value(&spec).unwrap(), text);
}
