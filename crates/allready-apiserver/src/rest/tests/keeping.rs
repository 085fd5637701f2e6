//! What follows from a write.

use serde_json::{Value, json};

use super::harness::{Reply, drain, engine, send, stamp};
use crate::rest::Engine;

pub(super) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
pub(super) const GADGETS: &str = "/apis/keep.example/v1/namespaces/default/gadgets";
pub(super) const MAPS: &str = "/api/v1/namespaces/default/configmaps";

pub(super) fn post(engine: &Engine, path: &str, body: &Value) -> Reply {
    send(engine, "POST", path, "application/json", body.to_string())
}

pub(super) fn get(engine: &Engine, path: &str) -> Reply {
    send(engine, "GET", path, "", "")
}

pub(super) fn delete(engine: &Engine, path: &str, policy: &str) -> Reply {
    send(engine, "DELETE", path, "application/json", json!({ "propagationPolicy": policy }).to_string())
}

pub(super) fn with_gadgets() -> Engine {
    let engine = engine();
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "gadgets.keep.example" },
        "spec": {
            "group": "keep.example", "scope": "Namespaced",
            "names": { "plural": "gadgets", "singular": "gadget", "kind": "Gadget", "listKind": "GadgetList" },
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-preserve-unknown-fields": true } },
            }],
        },
    });
    assert_eq!(post(&engine, DEFINITIONS, &definition).code, 201);
    engine
}

pub(super) fn gadget(name: &str, finalizers: &[&str]) -> Value {
    json!({
        "apiVersion": "keep.example/v1", "kind": "Gadget",
        "metadata": { "name": name, "finalizers": finalizers },
    })
}

pub(super) fn map(name: &str, owners: &[(&str, &str, bool)]) -> Value {
    let owners: Vec<_> = owners
        .iter()
        .map(|(name, uid, blocks)| {
            json!({ "apiVersion": "v1", "kind": "ConfigMap", "name": name, "uid": uid, "blockOwnerDeletion": blocks })
        })
        .collect();
    json!({ "metadata": { "name": name, "ownerReferences": owners } })
}

pub(super) fn uid(reply: &Reply) -> String {
    reply.body["metadata"]["uid"].as_str().unwrap().to_owned()
}

#[test]
fn every_cluster_has_its_namespaces() {
    let reply = get(&engine(), "/api/v1/namespaces");
    let names: Vec<_> =
        reply.body["items"].as_array().unwrap().iter().map(|item| &item["metadata"]["name"]).collect();
    assert_eq!(names, ["default", "kube-node-lease", "kube-public", "kube-system"]);
}

#[test]
fn a_definition_is_served_as_soon_as_it_was_answered_and_goes_with_its_objects() {
    let engine = with_gadgets();
    assert_eq!(post(&engine, GADGETS, &gadget("free", &[])).code, 201);
    assert_eq!(post(&engine, GADGETS, &gadget("held", &["keep.example/hold"])).code, 201);
    let mut watch = get(&engine, &format!("{GADGETS}?watch=1&resourceVersion=0")).watch.unwrap();
    assert_eq!(drain(&mut watch).len(), 2);
    let definition = format!("{DEFINITIONS}/gadgets.keep.example");
    assert_eq!(delete(&engine, &definition, "Background").code, 200);
    assert_eq!(get(&engine, &format!("{GADGETS}/free")).code, 404);
    assert_eq!(get(&engine, &format!("{GADGETS}/held")).code, 200);
    assert_eq!(get(&engine, &definition).code, 200);
    let late = post(&engine, GADGETS, &gadget("late", &[]));
    assert_eq!(late.code, 403, "{}", late.body);
    let patch = json!({ "metadata": { "finalizers": null } });
    let held = format!("{GADGETS}/held");
    let reply = send(&engine, "PATCH", &held, "application/merge-patch+json", patch.to_string());
    assert_eq!(reply.code, 200);
    assert_eq!(get(&engine, &definition).code, 404);
    assert!(engine.registry().get("keep.example", "gadgets").is_none());
    let kinds: Vec<_> = drain(&mut watch).into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["DELETED", "MODIFIED", "DELETED"]);
    assert!(watch.at_hand().is_none());
}

#[test]
fn a_namespace_goes_when_its_content_has_gone() {
    let engine = with_gadgets();
    post(&engine, "/api/v1/namespaces", &json!({ "metadata": { "name": "tmp" } }));
    let maps = "/api/v1/namespaces/tmp/configmaps";
    let gadgets = "/apis/keep.example/v1/namespaces/tmp/gadgets";
    post(&engine, maps, &map("plain", &[]));
    post(&engine, gadgets, &gadget("held", &["keep.example/hold"]));
    assert_eq!(
        delete(&engine, "/api/v1/namespaces/tmp", "Background").body["status"]["phase"],
        "Terminating"
    );
    assert_eq!(get(&engine, &format!("{maps}/plain")).code, 404);
    let namespace = get(&engine, "/api/v1/namespaces/tmp").body;
    let conditions = namespace["status"]["conditions"].as_array().unwrap();
    let messages: Vec<_> =
        conditions.iter().map(|condition| condition["message"].as_str().unwrap()).collect();
    assert!(
        messages.contains(&"Some resources are remaining: gadgets.keep.example has 1 resource instances")
    );
    assert!(messages.contains(
        &"Some content in the namespace has finalizers remaining: keep.example/hold in 1 resource instances"
    ));
    assert_eq!(post(&engine, maps, &map("late", &[])).code, 403);
    let patch = json!({ "metadata": { "finalizers": [] } });
    send(&engine, "PATCH", &format!("{gadgets}/held"), "application/merge-patch+json", patch.to_string());
    assert_eq!(get(&engine, "/api/v1/namespaces/tmp").code, 404);
}

#[test]
fn dependents_follow_their_owner_down_a_long_chain() {
    let engine = engine();
    let mut owner = uid(&post(&engine, MAPS, &map("m0", &[])));
    for index in 1..200 {
        let above = format!("m{}", index - 1);
        owner = uid(&post(&engine, MAPS, &map(&format!("m{index}"), &[(&above, &owner, false)])));
    }
    delete(&engine, &format!("{MAPS}/m0"), "Background");
    assert_eq!(get(&engine, MAPS).body["items"], json!([]));
}

#[test]
fn a_dependent_with_another_owner_stays_and_loses_the_reference() {
    let engine = engine();
    let (one, two) =
        (uid(&post(&engine, MAPS, &map("one", &[]))), uid(&post(&engine, MAPS, &map("two", &[]))));
    post(&engine, MAPS, &map("both", &[("one", &one, false), ("two", &two, false)]));
    delete(&engine, &format!("{MAPS}/one"), "Background");
    let left = get(&engine, &format!("{MAPS}/both")).body;
    assert_eq!(left["metadata"]["ownerReferences"].as_array().unwrap().len(), 1);
    assert_eq!(left["metadata"]["ownerReferences"][0]["name"], "two");
}

#[test]
fn an_object_whose_owner_never_was_is_garbage() {
    let engine = engine();
    assert_eq!(post(&engine, MAPS, &map("lost", &[("ghost", "no-such-uid", false)])).code, 201);
    assert_eq!(get(&engine, &format!("{MAPS}/lost")).code, 404);
}

#[test]
fn orphans_stay_without_their_reference() {
    let engine = engine();
    let owner = uid(&post(&engine, MAPS, &map("owner", &[])));
    post(&engine, MAPS, &map("child", &[("owner", &owner, false)]));
    let reply = delete(&engine, &format!("{MAPS}/owner"), "Orphan");
    assert_eq!(reply.body["metadata"]["finalizers"], json!(["orphan"]));
    assert_eq!(get(&engine, &format!("{MAPS}/owner")).code, 404);
    assert!(get(&engine, &format!("{MAPS}/child")).body["metadata"]["ownerReferences"].is_null());
}

#[test]
fn a_foreground_deletion_waits_for_those_that_block_it() {
    let engine = with_gadgets();
    let owner = uid(&post(&engine, MAPS, &map("owner", &[])));
    let mut child = gadget("child", &["keep.example/hold"]);
    child["metadata"]["ownerReferences"] =
        map("", &[("owner", &owner, true)])["metadata"]["ownerReferences"].clone();
    assert_eq!(post(&engine, GADGETS, &child).code, 201);
    let reply = delete(&engine, &format!("{MAPS}/owner"), "Foreground");
    assert_eq!(reply.body["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    assert_eq!(get(&engine, &format!("{MAPS}/owner")).code, 200);
    assert!(!get(&engine, &format!("{GADGETS}/child")).body["metadata"]["deletionTimestamp"].is_null());
    let patch = json!({ "metadata": { "finalizers": null } });
    send(&engine, "PATCH", &format!("{GADGETS}/child"), "application/merge-patch+json", patch.to_string());
    assert_eq!(get(&engine, &format!("{GADGETS}/child")).code, 404);
    assert_eq!(get(&engine, &format!("{MAPS}/owner")).code, 404);
}

#[test]
fn a_restart_without_data_serves_what_it_served_at_first() {
    let engine = with_gadgets();
    engine.restart(true, &stamp);
    assert_eq!(post(&engine, GADGETS, &gadget("one", &[])).code, 201);
    engine.restart(false, &stamp);
    assert!(engine.registry().get("keep.example", "gadgets").is_none());
    assert_eq!(get(&engine, "/api/v1/namespaces").body["items"].as_array().unwrap().len(), 4);
}

#[test]
fn a_page_that_cannot_be_continued_says_how_to_go_on() {
    let engine = engine();
    for index in 0..3 {
        post(&engine, MAPS, &map(&format!("m{index}"), &[]));
    }
    let first = get(&engine, &format!("{MAPS}?limit=1")).body;
    assert_eq!(first["metadata"]["remainingItemCount"], 2);
    let token = first["metadata"]["continue"].as_str().unwrap().to_owned();
    post(&engine, MAPS, &map("m00", &[]));
    let second = get(&engine, &format!("{MAPS}?limit=5&continue={token}")).body;
    let names = |body: &Value| -> Vec<String> {
        let items = body["items"].as_array().unwrap().iter();
        items.map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&second), ["m1", "m2"]);
    engine.compact();
    let gone = get(&engine, &format!("{MAPS}?limit=5&continue={token}"));
    assert_eq!((gone.code, &gone.body["reason"]), (410, &json!("Expired")));
    assert!(gone.body["message"].as_str().unwrap().starts_with("The provided continue parameter is too old"));
    let token = gone.body["metadata"]["continue"].as_str().unwrap();
    let rest = get(&engine, &format!("{MAPS}?limit=5&continue={token}")).body;
    assert_eq!(names(&rest), ["m00", "m1", "m2"]);
}

#[test]
fn patches_that_race_lose_nothing() {
    let engine = engine();
    post(&engine, MAPS, &map("one", &[]));
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let engine = &engine;
            scope.spawn(move || {
                for index in 0..25 {
                    let patch = json!({ "data": { format!("k{thread}-{index}"): "1" } }).to_string();
                    let one = format!("{MAPS}/one");
                    assert_eq!(send(engine, "PATCH", &one, "application/merge-patch+json", patch).code, 200);
                }
            });
        }
    });
    assert_eq!(get(&engine, &format!("{MAPS}/one")).body["data"].as_object().unwrap().len(), 100);
}

#[test]
#[ignore = "measures its whole process: run it alone"]
fn ten_thousand_objects_take_little_more_than_their_bytes() {
    let resident = || -> usize {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
        text.split_whitespace().nth(1).and_then(|pages| pages.parse::<usize>().ok()).unwrap_or_default()
            * 4096
    };
    let engine = with_gadgets();
    post(&engine, GADGETS, &gadget("first", &[]));
    let before = resident();
    for index in 0..10_000 {
        let mut object = gadget(&format!("g{index}"), &[]);
        object["spec"] = json!({ "text": "x".repeat(1300) });
        assert_eq!(post(&engine, GADGETS, &object).code, 201);
    }
    let bytes = get(&engine, &format!("{GADGETS}/g77")).body.to_string().len();
    let grown = resident().saturating_sub(before);
    assert!(bytes > 1_600, "{bytes}");
    assert!(grown < 28 << 20, "{bytes} bytes each, {grown} in all");
}
