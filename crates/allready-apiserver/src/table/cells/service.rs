//! Services.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::Value;

use super::{
    NONE, age,
    age::UNKNOWN,
    name,
    text::{at, items, labels, number, or},
};

pub(super) fn service(object: &Value, now: Timestamp) -> Vec<Value> {
    let first = items(object, &["spec", "clusterIPs"]).first().and_then(Value::as_str);
    let internal = first.unwrap_or_else(|| or(at(object, &["spec", "clusterIP"]), NONE));
    let ports: Vec<_> = items(object, &["spec", "ports"]).iter().map(port).collect();
    vec![
        name(object),
        at(object, &["spec", "type"]).into(),
        internal.into(),
        external(object).into(),
        or(&ports.join(","), NONE).into(),
        age(object, now),
        labels(&object["spec"]["selector"]).into(),
    ]
}

fn port(port: &Value) -> String {
    let (own, protocol) = (number(port, &["port"]), at(port, &["protocol"]));
    match number(port, &["nodePort"]) {
        node if node > 0 => format!("{own}:{node}/{protocol}"),
        _ => format!("{own}/{protocol}"),
    }
}

fn external(object: &Value) -> String {
    let given: Vec<_> = items(object, &["spec", "externalIPs"]).iter().filter_map(Value::as_str).collect();
    match at(object, &["spec", "type"]) {
        "ClusterIP" | "NodePort" => or(&given.join(","), NONE).to_owned(),
        "LoadBalancer" => {
            let ingress = items(object, &["status", "loadBalancer", "ingress"]).iter();
            let balancers: BTreeSet<_> = ingress
                .map(|one| or(at(one, &["ip"]), at(one, &["hostname"])))
                .filter(|one| !one.is_empty())
                .collect();
            let all: Vec<_> = balancers.into_iter().chain(given).collect();
            or(&all.join(","), "<pending>").to_owned()
        }
        "ExternalName" => at(object, &["spec", "externalName"]).to_owned(),
        _ => UNKNOWN.to_owned(),
    }
}
