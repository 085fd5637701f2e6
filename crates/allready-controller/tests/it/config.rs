//! One object that answers for many reporters.

use std::time::Duration;

use allready_apiserver::ApiServer;
use allready_controller::config::{ConfigController, StatusKey};
use allready_kube::kinds::{
    Component, ConfigurationStatus, ConfigurationStatusSpec, Instances, StatusReport,
};
use kube::{
    Api, Client,
    api::{DeleteParams, Patch, PatchParams},
};
use serde_json::{Value, json};

/// The CRDs of ConfigurationStatus and StatusReport, as they are installed.
pub(crate) fn definitions() -> Vec<Value> {
    let ours = allready_kube::kinds::definitions().into_iter();
    let ours = ours.filter(|definition| definition.spec.names.kind != "StatusAggregation");
    ours.map(|definition| serde_json::to_value(definition).unwrap()).collect()
}

fn server() -> (ApiServer, Client) {
    let server = ApiServer::builder().crds(definitions()).build().unwrap();
    let client = Client::new(server.service(), "default");
    (server, client)
}

pub(crate) fn spec(nodes: &[&str]) -> ConfigurationStatusSpec {
    let speaker = Component {
        name: "speaker".to_owned(),
        reconcilers: vec!["configReconciler".to_owned()],
        instances: Some(Instances::names(nodes.iter().copied())),
        ..Component::default()
    };
    ConfigurationStatusSpec { components: vec![speaker], ..Default::default() }
}

/// A controller that makes the one ConfigurationStatus.
pub(crate) fn controller(client: Client, spec: ConfigurationStatusSpec) -> ConfigController {
    let key = StatusKey {
        api_version: "allready.dev/v1alpha1".to_owned(),
        namespace: "default".to_owned(),
        name: "config-status".to_owned(),
    };
    ConfigController { ensure: vec![(key, spec)], ..ConfigController::new(client) }
}

pub(crate) async fn report(client: &Client, node: &str, status: &str, message: &str) {
    let api: Api<StatusReport> = Api::namespaced(client.clone(), "default");
    let name = format!("config-status.speaker.{node}");
    let who = json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "StatusReport", "metadata": { "name": name } });
    let mut whole = who.clone();
    whole["spec"] =
        json!({ "targetRef": { "name": "config-status" }, "component": "speaker", "instance": node });
    let params = PatchParams::apply(&format!("speaker-{node}")).force();
    api.patch(&name, &params, &Patch::Apply(&whole)).await.unwrap();
    let mut said = who;
    said["status"] = json!({ "conditions": [{ "type": "configReconcilerValid", "status": status,
        "reason": if status == "True" { "SyncStateSuccess" } else { "ConfigError" }, "message": message,
        "lastTransitionTime": "2026-03-01T10:00:00Z" }] });
    api.patch_status(&name, &params, &Patch::Apply(&said)).await.unwrap();
}

/// Waits until the object's Ready is as asked, and gives its status.
async fn until(client: &Client, status: &str, message: &str) -> Value {
    let api: Api<ConfigurationStatus> = Api::namespaced(client.clone(), "default");
    let deadline = tokio::time::Instant::now() + Duration::from_secs(20);
    loop {
        let object = api.get_opt("config-status").await.unwrap();
        let found =
            object.and_then(|object| object.status).map(|status| serde_json::to_value(status).unwrap());
        let found = found.unwrap_or_default();
        let ready = &found["conditions"][0];
        if ready["status"] == status && ready["message"].as_str().is_some_and(|found| found.contains(message))
        {
            return found;
        }
        assert!(tokio::time::Instant::now() < deadline, "wanted {status} {message:?}, found {found:#}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_broken_configuration_is_told_with_its_cause_and_a_mended_one_is_ready() {
    let (_server, client) = server();
    let running = tokio::spawn(controller(client.clone(), spec(&["a", "b"])).run());
    let found = until(&client, "Unknown", "has not reported yet").await;
    assert_eq!(found["conditions"][0]["reason"], "ComponentsUnknown");

    report(&client, "a", "True", "").await;
    report(&client, "b", "True", "").await;
    let found = until(&client, "True", "2 of 2 ready").await;
    assert_eq!(found["reporters"]["display"], "2/2");
    assert_eq!(found["observedGeneration"], 1);

    report(&client, "b", "False", "pool \"a\" overlaps").await;
    let found = until(&client, "False", "speaker/b: pool \"a\" overlaps").await;
    assert_eq!(found["conditions"][0]["reason"], "ComponentFailing");
    assert_eq!(found["causes"][0]["reporters"], json!(["speaker/b"]));

    report(&client, "b", "True", "").await;
    until(&client, "True", "2 of 2 ready").await;
    running.abort();
}

#[tokio::test]
async fn what_others_do_to_the_object_is_mended() {
    let (_server, client) = server();
    let running = tokio::spawn(controller(client.clone(), spec(&["a"])).run());
    report(&client, "a", "False", "no pool").await;
    until(&client, "False", "no pool").await;

    let api: Api<ConfigurationStatus> = Api::namespaced(client.clone(), "default");
    let green = json!({ "status": { "conditions": [{ "type": "Ready", "status": "True", "reason": "Forged",
        "message": "", "lastTransitionTime": "2026-03-01T10:00:00Z" }] } });
    api.patch_status("config-status", &PatchParams::default(), &Patch::Merge(&green)).await.unwrap();
    until(&client, "False", "no pool").await;

    api.delete("config-status", &DeleteParams::default()).await.unwrap();
    until(&client, "False", "no pool").await;
    running.abort();
}
