//! What holds whatever the clusters say, and in whatever order.

use std::collections::BTreeSet;

use allready_core::Status;
use proptest::prelude::*;
use serde_json::json;

use super::*;

const CLUSTERS: [&str; 5] = ["cluster-1", "cluster-2", "cluster-3", "cluster-4", "cluster-5"];

/// A fact about one cluster.
#[derive(Clone, Debug)]
enum Fact {
    Choose,
    Forget,
    Heard(Option<Value>),
    Doubt(Option<Doubt>),
}

fn object() -> impl Strategy<Value = Value> {
    // Mostly good, so that all of them are now and then.
    let status =
        prop_oneof![9 => Just("True"), 1 => Just("False"), 1 => Just("Unknown"), 1 => Just("Absent")];
    let flags = (prop::bool::weighted(0.1), prop::bool::weighted(0.1));
    let generation = prop::option::of(1_i64..4);
    (status, "[ -~\n]{0,40}", generation, 0..12_usize, 0..40_usize, flags, 0_i64..9).prop_map(
        |(status, message, generation, addresses, listeners, (leaving, behind), number)| {
            let mut condition = said("Programmed", status, &message);
            condition["observedGeneration"] = json!(if behind { 1 } else { 2 });
            let conditions = if status == "Absent" { json!([]) } else { json!([condition]) };
            let mut metadata = json!({ "generation": 2, "annotations": {} });
            if let Some(generation) = generation {
                metadata["annotations"]["allready.dev/hub-generation"] = json!(generation.to_string());
            }
            if leaving {
                metadata["deletionTimestamp"] = json!("2026-03-01T10:00:00Z");
            }
            let address = |row: usize| match row % 5 {
                4 => json!({ "type": "Hostname", "value": "h".repeat(row * 60) }),
                _ => json!({ "value": format!("10.0.0.{row}") }),
            };
            let listener = |row: usize| match row % 7 {
                5 => json!({ "name": format!("Listener_{row}"), "attachedRoutes": 1 }),
                6 => json!({ "name": format!("l{row}") }),
                _ => json!({ "name": format!("l{row}"), "attachedRoutes": row }),
            };
            json!({
                "metadata": metadata,
                "spec": { "gatewayClassName": "a", "number": number % 2 },
                "status": {
                    "conditions": conditions,
                    "addresses": (0..addresses).map(address).collect::<Vec<_>>(),
                    "listeners": (0..listeners).map(listener).collect::<Vec<_>>(),
                },
            })
        },
    )
}

fn doubt() -> impl Strategy<Value = Option<Doubt>> {
    prop_oneof![
        6 => Just(None),
        1 => Just(Some(Doubt::Pending)),
        1 => Just(Some(Doubt::Unreachable { since: Some(at(7)), why: "connection refused".into() })),
        1 => Just(Some(Doubt::Unreadable { since: None, why: "forbidden".into() })),
    ]
}

fn fact() -> impl Strategy<Value = (usize, Fact)> {
    let fact = prop_oneof![
        2 => Just(Fact::Choose),
        1 => Just(Fact::Forget),
        5 => prop::option::weighted(0.9, object()).prop_map(Fact::Heard),
        2 => doubt().prop_map(Fact::Doubt),
    ];
    (0..CLUSTERS.len(), fact)
}

fn spec(placement: &str, unknown: &str) -> Value {
    let mut spec = gateway_with("placement", json!({ "type": placement }));
    spec["unknown"] = json!(unknown);
    spec
}

fn plans() -> impl Strategy<Value = Value> {
    let placement = prop::sample::select(vec!["Everywhere", "Annotated", "Found"]);
    let unknown = prop::sample::select(vec!["KeepUnknown", "TreatAsBad"]);
    (placement, unknown).prop_map(|(placement, unknown)| spec(placement, unknown))
}

fn stands(generation: i64, others: usize) -> Value {
    let others: Vec<_> = (0..others).map(|index| said(&format!("Other{index}"), "True", "")).collect();
    json!({
        "metadata": {
            "generation": generation,
            "annotations": { "allready.dev/clusters": "cluster-1,cluster-2,cluster-9" },
        },
        "spec": { "gatewayClassName": "a" },
        "status": { "conditions": others },
    })
}

fn tell(hub: &mut Hub, (name, fact): &(usize, Fact)) {
    let name = cluster(CLUSTERS[*name]);
    match fact {
        Fact::Choose => hub.subject.choose(&name),
        Fact::Forget => hub.subject.forget(&name),
        Fact::Heard(object) => {
            let instance = object.as_ref().map(|object| hub.reader.read(object).1);
            hub.subject.heard(&name, instance);
        }
        Fact::Doubt(doubt) => drop(hub.subject.doubt(&name, doubt.clone())),
    }
}

fn tell_all(hub: &mut Hub, facts: &[(usize, Fact)]) {
    for fact in facts {
        tell(hub, fact);
    }
}

/// The same facts, told to a new one in the order of the clusters, last ones first.
fn afresh(hub: &Hub, spec: Value) -> Hub {
    let mut fresh = Hub::new(spec);
    for (name, share) in hub.subject.shares().iter().rev() {
        if share.is_known {
            fresh.subject.heard(name, share.last.clone());
        }
        fresh.subject.doubt(name, share.doubt.clone());
        fresh.subject.choose(name);
    }
    fresh.subject.hub(hub.subject.facts().cloned());
    fresh
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn mc8_one_fact_at_a_time_comes_to_the_same_bytes_as_all_facts_told_afresh(
        spec in plans(), facts in prop::collection::vec(fact(), 0..40), generation in 1_i64..4, late in 0..40_usize,
    ) {
        let mut hub = Hub::new(spec.clone());
        for (index, fact) in facts.iter().enumerate() {
            if index == late {
                hub.stands(stands(2, 0));
            }
            tell(&mut hub, fact);
        }
        hub.stands(stands(generation, 3));
        let fresh = afresh(&hub, spec);
        prop_assert_eq!(hub.answer().status.to_string(), fresh.answer().status.to_string());
        prop_assert_eq!(hub.answer(), fresh.answer());
        prop_assert_eq!(hub.subject.is_pending(), fresh.subject.is_pending());
    }

    #[test]
    fn mc8_the_order_in_which_clusters_are_heard_changes_no_byte(
        objects in prop::collection::vec(prop::option::of(object()), CLUSTERS.len()),
        doubts in prop::collection::vec(doubt(), CLUSTERS.len()),
        order in Just((0..3 * CLUSTERS.len()).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let facts: Vec<(usize, Fact)> = (0..CLUSTERS.len()).flat_map(|index| [
            (index, Fact::Choose),
            (index, Fact::Heard(objects[index].clone())),
            (index, Fact::Doubt(doubts[index].clone())),
        ]).collect();
        let mut straight = Hub::new(gateway());
        tell_all(&mut straight, &facts);
        let mut shuffled = Hub::new(gateway());
        for index in order {
            tell(&mut shuffled, &facts[index]);
        }
        prop_assert_eq!(straight.answer().status.to_string(), shuffled.answer().status.to_string());
    }

    #[test]
    fn it_is_never_good_while_an_expected_instance_is_not_good_and_fresh(
        spec in plans(), facts in prop::collection::vec(fact(), 0..40), generation in 1_i64..4,
    ) {
        let mut hub = Hub::new(spec);
        tell_all(&mut hub, &facts);
        hub.stands(stands(generation, 0));
        let is_good = |name: &ClusterName| {
            let Some(share) = hub.subject.shares().get(name) else { return false };
            let Some(last) = &share.last else { return false };
            let is_behind = last.hub_generation.is_some_and(|seen| seen.get() < generation);
            let says = |said: &Said| matches!(
                said, Said::Condition { condition, is_behind: false } if condition.status == Status::True
            );
            share.is_known && share.doubt.is_none() && !last.is_leaving && !is_behind && says(&last.conditions[0])
        };
        let expected: Vec<_> = hub.subject.expected().collect();
        let is_all_good = !expected.is_empty() && expected.iter().all(|name| is_good(name));
        prop_assert_eq!(hub.words("Programmed").0 == "True", is_all_good);
        prop_assert_eq!(hub.answer().worst == Status::True, is_all_good);
    }

    #[test]
    fn mc13_mc20_what_is_written_is_always_within_the_limits_of_the_schema(
        spec in plans(), facts in prop::collection::vec(fact(), 0..40), others in 0..10_usize,
    ) {
        let mut hub = Hub::new(spec);
        tell_all(&mut hub, &facts);
        hub.stands(stands(1, others));
        let answer = hub.answer();
        let list = |name: &str| answer.status.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
        let (addresses, listeners, conditions) = (list("addresses"), list("listeners"), list("conditions"));
        prop_assert!(addresses.len() <= 16 && listeners.len() <= 64);
        prop_assert!(conditions.is_empty() || conditions.len() + others <= 8);
        for address in &addresses {
            prop_assert!(address["value"].as_str().unwrap().len() <= 253);
        }
        let names: BTreeSet<_> = listeners.iter().map(|row| row["name"].as_str().unwrap()).collect();
        prop_assert_eq!(names.len(), listeners.len());
        for name in names {
            prop_assert!(Limits::GATEWAY.against_listener(name).is_none(), "{}", name);
        }
        let types: BTreeSet<_> = conditions.iter().map(|one| one["type"].as_str().unwrap()).collect();
        prop_assert_eq!(types.len(), conditions.len());
        for condition in conditions {
            let legal: Condition = serde_json::from_value(condition).unwrap();
            prop_assert!(legal.message.as_str().len() <= 4096);
        }
        if addresses.len() == 16 || listeners.len() == 64 {
            let told = hub.subject.facts().is_some() && (others >= 8 || hub.words(AGGREGATED).0 != "True");
            let rows = hub.subject.shares().values().filter_map(|share| share.last.as_ref());
            prop_assert!(told || rows.map(|last| last.addresses.len()).sum::<usize>() <= 16);
        }
    }

    #[test]
    fn what_was_written_is_not_written_again(
        spec in plans(), facts in prop::collection::vec(fact(), 0..40), generation in 1_i64..4, others in 0..10_usize,
    ) {
        let mut hub = Hub::new(spec);
        tell_all(&mut hub, &facts);
        hub.stands(stands(generation, others));
        hub.write(at(50));
        let answer = hub.subject.answer(at(60));
        prop_assert!(!answer.differs, "{} stands, {} is wanted", json!(hub.subject.facts().unwrap().conditions), answer.status);
    }
}
