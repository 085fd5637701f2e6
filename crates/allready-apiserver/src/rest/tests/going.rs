//! Namespaces and definitions that go while others write.

use std::{thread, time::Duration};

use bytes::Bytes;
use serde_json::{Value, json};

use super::{
    harness::{call, engine, send, send_at},
    keeping::{DEFINITIONS, GADGETS, delete, gadget, get, map, post, with_gadgets},
};
use crate::{
    rest::{Body, Engine},
    store::counted,
};

const DEFINITION: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gadgets.keep.example";

fn code(engine: &Engine, method: &str, path: &str, kind: &str, body: &Value) -> u16 {
    let sent = send_at(engine, jiff::Timestamp::now(), method, path, kind, body.to_string());
    sent.map_or(404, |reply| reply.code)
}

/// The definition of gadgets whose spec has one field.
fn definition(field: &str) -> Value {
    let schema = json!({
        "type": "object",
        "properties": { "spec": { "type": "object", "properties": { field: { "type": "string" } } } },
    });
    let versions =
        json!([{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }]);
    let names =
        json!({ "plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList" });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "gadgets.keep.example" },
        "spec": { "group": "keep.example", "scope": "Namespaced", "names": names, "versions": versions },
    })
}

#[test]
fn nothing_is_left_of_a_namespace_that_went() {
    let engine = engine();
    for round in 0..60 {
        let namespace = format!("/api/v1/namespaces/n{round}");
        let maps = format!("{namespace}/configmaps");
        post(&engine, "/api/v1/namespaces", &json!({ "metadata": { "name": format!("n{round}") } }));
        thread::scope(|scope| {
            for thread in 0..4 {
                let (engine, maps) = (&engine, &maps);
                scope.spawn(move || {
                    for index in 0..200 {
                        let mut body = map(&format!("c{thread}-{index}"), &[]);
                        body["data"] = json!({ "x": "y".repeat(5_000) });
                        if post(engine, maps, &body).code != 201 {
                            return;
                        }
                    }
                });
            }
            thread::sleep(Duration::from_millis(2));
            assert_eq!(delete(&engine, &namespace, "Background").code, 200);
        });
        assert_eq!(get(&engine, &namespace).code, 404);
        assert_eq!(get(&engine, &maps).body["items"], json!([]), "{round}");
    }
}

#[test]
fn replacing_makes_nothing_in_a_namespace_that_is_going() {
    let engine = engine();
    post(&engine, "/api/v1/namespaces", &json!({ "metadata": { "name": "tmp" } }));
    let mut held = map("held", &[]);
    held["metadata"]["finalizers"] = json!(["keep.example/hold"]);
    post(&engine, "/api/v1/namespaces/tmp/configmaps", &held);
    delete(&engine, "/api/v1/namespaces/tmp", "Background");
    let lease = json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "l1", "namespace": "tmp" }, "spec": {},
    });
    let path = "/apis/coordination.k8s.io/v1/namespaces/tmp/leases/l1";
    let reply = send(&engine, "PUT", path, "application/json", lease.to_string());
    assert_eq!(reply.code, 403, "{}", reply.body);
    assert_eq!(
        reply.body["message"],
        "leases.coordination.k8s.io \"l1\" is forbidden: unable to create new content in namespace tmp because it is being terminated"
    );
}

#[test]
fn a_call_that_outlived_its_definition_makes_nothing() {
    let engine = with_gadgets();
    let body = Bytes::from(gadget("late", &[]).to_string());
    let late = || call(&engine, "POST", GADGETS, "application/json", body.clone()).unwrap();
    let (first, second) = (late(), late());
    delete(&engine, DEFINITION, "Background");
    assert_eq!(engine.handle(first).err().map(|failure| failure.code), Some(404));
    post(&engine, DEFINITIONS, &definition("a"));
    assert_eq!(get(&engine, GADGETS).body["items"], json!([]));
    // The definition is there again: the call is as good as one that came now.
    assert!(matches!(engine.handle(second).map(|answer| answer.body), Ok(Body::Object(_))));
}

#[test]
fn a_definition_that_comes_back_has_no_objects_of_the_one_that_went() {
    let engine = engine();
    for round in 0..40 {
        assert_eq!(post(&engine, DEFINITIONS, &definition("a")).code, 201, "{round}");
        assert_eq!(post(&engine, GADGETS, &gadget("one", &[])).code, 201, "{round}");
        assert_eq!(get(&engine, GADGETS).body["items"].as_array().unwrap().len(), 1, "{round}");
        thread::scope(|scope| {
            for thread in 0..2 {
                let engine = &engine;
                scope.spawn(move || {
                    for index in 0..20 {
                        let object = gadget(&format!("g{thread}-{index}"), &[]);
                        if code(engine, "POST", GADGETS, "application/json", &object) != 201 {
                            return;
                        }
                    }
                });
                scope.spawn(move || {
                    for index in 0..3 {
                        let patch = json!({ "metadata": { "labels": { "x": format!("{thread}-{index}") } } });
                        code(engine, "PATCH", DEFINITION, "application/merge-patch+json", &patch);
                    }
                });
                scope.spawn(move || delete(engine, DEFINITION, "Background"));
            }
        });
        assert_eq!(get(&engine, DEFINITION).code, 404, "{round}");
        assert!(engine.registry().get("keep.example", "gadgets").is_none(), "{round}");
    }
}

#[test]
fn what_is_served_is_what_the_definition_says_last() {
    let engine = engine();
    post(&engine, DEFINITIONS, &definition("a"));
    for round in 0..25 {
        thread::scope(|scope| {
            for thread in 0..4 {
                let engine = &engine;
                scope.spawn(move || {
                    let patch = json!({ "spec": { "versions": definition(&format!("f{round}x{thread}"))["spec"]["versions"] } });
                    code(engine, "PATCH", DEFINITION, "application/merge-patch+json", &patch);
                });
            }
        });
        let now = get(&engine, DEFINITION).body;
        let schema = &now["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
        let field = schema["properties"]["spec"]["properties"].as_object().unwrap().keys().next().unwrap();
        let mut object = gadget(&format!("g{round}"), &[]);
        object["spec"] = json!({ field: "v" });
        assert_eq!(post(&engine, GADGETS, &object).body["spec"][field], "v", "{round}");
    }
}

#[test]
fn a_full_namespace_that_goes_costs_each_removal_little() {
    let engine = engine();
    let let_go = json!({ "metadata": { "finalizers": null } }).to_string();
    let removal = |size: usize| {
        let namespace = format!("/api/v1/namespaces/n{size}");
        post(&engine, "/api/v1/namespaces", &json!({ "metadata": { "name": format!("n{size}") } }));
        for index in 0..size {
            let mut object = map(&format!("c{index:04}"), &[]);
            object["metadata"]["finalizers"] = json!(["keep.example/hold"]);
            post(&engine, &format!("{namespace}/configmaps"), &object);
        }
        delete(&engine, &namespace, "Background");
        counted::reads(|| {
            let path = format!("{namespace}/configmaps/c0007");
            send(&engine, "PATCH", &path, "application/merge-patch+json", let_go.clone());
        })
    };
    let (few, many) = (removal(20), removal(200));
    assert_eq!(few, many, "objects read for one removal among twenty, and among two hundred");
}

#[test]
fn a_definition_that_was_never_served_leaves_nothing_behind() {
    let engine = with_gadgets();
    // Its kind is taken, so that it is not served.
    let mut rival = definition("a");
    rival["metadata"]["name"] = "rivals.keep.example".into();
    rival["spec"]["names"] =
        json!({ "plural": "rivals", "singular": "rival", "kind": "Gadget", "listKind": "GadgetList" });
    assert_eq!(post(&engine, DEFINITIONS, &rival).code, 201);
    assert!(engine.registry().get("keep.example", "rivals").is_none());
    delete(&engine, &format!("{DEFINITIONS}/rivals.keep.example"), "Background");
    delete(&engine, DEFINITION, "Background");
    assert_eq!(post(&engine, DEFINITIONS, &rival).code, 201);
    let path = "/apis/keep.example/v1/namespaces/default/rivals";
    assert_eq!(post(&engine, path, &gadget("one", &[])).code, 201);
}
