//! What a server has before its first request.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    builtin,
    call::{Call, User, Verb},
    crd,
    resource::{Endpoint, Registry},
    rest::Engine,
    status::Failure,
};

/// The namespaces that every cluster has.
const NAMESPACES: [&str; 4] = ["default", "kube-node-lease", "kube-public", "kube-system"];

/// The built-in kinds.
pub(super) fn registry() -> Registry {
    let mut registry = Registry::default();
    for resource in builtin::resources() {
        registry.insert(resource.into());
    }
    registry.insert(crd::definition().into());
    registry
}

/// Makes what every cluster has. What is refused is not served, and is no reason not to start.
pub(super) fn populate(engine: &Engine, stamp: impl Fn() -> (Timestamp, [u8; 32])) {
    for name in NAMESPACES {
        let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } });
        if let Some(call) = create(engine, "", "namespaces", "v1", &namespace, stamp()) {
            let _ = engine.handle(call);
        }
    }
}

/// Defines a custom kind.
pub(super) fn define(engine: &Engine, crd: &Value, stamp: (Timestamp, [u8; 32])) -> Result<(), Failure> {
    let call = create(engine, "apiextensions.k8s.io", "customresourcedefinitions", "v1", crd, stamp);
    call.map_or(Ok(()), |call| engine.handle(call).map(|_| ()))
}

fn create(
    engine: &Engine,
    group: &str,
    plural: &str,
    version: &str,
    object: &Value,
    (now, random): (Timestamp, [u8; 32]),
) -> Option<Call> {
    let registry = engine.registry();
    Some(Call {
        verb: Verb::Create,
        resource: Arc::clone(registry.get(group, plural)?),
        version: version.to_owned(),
        namespace: None,
        name: None,
        endpoint: Endpoint::Main,
        query: Vec::new(),
        body: object.to_string().into(),
        content_type: "application/json".to_owned(),
        user: User {
            name: "system:apiserver".to_owned(),
            groups: ["system:masters", "system:authenticated"].map(str::to_owned).to_vec(),
        },
        agent: "apiserver".to_owned(),
        now,
        random,
    })
}
