use serde_json::{Map, Value, json};

use crate::schema::{DEEPEST, Definitions, List, Schema, Shape, parse};

fn kinds() -> Map<String, Value> {
    serde_json::from_str(include_str!("../../builtin/kinds.json")).unwrap()
}

fn property<'a>(schema: &'a Schema, path: &[&str]) -> &'a Schema {
    path.iter().fold(schema, |at, name| match &at.shape {
        Shape::Object(object) => &object.properties[*name],
        Shape::Array(array) => &array.items,
        other => panic!("nothing inside {other:?}"),
    })
}

#[test]
fn every_built_in_definition_can_be_read() {
    let table = kinds();
    let definitions = Definitions::new(&table);
    for name in table.keys() {
        definitions.get(name).unwrap();
    }
}

#[test]
fn a_built_in_definition_read_alone_is_the_one_in_the_table() {
    let table = kinds();
    let (all, alone) = (Definitions::new(&table), Definitions::builtin());
    for name in table.keys() {
        assert_eq!(all.get(name).unwrap(), alone.get(name).unwrap(), "{name}");
    }
}

#[test]
fn a_definition_that_contains_itself_is_cut_where_it_recurs() {
    let table = kinds();
    let schema = Definitions::new(&table)
        .get("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps")
        .unwrap();
    let not = property(&schema, &["not"]);
    assert_eq!((&not.shape, not.preserve_unknown), (&Shape::Any, true));
}

#[test]
fn shared_definitions_are_shared() {
    let table = kinds();
    let definitions = Definitions::new(&table);
    let name = "io.k8s.api.core.v1.PodSpec";
    assert!(std::sync::Arc::ptr_eq(&definitions.get(name).unwrap(), &definitions.get(name).unwrap()));
}

#[test]
fn strategic_merge_keys_stand_beside_the_list_type() {
    let table = kinds();
    let pod = Definitions::new(&table).get("io.k8s.api.core.v1.Pod").unwrap();
    let containers = property(&pod, &["spec", "containers"]);
    assert!(containers.strategic.merge);
    assert_eq!(containers.strategic.key.as_deref(), Some("name"));
    let Shape::Array(array) = &containers.shape else { panic!("a list") };
    assert_eq!(array.list, List::Map(vec!["name".into()]));
    let quantity = property(&pod, &["spec", "overhead"]);
    let Shape::Object(map) = &quantity.shape else { panic!("a map") };
    assert_eq!(map.additional.as_ref().unwrap().shape, Shape::IntOrString);
}

#[test]
fn a_schema_that_nests_too_deep_is_refused() {
    let mut value = json!({"type": "string"});
    for _ in 0..=DEEPEST {
        value = json!({"type": "array", "items": value});
    }
    assert!(parse(&value).unwrap_err().problem.contains("deep"));
}
