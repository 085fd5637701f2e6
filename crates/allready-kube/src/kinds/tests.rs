//! What the definitions let pass and what they refuse, on the embedded server.

use allready_apiserver::ApiServer;
use kube::{
    Api, Client, CustomResourceExt,
    api::{DynamicObject, ListParams, Patch, PatchParams, PostParams},
};
use serde_json::{Value, json};

use super::{
    ClusterStatus, ConfigurationStatus, ConfigurationStatusSpec, InstanceStatus, StatusAggregation,
    StatusReport, definitions,
};
use crate::report::{Identity, Layout};

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
    let mut spec = json!({ "targetRef": { "apiVersion": api_version, "kind": kind } });
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
            "instances": { "matchExpressions": [{ "key": "draft", "operator": "DoesNotExist" }] },
        },
        "placement": { "type": "Annotated" },
        "conditions": [{ "type": "Programmed" }, { "type": "example.com/Degraded", "polarity": "Negative" }],
        "unknown": "TreatAsBad",
        "rows": ["Addresses", "Listeners"],
        "fields": [{ "path": ".status.attachedListenerSets", "combine": "Sum" }],
        "dns": { "ttlSeconds": 30, "providerSpecific": [{ "name": "aws/weight", "value": "10" }] },
        "instanceStatuses": "Always",
        "clusterTimeoutSeconds": 10,
    }));
    let api: Api<StatusAggregation> = Api::all(client());
    let object = StatusAggregation::new("web", serde_json::from_value(spec).unwrap());
    let created = api.create(&PostParams::default(), &object).await.unwrap();
    assert_eq!(created.spec, object.spec);
}

#[tokio::test]
async fn what_gateways_alone_have_is_refused_for_other_kinds() {
    for (field, value) in [("rows", json!(["Addresses"])), ("rows", json!(["Listeners"])), ("dns", json!({}))]
    {
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
    assert_refused(
        gateways(&json!({ "conditions": [], "rows": [], "instanceStatuses": "Always" })),
        "say what is aggregated",
    )
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
    for path in
        ["status.ready", ".spec.replicas", ".status", ".status.conditions", ".status.observedGeneration"]
    {
        assert_refused(
            of("apps/v1", "Deployment", &json!({ "fields": [field(path)] })),
            "spec.fields[0].path",
        )
        .await;
    }
    let within = json!({ "fields": [field(".status.pods.ready"), field(".status.pods")] });
    assert_refused(of("apps/v1", "Deployment", &within), "cannot have another one within it").await;
    let beside = json!({ "fields": [field(".status.ready"), field(".status.readyReplicas")] });
    assert_eq!(refused(of("apps/v1", "Deployment", &beside)).await, None);
}

#[tokio::test]
async fn a_name_that_no_cluster_can_have_is_refused() {
    for name in ["cluster_1", "a.b", "", "Cluster"] {
        let clusters = json!({ "rows": ["Addresses"], "clusters": { "names": ["cluster-1", name] } });
        assert_refused(gateways(&clusters), "spec.clusters.names[1]").await;
    }
}

#[tokio::test]
async fn a_selector_that_matches_nothing_by_mistake_is_refused() {
    let selector = |requirement: Value| {
        gateways(
            &json!({ "rows": ["Addresses"], "clusters": { "selector": { "matchExpressions": [requirement] } } }),
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
    assert_refused(of("gateway.networking.k8s.io", "Gateway", &more), "spec.targetRef.apiVersion").await;
    assert_eq!(refused(of("v1", "Service", &more)).await, None);
}

/// Creates an object of this kind, and says why it is refused, if it is.
async fn create<K: CustomResourceExt>(client: Client, name: &str, spec: Value) -> Result<Value, String> {
    let api: Api<DynamicObject> = Api::default_namespaced_with(client, &K::api_resource());
    let mut object = DynamicObject::new(name, &K::api_resource());
    object.data = json!({ "spec": spec });
    match api.create(&PostParams::default(), &object).await {
        Ok(created) => Ok(serde_json::to_value(created).unwrap()),
        Err(kube::Error::Api(status)) => Err(status.message.clone()),
        Err(error) => panic!("{error}"),
    }
}

/// Why a report with a condition of this type is refused, if it is.
async fn report_refused(type_: &str) -> Option<String> {
    let client = client();
    let name = "config-status.speaker.worker-1";
    let spec = report_spec("config-status", "speaker", "worker-1");
    create::<StatusReport>(client.clone(), name, spec).await.unwrap();
    let condition = json!({
        "type": type_, "status": "True", "reason": "Valid", "message": "",
        "lastTransitionTime": "2026-03-01T10:00:00Z",
    });
    let api: Api<StatusReport> = Api::default_namespaced(client);
    let status = json!({ "status": { "conditions": [condition] } });
    match api.patch_status(name, &PatchParams::default(), &Patch::Merge(status)).await {
        Ok(_) => None,
        Err(kube::Error::Api(status)) => Some(status.message.clone()),
        Err(error) => panic!("{error}"),
    }
}

#[tokio::test]
async fn a_report_has_ready_and_conditions_named_after_reconcilers_alone() {
    let message = report_refused("speaker-a/configReconcilerValid").await.unwrap();
    assert!(message.contains("status.conditions: Invalid value"), "{message}");
    assert!(message.contains("named after a reconciler alone"), "{message}");
    for type_ in ["configReconcilerValid", "Ready"] {
        assert_eq!(report_refused(type_).await, None);
    }
}

fn instance_spec(target: &str, aggregation: &str) -> Value {
    json!({
        "targetRef": { "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "name": target },
        "cluster": "cluster-1", "aggregation": aggregation,
    })
}

#[tokio::test]
async fn an_instance_status_is_named_after_its_spec_as_the_hub_names_it() {
    let long = "n".repeat(240);
    for (target, aggregation) in [
        ("web", "gateways"),
        ("web.eu", "gateways"),
        ("web", "eu.gateways"),
        (&*long, "gateways"),
        ("Web", "gateways"),
    ] {
        let identity = Identity::of(format!("gateway-{aggregation}")).on("cluster-1");
        let name = Layout::sharded("default", target).object_name(&identity);
        let spec = instance_spec(target, aggregation);
        create::<InstanceStatus>(client(), &name, spec.clone()).await.unwrap();
        for wrong in ["web", "web.gateway-gateways.cluster-2", "web.gateway.cluster-1", &format!("{name}-x")]
        {
            let message = create::<InstanceStatus>(client(), wrong, spec.clone()).await.unwrap_err();
            assert!(message.contains("the name of this InstanceStatus has to be"), "{message}");
        }
    }
    let plain =
        create::<InstanceStatus>(client(), "web-0123456789abcdef", instance_spec("web", "gateways")).await;
    assert!(plain.unwrap_err().contains("has to be web.gateway-gateways.cluster-1"));
}

#[tokio::test]
async fn an_instance_status_never_changes_its_spec() {
    let client = client();
    let name = "web.gateway-gateways.cluster-1";
    create::<InstanceStatus>(client.clone(), name, instance_spec("web", "gateways")).await.unwrap();
    let api: Api<InstanceStatus> = Api::default_namespaced(client);
    let moved = Patch::Merge(json!({ "spec": { "cluster": "cluster-2" } }));
    let error = api.patch(name, &PatchParams::default(), &moved).await.unwrap_err();
    assert!(error.to_string().contains("cannot change"), "{error}");
    let found = api.list(&ListParams::default().fields("spec.cluster=cluster-1")).await.unwrap();
    assert_eq!(found.items.len(), 1);
}

#[tokio::test]
async fn a_cluster_status_has_the_name_of_a_cluster() {
    create::<ClusterStatus>(client(), "cluster-1", json!({ "source": "Secret a/b" })).await.unwrap();
    for name in ["cluster.1", &"n".repeat(64)] {
        let message = create::<ClusterStatus>(client(), name, json!({})).await.unwrap_err();
        assert!(message.contains("has the name of its cluster"), "{message}");
    }
}

#[tokio::test]
async fn an_aggregation_has_its_defaults_written_out_and_is_pending_at_once() {
    let api: Api<DynamicObject> = Api::all_with(client(), &StatusAggregation::api_resource());
    let mut object = DynamicObject::new("web", &StatusAggregation::api_resource());
    object.data = json!({ "spec": gateways(&json!({ "dns": {} })) });
    let created = api.create(&PostParams::default(), &object).await.unwrap().data;
    let spec = &created["spec"];
    assert_eq!(
        (&spec["placement"], &spec["unknown"], &spec["instanceStatuses"], &spec["clusterTimeoutSeconds"]),
        (&json!({ "type": "Everywhere" }), &json!("KeepUnknown"), &json!("WhenNeeded"), &json!(30))
    );
    assert_eq!(
        spec["dns"],
        json!({ "type": "DNSEndpoint", "ttlSeconds": 60, "graceSeconds": 600, "onUnhealthy": "Remove", "onUnreachable": "Keep" })
    );
    assert_eq!(created["status"]["conditions"][0]["reason"], "Pending");
}

fn report_spec(target: &str, component: &str, instance: &str) -> Value {
    let mut spec = json!({ "targetRef": { "name": target }, "component": component });
    if !instance.is_empty() {
        spec["instance"] = instance.into();
    }
    spec
}

#[tokio::test]
async fn a_report_is_named_after_its_target_its_component_and_its_instance() {
    let client = client();
    let named = async |name: &str, component: &str, instance: &str| {
        create::<StatusReport>(client.clone(), name, report_spec("config-status", component, instance)).await
    };
    for name in [
        "speaker",
        "config-status.speaker.worker-2",
        "config-status.speaker",
        "x.config-status.speaker.worker-1",
    ] {
        let message = named(name, "speaker", "worker-1").await.unwrap_err();
        assert!(
            message.contains("the name of this StatusReport has to be config-status.speaker.worker-1"),
            "{message}"
        );
    }
    named("config-status.speaker.worker-1", "speaker", "worker-1").await.unwrap();
    named("config-status.controller", "controller", "").await.unwrap();
    assert!(named("config-status.controller.", "controller", "").await.is_err());
}

#[tokio::test]
async fn every_name_that_the_report_library_derives_is_accepted() {
    let client = client();
    let long = format!("{}.internal", "n".repeat(244));
    for (target, component, instance) in [
        ("config-status", "speaker", "worker-1.example.com"),
        ("config-status", "speaker", long.as_str()),
        ("config.status", "speaker", "worker-1"),
        ("config-status", "metal.speaker", "worker-1"),
        ("config-status", "Speaker", "Node 1"),
        (&"t".repeat(240), "speaker", "worker-1"),
    ] {
        let identity = Identity::of(component).on(instance);
        let name = Layout::sharded("default", target).object_name(&identity);
        let spec = report_spec(target, component, instance);
        create::<StatusReport>(client.clone(), &name, spec.clone()).await.unwrap();
        let taken = create::<StatusReport>(client.clone(), "config-status.somebody-else", spec).await;
        assert!(taken.is_err(), "{target} {component} {instance}");
    }
}

#[tokio::test]
async fn a_report_never_changes_its_spec() {
    let client = client();
    let name = "config-status.speaker.worker-1";
    let spec = report_spec("config-status", "speaker", "worker-1");
    let created = create::<StatusReport>(client.clone(), name, spec).await.unwrap();
    assert_eq!(
        created["spec"]["targetRef"],
        json!({ "apiVersion": "allready.dev/v1alpha1", "kind": "ConfigurationStatus", "name": "config-status" }),
        "what is left out of the reference is filled in"
    );
    let api: Api<StatusReport> = Api::default_namespaced(client);
    let moved = json!({ "spec": { "targetRef": { "apiVersion": "example.com/v1" } } });
    let error = api.patch(name, &PatchParams::default(), &Patch::Merge(moved)).await.unwrap_err();
    assert!(error.to_string().contains("cannot change"), "{error}");
}

#[tokio::test]
async fn reports_are_selected_by_the_name_of_their_target() {
    let client = client();
    for target in ["config-status", "another"] {
        let name = format!("{target}.speaker");
        create::<StatusReport>(client.clone(), &name, report_spec(target, "speaker", "")).await.unwrap();
    }
    let api: Api<StatusReport> = Api::default_namespaced(client);
    let found = api.list(&ListParams::default().fields("spec.targetRef.name=another")).await.unwrap();
    let names: Vec<_> = found.items.iter().map(kube::ResourceExt::name_any).collect();
    assert_eq!(names, ["another.speaker"]);
}

#[tokio::test]
async fn a_new_object_is_pending_at_once() {
    let client = client();
    let spec = report_spec("config-status", "speaker", "");
    create::<StatusReport>(client.clone(), "config-status.speaker", spec).await.unwrap();
    create::<ConfigurationStatus>(client.clone(), "config-status", json!({})).await.unwrap();
    let reports: Api<DynamicObject> =
        Api::default_namespaced_with(client.clone(), &StatusReport::api_resource());
    let statuses: Api<DynamicObject> =
        Api::default_namespaced_with(client, &ConfigurationStatus::api_resource());
    for object in [reports.get("config-status.speaker").await, statuses.get("config-status").await] {
        let object = object.unwrap();
        let conditions = object.data["status"]["conditions"].as_array().unwrap();
        assert_eq!(conditions.len(), 1);
        assert_eq!(
            (&conditions[0]["type"], &conditions[0]["status"], &conditions[0]["reason"]),
            (&json!("Ready"), &json!("Unknown"), &json!("Pending"))
        );
    }
}

/// Why a ConfigurationStatus with this spec is refused, if it is.
async fn status_refused(spec: Value) -> Option<String> {
    create::<ConfigurationStatus>(client(), "config-status", spec).await.err()
}

#[tokio::test]
async fn a_configuration_status_with_everything_is_accepted_and_read_back_as_it_was_written() {
    let spec = json!({
        "components": [
            { "name": "controller", "role": "Required" },
            { "name": "speaker", "role": "Required", "reconcilers": ["configReconciler"],
              "instances": { "type": "DaemonSet", "daemonSet": { "name": "speaker" } } },
            { "name": "edge", "role": "Informational",
              "instances": { "type": "Nodes", "nodes": { "selector": {
                  "matchLabels": { "example.com/edge": "yes" },
                  "matchExpressions": [{ "key": "zone", "operator": "In", "values": ["a", ""] }] } } } },
            { "name": "store", "role": "Required", "instances": { "type": "Names", "names": ["east", "west"] } },
            { "name": "job", "role": "Required", "instances": { "type": "Discovered" } },
        ],
        "heartbeat": { "timeoutSeconds": 60 },
        "sources": [{
            "apiVersion": "example.com/v1", "kind": "Engine", "selector": { "matchLabels": { "a": "b" } },
            "component": { "type": "Label", "label": "example.com/component" },
            "instance": { "type": "Value", "value": "one" },
            "conditions": [{ "type": "Overheated", "polarity": "Negative" }, { "type": "Ready" }],
        }],
    });
    let read: ConfigurationStatusSpec = serde_json::from_value(spec.clone()).unwrap();
    assert_eq!(serde_json::to_value(read).unwrap(), spec);
    let created = create::<ConfigurationStatus>(client(), "config-status", spec.clone()).await.unwrap();
    assert_eq!(created["spec"], spec);
}

#[tokio::test]
async fn a_component_is_required_unless_it_says_otherwise() {
    let created =
        create::<ConfigurationStatus>(client(), "config-status", json!({ "components": [{ "name": "a" }] }))
            .await
            .unwrap();
    assert_eq!(created["spec"]["components"][0]["role"], "Required");
}

#[tokio::test]
async fn what_does_not_belong_to_the_type_of_a_union_is_refused() {
    let instances = async |instances: Value| {
        status_refused(json!({ "components": [{ "name": "a", "instances": instances }] })).await
    };
    for (wrong, because) in [
        (json!({ "type": "DaemonSet" }), "daemonSet is set where"),
        (json!({ "type": "Nodes" }), "nodes is set where"),
        (json!({ "type": "Names" }), "names is set where"),
        (json!({ "type": "Discovered", "names": ["a"] }), "names is set where"),
        (json!({ "type": "Names", "names": [] }), "should have at least 1 items"),
        (json!({ "type": "Names", "names": ["a"], "daemonSet": { "name": "a" } }), "daemonSet is set where"),
        (json!({ "type": "Pods" }), "supported values"),
        (json!({ "names": ["a"] }), "type: Required value"),
    ] {
        let message = instances(wrong.clone()).await.unwrap_or_else(|| panic!("{wrong} is accepted"));
        assert!(message.contains(because), "{message}");
    }
    let source = async |component: Value| {
        let source = json!({ "apiVersion": "example.com/v1", "kind": "Engine", "component": component });
        status_refused(json!({ "sources": [source] })).await
    };
    assert_eq!(source(json!({ "type": "Name" })).await, None);
    for (wrong, because) in [
        (json!({ "type": "Label" }), "label is set where"),
        (json!({ "type": "Name", "label": "a" }), "label is set where"),
        (json!({ "type": "Label", "label": "a", "value": "b" }), "value is set where"),
        (json!({ "type": "Value" }), "value is set where"),
    ] {
        let message = source(wrong.clone()).await.unwrap_or_else(|| panic!("{wrong} is accepted"));
        assert!(message.contains(because), "{message}");
    }
}

#[tokio::test]
async fn a_revision_is_refused_where_nobody_could_state_it() {
    let source = json!({ "apiVersion": "example.com/v1", "kind": "Engine", "component": { "type": "Name" } });
    for more in [json!({ "sources": [source] }), json!({ "preset": "MetalLB" })] {
        assert_eq!(status_refused(more.clone()).await, None);
        let mut spec = more;
        spec["revision"] = "7".into();
        let message = status_refused(spec).await.unwrap();
        assert!(message.contains("spec.revision: Invalid value"), "{message}");
        assert!(message.contains("state no revision"), "{message}");
    }
    assert_eq!(status_refused(json!({ "revision": "7", "sources": [] })).await, None);
}

#[tokio::test]
async fn a_selector_is_refused_where_the_api_server_refuses_it() {
    let long = "n".repeat(64);
    let long_prefix = format!("{}.example/name", "n".repeat(250));
    let refused = async |selector: Value| {
        let nodes = json!({ "type": "Nodes", "nodes": { "selector": selector } });
        let of_component =
            status_refused(json!({ "components": [{ "name": "a", "instances": nodes }] })).await;
        let source = json!({ "apiVersion": "example.com/v1", "kind": "Engine", "component": { "type": "Name" },
            "selector": selector });
        let of_source = status_refused(json!({ "sources": [source] })).await;
        assert_eq!(of_component.is_some(), of_source.is_some(), "{selector}");
        of_component.is_some()
    };
    let labels = |key: &str, value: &str| json!({ "matchLabels": { key: value } });
    let expression = |requirement: Value| json!({ "matchExpressions": [requirement] });
    for wrong in [
        labels("", "a"),
        labels("a b", "a"),
        labels("Example.com/name", "a"),
        labels("example.com/", "a"),
        labels(&long, "a"),
        labels(&long_prefix, "a"),
        labels("a", "b c"),
        labels("a", &long),
        labels("a", "-"),
        expression(json!({ "key": "a", "operator": "Is", "values": ["b"] })),
        expression(json!({ "key": "a", "operator": "In" })),
        expression(json!({ "key": "a", "operator": "NotIn", "values": [] })),
        expression(json!({ "key": "a", "operator": "Exists", "values": ["b"] })),
        expression(json!({ "key": "a b", "operator": "Exists" })),
        expression(json!({ "key": long_prefix, "operator": "Exists" })),
        expression(json!({ "key": "a", "operator": "In", "values": ["b c"] })),
    ] {
        assert!(refused(wrong.clone()).await, "{wrong} is accepted");
    }
    for right in [
        json!({}),
        labels("a", ""),
        labels("node-role.kubernetes.io/control-plane", ""),
        labels(&"n".repeat(63), &"v".repeat(63)),
        expression(json!({ "key": "example.com/A_b.c", "operator": "In", "values": ["A_b.c", ""] })),
        expression(json!({ "key": "a", "operator": "DoesNotExist" })),
    ] {
        assert!(!refused(right.clone()).await, "{right} is refused");
    }
}

/// Adds the paths of a schema that anybody could fill without an end.
fn unbounded(schema: &Value, path: &str, found: &mut Vec<String>) {
    let has_any = |bounds: &[&str]| bounds.iter().any(|bound| schema.get(*bound).is_some());
    let is_bounded = match schema["type"].as_str() {
        Some("array") => has_any(&["maxItems"]),
        Some("string") => has_any(&["maxLength", "enum", "format"]),
        Some("object") if schema.get("additionalProperties").is_some() => has_any(&["maxProperties"]),
        _ => true,
    };
    if !is_bounded {
        found.push(path.to_owned());
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        unbounded(field, &format!("{path}.{name}"), found);
    }
    for part in ["items", "additionalProperties"] {
        if schema[part].is_object() {
            unbounded(&schema[part], &format!("{path}[]"), found);
        }
    }
}

#[test]
fn nobody_can_fill_a_field_without_an_end() {
    let mut found = Vec::new();
    for definition in super::definitions() {
        for version in &definition.spec.versions {
            let schema = serde_json::to_value(&version.schema).unwrap();
            for part in ["spec", "status"] {
                let fields = &schema["openAPIV3Schema"]["properties"][part];
                assert!(fields.is_object(), "{}.{part}", definition.spec.names.kind);
                unbounded(fields, &format!("{}.{part}", definition.spec.names.kind), &mut found);
            }
        }
    }
    assert_eq!(found, Vec::<String>::new());
    let mut seen = Vec::new();
    let hostile = json!({ "type": "object", "properties": {
        "a": { "type": "array", "items": { "type": "string" } }, "b": { "type": "string", "maxLength": 1 } } });
    unbounded(&hostile, "", &mut seen);
    assert_eq!(seen, [".a", ".a[]"], "the test finds what there is");
}
