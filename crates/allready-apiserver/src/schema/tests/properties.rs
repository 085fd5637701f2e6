use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::schema::{
    Validator, coerce, default, default_keeping_nulls, is_settled, parse, prune, with_object_meta,
};

/// Any JSON, with few enough names that it meets the schemas below.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5).prop_map(Value::from),
        any::<f64>().prop_filter_map("finite", |float| float.is_finite().then(|| Value::from(float))),
        "[a-c]{0,3}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn checks() -> impl Strategy<Value = Map<String, Value>> {
    let word = prop_oneof![
        (-3_i64..3).prop_map(|at| json!({"minimum": at})),
        (0_u64..3).prop_map(|at| json!({"maxLength": at, "maxItems": at, "maxProperties": at})),
        Just(json!({"nullable": true})),
        Just(json!({"x-kubernetes-preserve-unknown-fields": true})),
        Just(json!({"pattern": "^a"})),
        Just(json!({"enum": ["a", 1, null]})),
        Just(json!({"format": "date-time"})),
        Just(json!({"anyOf": [{"required": ["a"]}, {"minimum": 2}]})),
        Just(json!({"not": {"enum": ["b"]}})),
        Just(json!({"x-kubernetes-validations": [{"rule": "self == self"}, {"rule": "self.a > 1"}]})),
        Just(json!({})),
    ];
    word.prop_map(|word| word.as_object().cloned().unwrap_or_default())
}

fn schema() -> impl Strategy<Value = Value> {
    let kinds = ["string", "integer", "number", "boolean", ""];
    let leaf = (prop::sample::select(kinds.to_vec()), checks()).prop_map(|(kind, mut node)| {
        if kind.is_empty() {
            node.insert("x-kubernetes-int-or-string".into(), true.into());
        } else {
            node.insert("type".into(), kind.into());
        }
        Value::Object(node)
    });
    leaf.prop_recursive(3, 16, 3, |inner| {
        let list_type = prop::sample::select(vec!["atomic", "set", "map"]);
        prop_oneof![
            (prop::collection::btree_map("[a-c]", inner.clone(), 0..3), checks()).prop_map(
                |(fields, mut node)| {
                    node.insert("type".into(), "object".into());
                    node.insert("properties".into(), Value::Object(fields.into_iter().collect()));
                    Value::Object(node)
                }
            ),
            (inner.clone(), checks()).prop_map(|(inner, mut node)| {
                node.insert("type".into(), "object".into());
                node.insert("additionalProperties".into(), inner);
                Value::Object(node)
            }),
            (inner, checks(), list_type).prop_map(|(inner, mut node, list)| {
                node.insert("type".into(), "array".into());
                node.insert("items".into(), inner);
                node.insert("x-kubernetes-list-type".into(), list.into());
                node.insert("x-kubernetes-list-map-keys".into(), json!(["a", "b"]));
                Value::Object(node)
            }),
        ]
    })
}

/// A schema in which every field that may has a default that fits it.
fn with_defaults(schema: &mut Value, sample: &Value) {
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, inner) in properties {
        with_defaults(inner, &sample[name]);
        let fits = parse(inner).is_ok_and(|it| {
            let mut pruned = sample[name].clone();
            prune(&it, &mut pruned);
            Validator::new(Arc::new(it)).validate(&pruned, None).is_empty()
        });
        if fits {
            inner["default"] = sample[name].clone();
        }
    }
}

/// Counts, comparisons of whole objects and keys of items can be broken by a default; the rest cannot.
fn keep_what_defaults_cannot_break(schema: &mut Value) {
    let Some(node) = schema.as_object_mut() else { return };
    let compound = node.get("type").is_some_and(|kind| kind == "object" || kind == "array");
    let breakable =
        ["anyOf", "not", "enum", "maxProperties", "x-kubernetes-validations", "x-kubernetes-list-type"];
    node.retain(|word, _| !compound || !breakable.contains(&word.as_str()));
    for inner in
        node.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut)
    {
        keep_what_defaults_cannot_break(inner);
    }
    for word in ["items", "additionalProperties"] {
        node.get_mut(word).into_iter().for_each(keep_what_defaults_cannot_break);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, max_global_rejects: 100_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pruning_twice_is_pruning_once(schema in schema(), mut object in value()) {
        let schema = parse(&schema).unwrap();
        prune(&schema, &mut object);
        let once = object.clone();
        prop_assert_eq!(prune(&schema, &mut object), Vec::<String>::new());
        prop_assert_eq!(object, once);
    }

    #[test]
    fn defaulting_twice_is_defaulting_once(mut schema in schema(), sample in value(), mut object in value()) {
        with_defaults(&mut schema, &sample);
        let schema = parse(&schema).unwrap();
        default(&schema, &mut object);
        let once = object.clone();
        default(&schema, &mut object);
        prop_assert_eq!(object, once);
    }

    #[test]
    fn a_valid_object_stays_valid_after_defaulting(
        mut schema in schema(), sample in value(), object in value(),
    ) {
        keep_what_defaults_cannot_break(&mut schema);
        with_defaults(&mut schema, &sample);
        let schema = parse(&schema).unwrap();
        let validator = Validator::new(Arc::new(schema.clone()));
        let mut object = object;
        prop_assume!(validator.validate(&object, None).is_empty());
        default(&schema, &mut object);
        prop_assert_eq!(validator.validate(&object, None), Vec::new());
    }

    #[test]
    fn a_valid_object_may_be_updated_to_itself(schema in schema(), object in value()) {
        let validator = Validator::new(Arc::new(parse(&schema).unwrap()));
        prop_assume!(validator.validate(&object, None).is_empty());
        prop_assert_eq!(validator.validate(&object, Some(&object)), Vec::new());
    }

    #[test]
    fn what_is_settled_stays_as_it_is(
        mut schema in schema(), sample in value(), mut object in value(), coerced in any::<bool>(),
    ) {
        with_defaults(&mut schema, &sample);
        let schema = with_object_meta(&parse(&schema).unwrap());
        if let Some(fields) = object.as_object_mut() {
            let managed = json!([{"manager": "m", "fieldsV1": {"f:a": {}}}]);
            fields.insert("metadata".into(), json!({"name": "n", "managedFields": managed}));
        }
        if coerced {
            coerce(Some(&schema), &mut object);
            default_keeping_nulls(&schema, &mut object);
        }
        let before = object.clone();
        let settled = is_settled(&schema, &object);
        coerce(Some(&schema), &mut object);
        default_keeping_nulls(&schema, &mut object);
        prop_assert!(!settled || object == before);
    }

    #[test]
    fn nothing_panics(schema in value(), object in value(), old in value()) {
        if let Ok(schema) = parse(&schema) {
            let mut object = object;
            default(&schema, &mut object);
            prune(&schema, &mut object);
            let validator = Validator::new(Arc::new(schema));
            validator.validate(&object, Some(&old));
            validator.validate_status(&object, &old);
        }
    }

    #[test]
    fn nothing_panics_on_schemas_that_mean_something(schema in schema(), object in value(), old in value()) {
        let schema = parse(&schema).unwrap();
        let validator = Validator::new(Arc::new(schema));
        validator.validate(&object, None);
        validator.validate(&object, Some(&old));
    }
}

#[test]
fn an_object_that_nests_too_deep_is_refused_instead_of_followed() {
    let mut object = json!(1);
    for _ in 0..400 {
        object = json!({"a": object});
    }
    let mut schema = json!({"type": "integer"});
    for _ in 0..90 {
        schema = json!({"type": "object", "additionalProperties": schema});
    }
    let schema = parse(&schema).unwrap();
    prune(&schema, &mut object);
    default(&schema, &mut object);
    assert!(!Validator::new(Arc::new(schema)).validate(&object, None).is_empty());
}
