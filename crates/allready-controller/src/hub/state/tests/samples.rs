//! Objects to play with.

use serde_json::{Value, json};

use super::{
    store::What,
    world::{S, World, web},
};
use crate::hub::ObjectName;

/// A Gateway of the hub.
pub(super) fn gateway(object: &mut Value) {
    object["apiVersion"] = "gateway.networking.k8s.io/v1".into();
    object["kind"] = "Gateway".into();
    object["metadata"]["labels"] = json!({ "aggregated": "yes" });
    object["spec"] = json!({ "listeners": [
        { "name": "api", "hostname": "api.example.com" }, { "name": "web", "hostname": "www.example.com" },
    ] });
}

/// What a Gateway in a cluster says.
pub(super) struct Said {
    pub(super) programmed: &'static str,
    /// The first part of its addresses, and how many there are.
    pub(super) addresses: (usize, usize),
    pub(super) routes: [i64; 2],
    pub(super) hub_generation: i64,
}

impl Said {
    pub(super) fn object(&self) -> Value {
        let (first, count) = self.addresses;
        let addresses: Vec<_> = (1..=count)
            .map(|last| json!({ "type": "IPAddress", "value": format!("10.0.{first}.{last}") }))
            .collect();
        let listener = |name: &str, routes: i64| json!({ "name": name, "attachedRoutes": routes });
        json!({
            "metadata": {
                "generation": 1,
                "annotations": { "allready.dev/hub-generation": self.hub_generation.to_string() },
            },
            "status": {
                "conditions": [{ "type": "Programmed", "status": self.programmed, "reason": "R", "message": "m",
                    "lastTransitionTime": "2026-03-01T10:00:00Z", "observedGeneration": 1 }],
                "addresses": addresses,
                "listeners": [listener("api", self.routes[0]), listener("web", self.routes[1])],
            },
        })
    }
}

/// That all is well in a cluster.
pub(super) fn well(number: usize) -> Value {
    Said { programmed: "True", addresses: (number, 1), routes: [1, 1], hub_generation: 1 }.object()
}

pub(super) fn unwell(number: usize, programmed: &'static str) -> Value {
    Said { programmed, addresses: (number, 1), routes: [1, 1], hub_generation: 1 }.object()
}

/// An aggregation of Gateways.
pub(super) fn gateways(more: &Value) -> Value {
    let mut spec = json!({
        "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway" },
        "selector": { "matchLabels": { "aggregated": "yes" } },
        "conditions": [{ "type": "Programmed" }],
        "rows": ["Addresses", "Listeners"],
        "dns": { "graceSeconds": 5 },
        "clusterTimeoutSeconds": 10,
    });
    for (name, value) in more.as_object().into_iter().flatten() {
        spec[name] = value.clone();
    }
    spec
}

/// Three clusters in which all is well, and a hub that says so.
pub(super) fn calm() -> World {
    let mut world = World::new();
    world.aggregate("gateways", gateways(&Value::Null));
    world.edit(What::Gateway, &web(), gateway);
    for number in 1..=3 {
        world.say(number, What::Gateway, &web(), Some(well(number)));
    }
    world.pass(S(5));
    world
}

/// A DaemonSet of the hub.
pub(super) fn daemon(object: &mut Value) {
    object["apiVersion"] = "apps/v1".into();
    object["kind"] = "DaemonSet".into();
    object["metadata"]["labels"] = json!({ "aggregated": "yes" });
    object["spec"] = json!({});
}

pub(super) fn programmed(world: &World) -> String {
    world.status(What::Gateway, &web(), "Programmed").unwrap_or_else(|| "nothing".to_owned())
}

pub(super) fn addresses(world: &World) -> Vec<String> {
    let object = world.store.get(What::Gateway, &web()).unwrap();
    let rows = object["status"]["addresses"].as_array().cloned().unwrap_or_default();
    rows.iter().map(|row| row["value"].as_str().unwrap().to_owned()).collect()
}

pub(super) fn reports(world: &World) -> Vec<&ObjectName> {
    let reports = world.store.objects.keys().filter(|(what, _)| *what == What::InstanceStatus);
    reports.map(|(_, name)| name).collect()
}

pub(super) fn endpoint(world: &World) -> Option<&Value> {
    world.store.get(What::Endpoint, &ObjectName::new("shop", "gateway-web"))
}
