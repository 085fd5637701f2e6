//! The deletion of namespaces.

use allready_apiserver::ApiServer;
use k8s_openapi::api::core::v1::{Namespace, Secret};
use kube::{
    Api, Error, ResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::json;

use super::{client, make, make_namespace, map, maps, names};

#[tokio::test]
async fn a_namespace_takes_its_content_with_it() {
    let client = client(&ApiServer::new());
    make_namespace(&client, "one").await;
    make(&client, "one", "a", json!({})).await;
    let secret = Secret { metadata: map("s", &json!({})).metadata, ..Secret::default() };
    let secrets: Api<Secret> = Api::namespaced(client.clone(), "one");
    secrets.create(&PostParams::default(), &secret).await.unwrap();
    make(&client, "default", "a", json!({})).await;

    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.delete("one", &DeleteParams::default()).await.unwrap();
    assert!(namespaces.get_opt("one").await.unwrap().is_none());
    assert!(names(&client, "one").await.is_empty());
    assert!(secrets.get_opt("s").await.unwrap().is_none());
    assert_eq!(names(&client, "default").await, ["a"]);
}

#[tokio::test]
async fn a_namespace_waits_for_what_is_held_and_takes_nothing_new() {
    let client = client(&ApiServer::new());
    make_namespace(&client, "one").await;
    make(&client, "one", "held", json!({ "finalizers": ["example.com/held"] })).await;
    let namespaces: Api<Namespace> = Api::all(client.clone());
    namespaces.delete("one", &DeleteParams::default()).await.unwrap();
    let waiting = namespaces.get("one").await.unwrap();
    let status = waiting.status.unwrap();
    assert_eq!(status.phase.as_deref(), Some("Terminating"));
    let remaining = status.conditions.unwrap_or_default();
    let remaining = remaining.iter().find(|it| it.type_ == "NamespaceFinalizersRemaining").unwrap();
    assert_eq!(
        remaining.message.as_deref(),
        Some(
            "Some content in the namespace has finalizers remaining: example.com/held in 1 resource instances"
        )
    );

    let refused = maps(&client, "one").create(&PostParams::default(), &map("late", &json!({}))).await;
    let Err(Error::Api(refused)) = refused else { panic!("{refused:?}") };
    assert_eq!((refused.code, refused.reason.as_str()), (403, "Forbidden"));

    let release = Patch::Merge(json!({ "metadata": { "finalizers": null } }));
    maps(&client, "one").patch("held", &PatchParams::default(), &release).await.unwrap();
    assert!(namespaces.get_opt("one").await.unwrap().is_none());
}

#[tokio::test]
async fn a_thousand_namespaces_go() {
    let client = client(&ApiServer::new());
    let namespaces: Api<Namespace> = Api::all(client.clone());
    for index in 0..1000 {
        make_namespace(&client, &format!("n{index}")).await;
        make(&client, &format!("n{index}"), "a", json!({})).await;
    }
    for index in 0..1000 {
        namespaces.delete(&format!("n{index}"), &DeleteParams::default()).await.unwrap();
    }
    let left = namespaces.list(&kube::api::ListParams::default()).await.unwrap();
    assert!(left.iter().all(|namespace| !namespace.name_any().starts_with('n')));
    assert!(
        Api::<super::ConfigMap>::all(client)
            .list(&kube::api::ListParams::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
}
