//! The act on a server: reporters that know nothing of each other write one object by server-side apply.

use allready::{
    Time, found,
    rollup::{Context, Input, Policy},
};
use allready_apiserver::ApiServer;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::scene::Scene;
use crate::failure::Failure;

const NAME: &str = "config-status";

/// Plays the act on an embedded API server: no socket, nothing installed.
pub(super) fn tell(now: Time) -> Result<String, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::unavailable(format_args!("cannot start the demo's server: {error}")))?;
    runtime
        .block_on(play(now))
        .map_err(|error| Failure::unavailable(format_args!("the demo's server: {error}")))
}

async fn play(now: Time) -> Result<String, Box<dyn std::error::Error>> {
    let clock = now.as_timestamp();
    let server = ApiServer::builder().crds([definition()]).clock(move || clock).seed(1).build()?;
    let kind =
        ApiResource::from_gvk(&GroupVersionKind::gvk("demo.allready.dev", "v1", "ConfigurationStatus"));
    let statuses = Statuses(Api::default_namespaced_with(Client::new(server.service(), "default"), &kind));

    let mut scene = Scene::new("10. One object, many writers, on an API server").says(
        "The embedded API server started in this process. Each reporter applies its own condition, under its own name:\n",
    );
    statuses.create(&kind).await?;
    statuses
        .report(
            "speaker-a",
            &reported("speaker-a/configReconcilerValid", "True", "SyncStateSuccess", "", now),
        )
        .await?;
    let failing = reported(
        "speaker-b/configReconcilerValid",
        "False",
        "ConfigError",
        "pool \"production\" overlaps pool \"staging\"",
        now,
    );
    statuses.report("speaker-b", &failing).await?;
    statuses.roll_up(now).await?;
    scene = statuses.show(scene).await?;

    let stolen = reported("speaker-b/configReconcilerValid", "True", "SyncStateSuccess", "", now);
    if let Err(kube::Error::Api(refusal)) = statuses.report("speaker-a", &stolen).await {
        scene = scene.says(&format!(
            "\n  speaker-a speaks for speaker-b, and is refused ({}):\n    {}",
            refusal.code, refusal.message
        ));
    }
    statuses.report("speaker-b", &stolen).await?;
    statuses.roll_up(now).await?;
    scene = scene.says("\n  speaker-b is mended and says so itself:\n");
    scene = statuses.show(scene).await?;
    Ok(scene.says("\nThe same server for kubectl: allready apiserver").done())
}

struct Statuses(Api<DynamicObject>);

impl Statuses {
    async fn create(&self, kind: &ApiResource) -> Result<(), kube::Error> {
        self.0.create(&PostParams::default(), &DynamicObject::new(NAME, kind)).await.map(drop)
    }

    async fn report(&self, manager: &str, condition: &Value) -> Result<(), kube::Error> {
        let body = json!({
            "apiVersion": "demo.allready.dev/v1", "kind": "ConfigurationStatus",
            "status": {"conditions": [condition]},
        });
        self.0.patch_status(NAME, &PatchParams::apply(manager), &Patch::Apply(body)).await.map(drop)
    }

    /// Reads what was reported, and writes what it comes to.
    async fn roll_up(&self, now: Time) -> Result<(), Box<dyn std::error::Error>> {
        let object = serde_json::to_value(self.0.get(NAME).await?)?;
        let reports = found::of_object(&object).to_conditions(now);
        let inputs = reports.iter().filter(|condition| condition.type_.as_str() != "Ready").map(Input::from);
        let policy = Policy::default();
        let Some(ready) = policy.roll_up(inputs, &Context::new("Ready", now)) else { return Ok(()) };
        let ready = reported("Ready", ready.status.as_str(), &ready.reason, &ready.message, now);
        Ok(self.report("allready", &ready).await?)
    }

    /// The conditions, each with its owner as the server knows it.
    async fn show(&self, mut scene: Scene) -> Result<Scene, Box<dyn std::error::Error>> {
        let object = serde_json::to_value(self.0.get(NAME).await?)?;
        let conditions = object["status"]["conditions"].as_array().cloned().unwrap_or_default();
        for condition in &conditions {
            let text = |field: &str| condition[field].as_str().unwrap_or_default().replace('\n', "\n      ");
            let line = format!(
                "  {:<34} {:<7} {:<18} by {}",
                text("type"),
                text("status"),
                text("reason"),
                owner(&object, &text("type")),
            );
            scene = scene.says(&line);
            if !text("message").is_empty() {
                scene = scene.says(&format!("      {}", text("message")));
            }
        }
        Ok(scene)
    }
}

fn owner<'a>(object: &'a Value, type_: &str) -> &'a str {
    let key = format!("k:{}", json!({"type": type_}));
    let entries = object["metadata"]["managedFields"].as_array().map(Vec::as_slice).unwrap_or_default();
    let owns = |entry: &&Value| entry["fieldsV1"]["f:status"]["f:conditions"].get(&key).is_some();
    entries.iter().find(owns).and_then(|entry| entry["manager"].as_str()).unwrap_or("nobody")
}

fn reported(type_: &str, status: &str, reason: &str, message: &str, now: Time) -> Value {
    json!({"type": type_, "status": status, "reason": reason, "message": message, "lastTransitionTime": now.to_string()})
}

/// The kind: what makes writers share a list is its list type.
fn definition() -> Value {
    let text = json!({"type": "string"});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "configurationstatuses.demo.allready.dev"},
        "spec": {
            "group": "demo.allready.dev", "scope": "Namespaced",
            "names": {"plural": "configurationstatuses", "singular": "configurationstatus", "kind": "ConfigurationStatus"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"status": {"type": "object", "properties": {
                    "conditions": {
                        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"],
                        "items": {"type": "object", "required": ["type", "status"], "properties": {
                            "type": text, "status": text, "reason": text, "message": text, "lastTransitionTime": text,
                        }},
                    },
                }}}}},
            }],
        },
    })
}
