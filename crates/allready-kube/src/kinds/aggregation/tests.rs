use serde_json::json;

use super::*;

#[test]
fn what_is_left_out_has_its_default_and_stays_out() {
    let text = json!({
        "target": { "apiVersion": "apps/v1", "kind": "Deployment" },
        "conditions": [{ "type": "Available" }],
    });
    let spec: StatusAggregationSpec = serde_json::from_value(text).unwrap();
    assert_eq!((spec.mode, spec.reports), (AggregationMode::ThreeValued, InstanceReports::WhenNeeded));
    assert_eq!((spec.addresses, spec.listeners, &spec.dns), (false, false, &None));
    assert_eq!((spec.clusters.placement, spec.conditions[0].polarity), (Placement::Everywhere, None));
    let written = serde_json::to_value(&spec).unwrap();
    assert_eq!(
        written,
        json!({
            "target": { "apiVersion": "apps/v1", "kind": "Deployment" },
            "clusters": { "placement": "Everywhere" },
            "conditions": [{ "type": "Available" }],
            "mode": "three-valued",
            "addresses": false,
            "listeners": false,
            "reports": "WhenNeeded",
        })
    );
}

#[test]
fn everything_that_can_be_said_survives_being_written_and_read() {
    let text = json!({
        "target": {
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "namespaces": ["shop"], "selector": { "matchLabels": { "tier": "edge" } },
        },
        "clusters": { "names": ["cluster-1"], "selector": { "matchLabels": { "region": "eu" } },
            "placement": "Found", "instances": { "matchLabels": { "tier": "edge" } } },
        "conditions": [
            { "type": "Ready" },
            { "type": "Overloaded", "polarity": "Negative" },
            { "type": "Placed", "expression": "size(object.status.addresses) > 0" },
        ],
        "mode": "strict",
        "addresses": true,
        "listeners": true,
        "fields": [{ "path": "status.attachedListenerSets", "combine": "Sum" }],
        "dns": {
            "ttlSeconds": 30, "graceSeconds": 0, "unreachable": "Leave", "unhealthy": "Keep",
            "labels": { "zone": "public" }, "providerSpecific": [{ "name": "aws/weight", "value": "10" }],
        },
        "reports": "Always",
        "unreachableAfterSeconds": 10,
    });
    let spec: StatusAggregationSpec = serde_json::from_value(text.clone()).unwrap();
    assert_eq!(serde_json::to_value(&spec).unwrap(), text);
}
