//! The I/O: watches in, statuses and Events out.

use std::{collections::BTreeMap, future::Future, sync::Arc};

use allready_core::transition::{EventNote, EventSeverity};
use allready_gateway::{Kind, Object, ObjectKey};
use allready_kube::{
    events::{ApiSink, EventSink as _, Origin},
    list_watch::{list_watch, reduced},
    refusal::{Refusal, describe},
};
use futures::{Stream, StreamExt as _};
use k8s_openapi::api::core::v1::ObjectReference;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, Patch, PatchParams, TypeMeta},
    runtime::watcher,
};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{
    MANAGER,
    reconciler::{GatewayEvent, GatewayReconciler, Seen, Target, full},
    served::served,
};
use crate::{
    engine::{Inbox, Sender, Shell, Written, inbox},
    metrics::ControllerMetrics,
};

pub(super) struct GatewayShell {
    client: Client,
    metrics: ControllerMetrics,
    sink: ApiSink,
    sender: Sender<GatewayEvent>,
    events: Inbox<GatewayEvent>,
    /// Looks which kinds there are.
    _looking: JoinSet<()>,
    /// The running watches: one task each, which ends when it is dropped.
    watches: BTreeMap<Kind, (ApiResource, JoinSet<()>)>,
}

impl GatewayShell {
    pub(super) fn new(client: Client, metrics: ControllerMetrics) -> Self {
        let (sender, events) = inbox();
        let sink = ApiSink::start(client.clone(), Origin::new(MANAGER, ""));
        let looking = forward(served(client.clone()).map(GatewayEvent::Served), sender.clone());
        Self { client, metrics, sink, sender, events, _looking: looking, watches: BTreeMap::new() }
    }
}

impl Shell<GatewayReconciler> for GatewayShell {
    fn follow(&mut self, reconciler: &mut GatewayReconciler) {
        self.metrics.set_dangling(reconciler.dangling());
        let wanted = reconciler.served();
        self.watches.retain(|kind, (resource, _)| wanted.get(kind) == Some(resource));
        for (&kind, resource) in wanted {
            self.watches.entry(kind).or_insert_with(|| {
                let api = Api::all_with(self.client.clone(), resource);
                let name = move |object: &DynamicObject| {
                    ObjectKey::new(kind, &object.namespace().unwrap_or_default(), &object.name_any())
                };
                let types =
                    TypeMeta { api_version: resource.api_version.clone(), kind: resource.kind.clone() };
                let objects = list_watch(api, watcher::Config::default());
                let objects = reduced(objects, name, move |object| read(object, types.clone()));
                let events = objects.map(move |event| GatewayEvent::Object(kind, event));
                (resource.clone(), forward(events, self.sender.clone()))
            });
        }
    }

    async fn events(&mut self) -> Vec<GatewayEvent> {
        let mut events: Vec<_> = self.events.next().await.into_iter().collect();
        self.events.take(&mut events);
        events
    }

    fn write(&self, target: Target, body: Option<Value>) -> impl Future<Output = Written> + Send + 'static {
        let (client, sink) = (self.client.clone(), self.sink.clone());
        let resource = self.watches.get(&target.object().kind).map(|(resource, _)| resource.clone());
        async move {
            // It was seen, so its kind is watched; and it always has a body.
            let (Some(resource), Some(body)) = (resource, body) else { return Ok(None) };
            match target {
                Target::Status(key) => write_status(client, &resource, &key, body).await,
                Target::Finding(finding) => {
                    let regarding: ObjectReference = serde_json::from_value(body).unwrap_or_default();
                    let note = EventNote {
                        severity: EventSeverity::Warning,
                        reason: finding.reason.into(),
                        action: "ResolveReference",
                        note: finding.message,
                    };
                    sink.record(&regarding, note);
                    Ok(None)
                }
            }
        }
    }
}

/// Replaces a status in the version that it was computed from: lists among which are entries of others are written as a whole, and who
/// has written meanwhile must not be undone.
async fn write_status(client: Client, resource: &ApiResource, key: &ObjectKey, body: Value) -> Written {
    let api: Api<DynamicObject> = if key.namespace.is_empty() {
        Api::all_with(client, resource)
    } else {
        Api::namespaced_with(client, &key.namespace, resource)
    };
    let patch = json!({
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": { "resourceVersion": body["version"], "uid": body["uid"] },
        "status": body["status"],
    });
    let params = PatchParams { field_manager: Some(MANAGER.to_owned()), ..PatchParams::default() };
    let written = api.patch_status(&key.name, &params, &Patch::Merge(&patch)).await;
    let object = written.map_err(|error| (Refusal::of(&error), describe(&error)))?;
    let object = serde_json::to_value(&object).unwrap_or_default();
    let stands = Object::read(&object).ok().and_then(|object| object.status);
    if stands.is_some_and(|stands| full(&stands) == body["status"]) {
        Ok(Some(object))
    } else {
        Err((Refusal::Unanswered, "the status was accepted, and another one stands".to_owned()))
    }
}

/// The parts of an object that matter. Of a Secret only whether it can be used; the rest is not kept.
fn read(mut object: DynamicObject, types: TypeMeta) -> Option<Arc<Seen>> {
    object.managed_fields_mut().clear();
    // In a list, objects do not say what they are.
    object.types = Some(types);
    Seen::read(&serde_json::to_value(&object).unwrap_or_default()).map(Arc::new)
}

fn forward(
    events: impl Stream<Item = GatewayEvent> + Send + 'static,
    to: Sender<GatewayEvent>,
) -> JoinSet<()> {
    let mut task = JoinSet::new();
    task.spawn(async move {
        let mut events = std::pin::pin!(events);
        while let Some(event) = events.next().await {
            let bytes = event.bytes();
            if !to.send(event, bytes).await {
                return;
            }
        }
    });
    task
}
