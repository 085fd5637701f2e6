use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::refused::{engine, post};
use crate::rest::{Answer, Body, Engine};

fn service(name: &str, spec: &Value) -> Value {
    let mut spec = spec.clone();
    if spec["ports"].is_null() {
        spec["ports"] = json!([{"port": 80}]);
    }
    json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": spec})
}

fn spec(answer: Answer) -> Value {
    let Body::Object(bytes) = answer.body else { panic!("a create answers with an object") };
    serde_json::from_slice::<Value>(&bytes).unwrap()["spec"].take()
}

fn make(engine: &Engine, name: &str, wanted: &Value) -> Result<Value, String> {
    post(engine, &service(name, wanted), false).map(spec).map_err(|failure| failure.message)
}

#[test]
fn no_two_services_share_an_address_or_a_port_until_none_is_left() {
    let engine = engine();
    let (mut addresses, mut ports) = (BTreeSet::new(), BTreeSet::new());
    for number in 0..253 {
        let made = make(&engine, &format!("s{number}"), &json!({"type": "NodePort"})).unwrap();
        assert!(addresses.insert(made["clusterIP"].to_string()), "{made}");
        assert!(ports.insert(made["ports"][0]["nodePort"].as_i64().unwrap()), "{made}");
    }
    let why = "Internal error occurred: failed to allocate a serviceIP for Service \"last\": range is full";
    assert_eq!(make(&engine, "last", &json!({})), Err(why.to_owned()));
}

#[test]
fn a_name_gets_the_same_address_in_every_run() {
    let first = make(&engine(), "web", &json!({"type": "LoadBalancer"})).unwrap();
    assert_eq!(make(&engine(), "web", &json!({"type": "LoadBalancer"})).unwrap(), first);
}

#[test]
fn what_another_service_has_is_refused() {
    let engine = engine();
    let other =
        json!({"type": "NodePort", "clusterIP": "10.0.0.222", "ports": [{"port": 80, "nodePort": 31234}]});
    make(&engine, "other", &other).unwrap();
    let range = "provided port is not in the valid range. The range of valid ports is 30000-32767";
    let numbered = |number: u16| json!({"type": "NodePort", "ports": [{"port": 80, "nodePort": number}]});
    let local = |number: u16| json!({"type": "LoadBalancer", "externalTrafficPolicy": "Local", "healthCheckNodePort": number});
    let address = |address: &str, why: &str| {
        format!("spec.clusterIPs: Invalid value: [\"{address}\"]: failed to allocate IP {address}: {why}")
    };
    let taken = "provided IP is already allocated";
    let outside = "the provided network does not match the current range";
    for (wanted, why) in [
        (json!({"clusterIP": "10.0.0.222"}), address("10.0.0.222", taken)),
        (json!({"clusterIP": "10.0.0.1"}), address("10.0.0.1", taken)),
        (json!({"clusterIP": "10.0.0.0"}), address("10.0.0.0", outside)),
        (json!({"clusterIP": "10.0.0.255"}), address("10.0.0.255", outside)),
        (
            numbered(31234),
            "spec.ports[0].nodePort: Invalid value: 31234: provided port is already allocated".to_owned(),
        ),
        (numbered(80), format!("spec.ports[0].nodePort: Invalid value: 80: {range}")),
    ] {
        assert_eq!(make(&engine, "x", &wanted), Err(format!("Service \"x\" is invalid: {why}")));
    }
    for (number, why) in [(31234, "provided port is already allocated"), (5, range)] {
        let why = format!("failed to allocate requested HealthCheck NodePort {number}: {why}");
        assert_eq!(make(&engine, "x", &local(number)), Err(format!("Internal error occurred: {why}")));
    }
}

#[test]
fn one_number_serves_a_port_over_both_protocols() {
    let ports = json!([
        {"port": 80, "name": "a"}, {"port": 80, "name": "b", "protocol": "UDP"}, {"port": 81, "name": "c"},
    ]);
    let made = make(&engine(), "x", &json!({"type": "NodePort", "ports": ports})).unwrap();
    let number = |index: usize| made["ports"][index]["nodePort"].as_i64().unwrap();
    assert_eq!(number(0), number(1));
    assert_ne!(number(0), number(2));
}
