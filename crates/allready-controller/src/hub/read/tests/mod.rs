mod expressions;
mod hub;
mod properties;

use allready_core::Status;
use serde_json::{Value, json};

use super::*;
use crate::hub::{Address, Listener, MANAGER, Said};

fn plan(more: &Value) -> Plan {
    let mut spec =
        json!({ "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" } });
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    Plan::of(&serde_json::from_value(spec).unwrap())
}

fn whole() -> Plan {
    let plan = plan(&json!({
        "conditions": [{ "type": "Programmed" }, { "type": "Degraded" }],
        "fields": [{ "path": ".status.ready", "combine": "Sum" }, { "path": ".status.deep.er", "combine": "Min" }],
        "rows": ["Addresses", "Listeners"],
    }));
    assert_eq!(plan.problems, Vec::<String>::new());
    plan
}

fn read(object: &Value) -> Instance {
    Reader::new(&whole()).read(object).1
}

/// What an instance with these conditions says of Programmed and Degraded: status, reason, and whether it is behind.
fn said(generation: u32, observed: Option<u32>, conditions: &Value) -> Vec<String> {
    let instance = read(&json!({
        "metadata": { "generation": generation },
        "status": { "observedGeneration": observed, "conditions": conditions },
    }));
    instance.conditions.iter().map(told).collect()
}

fn entry(type_: &str, status: &str, observed: u32) -> Value {
    json!({ "type": type_, "status": status, "reason": status, "observedGeneration": observed })
}

fn told(said: &Said) -> String {
    match said {
        Said::Condition { condition, is_behind } => {
            let behind = if *is_behind { " behind" } else { "" };
            format!("{} {}{behind}", condition.status, condition.reason)
        }
        Said::Nothing => "nothing".into(),
        Said::Failed(why) => format!("failed: {why}"),
    }
}

#[test]
fn an_instance_is_read_whole() {
    let (name, instance) = Reader::new(&whole()).read(&json!({
        "metadata": { "namespace": "shop", "name": "gateway", "generation": 3, "deletionTimestamp": "2026-03-01T10:00:00Z" },
        "spec": { "gatewayClassName": "istio", "addresses": [] },
        "status": {
            "ready": 2,
            "addresses": [
                { "type": "IPAddress", "value": "172.31.200.0" },
                { "value": "172.31.201.0" },
                { "type": "Hostname", "value": "lb.example.com" },
            ],
            "listeners": [
                { "name": "api", "attachedRoutes": 0, "conditions": null },
                { "name": "web", "attachedRoutes": 1, "conditions": [
                    { "type": "Programmed", "status": "True", "observedGeneration": 3 },
                ] },
            ],
            "conditions": [{ "type": "Programmed", "status": "True", "reason": "Programmed", "message": "done" }],
        },
    }));
    assert_eq!(name, ObjectName::new("shop", "gateway"));
    assert_eq!((instance.generation, instance.hub_generation, instance.is_leaving), (3.into(), None, true));
    assert_eq!(&*instance.spec, r#"{"addresses":[],"gatewayClassName":"istio"}"#);
    assert_eq!(instance.fields, [2, 0]);
    let addresses: Vec<String> =
        instance.addresses.iter().map(|Address { type_, value }| format!("{type_} {value}")).collect();
    assert_eq!(addresses, ["IPAddress 172.31.200.0", "IPAddress 172.31.201.0", "Hostname lb.example.com"]);
    assert_eq!(
        instance.listeners,
        [
            Listener { name: "api".into(), attached_routes: Some(0), is_current: true, programmed: None },
            Listener {
                name: "web".into(),
                attached_routes: Some(1),
                is_current: true,
                programmed: Some(Status::True)
            },
        ]
    );
    assert_eq!(instance.conditions.iter().map(told).collect::<Vec<_>>(), ["True Programmed", "nothing"]);
    assert_eq!(instance.cut, None);
}

#[test]
fn what_the_plan_does_not_want_is_not_kept() {
    let object = json!({ "status": {
        "addresses": [{ "value": "10.0.0.1" }],
        "listeners": [{ "name": "web" }],
        "conditions": [{ "type": "Ready", "status": "True" }],
    } });
    let (_, instance) = Reader::new(&plan(&json!({}))).read(&object);
    assert_eq!((instance.addresses.len(), instance.listeners.len(), instance.conditions.len()), (0, 0, 0));
    let (_, for_dns) = Reader::new(&plan(&json!({ "dns": {} }))).read(&object);
    assert_eq!((for_dns.addresses.len(), for_dns.listeners.len()), (1, 1), "records are made from both");
}

#[test]
fn k5_a_status_that_is_a_yaml_boolean_is_read_as_it_is_meant() {
    let conditions = json!([{ "type": "Programmed", "status": true, "message": "All listeners are valid" }]);
    assert_eq!(said(1, None, &conditions), ["True Unspecified", "nothing"]);
    let conditions =
        json!([{ "type": "Programmed", "status": false }, { "type": "Degraded", "status": "maybe" }]);
    assert_eq!(said(1, None, &conditions), ["False Unspecified", "Unknown Unspecified"]);
}

#[test]
fn mc7_a_condition_about_an_older_generation_is_behind_by_its_own_word_or_that_of_the_status() {
    let programmed = |own: Option<u32>, status: Option<u32>| {
        let conditions =
            json!([{ "type": "Programmed", "status": "True", "reason": "R", "observedGeneration": own }]);
        said(3, status, &conditions)[0].clone()
    };
    assert_eq!(programmed(Some(3), None), "True R");
    assert_eq!(programmed(Some(2), None), "True R behind");
    assert_eq!(programmed(None, Some(2)), "True R behind");
    assert_eq!(programmed(Some(0), Some(2)), "True R behind", "zero is no word");
    assert_eq!(programmed(Some(3), Some(2)), "True R", "its own word goes first");
    assert_eq!(programmed(None, None), "True R", "who does not say is taken at its word");
    assert_eq!(programmed(Some(4), None), "True R");
}

#[test]
fn mc20_of_a_type_that_is_listed_twice_the_worst_counts_on_its_polarity() {
    let conditions = json!([
        entry("Programmed", "True", 3),
        entry("Programmed", "False", 3),
        entry("Programmed", "Unknown", 3),
        entry("Degraded", "False", 3),
        entry("Degraded", "True", 3),
    ]);
    assert_eq!(said(3, None, &conditions), ["False False", "True True"]);
    let conditions = json!([entry("Programmed", "True", 3), entry("Programmed", "True", 2)]);
    assert_eq!(said(3, None, &conditions), ["True True behind", "nothing"]);
}

#[test]
fn mc22_a_number_that_is_absent_is_zero_and_one_that_is_none_is_zero_and_told() {
    let numbers = |status: Value| {
        let instance = read(&json!({ "status": status }));
        (instance.fields, instance.cut.as_deref().map(str::to_owned))
    };
    assert_eq!(numbers(json!({ "ready": 7, "deep": { "er": -1 } })), (vec![7, -1], None));
    assert_eq!(numbers(json!({})), (vec![0, 0], None));
    assert_eq!(numbers(json!({ "ready": null, "deep": 3 })), (vec![0, 0], None));
    assert_eq!(numbers(json!({ "ready": 7.0 })), (vec![7, 0], None));
    let told = "status.ready is a text, not a whole number, and counts as 0; \
                status.deep.er is another number, not a whole number, and counts as 0";
    assert_eq!(numbers(json!({ "ready": "7", "deep": { "er": 1.5 } })), (vec![0, 0], Some(told.into())));
    assert_eq!(numbers(json!({ "ready": u64::MAX })).0, [0, 0]);
}

#[test]
fn the_generation_of_the_hub_is_read_from_annotations_and_then_the_spec_is_not_kept() {
    let annotated = |annotations: Value| {
        let instance = read(&json!({ "metadata": { "annotations": annotations }, "spec": {} }));
        (instance.hub_generation.map(Generation::get), instance.spec.to_string())
    };
    assert_eq!(annotated(json!({ "allready.dev/hub-generation": "4" })), (Some(4), String::new()));
    assert_eq!(annotated(json!({ "resourcetemplate.karmada.io/generation": " 5 " })).0, Some(5));
    let both = json!({ "allready.dev/hub-generation": "4", "resourcetemplate.karmada.io/generation": "5" });
    assert_eq!(annotated(both).0, Some(4));
    for unreadable in [json!("x"), json!("-1"), json!("0"), json!(4), json!({})] {
        assert_eq!(annotated(json!({ "allready.dev/hub-generation": unreadable })), (None, "{}".into()));
    }
}

#[test]
fn mc14_routes_that_are_not_counted_are_not_known_and_not_zero() {
    let routes = |value: Value| {
        read(&json!({ "status": { "listeners": [{ "name": "web", "attachedRoutes": value }] } }))
    };
    assert_eq!(routes(json!(0)).listeners[0].attached_routes, Some(0));
    assert_eq!(routes(Value::Null).listeners[0].attached_routes, None);
    for no_count in [json!("1"), json!(-1), json!(1.5), json!([])] {
        let instance = routes(no_count.clone());
        assert_eq!(instance.listeners[0].attached_routes, None, "{no_count}");
        assert!(instance.cut.is_some_and(|cut| cut.contains("which is not a count")), "{no_count}");
    }
}

#[test]
fn a_listener_is_current_unless_one_of_its_conditions_is_about_an_older_generation() {
    let listener = |conditions: Value| {
        let listeners = json!([{ "name": "web", "conditions": conditions }]);
        let object = json!({ "metadata": { "generation": 3 }, "status": { "listeners": listeners } });
        let listener = read(&object).listeners.remove(0);
        (listener.is_current, listener.programmed)
    };
    assert_eq!(listener(json!([])), (true, None));
    assert_eq!(listener(json!([entry("Programmed", "False", 3)])), (true, Some(Status::False)));
    assert_eq!(
        listener(json!([entry("Programmed", "True", 3), entry("Accepted", "True", 2)])),
        (false, Some(Status::True))
    );
    assert_eq!(listener(json!([entry("Programmed", "True", 0)])), (true, Some(Status::True)));
    let contradiction = json!([entry("Programmed", "True", 3), entry("Programmed", "False", 3)]);
    assert_eq!(listener(contradiction), (true, Some(Status::Unknown)));
}

#[test]
fn a_listener_that_is_listed_twice_has_one_row_and_says_nothing_where_they_disagree() {
    let listeners = |first: i64, second: i64| {
        let entry = |routes: i64| json!({ "name": "web", "attachedRoutes": routes });
        read(&json!({ "status": { "listeners": [entry(first), entry(second)] } }))
    };
    assert_eq!(
        listeners(1, 1).listeners.iter().map(|listener| listener.attached_routes).collect::<Vec<_>>(),
        [Some(1)]
    );
    let instance = listeners(1, 0);
    assert_eq!(
        instance.listeners,
        [Listener { name: "web".into(), attached_routes: None, is_current: false, programmed: None }]
    );
    assert_eq!(instance.cut.as_deref(), Some("listener \"web\" is listed twice"));
}

#[test]
fn mc26_what_a_cluster_sends_too_much_of_is_left_out_and_told_and_the_rest_stays() {
    let listeners: Vec<Value> =
        (0..300).map(|index| json!({ "name": format!("l-{index}"), "attachedRoutes": index })).collect();
    let mut addresses =
        vec![json!({ "value": "10.0.0.1" }), json!({ "value": "x".repeat(1025) }), json!("10.0.0.2")];
    addresses.extend((0..300).map(|index| json!({ "value": format!("10.1.0.{index}") })));
    let instance = read(&json!({
        "spec": { "text": "x".repeat(70_000) },
        "status": {
            "ready": 1,
            "listeners": listeners,
            "addresses": addresses,
            "conditions": [{ "type": "Programmed", "status": "False", "reason": "R", "message": "m".repeat(5000) }],
        },
    }));
    assert_eq!((instance.listeners.len(), instance.addresses.len()), (256, 254));
    assert_eq!(instance.listeners[255].attached_routes, Some(255));
    assert_eq!((&*instance.addresses[0].value, &*instance.addresses[1].value), ("10.0.0.1", "10.1.0.0"));
    assert_eq!((&*instance.spec, instance.fields[0]), ("", 1));
    let Said::Condition { condition, .. } = &instance.conditions[0] else { panic!("it is there") };
    assert_eq!(condition.message.as_str().len(), 1024);
    assert!(condition.message.as_str().ends_with("… [cut, was 5000 bytes]"));
    assert_eq!(
        instance.cut.as_deref(),
        Some(
            "its spec has more than 65536 bytes and is not compared; 47 addresses after the first 256 are left out; \
             address 1 is left out, as it has no text of 1 to 1024 bytes where there must be one; \
             address 2 is left out, as it has no text of 1 to 1024 bytes where there must be one; \
             44 listeners after the first 256 are left out"
        )
    );
}

#[test]
fn a_name_that_is_too_long_is_cut_to_one_that_no_object_can_have() {
    let (name, _) = Reader::new(&whole()).read(&json!({ "metadata": { "name": "n".repeat(300) } }));
    assert!(name.name.len() <= 253 && name.name.contains('…'), "{name}");
}
