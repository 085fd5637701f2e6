//! What one apply costs from the body to the store.

use bytes::Bytes;
use serde_json::{Value, json};

use super::harness::{engine, send};
use crate::{rest::Engine, store::counted};

const OBJECT: &str = "/apis/speed.example.com/v1/namespaces/default/works/w";
const APPLY: &str = "application/apply-patch+yaml";

fn definition() -> Value {
    let text = || json!({ "type": "string" });
    let condition = json!({ "type": "object", "required": ["type", "status"], "properties": {
        "type": { "type": "string", "maxLength": 316, "pattern": "^[A-Za-z0-9][-A-Za-z0-9_./]*$" },
        "status": { "type": "string", "enum": ["True", "False", "Unknown"] },
        "reason": { "type": "string", "maxLength": 1024, "minLength": 1 },
        "message": { "type": "string", "maxLength": 32768 },
        "lastTransitionTime": { "type": "string", "format": "date-time" },
        "observedGeneration": { "type": "integer", "format": "int64", "minimum": 0 },
    } });
    let conditions = json!({
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"], "items": condition,
    });
    let spec = json!({ "type": "object", "properties": {
        "size": { "type": "integer", "default": 1 }, "color": text(),
    } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "works.speed.example.com" },
        "spec": {
            "group": "speed.example.com", "scope": "Namespaced", "names": { "plural": "works", "kind": "Work" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "spec": spec, "status": { "type": "object", "properties": { "conditions": conditions } },
                } } },
            }],
        },
    })
}

fn report(round: usize) -> Bytes {
    let condition = |name: &str| {
        json!({
            "type": name, "status": if round.is_multiple_of(2) { "True" } else { "False" }, "reason": "AsExpected",
            "message": "all is there", "lastTransitionTime": "2026-01-01T00:00:00Z", "observedGeneration": 1,
        })
    };
    let conditions = ["Available", "Progressing", "Degraded", "Ready"].map(condition);
    let body = json!({
        "apiVersion": "speed.example.com/v1", "kind": "Work", "metadata": { "name": "w" },
        "status": { "conditions": conditions },
    });
    body.to_string().into()
}

fn prepared() -> Engine {
    let engine = engine();
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let reply = send(&engine, "POST", path, "application/json", definition().to_string());
    assert_eq!(reply.code, 201, "{}", reply.body);
    let work = json!({
        "apiVersion": "speed.example.com/v1", "kind": "Work",
        "metadata": { "name": "w", "labels": { "app": "x" } }, "spec": { "color": "red" },
    });
    let path = format!("{OBJECT}?fieldManager=maker");
    assert_eq!(send(&engine, "PATCH", &path, APPLY, work.to_string()).code, 201);
    engine
}

#[test]
fn an_apply_reads_the_object_once_and_writes_it_once() {
    let engine = prepared();
    let path = format!("{OBJECT}/status?fieldManager=reporter");
    for round in 0..4 {
        let (body, before) = (report(round), engine.store().revision());
        let reads = counted::reads(|| assert_eq!(send(&engine, "PATCH", &path, APPLY, body).code, 200));
        // The definition of the kind, and whoever may own the object, are not asked.
        assert_eq!((reads, engine.store().revision() - before), (1, 1), "round {round}");
    }
}

#[test]
fn an_apply_that_says_the_same_again_writes_nothing() {
    let engine = prepared();
    let path = format!("{OBJECT}/status?fieldManager=reporter");
    assert_eq!(send(&engine, "PATCH", &path, APPLY, report(0)).code, 200);
    let before = engine.store().revision();
    let reads = counted::reads(|| assert_eq!(send(&engine, "PATCH", &path, APPLY, report(0)).code, 200));
    assert_eq!((reads, engine.store().revision() - before), (1, 0));
}
