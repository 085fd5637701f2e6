//! What patches come to, and how refusals show them.

use serde_json::json;

use super::{
    harness::send,
    keeping::{GADGETS, get, with_gadgets},
};

const APPLY: &str = "application/apply-patch+yaml";
const MERGE: &str = "application/merge-patch+json";
const JSON: &str = "application/json-patch+json";

#[test]
fn what_is_only_tried_keeps_the_version_that_it_came_with() {
    let engine = with_gadgets();
    let body = |version: &str| {
        json!({
            "apiVersion": "keep.example/v1", "kind": "Gadget", "metadata": { "name": "a", "resourceVersion": version },
        })
    };
    let path = format!("{GADGETS}/a?fieldManager=m");
    for version in ["0", "7"] {
        let tried = send(&engine, "PATCH", &format!("{path}&dryRun=All"), APPLY, body(version).to_string());
        assert_eq!((tried.code, &tried.body["metadata"]["resourceVersion"]), (201, &json!(version)));
    }
    let made = send(&engine, "PATCH", &path, APPLY, body("7").to_string());
    assert_eq!(made.code, 201);
    assert_ne!(made.body["metadata"]["resourceVersion"], "7");
    assert_eq!(get(&engine, &format!("{GADGETS}/a")).body, made.body);
}

#[test]
fn a_refused_patch_is_shown_as_it_was_written() {
    let engine = with_gadgets();
    let made = json!({ "apiVersion": "keep.example/v1", "kind": "Gadget", "metadata": { "name": "a" } });
    assert_eq!(send(&engine, "POST", GADGETS, "application/json", made.to_string()).code, 201);
    let refused = |kind: &str, body: &str| {
        let reply = send(&engine, "PATCH", &format!("{GADGETS}/a"), kind, body.to_owned());
        assert_eq!(reply.code, 422, "{}", reply.body);
        reply.body["details"]["causes"][0]["message"].as_str().unwrap().to_owned()
    };
    let merged = refused(MERGE, r#"{"kind": 1, "spec": {"b": 1.0, "a": 1e3}}"#);
    assert!(merged.contains(r#"\"spec\":{\"a\":1e3,\"b\":1.0}"#), "{merged}");
    let added = r#"[{"op": "add", "path": "/kind", "value": 1}, {"op": "add", "path": "/spec", "value": {"b": 1.0, "a": {}}}]"#;
    let added = refused(JSON, added);
    assert!(added.contains(r#"\"spec\":{\"b\":1.0,\"a\":{}}"#), "{added}");
}

#[test]
fn a_refused_patch_of_a_scale_shows_who_manages_it_in_the_order_of_the_type() {
    let engine = with_gadgets();
    let path = "/apis/apps/v1/namespaces/default/replicasets";
    let labels = json!({ "app": "a" });
    let set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": { "name": "a" },
        "spec": {
            "replicas": 1, "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels }, "spec": { "containers": [{ "name": "a", "image": "a" }] },
            },
        },
    });
    let made = send(&engine, "POST", &format!("{path}?fieldManager=m"), "application/json", set.to_string());
    assert_eq!(made.code, 201, "{}", made.body);
    let shown = |body: &str| {
        let reply = send(&engine, "PATCH", &format!("{path}/a/scale"), MERGE, body.to_owned());
        assert_eq!(reply.code, 422, "{}", reply.body);
        reply.body["details"]["causes"][0]["message"].as_str().unwrap().to_owned()
    };
    let entry =
        r#"\"managedFields\":[{\"manager\":\"m\",\"operation\":\"Update\",\"apiVersion\":\"autoscaling/v1\""#;
    let untouched = shown(r#"{"spec": {"replicas": "1"}}"#);
    assert!(untouched.contains(entry), "{untouched}");
    assert!(untouched.contains(r#"\"metadata\":{\"name\":\"a\",\"namespace\""#), "{untouched}");
    let touched = shown(r#"{"metadata": {}, "spec": {"replicas": "1"}}"#);
    assert!(touched.contains(entry), "{touched}");
    assert!(touched.contains(r#"\"metadata\":{\"creationTimestamp\":"#), "{touched}");
}
