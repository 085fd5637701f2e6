//! What always holds, whatever an object says.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::wait::*;

fn condition() -> impl Strategy<Value = Value> {
    (0_u8..3, 0_u8..4, prop::option::of(0_i64..5)).prop_map(|(type_, status, observed)| {
        let status = ["True", "False", "Unknown", "odd"][usize::from(status)];
        let type_ = ["A", "B", "C"][usize::from(type_)];
        json!({ "type": type_, "status": status, "observedGeneration": observed })
    })
}

fn object() -> impl Strategy<Value = Value> {
    (prop::collection::vec(condition(), 0..6), prop::option::of(0_i64..5), prop::option::of(0_i64..5))
        .prop_map(|(conditions, generation, observed)| {
            json!({
                "metadata": { "generation": generation },
                "status": { "observedGeneration": observed, "conditions": conditions },
            })
        })
}

proptest! {
    #[test]
    fn a_stricter_wait_is_never_met_where_a_laxer_one_is_not(object in object()) {
        for type_ in ["A", "B", "C"] {
            let met = |expectation: HasCondition| expectation.judge(&object).is_met();
            let (any, plain, current) =
                (has_condition(type_).any_generation(), has_condition(type_), has_condition(type_).current());
            prop_assert!(!met(current) || met(plain.clone()));
            prop_assert!(!met(plain.clone()) || met(any.clone()));
            prop_assert!(!met(any.clone()) || met(any.any_status()));
            prop_assert!(!(met(plain.clone()) && met(plain.is_false())), "never both");
        }
    }

    #[test]
    fn together_they_are_what_they_are_alone(object in object()) {
        let met = |expectation: Expectation| expectation.judge(&object).is_met();
        let (a, b) = (|| has_condition("A"), || has_condition("B"));
        let alone = (met(a().into()), met(b().into()));
        prop_assert_eq!(met(all_of([a(), b()])), alone.0 && alone.1);
        prop_assert_eq!(met(any_of([a(), b()])), alone.0 || alone.1);
        let guarded = a().unless(b()).judge(&object);
        prop_assert_eq!(guarded.has_failed(), alone.1);
        prop_assert_eq!(guarded.is_met(), alone.0 && !alone.1);
    }

    /// kubectl takes the first of several entries of a type; here all of them count.
    #[test]
    fn what_kubectl_would_not_take_is_not_taken(object in object()) {
        let conditions = object["status"]["conditions"].as_array().unwrap();
        let first = conditions.iter().find(|condition| condition["type"] == "A");
        let generation = object["metadata"]["generation"].as_i64();
        let kubectl = first.is_some_and(|condition| {
            let observed = condition["observedGeneration"].as_i64().filter(|n| *n > 0);
            let observed = observed.or(object["status"]["observedGeneration"].as_i64().filter(|n| *n > 0));
            let behind = generation.zip(observed).is_some_and(|(generation, observed)| observed < generation);
            !behind && condition["status"] == "True"
        });
        prop_assert!(!has_condition("A").judge(&object).is_met() || kubectl);
    }
}
