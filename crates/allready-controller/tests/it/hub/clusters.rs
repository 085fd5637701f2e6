//! Clusters as the hub tells of them.

use std::{convert::Infallible, future::pending, sync::Arc, time::Duration};

use allready_controller::{
    config::ConfigController,
    engine::Running,
    hub::{Options, inventory::Access},
};
use allready_kube::{
    clock::Clock,
    kinds::{ClusterStatus, ConfigurationStatus, StatusAggregation},
};
use http::{Request, Response};
use kube::{Api, Client, api::PostParams, client::Body};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use tower::service_fn;

use super::{Stage, day};

/// The status and the message of a condition.
fn said(object: &Value, type_: &str) -> (String, String) {
    let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let found = conditions.iter().find(|condition| condition["type"] == type_);
    let text = |field: &str| found.and_then(|found| found[field].as_str()).unwrap_or_default().to_owned();
    (text("status"), text("message"))
}

fn client(stage: &Stage) -> Client {
    Client::new(stage.hub.service(), "default")
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_has_never_answered_is_told_within_ten_seconds_and_why() {
    let mut stage = Stage::without_controller(1).await;
    stage.options = Options { namespace: "default".to_owned(), ..Options::default() };
    // As an aggregation has it that says nothing about it.
    stage.aggregate(json!({ "clusterTimeoutSeconds": null })).await;
    stage.run();
    stage.says_within("True", Duration::from_secs(10)).await;
    let silent = service_fn(|_: Request<Body>| pending::<Result<Response<Body>, Infallible>>());
    let failing = service_fn(async |_: Request<Body>| Err::<Response<Body>, _>("connection refused"));
    stage.enlist("silent", Access::Client(Arc::new(Client::new(silent, "default"))));
    stage.enlist("failing", Access::Client(Arc::new(Client::new(failing, "default"))));
    stage.enlist("unusable", Access::Unusable("its Secret has no kubeconfig".into()));
    sleep(Duration::from_secs(10)).await;
    let statuses: Api<ClusterStatus> = Api::default_namespaced(client(&stage));
    for (cluster, why) in [
        ("silent", "the API server does not answer"),
        ("failing", "connection refused"),
        ("unusable", "its Secret has no kubeconfig"),
    ] {
        let status = statuses.get_opt(cluster).await.unwrap();
        let (status, message) = said(&serde_json::to_value(status).unwrap(), "Reachable");
        assert_eq!(status, "False", "{cluster}");
        assert!(message.contains(why), "{cluster}: {message}");
    }
    let aggregations: Api<StatusAggregation> = Api::all(client(&stage));
    let aggregation = serde_json::to_value(aggregations.get("gateways").await.unwrap()).unwrap();
    assert_eq!(aggregation["status"]["clusters"]["chosen"], 6, "{aggregation:#}");
    let (status, message) = said(&aggregation, "Ready");
    assert_eq!(status, "Unknown");
    for cluster in ["silent", "failing", "unusable"] {
        assert!(message.contains(cluster), "{cluster}: {message}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_configuration_status_answers_for_all_clusters_of_the_hub() {
    let stage = Stage::new(2).await;
    let start = stage.start;
    let clock = Clock::new(move || day(start));
    let config = ConfigController {
        running: Running { clock, ..Running::default() },
        ..ConfigController::new(client(&stage))
    };
    let config = tokio::spawn(config.run());
    let all: Api<ConfigurationStatus> = Api::default_namespaced(client(&stage));
    let clusters = json!({
        "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "metadata": { "name": "clusters" },
        "spec": { "sources": [{
            "apiVersion": "allready.dev/v1alpha1", "kind": "ClusterStatus",
            "component": { "type": "Value", "value": "cluster" }, "instance": { "type": "Name" },
        }] },
    });
    all.create(&PostParams::default(), &serde_json::from_value(clusters).unwrap()).await.unwrap();
    let within = async |wanted: &str, part: &str, time: Duration| {
        let until = Instant::now() + time;
        loop {
            let object = serde_json::to_value(all.get("clusters").await.unwrap()).unwrap();
            let (status, message) = said(&object, "Ready");
            if status == wanted && message.contains(part) {
                return object;
            }
            assert!(Instant::now() < until, "wanted {wanted} {part:?}, found {status} {message:?}");
            sleep(Duration::from_millis(50)).await;
        }
    };
    within("True", "3 of 3 ready", Duration::from_secs(10)).await;
    // Longer than the hub waits for a cluster that has been heard.
    stage.cut_off("cluster-2");
    let object = within("False", "cluster/cluster-2", Duration::from_secs(40)).await;
    assert_eq!(object["status"]["reporters"]["display"], "2/3");
    assert_eq!(object["status"]["causes"][0]["reporters"], json!(["cluster/cluster-2"]));
    stage.reconnect("cluster-2");
    within("True", "3 of 3 ready", Duration::from_secs(20)).await;
    stage.leave("cluster-3");
    within("True", "2 of 2 ready", Duration::from_secs(20)).await;
    config.abort();
}
