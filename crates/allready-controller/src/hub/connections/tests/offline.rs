//! Clusters whose objects are here.

use serde_json::{Value, json};

use super::{
    super::Access,
    hub::{Hub, objects, topic},
};

fn map(namespace: &str, name: &str, labels: &Value) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "namespace": namespace, "name": name,
        "labels": labels, "annotations": { "allready.dev/hub-generation": "7" } } })
}

#[tokio::test(start_paused = true)]
async fn objects_are_told_as_a_server_would() {
    let watched = json!({ "watched": "" });
    let pod = json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p", "labels": watched } });
    let foreign = json!({ "apiVersion": "example.dev/v1", "kind": "ConfigMap", "metadata": { "name": "f", "labels": watched } });
    let all = [map("a", "x", &watched), map("b", "x", &watched), map("a", "y", &json!({})), pod, foreign];
    let mut hub = Hub::new();
    hub.topics.values_mut().for_each(|topic| topic.namespaces = vec!["a".to_owned()]);
    hub.join("recorded", Access::Objects(all.into()));
    hub.until("all is known", |hub| hub.is_well("recorded")).await;
    assert_eq!(objects(hub.said("recorded")), [("a/x", 7)]);

    let mut wrong = topic("v1", "ConfigMap");
    wrong.selector = Some("what is this".to_owned());
    hub.topics.insert(("wrong".into(), 1), wrong);
    hub.topics.insert(("pods".into(), 1), topic("v1", "Pod"));
    hub.follow();
    let is_told = |hub: &Hub| {
        hub.is_unseen("recorded", "wrong", "is not a requirement on labels")
            && hub.said("recorded").is_some_and(|said| said.topics.get("pods") == Some(&Ok(())))
    };
    hub.until("more topics", is_told).await;
    assert_eq!(objects(hub.said("recorded")), [("a/x", 7), ("p", 0)]);
}
