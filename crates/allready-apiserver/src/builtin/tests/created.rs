use bytes::Bytes;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    differences, lines,
    refused::{engine, post},
};
use crate::{
    resource::{Call, Endpoint, Resource, User, Verb},
    rest::Body,
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
        user: User { groups: vec!["system:masters".into()], ..User::new("system:admin") },
        agent: String::new(),
        now: Timestamp::UNIX_EPOCH,
        random: [0; 32],
    }
}

/// What a create comes to, without what differs from run to run.
pub(super) fn create(object: &Value) -> Result<Value, Failure> {
    let answer = post(&engine(), object, true)?;
    let Body::Object(bytes) = answer.body else { panic!("a create answers with an object") };
    let mut made: Value = serde_json::from_slice(&bytes).unwrap();
    let uid = made["metadata"]["uid"].as_str().unwrap_or("none").to_owned();
    for field in ["uid", "creationTimestamp", "managedFields"] {
        made["metadata"].as_object_mut().unwrap().remove(field);
    }
    Ok(serde_json::from_str(&made.to_string().replace(&uid, "UID")).unwrap())
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
