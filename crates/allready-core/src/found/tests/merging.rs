//! Lists with duplicates and strange entries, and what becomes of them.

use serde_json::json;

use super::super::{IrregularityKind as Kind, read};
use super::{time, with, without};
use crate::rollup::{Context, Input, Policy};
use crate::{Condition, Generation, Standing, Status, Time, condition_type, reason};

#[test]
fn an_entry_that_is_no_object_keeps_its_place_and_is_never_good_news() {
    let conditions = json!([with("type", json!("A")), "B is broken", null, [1, 2], with("type", json!("C"))]);
    let list = read(&conditions);
    assert_eq!(list.conditions().len(), 5);
    assert_eq!(list.conditions()[1].raw, "B is broken");
    assert_eq!(list.conditions()[1].status, Status::Unknown);
    let places: Vec<String> = list.irregularities().iter().map(|noted| noted.path.to_string()).collect();
    assert_eq!(places, ["conditions[1]", "conditions[2]", "conditions[3]"]);
    let inputs = list.conditions().iter().map(Input::from);
    let top = Policy::newest_cause().roll_up(inputs, &Context::new("Ready", Time::EPOCH)).unwrap();
    assert_eq!(top.status, Status::Unknown);
}

#[test]
fn each_repetition_of_a_type_points_to_the_first() {
    let conditions = json!([
        with("type", json!("A")),
        with("type", json!("B")),
        with("type", json!("A")),
        with("type", json!("A")),
        without("type"),
        without("type"),
    ]);
    let list = read(&conditions);
    let duplicates: Vec<_> = list
        .irregularities()
        .iter()
        .filter_map(|noted| match noted.kind {
            Kind::Duplicate { first } => Some((noted.path.to_string(), first)),
            _ => None,
        })
        .collect();
    assert_eq!(duplicates, [("conditions[2].type".to_owned(), 0), ("conditions[3].type".to_owned(), 0)]);
    assert_eq!(
        list.irregularities()[0].to_string(),
        "conditions[2].type repeats the type of entry 0; a list may have each type once (every entry is kept)"
    );
    assert_eq!(list.find_all("A").count(), 3);
}

#[test]
fn duplicates_that_agree_become_the_first_about_the_oldest_generation() {
    let mut second = with("observedGeneration", json!(1));
    second["reason"] = json!("Other");
    let conditions = json!([without("observedGeneration"), with("observedGeneration", json!(5)), second]);
    let merged = read(&conditions).to_conditions(Time::EPOCH);
    let first = Condition::new(
        condition_type!("Ready"),
        Status::True,
        reason!("Accepted"),
        "fine",
        time("2026-03-01T10:00:00Z"),
    );
    assert_eq!(merged, [first.observed(1)]);
    let input = Input::from(&merged[0]).against(Generation::from(5));
    assert_eq!(input.standing(), Standing::Unknown, "one of them was stale");
}

#[test]
fn duplicates_that_disagree_are_unknown_since_the_last_change() {
    let mut newer = with("status", json!(false));
    newer["lastTransitionTime"] = json!("2026-03-02T10:00:00Z");
    newer["message"] = json!("disk sda is full");
    let conditions =
        json!([with("reason", json!("")), newer, without("status"), with("type", json!("Other"))]);
    let merged = read(&conditions).to_conditions(Time::EPOCH);
    assert_eq!(merged.len(), 2);
    assert_eq!(merged[0].status, Status::Unknown);
    assert_eq!(merged[0].last_transition_time, time("2026-03-02T10:00:00Z"));
    assert_eq!(
        merged[0].message,
        "Ready is listed 3 times and the entries disagree: entry 0 says True (fine); entry 1 says False (Accepted: \
         disk sda is full); entry 2 says Unknown (Accepted: fine)"
    );
    assert_eq!((merged[1].type_.as_str(), merged[1].status), ("Other", Status::True));
}

#[test]
fn types_that_become_the_same_legal_one_are_merged_too() {
    let mut second = with("type", json!("Ready?"));
    second["status"] = json!("False");
    let conditions = json!([with("type", json!("Ready!")), second, "not an object", {}]);
    let merged = read(&conditions).to_conditions(Time::EPOCH);
    let seen: Vec<_> = merged.iter().map(|condition| (condition.type_.as_str(), condition.status)).collect();
    assert_eq!(seen, [("Ready_x", Status::Unknown), ("Untyped", Status::Unknown)]);
}
