//! Reports of the clusters, and the way back from them.

use serde_json::json;

use super::reports::{recalled, recalled_rows, report_name, reports};
use super::*;

const OWNER: dns::Owner<'static> =
    dns::Owner { api_version: "gateway.networking.k8s.io/v1", kind: "Gateway", uid: "0001" };

fn two() -> Hub {
    let mut object = programmed("True", "fine");
    object["status"]["addresses"] =
        json!([{ "value": "10.0.0.1" }, { "type": "NamedAddress", "value": "pool" }]);
    object["status"]["listeners"] = json!([{ "name": "api", "attachedRoutes": 1 }, { "name": "web" }]);
    let mut hub = Hub::with(gateway(), &[("cluster-1", object), ("cluster-2", programmed("True", ""))]);
    let since = Some(at(60));
    let doubt = Doubt::Unreachable { since, why: "connection refused".into() };
    hub.subject.doubt(&cluster("cluster-2"), Some(doubt));
    hub
}

#[test]
fn each_cluster_has_a_report_of_all_that_it_says() {
    let object = ObjectName::new("shop", "web");
    let all = reports(&two().subject, "gateways", &object, &OWNER);
    assert_eq!(
        all.keys().collect::<Vec<_>>(),
        ["web.gateway-gateways.cluster-1", "web.gateway-gateways.cluster-2"]
    );
    assert_eq!(
        all["web.gateway-gateways.cluster-1"],
        json!({
            "apiVersion": "allready.dev/v1alpha1",
            "kind": "InstanceStatus",
            "metadata": {
                "name": "web.gateway-gateways.cluster-1",
                "namespace": "shop",
                "labels": {
                    "allready.dev/aggregation": "gateways",
                },
                "ownerReferences": [{
                    "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": "web", "uid": "0001",
                }],
            },
            "spec": {
                "aggregation": "gateways",
                "cluster": "cluster-1",
                "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": "web" },
            },
            "status": {
                "conditions": [said("Programmed", "True", "fine")],
                "addresses": [
                    { "type": "IPAddress", "value": "10.0.0.1" }, { "type": "NamedAddress", "value": "pool" },
                ],
                "listeners": [{ "name": "api", "attachedRoutes": 1 }, { "name": "web" }],
            },
        })
    );
}

#[test]
fn mc19_the_report_of_an_unreachable_cluster_is_unknown_with_the_time_it_was_heard() {
    let object = ObjectName::new("shop", "web");
    let all = reports(&two().subject, "gateways", &object, &OWNER);
    assert_eq!(
        all["web.gateway-gateways.cluster-2"]["status"],
        json!({
            "conditions": [{
                "type": "Programmed", "status": "Unknown", "reason": "ClusterUnreachable",
                "message": "ClusterUnreachable: no word since 1970-01-01T00:01:00Z: connection refused",
                "lastTransitionTime": "1970-01-01T00:01:00Z",
            }],
        })
    );
}

#[test]
fn a_cluster_that_is_only_placed_on_has_a_report_too() {
    let mut hub = Hub::new(gateway_with("placement", json!({ "type": "Annotated" })));
    hub.stands(json!({ "metadata": { "annotations": { "allready.dev/clusters": "cluster-9" } } }));
    let all = reports(&hub.subject, "gateways", &ObjectName::new("shop", "web"), &OWNER);
    let condition = &all["web.gateway-gateways.cluster-9"]["status"]["conditions"][0];
    assert_eq!(
        (condition["status"].as_str(), condition["reason"].as_str()),
        (Some("Unknown"), Some("ClusterUnknown"))
    );
}

#[test]
fn what_a_report_remembers_is_what_the_cluster_had() {
    let object = ObjectName::new("shop", "web");
    let hub = two();
    let all = reports(&hub.subject, "gateways", &object, &OWNER);
    let (name, from, memory) = recalled(&all["web.gateway-gateways.cluster-1"]).unwrap();
    assert_eq!((name, from.as_str()), (object, "cluster-1"));
    let last = hub.subject.shares()[&from].last.as_ref().unwrap();
    assert_eq!(memory.addresses, last.addresses);
    let routes: Vec<_> = memory.listeners.iter().map(|one| (&*one.name, one.attached_routes)).collect();
    assert_eq!(routes, [("api", Some(1)), ("web", None)]);

    let mut foreign = all["web.gateway-gateways.cluster-1"].clone();
    foreign["metadata"]["labels"] = json!({});
    assert_eq!(recalled(&foreign), None, "somebody else's report");
}

#[test]
fn a_memory_that_is_longer_counts_more_whichever_comes_first() {
    let short = Instance { addresses: vec![], ..Instance::default() };
    let long = Instance {
        addresses: vec![Address { type_: "IPAddress".into(), value: "10.0.0.1".into() }],
        ..Instance::default()
    };
    for memories in [[&short, &long], [&long, &short]] {
        let mut hub = Hub::new(gateway());
        hub.subject.choose(&cluster("cluster-1"));
        for memory in memories {
            hub.subject.recall(&cluster("cluster-1"), memory.clone());
        }
        assert_eq!(hub.answer().status["addresses"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn rows_of_a_hub_object_are_taken_apart_and_those_of_others_are_not_taken() {
    let facts = HubFacts {
        addresses: vec![
            Address { type_: IP_ADDRESS.into(), value: "cluster-1/10.0.0.1".into() },
            Address { type_: "IPAddress".into(), value: "10.0.0.9".into() },
        ],
        listeners: vec![
            ("cluster-2.api".into(), Some(1)),
            ("cluster-3.api".into(), Some(1)),
            ("web".into(), None),
        ],
        foreign_listeners: vec![("cluster-3.api".into(), "istio".into())],
        ..HubFacts::default()
    };
    let rows = recalled_rows(&facts);
    assert_eq!(rows.keys().map(ClusterName::as_str).collect::<Vec<_>>(), ["cluster-1", "cluster-2"]);
    assert_eq!(&*rows[&cluster("cluster-1")].addresses[0].value, "10.0.0.1");
}

#[test]
fn the_name_of_a_report_is_legal_however_long_its_parts_are() {
    let object = ObjectName::new("shop", &"w".repeat(253));
    let name = report_name("gateways", &object, &OWNER, &cluster(&"c".repeat(63)));
    assert_eq!(name.len(), 253);
    assert_ne!(name, report_name("gateways", &object, &OWNER, &cluster(&"d".repeat(63))));
    let dotted = ObjectName::new("shop", "web.example");
    assert_ne!(
        report_name("gateways", &dotted, &OWNER, &cluster("cluster-1")),
        report_name("gateways", &ObjectName::new("shop", "web"), &OWNER, &cluster("cluster-1"))
    );
}
