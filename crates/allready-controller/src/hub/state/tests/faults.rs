//! What went wrong once.

use std::collections::BTreeMap;

use allready_kube::refusal::Refusal;
use serde_json::{Value, json};

use super::{
    samples::{Said, addresses, calm, endpoint, gateway, gateways, programmed, reports, unwell, well},
    store::{What, managers},
    world::{Fate, MS, S, World, cluster, named, web},
};
use crate::hub::{ObjectName, Target};

#[test]
fn a_hub_in_which_all_is_well_says_so_and_writes_no_more() {
    let mut world = calm();
    assert_eq!(programmed(&world), "True");
    assert_eq!(addresses(&world), ["cluster-1/10.0.1.1", "cluster-2/10.0.2.1", "cluster-3/10.0.3.1"]);
    assert_eq!(endpoint(&world).unwrap()["spec"]["endpoints"].as_array().unwrap().len(), 2);
    world.pass(S(5));
    let writes = world.writes.len();
    world.pass(S(40));
    assert_eq!(world.writes[writes..], []);
}

#[test]
fn credentials_that_are_changed_again_and_again_do_not_hide_that_nothing_can_be_read() {
    let mut world = calm();
    for _ in 0..10 {
        world.spoke(2).access += 1;
        world.spoke(2).is_readable = false;
        world.pass(S(4));
    }
    assert_eq!(programmed(&world), "Unknown");
}

#[test]
fn a_list_that_does_not_end_after_a_reconnection_is_not_taken_for_a_word() {
    let mut world = calm();
    world.spoke(2).access += 1;
    world.spoke(2).is_whole = false;
    world.spoke(2).objects.clear();
    world.pass(S(8));
    assert_eq!(programmed(&world), "Unknown");
    assert!(addresses(&world).contains(&"cluster-2/10.0.2.1".to_owned()));
}

#[test]
fn who_returns_is_believed_when_its_objects_are_seen_and_not_before() {
    let mut world = calm();
    world.spoke(2).is_up = false;
    world.pass(S(12));
    assert_eq!(programmed(&world), "Unknown");
    world.say(2, What::Gateway, &web(), Some(unwell(2, "False")));
    world.spoke(2).is_readable = false;
    world.spoke(2).is_up = true;
    world.pass_and(S(3), |world| assert_ne!(programmed(world), "True"));
    world.spoke(2).is_readable = true;
    world.pass(S(1));
    assert_eq!(programmed(&world), "False");
}

#[test]
fn a_cluster_that_joins_does_not_hold_back_that_another_is_lost() {
    let mut world = calm();
    world.spoke(4).is_up = false;
    world.spoke(4).is_joined = true;
    world.say(1, What::Gateway, &web(), Some(unwell(1, "Unknown")));
    world.pass(S(2));
    assert_eq!(programmed(&world), "Unknown");
}

#[test]
fn a_draft_does_not_outlive_its_reason_while_somebody_is_waited_for() {
    let mut world = calm();
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(S(2));
    world.fate = Fate::Refused(Refusal::Unanswered);
    world.say(1, What::Gateway, &web(), Some(well(1)));
    world.pass(S(2));
    // What waits for its next try says that all is well. Now it is not known of the fourth.
    world.spoke(4).is_up = false;
    world.spoke(4).is_joined = true;
    world.pass(MS(300));
    world.fate = Fate::Well;
    world.pass_and(S(8), |world| assert_ne!(programmed(world), "True"));
}

#[test]
fn nothing_stays_green_because_the_clusters_cannot_be_seen_at_all() {
    let mut world = calm();
    world.has_inventory = false;
    world.restart();
    world.pass(S(3));
    assert_eq!(programmed(&world), "True", "it has not been long");
    world.pass(S(12));
    assert_eq!(programmed(&world), "Unknown");
    assert_eq!(addresses(&world).len(), 3, "what the clusters said last stays");
    world.has_inventory = true;
    world.pass(S(2));
    assert_eq!(programmed(&world), "True");
}

#[test]
fn a_write_that_is_answered_when_its_object_is_gone_does_not_bring_it_back() {
    let mut world = calm();
    world.fate = Fate::Slow;
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(MS(100));
    world.store.delete(What::Gateway, &web());
    world.fate = Fate::Well;
    world.pass(S(10));
    let aggregation = world.store.get(What::Aggregation, &named("gateways")).unwrap();
    assert_eq!(aggregation["status"]["objects"], 0);
    assert_eq!(aggregation["status"]["conditions"][0]["status"], "True", "{aggregation}");
    assert!(endpoint(&world).is_none());
}

#[test]
fn a_write_that_is_answered_when_its_aggregation_is_gone_does_not_bring_it_back() {
    let mut world = calm();
    world.fate = Fate::Slow;
    world.spoke(2).is_readable = false;
    world.pass(S(6));
    world.store.delete(What::Aggregation, &named("gateways"));
    world.fate = Fate::Well;
    world.pass(S(10));
    assert!(world.hub().topics().is_empty());
    assert!(managers(world.store.get(What::Gateway, &web()).unwrap()).is_empty());
}

#[test]
fn a_write_that_fails_when_it_is_not_wanted_any_more_is_not_tried_again() {
    let mut world = calm();
    // The answer is on its way when all is well again.
    world.fate = Fate::Late;
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(MS(300));
    world.say(1, What::Gateway, &web(), Some(well(1)));
    world.pass(MS(300));
    world.fate = Fate::Refused(Refusal::Unanswered);
    world.pass(S(3));
    world.fate = Fate::Well;
    world.pass_and(S(10), |world| assert_eq!(programmed(world), "True"));
}

#[test]
fn what_an_object_owns_follows_it_when_it_is_made_again() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "instanceStatuses": "Always" })));
    world.pass(S(5));
    world.store.delete(What::Gateway, &web());
    world.edit(What::Gateway, &web(), gateway);
    world.pass(S(5));
    let uid = &world.store.get(What::Gateway, &web()).unwrap()["metadata"]["uid"];
    let owner = |object: &Value| object["metadata"]["ownerReferences"][0]["uid"].clone();
    assert_eq!(owner(endpoint(&world).unwrap()), *uid);
    assert_eq!(reports(&world).len(), 3);
    for report in reports(&world) {
        assert_eq!(owner(world.store.get(What::InstanceStatus, report).unwrap()), *uid);
    }
}

#[test]
fn an_object_that_is_being_deleted_is_not_left_green() {
    let mut world = calm();
    world.edit(What::Gateway, &web(), |object| {
        object["metadata"]["deletionTimestamp"] = "2027-01-15T08:00:05Z".into();
    });
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(S(2));
    assert_eq!(programmed(&world), "False");
}

#[test]
fn a_restart_loses_no_report_of_an_aggregation_with_a_long_name() {
    let mut world = calm();
    let long = format!("gateways-{}", "x".repeat(70));
    world.store.delete(What::Aggregation, &named("gateways"));
    world.aggregate(&long, gateways(&json!({ "instanceStatuses": "Always" })));
    for number in 1..=3 {
        let said = Said { programmed: "True", addresses: (number, 9), routes: [1, 1], hub_generation: 1 };
        world.say(number, What::Gateway, &web(), Some(said.object()));
    }
    world.pass(S(5));
    assert_eq!(reports(&world).len(), 3);
    world.spoke(3).is_up = false;
    world.restart();
    world.pass_and(S(20), |world| assert_eq!(reports(world).len(), 3));
    let rows = |world: &World| -> BTreeMap<String, usize> {
        let reports =
            reports(world).into_iter().map(|name| world.store.get(What::InstanceStatus, name).unwrap());
        let rows = |report: &Value| report["status"]["addresses"].as_array().map_or(0, Vec::len);
        reports.map(|report| (report["spec"]["cluster"].as_str().unwrap().to_owned(), rows(report))).collect()
    };
    assert_eq!(rows(&world)["cluster-3"], 9);
    // An edit makes everything anew, and forgets nothing either.
    world.aggregate(&long, gateways(&json!({ "instanceStatuses": "Always", "unknown": "TreatAsBad" })));
    world.pass(S(20));
    assert_eq!(rows(&world)["cluster-3"], 9);
}

#[test]
fn a_report_whose_name_does_not_fit_its_spec_is_told_and_neither_read_nor_removed() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "instanceStatuses": "Always" })));
    world.pass(S(5));
    let genuine = reports(&world)[0].clone();
    let genuine = world.store.get(What::InstanceStatus, &genuine).unwrap().clone();
    let forged = ObjectName::new("shop", "web.gateway-gateways.cluster-9");
    world.edit(What::InstanceStatus, &forged, |object| {
        object["metadata"]["labels"] = genuine["metadata"]["labels"].clone();
        object["spec"] = genuine["spec"].clone();
        object["status"]["addresses"] = json!([{ "type": "IPAddress", "value": "10.9.9.9" }]);
    });
    world.pass(S(5));
    let message = |world: &World| {
        let aggregation = world.store.get(What::Aggregation, &named("gateways")).unwrap();
        aggregation["status"]["conditions"][0]["message"].as_str().unwrap().to_owned()
    };
    assert!(
        message(&world).contains("InstanceStatus shop/web.gateway-gateways.cluster-9"),
        "{}",
        message(&world)
    );
    world.spoke(1).is_up = false;
    world.restart();
    world.pass_and(S(20), |world| assert_eq!(reports(world).len(), 4));
    assert_eq!(addresses(&world)[0], "cluster-1/10.0.1.1");
    world.spoke(1).is_up = true;
    world.store.delete(What::InstanceStatus, &forged);
    world.pass(S(10));
    assert!(!message(&world).contains("InstanceStatus"), "{}", message(&world));
}

#[test]
fn a_report_is_right_even_if_its_write_was_not_heard_of() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "instanceStatuses": "Always" })));
    world.pass(S(5));
    world.fate = Fate::Slow;
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(MS(300));
    world.say(1, What::Gateway, &web(), Some(well(1)));
    world.pass(S(3));
    world.fate = Fate::Well;
    world.pass(S(5));
    for report in reports(&world) {
        let report = world.store.get(What::InstanceStatus, report).unwrap();
        assert_eq!(report["status"]["conditions"][0]["status"], "True", "{report}");
    }
}

#[test]
fn an_endpoint_is_not_made_for_an_object_that_is_gone() {
    let mut world = World::new();
    world.aggregate("gateways", gateways(&Value::Null));
    world.edit(What::Gateway, &web(), gateway);
    world.say(1, What::Gateway, &web(), Some(well(1)));
    world.fate = Fate::Refused(Refusal::Unanswered);
    world.pass(S(5));
    world.store.delete(What::Gateway, &web());
    world.pass(S(3));
    let writes = world.writes.len();
    world.fate = Fate::Well;
    world.pass(S(40));
    assert!(endpoint(&world).is_none());
    let unwanted = world.writes[writes..]
        .iter()
        .find(|(_, target, _)| matches!(target, Target::Endpoint(_) | Target::Status(_)));
    assert_eq!(unwanted, None);
}

#[test]
fn a_refusal_is_forgotten_when_nothing_is_to_be_written_any_more() {
    let mut world = calm();
    world.fate = Fate::Refused(Refusal::Forbidden);
    world.say(1, What::Gateway, &web(), Some(unwell(1, "False")));
    world.pass(S(2));
    world.say(1, What::Gateway, &web(), Some(well(1)));
    world.pass(S(2));
    world.fate = Fate::Well;
    world.pass(S(40));
    let aggregation = world.store.get(What::Aggregation, &named("gateways")).unwrap();
    assert_eq!(aggregation["status"]["conditions"][0]["status"], "True", "{aggregation}");
}

#[test]
fn a_lost_cluster_whose_error_has_other_words_each_time_is_not_written_down_each_time() {
    let mut world = calm();
    world.spoke(2).is_up = false;
    world.pass(S(40));
    let writes = world.writes.len();
    for number in 0..60 {
        world.spoke(2).trouble = format!("connection {number} was refused").into();
        world.pass(S(1));
    }
    let about = world.writes[writes..].iter().filter(
        |(_, target, _)| matches!(target, Target::ClusterStatus(name) | Target::Lease(name) if *name == cluster(2)),
    );
    assert!(about.count() <= 2);
}

#[test]
fn records_that_somebody_deletes_come_back_for_a_cluster_that_is_lost_too() {
    let mut world = calm();
    world.spoke(2).is_up = false;
    world.pass(S(15));
    world.store.delete(What::Endpoint, &ObjectName::new("shop", "gateway-web"));
    world.pass(S(5));
    let targets = endpoint(&world).unwrap()["spec"]["endpoints"][0]["targets"].clone();
    assert_eq!(targets, json!(["10.0.1.1", "10.0.2.1", "10.0.3.1"]));
}

#[test]
fn a_cluster_that_joins_again_keeps_the_report_that_was_to_go() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "instanceStatuses": "Always" })));
    world.pass(S(5));
    world.fate = Fate::Refused(Refusal::Conflict);
    world.spoke(2).is_joined = false;
    world.pass(S(2));
    world.spoke(2).is_up = false;
    world.spoke(2).is_joined = true;
    world.pass(MS(20));
    world.fate = Fate::Well;
    world.pass_and(S(15), |world| assert_eq!(reports(world).len(), 3));
}

#[test]
fn a_strict_hub_does_not_call_bad_what_it_has_not_heard_yet() {
    let mut world = calm();
    world.aggregate("gateways", gateways(&json!({ "unknown": "TreatAsBad" })));
    world.pass(S(3));
    assert_eq!(programmed(&world), "True");
    world.restart();
    world.pass_and(S(5), |world| assert_eq!(programmed(world), "True"));
}

#[test]
fn a_cluster_that_is_asked_for_by_name_is_missed_when_it_is_not_there() {
    let mut world = calm();
    let spec = gateways(&json!({ "clusters": { "names": ["cluster-1", "cluster-2", "cluster-9"] } }));
    world.aggregate("gateways", spec);
    world.pass(S(3));
    assert_eq!(programmed(&world), "Unknown");
    assert_eq!(addresses(&world), ["cluster-1/10.0.1.1", "cluster-2/10.0.2.1"]);
    let status = world.store.get(What::Aggregation, &ObjectName::new("", "gateways")).unwrap();
    assert_eq!(status["status"]["conditions"][0]["status"], "Unknown", "{status}");
    assert_eq!(status["status"]["clusters"]["display"], "2/3");
}
