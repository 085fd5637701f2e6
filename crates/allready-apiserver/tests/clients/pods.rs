//! What is posted to pods.

use allready_apiserver::ApiServer;
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Error,
    api::{EvictParams, PostParams},
};
use serde_json::{Value, json};

use super::client;

async fn pods(name: &str) -> Api<Pod> {
    let pods: Api<Pod> = Api::default_namespaced(client(&ApiServer::new()));
    let pod = json!({
        "metadata": { "name": name }, "spec": { "containers": [{ "name": "c", "image": "i" }] },
    });
    pods.create(&PostParams::default(), &serde_json::from_value(pod).unwrap()).await.unwrap();
    pods
}

fn binding(name: &str, node: &str) -> Value {
    let target = json!({ "kind": "Node", "name": node });
    json!({ "apiVersion": "v1", "kind": "Binding", "metadata": { "name": name }, "target": target })
}

#[tokio::test]
async fn an_evicted_pod_that_never_ran_is_gone() {
    let pods = pods("web").await;
    let status = pods.evict("web", &EvictParams::default()).await.unwrap();
    assert_eq!(status.code, 201);
    assert!(pods.get_opt("web").await.unwrap().is_none());
    let Err(Error::Api(missing)) = pods.evict("web", &EvictParams::default()).await else { panic!() };
    assert_eq!((missing.code, missing.message.as_str()), (404, "pods \"web\" not found"));
}

#[tokio::test]
async fn a_bound_pod_is_given_time_when_it_is_evicted() {
    let pods = pods("web").await;
    let bind = |node: &str| {
        let (pods, body) = (pods.clone(), binding("web", node));
        async move {
            let created: Result<Value, Error> =
                pods.create_subresource("binding", "web", &PostParams::default(), &body).await;
            created
        }
    };
    bind("n1").await.unwrap();
    let bound = pods.get("web").await.unwrap();
    assert_eq!(bound.spec.unwrap().node_name.as_deref(), Some("n1"));
    let Err(Error::Api(again)) = bind("n2").await else { panic!("a pod has one node") };
    assert_eq!(
        again.message,
        "Operation cannot be fulfilled on pods/binding \"web\": pod web is already assigned to node \"n1\""
    );

    pods.evict("web", &EvictParams::default()).await.unwrap();
    let going = pods.get("web").await.unwrap();
    assert_eq!(going.metadata.deletion_grace_period_seconds, Some(30));
    let conditions = going.status.unwrap().conditions.unwrap_or_default();
    let why = conditions.iter().find(|it| it.type_ == "DisruptionTarget").unwrap();
    assert_eq!(why.reason.as_deref(), Some("EvictionByEvictionAPI"));
}
