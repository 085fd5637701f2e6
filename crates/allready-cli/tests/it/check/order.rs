//! The order of what a cluster has, whoever answers first.

use std::time::Duration;

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use kube::{
    Api, Client,
    api::{DynamicObject, PostParams},
    core::{ApiResource, GroupVersionKind},
};
use serde_json::json;

use super::NOW;
use crate::allready;

#[test]
fn kinds_keep_the_order_of_the_server_and_objects_that_of_their_names_whoever_answers_first() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let server = ApiServer::new();
    let listening = runtime.block_on(server.listen("127.0.0.1:0".parse().unwrap())).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let kubeconfig = directory.path().join("kubeconfig");
    std::fs::write(&kubeconfig, listening.kubeconfig()).unwrap();
    let client = runtime.block_on(async { Client::new(server.service(), "default") });
    let create = |kind: &str, namespace: &str, name: &str| {
        let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", kind));
        let object = json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name } });
        let object: DynamicObject = serde_json::from_value(object).unwrap();
        let api: Api<DynamicObject> = match namespace {
            "" => Api::all_with(client.clone(), &resource),
            namespace => Api::namespaced_with(client.clone(), namespace, &resource),
        };
        runtime.block_on(api.create(&PostParams::default(), &object)).unwrap();
    };
    for namespace in ["b", "a"] {
        create("Namespace", "", namespace);
        for name in ["z", "y"] {
            create("ConfigMap", namespace, name);
            create("Secret", namespace, name);
            create("ServiceAccount", namespace, name);
        }
    }
    let checked = |output: &str| {
        let kubeconfig = kubeconfig.to_str().unwrap();
        let fixed = ["check", "--now", NOW, "--kubeconfig", kubeconfig, "--all", "--field-selector"];
        let asked = ["metadata.namespace!=kube-system", "cm,secret,sa", "-A", "-o", output];
        allready(&[&fixed[..], &asked].concat(), "")
    };
    let told = checked("jsonl");
    let ids: Vec<String> = told
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .map(|line| line["object"].clone())
        .map(|object| {
            format!("{} {}/{}", object["kind"], object["namespace"], object["name"]).replace('"', "")
        })
        .filter(|id| id.contains(" a/") || id.contains(" b/"))
        .collect();
    let all = ["ConfigMap", "Secret", "ServiceAccount"].into_iter().flat_map(|kind| {
        ["a/y", "a/z", "b/y", "b/z"].into_iter().map(move |place| format!("{kind} {place}"))
    });
    assert_eq!(ids, all.collect::<Vec<_>>(), "{told}");
    for slow in ["configmaps", "secrets"] {
        let late = Effect::Latency(Duration::from_millis(300));
        let rule = server.faults().add(Rule::new(late).verb(Verb::List).resource(slow));
        assert_eq!(checked("jsonl"), told, "{slow}");
        assert_eq!(server.faults().fired(rule), 1);
        server.faults().clear();
    }
    let names = checked("name");
    server.faults().add(Rule::new(Effect::Forbidden).verb(Verb::List).resource("secrets"));
    server
        .faults()
        .add(Rule::new(Effect::Latency(Duration::from_millis(300))).verb(Verb::List).resource("configmaps"));
    let without: Vec<&str> = names.lines().filter(|line| !line.starts_with("secret/")).collect();
    let without = without.join("\n");
    let refused = checked("name");
    let (stdout, _) = refused.split_once("--- stderr").unwrap();
    let (expected, _) = without.split_once("--- stderr").unwrap();
    assert_eq!(stdout.replace("exit 2", "exit 0"), expected);
}
