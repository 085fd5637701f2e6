//! Somebody else on the hub who writes the same condition.

use serde_json::json;

use super::{
    samples::{calm, gateways, programmed, unwell},
    store::What,
    world::{Fate, MS, S, World, named, web},
};
use crate::hub::Target;

/// Somebody else on the hub who says that all is well, whenever the status says something else.
fn meddle(world: &mut World) {
    let other = json!({ "status": { "conditions": [{
        "type": "Programmed", "status": "True", "reason": "Programmed", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z",
    }] } });
    if programmed(world) != "True" {
        world.store.apply_status(What::Gateway, &web(), "other-controller", &other);
    }
}

#[test]
fn somebody_who_keeps_writing_the_same_condition_is_told_and_does_not_win_and_costs_little() {
    let mut world = calm();
    world.say(2, What::Gateway, &web(), Some(unwell(2, "False")));
    let from = world.writes.len();
    world.pass_and(S(60), meddle);
    let is_status = |target: &Target| matches!(target, Target::Status(_));
    let writes = world.writes[from..].iter().filter(|(_, place, _)| is_status(place)).count();
    assert!((30..=70).contains(&writes), "one a second, and no more: {writes}");
    let object = world.store.get(What::Gateway, &web()).unwrap();
    let conditions = object["status"]["conditions"].as_array().unwrap();
    let told = conditions.iter().find(|found| found["type"] == "allready.dev/Aggregated").unwrap();
    assert_eq!((&told["status"], &told["reason"]), (&json!("False"), &json!("ForeignWriter")));
    let message = told["message"].as_str().unwrap();
    assert!(
        message.starts_with("other-controller writes the condition Programmed of this object too"),
        "{message}"
    );

    world.pass(S(5));
    assert_eq!(programmed(&world), "False", "who stops has not won");
    assert_eq!(world.status(What::Gateway, &web(), "allready.dev/Aggregated").as_deref(), Some("False"));
    world.pass(S(310));
    assert_eq!(world.status(What::Gateway, &web(), "allready.dev/Aggregated").as_deref(), Some("True"));
}

#[test]
fn somebody_who_says_worse_of_an_object_is_overwritten_twice_a_minute() {
    let mut world = calm();
    let from = world.writes.len();
    world.pass_and(S(120), |world| {
        let other = json!({ "status": { "conditions": [{ "type": "Programmed", "status": "False", "reason": "No",
            "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] } });
        if programmed(world) != "False" {
            world.store.apply_status(What::Gateway, &web(), "other-controller", &other);
        }
    });
    let is_status = |target: &Target| matches!(target, Target::Status(_));
    let writes = world.writes[from..].iter().filter(|(_, place, _)| is_status(place)).count();
    assert!((4..=12).contains(&writes), "{writes}");
}

/// Somebody who edits the condition by hand, once, just after it was written.
fn edit(world: &mut World, programmed: &str) {
    let other = json!({ "status": { "conditions": [{
        "type": "Programmed", "status": programmed, "reason": "ByHand", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z",
    }] } });
    world.store.apply_status(What::Gateway, &web(), "kubectl", &other);
}

#[test]
fn an_answer_that_comes_late_does_not_count_the_same_turn_twice() {
    let mut world = calm();
    world.fate = Fate::Slow;
    edit(&mut world, "False");
    let from = world.writes.len();
    while world.writes.len() == from {
        world.pass(MS(20));
    }
    world.pass(MS(100));
    edit(&mut world, "Unknown");
    world.pass(S(10));
    assert_eq!(world.hub().aggregations["gateways"].contests[&web()].turns(), 2);
    assert_eq!(world.status(What::Gateway, &web(), "allready.dev/Aggregated").as_deref(), Some("True"));
}

#[test]
fn neither_a_restart_nor_an_aggregation_that_yields_accuses_anybody() {
    let mut world = calm();
    for _ in 0..4 {
        world.restart();
        world.pass(S(5));
        world.aggregate("another", gateways(&json!({ "dns": null })));
        world.pass(S(5));
        world.store.delete(What::Aggregation, &named("another"));
        world.pass(S(5));
        world.relist();
        world.pass_and(S(5), |world| {
            let object = world.store.get(What::Gateway, &web()).unwrap();
            assert!(!object["status"].to_string().contains("ForeignWriter"), "{object}");
        });
    }
    assert_eq!(programmed(&world), "True");
}

#[test]
fn two_aggregations_that_take_an_object_from_each_other_are_told_as_such_and_not_as_strangers() {
    let mut world = calm();
    for _ in 0..5 {
        world.aggregate("another", gateways(&json!({ "dns": null })));
        world.pass(S(3));
        world.store.delete(What::Aggregation, &named("another"));
        world.pass_and(S(3), |world| {
            let object = world.store.get(What::Gateway, &web()).unwrap();
            assert!(!object["status"].to_string().contains("writes the condition"), "{object}");
        });
    }
}
