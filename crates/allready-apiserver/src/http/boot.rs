//! What a server has before its first request.

use std::sync::Arc;

use serde_json::Value;

use crate::{
    builtin, crd,
    http::auth,
    resource::{Call, Endpoint, Registry, Stamp, Verb},
    rest::Engine,
    status::Failure,
};

/// The built-in kinds.
pub(crate) fn registry() -> Registry {
    let mut registry = Registry::default();
    for resource in builtin::resources() {
        registry.insert(resource.into());
    }
    registry.insert(crd::definition().into());
    registry
}

/// Defines a custom kind.
pub(super) fn define(engine: &Engine, crd: &Value, (now, random): Stamp) -> Result<(), Failure> {
    let registry = engine.registry();
    let resource = registry.get("apiextensions.k8s.io", "customresourcedefinitions");
    let resource = Arc::clone(resource.ok_or_else(|| Failure::internal("definitions are not served"))?);
    let call = Call {
        verb: Verb::Create,
        resource,
        version: "v1".to_owned(),
        namespace: None,
        name: None,
        endpoint: Endpoint::Main,
        query: Vec::new(),
        body: crd.to_string().into(),
        content_type: "application/json".to_owned(),
        user: auth::admin(),
        agent: "allready".to_owned(),
        now,
        random,
    };
    engine.handle(call).map(|_| ())
}
