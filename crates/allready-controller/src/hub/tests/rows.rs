//! Addresses, listeners and numbers.

use serde_json::json;

use super::*;

fn instance(addresses: Value, listeners: Value) -> Value {
    let conditions = [said("Programmed", "True", "")];
    json!({ "status": { "conditions": conditions, "addresses": addresses, "listeners": listeners } })
}

/// The two Gateways of the proposal.
fn proposal() -> [(&'static str, Value); 2] {
    let ip = |value: &str| json!({ "type": "IPAddress", "value": value });
    [
        (
            "cluster-1",
            instance(
                json!([ip("172.31.200.0"), ip("172.31.201.0")]),
                json!([
                    { "attachedRoutes": 0, "conditions": null, "name": "api" },
                    { "attachedRoutes": 1, "conditions": null, "name": "web" },
                ]),
            ),
        ),
        (
            "cluster-2",
            instance(
                json!([ip("172.31.202.0"), ip("172.31.203.0")]),
                json!([{ "attachedRoutes": 1, "name": "api" }, { "attachedRoutes": 1, "name": "web" }]),
            ),
        ),
    ]
}

#[test]
fn mc9_mc10_the_example_of_the_proposal_comes_out_to_the_byte() {
    let mut status = Hub::with(gateway(), &proposal()).answer().status;
    status.as_object_mut().unwrap().remove("conditions");
    let address =
        |value: &str| format!(r#"{{"type":"kuadrant.io/MultiClusterIPAddress","value":"{value}"}}"#);
    let listener = |routes: i64, name: &str| {
        format!(r#"{{"attachedRoutes":{routes},"conditions":[],"name":"{name}","supportedKinds":[]}}"#)
    };
    let expected = format!(
        r#"{{"addresses":[{}],"listeners":[{}]}}"#,
        [
            "cluster-1/172.31.200.0",
            "cluster-1/172.31.201.0",
            "cluster-2/172.31.202.0",
            "cluster-2/172.31.203.0"
        ]
        .map(address)
        .join(","),
        [
            listener(0, "cluster-1.api"),
            listener(1, "cluster-1.web"),
            listener(1, "cluster-2.api"),
            listener(1, "cluster-2.web"),
        ]
        .join(",")
    );
    assert_eq!(status.to_string(), expected);
}

#[test]
fn k9_the_cluster_names_of_the_proposal_cannot_name_a_cluster() {
    let refused = "cluster_1".parse::<ClusterName>().unwrap_err().to_string();
    assert!(refused.starts_with("\"cluster_1\" cannot name a cluster"), "{refused}");
    // Who places an object there is told so, and the object is not good.
    let mut hub = Hub::with(
        gateway_with("placement", json!({ "type": "Annotated" })),
        &[("cluster-1", programmed("True", ""))],
    );
    hub.stands(json!({ "metadata": { "annotations": { "allready.dev/clusters": "cluster-1,cluster_2" } } }));
    let (status, reason, message) = hub.words("Programmed");
    assert_eq!((status.as_str(), reason.as_str()), ("Unknown", "InstancesUnknown"));
    assert!(message.starts_with("annotation allready.dev/clusters: \"cluster_2\" cannot name"), "{message}");
    assert_eq!(hub.words(AGGREGATED).0, "Unknown");
}

#[test]
fn mc9_types_are_mapped_others_are_dropped_and_the_order_is_cluster_then_its_own() {
    let addresses = json!([
        { "type": "Hostname", "value": "lb.example.com" },
        { "type": "NamedAddress", "value": "pool" },
        { "value": "2001:db8::1" },
    ]);
    let hub = Hub::with(gateway(), &[("cluster-1", instance(addresses, json!([])))]);
    assert_eq!(
        hub.answer().status["addresses"],
        json!([
            { "type": "kuadrant.io/MultiClusterHostname", "value": "cluster-1/lb.example.com" },
            { "type": "kuadrant.io/MultiClusterIPAddress", "value": "cluster-1/2001:db8::1" },
        ])
    );
    assert_eq!(hub.words(AGGREGATED).0, "True", "a type that no other cluster could use is not missed");
}

#[test]
fn mc14_k12_no_feedback_yet_is_no_row_and_no_error() {
    let hub = Hub::with(gateway(), &[("cluster-1", programmed("True", ""))]);
    let answer = hub.answer();
    assert_eq!((answer.status.get("addresses"), answer.status.get("listeners")), (None, None));
    assert_eq!(hub.words(AGGREGATED).0, "True");
}

#[test]
fn mc14_k12_a_listener_that_does_not_say_its_routes_has_no_row_and_is_unknown() {
    let listeners = json!([{ "name": "api" }, { "name": "web", "attachedRoutes": 2 }]);
    let hub = Hub::with(gateway(), &[("cluster-1", instance(json!([]), listeners))]);
    let rows = &hub.answer().status["listeners"];
    assert_eq!((rows[0]["name"].as_str(), rows.as_array().unwrap().len()), (Some("cluster-1.web"), 1));
    let message = "cluster-1 (unknown) listener api does not say how many routes are attached";
    hub.is(AGGREGATED, "Unknown", "InstancesUnknown", message);
}

#[test]
fn k10_every_listener_has_the_lists_that_its_schema_wants() {
    let hub = Hub::with(gateway(), &proposal());
    for row in hub.answer().status["listeners"].as_array().unwrap() {
        assert_eq!((&row["conditions"], &row["supportedKinds"]), (&json!([]), &json!([])));
        assert!(row["attachedRoutes"].is_i64());
    }
}

#[test]
fn mc12_a_listener_with_too_long_a_name_is_left_out_and_nothing_else_is() {
    let long = "a".repeat(244);
    let listeners = json!([{ "name": long, "attachedRoutes": 1 }, { "name": "api", "attachedRoutes": 1 }]);
    let mut members = proposal().to_vec();
    members.push(("cluster-3", instance(json!([{ "value": "10.0.0.1" }]), listeners)));
    let hub = Hub::with(gateway(), &members);
    let answer = hub.answer();
    assert_eq!(answer.status["addresses"].as_array().unwrap().len(), 5);
    assert_eq!(answer.status["listeners"].as_array().unwrap().len(), 5);
    let (status, reason, message) = hub.words(AGGREGATED);
    assert_eq!((status.as_str(), reason.as_str()), ("False", "RowsLeftOut"));
    assert!(message.starts_with("cluster-3 listener cluster-3.aaa"), "{message}");
    assert!(message.ends_with("has 254 bytes, and 253 is the most"), "{message}");
    assert_eq!(hub.words("Programmed").0, "True");
    assert!(answer.is_short);
}

#[test]
fn k8_an_address_that_is_too_long_with_its_cluster_is_left_out() {
    let name = "c".repeat(63);
    let of = |bytes: usize| instance(json!([{ "type": "Hostname", "value": "a".repeat(bytes) }]), json!([]));
    let hub = Hub::with(gateway(), &[(&name, of(189))]);
    assert_eq!(hub.answer().status["addresses"][0]["value"].as_str().unwrap().len(), 253);
    let hub = Hub::with(gateway(), &[(&name, of(190))]);
    assert_eq!(hub.answer().status.get("addresses"), None);
    assert_eq!(hub.words(AGGREGATED).1, "RowsLeftOut");
}

#[test]
fn mc22_an_absent_number_is_zero_and_numbers_stand_at_their_paths() {
    let spec = json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
        "conditions": [{ "type": "Available" }],
        "fields": [
            { "path": ".status.replicas", "combine": "Sum" },
            { "path": ".status.ready.least", "combine": "Min" },
            { "path": ".status.ready.most", "combine": "Max" },
        ],
    });
    let of = |number: i64| json!({ "status": { "replicas": number, "ready": { "least": number, "most": number } } });
    let mut hub = Hub::with(spec, &[("cluster-1", of(3)), ("cluster-2", of(5))]);
    assert_eq!(hub.answer().status["replicas"], 8);
    assert_eq!(hub.answer().status["ready"], json!({ "least": 3, "most": 5 }));
    hub.says("cluster-1", json!({}));
    assert_eq!(hub.answer().status["replicas"], 5);
    assert_eq!(hub.answer().status["ready"], json!({ "least": 0, "most": 5 }));
    hub.write(at(1));
    assert!(!hub.answer().differs);
    hub.says("cluster-1", of(1));
    assert!(hub.answer().differs);
}
