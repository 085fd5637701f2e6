//! What an administrator takes away with `allready sweep` when nodes are gone.

use allready_e2e::{Output, Server};
use allready_kube::kinds::{ConfigurationStatus, definitions};
use k8s_openapi::api::core::v1::Node;
use kube::{
    Api, ResourceExt as _,
    api::{DeleteParams, ListParams, ObjectMeta, PostParams},
};
use serde_json::{Value, json};

allready_e2e::kubectl_scenarios![
    without_nodes_nobody_is_gone,
    what_a_lost_node_left_behind_goes_and_nothing_else,
];

const NAME: &str = "config-status";

async fn make_node(server: &Server, name: &str) {
    let metadata = ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() };
    let nodes: Api<Node> = Api::all(server.client());
    nodes.create(&PostParams::default(), &Node { metadata, ..Node::default() }).await.unwrap();
}

async fn without_nodes_nobody_is_gone(server: Server) {
    // Scenarios that make nodes take turns, and what is there now was left by one that is over.
    let _turn = server.alone().await;
    let nodes: Api<Node> = Api::all(server.client());
    for node in nodes.list(&ListParams::default()).await.unwrap() {
        let _ = nodes.delete(&node.name_any(), &DeleteParams::default()).await.unwrap();
    }
    for how in ["--dry-run", "--yes"] {
        let told = server.allready(&["sweep", how, "-A"]).await;
        assert_eq!(
            (told.code, told.out.as_str(), told.err.as_str()),
            (
                Some(69),
                "",
                "error: the cluster shows no nodes, so gone reporters cannot be found and nothing is removed; \
                 is this the context of the cluster that the reporters run in?\n"
            )
        );
    }
}

/// One speaker on each of two nodes, in both layouts, by the command that scripts use.
async fn report(server: &Server, namespace: &str, nodes: &[&str]) {
    for node in nodes {
        for layout in ["sharded", "singleton"] {
            let who =
                ["report", "-n", namespace, "--layout", layout, "--component", "speaker", "--node", node];
            let what = ["--reconciler", "configReconciler", "--outcome", "ConfigError", "--message", "no"];
            server.allready(&[&who[..], &what].concat()).await.ok();
        }
    }
}

async fn what_a_lost_node_left_behind_goes_and_nothing_else(server: Server) {
    let _turn = server.alone().await;
    for definition in definitions() {
        server.define(definition).await;
    }
    let namespace = server.namespace("sweep").await;
    let (here, gone) = (server.unique("here"), server.unique("gone"));
    make_node(&server, &here).await;
    let status = json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "metadata": { "name": NAME },
        "spec": { "components": [{ "name": "speaker", "instances": { "type": "Nodes", "nodes": { "selector": {} } } }] },
    });
    let statuses: Api<ConfigurationStatus> = Api::namespaced(server.client(), &namespace);
    statuses.create(&PostParams::default(), &serde_json::from_value(status).unwrap()).await.unwrap();
    report(&server, &namespace, &[&here, &gone]).await;

    let object = format!("configurationstatuses.allready.dev/{NAME}");
    let sweep = async |how: &[&str]| -> Output {
        server.allready(&[&["sweep", &object, "-n", &namespace], how].concat()).await
    };
    let recent = sweep(&["--yes"]).await;
    assert_eq!((recent.code, recent.out.matches("was written just now").count()), (Some(0), 2), "{recent:?}");
    let shown = sweep(&["--dry-run", "--older-than", "0", "-o", "json"]).await;
    let shown: Value = serde_json::from_str(&shown.ok()).unwrap();
    let left = shown["leftBehind"].as_array().unwrap();
    assert!(left.len() == 2 && left.iter().all(|one| one["writer"] == format!("speaker-{gone}")), "{shown}");

    let swept = sweep(&["--yes", "--older-than", "0"]).await;
    assert_eq!((swept.code, swept.out.matches("\nremoved ").count()), (Some(0), 2), "{swept:?}");
    let kept =
        server.kubectl(&["get", &object, "-n", &namespace, "-o", "json", "--show-managed-fields"]).await.ok();
    assert!(
        !kept.contains(&gone) && kept.contains(&format!("speaker-{here}/configReconcilerValid")),
        "{kept}"
    );
    let reports = server.kubectl(&["get", "statusreports", "-n", &namespace, "-o", "name"]).await.ok();
    assert!(!reports.contains(&gone) && reports.contains(&here), "{reports}");
    let again = sweep(&["--yes", "--older-than", "0"]).await.ok();
    assert_eq!(again, "Nothing is left behind; objects checked: 1.\n");
    let _ = Api::<Node>::all(server.client()).delete(&here, &DeleteParams::default()).await.unwrap();
}
