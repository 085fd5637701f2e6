use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{created::call, differences, lines, resource_of};
use crate::{
    resource::Registry,
    rest::{Answer, Engine},
    status::Failure,
};

/// A server with a namespace.
pub(super) fn engine() -> Engine {
    let mut registry = Registry::default();
    for resource in crate::builtin::resources(crate::builtin::Ranges::default()) {
        registry.insert(Arc::new(resource));
    }
    let engine = Engine::new(registry, crate::store::Window::default(), &|| (Timestamp::UNIX_EPOCH, [0; 32]));
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "builtin"}});
    post(&engine, &namespace, false).unwrap();
    engine
}

/// A create as a client sends it.
pub(super) fn post(engine: &Engine, object: &Value, dry_run: bool) -> Result<Answer, Failure> {
    let resource = resource_of(object);
    let mut call = call(resource);
    call.namespace = call.resource.namespaced.then(|| "builtin".to_owned());
    call.body = object.to_string().into();
    call.agent = "bt/v1".into();
    call.now = Timestamp::UNIX_EPOCH;
    if dry_run {
        call.query = vec![("dryRun".into(), "All".into())];
    }
    engine.handle(call)
}

/// Uids and times differ from run to run.
fn masked(text: &str) -> String {
    let is_uid = |part: &str| {
        part.len() == 36
            && part.bytes().enumerate().all(|(at, byte)| match at {
                8 | 13 | 18 | 23 => byte == b'-',
                _ => byte.is_ascii_hexdigit(),
            })
    };
    let is_time = |part: &str| part.len() == 20 && part.ends_with('Z') && part.contains(':');
    let parts = text.split('"').map(|part| {
        let bare = part.trim_end_matches('\\');
        if is_uid(bare) || is_time(bare) { part.replace(bare, "…") } else { part.to_owned() }
    });
    parts.collect::<Vec<_>>().join("\"")
}

#[test]
fn what_is_refused_is_refused_in_the_real_servers_words() {
    let engine = engine();
    let mut wrong = Vec::new();
    for line in lines(include_str!("refused.jsonl")) {
        let object = &line["object"];
        let (real, ours) = match post(&engine, object, true) {
            Ok(_) => (line.to_string(), json!({"message": "accepted"})),
            Err(failure) => (line.to_string(), failure.to_body()),
        };
        let real: Value = serde_json::from_str(&real).unwrap();
        let pick = |value: &Value| json!([value["code"], value["message"], value["details"]]);
        let steady = |value: Value| -> Value { serde_json::from_str(&masked(&value.to_string())).unwrap() };
        let found = differences(&steady(pick(&real)), &steady(pick(&ours)));
        if let Some(first) = found.iter().find(|line| line.starts_with("[1]")).or(found.first()) {
            wrong.push(format!("{object}\n  {first}"));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_the_real_server_accepts_is_accepted() {
    let engine = engine();
    let objects = lines(include_str!("accepted.jsonl")).into_iter().map(|line| line["object"].clone());
    let refused = objects.filter_map(|object| {
        let failure = post(&engine, &object, true).err()?;
        Some(format!("{object}\n  {}", failure.message))
    });
    let refused: Vec<_> = refused.collect();
    assert!(refused.is_empty(), "{} are refused:\n{}", refused.len(), refused.join("\n"));
}
