//! Somebody else on the hub who writes the same condition.

use serde_json::json;

use super::{
    samples::{calm, programmed, unwell},
    store::What,
    world::{S, World, web},
};
use crate::hub::Place;

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
    let is_status = |place: &Place| matches!(place, Place::Status { .. });
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
    let is_status = |place: &Place| matches!(place, Place::Status { .. });
    let writes = world.writes[from..].iter().filter(|(_, place, _)| is_status(place)).count();
    assert!((4..=12).contains(&writes), "{writes}");
}
