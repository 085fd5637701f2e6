//! The Gateway on the embedded API server: requests through the proxy, and statuses that agree with them.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

use std::time::Duration;

use allready_apiserver::ApiServer;
use allready_gateway::{Engine, Kind, Support, cluster::Cluster};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, PostParams},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};

const GROUP: &str = "gateway.networking.k8s.io";

/// A CRD that takes any spec and any status: what the schemas refuse is not what is tested here.
fn crd(group: &str, kind: &str, plural: &str, scope: &str) -> Value {
    let any = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {
            "name": format!("{plural}.{group}"),
            "annotations": {"api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api/pull/3328"},
        },
        "spec": {
            "group": group, "scope": scope,
            "names": {"kind": kind, "plural": plural, "singular": kind.to_lowercase(), "listKind": format!("{kind}List")},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": any},
            }],
        },
    })
}

fn api(client: &Client, group: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk(group, "v1", kind));
    match namespace {
        "" => Api::all_with(client.clone(), &resource),
        namespace => Api::namespaced_with(client.clone(), namespace, &resource),
    }
}

async fn create(client: &Client, (group, kind): (&str, &str), (namespace, name): (&str, &str), rest: Value) {
    let version = if group.is_empty() { "v1".to_owned() } else { format!("{group}/v1") };
    let mut object = rest;
    object["apiVersion"] = version.into();
    object["kind"] = kind.into();
    object["metadata"]["name"] = name.into();
    let object: DynamicObject = serde_json::from_value(object).unwrap();
    api(client, group, kind, namespace).create(&PostParams::default(), &object).await.unwrap();
}

/// A Service with one endpoint that answers its own name, and the path and a header of the request.
async fn backend(client: &Client, namespace: &str, name: &'static str) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                let read = stream.read(&mut bytes).await.unwrap();
                let request = String::from_utf8_lossy(&bytes[..read]).to_lowercase();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let added = request.lines().find(|line| line.starts_with("x-added:")).unwrap_or_default();
                let body = format!("{name} {path} {added}");
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
                    body.len()
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            });
        }
    });
    create(
        client,
        ("", "Service"),
        (namespace, name),
        json!({"spec": {"ports": [{"name": "web", "port": 80}]}}),
    )
    .await;
    let slice = json!({
        "metadata": {"labels": {"kubernetes.io/service-name": name}},
        "addressType": "IPv4",
        "ports": [{"name": "web", "port": port, "protocol": "TCP"}],
        "endpoints": [{"addresses": ["127.0.0.1"], "conditions": {"ready": true}}],
    });
    create(client, ("discovery.k8s.io", "EndpointSlice"), (namespace, name), slice).await;
}

/// The status line's code and the rest of an answer.
async fn get(address: &str, host: &str, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    (answer[9..12].parse().unwrap(), answer)
}

/// Looks until something is there; for half a minute.
async fn until<T, F: Future<Output = Option<T>>>(what: &str, look: impl Fn() -> F) -> T {
    for _ in 0..300 {
        if let Some(found) = look().await {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{what} was not there within half a minute");
}

/// Status and reason of a condition of a route.
async fn said(routes: &Api<DynamicObject>, name: &str, type_: &str) -> Option<String> {
    let route = routes.get(name).await.unwrap();
    let conditions = route.data["status"]["parents"][0]["conditions"].as_array()?.clone();
    let one = conditions.into_iter().find(|one| one["type"] == type_)?;
    Some(format!("{} {}", one["status"].as_str()?, one["reason"].as_str()?))
}

#[tokio::test]
async fn requests_are_answered_as_the_statuses_say() {
    let crds = [
        crd(GROUP, "GatewayClass", "gatewayclasses", "Cluster"),
        crd(GROUP, "Gateway", "gateways", "Namespaced"),
        crd(GROUP, "HTTPRoute", "httproutes", "Namespaced"),
        crd(GROUP, "ReferenceGrant", "referencegrants", "Namespaced"),
        // The embedded server has none of its own.
        crd("discovery.k8s.io", "EndpointSlice", "endpointslices", "Namespaced"),
    ];
    let server = ApiServer::builder().crds(crds).build().unwrap();
    let client = Client::new(server.service(), "default");
    create(&client, ("", "Namespace"), ("", "apps"), json!({})).await;
    backend(&client, "default", "one").await;
    backend(&client, "apps", "two").await;
    let class = json!({"spec": {"controllerName": "example.com/gateway"}});
    create(&client, (GROUP, "GatewayClass"), ("", "example"), class).await;
    let listener = json!({"name": "http", "port": 18080, "protocol": "HTTP"});
    let gateway = json!({"spec": {"gatewayClassName": "example", "listeners": [listener]}});
    create(&client, (GROUP, "Gateway"), ("default", "web"), gateway).await;
    let rule = |path: &str, backend: Value, filters: Value| json!({"matches": [{"path": {"type": "PathPrefix", "value": path}}], "backendRefs": [backend], "filters": filters});
    let route = |rules: Value| json!({"spec": {"parentRefs": [{"name": "web"}], "hostnames": ["shop.example.com"], "rules": rules}});
    let rewrite = json!([
        {"type": "RequestHeaderModifier", "requestHeaderModifier": {"add": [{"name": "X-Added", "value": "yes"}]}},
        {"type": "URLRewrite", "urlRewrite": {"path": {"type": "ReplacePrefixMatch", "replacePrefixMatch": "/new"}}},
    ]);
    let redirect = json!([{"type": "RequestRedirect", "requestRedirect": {"hostname": "example.org", "statusCode": 301}}]);
    let one = json!({"name": "one", "port": 80});
    let good = json!([rule("/", one.clone(), json!([])), rule("/old", one, rewrite), {
        "matches": [{"path": {"type": "Exact", "value": "/moved"}}], "filters": redirect}]);
    create(&client, (GROUP, "HTTPRoute"), ("default", "good"), route(good)).await;
    let missing = json!([rule("/missing", json!({"name": "missing", "port": 80}), json!([]))]);
    create(&client, (GROUP, "HTTPRoute"), ("default", "missing"), route(missing)).await;
    let far = json!([rule("/far", json!({"name": "two", "namespace": "apps", "port": 80}), json!([]))]);
    create(&client, (GROUP, "HTTPRoute"), ("default", "far"), route(far)).await;

    let running = client.clone();
    let running = tokio::spawn(async move { example_gateway::run(running, "example.com/gateway").await });
    let gateways = api(&client, GROUP, "Gateway", "default");
    let address = until("the address of the Gateway", || async {
        let status = gateways.get("web").await.unwrap().data["status"].clone();
        let programmed =
            status["conditions"].as_array()?.iter().find(|one| one["type"] == "Programmed")?.clone();
        (programmed["status"] == "True")
            .then(|| format!("{}:18080", status["addresses"][0]["value"].as_str().unwrap()))
    });
    let address = address.await;
    let host = "shop.example.com:18080";
    until("an answer of the first backend", || async {
        (get(&address, host, "/").await.0 == 200).then_some(())
    })
    .await;

    let (_, answer) = get(&address, host, "/a?b=c").await;
    assert!(answer.ends_with("one /a?b=c "), "{answer}");
    let (_, answer) = get(&address, host, "/old/a?b=c").await;
    assert!(answer.ends_with("one /new/a?b=c x-added: yes"), "{answer}");
    let (code, answer) = get(&address, host, "/moved").await;
    assert_eq!(code, 301);
    assert!(answer.contains("location: http://example.org:18080/moved"), "{answer}");
    assert_eq!(get(&address, "other.example.com", "/").await.0, 404, "no route has this hostname");
    assert_eq!(get(&address, host, "/missing").await.0, 500);
    assert_eq!(get(&address, host, "/far").await.0, 500);

    let routes = api(&client, GROUP, "HTTPRoute", "default");
    for (name, accepted, resolved) in [
        ("good", "True Accepted", "True ResolvedRefs"),
        ("missing", "True Accepted", "False BackendNotFound"),
        ("far", "True Accepted", "False RefNotPermitted"),
    ] {
        assert_eq!(said(&routes, name, "Accepted").await.as_deref(), Some(accepted), "{name}");
        assert_eq!(said(&routes, name, "ResolvedRefs").await.as_deref(), Some(resolved), "{name}");
    }
    let listener = gateways.get("web").await.unwrap().data["status"]["listeners"][0].clone();
    assert_eq!(listener["attachedRoutes"], 3);

    let grant = json!({"spec": {
        "from": [{"group": GROUP, "kind": "HTTPRoute", "namespace": "default"}], "to": [{"group": "", "kind": "Service"}]}});
    create(&client, (GROUP, "ReferenceGrant"), ("apps", "grant"), grant).await;
    let answer = until("an answer of the backend that may be named now", || async {
        let (code, answer) = get(&address, host, "/far").await;
        (code == 200).then_some(answer)
    });
    let answer = answer.await;
    assert!(answer.ends_with("two /far "), "{answer}");
    assert_eq!(said(&routes, "far", "ResolvedRefs").await.as_deref(), Some("True ResolvedRefs"));

    gateways.delete("web", &kube::api::DeleteParams::default()).await.unwrap();
    until("a port that is closed", || async { TcpStream::connect(&address).await.err() }).await;
    running.abort();
}

#[tokio::test]
async fn a_kind_that_the_server_does_not_have_is_told_and_nothing_is_decided_without_it() {
    let server = ApiServer::builder().build().unwrap();
    let client = Client::new(server.service(), "default");
    let mut engine = Engine::new(Support::new("example.com/gateway"));
    let mut cluster = Cluster::watch(client, [Kind::Namespace, Kind::Gateway], "example-gateway");
    let unseen = cluster.feed(&mut engine).await.unwrap_err();
    assert!(unseen.starts_with("cannot watch Gateways: "), "{unseen}");
}
