//! Objects that Open Cluster Management places.

use serde_json::{Value, json};

use super::{
    samples::{Said, calm, endpoint, gateways, unwell},
    store::What,
    world::{S, World, web},
};
use crate::hub::{HubEvent, ObjectEvent, ObjectName, PLACEMENT_LABEL};

fn applied(decision: Value) -> ObjectEvent {
    ObjectEvent::Apply(ObjectName::new("shop", "eu-decision-1"), Box::new(decision))
}

fn decided(clusters: &[&str]) -> ObjectEvent {
    let decisions = clusters.iter().map(|name| json!({ "clusterName": name, "reason": "" }));
    applied(json!({
        "metadata": { "namespace": "shop", "name": "eu-decision-1", "labels": { PLACEMENT_LABEL: "eu" } },
        "status": { "decisions": decisions.collect::<Vec<_>>() },
    }))
}

fn says(world: &World) -> (String, String) {
    let object = world.store.get(What::Gateway, &web()).unwrap();
    let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let found =
        conditions.iter().find(|condition| condition["type"] == "Programmed").cloned().unwrap_or_default();
    (
        found["status"].as_str().unwrap_or_default().to_owned(),
        found["message"].as_str().unwrap_or_default().to_owned(),
    )
}

fn rows(world: &World) -> Vec<String> {
    let object = world.store.get(What::Gateway, &web()).unwrap();
    let rows = object["status"]["addresses"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| row["value"].as_str().unwrap().split('/').next().unwrap().to_owned()).collect()
}

/// A Gateway that is placed by the Placement `eu`. Nothing is known of that yet.
fn placed() -> World {
    let mut world = calm();
    world.edit(What::Gateway, &web(), |object| object["metadata"]["labels"][PLACEMENT_LABEL] = "eu".into());
    world.aggregate("gateways", gateways(&json!({ "placement": { "type": "Decided" } })));
    world.say(3, What::Gateway, &web(), Some(unwell(3, "False")));
    world
}

fn see(world: &mut World, changes: impl IntoIterator<Item = ObjectEvent>) {
    for change in changes {
        world.see(HubEvent::Decisions(change));
    }
}

#[test]
fn an_instance_is_expected_where_it_was_decided() {
    let mut world = placed();
    assert!(!world.hub().wants_decisions());
    world.pass(S(1));
    assert!(world.hub().wants_decisions());
    see(&mut world, [ObjectEvent::Init, decided(&["cluster-1", "cluster-2"]), ObjectEvent::InitDone]);
    world.pass(S(3));
    assert_eq!(says(&world).0, "True");
    assert_eq!(rows(&world), ["cluster-1", "cluster-2"]);
    see(&mut world, [decided(&["cluster-2", "cluster-3"])]);
    world.pass(S(3));
    assert_eq!(
        (says(&world).0.as_str(), rows(&world)),
        ("False", vec!["cluster-2".to_owned(), "cluster-3".to_owned()])
    );
    see(&mut world, [decided(&[])]);
    world.pass(S(3));
    assert_eq!(says(&world).0, "Unknown", "an empty list is a decision");
    assert!(rows(&world).is_empty());
}

#[test]
fn decisions_that_are_missing_or_cannot_be_seen_take_nobody_away() {
    let mut world = placed();
    world.pass(S(1));
    see(&mut world, [ObjectEvent::Init, decided(&["cluster-1", "cluster-2"]), ObjectEvent::InitDone]);
    world.pass(S(3));
    let name = ObjectName::new("shop", "eu-decision-1");
    let unfilled = json!({ "metadata": { "namespace": "shop", "name": "eu-decision-1", "labels": { PLACEMENT_LABEL: "eu" } } });
    for (change, why) in [
        (ObjectEvent::Delete(name), "there is no PlacementDecision of the Placement eu in its namespace"),
        (applied(unfilled), "the PlacementDecision shop/eu-decision-1 does not say anything yet"),
    ] {
        see(&mut world, [change]);
        world.pass(S(60));
        assert_eq!(rows(&world), ["cluster-1", "cluster-2"]);
        let (status, message) = says(&world);
        assert_eq!((status.as_str(), message.contains(why)), ("Unknown", true), "{message}");
    }
    see(&mut world, [decided(&["cluster-1", "cluster-2"])]);
    world.pass(S(3));
    assert_eq!(says(&world).0, "True");
    see(&mut world, [ObjectEvent::Failed("forbidden".into())]);
    world.pass(S(4));
    assert_eq!(says(&world).0, "True", "it has not been long");
    world.pass(S(4));
    assert!(
        says(&world).1.contains("the PlacementDecisions cannot be seen: forbidden"),
        "{:?}",
        says(&world)
    );
    assert_eq!((says(&world).0.as_str(), rows(&world).len()), ("Unknown", 2));
    see(&mut world, [ObjectEvent::Init, decided(&["cluster-1"]), ObjectEvent::InitDone]);
    world.pass(S(3));
    assert_eq!((says(&world).0.as_str(), rows(&world)), ("True", vec!["cluster-1".to_owned()]));
}

#[test]
fn a_controller_that_begins_waits_for_decisions_and_not_for_ever() {
    let mut world = placed();
    world.pass(S(1));
    see(&mut world, [ObjectEvent::Init, decided(&["cluster-1", "cluster-2"]), ObjectEvent::InitDone]);
    world.pass(S(3));
    let stood: Value = world.store.get(What::Gateway, &web()).unwrap()["status"].clone();
    world.restart();
    world.pass(S(4));
    assert_eq!(world.store.get(What::Gateway, &web()).unwrap()["status"], stood);
    world.pass(S(4));
    assert_eq!((says(&world).0.as_str(), rows(&world).len()), ("Unknown", 2));
}

#[test]
fn decisions_that_are_not_seen_yet_take_no_record_away_that_has_no_row() {
    let mut world = placed();
    let spec = gateways(&json!({ "placement": { "type": "Decided" }, "rows": ["Addresses"] }));
    world.aggregate("gateways", spec);
    for number in 1..=3 {
        let said = Said { programmed: "True", addresses: (number, 8), routes: [1, 1], hub_generation: 1 };
        world.say(number, What::Gateway, &web(), Some(said.object()));
    }
    world.pass(S(1));
    let all = ["cluster-1", "cluster-2", "cluster-3"];
    see(&mut world, [ObjectEvent::Init, decided(&all), ObjectEvent::InitDone]);
    world.pass(S(20));
    assert_eq!(rows(&world).len(), 16, "the third cluster has no row");
    let targets = |world: &World| {
        let endpoint = endpoint(world).unwrap()["spec"].to_string();
        (1..=3).map(|number| endpoint.matches(&format!("\"10.0.{number}.")).count()).collect::<Vec<_>>()
    };
    let stood = targets(&world);
    assert_eq!(stood, [16, 16, 16]);
    world.restart();
    world.pass_and(S(60), |world| assert_eq!(targets(world), stood, "{:?}", world.now));
    assert_eq!(says(&world).0, "Unknown");
    see(&mut world, [ObjectEvent::Init, decided(&all[..2]), ObjectEvent::InitDone]);
    world.pass(S(20));
    assert_eq!(targets(&world), [16, 16, 0]);
}

#[test]
fn decisions_are_waited_for_from_when_they_are_wanted() {
    let mut world = calm();
    world.pass(S(600));
    world.edit(What::Gateway, &web(), |object| object["metadata"]["labels"][PLACEMENT_LABEL] = "eu".into());
    world.aggregate("gateways", gateways(&json!({ "placement": { "type": "Decided" } })));
    world.pass_and(S(3), |world| assert_eq!(says(world).0, "True"));
    see(&mut world, [ObjectEvent::Init, decided(&["cluster-1", "cluster-2"]), ObjectEvent::InitDone]);
    world.pass_and(S(3), |world| assert_eq!(says(world).0, "True"));
}

#[test]
fn an_object_that_nothing_places_any_more_is_not_left_green_and_leaves_dns() {
    let mut world = calm();
    let place = |world: &mut World, placement: &str, grace: u64| {
        let dns = json!({ "graceSeconds": grace });
        let placement = json!({ "type": placement });
        world.aggregate("gateways", gateways(&json!({ "placement": placement, "dns": dns })));
    };
    world.edit(What::Gateway, &web(), |object| {
        object["metadata"]["annotations"] = json!({ "allready.dev/clusters": "cluster-1" });
    });
    place(&mut world, "Annotated", 3600);
    world.pass(S(5));
    assert_eq!(says(&world), ("True".to_owned(), "Programmed is True on 1 of 1 instances".to_owned()));
    world.spoke(2).is_up = false;
    world.pass(S(15));
    place(&mut world, "Decided", 3600);
    world.pass(S(1));
    see(&mut world, [ObjectEvent::Init, ObjectEvent::InitDone]);
    world.pass(S(160));
    assert_eq!(says(&world).0, "Unknown");
    // Whether its cluster answers does not matter for an object that is not placed there.
    place(&mut world, "Decided", 5);
    world.pass(S(20));
    assert_eq!(endpoint(&world).unwrap()["spec"]["endpoints"], json!([]));
}
