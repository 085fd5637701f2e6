//! On which clusters an instance is expected.

use serde_json::json;

use super::*;

fn placed(placement: &str) -> Value {
    gateway_with("placement", json!({ "type": placement }))
}

fn annotated(clusters: &str) -> Value {
    json!({ "metadata": { "annotations": { "allready.dev/clusters": clusters } } })
}

#[test]
fn an_instance_that_is_expected_everywhere_and_is_not_there_is_unknown() {
    let mut hub = Hub::with(gateway(), &[("cluster-1", programmed("True", ""))]);
    hub.subject.choose(&cluster("cluster-2"));
    hub.subject.heard(&cluster("cluster-2"), None);
    hub.is("Programmed", "Unknown", "InstancesUnknown", "cluster-2 (unknown) has no object of this name");
    hub.is(AGGREGATED, "Unknown", "InstancesUnknown", "cluster-2 (unknown) has no object of this name");
}

#[test]
fn where_they_are_annotated_only_those_count() {
    let members = [("cluster-1", programmed("True", "")), ("cluster-2", programmed("False", "down"))];
    let mut hub = Hub::with(placed("Annotated"), &members);
    hub.stands(annotated("cluster-1"));
    hub.is("Programmed", "True", "AllInstancesReady", "Programmed is True on 1 of 1 instances");
    hub.stands(annotated("cluster-1,cluster-2"));
    assert_eq!(hub.words("Programmed").2, "cluster-2 down");
    hub.stands(json!({}));
    let words =
        "no cluster is named by the annotation allready.dev/clusters, so nothing vouches for this object";
    hub.is("Programmed", "Unknown", "InstancesUnknown", words);
}

#[test]
fn a_cluster_that_is_placed_on_and_not_chosen_is_unknown_until_it_is() {
    let mut hub = Hub::with(placed("Annotated"), &[("cluster-1", programmed("True", ""))]);
    hub.stands(annotated("cluster-1,cluster-9"));
    hub.is(
        "Programmed",
        "Unknown",
        "InstancesUnknown",
        "cluster-9 (unknown) is not a cluster this hub knows",
    );
    assert!(!hub.subject.is_pending(), "nobody can wait for it");
    hub.subject.choose(&cluster("cluster-9"));
    assert!(hub.subject.is_pending());
    hub.says("cluster-9", programmed("True", ""));
    assert_eq!(hub.words("Programmed").0, "True");
    hub.subject.forget(&cluster("cluster-9"));
    assert_eq!(hub.words("Programmed").2, "cluster-9 (unknown) is not a cluster this hub knows");
}

#[test]
fn where_they_are_found_nobody_is_missed() {
    let mut hub = Hub::with(placed("Found"), &[("cluster-1", programmed("True", ""))]);
    hub.subject.choose(&cluster("cluster-2"));
    assert!(hub.subject.is_pending(), "it may have one");
    hub.subject.heard(&cluster("cluster-2"), None);
    assert!(!hub.subject.is_pending());
    hub.is("Programmed", "True", "AllInstancesReady", "Programmed is True on 1 of 1 instances");
    hub.says("cluster-2", programmed("False", "down"));
    assert_eq!(hub.words("Programmed").0, "False");
    hub.subject.heard(&cluster("cluster-2"), None);
    hub.subject.heard(&cluster("cluster-1"), None);
    assert_eq!(hub.words("Programmed").2, "no chosen cluster has such an object, so nothing vouches for it");
}

#[test]
fn mc29_a_cluster_that_leaves_disappears_with_its_rows() {
    let mut down = programmed("False", "down");
    down["status"]["addresses"] = json!([{ "value": "10.0.0.2" }]);
    down["status"]["listeners"] = json!([{ "name": "api", "attachedRoutes": 1 }]);
    let mut hub = Hub::with(gateway(), &[("cluster-1", programmed("True", "")), ("cluster-2", down.clone())]);
    hub.write(at(1));
    hub.subject.forget(&cluster("cluster-2"));
    let answer = hub.answer();
    assert!(answer.differs);
    assert_eq!((answer.status.get("addresses"), answer.status.get("listeners")), (None, None));
    hub.is("Programmed", "True", "AllInstancesReady", "Programmed is True on 1 of 1 instances");
    hub.subject.choose(&cluster("cluster-2"));
    assert_eq!(
        hub.words("Programmed").2,
        "cluster-2 (unknown) has not been heard yet",
        "all of it was forgotten"
    );

    let mut hub =
        Hub::with(placed("Annotated"), &[("cluster-1", programmed("True", "")), ("cluster-2", down)]);
    hub.stands(annotated("cluster-1,cluster-2"));
    assert_eq!(hub.words("Programmed").0, "False");
    hub.stands(annotated("cluster-1"));
    assert_eq!(hub.words("Programmed").0, "True");
    assert_eq!(hub.answer().status.get("addresses"), None);
}

#[test]
fn where_they_are_found_one_that_cannot_be_heard_is_not_taken_for_one_without() {
    let mut hub = Hub::with(placed("Found"), &[("cluster-1", programmed("True", ""))]);
    hub.subject.choose(&cluster("cluster-2"));
    let doubt = Doubt::Unreachable { since: None, why: "connection refused".into() };
    hub.subject.doubt(&cluster("cluster-2"), Some(doubt));
    assert_eq!(hub.words("Programmed").0, "Unknown");
}

#[test]
fn a_placement_that_cannot_be_understood_takes_nobody_away() {
    let mut here = programmed("True", "");
    here["status"]["addresses"] = json!([{ "value": "10.0.0.1" }]);
    let mut hub = Hub::with(placed("Annotated"), &[("cluster-1", here)]);
    hub.stands(annotated("cluster-1"));
    hub.write(at(1));
    let standing = hub.answer().status["addresses"].clone();
    hub.stands(json!({
        "metadata": { "annotations": { "kuadrant.io/gateway-clusters": "[\"cluster-1\"" } },
        "status": hub.answer().status,
    }));
    assert_eq!(hub.answer().status["addresses"], standing);
    assert_eq!(hub.words("Programmed").0, "Unknown", "it is not known who is meant");
}

#[test]
fn numbers_stay_while_a_cluster_has_not_been_heard() {
    let spec = json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
        "fields": [{ "path": ".status.readyReplicas", "combine": "Sum" }],
    });
    let ready = |count: i64| json!({ "status": { "readyReplicas": count } });
    let mut hub = Hub::with(spec, &[("cluster-1", ready(2))]);
    hub.subject.choose(&cluster("cluster-2"));
    hub.stands(json!({ "status": { "readyReplicas": 5 } }));
    assert_eq!(hub.answer().status["readyReplicas"], 5, "what stands is better than a part of it");
    hub.says("cluster-2", ready(4));
    assert_eq!(hub.answer().status["readyReplicas"], 6);
}
