//! Objects that Open Cluster Management places.

use std::time::Duration;

use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, Patch, PatchParams},
};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::{Stage, gateways};

const LABEL: &str = "cluster.open-cluster-management.io/placement";

/// A reduced definition of PlacementDecision: what it must have to be read.
fn definition() -> Value {
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": { "name": "placementdecisions.cluster.open-cluster-management.io" },
        "spec": {
            "group": "cluster.open-cluster-management.io", "scope": "Namespaced",
            "names": { "kind": "PlacementDecision", "listKind": "PlacementDecisionList",
                "plural": "placementdecisions", "singular": "placementdecision" },
            "versions": [{ "name": "v1beta1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "status": open } } } }],
        },
    })
}

async fn decide(stage: &Stage, clusters: &[&str]) {
    let resource = ApiResource {
        group: "cluster.open-cluster-management.io".to_owned(),
        version: "v1beta1".to_owned(),
        api_version: "cluster.open-cluster-management.io/v1beta1".to_owned(),
        kind: "PlacementDecision".to_owned(),
        plural: "placementdecisions".to_owned(),
    };
    let api: Api<DynamicObject> =
        Api::default_namespaced_with(Client::new(stage.hub.service(), "default"), &resource);
    let apply = PatchParams::apply("placement").force();
    let mut decision = json!({ "apiVersion": resource.api_version, "kind": resource.kind,
        "metadata": { "name": "eu-decision-1", "labels": { LABEL: "eu" } } });
    api.patch("eu-decision-1", &apply, &Patch::Apply(&decision)).await.unwrap();
    let decisions = clusters.iter().map(|name| json!({ "clusterName": name, "reason": "" }));
    decision["status"]["decisions"] = decisions.collect();
    api.patch_status("eu-decision-1", &apply, &Patch::Apply(&decision)).await.unwrap();
}

async fn until_rows(stage: &Stage, wanted: &[&str]) {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let object = stage.object().await;
        let rows = object["status"]["addresses"].as_array().cloned().unwrap_or_default();
        let rows: Vec<&str> = rows.iter().map(|row| row["value"].as_str().unwrap()).collect();
        if rows == wanted {
            return;
        }
        assert!(Instant::now() < until, "{rows:?} are not {wanted:?}");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_follows_the_decisions_of_its_placement() {
    let stage = Stage::new(4).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    let crds: Api<DynamicObject> = Api::all_with(
        Client::new(stage.hub.service(), "default"),
        &ApiResource::erase::<
            k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
        >(&()),
    );
    let apply = PatchParams::apply("test").force();
    crds.patch("placementdecisions.cluster.open-cluster-management.io", &apply, &Patch::Apply(&definition()))
        .await
        .unwrap();
    let label = json!({ "metadata": { "labels": { LABEL: "eu" } } });
    gateways(&stage.hub).patch("web", &PatchParams::default(), &Patch::Merge(&label)).await.unwrap();
    decide(&stage, &["cluster-1", "cluster-2"]).await;
    stage.aggregate(json!({ "placement": { "type": "Decided" } })).await;
    until_rows(&stage, &["cluster-1/10.0.0.0", "cluster-2/10.0.0.1"]).await;
    stage.says_within("True", Duration::from_secs(10)).await;
    // Who is not among them has no say.
    stage.say("cluster-3", 2, "False", "expired").await;
    decide(&stage, &["cluster-2"]).await;
    until_rows(&stage, &["cluster-2/10.0.0.1"]).await;
    stage.says_within("True", Duration::from_secs(1)).await;
    decide(&stage, &["cluster-2", "cluster-3"]).await;
    stage.says_within("False", Duration::from_secs(10)).await;
    until_rows(&stage, &["cluster-2/10.0.0.1", "cluster-3/10.0.0.2"]).await;
}
