//! Reporters against the embedded server.

mod faults;
mod guarding;
mod heartbeats;
mod lifecycle;
mod troubles;
mod writing;

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule, RuleId},
};
use jiff::Timestamp;
use kube::{
    Api, Client,
    api::PostParams,
    core::{ApiResource, DynamicObject, GroupVersionKind},
};
use serde_json::{Value, json};

use super::*;
use crate::{
    clock::Clock,
    kinds::{StatusReport, definitions},
};

const NAMESPACE: &str = "default";

/// A server with both kinds, and the object that all share.
async fn server() -> ApiServer {
    let server = ApiServer::builder().crds([shared_kind(), own_kind()]).build().unwrap();
    make_shared(&server).await;
    server
}

async fn make_shared(server: &ApiServer) {
    shared_api(server).create(&PostParams::default(), &shared_object()).await.unwrap();
}

fn shared_object() -> DynamicObject {
    DynamicObject::new("config-status", &shared_resource())
}

pub(crate) fn shared_resource() -> ApiResource {
    let kind = GroupVersionKind::gvk("metallb.io", "v1beta1", "ConfigurationStatus");
    ApiResource::from_gvk_with_plural(&kind, "configurationstatuses")
}

pub(crate) fn shared_kind() -> Value {
    let conditions = schemars::SchemaGenerator::default().subschema_for::<allready_core::Conditions>();
    let status = json!({ "type": "object", "properties": { "conditions": conditions } });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "configurationstatuses.metallb.io" },
        "spec": {
            "group": "metallb.io",
            "scope": "Namespaced",
            "names": {
                "kind": "ConfigurationStatus", "listKind": "ConfigurationStatusList",
                "plural": "configurationstatuses", "singular": "configurationstatus",
            },
            "versions": [{
                "name": "v1beta1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": { "type": "object", "properties": { "status": status } } },
            }],
        },
    })
}

fn own_kind() -> Value {
    let shipped = definitions().into_iter().find(|kind| kind.spec.names.kind == "StatusReport");
    serde_json::to_value(shipped.unwrap()).unwrap()
}

fn client(server: &ApiServer) -> Client {
    Client::new(server.service(), NAMESPACE)
}

fn shared_api(server: &ApiServer) -> Api<DynamicObject> {
    Api::namespaced_with(client(server), NAMESPACE, &shared_resource())
}

fn own_api(server: &ApiServer) -> Api<StatusReport> {
    Api::namespaced(client(server), NAMESPACE)
}

fn shared_layout() -> Layout {
    Layout::singleton(shared_resource(), NAMESPACE, "config-status")
}

fn own_layout() -> Layout {
    Layout::sharded(NAMESPACE, "config-status")
}

fn speaker() -> Identity {
    Identity::of("speaker").on("kind-worker")
}

/// The conditions of reconcilers in the object that a speaker reports into, by type.
async fn stored(server: &ApiServer, layout: &Layout, identity: &Identity) -> Vec<Value> {
    let api: Api<DynamicObject> = Api::namespaced_with(client(server), NAMESPACE, &layout.resource());
    let object = api.get_opt(&layout.object_name(identity)).await.unwrap();
    let conditions = object.map(|object| object.data["status"]["conditions"].clone());
    let mut conditions = conditions.and_then(|list| list.as_array().cloned()).unwrap_or_default();
    conditions.retain(|condition| condition["type"] != "Ready");
    conditions.sort_by_key(|condition| condition["type"].as_str().map(str::to_owned));
    conditions
}

/// Counts calls without changing them.
fn count(server: &ApiServer, verb: Verb) -> RuleId {
    server.faults().add(Rule::new(Effect::Latency(Duration::ZERO)).verb(verb))
}

/// A clock that a test moves.
#[derive(Clone, Default)]
struct Hand(Arc<AtomicI64>);

impl Hand {
    fn set(&self, second: i64) {
        self.0.store(second, Ordering::SeqCst);
    }

    fn clock(&self) -> Clock {
        let hand = self.clone();
        Clock::new(move || Timestamp::from_second(hand.0.load(Ordering::SeqCst)).unwrap())
    }
}
