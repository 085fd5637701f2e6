//! Conditions of early versions of the Gateway API, each read from the table of them.

use serde_json::{Value, json};

use crate::{
    health::Health,
    judge::{Verdict, judge},
    registry::{
        Registry,
        gateway::{GROUPS, OLD, On},
    },
};
use allready_core::{Polarity, Standing, Time};

/// An object that is well but for what this condition says.
fn with(group: &str, on: On, condition: &Value) -> Value {
    let ready = json!({ "type": "Ready", "status": "True" });
    let accepted = json!({ "type": "Accepted", "status": "True" });
    let (kind, status) = match on {
        On::Gateway => ("Gateway", json!({ "conditions": [ready, condition] })),
        On::Listener => (
            "Gateway",
            json!({ "conditions": [ready], "listeners": [{ "name": "web", "conditions": [condition] }] }),
        ),
        On::RouteParent => ("HTTPRoute", json!({ "parents": [{ "conditions": [accepted, condition] }] })),
    };
    json!({ "apiVersion": format!("{group}/v1"), "kind": kind, "metadata": { "name": "web" }, "status": status })
}

fn verdict(group: &str, on: On, type_: &str, status: &str, registry: &Registry) -> Verdict {
    let condition = json!({ "type": type_, "status": status });
    judge(&with(group, on, &condition), registry, Time::EPOCH)
}

/// Every early condition and every alternative, with its place and polarity.
fn every() -> impl Iterator<Item = (On, &'static str, Polarity)> {
    OLD.iter().flat_map(|old| {
        let alternative = old.alternative.map(|type_| (old.on, type_, Polarity::NormalTrue));
        [(old.on, old.type_, old.polarity)].into_iter().chain(alternative)
    })
}

#[test]
fn fourteen_early_types_are_negative_and_seven_alternatives_positive() {
    assert_eq!(OLD.iter().filter(|old| old.polarity == Polarity::AbnormalTrue).count(), 14);
    let alternatives: std::collections::BTreeSet<&str> =
        OLD.iter().filter_map(|old| old.alternative).collect();
    assert_eq!(alternatives.len(), 7);
}

#[test]
fn every_early_condition_is_well_while_good_and_unwell_while_bad() {
    for group in GROUPS {
        for (on, type_, polarity) in every() {
            let said =
                |standing| verdict(group, on, type_, polarity.status(standing).as_str(), Registry::builtin());
            let good = said(Standing::Good);
            assert_eq!(good.health, Health::Healthy, "{group} {type_}: {good:?}");
            // Of two that are called Ready, one is the Ready of the object.
            let bad = said(Standing::Bad);
            assert!(bad.health > Health::Suspended, "{group} {type_}: {bad:?}");
            assert!(bad.field.ends_with(&format!("[{type_}]")), "{group} {type_}: {bad:?}");
        }
    }
}

#[test]
fn the_names_of_early_conditions_say_enough_for_any_kind() {
    for (on, type_, polarity) in every() {
        for (standing, is_well) in [(Standing::Good, true), (Standing::Bad, false)] {
            let status = polarity.status(standing);
            let found = verdict("example.com", on, type_, status.as_str(), &Registry::empty());
            assert_eq!(found.health == Health::Healthy, is_well, "{type_}={status}: {found:?}");
        }
    }
}

#[test]
fn a_scheduled_that_an_old_schema_left_behind_is_no_news() {
    let waiting = verdict(GROUPS[0], On::Gateway, "Scheduled", "Unknown", Registry::builtin());
    assert_eq!(waiting.health, Health::Healthy, "{waiting:?}");
}
