//! The objects that a server has before its first request.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    builtin::{self, Ranges},
    crd,
    http::auth,
    resource::{Call, Endpoint, Registry, Resource, Stamp, Verb},
    rest::{Body, Engine},
    status::Failure,
    store,
};

/// The built-in kinds.
pub(crate) fn registry(ranges: Ranges) -> Registry {
    let mut registry = Registry::default();
    for resource in builtin::resources(ranges) {
        registry.insert(resource.into());
    }
    registry.insert(crd::definition().into());
    registry
}

/// Defines a custom kind.
pub(super) fn define(engine: &Engine, crd: &Value, stamp: Stamp) -> Result<(), Failure> {
    let registry = engine.registry();
    let resource = registry.get("apiextensions.k8s.io", "customresourcedefinitions");
    let resource = resource.ok_or_else(|| Failure::internal("definitions are not served"))?;
    let call = call(resource, "v1", crd, stamp);
    engine.handle(call).map(|_| ())
}

/// Makes an object of any kind, in the namespace that it names, and gives it the status that it has.
pub(super) fn create(engine: &Engine, object: &Value, stamp: &dyn Fn() -> Stamp) -> Result<(), Failure> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (api_version, kind) = (text(&object["apiVersion"]), text(&object["kind"]));
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let registry = engine.registry();
    let resource = registry
        .iter()
        .find(|it| it.group == group && it.kind == kind && it.version(version).is_some())
        .ok_or_else(|| {
            let message = format!("there is no kind {kind} in {api_version}: give its definition, too");
            Failure::new(404, "NotFound", message)
        })?;
    let namespace = match text(&object["metadata"]["namespace"]) {
        given if given.is_empty() => "default".to_owned(),
        given => given,
    };
    let mut call = call(resource, version, object, stamp());
    call.namespace = resource.namespaced.then_some(namespace);
    let answer = engine.handle(call.clone())?;
    let has_status = resource.version(version).is_some_and(|version| version.status);
    let Some(status) = object.get("status").filter(|status| has_status && !status.is_null()) else {
        return Ok(());
    };
    let Body::Object(made) = answer.body else { return Ok(()) };
    let mut made: Value = store::read(&made)?;
    made["status"] = status.clone();
    call.name = Some(text(&made["metadata"]["name"]));
    (call.verb, call.endpoint) = (Verb::Update, Endpoint::Status);
    call.body = made.to_string().into();
    (call.now, call.random) = stamp();
    engine.handle(call).map(|_| ())
}

fn call(resource: &Arc<Resource>, version: &str, body: &Value, (now, random): Stamp) -> Call {
    Call {
        verb: Verb::Create,
        resource: Arc::clone(resource),
        version: version.to_owned(),
        namespace: None,
        name: None,
        endpoint: Endpoint::Main,
        query: Vec::new(),
        body: body.to_string().into(),
        content_type: "application/json".to_owned(),
        user: auth::admin(),
        agent: "allready".to_owned(),
        now,
        random,
    }
}
