//! Clusters from `ClusterProfile`s.

use allready_apiserver::ApiServer;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};

use super::{
    super::{Access, ClusterInventory, ProfileInventory, Providers},
    good, next, put, secret, told, until,
};

fn profile_definition() -> Value {
    let any = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "clusterprofiles.multicluster.x-k8s.io" },
        "spec": { "group": "multicluster.x-k8s.io", "scope": "Namespaced",
            "names": { "plural": "clusterprofiles", "singular": "clusterprofile", "kind": "ClusterProfile" },
            "versions": [{ "name": "v1alpha1", "served": true, "storage": true,
                "schema": { "openAPIV3Schema": any } }] } })
}

async fn put_profile(client: &Client, name: &str, status: &Value) {
    let resource = ApiResource {
        group: "multicluster.x-k8s.io".to_owned(),
        version: "v1alpha1".to_owned(),
        api_version: "multicluster.x-k8s.io/v1alpha1".to_owned(),
        kind: "ClusterProfile".to_owned(),
        plural: "clusterprofiles".to_owned(),
    };
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &resource);
    let profile = json!({ "apiVersion": "multicluster.x-k8s.io/v1alpha1", "kind": "ClusterProfile",
        "metadata": { "name": name, "labels": { "x-k8s.io/cluster-manager": "m" } },
        "spec": { "clusterManager": { "name": "m" } }, "status": status });
    api.patch(name, &PatchParams::apply("test").force(), &Patch::Apply(&profile)).await.unwrap();
}

#[tokio::test]
async fn profiles_get_their_credentials_from_plugins_and_secrets() {
    let server = ApiServer::builder().crds([profile_definition()]).build().unwrap();
    let client = Client::new(server.service(), "default");
    let provider = |name: &str| json!([{ "name": name, "cluster": { "server": "https://10.0.0.1" } }]);
    put_profile(&client, "plugin", &json!({ "accessProviders": provider("google") })).await;
    put_profile(&client, "older", &json!({ "credentialProviders": provider("google") })).await;
    let file = json!([{ "name": "google", "cluster": { "server": "https://a", "certificate-authority": "/etc/passwd" } }]);
    put_profile(&client, "reaching", &json!({ "accessProviders": file })).await;
    put_profile(&client, "secret", &json!({ "accessProviders": provider("unknown") })).await;
    put_profile(&client, "nothing", &json!({})).await;
    put_profile(&client, "with.dots", &json!({})).await;
    let labels =
        json!({ "x-k8s.io/cluster-profile": "secret", "x-k8s.io/cluster-inventory-consumer": "hub" });
    put(&client, secret("creds", &labels, &json!({ "Config": good("a") }))).await;
    let others =
        json!({ "x-k8s.io/cluster-profile": "nothing", "x-k8s.io/cluster-inventory-consumer": "other" });
    put(&client, secret("others", &others, &json!({ "Config": good("a") }))).await;

    let providers = json!({ "providers": [{ "name": "google", "execConfig": {
        "apiVersion": "client.authentication.k8s.io/v1", "command": "plugin", "provideClusterInfo": true,
        "env": [{ "name": "KEY", "value": "hunter2" }] } }] });
    let providers = Providers::read(&providers.to_string()).unwrap();
    assert_eq!(format!("{providers:?}"), "[\"google\"]");
    let inventory =
        ProfileInventory::new(client.clone()).namespace("default").consumer("hub").providers(providers);
    let mut watched = inventory.watch();
    let seen = next(&mut watched).await.unwrap();
    let none = "Unusable(\"none of its access providers is known here, and no Secret has its credentials\")";
    let refused = "Unusable(\"its access provider is refused: certificate-authority would read a file of the controller\")";
    let expected = [
        ("nothing", none),
        ("older", "Kubeconfig(..)"),
        ("plugin", "Kubeconfig(..)"),
        ("reaching", refused),
        ("secret", "Kubeconfig(..)"),
    ];
    assert_eq!(told(&seen), expected.map(|(name, told)| (name.to_owned(), told.to_owned())));
    assert_eq!(seen.problems.len(), 1, "{:?}", seen.problems);
    assert_eq!(seen.clusters["plugin"].labels["x-k8s.io/cluster-manager"], "m");
    let Access::Kubeconfig(kubeconfig) = &seen.clusters["plugin"].access else { panic!() };
    assert_eq!(kubeconfig.clusters[0].cluster.as_ref().unwrap().server.as_deref(), Some("https://10.0.0.1"));
    let user = kubeconfig.auth_infos[0].auth_info.as_ref().unwrap();
    assert_eq!(user.exec.as_ref().unwrap().command.as_deref(), Some("plugin"));

    put(&client, secret("more", &labels, &json!({ "Config": good("b") }))).await;
    let seen =
        until(&mut watched, |seen| matches!(seen.clusters["secret"].access, Access::Unusable(_))).await;
    assert!(
        told(&seen)[4].1.contains("both Secret default/creds and Secret default/more"),
        "{:?}",
        told(&seen)
    );
}
