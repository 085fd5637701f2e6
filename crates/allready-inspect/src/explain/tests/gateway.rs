use super::*;
use crate::graph::{GATEWAY, Relation};

fn gateway(certificate: &Value) -> Value {
    object(
        "gateway.networking.k8s.io/v1",
        "Gateway",
        "public",
        &json!({ "gatewayClassName": "lab", "listeners": [
            { "name": "http", "port": 80, "protocol": "HTTP" },
            { "name": "https", "port": 443, "protocol": "HTTPS", "tls": { "certificateRefs": [certificate] } },
        ] }),
        &json!({
            "conditions": [
                condition("Accepted", "True", "Accepted", ""),
                condition("Programmed", "False", "Invalid", "a listener is not valid"),
            ],
            "listeners": [
                { "name": "http", "attachedRoutes": 1, "conditions": [condition("Programmed", "True", "Programmed", "")] },
                { "name": "https", "attachedRoutes": 0, "conditions": [
                    condition("ResolvedRefs", "False", "InvalidCertificateRef", "no such secret"),
                ] },
            ],
        }),
    )
}

/// One that has nothing to complain about.
fn good_gateway() -> Value {
    let conditions = json!([
        condition("Accepted", "True", "Accepted", ""),
        condition("Programmed", "True", "Programmed", "")
    ]);
    let mut gateway = gateway(&json!({ "name": "cert" }));
    gateway["status"] = json!({ "conditions": conditions, "listeners": [
        { "name": "http", "attachedRoutes": 1, "conditions": conditions },
        { "name": "https", "attachedRoutes": 1, "conditions": conditions },
    ] });
    gateway
}

fn class() -> Value {
    let mut class = object(
        "gateway.networking.k8s.io/v1",
        "GatewayClass",
        "lab",
        &json!({ "controllerName": "lab.example/gateway" }),
        &json!({ "conditions": [condition("Accepted", "True", "Accepted", "")] }),
    );
    class["metadata"]["namespace"] = json!(null);
    class
}

fn secret(namespace: &str) -> Value {
    let mut secret = object("v1", "Secret", "cert", &json!(null), &json!(null));
    secret["metadata"]["namespace"] = json!(namespace);
    secret
}

fn route() -> Value {
    object(
        "gateway.networking.k8s.io/v1",
        "HTTPRoute",
        "web",
        &json!({ "parentRefs": [{ "name": "public" }], "rules": [{ "backendRefs": [{ "name": "web", "port": 80 }] }] }),
        &json!({ "parents": [{ "parentRef": { "name": "public" }, "controllerName": "lab.example/gateway", "conditions": [
            condition("Accepted", "True", "Accepted", ""), condition("ResolvedRefs", "True", "ResolvedRefs", ""),
        ] }] }),
    )
}

fn service() -> Value {
    object(
        "v1",
        "Service",
        "web",
        &json!({ "selector": { "app": "web" }, "ports": [{ "port": 80 }] }),
        &json!({}),
    )
}

fn slice(endpoints: &Value) -> Value {
    let mut slice = object("discovery.k8s.io/v1", "EndpointSlice", "web-x", &json!(null), &json!(null));
    slice["metadata"]["labels"] = json!({ "kubernetes.io/service-name": "web" });
    slice["endpoints"] = endpoints.clone();
    slice
}

#[test]
fn a_listener_without_its_secret_leads_to_the_secret() {
    let known = cluster([gateway(&json!({ "name": "cert" })), class()]);
    let explanation = explained(&known, GATEWAY, "Gateway", "public");
    assert_eq!(cause(&explanation), "Secret shop/cert: NotFound");
    let listener = find(&explanation, "listener https: ResolvedRefs=False").unwrap();
    assert_eq!(
        (listener.reason.as_str(), listener.field.as_str()),
        ("InvalidCertificateRef", "status.listeners[https].conditions[ResolvedRefs]")
    );
    assert_eq!(find(&explanation, "listener http: Programmed=True"), None, "it is well");
}

#[test]
fn a_secret_of_another_namespace_needs_somebody_there_to_allow_it() {
    let certificate = json!({ "name": "cert", "namespace": "vault" });
    let objects = || [gateway(&certificate), class(), secret("vault")];
    let explanation = explained(&cluster(objects()), GATEWAY, "Gateway", "public");
    assert_eq!(cause(&explanation), "Gateway shop/public RefNotPermitted: RefNotPermitted");
    assert_eq!(
        cause_node(&explanation).message,
        "no ReferenceGrant in the namespace vault lets a Gateway of shop refer to Secret cert"
    );
    let grant = json!({ "apiVersion": "gateway.networking.k8s.io/v1", "kind": "ReferenceGrant",
        "metadata": { "name": "a", "namespace": "vault" },
        "spec": { "from": [{ "group": GATEWAY, "kind": "Gateway", "namespace": "shop" }], "to": [{ "group": "", "kind": "Secret" }] } });
    let explanation = explained(&cluster(objects().into_iter().chain([grant])), GATEWAY, "Gateway", "public");
    assert_eq!(find(&explanation, "RefNotPermitted"), None);
}

#[test]
fn a_route_is_followed_to_a_service_that_no_pod_serves() {
    let known = cluster([route(), service(), good_gateway(), class()]);
    let explanation = explained(&known, GATEWAY, "HTTPRoute", "web");
    assert_eq!(cause(&explanation), "Service shop/web: NoReadyEndpoints");
    assert_eq!(cause_node(&explanation).message, "no pod has the labels app=web");
}

#[test]
fn a_route_is_followed_through_endpoints_to_the_pod_that_is_not_ready() {
    let mut pod = object(
        "v1",
        "Pod",
        "web-1",
        &json!({}),
        &json!({ "phase": "Running",
        "conditions": [condition("Ready", "False", "ContainersNotReady", "")],
        "containerStatuses": [{ "name": "app", "ready": false, "state": { "waiting": { "reason": "ImagePullBackOff" } } }] }),
    );
    pod["metadata"]["labels"] = json!({ "app": "web" });
    let endpoint = json!([{ "addresses": ["10.0.0.1"], "conditions": { "ready": false },
        "targetRef": { "kind": "Pod", "namespace": "shop", "name": "web-1" } }]);
    let known = cluster([route(), service(), slice(&endpoint), pod, good_gateway()]);
    let explanation = explained(&known, GATEWAY, "HTTPRoute", "web");
    let service = find(&explanation, "Service shop/web").unwrap();
    assert_eq!(service.message, "none of its 1 endpoints is ready");
    assert_eq!(
        path(&explanation)[1..],
        [
            "refers to Service shop/web",
            "selects EndpointSlice shop/web-x",
            "refers to Pod shop/web-1",
            "has container app"
        ]
    );
}

#[test]
fn a_gateway_shows_its_routes_and_does_not_blame_them() {
    let mut broken = route();
    broken["status"]["parents"][0]["conditions"][1] =
        condition("ResolvedRefs", "False", "BackendNotFound", "no service");
    let known = cluster([gateway(&json!({ "name": "cert" })), class(), secret("shop"), broken]);
    let explanation = explained(&known, GATEWAY, "Gateway", "public");
    let route = find(&explanation, "HTTPRoute shop/web").unwrap();
    assert_eq!(route.relation, Relation::Attached);
    assert!(cause(&explanation).starts_with("Gateway shop/public "), "{}", cause(&explanation));
    assert!(find(&explanation, "parent public: ResolvedRefs=False").is_some());
}

#[test]
fn a_gateway_in_trouble_with_something_else_does_not_explain_a_route_that_is_well() {
    let known = cluster([route(), gateway(&json!({ "name": "cert" })), class(), service()]);
    let explanation = explained(&known, GATEWAY, "HTTPRoute", "web");
    assert_eq!(find(&explanation, "Gateway shop/public").unwrap().relation, Relation::ServedBy);
    assert_eq!(cause(&explanation), "Service shop/web: NoReadyEndpoints");
}

#[test]
fn a_gateway_that_nobody_has_taken_waits_since_it_was_created() {
    let default = json!({ "type": "Accepted", "status": "Unknown", "reason": "Pending",
        "message": "Waiting for controller", "lastTransitionTime": "1970-01-01T00:00:00Z" });
    let status = json!({ "conditions": [default] });
    let mut gateway = object("gateway.networking.k8s.io/v1", "Gateway", "public", &json!({}), &status);
    gateway["metadata"]["creationTimestamp"] = json!("2026-11-15T11:50:00Z");
    let explanation = explained(&cluster([gateway]), GATEWAY, "Gateway", "public");
    let created = "2026-11-15T11:50:00Z".parse().ok();
    assert_eq!((explanation.nodes[0].since, cause_node(&explanation).since), (created, created));
    assert_eq!(cause(&explanation), "Gateway shop/public Accepted=Unknown: Pending");
}

#[test]
fn an_early_condition_is_told_with_its_name_of_today() {
    use crate::registry::gateway::{GROUPS, OLD, On};

    for group in GROUPS {
        for old in OLD.iter().filter(|old| old.on != On::RouteParent) {
            let ready = condition("Ready", "True", "Ready", "");
            let early = condition(old.type_, "True", "Because", "of this");
            let (status, place) = if old.on == On::Listener {
                let listeners = json!([{ "name": "web", "conditions": [early] }]);
                (json!({ "conditions": [ready], "listeners": listeners }), "listener web: ")
            } else {
                (json!({ "conditions": [ready, early] }), "")
            };
            let known = cluster([object(&format!("{group}/v1"), "Gateway", "web", &json!({}), &status)]);
            let explanation = explained(&known, group, "Gateway", "web");
            let today = if old.today.is_empty() {
                "no longer in the Gateway API".to_owned()
            } else {
                format!("early name of {}", old.successors())
            };
            let label = format!("Gateway shop/web {place}{}=True ({today}): Because", old.type_);
            assert_eq!(cause(&explanation), label);
        }
    }
}
