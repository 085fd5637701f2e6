//! Clusters that come, go, change and fail.

use allready_apiserver::{
    ApiServer,
    fault::{Effect, Rule},
};
use kube::{Api, Client, api::PostParams};
use serde_json::json;

use super::hub::{Hub, access, anywhere, delete, objects, topic, write};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clusters_join_and_leave_while_others_are_heard() {
    let (one, two) = (ApiServer::new(), ApiServer::new());
    let (at_one, at_two) = (one.listen(anywhere()).await.unwrap(), two.listen(anywhere()).await.unwrap());
    let mut hub = Hub::new();
    write(&one, "default", "a", 1).await;
    hub.join("one", access(&at_one.kubeconfig()));
    hub.until("one is known", |hub| hub.is_well("one")).await;
    assert_eq!(objects(hub.said("one")), [("default/a", 1)]);

    write(&two, "default", "b", 2).await;
    hub.join("two", access(&at_two.kubeconfig()));
    hub.until("two is known", |hub| hub.is_well("two")).await;
    assert_eq!(objects(hub.said("two")), [("default/b", 2)]);
    hub.hears("one", &one, 3).await;

    let epoch = hub.epochs["one"];
    hub.leave("two");
    hub.hears("one", &one, 4).await;
    assert!(hub.said("two").is_none());
    assert_eq!(hub.epochs["one"], epoch, "who stays keeps its connection");
    two.close_watches();
    write(&two, "default", "b", 5).await;
    hub.hears("one", &one, 5).await;
    assert!(hub.said("two").is_none(), "nothing is heard from one that left");

    hub.join("two", access(&at_two.kubeconfig()));
    hub.until("two is back", |hub| hub.is_well("two")).await;
    assert_eq!(objects(hub.said("two")), [("default/b", 5)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_went_while_a_server_was_down_is_gone_when_it_is_back() {
    let (server, calm) = (ApiServer::new(), ApiServer::new());
    let listening = server.listen_http(anywhere()).await.unwrap();
    let (address, kubeconfig) = (listening.address(), listening.kubeconfig());
    let at_calm = calm.listen_http(anywhere()).await.unwrap();
    let mut hub = Hub::new();
    write(&server, "default", "stays", 1).await;
    write(&server, "default", "goes", 1).await;
    hub.join("failing", access(&kubeconfig));
    hub.join("calm", access(&at_calm.kubeconfig()));
    hub.until("both are known", |hub| hub.is_well("failing") && hub.is_well("calm")).await;
    assert_eq!(objects(hub.said("failing")), [("default/goes", 1), ("default/stays", 1)]);

    listening.shutdown().await;
    hub.until("it is silent", |hub| hub.is_silent("failing", "refused")).await;
    let (answers, silences) = hub.said("failing").unwrap().links;
    let is_still_silent = |hub: &Hub| hub.said("failing").is_some_and(|said| said.links.1 > silences + 3);
    hub.until("it stays silent", is_still_silent).await;
    assert_eq!(hub.said("failing").unwrap().links.0, answers, "nobody who is not there answers");
    hub.hears("calm", &calm, 2).await;
    assert_eq!(
        objects(hub.said("failing")),
        [("default/goes", 1), ("default/stays", 1)],
        "silence takes nothing away"
    );

    delete(&server, "goes").await;
    write(&server, "default", "stays", 3).await;
    let _listening = server.listen_http(address).await.unwrap();
    let is_back =
        |hub: &Hub| hub.is_well("failing") && objects(hub.said("failing")) == [("default/stays", 3)];
    hub.until("it is back", is_back).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rotated_credentials_make_a_new_connection() {
    let server = ApiServer::builder()
        .user("old-token", "reader", &["system:masters"])
        .user("new-token", "reader", &["system:masters"])
        .build()
        .unwrap();
    let listening = server.listen(anywhere()).await.unwrap();
    let with = |token: &str| {
        access(&allready_apiserver::server::kubeconfig(&listening.url(), listening.ca(), token))
    };
    let mut hub = Hub::new();
    write(&server, "default", "a", 1).await;
    hub.join("one", with("old-token"));
    hub.until("it is known", |hub| hub.is_well("one")).await;
    let first = hub.epochs["one"];

    hub.join("one", with("old-token"));
    assert_eq!(hub.epochs["one"], first, "the same credentials are no reason to connect anew");
    hub.join("one", with("new-token"));
    assert!(hub.epochs["one"] > first);
    hub.until("it is known again", |hub| hub.is_well("one")).await;
    assert_eq!(objects(hub.said("one")), [("default/a", 1)]);

    hub.join("one", with("wrong-token"));
    hub.until("it is refused", |hub| hub.is_silent("one", "refuses the credentials (401 Unauthorized)"))
        .await;
    hub.until("so is the watch", |hub| hub.is_unseen("one", "maps", "refuses the credentials")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_kind_that_is_not_served_is_told_and_seen_once_it_is() {
    let server = ApiServer::new();
    let listening = server.listen_http(anywhere()).await.unwrap();
    let mut hub = Hub::new();
    hub.topics.insert(("widgets".into(), 1), topic("example.dev/v1", "Widget"));
    hub.join("one", access(&listening.kubeconfig()));
    let is_missing = |hub: &Hub| {
        let why = "there is no kind Widget in example.dev/v1";
        let not_served = "the API server does not serve this kind";
        hub.is_unseen("one", "widgets", why) || hub.is_unseen("one", "widgets", not_served)
    };
    hub.until("the kind is missing", is_missing).await;
    hub.until("the other one is there", |hub| {
        hub.said("one").is_some_and(|said| said.topics.get("maps") == Some(&Ok(())))
    })
    .await;
    hub.hears("one", &server, 1).await;

    let any = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    server
        .define(json!({ "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": "widgets.example.dev" },
            "spec": { "group": "example.dev", "scope": "Namespaced",
                "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": any } }] } }))
        .unwrap();
    hub.until("the kind is served", |hub| hub.is_well("one")).await;

    hub.topics.retain(|(name, _), _| &**name == "maps");
    hub.follow();
    hub.hears("one", &server, 2).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_the_namespaces_that_are_named_are_watched() {
    let server = ApiServer::new();
    let namespaces: Api<k8s_openapi::api::core::v1::Namespace> =
        Api::all(Client::new(server.service(), "default"));
    for name in ["a", "b", "c"] {
        let namespace = serde_json::from_value(json!({ "metadata": { "name": name } })).unwrap();
        namespaces.create(&PostParams::default(), &namespace).await.unwrap();
        write(&server, name, "x", 1).await;
    }
    // Whoever asks for all namespaces, or for the third, is refused.
    server
        .faults()
        .add(Rule::new(Effect::Forbidden).agent("allready-hub").resource("configmaps").namespace("c"));
    let listening = server.listen_http(anywhere()).await.unwrap();
    let mut hub = Hub::new();
    hub.topics.values_mut().for_each(|topic| topic.namespaces = vec!["a".to_owned(), "b".to_owned()]);
    hub.join("one", access(&listening.kubeconfig()));
    hub.until("both are known", |hub| hub.is_well("one")).await;
    assert_eq!(objects(hub.said("one")), [("a/x", 1), ("b/x", 1)]);
    write(&server, "c", "x", 2).await;
    write(&server, "b", "x", 2).await;
    hub.until("a change is heard", |hub| objects(hub.said("one")) == [("a/x", 1), ("b/x", 2)]).await;

    let mut three = hub.topics[&("maps".into(), 1)].clone();
    three.namespaces.push("c".to_owned());
    hub.topics = [(("maps".into(), 2), three)].into();
    hub.follow();
    hub.until("one of three cannot be seen", |hub| hub.is_unseen("one", "maps", "namespace c: ")).await;
    server.faults().clear();
    hub.until("all three are known", |hub| hub.is_well("one")).await;
    assert_eq!(objects(hub.said("one")), [("a/x", 1), ("b/x", 2), ("c/x", 2)]);
}
