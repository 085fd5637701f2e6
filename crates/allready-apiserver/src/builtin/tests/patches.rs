use serde_json::{Value, json};

use super::{
    created::call,
    refused::{engine, post},
    resource_of,
};
use crate::{
    resource::Verb,
    rest::{Answer, Body, Engine},
    status::Failure,
};

const STRATEGIC: &str = "application/strategic-merge-patch+json";
const MERGE: &str = "application/merge-patch+json";

fn send(engine: &Engine, verb: Verb, object: &Value, body: &Value, kind: &str) -> Result<Answer, Failure> {
    let mut call = call(resource_of(object));
    call.verb = verb;
    call.namespace = Some("builtin".into());
    call.name = object["metadata"]["name"].as_str().map(ToOwned::to_owned);
    call.body = body.to_string().into();
    call.content_type = kind.into();
    engine.handle(call)
}

fn config_map() -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}, "data": {"a": "1"}})
}

fn deployment() -> Value {
    json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "x"}, "spec": {
        "selector": {"matchLabels": {"app": "x"}},
        "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}},
    }})
}

#[test]
fn a_strategic_merge_that_comes_to_a_wrong_type_shows_the_patch_as_go_prints_it() {
    let engine = engine();
    for (object, patch, shown, why) in [
        (config_map(), json!({"data": {"a": 5}}), "map[data:map[a:5]]", "cannot convert int64 to string"),
        (config_map(), json!({"data": {"a": true}}), "map[data:map[a:true]]", "unrecognized type: string"),
        (config_map(), json!({"data": [1]}), "map[data:[1]]", "cannot restore map from slice"),
        (config_map(), json!({"metadata": "x"}), "map[metadata:x]", "cannot restore struct from: string"),
        (
            config_map(),
            json!({"metadata": {"creationTimestamp": 5}}),
            "map[metadata:map[creationTimestamp:5]]",
            "json: cannot unmarshal number into Go value of type string",
        ),
        (
            config_map(),
            json!({"binaryData": {"a": "!"}}),
            "map[binaryData:map[a:!]]",
            "error decoding from json: illegal base64 data at input byte 0",
        ),
        (config_map(), json!({"immutable": 1}), "map[immutable:1]", "unrecognized type: bool"),
        (
            deployment(),
            json!({"spec": {"replicas": 1.5}}),
            "map[spec:map[replicas:1.5]]",
            "cannot convert float64 to int32",
        ),
        (
            deployment(),
            json!({"spec": {"replicas": "x", "paused": "y"}}),
            "map[spec:map[paused:y replicas:x]]",
            "unrecognized type: int32",
        ),
        (
            deployment(),
            json!({"spec": {"template": {"spec": {"restartPolicy": 5}}}}),
            "map[spec:map[template:map[spec:map[restartPolicy:5]]]]",
            "cannot convert int64 to v1.RestartPolicy",
        ),
        (
            deployment(),
            json!({"spec": {"$retainKeys": ["replicas"], "replicas": "x"}}),
            "map[spec:map[replicas:x]]",
            "unrecognized type: int32",
        ),
    ] {
        post(&engine, &object, false).ok();
        let failure = send(&engine, Verb::Patch, &object, &patch, STRATEGIC).err().unwrap();
        let message = format!(" \"\" is invalid: patch: Invalid value: \"{shown}\": {why}");
        assert_eq!((failure.code, failure.message), (422, message));
    }
}

#[test]
fn a_strategic_merge_wraps_numbers_around_and_forgets_a_wrong_kind() {
    let engine = engine();
    post(&engine, &deployment(), false).unwrap();
    let patch = json!({"spec": {"replicas": 3_000_000_000_u64}});
    let failure = send(&engine, Verb::Patch, &deployment(), &patch, STRATEGIC).err().unwrap();
    let why = "spec.replicas: Invalid value: -1294967296: must be greater than or equal to 0";
    assert_eq!(failure.message, format!("Deployment.apps \"x\" is invalid: {why}"));
    let renamed = send(&engine, Verb::Patch, &deployment(), &json!({"kind": "X"}), STRATEGIC);
    let Body::Object(bytes) = renamed.ok().unwrap().body else { panic!("a patch answers with an object") };
    assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap()["kind"], "Deployment");
}

#[test]
fn a_merge_that_comes_to_a_wrong_type_shows_the_result_with_untouched_parts_in_the_order_of_their_types() {
    let engine = engine();
    post(&engine, &config_map(), false).unwrap();
    let failure = send(&engine, Verb::Patch, &config_map(), &json!({"data": {"a": 5}}), MERGE).err().unwrap();
    let start = " \"\" is invalid: patch: Invalid value: \"{\\\"apiVersion\\\":\\\"v1\\\",\\\"data\\\":{\\\"a\\\":5},\\\"kind\\\":\\\"ConfigMap\\\",\\\"metadata\\\":{\\\"name\\\":\\\"x\\\",\\\"namespace\\\":\\\"builtin\\\",\\\"uid\\\":";
    assert!(failure.message.starts_with(start), "{}", failure.message);
}

#[test]
fn replacing_what_is_not_there_makes_it_in_some_kinds() {
    let engine = engine();
    let of =
        |version: &str, kind: &str| json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}});
    let code = |object: &Value| {
        let answer = send(&engine, Verb::Update, object, object, "application/json");
        answer.map_or_else(|failure| failure.code, |answer| answer.code)
    };
    for (object, expected) in [
        (of("coordination.k8s.io/v1", "Lease"), 201),
        (of("rbac.authorization.k8s.io/v1", "Role"), 201),
        (of("v1", "ConfigMap"), 404),
        (of("v1", "Secret"), 404),
    ] {
        assert_eq!(code(&object), expected, "{object}");
    }
    let mut other = of("rbac.authorization.k8s.io/v1", "Role");
    other["metadata"] = json!({"name": "y", "uid": "abc"});
    let failure = send(&engine, Verb::Update, &other, &other, "application/json").err().unwrap();
    assert_eq!(
        failure.message,
        "Operation cannot be fulfilled on roles.rbac.authorization.k8s.io \"y\": StorageError: invalid object, Code: 4, Key: /registry/roles/builtin/y, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: abc, UID in object meta: "
    );
}
