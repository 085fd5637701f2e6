//! Clusters from Secrets.

use allready_apiserver::{
    ApiServer,
    fault::{Effect, Rule},
};
use k8s_openapi::api::core::v1::Secret;
use kube::{Api, Client, api::DeleteParams};
use serde_json::json;

use super::{
    super::{Access, ClusterInventory, SecretInventory, kubeconfig::foreign},
    good, kubeconfig, names, next, put, secret, told, until,
};

#[tokio::test]
async fn secrets_are_clusters_by_their_labels() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), "default");
    let own = |cluster: &str| json!({ "allready.dev/cluster": cluster, "env": "prod" });
    put(&client, secret("s1", &own("one"), &json!({ "kubeconfig": good("a") }))).await;
    put(&client, secret("two", &own("true"), &json!({ "value": good("b") }))).await;
    put(&client, secret("s3", &own("three"), &json!({ "other": "x" }))).await;
    put(&client, secret("not.a.label", &own(""), &json!({ "kubeconfig": good("c") }))).await;
    put(&client, secret("nobody", &json!({}), &json!({ "kubeconfig": good("d") }))).await;

    let inventory = SecretInventory::new(client.clone()).namespace("default");
    let mut watched = inventory.watch();
    let seen = next(&mut watched).await.unwrap();
    assert_eq!(names(&seen), ["one", "three", "two"]);
    assert_eq!(seen.clusters["one"].labels["env"], "prod");
    assert_eq!(&*seen.clusters["one"].source, "Secret default/s1");
    assert!(matches!(seen.clusters["two"].access, Access::Kubeconfig(_)));
    assert_eq!(told(&seen)[1].1, "Unusable(\"it has no kubeconfig under kubeconfig, value, config\")");
    assert_eq!(seen.problems.len(), 1);
    assert!(
        seen.problems[0].starts_with("Secret default/not.a.label: \"not.a.label\" cannot name a cluster")
    );

    let first = seen.clusters["one"].access.clone();
    put(&client, secret("s1", &own("one"), &json!({ "kubeconfig": good("rotated") }))).await;
    let seen = until(&mut watched, |seen| seen.clusters["one"].access != first).await;
    assert_eq!(names(&seen), ["one", "three", "two"]);
    put(&client, secret("s1", &own("one"), &json!({ "kubeconfig": "half: [" }))).await;
    let seen = until(&mut watched, |seen| matches!(seen.clusters["one"].access, Access::Unusable(_))).await;
    assert_eq!(
        told(&seen)[0].1,
        "Unusable(\"its kubeconfig cannot be used: it is not the YAML of a kubeconfig\")",
        "a broken one does not vanish"
    );

    let api: Api<Secret> = Api::namespaced(client, "default");
    api.delete("two", &DeleteParams::default()).await.unwrap();
    let seen = until(&mut watched, |seen| seen.clusters.len() < 3).await;
    assert_eq!(names(&seen), ["one", "three"]);
}

#[tokio::test]
async fn secrets_of_cluster_api_and_multicluster_runtime_are_understood() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), "default");
    let of = json!({ "cluster.x-k8s.io/cluster-name": "capi" });
    put(&client, secret("capi-kubeconfig", &of, &json!({ "value": good("a") }))).await;
    put(&client, secret("capi-ca", &of, &json!({ "tls.key": "hunter2" }))).await;
    let mc = json!({ "sigs.k8s.io/multicluster-runtime-kubeconfig": "true" });
    put(&client, secret("mc", &mc, &json!({ "kubeconfig": good("b") }))).await;

    let capi = SecretInventory::new(client.clone()).selector("cluster.x-k8s.io/cluster-name");
    let seen = next(&mut capi.watch()).await.unwrap();
    assert_eq!((names(&seen), seen.problems.len()), (vec!["capi"], 0));
    let mc = SecretInventory::new(client).selector("sigs.k8s.io/multicluster-runtime-kubeconfig=true");
    let seen = next(&mut mc.watch()).await.unwrap();
    assert_eq!(told(&seen), [("mc".to_owned(), "Kubeconfig(..)".to_owned())]);
}

#[tokio::test]
async fn secrets_that_cannot_be_listed_take_nothing_away() {
    let server = ApiServer::new();
    let client = Client::new(server.service(), "default");
    let labels = json!({ "allready.dev/cluster": "one" });
    put(&client, secret("s1", &labels, &json!({ "kubeconfig": good("a") }))).await;
    let mut watched = SecretInventory::new(client.clone()).watch();
    assert_eq!(names(&next(&mut watched).await.unwrap()), ["one"]);
    server.faults().add(Rule::new(Effect::Forbidden).resource("secrets"));
    server.compact();
    server.close_watches();
    let why = next(&mut watched).await.unwrap_err();
    assert!(!why.is_empty());
    server.faults().clear();
    let seen = until(&mut watched, |_| true).await;
    assert_eq!(names(&seen), ["one"]);
}

#[test]
fn a_kubeconfig_of_somebody_else_runs_nothing_and_reads_no_file() {
    let here = json!({ "server": "https://127.0.0.1:1" });
    let users = [
        (json!({ "exec": { "command": "sh" } }), "exec"),
        (json!({ "auth-provider": { "name": "gcp", "config": { "cmd-path": "sh" } } }), "auth-provider"),
        (json!({ "tokenFile": "/etc/passwd" }), "tokenFile"),
        (json!({ "client-certificate": "/a" }), "client-certificate"),
        (json!({ "client-key": "/a" }), "client-key"),
    ];
    let users = users.iter().map(|(user, field)| (kubeconfig(&here, user), *field));
    let cluster = json!({ "server": "https://127.0.0.1:1", "certificate-authority": "/a" });
    let cases = users.chain([(kubeconfig(&cluster, &json!({})), "certificate-authority")]);
    for (text, field) in cases {
        let Access::Unusable(why) = foreign(text.as_bytes()) else { panic!("{field}") };
        assert!(
            why.starts_with(&format!(
                "its kubeconfig is refused: {field} would run a program or read a file"
            )),
            "{why}"
        );
    }
    assert!(matches!(foreign(good("a").as_bytes()), Access::Kubeconfig(_)));
}

#[test]
fn what_is_wrong_with_a_kubeconfig_is_told_without_quoting_it() {
    let cases = [
        ("hunter2: [", "it is not the YAML of a kubeconfig"),
        ("users: hunter2", "it is not the YAML of a kubeconfig"),
        ("", "it has no current-context"),
        ("current-context: hunter2", "its current-context is not among its contexts"),
    ];
    for (text, expected) in cases {
        let Access::Unusable(why) = foreign(text.as_bytes()) else { panic!("{text}") };
        assert_eq!(&*why, format!("its kubeconfig cannot be used: {expected}"), "{text}");
    }
    let no_server = kubeconfig(&json!({}), &json!({ "token": "hunter2" }));
    let url = kubeconfig(&json!({ "server": "http://hunter2 :x" }), &json!({}));
    let authority =
        kubeconfig(&json!({ "server": "https://a", "certificate-authority-data": "hunter2!" }), &json!({}));
    for text in [no_server, url, authority] {
        let Access::Unusable(why) = foreign(text.as_bytes()) else { panic!("{text}") };
        assert!(!why.contains("hunter2"), "{why}");
    }
}
