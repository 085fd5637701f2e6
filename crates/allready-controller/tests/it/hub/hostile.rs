//! One cluster that does whatever it likes beside others that are calm.

use std::{convert::Infallible, future::pending, sync::Arc, time::Duration};

use allready_apiserver::User;
use allready_controller::hub::inventory::Access;
use http::{Request, Response};
use kube::{
    Client,
    api::{Patch, PatchParams},
    client::Body,
    config::Kubeconfig,
};
use serde_json::json;
use tower::service_fn;

use super::{CLUSTERS, Stage, gateways};

/// How long the news of a calm cluster may take, whatever the other one does.
const PROMPT: Duration = Duration::from_secs(1);

/// The news of the calm clusters arrive, bad and good.
async fn the_others_are_heard(stage: &Stage, otherwise: &str) {
    for _ in 0..3 {
        stage.say("cluster-1", 0, "False", "Listener certificate is expired").await;
        stage.says_within("False", PROMPT).await;
        let (_, message) = stage.programmed().await;
        assert!(message.starts_with("cluster-1 Listener certificate is expired"), "{message}");
        stage.say("cluster-1", 0, "True", "").await;
        stage.says_within(otherwise, PROMPT).await;
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_never_stops_talking_keeps_nobody_from_being_heard() {
    let stage = Stage::new(1).await;
    stage.says_within("True", Duration::from_secs(5)).await;
    let endless = gateways(&stage.spokes["cluster-3"]);
    let talking = tokio::spawn(async move {
        for number in 0_u64.. {
            let label = json!({ "metadata": { "labels": { "number": number.to_string() } } });
            endless.patch("web", &PatchParams::default(), &Patch::Merge(&label)).await.unwrap();
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    the_others_are_heard(&stage, "True").await;
    talking.abort();
}

#[tokio::test(start_paused = true)]
async fn a_cluster_with_a_huge_object_keeps_nobody_from_being_heard() {
    let stage = Stage::new(2).await;
    stage.says_within("True", Duration::from_secs(5)).await;
    let huge = json!({ "metadata": { "annotations": { "note": "x".repeat(250 << 10) } } });
    let hostile = gateways(&stage.spokes["cluster-3"]);
    hostile.patch("web", &PatchParams::default(), &Patch::Merge(&huge)).await.unwrap();
    for number in 0..50 {
        let gateway = json!({
            "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
            "metadata": { "name": format!("other-{number}"), "annotations": { "note": "x".repeat(250 << 10) } },
            "spec": { "gatewayClassName": "multi", "listeners": [{ "name": "web", "port": 80, "protocol": "HTTP" }] },
        });
        let apply = PatchParams::apply("hostile").force();
        hostile.patch(&format!("other-{number}"), &apply, &Patch::Apply(&gateway)).await.unwrap();
    }
    the_others_are_heard(&stage, "True").await;
    let (_, message) = stage.programmed().await;
    assert_eq!(message, "Programmed is True on 3 of 3 instances");
}

#[tokio::test(start_paused = true)]
async fn clusters_that_cannot_be_used_are_unknown_and_keep_nobody_from_being_heard() {
    let stage = Stage::new(3).await;
    stage.says_within("True", Duration::from_secs(5)).await;
    // One does not allow anything, one does not answer, and one has a kubeconfig without a context.
    let stranger = stage.spokes["cluster-3"].service_as(User::service_account("shop", "nobody"));
    stage.enlist("cluster-3", Access::Client(Arc::new(Client::new(stranger, "default"))));
    stage.enlist("cluster-4", Access::Kubeconfig(Arc::new(Kubeconfig::default())));
    stage.enlist("cluster-5", Access::Unusable("its Secret has no kubeconfig".into()));
    let silent = service_fn(|_: Request<Body>| pending::<Result<Response<Body>, Infallible>>());
    stage.enlist("cluster-2", Access::Client(Arc::new(Client::new(silent, "default"))));
    stage.says_within("Unknown", Duration::from_secs(12)).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    the_others_are_heard(&stage, "Unknown").await;
    let (_, message) = stage.programmed().await;
    for (cluster, why) in [
        ("cluster-2", "ClusterUnreachable: no word since"),
        ("cluster-3", "cannot be read"),
        ("cluster-4", "its kubeconfig cannot be used"),
        ("cluster-5", "its Secret has no kubeconfig"),
    ] {
        let of = message.split("; ").find(|part| part.starts_with(cluster)).unwrap_or_default();
        assert!(of.contains(why), "{cluster}: {message}");
    }
    let rows = stage.object().await["status"]["addresses"].as_array().unwrap().len();
    assert_eq!(rows, CLUSTERS.len(), "what they said last stays");
}
