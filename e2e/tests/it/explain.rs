//! Following an object of a cluster to the first cause of how it is.

use allready_core::Time;
use allready_e2e::Server;
use allready_inspect::cluster::{Budget, follow};
use allready_inspect::{
    explain::{Bounds, Explanation},
    graph::{ObjectId, Reference},
    registry::Registry,
};
use allready_kube::{
    kinds::{ConfigurationStatus, StatusReport, definitions},
    resources::Catalog,
};
use kube::{
    Api,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

allready_e2e::scenarios![a_configuration_is_followed_to_the_reporter_that_fails];
allready_e2e::kubectl_scenarios![a_deployment_is_followed_to_the_config_map_that_nobody_made];

async fn explained(server: &Server, id: &ObjectId) -> Explanation {
    let client = server.client();
    let catalog = Catalog::discover(&client).await.unwrap();
    let now: Time = "2026-11-15T12:00:00Z".parse().unwrap();
    let root = Reference::to(id);
    follow(&client, &catalog, &root, Registry::builtin(), now, &Bounds::default(), Budget::default()).await
}

/// The kinds and names on the way to the first cause.
fn path(explanation: &Explanation) -> Vec<String> {
    let path = explanation.cause.iter().flat_map(|cause| &cause.path);
    let objects = path.map(|&index| &explanation.nodes[index].object);
    let mut names: Vec<String> = objects.map(|id| format!("{}/{}", id.kind, id.name)).collect();
    names.dedup();
    names
}

async fn a_configuration_is_followed_to_the_reporter_that_fails(server: Server) {
    for definition in definitions() {
        server.define(definition).await;
    }
    let namespace = server.namespace("explain").await;
    let condition = |status: &str, reason: &str| {
        json!({ "status": { "conditions": [{ "type": "Ready", "status": status, "reason": reason, "message": "it is so",
            "lastTransitionTime": "2026-03-01T10:00:00Z" }] } })
    };
    let reports: Api<StatusReport> = Api::namespaced(server.client(), &namespace);
    for (node, status) in [("a", "True"), ("b", "False")] {
        let name = &format!("config-status.speaker.{node}");
        let report: Value = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport", "metadata": { "name": name },
            "spec": { "targetRef": { "name": "config-status" }, "component": "speaker", "instance": node } });
        reports.create(&PostParams::default(), &serde_json::from_value(report).unwrap()).await.unwrap();
        let said = Patch::Merge(condition(status, "BadPeer"));
        reports.patch_status(name, &PatchParams::apply("speaker"), &said).await.unwrap();
    }
    let answers: Api<ConfigurationStatus> = Api::namespaced(server.client(), &namespace);
    let answer = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus",
        "metadata": { "name": "config-status" }, "spec": {} });
    answers.create(&PostParams::default(), &serde_json::from_value(answer).unwrap()).await.unwrap();
    let said = Patch::Merge(condition("False", "ComponentFailing"));
    answers.patch_status("config-status", &PatchParams::default(), &said).await.unwrap();

    let id = ObjectId::new("allready.dev", "ConfigurationStatus", &namespace, "config-status");
    let explanation = explained(&server, &id).await;
    assert_eq!(
        path(&explanation),
        ["ConfigurationStatus/config-status", "StatusReport/config-status.speaker.b"]
    );
    let cause = explanation.cause.as_ref().unwrap();
    let node = &explanation.nodes[cause.node()];
    assert_eq!(
        (node.reason.as_str(), node.writer.as_ref().unwrap().manager.as_str()),
        ("BadPeer", "speaker")
    );
}

const SHOP: &str = "
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: app, image: 'web:1'}]}
---
apiVersion: v1
kind: Pod
metadata: {name: web-a, labels: {app: web}}
spec:
  automountServiceAccountToken: false
  containers: [{name: app, image: 'web:1', envFrom: [{configMapRef: {name: settings}}]}]
";

async fn a_deployment_is_followed_to_the_config_map_that_nobody_made(server: Server) {
    let namespace = server.namespace("explain").await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("shop.yaml");
    let apply = async |text: String| {
        std::fs::write(&file, text).unwrap();
        server.kubectl(&["apply", "--server-side", "-n", &namespace, "-f", file.to_str().unwrap()]).await.ok()
    };
    let patch = async |what: &str, status: &str| {
        let patch = ["patch", what, "-n", &namespace, "--subresource=status", "--type=merge", "-p", status];
        server.kubectl(&patch).await.ok()
    };
    let (first, pod) = SHOP.rsplit_once("---").unwrap();
    apply(first.to_owned()).await;
    let uid = ["get", "rs/web", "-n", &namespace, "-o", "jsonpath={.metadata.uid}"];
    let uid = server.kubectl(&uid).await.ok();
    let owner = format!(
        "ownerReferences: [{{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: {uid}, controller: true}}]"
    );
    apply(pod.replace("labels: {app: web}", &format!("labels: {{app: web}}, {owner}"))).await;
    patch("rs/web", r#"{"status":{"observedGeneration":1,"replicas":1}}"#).await;
    let waiting = r#"{"status":{"phase":"Pending","containerStatuses":[{"name":"app","image":"web:1","imageID":"",
        "ready":false,"restartCount":0,"state":{"waiting":{"reason":"CreateContainerConfigError",
        "message":"configmap \"settings\" not found"}}}]}}"#;
    patch("po/web-a", waiting).await;

    let id = ObjectId::new("apps", "ReplicaSet", &namespace, "web");
    let explanation = explained(&server, &id).await;
    assert_eq!(path(&explanation), ["ReplicaSet/web", "Pod/web-a", "ConfigMap/settings"]);

    server.kubectl(&["create", "configmap", "settings", "-n", &namespace]).await.ok();
    let explanation = explained(&server, &id).await;
    assert_eq!(path(&explanation), ["ReplicaSet/web", "Pod/web-a"]);
    let cause = explanation.cause.as_ref().unwrap();
    assert_eq!(explanation.nodes[cause.node()].reason, "CreateContainerConfigError");
}
