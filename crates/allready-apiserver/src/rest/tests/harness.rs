//! From a method and a path to a call, and back from an answer to a body.

use std::{
    sync::Arc,
    sync::atomic::{AtomicU64, Ordering},
};

use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    builtin, crd,
    resource::{Call, Endpoint, Registry, Stamp, User, Verb},
    rest::{Answer, Body, Engine},
    status::Failure,
    store::{Event, Subscription},
};

/// A server with everything that is built in.
pub(crate) fn engine() -> Engine {
    let mut registry = Registry::default();
    for resource in builtin::resources(crate::builtin::Ranges::default()) {
        registry.insert(Arc::new(resource));
    }
    registry.insert(Arc::new(crd::definition()));
    Engine::new(registry, crate::store::Window::default(), &stamp)
}

/// What came back.
pub(crate) struct Reply {
    pub(crate) code: u16,
    pub(crate) body: Value,
    pub(crate) warnings: Vec<String>,
    pub(crate) watch: Option<Subscription>,
}

/// Sends a request now.
pub(crate) fn send(
    engine: &Engine,
    method: &str,
    path: &str,
    content_type: &str,
    body: impl Into<Bytes>,
) -> Reply {
    send_at(engine, Timestamp::now(), method, path, content_type, body).unwrap()
}

/// Sends a request at a moment. `None` when the path names no resource.
pub(crate) fn send_at(
    engine: &Engine,
    now: Timestamp,
    method: &str,
    path: &str,
    content_type: &str,
    body: impl Into<Bytes>,
) -> Option<Reply> {
    let call = Call { now, ..call(engine, method, path, content_type, body.into())? };
    let (resource, version) = (call.resource.clone(), call.version.clone());
    Some(match engine.handle(call) {
        Err(failure) => refused(&failure),
        Ok(Answer { code, body, warnings }) => match body {
            Body::Object(bytes) | Body::Status(bytes) => {
                Reply { code, body: serde_json::from_slice(&bytes).unwrap(), warnings, watch: None }
            }
            Body::List(list) => {
                let custom = super::super::decode::is_custom(&resource);
                let items: Vec<Value> = list.items.iter().map(|item| listed(item, custom)).collect();
                let mut metadata = json!({ "continue": list.continue_token, "resourceVersion": list.resource_version.to_string() });
                if let Some(remaining) = list.remaining {
                    metadata["remainingItemCount"] = remaining.into();
                }
                let body = json!({
                    "apiVersion": resource.api_version(&version), "kind": resource.list_kind, "metadata": metadata, "items": items,
                });
                Reply { code, body, warnings, watch: None }
            }
            Body::Watch(watch) => Reply { code, body: Value::Null, warnings, watch: Some(watch) },
        },
    })
}

/// The items of a list of a built-in kind do not say their type.
fn listed(item: &Bytes, custom: bool) -> Value {
    let mut item: Value = serde_json::from_slice(item).unwrap();
    if !custom {
        item.as_object_mut().unwrap().retain(|key, _| key != "kind" && key != "apiVersion");
    }
    item
}

fn refused(failure: &Failure) -> Reply {
    Reply { code: failure.code, body: failure.to_body(), warnings: failure.warnings.clone(), watch: None }
}

/// Everything that a watch has to say now.
pub(crate) fn drain(watch: &mut Subscription) -> Vec<Event> {
    std::iter::from_fn(|| watch.at_hand()).collect()
}

/// Understands a request as the shell does.
pub(crate) fn call(
    engine: &Engine,
    method: &str,
    path: &str,
    content_type: &str,
    body: Bytes,
) -> Option<Call> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let query: Vec<(String, String)> = query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(key), decoded(value))
        })
        .collect();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let (group, version, rest) = match parts.as_slice() {
        ["api", version, rest @ ..] => ("", *version, rest),
        ["apis", group, version, rest @ ..] => (*group, *version, rest),
        _ => return None,
    };
    let (namespace, rest) = match rest {
        ["namespaces", namespace, rest @ ..]
            if !rest.is_empty() && !["status", "finalize"].contains(&rest[0]) =>
        {
            (Some((*namespace).to_owned()), rest)
        }
        rest => (None, rest),
    };
    let (plural, name, sub) = match rest {
        [plural] => (*plural, None, ""),
        [plural, name] => (*plural, Some((*name).to_owned()), ""),
        [plural, name, sub] => (*plural, Some((*name).to_owned()), *sub),
        _ => return None,
    };
    let resource = engine.registry().get(group, plural)?.clone();
    resource.version(version)?;
    let watch = query.iter().any(|(key, value)| key == "watch" && value != "0" && value != "false");
    let verb = match (method, &name) {
        ("GET", _) if watch => Verb::Watch,
        ("GET", Some(_)) => Verb::Get,
        ("GET", None) => Verb::List,
        ("POST", _) => Verb::Create,
        ("PUT", _) => Verb::Update,
        ("PATCH", _) => Verb::Patch,
        ("DELETE", Some(_)) => Verb::Delete,
        ("DELETE", None) => Verb::DeleteCollection,
        _ => return None,
    };
    let endpoint = match sub {
        "" => Endpoint::Main,
        "status" => Endpoint::Status,
        "scale" => Endpoint::Scale,
        "finalize" => Endpoint::Other("finalize"),
        "token" => Endpoint::Other("token"),
        "eviction" => Endpoint::Other("eviction"),
        _ => return None,
    };
    let (now, random) = stamp();
    Some(Call {
        verb,
        resource,
        version: version.to_owned(),
        namespace,
        name,
        endpoint,
        query,
        body,
        content_type: content_type.to_owned(),
        user: User::new("system:admin").in_group("system:masters"),
        agent: "recorder/v1".into(),
        now,
        random,
    })
}

/// Now, and what has not been drawn before.
pub(crate) fn stamp() -> Stamp {
    static SEED: AtomicU64 = AtomicU64::new(1);
    let mut random = [0; 32];
    for (index, chunk) in random.chunks_mut(8).enumerate() {
        let seed = SEED
            .fetch_add(1, Ordering::Relaxed)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(u32::try_from(index).unwrap() * 7);
        chunk.copy_from_slice(&(seed ^ seed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9).to_le_bytes());
    }
    (Timestamp::now(), random)
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'%' {
            out.push(u8::from_str_radix(&text[at + 1..at + 3], 16).unwrap());
            at += 3;
        } else {
            out.push(if bytes[at] == b'+' { b' ' } else { bytes[at] });
            at += 1;
        }
    }
    String::from_utf8(out).unwrap()
}
