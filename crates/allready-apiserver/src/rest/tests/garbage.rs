//! Who is collected, and who is not.

use std::{sync::mpsc, thread};

use serde_json::{Value, json};

use super::{
    harness::{Reply, engine, send},
    keeping::{MAPS, delete, get, map, post, uid, with_gadgets},
};
use crate::rest::Engine;

const NOBODY: &str = "11111111-1111-1111-1111-111111111111";

fn merge(engine: &Engine, path: &str, change: &Value) -> Reply {
    send(engine, "PATCH", path, "application/merge-patch+json", change.to_string())
}

fn owned_by(engine: &Engine, name: &str, owners: &[(&str, &str, bool)]) -> Reply {
    let metadata =
        json!({ "metadata": { "ownerReferences": map("", owners)["metadata"]["ownerReferences"] } });
    merge(engine, &format!("{MAPS}/{name}"), &metadata)
}

fn owner_names(engine: &Engine, name: &str) -> Vec<String> {
    let object = get(engine, &format!("{MAPS}/{name}")).body;
    let owners = object["metadata"]["ownerReferences"].as_array().cloned().unwrap_or_default();
    owners.iter().map(|owner| owner["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_object_whose_owner_cannot_be_judged_stays() {
    let engine = with_gadgets();
    for (index, (api_version, kind, stays)) in [
        ("batch/v1", "CronTab", true),
        ("cluster.x-k8s.io/v1beta1", "Cluster", true),
        ("apps/v1beta1", "Deployment", true),
        ("v2", "ConfigMap", true),
        ("keep.example/v7", "Gadget", true),
        ("apps/v1", "Deployment", false),
        ("keep.example/v1", "Gadget", false),
        ("v1", "Node", false),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("m{index}");
        let owner = json!({ "apiVersion": api_version, "kind": kind, "name": "x", "uid": NOBODY });
        let body = json!({ "metadata": { "name": name, "ownerReferences": [owner] } });
        assert_eq!(post(&engine, MAPS, &body).code, 201);
        let found = get(&engine, &format!("{MAPS}/{name}")).code == 200;
        assert_eq!(found, stays, "{api_version} {kind}");
    }
}

#[test]
fn an_owner_in_a_namespace_says_nothing_about_an_object_in_none() {
    let engine = engine();
    let owner = uid(&post(&engine, MAPS, &map("owner", &[])));
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    for (name, uid) in [("there", owner.as_str()), ("nowhere", NOBODY)] {
        let mut role = map(name, &[("owner", uid, false)]);
        role["rules"] = json!([]);
        assert_eq!(post(&engine, roles, &role).code, 201);
        assert_eq!(get(&engine, &format!("{roles}/{name}")).code, 200, "{name}");
    }
    delete(&engine, &format!("{MAPS}/owner"), "Background");
    assert_eq!(get(&engine, &format!("{roles}/there")).code, 200);
}

#[test]
fn one_owner_that_cannot_be_judged_keeps_the_object_as_it_is() {
    let engine = engine();
    let mut body = map("kept", &[("gone", NOBODY, false)]);
    let stranger = json!({ "apiVersion": "x.example/v1", "kind": "X", "name": "x", "uid": "other" });
    body["metadata"]["ownerReferences"].as_array_mut().unwrap().push(stranger);
    post(&engine, MAPS, &body);
    assert_eq!(owner_names(&engine, "kept"), ["gone", "x"]);
}

#[test]
fn a_reference_to_nobody_goes_where_another_owner_lives() {
    let engine = engine();
    let alive = uid(&post(&engine, MAPS, &map("alive", &[])));
    post(&engine, MAPS, &map("two", &[("alive", &alive, false), ("dead", NOBODY, false)]));
    assert_eq!(owner_names(&engine, "two"), ["alive"]);
}

#[test]
fn a_circle_of_owners_goes_in_the_foreground_too() {
    for length in 1..=5_usize {
        let engine = engine();
        let uids: Vec<String> =
            (0..length).map(|index| uid(&post(&engine, MAPS, &map(&format!("m{index}"), &[])))).collect();
        for index in 0..length {
            let above = (index + 1) % length;
            let reply =
                owned_by(&engine, &format!("m{index}"), &[(&format!("m{above}"), &uids[above], true)]);
            assert_eq!(reply.code, 200);
        }
        assert_eq!(delete(&engine, &format!("{MAPS}/m0"), "Foreground").code, 200);
        assert_eq!(get(&engine, MAPS).body["items"], json!([]), "{length}");
    }
}

#[test]
fn an_owner_goes_when_the_last_that_blocked_it_lets_go() {
    for let_go in [json!(null), json!([{ "blockOwnerDeletion": false }])] {
        let engine = engine();
        let owner = uid(&post(&engine, MAPS, &map("owner", &[])));
        let mut child = map("child", &[("owner", &owner, true)]);
        child["metadata"]["finalizers"] = json!(["keep.example/hold"]);
        post(&engine, MAPS, &child);
        delete(&engine, &format!("{MAPS}/owner"), "Foreground");
        assert_eq!(get(&engine, &format!("{MAPS}/owner")).code, 200);
        let mut references = let_go;
        if references.is_array() {
            references = map("", &[("owner", &owner, false)])["metadata"]["ownerReferences"].clone();
        }
        let patch = json!({ "metadata": { "ownerReferences": references } });
        assert_eq!(merge(&engine, &format!("{MAPS}/child"), &patch).code, 200);
        assert_eq!(get(&engine, &format!("{MAPS}/owner")).code, 404);
        assert_eq!(get(&engine, &format!("{MAPS}/child")).code, 200);
    }
}

#[test]
fn who_was_adopted_in_time_is_not_collected() {
    let engine = engine();
    let live = uid(&post(&engine, MAPS, &map("live", &[])));
    for round in 0..25 {
        let name = format!("own{round}");
        let owner = uid(&post(&engine, MAPS, &map(&name, &[])));
        for index in 0..30 {
            post(&engine, MAPS, &map(&format!("d{round}-{index}"), &[(&name, &owner, false)]));
        }
        let (adopted, list) = mpsc::channel();
        thread::scope(|scope| {
            scope.spawn(|| delete(&engine, &format!("{MAPS}/{name}"), "Background"));
            for half in 0..2 {
                let (adopted, engine, live) = (adopted.clone(), &engine, &live);
                scope.spawn(move || {
                    for index in (0..30).rev().filter(|index| index % 2 == half) {
                        let dependent = format!("d{round}-{index}");
                        if owned_by(engine, &dependent, &[("live", live, false)]).code == 200 {
                            adopted.send(dependent).unwrap();
                        }
                    }
                });
            }
        });
        drop(adopted);
        for name in list {
            assert_eq!(get(&engine, &format!("{MAPS}/{name}")).code, 200, "{name}");
        }
    }
}
