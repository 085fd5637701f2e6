//! Clusters as they are found, and what they have in common.

mod files;
mod merging;
mod profiles;
mod secrecy;
mod secrets;

use std::time::Duration;

use futures::{StreamExt, stream::BoxStream};
use k8s_openapi::api::core::v1::Secret;
use kube::{
    Api, Client,
    api::{Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{Cluster, Inventory};
use crate::hub::ClusterName;

/// A kubeconfig with these fields of its cluster and of its user.
fn kubeconfig(cluster: &Value, user: &Value) -> String {
    json!({ "apiVersion": "v1", "kind": "Config", "current-context": "it",
        "clusters": [{ "name": "it", "cluster": cluster }], "users": [{ "name": "it", "user": user }],
        "contexts": [{ "name": "it", "context": { "cluster": "it", "user": "it" } }] })
    .to_string()
}

fn good(token: &str) -> String {
    kubeconfig(&json!({ "server": "https://127.0.0.1:1" }), &json!({ "token": token }))
}

/// How the clusters of an inventory can be got at, in words.
fn told(inventory: &Inventory) -> Vec<(String, String)> {
    let told = |(name, cluster): (_, &Cluster)| (format!("{name}"), format!("{:?}", cluster.access));
    inventory.clusters.iter().map(told).collect()
}

fn names(inventory: &Inventory) -> Vec<&str> {
    inventory.clusters.keys().map(ClusterName::as_str).collect()
}

type Watched = BoxStream<'static, Result<Inventory, String>>;

async fn next(watched: &mut Watched) -> Result<Inventory, String> {
    timeout(Duration::from_secs(20), watched.next()).await.expect("in time").expect("it never ends")
}

/// What is seen once it is so.
async fn until(watched: &mut Watched, is_so: impl Fn(&Inventory) -> bool) -> Inventory {
    loop {
        if let Ok(inventory) = next(watched).await
            && is_so(&inventory)
        {
            return inventory;
        }
    }
}

async fn put(client: &Client, mut secret: Value) {
    let api: Api<Secret> = Api::namespaced(client.clone(), "default");
    let name = secret["metadata"]["name"].as_str().unwrap().to_owned();
    secret["apiVersion"] = "v1".into();
    secret["kind"] = "Secret".into();
    api.patch(&name, &PatchParams::apply("test").force(), &Patch::Apply(&secret)).await.unwrap();
}

fn secret(name: &str, labels: &Value, data: &Value) -> Value {
    json!({ "metadata": { "name": name, "labels": labels }, "stringData": data })
}
