//! One condition of many instances.

use serde_json::json;

use super::*;

const AGGREGATED: &str = super::AGGREGATED;

#[test]
fn mc1_all_true_is_true_with_a_fixed_reason_and_message() {
    let fine = programmed("True", "my own words");
    let hub = Hub::with(gateway(), &[("cluster-1", fine.clone()), ("cluster-2", fine)]);
    hub.is("Programmed", "True", "AllInstancesReady", "Programmed is True on 2 of 2 instances");
    hub.is(AGGREGATED, "True", "Complete", "what 2 of 2 instances say is here");
    assert_eq!(hub.answer().worst, allready_core::Status::True);
}

#[test]
fn mc2_one_false_is_false_and_only_the_failing_are_told() {
    let hub = Hub::with(
        gateway(),
        &[
            ("cluster-3", programmed("False", "No listener configured for port 80")),
            ("cluster-2", programmed("True", "fine")),
            ("cluster-1", programmed("False", "Listener certificate is expired")),
        ],
    );
    let message = "cluster-1 Listener certificate is expired; cluster-3 No listener configured for port 80";
    hub.is("Programmed", "False", "InstancesNotReady", message);
    assert_eq!(hub.answer().worst, allready_core::Status::False);
}

#[test]
fn mc3_false_beats_unknown_and_unknown_beats_true() {
    for (statuses, expected) in [
        (["True", "Unknown"], "Unknown"),
        (["Unknown", "Unknown"], "Unknown"),
        (["False", "Unknown"], "False"),
        (["False", "True"], "False"),
        (["True", "True"], "True"),
    ] {
        let [one, other] = statuses.map(|status| programmed(status, "text"));
        let hub = Hub::with(gateway(), &[("cluster-1", one), ("cluster-2", other)]);
        assert_eq!(hub.words("Programmed").0, expected, "{statuses:?}");
    }
}

#[test]
fn mc4_a_type_that_an_instance_does_not_have_is_unknown_there() {
    let hub = Hub::with(gateway(), &[("cluster-1", programmed("True", "")), ("cluster-2", json!({}))]);
    hub.is("Programmed", "Unknown", "InstancesUnknown", "cluster-2 (unknown) does not say Programmed");
}

#[test]
fn mc5_no_instance_at_all_is_unknown_and_says_so() {
    let hub = Hub::new(gateway());
    let words = "no cluster is chosen, so nothing vouches for this object";
    hub.is("Programmed", "Unknown", "InstancesUnknown", words);
    hub.is(AGGREGATED, "Unknown", "InstancesUnknown", words);
    let hub = Hub::new(gateway_with("unknown", json!("TreatAsBad")));
    hub.is("Programmed", "Unknown", "InstancesUnknown", words);
}

#[test]
fn mc6_a_negative_type_is_true_where_it_is_true_anywhere_and_false_where_it_is_false_everywhere() {
    let spec = json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "StatefulSet" },
        "conditions": [{ "type": "Degraded" }, { "type": "Progressing" }],
    });
    let of = |degraded: &str, progressing: &str| {
        json!({ "status": { "conditions": [
            said("Degraded", degraded, "disk is full"), said("Progressing", progressing, "rolling out"),
        ] } })
    };
    let mut hub =
        Hub::with(spec, &[("cluster-1", of("False", "False")), ("cluster-2", of("False", "False"))]);
    hub.is("Degraded", "False", "AllInstancesReady", "Degraded is False on 2 of 2 instances");
    assert_eq!(hub.answer().worst, allready_core::Status::True, "no news is good news");
    hub.says("cluster-2", of("True", "True"));
    hub.is("Degraded", "True", "InstancesNotReady", "cluster-2 disk is full");
    hub.is("Progressing", "True", "InstancesNotReady", "cluster-2 rolling out");
    assert_eq!(hub.answer().worst, allready_core::Status::False);
    hub.says("cluster-2", of("Unknown", "False"));
    hub.is("Degraded", "Unknown", "InstancesUnknown", "cluster-2 (unknown) disk is full");
}

#[test]
fn mc20_every_type_is_written_once() {
    let mut spec = gateway();
    spec["conditions"] = json!([{ "type": "Programmed" }, { "type": "Programmed" }, { "type": AGGREGATED }]);
    let hub =
        Hub::with(spec, &[("cluster-1", programmed("True", "")), ("cluster-2", programmed("False", ""))]);
    let status = hub.answer().status;
    let types: Vec<_> = status["conditions"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(types, ["Programmed", AGGREGATED]);
}

#[test]
fn mc21_the_reason_belongs_to_the_status_whatever_the_newest_instance_says() {
    let mut newer = programmed("True", "fine");
    newer["status"]["conditions"][0]["lastTransitionTime"] = json!("2030-01-01T00:00:00Z");
    let hub = Hub::with(gateway(), &[("cluster-1", programmed("False", "down")), ("cluster-2", newer)]);
    hub.is("Programmed", "False", "InstancesNotReady", "cluster-1 down");
}

#[test]
fn mc27_the_worst_of_all_counts_however_many_are_told() {
    let mut hub = Hub::new(gateway());
    let long = "x".repeat(400);
    for index in 0..40 {
        let name = format!("cluster-{index:02}");
        hub.subject.choose(&cluster(&name));
        hub.says(&name, programmed("Unknown", &long));
    }
    assert_eq!(hub.words("Programmed").0, "Unknown");
    hub.says("cluster-39", programmed("False", "down"));
    let (status, _, message) = hub.words("Programmed");
    assert_eq!(status, "False");
    assert!(message.starts_with("cluster-39 down; cluster-00 (unknown) xxx"), "{message}");
    assert!(message.len() <= 4096 && message.ends_with(" more"), "{message}");
    assert!(hub.answer().is_short, "who is not told has a report");
}

#[test]
fn k1_where_unknown_is_treated_as_bad_whatever_is_not_good_is_bad() {
    let members = [("cluster-1", programmed("True", "")), ("cluster-2", programmed("Unknown", "starting"))];
    let hub = Hub::with(gateway_with("unknown", json!("TreatAsBad")), &members);
    hub.is("Programmed", "False", "InstancesNotReady", "cluster-2 (unknown) starting");
    let hub = Hub::with(gateway(), &members);
    hub.is("Programmed", "Unknown", "InstancesUnknown", "cluster-2 (unknown) starting");
}

#[test]
fn k2_unknown_instances_come_after_the_failing_and_the_separator_separates_instances_alone() {
    let hub = Hub::with(
        gateway(),
        &[
            ("cluster-1", programmed("Unknown", "starting")),
            ("cluster-2", programmed("False", "no route; no power\nno hope")),
        ],
    );
    let message = "cluster-2 no route, no power no hope; cluster-1 (unknown) starting";
    hub.is("Programmed", "False", "InstancesNotReady", message);
}

#[test]
fn k3_instances_are_told_by_their_cluster() {
    let mut object = programmed("False", "down");
    object["metadata"] = json!({ "name": "gateway" });
    let hub = Hub::with(gateway(), &[("cluster-1", object.clone()), ("cluster-2", object)]);
    assert_eq!(hub.words("Programmed").2, "cluster-1 down; cluster-2 down");
}

#[test]
fn k4_the_reasons_are_fixed() {
    let reason = |status: &str| {
        let hub = Hub::with(gateway(), &[("cluster-1", programmed(status, "text"))]);
        hub.words("Programmed").1
    };
    assert_eq!(
        ["True", "False", "Unknown"].map(reason),
        ["AllInstancesReady", "InstancesNotReady", "InstancesUnknown"]
    );
}

#[test]
fn k5_what_is_written_is_a_legal_condition() {
    let hub = Hub::with(gateway(), &[("cluster-1", programmed("True", ""))]);
    assert_eq!(
        hub.answer().status["conditions"][0],
        json!({
            "type": "Programmed", "status": "True", "reason": "AllInstancesReady",
            "message": "Programmed is True on 1 of 1 instances", "lastTransitionTime": "1970-01-01T00:16:40Z",
        })
    );
}

#[test]
fn k6_the_time_moves_only_when_the_status_does() {
    let mut hub = Hub::with(gateway(), &[("cluster-1", programmed("False", "one"))]);
    hub.write(at(10));
    assert!(!hub.subject.answer(at(20)).differs, "nothing is new");
    hub.says("cluster-1", programmed("False", "two"));
    let answer = hub.subject.answer(at(20));
    assert!(answer.differs);
    assert_eq!(answer.status["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:10Z");
    hub.says("cluster-1", programmed("True", ""));
    let answer = hub.subject.answer(at(30));
    assert_eq!(answer.status["conditions"][0]["lastTransitionTime"], "1970-01-01T00:00:30Z");
    assert_eq!(answer.standing, Some(allready_core::Status::False));
}

#[test]
fn k7_only_planned_types_are_written_and_no_ready_is_invented() {
    let mut object = programmed("True", "");
    object["status"]["conditions"].as_array_mut().unwrap().push(said("Ready", "True", ""));
    let mut spec = gateway();
    spec["conditions"] = json!([{ "type": "Accepted" }, { "type": "Programmed" }]);
    let hub = Hub::with(spec, &[("cluster-1", object)]);
    let status = hub.answer().status;
    let types: Vec<_> = status["conditions"].as_array().unwrap().iter().map(|one| &one["type"]).collect();
    assert_eq!(types, ["Accepted", "Programmed", AGGREGATED]);
}

#[test]
fn a_spec_that_cannot_be_acted_on_makes_nothing_good() {
    let mut spec = gateway();
    spec["clusters"] = json!({ "names": ["cluster_1"] });
    let mut hub = Hub::with(spec, &[("cluster-1", programmed("True", ""))]);
    let (status, reason, message) = hub.words("Programmed");
    assert_eq!((status.as_str(), reason.as_str()), ("Unknown", "SpecInvalid"));
    assert!(message.starts_with("spec.clusters.names: \"cluster_1\" cannot name a cluster"), "{message}");
    let (status, reason, aggregated) = hub.words(AGGREGATED);
    assert_eq!((status.as_str(), reason.as_str()), ("False", "SpecInvalid"));
    assert_eq!(aggregated, message);
    hub.says("cluster-1", programmed("False", "down"));
    let (status, _, message) = hub.words("Programmed");
    assert_eq!(status, "False", "bad news is told in spite of it");
    assert!(message.starts_with("cluster-1 down; spec.clusters.names"), "{message}");
}

#[test]
fn a_broken_expression_is_bad_for_every_polarity_also_where_nobody_is_expected() {
    for (polarity, bad) in [("Positive", "False"), ("Negative", "True")] {
        let spec = json!({
            "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
            "conditions": [{ "type": "Mine", "polarity": polarity, "expression": "1 + 1" }],
        });
        for members in [vec![], vec![("cluster-1", json!({}))]] {
            let hub = Hub::with(spec.clone(), &members);
            let (status, reason, message) = hub.words("Mine");
            assert_eq!((status.as_str(), reason.as_str()), (bad, "ExpressionInvalid"));
            assert!(message.contains("\"1 + 1\" gives a number"), "{message}");
            assert_eq!(hub.words(AGGREGATED).1, "SpecInvalid");
        }
    }
}

#[test]
fn an_expression_that_fails_on_an_instance_is_unknown_there() {
    let spec = json!({
        "targetRef": { "apiVersion": "apps/v1", "kind": "Deployment" },
        "conditions": [{ "type": "Mine", "expression": "object.status.ready > 0" }],
    });
    let hub =
        Hub::with(spec, &[("cluster-1", json!({ "status": { "ready": 1 } })), ("cluster-2", json!({}))]);
    let (status, reason, message) = hub.words("Mine");
    assert_eq!((status.as_str(), reason.as_str()), ("Unknown", "InstancesUnknown"));
    assert!(message.starts_with("cluster-2 (unknown) Mine cannot be told: "), "{message}");
}
