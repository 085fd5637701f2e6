use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{differences, lines, resource_of};
use crate::{
    call::{Call, User, Verb},
    resource::{Endpoint, Resource},
    status::Failure,
};

pub(super) fn call(resource: Resource) -> Call {
    Call {
        verb: Verb::Create,
        resource: resource.into(),
        version: "v1".into(),
        namespace: None,
        name: None,
        endpoint: Endpoint::Main,
        query: Vec::new(),
        body: Bytes::new(),
        content_type: String::new(),
        user: User { name: "system:admin".into(), groups: Vec::new() },
        agent: String::new(),
        now: Timestamp::UNIX_EPOCH,
        random: [0; 32],
    }
}

/// What `rest` does with a create, as far as the kind decides.
pub(super) fn create(object: &Value) -> Result<Value, Failure> {
    let resource = resource_of(object);
    let (strategy, version) = (resource.strategy.clone(), &resource.versions[0]);
    let mut object = object.clone();
    strategy.decode(version, &object)?;
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    if resource.namespaced {
        object["metadata"]["namespace"] = json!("builtin");
    }
    object["apiVersion"] = json!(resource.storage_version);
    strategy.store_from(version, &mut object);
    strategy.default(version, &mut object);
    object["metadata"]["uid"] = json!("UID");
    strategy.prepare_create(
        version,
        &mut object,
        &call(resource_of(&json!({
            "apiVersion": resource.api_version("v1"), "kind": resource.kind,
        }))),
    );
    let problems = strategy.validate(version, Endpoint::Main, &object, None);
    if !problems.is_empty() {
        let name = object["metadata"]["name"].as_str().unwrap_or_default();
        let group = resource.group.as_str();
        let group = if resource.kind == "Event" { "" } else { group };
        return Err(Failure::invalid(group, &resource.kind, name, &problems));
    }
    if resource.verbs == ["create"] {
        object["metadata"] = json!({});
        let admin = User::new("admin").in_group("system:masters");
        crate::access::answer(&crate::access::Policy::default(), &resource.kind, &mut object, &admin)?;
    }
    object["apiVersion"] = json!(resource.api_version("v1"));
    strategy.serve_as(version, &mut object);
    object["metadata"].as_object_mut().unwrap().remove("uid");
    Ok(object)
}

/// Addresses and ports are drawn at random by the real server.
fn mask(mut object: Value, asked: &Value) -> Value {
    if object["kind"] == "Service" && asked["spec"]["clusterIP"].is_null() {
        for field in ["clusterIP", "clusterIPs"] {
            if object["spec"].get(field).is_some() {
                object["spec"][field] = json!("some");
            }
        }
        for port in object["spec"]["ports"].as_array_mut().into_iter().flatten() {
            if port.get("nodePort").is_some() {
                port["nodePort"] = json!("some");
            }
        }
    }
    object
}

#[test]
fn a_created_object_is_answered_as_the_real_server_answers_it() {
    let mut wrong = Vec::new();
    for line in lines(include_str!("created.jsonl")) {
        let asked = &line["object"];
        let answer = create(asked).map(|answer| mask(answer, asked));
        let expected = mask(line["answer"].clone(), asked);
        let found = match answer {
            Ok(answer) => differences(&expected, &answer),
            Err(failure) => vec![failure.message],
        };
        if !found.is_empty() {
            wrong.push(format!("{asked}\n  {}", found.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
