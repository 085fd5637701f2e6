//! What is not healthy, in a cluster.

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::NOW;
use crate::config::Cluster;

fn deployment(name: &str) -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "labels": { "app": name } },
        "spec": {
            "replicas": 2,
            "selector": { "matchLabels": { "app": name } },
            "template": {
                "metadata": { "labels": { "app": name } },
                "spec": { "containers": [{ "name": "main", "image": "example.com/main:1" }] },
            },
        },
    })
}

fn status(ready: i64) -> Value {
    let (status, reason) = if ready == 2 {
        ("True", "MinimumReplicasAvailable")
    } else {
        ("False", "MinimumReplicasUnavailable")
    };
    json!({ "status": {
        "observedGeneration": 1, "replicas": 2, "updatedReplicas": 2, "readyReplicas": ready,
        "availableReplicas": ready, "unavailableReplicas": 2 - ready,
        "conditions": [
            { "type": "Available", "status": status, "reason": reason, "message": "as it is",
                "lastTransitionTime": "2026-11-15T12:30:00Z", "lastUpdateTime": "2026-11-15T12:30:00Z" },
            { "type": "Progressing", "status": status,
                "reason": if ready == 2 { "NewReplicaSetAvailable" } else { "ProgressDeadlineExceeded" },
                "message": "the rollout", "lastTransitionTime": "2026-11-15T12:40:00Z",
                "lastUpdateTime": "2026-11-15T12:40:00Z" },
        ],
    } })
}

/// Two deployments that are well and one that is not, in two namespaces.
fn cluster() -> Cluster {
    let cluster = Cluster::start();
    cluster.send("POST", "/api/v1/namespaces", &json!({ "metadata": { "name": "shop" } }));
    for (namespace, name, ready) in [("default", "good", 2), ("default", "bad", 0), ("shop", "web", 2)] {
        let path = format!("/apis/apps/v1/namespaces/{namespace}/deployments");
        cluster.send("POST", &path, &deployment(name));
        cluster.send("PATCH", &format!("{path}/{name}/status?fieldManager=deployer"), &status(ready));
    }
    cluster
}

/// The exit code and standard output.
fn told(cluster: &Cluster, arguments: &[&str]) -> String {
    cluster.run(&[&["check", "--now", NOW], arguments].concat())
}

#[test]
fn a_cluster_is_asked_as_kubectl_would_ask_it() {
    let cluster = cluster();
    assert_snapshot!("kinds", told(&cluster, &["deploy"]));
    assert_snapshot!("one_object", told(&cluster, &["deploy/good"]));
    assert_snapshot!("named_and_not_there", told(&cluster, &["deploy/good", "deploy/gone", "-n", "shop"]));
    assert_snapshot!(
        "by_labels",
        told(&cluster, &["deployments.apps", "-A", "-l", "app in (web, good)", "--all"])
    );
    assert_eq!(
        told(&cluster, &["deploy", "-n", "kube-public"]),
        "exit 2\n--- stdout\n0 objects\n--- stderr\nerror: no deployments.apps found in namespace kube-public; \
         --allow-none accepts that\n"
    );
    assert_snapshot!("no_such_kind", told(&cluster, &["deploymnet"]));
    let lines = told(&cluster, &["deploy/bad", "-o", "jsonl"]);
    // When it was written is when this test ran.
    let (before, after) = lines.split_once("\"time\":\"").unwrap();
    let (_, after) = after.split_once('"').unwrap();
    assert_snapshot!("lines", format!("{before}\"time\":\"TIME\"{after}"));
}

#[test]
fn everything_is_what_is_in_the_namespace_or_in_all_of_them() {
    let cluster = cluster();
    let here = told(&cluster, &["-o", "name", "--all"]);
    assert!(here.contains("\ndeployment.apps/bad\n") && !here.contains("deployment.apps/web"), "{here}");
    assert!(!here.contains("\nnamespace/"), "what is in no namespace is not in this one: {here}");
    let everywhere = told(&cluster, &["-A", "-o", "name", "--all"]);
    for name in ["deployment.apps/bad", "deployment.apps/web", "namespace/shop"] {
        assert!(everywhere.contains(&format!("\n{name}\n")), "{name}: {everywhere}");
    }
    let table = told(&cluster, &["-A"]);
    assert!(
        table.starts_with("exit 1\n") && table.contains('✗') && table.contains("Deployment/bad"),
        "{table}"
    );
}

#[test]
fn who_may_not_list_is_told_so_and_it_is_not_good() {
    let cluster = cluster();
    let role = json!({
        "metadata": { "name": "reader" },
        "rules": [{ "apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "list"] }],
    });
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    cluster.send("POST", roles, &role);
    let binding = json!({
        "metadata": { "name": "reader" },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "reader" },
        "subjects": [{ "apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "eve" }],
    });
    cluster.send("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding);
    cluster.become_user("eve");
    assert_snapshot!("partly_permitted", told(&cluster, &["deploy,sts", "-n", "shop"]));
    let refused = told(&cluster, &["sts,ds", "-n", "shop"]);
    assert!(refused.starts_with("exit 77\n--- stdout\n--- stderr\n"), "{refused}");
    let linted = cluster.run(&["lint", "sts,ds", "-n", "shop"]);
    assert!(linted.starts_with("exit 77\n--- stdout\n--- stderr\n"), "{linted}");
    let named = told(&cluster, &["secret/x", "-n", "shop"]);
    assert!(named.starts_with("exit 77\n") && named.contains("needs a role with the verb get"), "{named}");
    // A server that is not there.
    cluster.become_nowhere();
    let nowhere = told(&cluster, &["-A"]);
    assert!(
        nowhere.starts_with("exit 69\n")
            && nowhere.contains("cannot reach http://127.0.0.1:1 (context allready): Connection refused"),
        "{nowhere}"
    );
}

#[test]
fn a_name_in_all_namespaces_is_found_by_the_way_that_the_refusal_names() {
    let cluster = cluster();
    let said = told(&cluster, &["deploy/web", "-A"]);
    assert!(said.starts_with("exit 64\n") && said.contains("--field-selector metadata.name=web"), "{said}");
    let said =
        told(&cluster, &["deploy", "-A", "--field-selector", "metadata.name=web", "-o", "name", "--all"]);
    assert_eq!(said, "exit 0\n--- stdout\ndeployment.apps/web\n--- stderr\n");
}
