//! Clusters whose last word is not taken at its word.

use serde_json::json;

use super::*;

fn unreachable(since: Option<&str>) -> Doubt {
    Doubt::Unreachable { since: since.map(|since| since.parse().unwrap()), why: "connection refused".into() }
}

/// Two clusters that are fine, with an address and a listener each.
fn two() -> Hub {
    let of = |address: &str| {
        let mut object = programmed("True", "");
        object["status"]["addresses"] = json!([{ "value": address }]);
        object["status"]["listeners"] = json!([{ "name": "api", "attachedRoutes": 1 }]);
        object
    };
    Hub::with(gateway(), &[("cluster-1", of("10.0.0.1")), ("cluster-2", of("10.0.0.2"))])
}

#[test]
fn mc19_an_unreachable_cluster_is_unknown_and_its_last_rows_stay() {
    let mut hub = two();
    let before = hub.answer().status;
    assert!(hub.subject.doubt(&cluster("cluster-2"), Some(unreachable(Some("2026-11-15T13:00:00Z")))));
    let message =
        "cluster-2 (unknown) ClusterUnreachable: no word since 2026-11-15T13:00:00Z: connection refused";
    hub.is("Programmed", "Unknown", "ClusterUnreachable", message);
    hub.is(AGGREGATED, "Unknown", "ClusterUnreachable", message);
    let after = hub.answer().status;
    assert_eq!((&after["addresses"], &after["listeners"]), (&before["addresses"], &before["listeners"]));
    assert!(hub.subject.doubt(&cluster("cluster-2"), None));
    assert_eq!(hub.answer().status, before, "it is heard again");
}

#[test]
fn mc19_the_reason_says_unreachable_only_where_nothing_else_is_unknown() {
    let mut hub = two();
    hub.subject.doubt(&cluster("cluster-2"), Some(unreachable(None)));
    hub.says("cluster-1", programmed("Unknown", "starting"));
    let message = "cluster-1 (unknown) starting; cluster-2 (unknown) ClusterUnreachable: no word yet: connection refused";
    hub.is("Programmed", "Unknown", "InstancesUnknown", message);
    hub.says("cluster-1", programmed("False", "down"));
    assert_eq!(hub.words("Programmed").1, "InstancesNotReady");
    assert_eq!(hub.words(AGGREGATED).1, "ClusterUnreachable", "of the rows nothing else is unknown");
}

#[test]
fn mc19_what_an_unreachable_cluster_said_last_does_not_count_be_it_good_or_bad() {
    for last in ["True", "False"] {
        let mut hub = Hub::with(gateway(), &[("cluster-1", programmed(last, "last words"))]);
        hub.subject.doubt(&cluster("cluster-1"), Some(unreachable(None)));
        let message = "cluster-1 (unknown) ClusterUnreachable: no word yet: connection refused";
        hub.is("Programmed", "Unknown", "ClusterUnreachable", message);
    }
}

#[test]
fn mc23_a_cluster_that_cannot_be_read_does_not_shorten_the_list() {
    let mut hub = two();
    let before = hub.answer().status["addresses"].clone();
    let doubt = Doubt::Unreadable { since: Some(at(0)), why: "gateways is forbidden".into() };
    hub.subject.doubt(&cluster("cluster-1"), Some(doubt));
    assert_eq!(hub.answer().status["addresses"], before);
    let message = "cluster-1 (unknown) cannot be read since 1970-01-01T00:00:00Z: gateways is forbidden";
    hub.is("Programmed", "Unknown", "InstancesUnknown", message);
    hub.is(AGGREGATED, "Unknown", "InstancesUnknown", message);
}

#[test]
fn mc23_numbers_of_a_doubted_cluster_stay() {
    let spec = json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
        "fields": [{ "path": ".status.replicas", "combine": "Sum" }],
    });
    let of = |number: i64| json!({ "status": { "replicas": number } });
    let mut hub = Hub::with(spec, &[("cluster-1", of(3)), ("cluster-2", of(5))]);
    hub.subject.doubt(&cluster("cluster-1"), Some(unreachable(None)));
    assert_eq!(hub.answer().status["replicas"], 8);
    assert_eq!(
        hub.answer().worst,
        allready_core::Status::Unknown,
        "without conditions it is the rows that count"
    );
}

#[test]
fn a_cluster_that_has_not_been_heard_is_waited_for_and_unknown() {
    let mut hub = two();
    assert!(!hub.subject.is_pending());
    let third = cluster("cluster-3");
    hub.subject.choose(&third);
    assert!(hub.subject.is_pending());
    hub.is("Programmed", "Unknown", "InstancesUnknown", "cluster-3 (unknown) has not been heard yet");
    hub.subject.doubt(&third, Some(Doubt::Pending));
    assert!(hub.subject.is_pending());
    hub.subject.doubt(&third, Some(unreachable(None)));
    assert!(!hub.subject.is_pending(), "it is given up");
    hub.subject.doubt(&third, Some(Doubt::Pending));
    hub.says("cluster-3", programmed("True", ""));
    assert!(!hub.subject.is_pending());
    assert_eq!(hub.words("Programmed").0, "True");
}

#[test]
fn where_unknown_is_treated_as_bad_who_has_not_been_heard_makes_it_false_but_is_no_bad_news() {
    let mut hub = Hub::new(gateway_with("unknown", json!("TreatAsBad")));
    hub.subject.choose(&cluster("cluster-1"));
    hub.subject.choose(&cluster("cluster-2"));
    assert_eq!((hub.answer().worst, hub.subject.is_bad()), (allready_core::Status::False, false));
    hub.says("cluster-1", programmed("True", ""));
    assert!(!hub.subject.is_bad());
    hub.says("cluster-1", programmed("False", "down"));
    assert!(hub.subject.is_bad() && hub.subject.is_pending());
}

#[test]
fn mc15_an_instance_that_is_being_deleted_is_unknown_whatever_it_says() {
    let mut hub = two();
    let mut leaving = programmed("True", "");
    leaving["metadata"] = json!({ "deletionTimestamp": "2026-03-01T10:00:00Z" });
    hub.says("cluster-2", leaving);
    hub.is("Programmed", "Unknown", "InstancesUnknown", "cluster-2 (unknown) is being deleted");
}

#[test]
fn after_a_restart_the_rows_stand_until_the_cluster_is_heard_again() {
    let mut before = two();
    before.write(at(10));
    let facts = before.subject.facts().unwrap().clone();

    let mut after = Hub::new(gateway());
    after.subject.hub(Some(facts.clone()));
    for (name, instance) in reports::recalled_rows(&facts) {
        after.subject.recall(&name, instance);
    }
    for name in ["cluster-1", "cluster-2"] {
        after.subject.choose(&cluster(name));
    }
    let status = after.answer().status;
    assert_eq!(status["addresses"].as_array().unwrap().len(), 2);
    assert_eq!(status["listeners"].as_array().unwrap().len(), 2);
    let message = "cluster-1 (unknown) has not been heard yet; cluster-2 (unknown) has not been heard yet";
    after.is("Programmed", "Unknown", "InstancesUnknown", message);

    after.subject.heard(&cluster("cluster-1"), None);
    after
        .subject
        .recall(&cluster("cluster-1"), reports::recalled_rows(&facts)[&cluster("cluster-1")].clone());
    let rows = &after.answer().status["addresses"];
    assert_eq!(rows.as_array().unwrap().len(), 1, "its own word counts more than a memory: {rows}");
}
