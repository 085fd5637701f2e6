//! Faults, as kube's client takes them.

use std::time::{Duration, Instant};

use allready_apiserver::{
    ApiServer, Verb,
    fault::{Effect, Rule},
};
use kube::{
    Error,
    api::{Patch, PatchParams, PostParams},
};
use serde_json::json;

use super::{data, listening, make, map, maps};

#[tokio::test]
async fn the_client_comes_back_after_as_long_as_it_was_told() {
    let server = ApiServer::new();
    let (client, _listening) = listening(&server).await;
    let busy = Effect::TooManyRequests { retry_after: 1 };
    let rule = server.faults().add(Rule::new(busy).verb(Verb::Create).kind("ConfigMap").next_calls(2));
    let began = Instant::now();
    make(&client, "default", "a", json!({})).await;
    assert!(began.elapsed() >= Duration::from_secs(2), "twice a second");
    assert_eq!(server.faults().fired(rule), 2);
}

#[tokio::test]
async fn a_conflict_is_told_and_nothing_is_written() {
    let server = ApiServer::new();
    let (client, _listening) = listening(&server).await;
    let mut object = make(&client, "default", "a", json!({})).await;
    server.faults().add(Rule::new(Effect::Conflict).verb(Verb::Update).next_calls(1));
    object.data = Some(data(&[("a", "c")]));
    let api = maps(&client, "default");
    let Err(Error::Api(conflict)) = api.replace("a", &PostParams::default(), &object).await else { panic!() };
    assert_eq!((conflict.code, conflict.reason.as_str()), (409, "Conflict"));
    assert_eq!(api.get("a").await.unwrap().data, Some(data(&[("a", "b")])));
    let written = api.replace("a", &PostParams::default(), &object).await.unwrap();
    assert_eq!(written.data, Some(data(&[("a", "c")])), "nobody else has written");
}

#[tokio::test]
async fn a_write_can_take_effect_though_its_client_sees_an_error() {
    let server = ApiServer::new();
    let (client, _listening) = listening(&server).await;
    let api = maps(&client, "default");
    server.faults().add(Rule::new(Effect::ResetAfter).verb(Verb::Create).name("a").next_calls(1));
    let cut = api.create(&PostParams::default(), &map("a", &json!({}))).await.unwrap_err();
    assert!(!matches!(cut, Error::Api(_)), "{cut}");
    let Err(Error::Api(taken)) = api.create(&PostParams::default(), &map("a", &json!({}))).await else {
        panic!()
    };
    assert_eq!((taken.code, taken.reason.as_str()), (409, "AlreadyExists"));

    server.faults().add(Rule::new(Effect::ResetAfter).verb(Verb::Patch).next_calls(1));
    let config = json!({
        "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "b" }, "data": { "x": "y" },
    });
    let apply = || async { api.patch("b", &PatchParams::apply("me"), &Patch::Apply(config.clone())).await };
    apply().await.unwrap_err();
    let version = api.get("b").await.unwrap().metadata.resource_version;
    let again = apply().await.unwrap();
    assert_eq!(again.metadata.resource_version, version, "who applies again changes nothing");
}
