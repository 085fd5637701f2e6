//! Who wrote what, by the record that the server keeps.

use allready_e2e::Server;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

allready_e2e::kubectl_scenarios![
    who_agrees_shares_a_condition_and_who_writes_over_another_contests_it,
    what_kubectl_prints_has_no_writers_unless_it_is_asked_for_them,
];

const GROUP: &str = "owners.e2e.example";

fn definition() -> Value {
    let condition = json!({
        "type": "object", "required": ["type", "status"],
        "properties": { "type": { "type": "string" }, "status": { "type": "string" }, "reason": { "type": "string" } },
    });
    let conditions = json!({
        "type": "array", "items": condition,
        "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("doors.{GROUP}") },
        "spec": {
            "group": GROUP, "scope": "Namespaced",
            "names": { "kind": "Door", "plural": "doors", "singular": "door" },
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                    "status": { "type": "object", "properties": { "conditions": conditions } },
                } } },
            }],
        },
    })
}

/// A namespace with a door, and the doors in it.
async fn stage(server: &Server) -> (String, Api<DynamicObject>) {
    server.define(serde_json::from_value(definition()).unwrap()).await;
    let namespace = server.namespace("owners").await;
    let resource = ApiResource {
        group: GROUP.into(),
        version: "v1".into(),
        api_version: format!("{GROUP}/v1"),
        kind: "Door".into(),
        plural: "doors".into(),
    };
    let doors = Api::namespaced_with(server.client(), &namespace, &resource);
    let door = DynamicObject::new("front", &resource);
    doors.create(&PostParams::default(), &door).await.unwrap();
    (namespace, doors)
}

async fn applies(doors: &Api<DynamicObject>, manager: &str, conditions: Value) {
    let status = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": "Door", "metadata": { "name": "front" },
        "status": { "conditions": conditions },
    });
    doors.patch_status("front", &PatchParams::apply(manager), &Patch::Apply(status)).await.unwrap();
}

async fn who_agrees_shares_a_condition_and_who_writes_over_another_contests_it(server: Server) {
    let (namespace, doors) = stage(&server).await;
    let open = json!({ "type": "Open", "status": "True", "reason": "Pushed" });
    let locked = json!({ "type": "Locked", "status": "False", "reason": "NoKey" });
    applies(&doors, "hinge", json!([open, locked])).await;
    applies(&doors, "handle", json!([open])).await;
    let over = json!({ "status": { "conditions": [open, { "type": "Locked", "status": "True", "reason": "NoKey" }] } });
    let fixer = PatchParams { field_manager: Some("fixer".to_owned()), ..PatchParams::default() };
    doors.patch_status("front", &fixer, &Patch::Merge(over)).await.unwrap();

    let said = server.allready(&["owners", "door/front", "-n", &namespace, "-o", "json"]).await.ok();
    let said: Value = serde_json::from_str(&said).unwrap();
    let condition = |type_: &str| {
        let all = said["objects"][0]["conditions"].as_array().unwrap();
        let found = all.iter().find(|condition| condition["type"] == type_).unwrap();
        let owners =
            found["owners"].as_array().unwrap().iter().map(|owner| owner["manager"].as_str().unwrap());
        let mut owners: Vec<&str> = owners.collect();
        let writer = owners[0];
        owners.sort_unstable();
        (found["agreement"].as_str().unwrap(), writer, owners)
    };
    assert_eq!(condition("Open"), ("Shared", "hinge", vec!["handle", "hinge"]));
    assert_eq!(condition("Locked"), ("Contested", "fixer", vec!["fixer", "hinge"]));
}

async fn what_kubectl_prints_has_no_writers_unless_it_is_asked_for_them(server: Server) {
    let (namespace, doors) = stage(&server).await;
    applies(&doors, "hinge", json!([{ "type": "Open", "status": "True" }])).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("door.yaml");
    let file = file.to_str().unwrap();
    let get = ["get", "door", "front", "-n", &namespace, "-o", "yaml"];
    std::fs::write(file, server.kubectl(&get).await.ok()).unwrap();
    let without = server.allready(&["owners", "-f", file]).await;
    assert_eq!(without.code, Some(0), "{without:?}");
    assert!(without.err.contains("--show-managed-fields"), "{without:?}");
    let get = [&get[..], &["--show-managed-fields"]].concat();
    std::fs::write(file, server.kubectl(&get).await.ok()).unwrap();
    let with = server.allready(&["owners", "-f", file]).await.ok();
    assert!(with.lines().any(|line| line.starts_with("Open") && line.contains(" hinge ")), "{with}");
}
