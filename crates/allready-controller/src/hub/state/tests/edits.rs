//! Aggregations that come, go, and are edited.

use allready_core::Status;
use allready_kube::refusal::Refusal;
use serde_json::{Value, json};

use super::{
    samples::{addresses, calm, daemon, endpoint, gateways, programmed, reports, well},
    store::{What, managers},
    world::{Fate, MS, S, World, named, web},
};
use crate::hub::{HubEvent, ObjectEvent};

#[test]
fn an_aggregation_that_chooses_another_kind_gives_the_objects_of_the_first_one_back() {
    let mut world = calm();
    world.edit(What::DaemonSet, &web(), daemon);
    world.aggregate(
        "gateways",
        gateways(&json!({
            "targetRef": { "apiVersion": "apps/v1", "kind": "DaemonSet" },
            "rows": [], "dns": null, "instanceStatuses": "Always",
        })),
    );
    for number in 1..=3 {
        world.say(number, What::DaemonSet, &web(), Some(well(number)));
    }
    world.pass(S(10));
    assert!(managers(world.store.get(What::Gateway, &web()).unwrap()).is_empty());
    assert_eq!(world.status(What::DaemonSet, &web(), "Programmed").unwrap(), "True");
    assert!(endpoint(&world).is_none());
    assert_eq!(reports(&world).len(), 3);
    world.aggregate("gateways", gateways(&json!({ "instanceStatuses": "Always" })));
    world.pass(S(10));
    assert!(managers(world.store.get(What::DaemonSet, &web()).unwrap()).is_empty());
    assert_eq!(programmed(&world), "True");
    assert_eq!(reports(&world).len(), 3, "{:?}", reports(&world));
}

#[test]
fn an_edited_selector_takes_no_addresses_away() {
    let mut world = calm();
    let mut spec = gateways(&Value::Null);
    spec["selector"] = json!({ "matchExpressions": [{ "key": "aggregated", "operator": "Exists" }] });
    world.stalled = true;
    let edited = json!({ "metadata": { "name": "gateways", "generation": 2 }, "spec": spec });
    world.see(HubEvent::Aggregations(ObjectEvent::Apply(named("gateways"), Box::new(edited))));
    world.aggregate("gateways", spec);
    world.pass_and(S(1), |world| assert_eq!(addresses(world).len(), 3));
    world.stalled = false;
    world.pass_and(S(10), |world| assert_eq!(addresses(world).len(), 3));
}

#[test]
fn the_second_aggregation_of_an_object_leaves_it_to_the_first() {
    let mut world = calm();
    world.aggregate("another", gateways(&json!({ "conditions": [{ "type": "Accepted" }], "dns": null })));
    world.pass(S(10));
    let object = world.store.get(What::Gateway, &web()).unwrap();
    assert_eq!(managers(object), ["allready-hub/another".to_owned()].into());
    assert_eq!(programmed(&world), "nothing");
    assert_eq!(world.status(What::Gateway, &web(), "Accepted").unwrap(), "Unknown");
    assert!(endpoint(&world).is_none());
    // The first one does not choose it any more.
    let mut spec = gateways(&Value::Null);
    spec["selector"] = json!({ "matchLabels": { "aggregated": "no" } });
    world.aggregate("another", spec);
    world.pass(S(10));
    let object = world.store.get(What::Gateway, &web()).unwrap();
    assert_eq!(managers(object), ["allready-hub/gateways".to_owned()].into());
    assert_eq!(programmed(&world), "True");
    let second = world.store.get(What::Aggregation, &named("gateways")).unwrap();
    assert_eq!(second["status"]["conditions"][0]["status"], "True", "{second}");
    assert!(endpoint(&world).is_some());
}

#[test]
fn an_aggregation_that_is_made_again_keeps_the_reports_of_clusters_that_are_not_heard() {
    let mut world = calm();
    let always = gateways(&json!({ "instanceStatuses": "Always" }));
    world.aggregate("gateways", always.clone());
    world.pass(S(5));
    world.spoke(2).is_up = false;
    world.fate = Fate::Refused(Refusal::Unanswered);
    world.store.delete(What::Aggregation, &named("gateways"));
    world.pass(S(3));
    world.aggregate("gateways", always);
    world.pass(MS(50));
    world.fate = Fate::Well;
    world.pass_and(S(15), |world| assert_eq!(reports(world).len(), 3));
}

#[test]
fn records_that_another_aggregation_wants_too_stay_when_the_first_one_goes() {
    let mut world = calm();
    world.aggregate("others", gateways(&Value::Null));
    world.pass(S(3));
    world.store.delete(What::Aggregation, &named("gateways"));
    world.pass_and(S(10), |world| assert!(endpoint(world).is_some()));
    assert_eq!(endpoint(&world).unwrap()["metadata"]["labels"]["allready.dev/aggregation"], "others");
}

#[test]
fn rows_outlast_a_plan_that_is_edited_while_their_cluster_is_lost() {
    let mut world = calm();
    world.spoke(2).is_up = false;
    world.pass(S(12));
    let spec = gateways(&json!({ "conditions": [{ "type": "Programmed" }, { "type": "Accepted" }] }));
    world.aggregate("gateways", spec);
    world.pass(S(15));
    assert_eq!(programmed(&world), "Unknown");
    assert!(addresses(&world).contains(&"cluster-2/10.0.2.1".to_owned()));
}

#[test]
fn an_aggregation_whose_objects_were_never_seen_is_not_ready() {
    let mut world = World::new();
    world.failing.insert(What::Gateway);
    world.aggregate("gateways", gateways(&Value::Null));
    let ready = |world: &World| world.status(What::Aggregation, &named("gateways"), "Ready");
    world.pass_and(S(20), |world| assert_ne!(ready(world).as_deref(), Some("True")));
    assert_eq!(ready(&world).unwrap(), Status::Unknown.to_string());
}

#[test]
fn what_is_to_be_taken_away_stays_for_an_aggregation_of_the_same_name_that_is_made_meanwhile() {
    let mut world = calm();
    world.is_leading = false;
    world.store.delete(What::Aggregation, &named("gateways"));
    world.restart();
    world.pass(S(3));
    // Its objects cannot be seen, so nobody can say that they are not chosen.
    world.failing.insert(What::Gateway);
    world.aggregate("gateways", gateways(&Value::Null));
    world.pass(S(3));
    world.is_leading = true;
    world.pass_and(S(30), |world| assert_eq!(addresses(world).len(), 3));
    world.store.delete(What::Aggregation, &named("gateways"));
    world.pass(S(5));
    assert!(managers(world.store.get(What::Gateway, &web()).unwrap()).is_empty());
}
