//! The facts that the page remembers of an object beside its health: of a few kinds a little, of all others nothing.

use allready_core::{Status, found};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::text;

/// The most listeners, routes, addresses and hostnames that are remembered of one object.
const MOST: usize = 64;

/// The group of the Gateway API.
const GATEWAY: &str = "gateway.networking.k8s.io";

/// A listener of a Gateway or ListenerSet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listener {
    pub(super) name: String,
    pub(super) port: i64,
    pub(super) protocol: String,
    pub(super) hostname: String,
    pub(super) routes: i64,
    /// `Programmed=False Invalid: …`, of each condition that is not as it should be.
    pub(super) problems: Vec<String>,
    /// Set if a condition says that it is broken, and not only that nobody knows.
    pub(super) is_broken: bool,
    /// Set if the status says nothing of it.
    pub(super) is_silent: bool,
}

/// The facts of an object, as JSON: objects of all kinds are followed alike.
pub(super) fn facts(object: &Value) -> Option<Value> {
    let group = object["apiVersion"].as_str().unwrap_or_default();
    let group = group.split_once('/').map_or("", |(group, _)| group);
    let (spec, status) = (&object["spec"], &object["status"]);
    match (group, object["kind"].as_str().unwrap_or_default()) {
        (_, "ConfigurationStatus") => {
            let list = found::read(&status["conditions"]);
            let ready = list.find("Ready");
            let message = ready.map(|ready| text(&ready.message, 400)).unwrap_or_default();
            let reporters = text(status["reporters"]["display"].as_str().unwrap_or_default(), 40);
            Some(json!({ "message": message, "reporters": reporters }))
        }
        ("allready.dev", "StatusReport") => {
            let field = |name: &str| text(spec[name].as_str().unwrap_or_default(), 253);
            Some(json!({ "component": field("component"), "instance": field("instance") }))
        }
        ("allready.dev", "ClusterStatus") => {
            let latency = status["latencyMilliseconds"].as_i64();
            Some(json!({ "objects": status["objects"].as_i64(), "latency": latency }))
        }
        (GATEWAY, "Gateway") => Some(json!({
            "class": text(spec["gatewayClassName"].as_str().unwrap_or_default(), 253),
            "addresses": strings(&status["addresses"], "value"),
            "listeners": listeners(object),
        })),
        (GATEWAY, kind) if kind.ends_with("Route") => {
            let parents = spec["parentRefs"].as_array().into_iter().flatten().take(MOST);
            let parents: Vec<Value> = parents
                .filter(|parent| parent["kind"].as_str().unwrap_or("Gateway") == "Gateway")
                .map(|parent| {
                    let field = |name: &str| text(parent[name].as_str().unwrap_or_default(), 253);
                    let here = object["metadata"]["namespace"].as_str().unwrap_or_default();
                    let namespace = match field("namespace") {
                        namespace if namespace.is_empty() => here.to_owned(),
                        namespace => namespace,
                    };
                    json!({ "namespace": namespace, "name": field("name"), "listener": field("sectionName") })
                })
                .collect();
            let hostnames = spec["hostnames"].as_array().into_iter().flatten().take(MOST);
            let hostnames: Vec<String> =
                hostnames.filter_map(Value::as_str).map(|name| text(name, 253)).collect();
            Some(json!({ "parents": parents, "hostnames": hostnames }))
        }
        _ => None,
    }
}

fn strings(list: &Value, field: &str) -> Vec<String> {
    let list = list.as_array().into_iter().flatten().take(MOST);
    list.filter_map(|entry| entry[field].as_str()).map(|found| text(found, 253)).collect()
}

fn listeners(object: &Value) -> Vec<Listener> {
    let told = object["status"]["listeners"].as_array();
    let listeners = object["spec"]["listeners"].as_array().into_iter().flatten().take(MOST);
    listeners
        .map(|listener| {
            let field = |name: &str| text(listener[name].as_str().unwrap_or_default(), 253);
            let name = field("name");
            // The status of a hub has one entry for each cluster: `cluster-1.https`.
            let cluster_of = |told: &Value| {
                let told = told["name"].as_str()?;
                if told == name {
                    Some(String::new())
                } else {
                    told.strip_suffix(&format!(".{name}")).map(str::to_owned)
                }
            };
            let told = told.into_iter().flatten().filter_map(|status| Some((cluster_of(status)?, status)));
            let (mut problems, mut is_broken, mut is_silent, mut routes) = (Vec::new(), false, true, 0);
            for (cluster, status) in told.take(MOST) {
                routes += status["attachedRoutes"].as_i64().unwrap_or_default();
                for condition in found::read(&status["conditions"]).conditions().iter().take(MOST) {
                    is_silent = false;
                    // Of a listener's conditions, these alone are well when they are False.
                    let is_negative = matches!(&*condition.type_, "Conflicted" | "OverlappingTLSConfig");
                    let good = if is_negative { Status::False } else { Status::True };
                    if condition.status != good && problems.len() < MOST {
                        is_broken |= condition.status != Status::Unknown;
                        let (type_, status) = (&condition.type_, condition.status);
                        let said = format!("{type_}={status} {}: {}", condition.reason, condition.message);
                        let said = if cluster.is_empty() { said } else { format!("{cluster}: {said}") };
                        problems.push(text(&said, 300));
                    }
                }
            }
            let port = listener["port"].as_i64().unwrap_or_default();
            let (protocol, hostname) = (field("protocol"), field("hostname"));
            Listener { name, port, protocol, hostname, routes, problems, is_broken, is_silent }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_is_told_with_what_is_wrong_with_it() {
        let condition = |type_: &str, status: &str| json!({ "type": type_, "status": status, "reason": "R", "message": "m" });
        let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": { "name": "web", "namespace": "shop" },
            "spec": { "gatewayClassName": "example", "listeners": [
                { "name": "https", "port": 443, "protocol": "HTTPS", "hostname": "a.example" },
                { "name": "new", "port": 80, "protocol": "HTTP" } ] },
            "status": { "addresses": [{ "value": "192.0.2.1" }], "listeners": [{ "name": "https", "attachedRoutes": 2,
                "conditions": [condition("Programmed", "False"), condition("Conflicted", "False")] }] } });
        let facts = facts(&object).unwrap();
        assert_eq!((&facts["class"], &facts["addresses"]), (&json!("example"), &json!(["192.0.2.1"])));
        let listeners: Vec<Listener> = serde_json::from_value(facts["listeners"].clone()).unwrap();
        assert_eq!(listeners[0].problems, ["Programmed=False R: m"]);
        assert!(listeners[0].is_broken && listeners[0].routes == 2);
        assert!(listeners[1].is_silent && !listeners[1].is_broken);
    }

    #[test]
    fn a_listener_of_a_hub_is_told_for_each_cluster() {
        let status = |name: &str, programmed: &str| {
            json!({ "name": name, "attachedRoutes": 1, "conditions": [
            { "type": "Programmed", "status": programmed, "reason": "R", "message": "m" }] })
        };
        let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "spec": { "listeners": [{ "name": "api", "port": 443, "protocol": "HTTPS" }] },
            "status": { "listeners": [status("cluster-1.api", "False"), status("cluster-2.api", "True"), status("x.web", "False")] } });
        let listeners: Vec<Listener> =
            serde_json::from_value(facts(&object).unwrap()["listeners"].clone()).unwrap();
        assert_eq!((listeners.len(), listeners[0].routes), (1, 2));
        assert_eq!(listeners[0].problems, ["cluster-1: Programmed=False R: m"]);
    }

    #[test]
    fn of_other_objects_nothing_is_remembered_and_nothing_of_any_length() {
        assert_eq!(facts(&json!({ "apiVersion": "v1", "kind": "Secret", "data": { "a": "b" } })), None);
        assert_eq!(facts(&json!({ "kind": ["Gateway"] })), None);
        let many: Vec<Value> = (0..1000).map(|n| json!({ "name": format!("l{n}") })).collect();
        let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "spec": { "gatewayClassName": "x".repeat(10_000), "listeners": many } });
        let facts = facts(&object).unwrap();
        assert_eq!(facts["listeners"].as_array().unwrap().len(), MOST);
        assert!(facts["class"].as_str().unwrap().chars().count() <= 254);
    }
}
