//! What the definitions let pass and what they refuse, on the embedded server.

use allready_apiserver::ApiServer;
use kube::{
    Api, Client, CustomResourceExt as _,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::{StatusAggregation, StatusReport, definitions};

fn client() -> Client {
    let definitions = definitions().into_iter().map(|definition| serde_json::to_value(definition).unwrap());
    let server = ApiServer::builder().crds(definitions).build().unwrap();
    Client::new(server.service(), "default")
}

/// Why an aggregation with this spec is refused, if it is.
async fn refused(spec: Value) -> Option<String> {
    let api: Api<DynamicObject> = Api::all_with(client(), &StatusAggregation::api_resource());
    let mut object = DynamicObject::new("web", &StatusAggregation::api_resource());
    object.data = json!({ "spec": spec });
    match api.create(&PostParams::default(), &object).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) => Some(status.message.clone()),
        Err(error) => panic!("{error}"),
    }
}

fn gateways(more: &Value) -> Value {
    of("gateway.networking.k8s.io/v1", "Gateway", more)
}

fn of(api_version: &str, kind: &str, more: &Value) -> Value {
    let mut spec = json!({ "target": { "apiVersion": api_version, "kind": kind } });
    spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    spec
}

async fn assert_refused(spec: Value, because: &str) {
    let message = refused(spec.clone()).await.unwrap_or_else(|| panic!("{spec} is accepted"));
    assert!(message.contains(because), "{message}");
}

#[tokio::test]
async fn an_aggregation_of_everything_is_accepted_and_read_back_as_it_was_written() {
    let spec = gateways(&json!({
        "clusters": {
            "names": ["cluster-1"],
            "selector": { "matchExpressions": [{ "key": "region", "operator": "In", "values": ["eu"] }] },
            "placement": "Annotated",
            "instances": { "matchExpressions": [{ "key": "draft", "operator": "DoesNotExist" }] },
        },
        "conditions": [{ "type": "Programmed" }, { "type": "example.com/Degraded", "polarity": "Negative" }],
        "mode": "strict",
        "addresses": true,
        "listeners": true,
        "fields": [{ "path": "status.attachedListenerSets", "combine": "Sum" }],
        "dns": { "ttlSeconds": 30, "providerSpecific": [{ "name": "aws/weight", "value": "10" }] },
        "reports": "Always",
        "unreachableAfterSeconds": 10,
    }));
    let api: Api<StatusAggregation> = Api::all(client());
    let object = StatusAggregation::new("web", serde_json::from_value(spec).unwrap());
    let created = api.create(&PostParams::default(), &object).await.unwrap();
    assert_eq!(created.spec, object.spec);
}

#[tokio::test]
async fn what_gateways_alone_have_is_refused_for_other_kinds() {
    for (field, value) in [("addresses", json!(true)), ("listeners", json!(true)), ("dns", json!({}))] {
        let because = format!("spec.{field}: Invalid value");
        let more = json!({ (field): value });
        assert_refused(of("apps/v1", "Deployment", &more), &because).await;
        assert_refused(of("example.com/v1", "Gateway", &more), &because).await;
        assert_eq!(refused(gateways(&more)).await, None);
    }
}

#[tokio::test]
async fn an_aggregation_of_nothing_is_refused() {
    assert_refused(gateways(&json!({})), "say what is aggregated").await;
    assert_refused(gateways(&json!({ "conditions": [], "reports": "Always" })), "say what is aggregated")
        .await;
}

#[tokio::test]
async fn what_the_hub_says_itself_is_not_aggregated() {
    let own = json!({ "conditions": [{ "type": "Ready" }, { "type": "allready.dev/Aggregated" }] });
    assert_refused(gateways(&own), "spec.conditions[1].type: Invalid value").await;
}

#[tokio::test]
async fn a_condition_type_is_aggregated_once() {
    let twice = json!({ "conditions": [{ "type": "Ready" }, { "type": "Ready", "polarity": "Negative" }] });
    assert_refused(gateways(&twice), "Duplicate value").await;
}

#[tokio::test]
async fn fields_are_numbers_in_the_status_apart_from_each_other() {
    let field = |path: &str| json!({ "path": path, "combine": "Min" });
    for path in ["spec.replicas", "status", "status.conditions", "status.observedGeneration"] {
        assert_refused(
            of("apps/v1", "Deployment", &json!({ "fields": [field(path)] })),
            "spec.fields[0].path",
        )
        .await;
    }
    let within = json!({ "fields": [field("status.pods.ready"), field("status.pods")] });
    assert_refused(of("apps/v1", "Deployment", &within), "cannot have another one within it").await;
    let beside = json!({ "fields": [field("status.ready"), field("status.readyReplicas")] });
    assert_eq!(refused(of("apps/v1", "Deployment", &beside)).await, None);
}

#[tokio::test]
async fn a_name_that_no_cluster_can_have_is_refused() {
    for name in ["cluster_1", "a.b", "", "Cluster"] {
        let clusters = json!({ "addresses": true, "clusters": { "names": ["cluster-1", name] } });
        assert_refused(gateways(&clusters), "spec.clusters.names[1]").await;
    }
}

#[tokio::test]
async fn a_selector_that_matches_nothing_by_mistake_is_refused() {
    let selector = |requirement: Value| {
        gateways(
            &json!({ "addresses": true, "clusters": { "selector": { "matchExpressions": [requirement] } } }),
        )
    };
    assert_refused(
        selector(json!({ "key": "region", "operator": "Is", "values": ["eu"] })),
        "supported values",
    )
    .await;
    assert_refused(selector(json!({ "key": "region", "operator": "In" })), "In and NotIn need values").await;
    let exists = json!({ "key": "region", "operator": "Exists", "values": ["eu"] });
    assert_refused(selector(exists), "Exists and DoesNotExist have none").await;
}

#[tokio::test]
async fn a_group_without_a_version_is_refused() {
    let more = json!({ "conditions": [{ "type": "Ready" }] });
    assert_refused(of("gateway.networking.k8s.io", "Gateway", &more), "spec.target.apiVersion").await;
    assert_eq!(refused(of("v1", "Service", &more)).await, None);
}

/// Why a report on a target of this kind with a condition of this type is refused, if it is.
async fn report_refused(target_kind: Option<&str>, type_: &str) -> Option<String> {
    let resource: ApiResource = StatusReport::api_resource();
    let api: Api<DynamicObject> = Api::default_namespaced_with(client(), &resource);
    let mut object = DynamicObject::new("web", &resource);
    object.data = json!({ "spec": { "target": "web", "component": "gateway", "instance": "cluster-1" } });
    if let Some(kind) = target_kind {
        object.data["spec"]["targetKind"] =
            json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": kind });
    }
    api.create(&PostParams::default(), &object).await.unwrap();
    let condition = json!({
        "type": type_, "status": "True", "reason": "Programmed", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z",
    });
    let status = json!({ "status": { "conditions": [condition] } });
    match api.patch_status("web", &PatchParams::default(), &Patch::Merge(status)).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) => Some(status.message.clone()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_report_on_an_object_of_another_kind_has_that_objects_condition_types() {
    for type_ in ["Ready", "example.com/Thing", "Programmed"] {
        assert_eq!(report_refused(Some("Gateway"), type_).await, None);
    }
}

#[tokio::test]
async fn a_report_for_a_configuration_status_names_reconcilers_alone() {
    for kind in [None, Some("ConfigurationStatus")] {
        for type_ in ["Ready", "speaker-a/configReconcilerValid"] {
            let message = report_refused(kind, type_).await.unwrap();
            assert!(message.contains("status.conditions: Invalid value"), "{message}");
            assert!(message.contains("is named after a reconciler alone"), "{message}");
        }
        assert_eq!(report_refused(kind, "configReconcilerValid").await, None);
    }
}
