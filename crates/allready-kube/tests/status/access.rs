//! The permissions that the documentation names are enough, and are needed.

use allready_apiserver::User;
use allready_core::Status;
use allready_kube::status::{UpdateError, Wrote};
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding};
use kube::{Api, Client, api::PostParams};
use serde_json::json;

use super::{Cluster, Update as _, work};

/// A client of a controller that may do this to pools, and this to their status.
async fn controller(cluster: &Cluster, pools: &[&str], status: &[&str]) -> Client {
    let role = json!({
        "metadata": { "name": "pool-status" },
        "rules": [
            { "apiGroups": ["test.dev"], "resources": ["pools"], "verbs": pools },
            { "apiGroups": ["test.dev"], "resources": ["pools/status"], "verbs": status },
        ],
    });
    let binding = json!({
        "metadata": { "name": "pool-status" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "pool-status" },
        "subjects": [{ "kind": "ServiceAccount", "namespace": "default", "name": "controller" }],
    });
    let roles: Api<ClusterRole> = Api::all(cluster.client.clone());
    roles.create(&PostParams::default(), &serde_json::from_value(role).unwrap()).await.unwrap();
    let bindings: Api<ClusterRoleBinding> = Api::all(cluster.client.clone());
    bindings.create(&PostParams::default(), &serde_json::from_value(binding).unwrap()).await.unwrap();
    Client::new(cluster.server.service_as(User::service_account("default", "controller")), "default")
}

#[tokio::test]
async fn get_and_patch_of_the_status_are_enough_even_for_a_lost_race() {
    let cluster = Cluster::new();
    let client = controller(&cluster, &["get"], &["patch"]).await;
    let stale = cluster.pool("a").await;
    cluster.write("a", json!({ "addresses": 5 })).await;
    let done = cluster.updater_as(client).update(work(&stale, &[("A", Status::True)])).await;
    assert_eq!((done.wrote.unwrap(), done.requests), (Wrote::Changed, 3));
}

#[tokio::test]
async fn a_missing_permission_is_told_in_the_servers_words() {
    let cluster = Cluster::new();
    let client = controller(&cluster, &["get", "patch"], &["get"]).await;
    let pool = cluster.pool("a").await;
    let done = cluster.updater_as(client).update(work(&pool, &[])).await;
    let UpdateError::Refused { source, .. } = done.wrote.unwrap_err() else { panic!() };
    assert!(source.to_string().contains("cannot patch resource \"pools/status\""), "{source}");
}
