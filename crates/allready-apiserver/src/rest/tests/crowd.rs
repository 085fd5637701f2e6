//! Everything at once, from several threads; what must hold when they are done.

use std::{collections::BTreeMap, thread};

use serde_json::{Value, json};

use super::{
    harness::{engine, send_at},
    keeping::{DEFINITIONS, get, post},
};
use crate::rest::Engine;

const NAMESPACES: [&str; 2] = ["one", "two"];
const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
const HOLD: &str = "keep.example/hold";

/// A number below a bound, and the next state: the same for every run of a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }

    fn one_of<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "gadgets.keep.example" },
        "spec": {
            "group": "keep.example", "scope": "Namespaced", "names": { "plural": "gadgets", "kind": "Gadget" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    })
}

fn path(kind: &str, namespace: &str) -> String {
    match kind {
        "Gadget" => format!("/apis/keep.example/v1/namespaces/{namespace}/gadgets"),
        _ => format!("/api/v1/namespaces/{namespace}/configmaps"),
    }
}

/// Sends what may be refused, and may be about a kind that is not served just now.
fn try_send(engine: &Engine, method: &str, path: &str, kind: &str, body: &Value) -> Value {
    let sent = send_at(engine, jiff::Timestamp::now(), method, path, kind, body.to_string());
    let reply = sent.map(|reply| (reply.code, reply.body));
    // A conflict, a name that is taken or missing, a namespace that is going: all of that may be; a fault may not.
    assert!(reply.as_ref().is_none_or(|(code, _)| *code < 500), "{method} {path}: {reply:?}");
    reply.map_or(Value::Null, |(_, body)| body)
}

fn act(engine: &Engine, dice: &mut Dice) {
    let (namespace, name) = (dice.one_of(&NAMESPACES), dice.one_of(&NAMES));
    let kind = dice.one_of(&["ConfigMap", "Gadget"]);
    let place = path(kind, namespace);
    let object = format!("{place}/{name}");
    let merge = "application/merge-patch+json";
    match dice.below(20) {
        0..8 => {
            let owner_kind = dice.one_of(&["ConfigMap", "Gadget"]);
            let owner = dice.one_of(&NAMES);
            let found = try_send(
                engine,
                "GET",
                &format!("{}/{owner}", path(owner_kind, namespace)),
                "",
                &Value::Null,
            );
            let mut metadata = json!({ "name": name });
            if let Some(uid) = found["metadata"]["uid"].as_str().filter(|_| dice.below(3) > 0) {
                let api_version = if owner_kind == "Gadget" { "keep.example/v1" } else { "v1" };
                metadata["ownerReferences"] = json!([{
                    "apiVersion": api_version, "kind": owner_kind, "name": owner, "uid": uid,
                    "blockOwnerDeletion": dice.below(2) == 0,
                }]);
            }
            if dice.below(4) == 0 {
                metadata["finalizers"] = json!([HOLD]);
            }
            let api_version = if kind == "Gadget" { "keep.example/v1" } else { "v1" };
            let body = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata });
            try_send(engine, "POST", &place, "application/json", &body);
        }
        8..13 => {
            let options =
                json!({ "propagationPolicy": dice.one_of(&["Background", "Foreground", "Orphan"]) });
            try_send(engine, "DELETE", &object, "application/json", &options);
        }
        13..17 => {
            try_send(engine, "PATCH", &object, merge, &json!({ "metadata": { "finalizers": null } }));
        }
        17 => {
            try_send(
                engine,
                "DELETE",
                &format!("/api/v1/namespaces/{namespace}"),
                "application/json",
                &json!({}),
            );
        }
        18 => {
            let body = json!({ "metadata": { "name": namespace } });
            try_send(engine, "POST", "/api/v1/namespaces", "application/json", &body);
        }
        _ if dice.below(3) == 0 => {
            let body = json!({});
            try_send(
                engine,
                "DELETE",
                &format!("{DEFINITIONS}/gadgets.keep.example"),
                "application/json",
                &body,
            );
        }
        _ => {
            try_send(engine, "POST", DEFINITIONS, "application/json", &definition());
        }
    }
}

/// Every object of the two kinds and the namespaces, by place and key.
fn everything(engine: &Engine) -> BTreeMap<(String, String), Value> {
    let mut found = BTreeMap::new();
    for place in
        ["configmaps", "keep.example/gadgets", "namespaces", "apiextensions.k8s.io/customresourcedefinitions"]
    {
        for (key, stored) in engine.store().list(place, "", None).items {
            found.insert((place.to_owned(), key.into()), stored.value().unwrap());
        }
    }
    found
}

fn check(engine: &Engine, seed: u64) {
    let found = everything(engine);
    let uids: BTreeMap<&str, &Value> =
        found.values().map(|object| (object["metadata"]["uid"].as_str().unwrap(), object)).collect();
    let served = engine.registry().get("keep.example", "gadgets").is_some();
    let defined = found.contains_key(&(
        "apiextensions.k8s.io/customresourcedefinitions".to_owned(),
        "gadgets.keep.example".to_owned(),
    ));
    assert_eq!(served, defined, "seed {seed}: what is served is what is defined");
    for ((place, key), object) in &found {
        let metadata = &object["metadata"];
        let marked = !metadata["deletionTimestamp"].is_null();
        let finalizers: Vec<_> = metadata["finalizers"].as_array().into_iter().flatten().collect();
        let waits = !finalizers.is_empty() || place == "namespaces";
        assert!(!marked || waits, "seed {seed}: {place} {key} waits for nothing: {object}");
        if let Some((namespace, _)) = key.split_once('/') {
            let namespace = found.get(&("namespaces".to_owned(), namespace.to_owned()));
            let going = namespace.map(|namespace| !namespace["metadata"]["deletionTimestamp"].is_null());
            assert!(going.is_some(), "seed {seed}: {place} {key} is in no namespace");
            assert!(
                going == Some(false) || marked,
                "seed {seed}: {place} {key} stays in a namespace that goes"
            );
        }
        let owners: Vec<_> = metadata["ownerReferences"].as_array().into_iter().flatten().collect();
        let known = |owner: &&&Value| uids.contains_key(owner["uid"].as_str().unwrap());
        let judged = owners.iter().all(|owner| served || owner["kind"] != "Gadget");
        if !owners.is_empty() && judged && !marked {
            assert!(
                owners.iter().any(|owner| known(&owner)),
                "seed {seed}: {place} {key} is garbage: {object}"
            );
        }
        let uid = metadata["uid"].as_str().unwrap();
        let dependents = engine.store().dependents(uid);
        let named = found.values().filter(|other| {
            let owners = other["metadata"]["ownerReferences"].as_array();
            owners.into_iter().flatten().any(|owner| owner["uid"] == *uid)
        });
        assert_eq!(dependents.len(), named.count(), "seed {seed}: who depends on {place} {key}");
        if marked && finalizers.iter().any(|name| *name == "foregroundDeletion") {
            let blocks = |other: &&Value| {
                let owners = other["metadata"]["ownerReferences"].as_array();
                owners.into_iter().flatten().any(|it| it["uid"] == *uid && it["blockOwnerDeletion"] == true)
            };
            assert!(
                found.values().any(|it| blocks(&it)),
                "seed {seed}: {place} {key} waits for nobody: {object}"
            );
        }
        assert!(
            finalizers.iter().all(|name| *name != "orphan"),
            "seed {seed}: {place} {key} was not seen to: {object}"
        );
    }
}

#[test]
fn whatever_is_done_at_once_leaves_nothing_that_waits_in_vain() {
    for seed in 1..=12_u64 {
        let engine = engine();
        for namespace in NAMESPACES {
            post(&engine, "/api/v1/namespaces", &json!({ "metadata": { "name": namespace } }));
        }
        post(&engine, DEFINITIONS, &definition());
        thread::scope(|scope| {
            for thread in 0..4 {
                let engine = &engine;
                scope.spawn(move || {
                    let mut dice = Dice(seed * 7_919 + thread + 1);
                    (0..250).for_each(|_| act(engine, &mut dice));
                });
            }
        });
        check(&engine, seed);
        assert_eq!(get(&engine, "/api/v1/namespaces/default").code, 200, "seed {seed}");
    }
}
