use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Lab, by};
use crate::fields::{
    FieldSet, Path, PathElement,
    typed::{Type, merge::merge},
};

fn element() -> impl Strategy<Value = PathElement<'static>> {
    let scalar = prop_oneof![
        Just(json!("a")),
        Just(json!("b<\"")),
        Just(json!(1)),
        Just(json!(10)),
        Just(json!(2.5)),
        Just(json!(true))
    ];
    prop_oneof![
        3 => prop_oneof![Just("a"), Just("b"), Just("c")].prop_map(PathElement::field),
        1 => scalar.clone().prop_map(|value| PathElement::Value(std::borrow::Cow::Owned(value))),
        1 => (scalar.clone(), scalar).prop_map(|(one, two)| PathElement::Key(vec![("k".into(), std::borrow::Cow::Owned(one)), ("n".into(), std::borrow::Cow::Owned(two))])),
        1 => (0_i64..3).prop_map(PathElement::Index),
    ]
}

fn set() -> impl Strategy<Value = FieldSet<'static>> {
    let path = prop::collection::vec(element(), 1..4).prop_map(Path);
    prop::collection::vec(path, 0..12).prop_map(FieldSet::new)
}

fn word() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!("x")), Just(json!("y"))]
}

fn map(values: impl Strategy<Value = Value> + 'static) -> impl Strategy<Value = Value> {
    prop::collection::btree_map(
        prop_oneof![Just("k".to_owned()), Just("l".to_owned()), Just("m".to_owned())],
        values,
        0..3,
    )
    .prop_map(|map| Value::Object(map.into_iter().collect()))
}

fn spec() -> impl Strategy<Value = Value> {
    let anything = prop_oneof![word(), Just(json!(1)), Just(json!([1, "x"]))].prop_recursive(3, 12, 3, map);
    let tags =
        prop::sample::subsequence(vec!["a", "b", "c", "d"], 0..4).prop_shuffle().prop_map(|tags| json!(tags));
    let port = |name: &'static str| {
        (prop::option::of(1..3), prop::option::of(map(word()))).prop_map(move |(number, options)| {
            let mut port = json!({"name": name});
            if let Some(number) = number {
                port["number"] = json!(number);
            }
            if let Some(options) = options {
                port["options"] = options;
            }
            port
        })
    };
    let ports = (prop::option::of(port("a")), prop::option::of(port("b")), any::<bool>()).prop_map(
        |(one, two, turn)| {
            let mut ports: Vec<Value> = one.into_iter().chain(two).collect();
            if turn {
                ports.reverse();
            }
            json!(ports)
        },
    );
    let chosen = (
        prop::option::of(1..3),
        prop::option::of(tags),
        prop::option::of(ports),
        prop::option::of(map(word())),
        prop::option::of(map(anything)),
        prop::option::of(map(word())),
    );
    chosen.prop_map(|(size, tags, ports, granular, any, whole)| {
        let fields = [
            ("size", size.map(Value::from)),
            ("tags", tags),
            ("ports", ports),
            ("map", granular),
            ("any", any),
            ("wholeMap", whole),
        ];
        let fields: Map<String, Value> =
            fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
        Value::Object(fields)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_set_survives_its_encoding(set in set()) {
        let encoded = set.to_json();
        prop_assert_eq!(FieldSet::from_json(&encoded).unwrap(), set.clone());
        prop_assert_eq!(FieldSet::new(set.paths()), set);
    }

    #[test]
    fn sets_obey_the_laws_of_sets(one in set(), two in set()) {
        let (union, both, less) = (one.union(&two), one.intersection(&two), one.difference(&two));
        prop_assert_eq!(&union, &two.union(&one));
        prop_assert_eq!(&both, &two.intersection(&one));
        prop_assert_eq!(&less.union(&both), &one);
        prop_assert!(less.intersection(&two).is_empty());
        prop_assert_eq!(union.len() + both.len(), one.len() + two.len());
        prop_assert_eq!(one.meets(&two), !both.is_empty());
        prop_assert_eq!(one.is_within(&two), less.is_empty());
        prop_assert!(one.recursive_difference(&two).is_within(&less));
        prop_assert!(one.leaves().is_within(&one));
        let mut rest = one.clone();
        rest.subtract(&two);
        prop_assert_eq!(rest, less);
        for path in one.paths() {
            prop_assert!(union.has(&path));
        }
    }

    #[test]
    fn merging_twice_is_merging_once(live in spec(), config in spec()) {
        let lab = Lab::new();
        let kind = Type::of(&lab.versions[0].1);
        let (live, config) = (json!({"spec": live}), json!({"spec": config}));
        let once = merge(&live, &config, kind);
        prop_assert_eq!(merge(&once, &config, kind), once);
    }

    #[test]
    fn an_apply_that_says_the_same_again_changes_nothing(first in spec(), second in spec(), third in spec()) {
        let lab = Lab::new();
        let live = lab.created(by("u"), &json!({"spec": first}));
        let live = lab.applied(Some(&live), by("m").force(), &json!({"spec": second}));
        let config = json!({"spec": third});
        let once = lab.applied(Some(&live), by("n").at(200).force(), &config);
        prop_assert_eq!(lab.applied(Some(&once), by("n").at(300), &config), once.clone());
        prop_assert_eq!(lab.updated(Some(&once), by("v").at(300), once.clone()), once);
    }

    #[test]
    fn whatever_is_applied_is_there_and_owned(live in spec(), config in spec()) {
        let lab = Lab::new();
        let live = lab.created(by("u"), &json!({"spec": live}));
        let applied = lab.applied(Some(&live), by("m").force(), &json!({"spec": config.clone()}));
        let alone = lab.applied(None, by("m"), &json!({"spec": config}));
        let owned = |object: &Value| super::owners(object).into_iter().find(|(name, _)| name == "m Apply");
        prop_assert_eq!(owned(&applied), owned(&alone));
    }

    #[test]
    fn nothing_that_a_client_calls_managed_fields_does_harm(text in "[fkvi.:{}\"a1,]{0,12}", value in prop_oneof![Just(json!({})), Just(json!(1)), Just(json!(null))]) {
        let lab = Lab::new();
        let mut fields = Map::new();
        fields.insert(text, value);
        let entry = json!({"manager": "x", "operation": "Update", "apiVersion": "lab/v1", "fieldsType": "FieldsV1", "fieldsV1": fields});
        let live = lab.created(by("u"), &json!({"spec": {"size": 1}}));
        let mut new = live.clone();
        new["metadata"]["managedFields"] = json!([entry]);
        let updated = lab.updated(Some(&live), by("v"), new);
        prop_assert_eq!(&updated["spec"], &live["spec"]);
        let again = lab.apply(Some(&updated), by("m"), &json!({"spec": {"size": 1}}));
        prop_assert!(again.is_ok(), "{again:?}");
    }
}
