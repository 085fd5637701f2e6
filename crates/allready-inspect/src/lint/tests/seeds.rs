//! Shapes that were proposed or seen in public discussions, as lint finds them today.

use super::*;

#[test]
fn a_ready_whose_reason_joins_the_names_of_what_failed() {
    let conditions = [
        condition(
            &json!({ "type": "Ready", "status": "False", "reason": "controller/poolReconcilerValid,speaker-node1/configValid", "lastTransitionTime": null }),
        ),
        condition(
            &json!({ "type": "controller/poolReconcilerValid", "status": "False", "reason": "ConfigError" }),
        ),
    ];
    let object = widget(&conditions);
    assert_eq!(
        found(&object, "O04"),
        ["error status.conditions[Ready].reason"],
        "slash and hyphen are not allowed"
    );
    assert_eq!(found(&object, "O06"), ["error status.conditions[Ready].lastTransitionTime"]);
    assert_eq!(found(&object, "O02"), ["warning status.conditions[controller/poolReconcilerValid].type"]);
}

#[test]
fn conditions_for_each_of_many_nodes_in_one_object() {
    let per_node = |node: usize| {
        ["config", "bgp", "layer2", "frr"]
            .map(|name| condition(&json!({ "type": format!("speaker-kind-worker{node}/{name}Valid") })))
    };
    let conditions: Vec<Value> = (0..10).flat_map(per_node).chain([condition(&json!({}))]).collect();
    assert_eq!(found(&widget(&conditions), "O18"), ["warning status.conditions"]);
}

#[test]
fn samples_with_an_empty_reason_and_a_letter_too_many_in_the_time() {
    let conditions = [
        condition(&json!({ "reason": "" })),
        condition(&json!({ "type": "Synced", "lastTransitionTime": "2026-03-01T11:55:00Za" })),
    ];
    let object = widget(&conditions);
    assert_eq!(ids(&object), ["O04", "O06"]);
}

#[test]
fn a_hub_gateway_with_an_unquoted_status_no_reason_and_a_ready() {
    let ready = json!({ "type": "Ready", "status": true, "message": "ready in both clusters" });
    let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": { "namespace": "shop", "name": "web", "generation": 1 }, "status": { "conditions": [ready] } });
    let mut ids = ids(&object);
    ids.dedup();
    assert_eq!(ids, ["O03", "O04", "O06", "G01", "G02"]);
}

#[test]
fn a_condition_in_camel_case_beside_a_phase() {
    let mut object = widget(&[condition(&json!({})), condition(&json!({ "type": "myCondition" }))]);
    object["status"]["phase"] = json!("Running");
    assert_eq!(found(&object, "O02"), ["warning status.conditions[myCondition].type"]);
}
