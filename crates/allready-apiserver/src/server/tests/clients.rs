//! kube-rs as a client, in process and with a kubeconfig.

use futures::{StreamExt as _, TryStreamExt as _};
use k8s_openapi::api::core::v1::Namespace;
use kube::{
    Api, Client, Config, ResourceExt as _,
    api::{DynamicObject, ListParams, PostParams, WatchEvent, WatchParams},
    config::{KubeConfigOptions, Kubeconfig},
    core::{ApiResource, GroupVersionKind},
};

use super::*;
use crate::server::Listening;

fn gadgets(client: Client) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("lab.example", "v1", "Gadget");
    Api::namespaced_with(client, "default", &ApiResource::from_gvk_with_plural(&kind, "gadgets"))
}

async fn from_kubeconfig(listening: &Listening) -> Client {
    let config = Kubeconfig::from_yaml(&listening.kubeconfig()).unwrap();
    let config = Config::from_custom_kubeconfig(config, &KubeConfigOptions::default()).await.unwrap();
    Client::try_from(config).unwrap()
}

/// Creates, reads, lists and watches through a client.
async fn exercise(client: Client, name: &str) {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    assert!(namespaces.list(&ListParams::default()).await.unwrap().iter().any(|n| n.name_any() == "default"));

    let api = gadgets(client);
    let list = api.list(&ListParams::default()).await.unwrap();
    let version = list.metadata.resource_version.unwrap();
    let mut events = api.watch(&WatchParams::default().timeout(10), &version).await.unwrap().boxed();
    let object: DynamicObject = serde_json::from_value(gadget(name)).unwrap();
    let created = api.create(&PostParams::default(), &object).await.unwrap();
    assert_eq!(api.get(name).await.unwrap().uid(), created.uid());
    let event = tokio::time::timeout(PATIENCE, events.try_next()).await.unwrap().unwrap();
    assert!(matches!(event, Some(WatchEvent::Added(added)) if added.name_any() == name));

    let missing = api.get("nope").await.unwrap_err();
    assert!(matches!(&missing, kube::Error::Api(status) if status.code == 404), "{missing}");
}

#[tokio::test]
async fn kube_works_without_a_socket() {
    exercise(Client::new(server().service(), "default"), "a").await;
}

#[tokio::test]
async fn kube_works_from_the_kubeconfig_over_http_and_https() {
    let server = server();
    let (https, http) = (server.listen(LOOPBACK).await.unwrap(), server.listen_http(LOOPBACK).await.unwrap());
    assert!(https.url().starts_with("https://127.0.0.1:"));
    assert!(http.url().starts_with("http://127.0.0.1:"));
    exercise(from_kubeconfig(&https).await, "a").await;
    exercise(from_kubeconfig(&http).await, "b").await;
    assert_eq!(get(&server, GADGETS).await.json()["items"].as_array().unwrap().len(), 2, "it is one server");
    https.shutdown().await;
    http.shutdown().await;
}

#[tokio::test]
async fn many_watches_get_the_same_event() {
    let server = server();
    let listening = server.listen(LOOPBACK).await.unwrap();
    let api = gadgets(from_kubeconfig(&listening).await);
    let version = api.list(&ListParams::default()).await.unwrap().metadata.resource_version.unwrap();
    let mut watches = Vec::new();
    for _ in 0..60 {
        watches.push(api.watch(&WatchParams::default().timeout(20), &version).await.unwrap().boxed());
    }
    create(&server, "a").await;
    for watch in &mut watches {
        let event = tokio::time::timeout(PATIENCE, watch.try_next()).await.unwrap().unwrap();
        assert!(matches!(event, Some(WatchEvent::Added(added)) if added.name_any() == "a"));
    }
}
