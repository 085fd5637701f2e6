use super::*;
use crate::hub::HubFacts;

fn facts(object: &Value) -> HubFacts {
    HubFacts::read(object, &whole(), MANAGER)
}

#[test]
fn what_stands_on_the_hub_is_read_whole() {
    let facts = facts(&json!({
        "metadata": { "uid": "u-1", "resourceVersion": "12", "generation": 4, "creationTimestamp": "2026-03-01T10:00:00Z" },
        "spec": { "listeners": [
            { "name": "api", "hostname": "api.example.com" }, { "name": "web" }, { "name": "x", "hostname": "" },
        ] },
        "status": {
            "ready": 3,
            "conditions": [{ "type": "Programmed", "status": "True", "reason": "R", "message": "m".repeat(3000) }],
            "addresses": [{ "type": "kuadrant.io/MultiClusterIPAddress", "value": "cluster-1/10.0.0.1" }],
            "listeners": [{ "name": "cluster-1.api", "attachedRoutes": 2 }, { "name": "cluster-2.api" }],
        },
    }));
    assert_eq!(
        (&*facts.uid, facts.version, facts.generation, facts.is_leaving),
        ("u-1", Some(12), 4.into(), false)
    );
    assert_eq!(facts.hostnames, [("api".into(), "api.example.com".into())]);
    assert_eq!(facts.conditions[0].message.as_str().len(), 3000, "what stands is compared, so it is kept");
    assert_eq!(&*facts.addresses[0].value, "cluster-1/10.0.0.1");
    assert_eq!(facts.listeners, [("cluster-1.api".into(), Some(2)), ("cluster-2.api".into(), None)]);
    assert_eq!(facts.fields, [Some(3), None]);
    assert_eq!((facts.placed, facts.ours.len(), facts.foreign_addresses), (None, 0, None));
}

#[test]
fn k14_what_others_wrote_is_told_from_what_we_wrote() {
    let entry = |manager: &str, operation: &str, subresource: Option<&str>, status: Value| {
        let fields = json!({ "f:status": status });
        json!({ "manager": manager, "operation": operation, "subresource": subresource, "fieldsV1": fields })
    };
    let ours = json!({
        "f:conditions": {
            ".": {}, "k:{\"type\":\"Programmed\"}": { "f:status": {} }, "k:{\"type\":\"allready.dev/Aggregated\"}": {},
        },
        "f:addresses": {}, "f:listeners": { "k:{\"name\":\"cluster-1.api\"}": { ".": {} } },
    });
    let theirs = json!({
        "f:conditions": { "k:{\"type\":\"Accepted\"}": {} }, "f:addresses": {},
        "f:listeners": { ".": {}, "k:{\"name\":\"api\"}": {}, "k:broken": {} },
    });
    let elsewhere = json!({ "f:conditions": { "k:{\"type\":\"Spec\"}": {} } });
    let facts = facts(&json!({ "metadata": { "managedFields": [
        entry(MANAGER, "Apply", Some("status"), ours),
        entry("istiod", "Update", Some("status"), theirs),
        entry("a-controller", "Apply", None, json!({ "f:addresses": {} })),
        entry(MANAGER, "Apply", None, elsewhere),
        json!({ "fieldsV1": 3 }),
    ] } }));
    assert_eq!(facts.ours, ["Programmed".into(), "allready.dev/Aggregated".into()]);
    assert_eq!(
        facts.foreign_addresses.as_deref(),
        Some("a-controller"),
        "the first by name, whatever their order"
    );
    assert_eq!(facts.foreign_listeners, [("api".into(), "istiod".into())]);
}

#[test]
fn listeners_that_somebody_owns_as_a_whole_are_all_his() {
    let facts = facts(&json!({
        "metadata": { "managedFields": [{ "manager": "other", "fieldsV1": { "f:status": { "f:listeners": {} } } }] },
        "status": { "listeners": [{ "name": "api" }, { "name": "web" }] },
    }));
    assert_eq!(facts.foreign_listeners, [("api".into(), "other".into()), ("web".into(), "other".into())]);
}

#[test]
fn an_object_is_placed_by_either_annotation_and_what_is_no_name_is_told() {
    let placed = |annotations: Value| {
        let facts = facts(&json!({ "metadata": { "annotations": annotations } }));
        let names =
            facts.placed.map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
        (names, facts.misplaced)
    };
    let own = |list: &str| {
        placed(json!({ "allready.dev/clusters": list, "kuadrant.io/gateway-clusters": "[\"k\"]" }))
    };
    assert_eq!(own("b, a,,b ,"), (Some("a b".into()), vec![]));
    assert_eq!(own(""), (Some(String::new()), vec![]), "placed nowhere");
    let (names, misplaced) = own("a, cluster_1");
    assert_eq!((names.as_deref(), misplaced.len()), (Some("a"), 1));
    assert!(
        misplaced[0].starts_with("annotation allready.dev/clusters: \"cluster_1\" cannot name a cluster")
    );
    let kuadrant = |list: &str| placed(json!({ "kuadrant.io/gateway-clusters": list }));
    assert_eq!(kuadrant("[\"b\", \"a\"]"), (Some("a b".into()), vec![]));
    let told = "annotation kuadrant.io/gateway-clusters: no JSON list of names, such as [\"cluster-1\"]";
    assert_eq!(kuadrant("a,b"), (Some(String::new()), vec![told.into()]));
    assert_eq!(kuadrant("[1]").1, [told]);
    assert_eq!(placed(json!({})), (None, vec![]));
    assert_eq!(own(&"_,".repeat(100)).1.len(), 9, "bounded");
}
