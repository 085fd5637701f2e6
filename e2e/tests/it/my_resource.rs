//! A controller that leaves its whole status, phase included, to the updater.

use std::time::Duration;

use allready_e2e::{Server, eventually, within};
use example_my_resource::{MyResource, MyResourceSpec, run};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, CustomResourceExt as _,
    api::{DeleteParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};
use tokio::{sync::oneshot, task::JoinHandle};

allready_e2e::scenarios![the_status_follows_the_settings_through_failure_and_back];
allready_e2e::kubectl_scenarios![people_wait_for_a_phase_and_read_the_reason];

struct Stage {
    server: Server,
    namespace: String,
    controller: (oneshot::Sender<()>, JoinHandle<()>),
    /// The controller sees every namespace, so there is one at a time.
    _turn: Option<tokio::sync::MutexGuard<'static, ()>>,
}

impl Stage {
    async fn set(server: Server) -> Self {
        let turn = server.alone().await;
        server.define(MyResource::crd()).await;
        let namespace = server.namespace("my-resource").await;
        let (stop, stopped) = oneshot::channel::<()>();
        let controller = tokio::spawn(run(server.client(), async { drop(stopped.await) }));
        Self { server, namespace, controller: (stop, controller), _turn: turn }
    }

    fn resources(&self) -> Api<MyResource> {
        Api::namespaced(self.server.client(), &self.namespace)
    }

    async fn create(&self, settings: &str) {
        let resource = MyResource::new("mine", MyResourceSpec { settings: settings.to_owned() });
        self.resources().create(&PostParams::default(), &resource).await.unwrap();
    }

    async fn change(&self, settings: &str) {
        let patch = Patch::Merge(json!({ "spec": { "settings": settings } }));
        self.resources().patch("mine", &PatchParams::default(), &patch).await.unwrap();
    }

    /// The status without its times.
    async fn status(&self) -> Value {
        let resource = self.resources().get("mine").await.unwrap();
        let mut status = serde_json::to_value(resource.status.unwrap_or_default()).unwrap();
        if let Some(fields) = status.as_object_mut() {
            fields.remove("lastReconcileTime");
        }
        for condition in status["conditions"].as_array_mut().into_iter().flatten() {
            condition.as_object_mut().unwrap().remove("lastTransitionTime");
        }
        status
    }

    async fn until_status_is(&self, expected: &Value) {
        eventually("the status", |seen| seen == expected, || self.status()).await;
    }

    async fn end(self) {
        let _ = self.resources().delete("mine", &DeleteParams::default()).await;
        let (stop, controller) = self.controller;
        drop(stop);
        within(Duration::from_secs(10), "the controller to stop", controller).await.unwrap();
    }
}

fn succeeded(generation: i64, settings: &str) -> Value {
    json!({
        "observedGeneration": generation,
        "phase": "Succeeded",
        "conditions": [
            { "type": "Applied", "status": "True", "reason": "UpToDate", "observedGeneration": generation,
              "message": "the ConfigMap has the settings" },
            { "type": "Valid", "status": "True", "reason": "Accepted", "observedGeneration": generation,
              "message": settings },
        ],
    })
}

async fn the_status_follows_the_settings_through_failure_and_back(server: Server) {
    let stage = Stage::set(server).await;
    stage.create("colour=blue\nsize=3").await;
    stage.until_status_is(&succeeded(1, "2 settings")).await;
    let status = stage.resources().get("mine").await.unwrap().status.unwrap();
    assert!(status.last_reconcile_time.is_some());
    let maps: Api<ConfigMap> = Api::namespaced(stage.server.client(), &stage.namespace);
    assert_eq!(maps.get("mine").await.unwrap().data.unwrap()["colour"], "blue");

    // A reconcile that failed half-way removes nothing: `Applied` stays, about the generation that it was about.
    stage.change("colour").await;
    let problem = "line 1 is \"colour\": write name=value";
    let failed = json!({
        "observedGeneration": 2,
        "phase": "Failed",
        "reason": "BadSettings",
        "message": problem,
        "conditions": [
            { "type": "Applied", "status": "True", "reason": "UpToDate", "observedGeneration": 1,
              "message": "the ConfigMap has the settings" },
            { "type": "Valid", "status": "False", "reason": "BadSettings", "observedGeneration": 2,
              "message": problem },
        ],
    });
    stage.until_status_is(&failed).await;

    stage.change("colour=red").await;
    stage.until_status_is(&succeeded(3, "1 settings")).await;

    // What somebody else did to the object that it owns is undone.
    let patch = Patch::Merge(json!({ "data": { "colour": "green" } }));
    maps.patch("mine", &PatchParams::default(), &patch).await.unwrap();
    eventually(
        "the settings to come back",
        |seen: &ConfigMap| seen.data.as_ref().is_some_and(|data| data["colour"] == "red"),
        || async { maps.get("mine").await.unwrap() },
    )
    .await;
    stage.end().await;
}

async fn people_wait_for_a_phase_and_read_the_reason(server: Server) {
    let stage = Stage::set(server).await;
    stage.create("colour").await;
    let kubectl = async |arguments: &[&str]| {
        let all: Vec<&str> = arguments.iter().copied().chain(["-n", &stage.namespace]).collect();
        stage.server.kubectl(&all).await.ok()
    };
    kubectl(&["wait", "myresource/mine", "--for=jsonpath={.status.phase}=Failed", "--timeout=20s"]).await;
    let row = kubectl(&["get", "myresource", "mine", "--no-headers"]).await;
    assert_eq!(row.split_whitespace().take(3).collect::<Vec<_>>(), ["mine", "Failed", "BadSettings"]);

    kubectl(&["patch", "myresource/mine", "--type=merge", "-p", r#"{"spec":{"settings":"a=b"}}"#]).await;
    kubectl(&["wait", "myresource/mine", "--for=condition=Valid", "--timeout=20s"]).await;
    kubectl(&["wait", "myresource/mine", "--for=jsonpath={.status.phase}=Succeeded", "--timeout=20s"]).await;
    stage.end().await;
}
