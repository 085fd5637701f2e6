//! Statuses of Gateway API, as whoever writes a Gateway sees them.

use allready_controller::{
    engine::Running,
    gateway::{CONTROLLER_NAME, GatewayController},
};
use allready_e2e::{Server, eventually};
use allready_gateway::{GROUP, Support};
use kube::{
    Api,
    api::{ApiResource, DeleteParams, DynamicObject, GroupVersionKind, Patch, PatchParams},
};
use serde_json::{Value, json};

allready_e2e::scenarios![a_gateway_and_its_route_get_their_statuses_and_lose_them];

/// A CRD of Gateway API as small as can be: neither the rules nor the defaults of the real one.
fn definition(kind: &str, plural: &str, scope: &str) -> Value {
    let open = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{GROUP}"),
            "annotations": {
                "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/2466",
                "gateway.networking.k8s.io/bundle-version": "v1.6.3",
            },
        },
        "spec": {
            "group": GROUP,
            "names": { "kind": kind, "plural": plural, "singular": kind.to_lowercase() },
            "scope": scope,
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": { "spec": open, "status": open },
                } },
            }],
        },
    })
}

fn api(server: &Server, kind: &str, namespace: Option<&str>) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, "v1", kind));
    match namespace {
        Some(namespace) => Api::namespaced_with(server.client(), namespace, &resource),
        None => Api::all_with(server.client(), &resource),
    }
}

async fn apply(api: &Api<DynamicObject>, kind: &str, name: &str, spec: Value) {
    let object = json!({
        "apiVersion": format!("{GROUP}/v1"), "kind": kind, "metadata": { "name": name }, "spec": spec,
    });
    api.patch(name, &PatchParams::apply("e2e").force(), &Patch::Apply(&object)).await.unwrap();
}

/// The status of an object; null where it is not there.
async fn status(api: &Api<DynamicObject>, name: &str) -> Value {
    let found = api.get_opt(name).await.unwrap();
    found.map_or(Value::Null, |object| object.data["status"].clone())
}

fn is_true(conditions: &Value, type_: &str) -> bool {
    let mut all = conditions.as_array().into_iter().flatten();
    all.any(|condition| condition["type"] == type_ && condition["status"] == "True")
}

async fn a_gateway_and_its_route_get_their_statuses_and_lose_them(server: Server) {
    let _turn = server.alone().await;
    let class = server.unique("example");
    let support = Support { classes: Some([class.clone()].into()), ..Support::new(CONTROLLER_NAME) };
    let controller = GatewayController { client: server.client(), support, running: Running::default() };
    // The CRDs come later.
    let running = tokio::spawn(controller.run());
    for (kind, plural, scope) in [
        ("GatewayClass", "gatewayclasses", "Cluster"),
        ("Gateway", "gateways", "Namespaced"),
        ("HTTPRoute", "httproutes", "Namespaced"),
    ] {
        let definition = serde_json::from_value(definition(kind, plural, scope)).unwrap();
        server.define(definition).await;
    }
    let namespace = server.namespace("shop").await;
    let classes = api(&server, "GatewayClass", None);
    let gateways = api(&server, "Gateway", Some(&namespace));
    let routes = api(&server, "HTTPRoute", Some(&namespace));
    apply(&classes, "GatewayClass", &class, json!({ "controllerName": CONTROLLER_NAME })).await;
    let listeners = json!([
        { "name": "http", "port": 80, "protocol": "HTTP" },
        { "name": "https", "port": 443, "protocol": "HTTPS", "tls": { "certificateRefs": [{ "name": "absent" }] } },
    ]);
    let spec = json!({ "gatewayClassName": class, "listeners": listeners });
    apply(&gateways, "Gateway", "web", spec).await;
    let spec = json!({ "parentRefs": [{ "name": "web", "sectionName": "http" }], "rules": [] });
    apply(&routes, "HTTPRoute", "cart", spec).await;

    let is_supported = |status: &Value| is_true(&status["conditions"], "SupportedVersion");
    eventually("the class to be answered", is_supported, || status(&classes, &class)).await;
    let is_attached = |status: &Value| status["listeners"][0]["attachedRoutes"] == 1;
    let web = eventually("the route to be counted", is_attached, || status(&gateways, "web")).await;
    assert!(is_true(&web["listeners"][0]["conditions"], "Programmed"), "{web}");
    assert!(
        !is_true(&web["listeners"][1]["conditions"], "Programmed"),
        "its certificate is not there: {web}"
    );
    let is_accepted = |status: &Value| is_true(&status["parents"][0]["conditions"], "Accepted");
    eventually("the route to be accepted", is_accepted, || status(&routes, "cart")).await;

    gateways.delete("web", &DeleteParams::default()).await.unwrap();
    let is_empty = |status: &Value| status["parents"] == json!([]);
    eventually("the route to be detached", is_empty, || status(&routes, "cart")).await;
    classes.delete(&class, &DeleteParams::default()).await.unwrap();
    running.abort();
}
