use serde_json::json;

use super::{applied::entries, *};

const NOW: &str = "2026-11-15T13:00:00Z";

fn now() -> Time {
    NOW.parse().unwrap()
}

fn cluster(name: &str) -> ClusterName {
    name.parse().unwrap()
}

fn gateway(status: Value) -> Value {
    let mut gateway = json!({
        "apiVersion": "gateway.networking.k8s.io/v1",
        "kind": "Gateway",
        "metadata": { "name": "gateway" },
    });
    if !status.is_null() {
        gateway["status"] = status;
    }
    gateway
}

/// The two instances of the Kuadrant proposal.
fn proposed() -> BTreeMap<ClusterName, Spoke> {
    let address = |value: &str| json!({ "type": "IPAddress", "value": value });
    let one = gateway(json!({
        "addresses": [address("172.31.200.0"), address("172.31.201.0")],
        "listeners": [{ "attachedRoutes": 0, "conditions": null, "name": "api" }, { "attachedRoutes": 1, "conditions": null, "name": "web" }],
    }));
    let two = gateway(json!({
        "addresses": [address("172.31.202.0"), address("172.31.203.0")],
        "listeners": [{ "attachedRoutes": 1, "name": "api" }, { "attachedRoutes": 1, "name": "web" }],
    }));
    [(cluster("cluster-1"), Spoke::heard(vec![one])), (cluster("cluster-2"), Spoke::heard(vec![two]))].into()
}

fn spec(spec: &Value) -> StatusAggregation {
    let mut whole =
        json!({ "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" } });
    for (name, value) in spec.as_object().unwrap() {
        whole[name] = value.clone();
    }
    StatusAggregation::new("gateways", serde_json::from_value(whole).unwrap())
}

/// A condition of an instance.
fn ready(status: &str, message: &str) -> Value {
    json!({ "type": "Ready", "status": status, "reason": "R", "message": message, "lastTransitionTime": NOW })
}

fn rows(object: &Value) -> (Vec<&str>, Vec<(&str, i64)>) {
    let addresses = entries(&object["status"]["addresses"]).iter();
    let listeners = entries(&object["status"]["listeners"]).iter();
    (
        addresses.map(|row| row["value"].as_str().unwrap()).collect(),
        listeners
            .map(|row| (row["name"].as_str().unwrap(), row["attachedRoutes"].as_i64().unwrap()))
            .collect(),
    )
}

/// The hub on which the records of an earlier answer stand.
fn published(before: &Offline) -> OnHub<'_> {
    OnHub { endpoint: before.endpoint.as_ref(), ..OnHub::default() }
}

#[test]
fn the_rows_of_the_kuadrant_proposal_come_out_as_it_has_them() {
    let hub = gateway(Value::Null);
    let spokes = proposed();
    let instances = spokes.values().flat_map(|spoke| spoke.objects.iter().flatten());
    let aggregation = StatusAggregation::new("gateways", spec_for(&hub, instances));
    let offline = aggregate(&hub, &aggregation, &spokes, &OnHub::default(), now()).unwrap();
    let row = |name: &str, routes: i64| json!({ "attachedRoutes": routes, "conditions": [], "name": name, "supportedKinds": [] });
    let address = |value: &str| json!({ "type": "kuadrant.io/MultiClusterIPAddress", "value": value });
    assert_eq!(
        offline.object["status"]["addresses"],
        json!([
            address("cluster-1/172.31.200.0"),
            address("cluster-1/172.31.201.0"),
            address("cluster-2/172.31.202.0"),
            address("cluster-2/172.31.203.0"),
        ])
    );
    assert_eq!(
        offline.object["status"]["listeners"],
        json!([
            row("cluster-1.api", 0),
            row("cluster-1.web", 1),
            row("cluster-2.api", 1),
            row("cluster-2.web", 1)
        ])
    );
    assert_eq!((offline.worst, offline.reports.len(), offline.notes.len()), (Status::True, 0, 0));
    assert_eq!(offline.endpoint, None);
}

#[test]
fn the_message_of_the_kuadrant_proposal_comes_out_as_it_has_it() {
    let said = [
        ("cluster-1", "False", "Listener certificate is expired"),
        ("cluster-2", "True", "All listeners are valid"),
        ("cluster-3", "False", "No listener configured for port 80"),
    ];
    let spokes = said.map(|(name, status, message)| {
        (cluster(name), Spoke::heard(vec![gateway(json!({ "conditions": [ready(status, message)] }))]))
    });
    let aggregation = spec(&json!({ "conditions": [{ "type": "Ready" }] }));
    let offline =
        aggregate(&gateway(Value::Null), &aggregation, &spokes.into(), &OnHub::default(), now()).unwrap();
    let condition = &offline.object["status"]["conditions"][0];
    assert_eq!((&condition["status"], offline.worst), (&json!("False"), Status::False));
    assert_eq!(
        condition["message"],
        "cluster-1 Listener certificate is expired; cluster-3 No listener configured for port 80"
    );
}

#[test]
fn what_others_wrote_stays_where_it_is_and_the_record_of_writers_goes() {
    let mut hub = gateway(json!({
        "conditions": [
            { "type": "Ready", "status": "True", "reason": "R", "message": "", "lastTransitionTime": "2026-11-15T12:00:00Z" },
            { "type": "example.com/Audited", "status": "True", "reason": "R", "message": "", "lastTransitionTime": NOW },
            { "type": "Programmed", "status": "True", "reason": "R", "message": "", "lastTransitionTime": NOW },
        ],
        "listeners": [{ "name": "local", "attachedRoutes": 3 }, { "name": "cluster-9.web", "attachedRoutes": 1 }],
        "custom": 7,
    }));
    hub["metadata"]["managedFields"] = json!([{
        "manager": "allready-hub/gateways", "subresource": "status",
        "fieldsV1": { "f:status": { "f:conditions": { "k:{\"type\":\"Programmed\"}": {} } } },
    }]);
    let spokes =
        [(cluster("a"), Spoke::heard(vec![gateway(json!({ "conditions": [ready("False", "no")] }))]))].into();
    let aggregation = spec(&json!({ "conditions": [{ "type": "Ready" }], "rows": ["Listeners"] }));
    let offline = aggregate(&hub, &aggregation, &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!(offline.object["metadata"], json!({ "name": "gateway" }));
    let status = &offline.object["status"];
    let types: Vec<_> = entries(&status["conditions"]).iter().map(|condition| &condition["type"]).collect();
    // Programmed was ours and is not wanted any more.
    assert_eq!(types, ["Ready", "example.com/Audited", "allready.dev/Aggregated"]);
    assert_eq!(status["conditions"][0]["lastTransitionTime"], NOW);
    assert_eq!((&status["custom"], rows(&offline.object).1), (&json!(7), vec![("local", 3)]));
}

#[test]
fn the_rows_of_a_cluster_that_does_not_answer_stay_and_it_is_not_good() {
    let hub = gateway(Value::Null);
    let aggregation = spec(&json!({ "rows": ["Addresses", "Listeners"] }));
    let before = aggregate(&hub, &aggregation, &proposed(), &OnHub::default(), now()).unwrap().object;
    let mut spokes = proposed();
    spokes.insert(cluster("cluster-2"), Spoke::unreachable("connection refused"));
    let offline = aggregate(&before, &aggregation, &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!(rows(&offline.object), rows(&before));
    assert_eq!(offline.worst, Status::Unknown);
    // One that is not given is one that has left.
    spokes.remove("cluster-2");
    let offline = aggregate(&before, &aggregation, &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!(rows(&offline.object).0, ["cluster-1/172.31.200.0", "cluster-1/172.31.201.0"]);
    assert_eq!(offline.worst, Status::True);
}

#[test]
fn a_cluster_without_an_instance_is_unknown_and_is_noted() {
    let mut other = gateway(Value::Null);
    other["metadata"]["namespace"] = "shop".into();
    let mut hub = other.clone();
    hub["metadata"]["namespace"] = "apps".into();
    let spokes: BTreeMap<_, _> =
        [(cluster("a"), Spoke::heard(vec![other])), (cluster("b"), Spoke::heard(Vec::new()))].into();
    let offline = aggregate(
        &hub,
        &spec(&json!({ "conditions": [{ "type": "Ready" }] })),
        &spokes,
        &OnHub::default(),
        now(),
    )
    .unwrap();
    assert_eq!(offline.notes, ["a has no Gateway apps/gateway", "b has no Gateway apps/gateway"]);
    assert_eq!(offline.worst, Status::Unknown);
    // Where no condition is aggregated that could say so, it is not good either.
    let rows =
        aggregate(&hub, &spec(&json!({ "rows": ["Addresses"] })), &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!(rows.worst, Status::Unknown);
    let found = spec(&json!({ "rows": ["Addresses"], "placement": { "type": "Found" } }));
    assert_eq!(aggregate(&hub, &found, &spokes, &OnHub::default(), now()).unwrap().worst, Status::Unknown);
    let mut spokes = spokes;
    spokes.insert(cluster("c"), Spoke::heard(vec![hub.clone()]));
    assert_eq!(aggregate(&hub, &found, &spokes, &OnHub::default(), now()).unwrap().worst, Status::True);
}

#[test]
fn of_several_instances_the_last_counts_and_it_is_noted() {
    let of = |routes: i64, namespace: &str| {
        let mut instance = gateway(json!({ "listeners": [{ "name": "web", "attachedRoutes": routes }] }));
        instance["metadata"]["namespace"] = namespace.into();
        instance
    };
    let spokes = [(cluster("a"), Spoke::heard(vec![of(1, "shop"), of(2, "apps")]))].into();
    let hub = gateway(Value::Null);
    let offline =
        aggregate(&hub, &spec(&json!({ "rows": ["Listeners"] })), &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!(rows(&offline.object).1, [("a.web", 2)]);
    assert_eq!(offline.notes, ["a has gateway 2 times: the last one counts"]);
}

#[test]
fn an_instance_is_found_by_group_kind_and_name_whatever_its_version() {
    let hub = gateway(Value::Null);
    let mut older = hub.clone();
    older["apiVersion"] = "gateway.networking.k8s.io/v1beta1".into();
    older["metadata"]["namespace"] = "shop".into();
    assert!(is_instance(&older, &hub));
    for (field, value) in [("apiVersion", "networking.istio.io/v1"), ("kind", "HTTPRoute")] {
        let mut other = older.clone();
        other[field] = value.into();
        assert!(!is_instance(&other, &hub), "{other}");
    }
    assert!(!is_instance(&json!([1]), &hub));
}

#[test]
fn records_leave_with_their_routes_and_after_a_grace_period_with_their_instance() {
    let mut hub = gateway(Value::Null);
    hub["spec"]["listeners"] = json!([{ "name": "api", "hostname": "api.example.com" }]);
    let aggregation = spec(&json!({ "dns": {} }));
    let targets =
        |offline: &Offline| offline.endpoint.as_ref().unwrap()["spec"]["endpoints"][0]["targets"].clone();
    let first = aggregate(&hub, &aggregation, &proposed(), &OnHub::default(), now()).unwrap();
    assert_eq!(targets(&first), json!(["172.31.202.0", "172.31.203.0"]));
    let endpoint = first.endpoint.as_ref().unwrap();
    assert_eq!(endpoint["metadata"]["labels"]["allready.dev/aggregation"], "gateways");
    assert_eq!(endpoint["metadata"].get("ownerReferences"), None);

    let mut spokes = proposed();
    spokes.insert(cluster("cluster-2"), Spoke::heard(Vec::new()));
    let leaving = aggregate(&hub, &aggregation, &spokes, &published(&first), now()).unwrap();
    assert_eq!(targets(&leaving), targets(&first));
    let end: Time = "2026-11-15T13:10:00Z".parse().unwrap();
    assert_eq!(leaving.look_again, Some(end));
    let gone = aggregate(&hub, &aggregation, &spokes, &published(&leaving), end).unwrap();
    assert_eq!(targets(&gone), Value::Null);

    spokes.remove("cluster-2");
    let left = aggregate(&hub, &aggregation, &spokes, &published(&first), now()).unwrap();
    assert_eq!(targets(&left), Value::Null);
    let note = "cluster-2 is published and was not given: its targets go, as those of a cluster that left";
    assert_eq!(left.notes, [note]);
}

#[test]
fn what_has_no_room_is_never_good_and_stands_in_reports() {
    let addresses: Vec<_> =
        (0..17).map(|n| json!({ "type": "IPAddress", "value": format!("10.0.0.{n}") })).collect();
    let spokes = [(cluster("a"), Spoke::heard(vec![gateway(json!({ "addresses": addresses }))]))].into();
    let hub = gateway(Value::Null);
    let offline =
        aggregate(&hub, &spec(&json!({ "rows": ["Addresses"] })), &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!((rows(&offline.object).0.len(), offline.worst), (16, Status::False));
    let report = &offline.reports[0];
    assert_eq!(entries(&report["status"]["addresses"]).len(), 17);
    assert_eq!(report["metadata"]["namespace"], "allready-system");
}

#[test]
fn an_object_that_is_not_meant_is_refused_with_what_is() {
    let hub = gateway(Value::Null);
    let told = |hub: &Value, value: Value| {
        aggregate(hub, &spec(&value), &BTreeMap::new(), &OnHub::default(), now()).unwrap_err().to_string()
    };
    let other = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
    assert_eq!(
        told(&other, json!({})),
        "the aggregation gateways is about a Gateway of gateway.networking.k8s.io/v1, and the object is a Deployment of \
         apps/v1: give an object of that kind"
    );
    assert_eq!(
        told(&hub, json!({ "selector": { "matchLabels": { "a": "b" } } })),
        "the aggregation gateways does not choose gateway: look at spec.namespaces and spec.selector"
    );
}

#[test]
fn a_cluster_that_is_not_named_counts_for_nothing_and_is_noted() {
    let aggregation = spec(&json!({ "rows": ["Addresses"], "clusters": { "names": ["cluster-2"] } }));
    let offline =
        aggregate(&gateway(Value::Null), &aggregation, &proposed(), &OnHub::default(), now()).unwrap();
    assert_eq!(rows(&offline.object).0, ["cluster-2/172.31.202.0", "cluster-2/172.31.203.0"]);
    assert_eq!(offline.notes, ["cluster-1 is not among spec.clusters.names, and counts for nothing"]);
}

#[test]
fn an_object_that_is_being_deleted_keeps_its_status() {
    let mut hub = gateway(json!({ "conditions": [ready("True", "")] }));
    hub["metadata"]["deletionTimestamp"] = NOW.into();
    let spokes =
        [(cluster("a"), Spoke::heard(vec![gateway(json!({ "conditions": [ready("False", "no")] }))]))].into();
    let aggregation = spec(&json!({ "conditions": [{ "type": "Ready" }] }));
    let offline = aggregate(&hub, &aggregation, &spokes, &OnHub::default(), now()).unwrap();
    assert_eq!(offline.object, hub);
    assert_eq!(offline.notes, ["gateway is being deleted: its status stays as it is"]);
}

#[test]
fn decisions_say_where_an_instance_is_expected_and_without_them_nothing_is_good() {
    let mut hub = gateway(Value::Null);
    hub["metadata"]["labels"] = json!({ "cluster.open-cluster-management.io/placement": "eu" });
    let aggregation =
        spec(&json!({ "placement": { "type": "Decided" }, "conditions": [{ "type": "Ready" }] }));
    let instance = gateway(json!({ "conditions": [ready("True", "")] }));
    let spokes =
        [(cluster("cluster-1"), Spoke::heard(vec![instance])), (cluster("cluster-2"), Spoke::default())]
            .into();
    let decided = |clusters: &[&str]| {
        let clusters = clusters.iter().map(|name| json!({ "clusterName": name, "reason": "" }));
        json!({
            "metadata": { "name": "eu-decision-1", "labels": { "cluster.open-cluster-management.io/placement": "eu" } },
            "status": { "decisions": clusters.collect::<Vec<_>>() },
        })
    };
    let worst = |decisions: &[Value]| {
        let beside = OnHub { decisions, ..OnHub::default() };
        aggregate(&hub, &aggregation, &spokes, &beside, now()).unwrap().worst
    };
    assert_eq!(worst(&[decided(&["cluster-1"])]), Status::True);
    assert_eq!(
        worst(&[decided(&["cluster-1", "cluster-2"])]),
        Status::Unknown,
        "nothing is known of the second"
    );
    assert_eq!(worst(&[]), Status::Unknown, "nothing has been decided");
}
