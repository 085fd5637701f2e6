//! The server as clients of kube see it: what a cluster does beyond kube-apiserver, and what happens when things go wrong.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper that fails is a test that fails")]

mod faults;
mod garbage;
mod hostile;
mod namespaces;
mod pods;
mod watchers;

use std::{collections::BTreeMap, future::Future, net::Ipv4Addr, time::Duration};

use allready_apiserver::{ApiServer, server::Listening};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::{
    Api, Client, Config, ResourceExt as _,
    api::{ObjectMeta, PostParams},
    config::{KubeConfigOptions, Kubeconfig},
};
use serde_json::{Value, json};

/// Longer than anything here takes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), "default")
}

async fn listening(server: &ApiServer) -> (Client, Listening) {
    let listening = server.listen((Ipv4Addr::LOCALHOST, 0).into()).await.unwrap();
    let kubeconfig = Kubeconfig::from_yaml(&listening.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap();
    (Client::try_from(config).unwrap(), listening)
}

fn maps(client: &Client, namespace: &str) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), namespace)
}

/// A config map; `more` is merged into its metadata.
fn map(name: &str, more: &Value) -> ConfigMap {
    let mut object = json!({ "metadata": { "name": name }, "data": { "a": "b" } });
    for (key, value) in more.as_object().into_iter().flatten() {
        object["metadata"][key] = value.clone();
    }
    serde_json::from_value(object).unwrap()
}

async fn make(client: &Client, namespace: &str, name: &str, more: Value) -> ConfigMap {
    maps(client, namespace).create(&PostParams::default(), &map(name, &more)).await.unwrap()
}

async fn make_namespace(client: &Client, name: &str) -> Namespace {
    let metadata = ObjectMeta { name: Some(name.into()), ..ObjectMeta::default() };
    let namespace = Namespace { metadata, ..Namespace::default() };
    Api::all(client.clone()).create(&PostParams::default(), &namespace).await.unwrap()
}

fn owned_by(owner: &ConfigMap, blocks: bool) -> Value {
    json!({ "ownerReferences": [{
        "apiVersion": "v1", "kind": "ConfigMap", "name": owner.name_any(), "uid": owner.uid(),
        "blockOwnerDeletion": blocks,
    }] })
}

async fn names(client: &Client, namespace: &str) -> Vec<String> {
    let list = maps(client, namespace).list(&kube::api::ListParams::default()).await.unwrap();
    list.iter().map(kube::ResourceExt::name_any).collect()
}

/// What a future comes to, which must not take forever.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future).await.expect("it takes too long")
}

fn data(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
}
