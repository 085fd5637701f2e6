mod clients;
mod cluster;
mod faults;
mod hostile;
mod in_process;
mod patience;
mod sockets;
mod state;
mod webhooks;

use std::{net::SocketAddr, time::Duration};

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use super::ApiServer;
use crate::http::{ResponseBody, ServiceError};

/// Long enough for a loaded machine, short enough to be told.
const PATIENCE: Duration = Duration::from_secs(20);
const GADGETS: &str = "/apis/lab.example/v1/namespaces/default/gadgets";
const LOOPBACK: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 0);

fn crd() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "gadgets.lab.example" },
        "spec": {
            "group": "lab.example",
            "names": { "kind": "Gadget", "plural": "gadgets", "singular": "gadget", "listKind": "GadgetList" },
            "scope": "Namespaced",
            "versions": [{
                "name": "v1", "served": true, "storage": true, "subresources": { "status": {} },
                "schema": { "openAPIV3Schema": {
                    "type": "object",
                    "properties": {
                        "spec": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
                        "status": { "type": "object", "x-kubernetes-preserve-unknown-fields": true }
                    }
                } }
            }]
        }
    })
}

fn gadget(name: &str) -> Value {
    json!({
        "apiVersion": "lab.example/v1", "kind": "Gadget",
        "metadata": { "name": name, "namespace": "default" }, "spec": { "size": 1 }
    })
}

fn server() -> ApiServer {
    builder().build().unwrap()
}

fn builder() -> super::Builder {
    ApiServer::builder().crds([crd()]).token("secret").seed(7)
}

/// An answer, read to its end.
struct Answered {
    code: StatusCode,
    headers: HeaderMap,
    text: String,
}

impl Answered {
    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// Sends a request in process: method and path, headers, body.
async fn send(
    server: &ApiServer,
    line: &str,
    headers: &[(&str, &str)],
    body: impl Into<Bytes>,
) -> Result<Response<ResponseBody>, ServiceError> {
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    server.service().oneshot(request.body(Full::new(body.into())).unwrap()).await
}

async fn ask(server: &ApiServer, line: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answered {
    let (parts, body) = send(server, line, headers, body).await.unwrap().into_parts();
    let bytes = tokio::time::timeout(PATIENCE, body.collect()).await.unwrap().unwrap().to_bytes();
    Answered { code: parts.status, headers: parts.headers, text: String::from_utf8(bytes.to_vec()).unwrap() }
}

async fn get(server: &ApiServer, path: &str) -> Answered {
    ask(server, &format!("GET {path}"), &[], "").await
}

async fn create(server: &ApiServer, name: &str) -> Answered {
    ask(server, &format!("POST {GADGETS}"), &[("content-type", "application/json")], gadget(name).to_string())
        .await
}

/// The next events of a watch, up to a number.
async fn events(body: &mut ResponseBody, count: usize) -> Vec<String> {
    let mut text = String::new();
    while text.lines().count() < count {
        let frame = tokio::time::timeout(PATIENCE, body.frame()).await.expect("an event").expect("no end");
        text.push_str(std::str::from_utf8(&frame.unwrap().into_data().unwrap()).unwrap());
    }
    text.lines()
        .map(|line| {
            let event: Value = serde_json::from_str(line).unwrap();
            format!(
                "{} {}",
                event["type"].as_str().unwrap(),
                event["object"]["metadata"]["name"].as_str().unwrap_or("?")
            )
        })
        .collect()
}

async fn watch(server: &ApiServer, path: &str) -> ResponseBody {
    let reply = send(server, &format!("GET {path}"), &[], "").await.unwrap();
    assert_eq!(reply.status(), 200);
    assert_eq!(reply.headers()["content-type"], "application/json");
    reply.into_body()
}
