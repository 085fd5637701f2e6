//! Which generation of the hub object the instances are about.

use serde_json::json;

use super::*;

fn instance(hub_generation: Option<&str>, spec: Value) -> Value {
    let mut object = programmed("True", "");
    object["spec"] = spec;
    if let Some(generation) = hub_generation {
        object["metadata"] = json!({ "annotations": { "allready.dev/hub-generation": generation } });
    }
    object
}

fn hub_object(generation: i64, class: &str) -> Value {
    json!({ "metadata": { "generation": generation }, "spec": { "gatewayClassName": class } })
}

fn observed(hub: &Hub) -> Option<i64> {
    hub.condition("Programmed").observed_generation.map(allready_core::Generation::get)
}

/// Takes another spec of the hub object, with the status as it stands.
fn moves(hub: &mut Hub, object: &Value) {
    let read = HubFacts::read(object, hub.subject.plan(), MANAGER);
    let stands = hub.subject.facts().unwrap().clone();
    hub.subject.hub(Some(HubFacts { generation: read.generation, spec: read.spec, ..stands }));
}

#[test]
fn mc7_a_condition_behind_its_own_object_is_unknown_and_advances_nothing() {
    let mut object = instance(None, json!({ "gatewayClassName": "a" }));
    object["metadata"] = json!({ "generation": 3 });
    object["status"]["conditions"][0]["observedGeneration"] = json!(2);
    let mut hub = Hub::with(gateway(), &[("cluster-1", object.clone())]);
    hub.stands(hub_object(7, "a"));
    let message = "cluster-1 (unknown) is about generation 2 of its object, which is at 3";
    hub.is("Programmed", "Unknown", "InstancesUnknown", message);
    assert_eq!(observed(&hub), None);
    object["status"]["conditions"][0]["observedGeneration"] = json!(3);
    hub.says("cluster-1", object);
    assert_eq!((hub.words("Programmed").0.as_str(), observed(&hub)), ("True", Some(7)));
}

#[test]
fn mc7_an_instance_of_an_older_hub_generation_is_unknown_and_the_hub_does_not_advance() {
    let mut hub = Hub::with(
        gateway(),
        &[("cluster-1", instance(Some("4"), json!({}))), ("cluster-2", instance(Some("3"), json!({})))],
    );
    hub.stands(hub_object(4, "a"));
    let message = "cluster-2 (unknown) is about generation 3 of the hub object, which is at 4";
    hub.is("Programmed", "Unknown", "InstancesUnknown", message);
    hub.is(AGGREGATED, "Unknown", "InstancesUnknown", message);
    assert_eq!(observed(&hub), None, "what it said is not about its spec any more");
    hub.says("cluster-2", instance(Some("4"), json!({})));
    assert_eq!((hub.words("Programmed").0.as_str(), observed(&hub)), ("True", Some(4)));
}

#[test]
fn k6_the_hub_generation_is_observed_only_where_every_instance_has_seen_it() {
    let spec = |class: &str| json!({ "gatewayClassName": class, "defaulted": true });
    let mut hub = Hub::with(
        gateway(),
        &[("cluster-1", instance(None, spec("a"))), ("cluster-2", instance(None, spec("a")))],
    );
    hub.stands(hub_object(1, "a"));
    hub.write(at(1));
    assert_eq!(observed(&hub), Some(1));
    moves(&mut hub, &hub_object(2, "b"));
    assert_eq!((hub.words("Programmed").0.as_str(), observed(&hub)), ("True", Some(1)), "taken at its word");
    hub.says("cluster-1", instance(None, spec("b")));
    assert_eq!(observed(&hub), Some(1));
    hub.says("cluster-2", instance(None, spec("b")));
    assert_eq!(observed(&hub), Some(2));
}

#[test]
fn karmada_says_the_generation_in_its_own_annotation() {
    let mut object = programmed("True", "");
    object["metadata"] = json!({ "annotations": { "resourcetemplate.karmada.io/generation": "3" } });
    let mut hub = Hub::with(gateway(), &[("cluster-1", object)]);
    hub.stands(hub_object(4, "a"));
    assert_eq!(hub.words("Programmed").0, "Unknown");
}
