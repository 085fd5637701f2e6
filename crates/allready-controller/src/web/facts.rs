//! The facts that the page remembers of an object beside its health: of a few kinds a little, of all others nothing.

use allready_core::{Time, found};
use allready_inspect::{health::Health, judge::judge, registry::Registry};
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
    /// The worst that is said of it; none where a hub counts its routes, and has conditions of the whole Gateway alone.
    pub(super) health: Option<Health>,
    /// `Programmed=False Invalid: …`, of each condition that is not as it should be.
    pub(super) problems: Vec<String>,
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
        (GATEWAY, "ListenerSet") => {
            let field = |name: &str| text(spec["parentRef"][name].as_str().unwrap_or_default(), 253);
            let namespace = field("namespace");
            let place = if namespace.is_empty() { String::new() } else { namespace + "/" };
            Some(json!({ "of": format!("{place}{}", field("name")), "listeners": listeners(object) }))
        }
        (GATEWAY, kind) if kind.ends_with("Route") => {
            let parents = spec["parentRefs"].as_array().into_iter().flatten().take(MOST);
            let parents: Vec<Value> = parents
                .filter_map(|parent| {
                    let kind = parent["kind"].as_str().unwrap_or("Gateway");
                    matches!(kind, "Gateway" | "ListenerSet").then_some((kind, parent))
                })
                .map(|(kind, parent)| {
                    let field = |name: &str| text(parent[name].as_str().unwrap_or_default(), 253);
                    let here = object["metadata"]["namespace"].as_str().unwrap_or_default();
                    let namespace = match field("namespace") {
                        namespace if namespace.is_empty() => here.to_owned(),
                        namespace => namespace,
                    };
                    json!({ "kind": kind, "namespace": namespace, "name": field("name"), "listener": field("sectionName") })
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
                    told.split_once('.').filter(|(_, listener)| *listener == name).map(|(cluster, _)| cluster.to_owned())
                }
            };
            let told = told.into_iter().flatten().filter_map(|status| Some((cluster_of(status)?, status)));
            let (mut problems, mut is_silent, mut is_counted, mut routes) = (Vec::new(), true, false, 0);
            let mut health = Health::Healthy;
            for (cluster, status) in told.take(MOST) {
                routes += status["attachedRoutes"].as_i64().unwrap_or_default();
                is_counted |= !cluster.is_empty();
                for condition in found::read(&status["conditions"]).conditions().iter().take(MOST) {
                    is_silent = false;
                    let said = json!({ "type": condition.type_, "status": condition.status, "reason": condition.reason,
                        "message": condition.message });
                    let kind = object["kind"].as_str().unwrap_or_default();
                    let verdict = judged(kind, &said);
                    if verdict != Health::Healthy && problems.len() < MOST {
                        health = health.max(verdict);
                        let (type_, status) = (&condition.type_, condition.status);
                        let said = format!("{type_}={status} {}: {}", condition.reason, condition.message);
                        let said = if cluster.is_empty() { said } else { format!("{cluster}: {said}") };
                        problems.push(text(&said, 300));
                    }
                }
            }
            let port = listener["port"].as_i64().unwrap_or_default();
            let (protocol, hostname) = (field("protocol"), field("hostname"));
            let health = match (is_silent, is_counted) {
                (true, true) => None,
                (true, false) => Some(Health::Unknown),
                (false, _) => Some(health),
            };
            let is_silent = is_silent && !is_counted;
            Listener { name, port, protocol, hostname, routes, health, problems, is_silent }
        })
        .collect()
}

/// The judge's verdict on one condition of a listener. It is asked about an object on which all else is well, at no time: nothing is
/// under way for long.
fn judged(kind: &str, condition: &Value) -> Health {
    let good = |type_: &str| json!({ "type": type_, "status": "True", "reason": type_ });
    let object = json!({ "apiVersion": format!("{GATEWAY}/v1"), "kind": kind, "metadata": { "name": "a" },
        "status": { "conditions": [good("Accepted"), good("Programmed")],
            "listeners": [{ "name": "a", "conditions": [condition] }] } });
    judge(&object, Registry::builtin(), Time::EPOCH).health
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
        assert_eq!((listeners[0].health, listeners[0].routes), (Some(Health::Degraded), 2));
        assert!(listeners[1].is_silent && listeners[1].health == Some(Health::Unknown));
    }

    #[test]
    fn a_condition_of_a_listener_is_judged_as_it_is_everywhere_else() {
        let listener = |type_: &str, status: &str, reason: &str| {
            let condition = json!({ "type": type_, "status": status, "reason": reason, "message": "" });
            let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
                "spec": { "listeners": [{ "name": "a", "port": 80, "protocol": "HTTP" }] },
                "status": { "listeners": [{ "name": "a", "conditions": [condition] }] } });
            listeners(&object).remove(0)
        };
        assert_eq!(listener("Conflicted", "True", "ProtocolConflict").health, Some(Health::Degraded));
        assert_eq!(listener("ResolvedRefs", "False", "InvalidCertificateRef").health, Some(Health::Degraded));
        assert_ne!(listener("Programmed", "Unknown", "Pending").health, Some(Health::Healthy));
        for (type_, status) in [
            ("Conflicted", "False"),
            ("OverlappingTLSConfig", "False"),
            ("OverlappingTLSConfig", "True"),
            ("Programmed", "True"),
        ] {
            let listener = listener(type_, status, type_);
            assert!(
                listener.health == Some(Health::Healthy) && listener.problems.is_empty(),
                "{type_}: {listener:?}"
            );
        }
    }

    #[test]
    fn a_listener_set_is_told_with_the_gateway_that_it_is_of() {
        let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "ListenerSet",
            "spec": { "parentRef": { "name": "web", "namespace": "edge" }, "listeners": [{ "name": "a", "port": 80, "protocol": "HTTP" }] } });
        let facts = facts(&object).unwrap();
        assert_eq!((&facts["of"], &facts["listeners"][0]["name"]), (&json!("edge/web"), &json!("a")));
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
    fn a_listener_whose_routes_a_hub_counts_is_not_called_silent() {
        let row =
            |name: &str| json!({ "name": name, "attachedRoutes": 1, "conditions": [], "supportedKinds": [] });
        let object = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "spec": { "listeners": [{ "name": "api", "port": 443, "protocol": "HTTPS" }] },
            "status": { "listeners": [row("cluster-1.api"), row("cluster-2.api")] } });
        let listeners: Vec<Listener> =
            serde_json::from_value(facts(&object).unwrap()["listeners"].clone()).unwrap();
        assert_eq!((listeners[0].routes, listeners[0].health, listeners[0].is_silent), (2, None, false));
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
