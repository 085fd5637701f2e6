//! What holds for any JSON whatsoever.

use proptest::prelude::*;
use serde_json::{Map, Number, Value, json};

use super::super::{FoundObject, of_object, read};
use crate::condition::rfc3339;
use crate::rollup::{Context, Input, Policy};
use crate::{Condition, ConditionType, Generation, Polarity, Reason, Standing, Status, Time};

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Value::Null, Value::Number)),
        (-2_i64..5).prop_map(Value::from),
        (0_i64..200_000_000_000).prop_map(Value::from),
    ]
}

/// Any JSON.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        number(),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 48, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            proptest::collection::vec((field_name(), inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

fn field_name() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "type",
            "status",
            "reason",
            "message",
            "lastTransitionTime",
            "observedGeneration",
            "conditions",
            "metadata",
            "generation",
            "creationTimestamp",
            "deletionTimestamp",
            "kind",
            "name",
            "namespace",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ]
}

/// A time as somebody might write it.
fn time_like() -> impl Strategy<Value = String> {
    "( )?[0-9]{4}-[01][0-9]-[0-3][0-9][Tt ][0-2][0-9]:[0-6][0-9]:[0-6][0-9]([.,][0-9]{0,11})?( )?(Z|z|UTC|[+-][0-2][0-9](:)?([0-6][0-9])?)?(.{0,2})"
}

/// A condition with some fields right, some almost right, and some missing.
fn almost_a_condition() -> impl Strategy<Value = Value> {
    let word = |words: &'static [&'static str]| proptest::sample::select(words).prop_map(Value::from);
    let fields = (
        prop_oneof![3 => word(&["Ready", "Synced", "Ready!", "a/b", ""]), 1 => anything()],
        prop_oneof![4 => word(&["True", "False", "Unknown"]), 1 => word(&["true", " FALSE", "1"]), 1 => anything()],
        prop_oneof![3 => word(&["Accepted", "A:", "", "two words"]), 1 => anything()],
        prop_oneof![3 => any::<String>().prop_map(Value::from), 1 => anything()],
        prop_oneof![
        3 => word(&["2026-03-01T10:00:00Z", "2025-12-31T23:59:59.5-07:00"]),
        3 => time_like().prop_map(Value::from),
        1 => anything(),
        ],
        prop_oneof![3 => (0..5).prop_map(Value::from), 1 => number(), 1 => anything()],
    );
    (fields, any::<u8>(), 0..20_u8).prop_map(
        |((type_, status, reason, message, since, observed), keep, odd)| {
            if odd == 0 {
                return since;
            }
            let fields = [
                ("type", type_),
                ("status", status),
                ("reason", reason),
                ("message", message),
                ("lastTransitionTime", since),
                ("observedGeneration", observed),
            ];
            // Most of the time all fields are there.
            let kept = fields.into_iter().enumerate().filter(|(bit, _)| odd > 5 || keep & (1 << bit) != 0);
            Value::Object(kept.map(|(_, (name, value))| (name.to_owned(), value)).collect::<Map<_, _>>())
        },
    )
}

fn any_list() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => proptest::collection::vec(almost_a_condition(), 0..8).prop_map(Value::Array),
        1 => anything(),
    ]
}

/// Legal conditions of different types.
fn legal_list() -> impl Strategy<Value = Vec<Condition>> {
    let condition = (
        "([a-z0-9]{1,5}(\\.[a-z0-9]{1,5}){0,2}/)?[A-Za-z0-9]([A-Za-z0-9._-]{0,8}[A-Za-z0-9])?",
        proptest::sample::select(vec![Status::True, Status::False, Status::Unknown]),
        "[A-Za-z]([A-Za-z0-9_,:]{0,8}[A-Za-z0-9_])?",
        any::<String>(),
        -62_167_219_200_i64..253_402_207_200,
        proptest::option::of(0..=i64::MAX),
    )
        .prop_map(|(type_, status, reason, message, since, observed)| Condition {
            type_: ConditionType::new(type_).unwrap(),
            status,
            observed_generation: observed.map(|number| Generation::new(number).unwrap()),
            last_transition_time: Time::from_second(since).unwrap(),
            reason: Reason::new(reason).unwrap(),
            message: message.into(),
            errors: Box::default(),
            warnings: Box::default(),
        });
    proptest::collection::vec(condition, 0..8).prop_map(|mut list| {
        list.sort_by(|a, b| a.type_.cmp(&b.type_));
        list.dedup_by(|a, b| a.type_ == b.type_);
        list
    })
}

/// A roll-up of all of these, seen with one polarity at generation 2.
fn roll_up<'a>(inputs: impl Iterator<Item = Input<'a>>, polarity: Polarity) -> Standing {
    let context = Context::new("Ready", Time::EPOCH).at_generation(Generation::from(2));
    let inputs = inputs.map(|input| input.with_polarity(polarity));
    Polarity::NormalTrue.standing(Policy::newest_cause().roll_up(inputs, &context).unwrap().status)
}

proptest! {
    #[test]
    fn every_entry_is_found_whatever_it_is(value in any_list()) {
        let list = read(&value);
        let expected = value.as_array().map_or(0, Vec::len);
        prop_assert_eq!(list.conditions().len(), expected);
        for (index, condition) in list.conditions().iter().enumerate() {
            prop_assert_eq!(condition.raw, &value[index]);
        }
        for noted in list.irregularities() {
            prop_assert!(noted.path.index.is_none_or(|index| index < expected));
            let sentence = noted.to_string();
            prop_assert!(!sentence.chars().any(char::is_control), "{}", sentence);
            prop_assert!(sentence.len() < 2500, "{} bytes", sentence.len());
        }
        let object = json!({"status": {"conditions": value}});
        let of_object = of_object(&object);
        prop_assert_eq!(of_object.conditions(), list.conditions());
        prop_assert_eq!(of_object.irregularities().len(), list.irregularities().len());
    }

    #[test]
    fn any_json_can_be_taken_for_an_object(value in anything(), metadata in anything(), status in anything()) {
        FoundObject::read(&value);
        let object = json!({"metadata": metadata, "status": status});
        let found = FoundObject::read(&object);
        prop_assert_eq!(found.deleting, !object["metadata"]["deletionTimestamp"].is_null());
        prop_assert!(found.irregularities().count() >= of_object(&object).irregularities().len());
    }

    #[test]
    fn what_is_made_legal_is_legal_with_each_type_once(value in any_list()) {
        let found = read(&value);
        let legal = found.to_conditions(Time::EPOCH);
        for condition in found.conditions().iter().map(|found| found.to_condition(Time::EPOCH)).chain(legal.clone()) {
            let json = serde_json::to_value(&condition).unwrap();
            prop_assert_eq!(serde_json::from_value::<Condition>(json).unwrap(), condition);
        }
        let json = serde_json::to_value(&legal).unwrap();
        let again = read(&json);
        prop_assert_eq!(again.irregularities(), []);
        prop_assert_eq!(again.to_conditions(Time::EPOCH), legal);
    }

    #[test]
    fn making_a_list_legal_does_not_change_whether_all_of_it_is_good(value in any_list()) {
        let found = read(&value);
        let legal = found.to_conditions(Time::EPOCH);
        for polarity in [Polarity::NormalTrue, Polarity::AbnormalTrue] {
            let before = roll_up(found.conditions().iter().map(Input::from), polarity);
            let after = roll_up(legal.iter().map(Input::from), polarity);
            prop_assert_eq!(before == Standing::Good, after == Standing::Good);
        }
    }

    #[test]
    fn a_legal_list_is_regular_and_read_as_it_is(list in legal_list()) {
        let json = serde_json::to_value(&list).unwrap();
        let found = read(&json);
        prop_assert_eq!(found.irregularities(), []);
        prop_assert_eq!(found.to_conditions(Time::EPOCH), list);
    }

    #[test]
    fn a_regular_entry_is_read_as_the_strict_reader_does(entry in almost_a_condition()) {
        let list = json!([entry]);
        let found = read(&list);
        if found.irregularities().is_empty() {
            let strict: Condition = serde_json::from_value(entry).unwrap();
            prop_assert_eq!(found.to_conditions(Time::EPOCH), [strict]);
        }
    }

    #[test]
    fn a_time_that_can_be_read_is_the_one_that_jiff_reads_too(text in time_like()) {
        // Where a strict parser of a wider grammar gives an answer, ours is the same or none.
        if let (Ok(theirs), Some((ours, _))) = (text.parse::<jiff::Timestamp>().map(Time::new), rfc3339::from_text(&text)) {
            prop_assert_eq!(ours, theirs);
        }
    }
}
