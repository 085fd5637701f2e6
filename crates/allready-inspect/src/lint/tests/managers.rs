use super::*;

const NOTHING: [&str; 0] = [];

/// An object whose managed fields are these: a manager, and what it owns of the status.
fn managed(conditions: &[Value], managers: &[(&str, Value)]) -> Value {
    let mut object = widget(conditions);
    let entry = |(manager, conditions): &(&str, Value)| {
        json!({ "manager": manager, "operation": "Apply", "subresource": "status", "time": "2026-03-01T11:55:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": { "f:status": { "f:conditions": conditions } } })
    };
    object["metadata"]["managedFields"] = managers.iter().map(entry).collect();
    object
}

fn owns(type_: &str) -> Value {
    json!({ format!("k:{{\"type\":\"{type_}\"}}"): { ".": {}, "f:type": {}, "f:status": {}, "f:reason": {} } })
}

#[test]
fn m01_a_condition_of_two_managers_and_a_list_of_one_are_found() {
    let two = [condition(&json!({})), condition(&json!({ "type": "Synced" }))];
    let fought = managed(&two, &[("a", owns("Ready")), ("b", owns("Ready"))]);
    assert_eq!(found(&fought, "M01"), ["warning status.conditions[Ready]"]);
    let findings = super::super::object(&fought, &Context::at(now()));
    assert!(findings.iter().any(|finding| finding.message == r#"Ready is written by "a" and "b""#));
    assert_eq!(found(&managed(&two, &[("a", owns("Ready")), ("b", owns("Synced"))]), "M01"), NOTHING);
    assert_eq!(
        found(&managed(&two, &[("a", owns("Ready")), ("a", owns("Ready"))]), "M01"),
        NOTHING,
        "it is one manager"
    );

    let whole = managed(&two, &[("a", json!({}))]);
    assert_eq!(found(&whole, "M01"), ["info status.conditions"], "it is alone");
    let shared = managed(&two, &[("a", json!({})), ("b", owns("Synced"))]);
    assert_eq!(found(&shared, "M01"), ["warning status.conditions"]);
}

#[test]
fn m02_a_condition_of_a_node_that_is_gone_is_found() {
    let make = |type_: &&str| condition(&json!({ "type": type_ }));
    let types =
        ["speaker-node1/Valid", "speaker-node9/Valid", "controller/Valid", "example.com/Valid", "Ready"];
    let object = widget(&types.iter().map(make).collect::<Vec<_>>());
    let gone = |nodes: &[&str]| {
        let mut relations = Relations::default();
        relations.add(&object);
        assert!(relations.needs_nodes());
        for name in nodes {
            relations.add(&json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": name } }));
        }
        of_rule(&relations.findings(Coverage::Part), "M02")
    };
    assert_eq!(gone(&["node1", "node2"]), ["warning status.conditions[speaker-node9/Valid]"]);
    assert_eq!(gone(&["node1", "node9"]), NOTHING);
    assert_eq!(gone(&[]), NOTHING, "without the nodes nothing can be said");
    assert_eq!(gone(&["other"]), NOTHING, "no prefix is known to name a node");
}

#[test]
fn m02_the_entry_of_a_parent_that_is_no_longer_named_is_found() {
    let route = |named: &str, observed: i64| {
        let accepted = |type_: &str| {
            condition(&json!({ "type": type_, "reason": type_, "observedGeneration": observed }))
        };
        json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
            "metadata": { "namespace": "shop", "name": "web", "generation": 2 },
            "spec": { "parentRefs": [{ "name": named }] },
            "status": { "parents": [{ "parentRef": { "name": "old", "namespace": "shop" }, "controllerName": "example.com/gateways",
                "conditions": [accepted("Accepted"), accepted("ResolvedRefs")] }] } })
    };
    assert_eq!(found(&route("new", 1), "M02"), ["warning status.parents[old]"]);
    assert_eq!(found(&route("old", 1), "M02"), NOTHING);
    assert_eq!(found(&route("new", 2), "M02"), NOTHING, "a controller that writes it anew is another matter");
    assert_eq!(found(&route("new", 2), "G04"), ["error status.parents[old]"]);
}
