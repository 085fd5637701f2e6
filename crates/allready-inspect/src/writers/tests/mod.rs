//! What was read from objects of a kube-apiserver 1.36, and from what no API server writes.

use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::view::Step;

/// A gate: applied by gateway-controller and dns-controller, patched by fixer, and applied by
/// observer as it stood: such an entry has no time, as nothing changed by it.
fn gate() -> Value {
    serde_json::from_str(include_str!("gate.json")).unwrap()
}

/// A deployment, made by kubectl, with a status as the controller manager writes it.
fn deployment() -> Value {
    serde_json::from_str(include_str!("deployment.json")).unwrap()
}

/// A path of fields and items, each item as it stands in a gate or a deployment.
fn path(text: &str) -> Path<'_> {
    let mut path = Path::default();
    for part in text.split(['.', '[']) {
        path.push(match part.strip_suffix(']') {
            None => Step::Field(part),
            Some("team") => Step::Field("team"),
            Some(item) => match item.parse() {
                Ok(index) => Step::Item { index, name: None },
                Err(_) => Step::Item { index: usize::from(item == "other") * 7, name: Some(item) },
            },
        });
    }
    path
}

fn who(object: &Value, list: &str, type_: &str) -> String {
    of_condition(object, &path(list), type_).map(|writer| writer.manager).unwrap_or_default()
}

#[test]
fn the_writer_of_a_condition_is_who_owns_its_status() {
    let gate = gate();
    assert_eq!(who(&gate, "status.conditions", "example.com/DNSReady"), "dns-controller");
    assert_eq!(who(&gate, "status.conditions", "Accepted"), "fixer", "and not who wrote its reason");
    assert_eq!(who(&gate, "status.conditions", "Missing"), "");
    let deployment = deployment();
    assert_eq!(who(&deployment, "status.conditions", "Available"), "kube-controller-manager");
    let writer = of_condition(&gate, &path("status.conditions"), "Accepted").unwrap();
    assert_eq!(writer.time, Some("2026-11-15T16:32:20Z".parse().unwrap()));
}

#[test]
fn of_several_that_agree_it_is_the_last_that_changed_something() {
    let mut gate = gate();
    assert_eq!(gate["metadata"]["managedFields"][0].get("time"), None, "observer only agreed");
    assert_eq!(who(&gate, "status.conditions", "Programmed"), "gateway-controller");
    gate["metadata"]["managedFields"][0]["time"] = "2026-11-15T16:32:21Z".into();
    assert_eq!(who(&gate, "status.conditions", "Programmed"), "observer");
}

#[test]
fn nested_lists_are_found_by_name_and_by_index() {
    let gate = gate();
    assert_eq!(who(&gate, "status.listeners[web].conditions", "ResolvedRefs"), "gateway-controller");
    assert_eq!(who(&gate, "status.listeners[0].conditions", "ResolvedRefs"), "gateway-controller");
    assert_eq!(who(&gate, "status.listeners[other].conditions", "ResolvedRefs"), "");
    assert_eq!(who(&gate, "status.listeners[1].conditions", "ResolvedRefs"), "");
}

#[test]
fn a_list_that_is_written_as_a_whole_is_owned_as_a_whole() {
    let gate = gate();
    assert_eq!(who(&gate, "status.parents[0].conditions", "Accepted"), "dns-controller");
    assert_eq!(of_field(&gate, &path("status.parents")).unwrap().manager, "dns-controller");
    let atomic = json!({ "metadata": { "managedFields": [
        { "manager": "a", "fieldsV1": { "f:status": { "f:conditions": {} } } },
    ] }, "status": { "conditions": [{ "type": "Ready", "status": "True" }] } });
    assert_eq!(who(&atomic, "status.conditions", "Ready"), "a");
}

#[test]
fn fields_have_writers_too() {
    let gate = gate();
    assert_eq!(of_field(&gate, &path("status.phase")).unwrap().manager, "fixer");
    assert_eq!(of_field(&gate, &path("metadata.annotations[team]")).unwrap().manager, "kubectl");
    assert_eq!(of_field(&gate, &path("status")).unwrap().manager, "fixer", "who wrote something in it last");
    assert_eq!(of_field(&gate, &path("status.nothing")), None);
    let deployment = deployment();
    assert_eq!(
        of_field(&deployment, &path("status.unavailableReplicas")).unwrap().manager,
        "kube-controller-manager"
    );
    assert_eq!(
        of_field(&deployment, &path("spec.template.spec.containers[x].image")).unwrap().manager,
        "kubectl-create"
    );
}

#[test]
fn keys_are_found_however_they_are_written() {
    let types = ["a\"b", "é", "a<b", "a b", "Ready"];
    for type_ in types {
        let object = |key: Value| {
            json!({ "metadata": { "managedFields": [
                { "manager": "m", "fieldsV1": { "f:status": { "f:conditions": { format!("k:{key}"): { "f:status": {} } } } } },
            ] } })
        };
        assert_eq!(who(&object(json!({ "type": type_ })), "status.conditions", type_), "m");
        assert_eq!(who(&object(json!({ "type": type_, "x": 1 })), "status.conditions", type_), "m");
        assert_eq!(who(&object(json!({ "type": "Other" })), "status.conditions", type_), "");
        assert_eq!(who(&object(json!({ "x": type_ })), "status.conditions", type_), "");
    }
    let escaped = json!({ "metadata": { "managedFields": [
        { "manager": "m", "fieldsV1": { "f:status": { "f:conditions": { "k:{\"type\":\"a\\u003cb\"}": {} } } } },
    ] } });
    assert_eq!(who(&escaped, "status.conditions", "a<b"), "m");
}

#[test]
fn everything_that_an_object_tells_is_told() {
    let object = gate();
    let ownership = all(&object);
    let names = |condition: &OwnedCondition| {
        let of = condition.owners.iter().map(|owner| &*ownership.managers[owner.manager].manager);
        of.collect::<Vec<_>>().join(" ")
    };
    let told: Vec<_> = ownership
        .conditions
        .iter()
        .map(|it| (it.list.as_str(), it.type_.as_str(), names(it), it.agreement))
        .collect();
    let top = "status.conditions";
    assert_eq!(
        told,
        [
            (top, "example.com/DNSReady", "dns-controller".to_owned(), Agreement::Sole),
            (top, "Accepted", "fixer dns-controller gateway-controller".to_owned(), Agreement::Contested),
            (top, "Programmed", "gateway-controller observer".to_owned(), Agreement::Shared),
            (
                "status.listeners[web].conditions",
                "ResolvedRefs",
                "gateway-controller".to_owned(),
                Agreement::Sole
            ),
            ("status.parents[0].conditions", "Accepted", "dns-controller".to_owned(), Agreement::Sole),
        ]
    );
    for condition in &ownership.conditions {
        let first = condition.owners.first().map(|owner| ownership.managers[owner.manager].manager.as_str());
        assert_eq!(first.unwrap_or_default(), who(&object, &condition.list, &condition.type_));
    }
    assert!(ownership.is_complete);
    assert_eq!(ownership.bytes, object.to_string().len());
    assert_eq!(ownership.managed_fields_bytes, object["metadata"]["managedFields"].to_string().len());
    let entries: usize = ownership.managers.iter().map(|manager| manager.entry_bytes + 1).sum();
    assert_eq!(entries + 1, ownership.managed_fields_bytes, "entries, commas and brackets");
    let fixer = ownership.managers.iter().find(|manager| manager.manager == "fixer").unwrap();
    assert_eq!(fixer.operation, Operation::Update);
    assert_eq!(fixer.owned_bytes, r#""phase":"Broken","status":"False","#.len());
}

#[test]
fn the_bytes_of_a_long_list_are_found_as_those_of_a_short_one() {
    let conditions: Vec<Value> =
        (0..3000).map(|number| json!({ "type": format!("T{number}"), "status": "True" })).collect();
    let keys = conditions.iter().map(|condition| {
        (
            format!("k:{}", json!({ "type": condition["type"] })),
            json!({ ".": {}, "f:type": {}, "f:status": {} }),
        )
    });
    let tree = json!({ "f:status": { "f:conditions": keys.collect::<serde_json::Map<_, _>>() } });
    let object = json!({
        "metadata": { "managedFields": [{ "manager": "m", "fieldsV1": tree }] },
        "status": { "conditions": conditions },
    });
    let ownership = all(&object);
    let expected: usize = conditions.iter().map(|condition| condition.to_string().len() - 1).sum();
    assert_eq!(ownership.managers[0].owned_bytes, expected);
    assert!(ownership.conditions.iter().all(|condition| condition.agreement == Agreement::Sole));
}

#[test]
fn an_object_of_absurd_size_is_answered_in_part_and_in_time() {
    let conditions: Vec<Value> =
        (0..10_000).map(|number| json!({ "type": format!("T{number}"), "status": "True" })).collect();
    let entry = json!({ "manager": "m", "fieldsV1": { "f:status": { "f:conditions": { "k:{\"type\":\"T1\"}": {} } } } });
    let object = json!({
        "metadata": { "managedFields": vec![entry; 10_000] },
        "status": { "conditions": conditions },
    });
    let start = Instant::now();
    let ownership = all(&object);
    assert!(!ownership.is_complete);
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

/// JSON that looks like objects with managers, with everything in places where it does not belong.
fn hostile() -> impl Strategy<Value = Value> {
    let key = prop_oneof![
        Just("metadata".to_owned()),
        Just("managedFields".to_owned()),
        Just("fieldsV1".to_owned()),
        Just("f:status".to_owned()),
        Just("f:conditions".to_owned()),
        Just("status".to_owned()),
        Just("conditions".to_owned()),
        Just("type".to_owned()),
        Just("time".to_owned()),
        Just("manager".to_owned()),
        Just("k:{\"type\":\"Ready\"}".to_owned()),
        Just("i:0".to_owned()),
        "[kfvi.]:?.{0,3}",
    ];
    let leaf = prop_oneof![
        Just(json!("Ready")),
        Just(Value::Null),
        Just(json!({})),
        Just(json!(3)),
        ".{0,4}".prop_map(Value::from)
    ];
    leaf.prop_recursive(6, 64, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(
        entries in hostile(), status in hostile(), text in "[a-z.\\[\\]é]{0,12}", type_ in ".{0,4}",
    ) {
        let object = json!({ "metadata": { "managedFields": [entries.clone(), { "fieldsV1": entries }] }, "status": status });
        for object in [&object, &status] {
            let ownership = all(object);
            prop_assert!(ownership.is_complete);
            prop_assert!(ownership.conditions.iter().all(|it| (it.agreement == Agreement::Unowned) == it.owners.is_empty()));
            for text in [text.as_str(), "status.conditions", "status[0].conditions"] {
                let path = path(text);
                prop_assert_eq!(of_condition(object, &path, &type_), of_condition(object, &path, &type_));
                let _ = of_field(object, &path);
            }
        }
    }
}
